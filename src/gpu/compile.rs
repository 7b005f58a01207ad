//! WGSL to a pipeline, without stalling anybody.

use std::rc::Rc;

use js_sys::{Array, Object, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::device::Device;
use super::kernel::{Compiled, Kernel};
use super::scope::{Failure, Report, judged_later, trio};
use super::webgpu::{RawShaderModule, adopting, descriptor_of, get, observed, set};
use super::{Event, Gpu};
use crate::error::{ComputeError, ErrorCode, Operation, Reason};
use crate::plan::{Access, KernelPlan, Space};

impl Gpu {
    /// Compiles a kernel in the background. `refusal` is why it could not be planned, if it could not. Lines of errors
    /// count from `first_line`, where the user's own text starts.
    pub fn compile(&self, kernel: Rc<Kernel>, wgsl: String, first_line: u32, refusal: Option<ComputeError>) {
        let gpu = self.clone();
        gpu.0.compiling.borrow_mut().push(kernel.clone());
        spawn_local(async move {
            let source = Source { wgsl: &wgsl, label: &kernel.label, first_line };
            let device = gpu.device();
            let result = match (&kernel.plan, refusal) {
                (Some(plan), None) => source.compile(device, plan).await,
                (_, Some(refusal)) => Err(source.explain(device, refusal).await),
                (None, None) => Err(Reason::Undecided.at(Operation::Compile).into()),
            };
            gpu.0.compiling.borrow_mut().retain(|other| !Rc::ptr_eq(other, &kernel));
            gpu.finish_compile(&kernel, result);
        });
    }

    /// Ends compiling: calls that waited for it go on, and a failure nobody waits for becomes an event.
    pub fn finish_compile(&self, kernel: &Kernel, result: Result<Compiled, Failure>) {
        if let Some(unheard) = kernel.finish(result) {
            self.0.tell(Event::Uncaptured(unheard));
        }
        self.advance();
    }
}

/// A kernel's text and what errors call it.
struct Source<'a> {
    wgsl: &'a str,
    label: &'a str,
    first_line: u32,
}

impl Source<'_> {
    /// Compiles as planned, without blocking the GPU process.
    ///
    /// # Errors
    /// - `KernelCompileFailed`: with line, column and the source line, or what the pipeline was refused for.
    /// - `UnsupportedFeature`: the source enables a feature that the device does not have.
    /// - `DeviceLost`: lost meanwhile.
    async fn compile(&self, device: &Device, plan: &KernelPlan) -> Result<Compiled, Failure> {
        if let Some(missing) = missing_feature(device, &plan.enables) {
            return Err(missing.into());
        }
        let (started, reports) = trio(device, || self.start(device, plan));
        let started = match started {
            Ok(started) => started,
            Err(thrown) => {
                let _ = reports.first().await;
                return Err(self.judged_later(device, &thrown.into()).await);
            }
        };
        let report = reports.first().await;
        let made = JsFuture::from(started.pipeline.clone()).await;
        if let Some(report) = report {
            return Err(self.with_position(self.judged_later(device, &report).await, &started.module).await);
        }
        match made {
            Ok(raw) if !device.is_lost() => Ok(self.adopt(device, plan, started, &raw)),
            Err(rejection) => Err(self.judged_later(device, &rejection.into()).await),
            Ok(_) => Err(device.lost_failure(Operation::Compile, self.label)),
        }
    }

    /// What the browser says to a source that could not be planned: its message wins over `refusal`, because most such
    /// sources are simply wrong.
    async fn explain(&self, device: &Device, refusal: ComputeError) -> Failure {
        let (module, reports) = trio(device, || device.raw.create_shader_module(&self.module_descriptor()));
        match (reports.first().await, module) {
            (Some(report), Ok(module)) => self.with_position(self.judged_later(device, &report).await, &module).await,
            (Some(report), Err(_)) => self.judged_later(device, &report).await,
            (None, Err(thrown)) => self.judged_later(device, &thrown.into()).await,
            (None, Ok(_)) if device.is_lost() => device.lost_failure(Operation::Compile, self.label),
            (None, Ok(_)) => refusal.into(),
        }
    }

    async fn judged_later(&self, device: &Device, report: &Report) -> Failure {
        judged_later(device, report, Operation::Compile, self.label).await
    }

    fn module_descriptor(&self) -> Object {
        let descriptor = Object::new();
        set(&descriptor, "code", self.wgsl);
        set(&descriptor, "label", self.label);
        descriptor
    }

    /// The synchronous part: module, layouts, and the pipeline asked for. The browser compiles beside everything else.
    fn start(&self, device: &Device, plan: &KernelPlan) -> Result<Started, JsValue> {
        let module = device.raw.create_shader_module(&self.module_descriptor())?;
        let wgpu_module = adopting(device.raw.as_ref(), "createShaderModule", module.as_ref(), || {
            device.wgpu.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(std::borrow::Cow::Borrowed("")),
            })
        });
        let uniform_len = plan.bindings.iter().filter(|binding| binding.space == Space::Uniform).count();
        let has_dynamic_uniforms = uniform_len <= device.limits.max_dynamic_uniform_buffers as usize;
        let group_len = plan.bindings.iter().map(|binding| binding.group + 1).max().unwrap_or(0);
        let layouts: Vec<_> =
            (0..group_len).map(|group| self.group_layout(device, plan, group, has_dynamic_uniforms)).collect();
        let refs: Vec<_> = layouts.iter().map(Some).collect();
        let pipeline_layout = device.wgpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(self.label),
            bind_group_layouts: &refs,
            immediate_size: 0,
        });
        let constants = constants(plan);
        let descriptor = descriptor_of(device.raw.as_ref(), "createComputePipeline", || {
            let descriptor = self.pipeline_descriptor(&pipeline_layout, &wgpu_module, plan, &constants);
            device.wgpu.create_compute_pipeline(&descriptor)
        });
        let pipeline = observed(device.raw.create_compute_pipeline_async(&descriptor)?);
        Ok(Started { module, wgpu_module, layouts, pipeline_layout, has_dynamic_uniforms, pipeline })
    }

    /// wgpu's pipeline around the finished raw one.
    fn adopt(&self, device: &Device, plan: &KernelPlan, started: Started, raw: &JsValue) -> Compiled {
        let constants = constants(plan);
        let pipeline = adopting(device.raw.as_ref(), "createComputePipeline", raw, || {
            let descriptor = self.pipeline_descriptor(&started.pipeline_layout, &started.wgpu_module, plan, &constants);
            device.wgpu.create_compute_pipeline(&descriptor)
        });
        Compiled { pipeline, layouts: started.layouts, has_dynamic_uniforms: started.has_dynamic_uniforms }
    }

    fn group_layout(
        &self,
        device: &Device,
        plan: &KernelPlan,
        group: u32,
        has_dynamic_uniforms: bool,
    ) -> wgpu::BindGroupLayout {
        let entries: Vec<_> = plan
            .bindings
            .iter()
            .filter(|binding| binding.group == group)
            .map(|binding| wgpu::BindGroupLayoutEntry {
                binding: binding.binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match binding.space {
                        Space::Uniform => wgpu::BufferBindingType::Uniform,
                        Space::Storage => {
                            wgpu::BufferBindingType::Storage { read_only: binding.access == Access::Read }
                        }
                    },
                    has_dynamic_offset: binding.space == Space::Uniform && has_dynamic_uniforms,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let descriptor = wgpu::BindGroupLayoutDescriptor { label: Some(self.label), entries: &entries };
        device.wgpu.create_bind_group_layout(&descriptor)
    }

    fn pipeline_descriptor<'a>(
        &'a self,
        layout: &'a wgpu::PipelineLayout,
        module: &'a wgpu::ShaderModule,
        plan: &'a KernelPlan,
        constants: &'a [(&'a str, f64)],
    ) -> wgpu::ComputePipelineDescriptor<'a> {
        wgpu::ComputePipelineDescriptor {
            label: Some(self.label),
            layout: Some(layout),
            module,
            entry_point: Some(&plan.entry_point),
            compilation_options: wgpu::PipelineCompilationOptions { constants, ..Default::default() },
            cache: None,
        }
    }

    /// A refused module says where; a lost device or an internal error does not.
    async fn with_position(&self, failure: Failure, module: &RawShaderModule) -> Failure {
        if failure.error.code() != ErrorCode::KernelCompileFailed || failure.error.reason() != Reason::Validation {
            return failure;
        }
        let Some(info) = compilation_error(module).await else { return failure };
        if info.line == 0 {
            return Failure::new(failure.error.with("problem", info.message), failure.cause);
        }
        let snippet = self.wgsl.lines().nth((info.line as usize).saturating_sub(1)).unwrap_or_default();
        let error = Reason::Wgsl
            .at(Operation::Compile)
            .with("label", self.label)
            .with("problem", info.message)
            .with("line", (info.line + 1).saturating_sub(self.first_line))
            .with("column", info.column)
            .with("length", info.length)
            .with("snippet", snippet);
        Failure::new(error, failure.cause)
    }
}

/// A compilation under way.
struct Started {
    module: RawShaderModule,
    wgpu_module: wgpu::ShaderModule,
    layouts: Vec<wgpu::BindGroupLayout>,
    pipeline_layout: wgpu::PipelineLayout,
    has_dynamic_uniforms: bool,
    pipeline: Promise,
}

fn constants(plan: &KernelPlan) -> Vec<(&str, f64)> {
    plan.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect()
}

/// The device feature behind each WGSL extension that needs one.
const ENABLES: [(&str, &str); 4] = [
    ("f16", "shader-f16"),
    ("subgroups", "subgroups"),
    ("clip_distances", "clip-distances"),
    ("dual_source_blending", "dual-source-blending"),
];

fn missing_feature(device: &Device, enables: &[String]) -> Option<ComputeError> {
    let (_, feature) = ENABLES.iter().find(|(enable, feature)| {
        enables.iter().any(|enabled| enabled == enable) && !device.features.iter().any(|has| has == feature)
    })?;
    Some(Reason::FeatureMissing.at(Operation::Compile).with("feature", *feature))
}

/// The first error of `getCompilationInfo()`.
struct CompilationError {
    message: String,
    line: u32,
    column: u32,
    length: u32,
}

async fn compilation_error(module: &RawShaderModule) -> Option<CompilationError> {
    let promise = module.get_compilation_info().ok()?;
    let info = JsFuture::from(promise).await.ok()?;
    let number = |message: &JsValue, name| get(message, name).as_f64().unwrap_or(0.0) as u32;
    let error = Array::from(&get(&info, "messages"))
        .iter()
        .find(|message| get(message, "type").as_string().as_deref() == Some("error"))?;
    Some(CompilationError {
        message: get(&error, "message").as_string().unwrap_or_default(),
        line: number(&error, "lineNum"),
        column: number(&error, "linePos"),
        length: number(&error, "length"),
    })
}

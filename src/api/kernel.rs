use std::rc::Rc;

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

use super::convert::dtype;
use super::core::{Core, Thrown, thrown};
use super::host::done;
use crate::error::{ContextValue, Operation, Reason};
use crate::gpu::{Failure, Kernel, next_id, set};
use crate::kernels;
use crate::plan::{self, KernelOptions, Shape};

impl Core {
    fn compile(&self, wgsl: String, options: &KernelOptions, first_line: u32) -> u32 {
        let number = self.kernel_number.get() + 1;
        self.kernel_number.set(number);
        let device = self.gpu.device().clone();
        let planned = plan::kernel(&wgsl, options, &device.limits);
        let label = match &planned {
            Ok(plan) => plan.label.clone(),
            Err(error) => match error.get("label") {
                // What plans call a kernel without a name; the number tells it from others.
                Some(ContextValue::Text(label)) if label != "kernel" => label.clone(),
                _ => ["kernel ", &number.to_string()].concat(),
            },
        };
        let (plan, refusal) = match planned {
            Ok(plan) => (Some(plan), None),
            Err(error) => (None, Some(error.with("label", label.as_str()))),
        };
        let kernel = Kernel::new(label, plan);
        self.gpu.compile(kernel.clone(), wgsl, first_line, refusal);
        self.kernels.add(next_id(), kernel)
    }
}

#[wasm_bindgen]
impl Core {
    /// A kernel, compiled in the background; `constants` are name, value, name, value.
    pub fn kernel(&self, wgsl: String, entry_point: Option<String>, constants: &Array, label: Option<String>) -> u32 {
        let mut flat = constants.iter();
        let mut pairs = Vec::new();
        while let (Some(name), Some(value)) = (flat.next(), flat.next()) {
            pairs.push((name.as_string().unwrap_or_default(), value.as_f64().unwrap_or(f64::NAN)));
        }
        self.compile(wgsl, &KernelOptions { entry_point, constants: pairs, label }, 1)
    }

    /// Settles the call once the kernel is compiled or has failed to.
    ///
    /// # Errors
    /// A `ComputeError`: it is destroyed.
    pub fn kernel_ready(&self, call: u32, kernel: u32) -> Thrown<()> {
        thrown(self.kernels.get(kernel, "the kernel"))?.when_ready(done(call, |_| JsValue::UNDEFINED));
        Ok(())
    }

    /// What the kernel declares.
    ///
    /// # Errors
    /// A `ComputeError`: it is destroyed.
    pub fn kernel_info(&self, kernel: u32) -> Thrown<Object> {
        let kernel = thrown(self.kernels.get(kernel, "the kernel"))?;
        let object = Object::new();
        set(&object, "label", kernel.label.as_str());
        let bindings = Array::new();
        let mut size = [1, 1, 1];
        let mut entry_point = "";
        if let Some(plan) = &kernel.plan {
            size = plan.workgroup_size;
            entry_point = &plan.entry_point;
            for binding in plan.bindings.iter().chain(&plan.unreached) {
                let entry = Object::new();
                set(&entry, "name", binding.name.as_str());
                set(&entry, "group", binding.group);
                set(&entry, "binding", binding.binding);
                set(&entry, "space", binding.space.name());
                set(&entry, "access", binding.access.name());
                set(&entry, "type", binding.type_text());
                set(&entry, "scalar", binding.scalar().map_or("", |scalar| scalar.name()));
                bindings.push(&entry);
            }
        }
        set(&object, "entryPoint", entry_point);
        set(&object, "bindings", bindings);
        set(&object, "workgroupSize", size.iter().map(|size| JsValue::from(*size)).collect::<Array>());
        Ok(object)
    }

    /// Lets the kernel go.
    pub fn destroy_kernel(&self, kernel: u32) {
        self.kernels.remove(kernel);
        self.shapes.keep(|(of, _)| *of != kernel);
    }

    /// Fails a kernel that is still compiling: its `timeoutMs` passed.
    pub fn expire_kernel(&self, kernel: u32, timeout_ms: f64) {
        if let Ok(kernel) = self.kernels.get(kernel, "the kernel") {
            let error = Reason::Timeout.at(Operation::Compile).with("label", kernel.label.as_str());
            self.gpu.finish_compile(&kernel, Err(error.with("timeoutMs", timeout_ms).into()));
        }
    }

    /// The kernel of an expression over one array, made once for each expression and type.
    ///
    /// # Errors
    /// A `ComputeError`: it is no single expression.
    pub fn elementwise(&self, expression: &str, dtype_name: &str) -> Thrown<u32> {
        let dtype = thrown(dtype(dtype_name))?;
        let known =
            self.maps.borrow().iter().find(|(text, of, _)| text == expression && *of == dtype).map(|known| known.2);
        if let Some(kernel) = known {
            return Ok(kernel);
        }
        let wgsl = thrown(kernels::map(expression, dtype).map_err(Failure::from))?;
        let kernel = self.compile(wgsl, &KernelOptions::default(), kernels::FIRST_LINE);
        self.maps.borrow_mut().push((expression.to_owned(), dtype, kernel));
        Ok(kernel)
    }

    /// The order of a call's arguments.
    ///
    /// # Errors
    /// A `ComputeError`: a name is missing, unknown or reserved.
    pub fn shape(&self, kernel: u32, names: Vec<String>) -> Thrown<u32> {
        let shape = match &thrown(self.kernels.get(kernel, "the kernel"))?.plan {
            Some(plan) => thrown(plan::shape(plan, &names).map_err(Failure::from))?,
            None => Shape { slots: Vec::new() },
        };
        Ok(self.shapes.add(next_id(), Rc::new((kernel, Rc::new(shape)))))
    }
}

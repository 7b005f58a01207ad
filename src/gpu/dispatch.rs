//! Running kernels, as recorded calls: arguments checked, bound and followed by the reads of their outputs.

use std::rc::Rc;

use js_sys::Object;

use super::buffer::Buffer;
use super::call::{Bound, Call, Command, Destination, Done, Touch, Uniforms, Workgroups};
use super::handle::Handle;
use super::kernel::Kernel;
use super::scope::Failure;
use super::transfer::destroyed;
use super::webgpu::bytes_of;
use super::{Gpu, count};
use crate::error::Operation;
use crate::plan::{self, Access, DType, Given, Grid, Place, Shape, Slot, Space, Value};

/// One argument of a call.
pub enum Argument {
    /// A buffer the user holds.
    Buffer(Rc<Handle>),
    /// A typed array to upload for this call.
    Array(Object, DType),
    /// A result, zeros at first.
    Out(DType, f64),
    /// A typed array to upload, change and read back.
    InOut(Object, DType),
    /// Values of a uniform.
    Uniform(Value),
}

/// How much a call runs.
pub enum Target {
    /// Counts that the host knows.
    Grid(Grid),
    /// Counts in a buffer, from this byte on.
    Indirect(Rc<Handle>, f64),
}

/// A kernel with what it shall run on.
pub struct Request {
    /// The kernel.
    pub kernel: Rc<Kernel>,
    /// Which binding each argument is for.
    pub shape: Rc<Shape>,
    /// The arguments.
    pub arguments: Vec<Argument>,
    /// How much runs.
    pub target: Target,
}

/// A kernel with its arguments, checked once and used many times.
pub struct BoundKernel {
    kernel: Rc<Kernel>,
    storage: Rc<[Bound]>,
    touches: Vec<(Rc<Buffer>, Touch)>,
    uniforms: Uniforms,
    first_output_elements: Option<u64>,
}

/// How a call is made.
#[derive(Default)]
pub struct CallOptions {
    /// What errors call it; the kernel's label otherwise.
    pub label: Option<String>,
    /// Whether it resolves only when the GPU has finished.
    pub waits_for_gpu: bool,
}

impl Gpu {
    /// Runs a kernel. With [`Place::Run`] every `Out` and `InOut` is read.
    ///
    /// # Errors
    /// `InvalidProgram`: the arguments or the grid do not fit.
    pub fn dispatch(
        &self,
        key: u32,
        request: &Request,
        place: Place,
        options: CallOptions,
        done: Done,
    ) -> Result<(), Failure> {
        let mut call = options.call(key, &request.kernel, done);
        let dispatched = self.dispatch_to(&mut call, request, place);
        self.commit(call, dispatched)
    }

    /// Runs a bound kernel.
    ///
    /// # Errors
    /// `InvalidProgram`: the grid does not fit.
    pub fn dispatch_bound(
        &self,
        key: u32,
        bound: &BoundKernel,
        target: &Target,
        options: CallOptions,
        done: Done,
    ) -> Result<(), Failure> {
        let mut call = options.call(key, &bound.kernel, done);
        let dispatched = self.dispatch_bound_to(&mut call, bound, target);
        self.commit(call, dispatched)
    }

    pub(super) fn dispatch_bound_to(
        &self,
        call: &mut Call,
        bound: &BoundKernel,
        target: &Target,
    ) -> Result<(), Failure> {
        let workgroups = self.workgroups(call, &bound.kernel, target, bound.first_output_elements, &bound.storage)?;
        for (buffer, touch) in &bound.touches {
            call.touch(buffer, *touch);
        }
        count(&self.0.counters.dispatches, 1);
        call.commands.push(Command::Dispatch {
            kernel: bound.kernel.clone(),
            storage: bound.storage.clone(),
            uniforms: bound.uniforms.clone(),
            workgroups,
        });
        Ok(())
    }

    /// Checks and binds arguments once.
    ///
    /// # Errors
    /// `InvalidProgram`: an argument does not fit.
    pub fn bind(&self, request: &Request) -> Result<BoundKernel, Failure> {
        let mut call = Call::new(0, request.kernel.label.clone(), Operation::Dispatch, None);
        let bound = self.bind_to(&mut call, request, Place::Resident);
        // Arrays stay in the buffers they were uploaded to for as long as the binding lives.
        call.leases.clear();
        self.commit(call, bound.as_ref().map(|_| ()).map_err(Clone::clone))?;
        bound
    }

    pub(super) fn dispatch_to(&self, call: &mut Call, request: &Request, place: Place) -> Result<(), Failure> {
        let Request { kernel, shape, arguments, target } = request;
        let mut bound = self.bind_to(call, request, place)?;
        let workgroups = self.workgroups(call, kernel, target, bound.first_output_elements, &bound.storage)?;
        let is_empty = matches!(workgroups, Workgroups::Counts([0, _, _] | [_, 0, _] | [_, _, 0]));
        if let (Some(plan), false) = (&kernel.plan, is_empty)
            && let Some(empty) = plan::has_zero_length(plan, shape, &given(arguments))
        {
            return Err(plan::zero_length(plan, shape, empty).into());
        }
        for (buffer, touch) in bound.touches.drain(..) {
            call.touch(&buffer, touch);
        }
        count(&self.0.counters.dispatches, 1);
        call.commands.push(Command::Dispatch {
            kernel: kernel.clone(),
            storage: bound.storage,
            uniforms: bound.uniforms,
            workgroups,
        });
        self.read_outputs(call);
        Ok(())
    }

    /// The copies to staging come after the dispatch, in the order of the outputs.
    fn read_outputs(&self, call: &mut Call) {
        for (buffer, bytes) in std::mem::take(&mut call.outputs) {
            self.read_bytes(call, &buffer, 0, bytes.next_multiple_of(4), (0, bytes), Destination::Fresh);
        }
    }

    fn bind_to(&self, call: &mut Call, request: &Request, place: Place) -> Result<BoundKernel, Failure> {
        let Request { kernel, shape, arguments, .. } = request;
        let mut bound = BoundKernel {
            kernel: kernel.clone(),
            storage: Rc::from([]),
            touches: Vec::new(),
            uniforms: Uniforms::default(),
            first_output_elements: Some(0),
        };
        // A kernel that could not be planned never becomes ready; its calls wait to hear why.
        let Some(plan) = &kernel.plan else { return Ok(bound) };
        let call_plan = plan::call(plan, shape, &given(arguments), place, &self.0.device.limits)?;
        let mut given: Vec<(usize, Bound)> = Vec::with_capacity(arguments.len());
        for (index, (slot, argument)) in shape.slots.iter().zip(arguments).enumerate() {
            // An output of a binding that is not reached comes back as it went in.
            let comes_back = matches!(argument, Argument::Out(..) | Argument::InOut(..));
            if !comes_back && matches!(slot, Slot::Unreached(_)) {
                continue;
            }
            let part = self.storage(call, kernel, &call_plan, index, argument)?;
            if let (Slot::Bound(binding), Some(part)) = (slot, part) {
                given.push((*binding, part));
            }
        }
        let mut storage = Vec::with_capacity(given.len());
        for (index, binding) in plan.bindings.iter().enumerate() {
            let Some(place) = given.iter().position(|(of, _)| *of == index) else { continue };
            let (_, part) = given.swap_remove(place);
            let writes = binding.access == Access::ReadWrite;
            bound.touches.push((part.buffer.clone(), if writes { Touch::Changes } else { Touch::Reads }));
            storage.push(part);
        }
        bound.storage = storage.into();
        bound.uniforms = uniforms(plan, &call_plan, self.0.device.limits.uniform_offset_alignment);
        bound.first_output_elements = call_plan.first_output_elements;
        Ok(bound)
    }

    /// The buffer behind one storage argument, with what must be done to it before the dispatch.
    fn storage(
        &self,
        call: &mut Call,
        kernel: &Kernel,
        plan: &plan::CallPlan,
        index: usize,
        argument: &Argument,
    ) -> Result<Option<Bound>, Failure> {
        let needed = plan.out_bytes.iter().chain(&plan.array_bytes).find(|(of, _)| *of == index).map(|(_, plan)| plan);
        let (buffer, byte_offset, byte_len) = match (argument, needed) {
            (Argument::Buffer(handle), _) => {
                let buffer = handle.buffer().ok_or_else(|| destroyed(&kernel.label, Operation::Dispatch))?;
                (buffer, handle.byte_offset, handle.byte_len())
            }
            (Argument::Uniform(_), _) | (_, None) => return Ok(None),
            (Argument::Out(..), Some(needed)) => {
                let buffer = self.scratch(call, needed.alloc_bytes);
                call.commands.push(Command::Clear { dst: buffer.clone(), offset: 0, bytes: needed.alloc_bytes });
                call.outputs.push((buffer.clone(), needed.byte_len));
                (buffer, 0, needed.byte_len)
            }
            (Argument::Array(view, _) | Argument::InOut(view, _), Some(needed)) => {
                let buffer = self.scratch(call, needed.alloc_bytes);
                self.upload(call, &buffer, 0, &bytes_of(view), needed.alloc_bytes - needed.byte_len);
                if matches!(argument, Argument::InOut(..)) {
                    call.outputs.push((buffer.clone(), needed.byte_len));
                }
                (buffer, 0, needed.byte_len)
            }
        };
        Ok(Some(Bound { buffer, byte_offset, byte_len: byte_len.next_multiple_of(4) }))
    }

    fn workgroups(
        &self,
        call: &mut Call,
        kernel: &Kernel,
        target: &Target,
        first_output_elements: Option<u64>,
        storage: &[Bound],
    ) -> Result<Workgroups, Failure> {
        match (target, &kernel.plan) {
            (_, None) => Ok(Workgroups::Counts([0; 3])),
            (Target::Grid(grid), Some(plan)) => {
                let limits = &self.0.device.limits;
                Ok(Workgroups::Counts(plan::grid(plan, grid, first_output_elements, limits)?.workgroups))
            }
            (Target::Indirect(handle, offset), Some(plan)) => {
                let buffer = handle.buffer().ok_or_else(|| destroyed("the indirect buffer", Operation::Dispatch))?;
                let offset = plan::indirect(&plan.label, handle.dtype, handle.byte_len(), *offset)?;
                let writes = |(bound, binding): (&Bound, &plan::Binding)| {
                    binding.access == Access::ReadWrite && Rc::ptr_eq(&bound.buffer, &buffer)
                };
                let bindings = plan.bindings.iter().filter(|binding| binding.space == Space::Storage);
                if storage.iter().zip(bindings).any(writes) {
                    return Err(plan::indirect_aliased(&plan.label, &buffer.label).into());
                }
                call.touch(&buffer, Touch::Reads);
                Ok(Workgroups::Indirect(buffer, handle.byte_offset + offset))
            }
        }
    }
}

impl CallOptions {
    fn call(self, key: u32, kernel: &Kernel, done: Done) -> Call {
        let label = self.label.unwrap_or_else(|| kernel.label.clone());
        let mut call = Call::new(key, label, Operation::Dispatch, Some(done));
        call.waits_for_gpu = self.waits_for_gpu;
        call
    }
}

fn given(arguments: &[Argument]) -> Vec<Given> {
    arguments
        .iter()
        .map(|argument| match argument {
            Argument::Buffer(handle) => Given::Buffer {
                id: handle.buffer().map_or(0, |buffer| buffer.id),
                dtype: handle.dtype,
                byte_offset: handle.byte_offset,
                byte_len: handle.byte_len(),
                length: handle.length,
            },
            Argument::Array(view, dtype) => Given::Array { dtype: *dtype, byte_len: bytes_of(view).length().into() },
            Argument::Out(dtype, length) => Given::Out { dtype: *dtype, length: *length },
            Argument::InOut(view, dtype) => Given::InOut { dtype: *dtype, byte_len: bytes_of(view).length().into() },
            Argument::Uniform(value) => Given::Uniform(value.clone()),
        })
        .collect()
}

/// Packs the uniforms of a call one behind the other, each on the device's offset alignment, in the order of the
/// bindings.
fn uniforms(kernel: &plan::KernelPlan, call: &plan::CallPlan, alignment: u64) -> Uniforms {
    let mut uniforms = Uniforms::default();
    for index in 0..kernel.bindings.len() {
        let Some((_, bytes)) = call.uniforms.iter().find(|(of, _)| *of == index) else { continue };
        let start = uniforms.bytes.len() as u64;
        uniforms.parts.push((start, bytes.len() as u64));
        uniforms.bytes.extend_from_slice(bytes);
        uniforms.bytes.resize((uniforms.bytes.len() as u64).next_multiple_of(alignment) as usize, 0);
    }
    uniforms
}

//! Recording: each public call becomes a [`Call`] made of commands, planned and checked before anything is kept.

use std::rc::Rc;

use js_sys::{Object, Uint8Array, Uint32Array};
use wasm_bindgen::JsCast;

use super::buffer::{Buffer, Handle, USER_USAGE};
use super::call::{Bound, Call, Command, Destination, Done, Read, Touch, Uniforms, Workgroups};
use super::kernel::Kernel;
use super::pool::Purpose;
use super::scope::{Failure, trio};
use super::webgpu::get;
use super::{Event, Gpu, count, next_id};
use crate::error::{ComputeError, Operation, Reason};
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

/// A kernel with its arguments, checked once and used many times.
pub struct BoundKernel {
    kernel: Rc<Kernel>,
    storage: Rc<[Bound]>,
    touches: Vec<(Rc<Buffer>, Touch)>,
    uniforms: Uniforms,
    first_output_elements: Option<u64>,
}

fn bytes_of(view: &Object) -> Uint8Array {
    let number = |name| get(view, name).as_f64().unwrap_or(0.0) as u32;
    Uint8Array::new_with_byte_offset_and_length(&get(view, "buffer"), number("byteOffset"), number("byteLength"))
}

fn destroyed(label: &str, operation: Operation) -> Failure {
    Reason::Destroyed.at(operation).with("label", label).into()
}

impl Gpu {
    /// A buffer of zeros. What is wrong with it beyond its arguments is told by its uses.
    ///
    /// # Errors
    /// `InvalidProgram`: the length is no length.
    pub fn create_buffer(&self, dtype: DType, length: f64, label: String) -> Result<Handle, Failure> {
        let shared = &self.0;
        let id = next_id();
        let this = shared.this.clone();
        let unheard = move |failure| {
            if let Some(shared) = this.upgrade() {
                shared.tell(Event::Uncaptured(failure));
            }
        };
        let plan = match plan::buffer(dtype, length, &label, &shared.device.limits) {
            Ok(plan) => plan,
            Err(error) if error.reason() == Reason::LimitExceeded => {
                let buffer = Buffer::refused(id, label, error.into(), unheard);
                return Ok(Handle::whole(buffer, dtype, length as u64));
            }
            Err(error) => return Err(error.into()),
        };
        let buffer = match self.within_budget(plan.alloc_bytes, &label) {
            Ok(()) => Buffer::create(&shared.device, &shared.ledger, id, plan.alloc_bytes, USER_USAGE, label, unheard),
            Err(error) => Buffer::refused(id, label, error.into(), unheard),
        };
        Ok(Handle::whole(buffer, dtype, plan.length))
    }

    /// Idle pooled buffers go before a buffer is refused.
    fn within_budget(&self, alloc_bytes: u64, label: &str) -> Result<(), ComputeError> {
        let check = || plan::budget(self.0.ledger.live_bytes(), alloc_bytes, self.0.memory_budget_bytes, label);
        check().or_else(|_| {
            self.0.pool.clear();
            check()
        })
    }

    /// Writes a typed array from element `offset` on; its bytes are taken now.
    ///
    /// # Errors
    /// `InvalidProgram`: the buffer is destroyed, or the bytes do not fit.
    pub fn write(&self, handle: &Handle, view: &Object, offset: f64) -> Result<(), Failure> {
        let mut call = Call::new(0, String::new(), Operation::Upload, None);
        let written = self.write_to(&mut call, handle, view, offset, false);
        self.commit(call, written)
    }

    fn write_to(
        &self,
        call: &mut Call,
        handle: &Handle,
        view: &Object,
        offset: f64,
        is_all_or_nothing: bool,
    ) -> Result<(), Failure> {
        let buffer = handle.buffer().ok_or_else(|| destroyed("the buffer", Operation::Upload))?;
        let bytes = bytes_of(view);
        let len = u64::from(bytes.length());
        let plan = plan::write(handle.dtype, handle.length, len, offset, &buffer.label)?;
        if len == 0 {
            return Ok(());
        }
        if call.label.is_empty() {
            call.label.clone_from(&buffer.label);
        }
        let at = handle.byte_offset + plan.byte_offset;
        if !is_all_or_nothing && (len <= plan::MAX_KEPT_WRITE_BYTES || !buffer.is_in_use()) {
            self.upload(call, &buffer, at, &bytes, plan.pad_tail);
            return Ok(());
        }
        let scratch = self.scratch(call, len + plan.pad_tail);
        self.upload(call, &scratch, 0, &bytes, plan.pad_tail);
        self.copy_all(call, &scratch, &buffer, at, len + plan.pad_tail);
        Ok(())
    }

    fn copy_all(&self, call: &mut Call, src: &Rc<Buffer>, dst: &Rc<Buffer>, dst_offset: u64, bytes: u64) {
        call.touch(dst, Touch::Changes);
        call.commands.push(Command::Copy { src: src.clone(), src_offset: 0, dst: dst.clone(), dst_offset, bytes });
    }

    /// A short write is kept until the flush and shares its scopes. A long one is sent now, with scopes of its own: its
    /// bytes need not be copied, and nothing recorded may touch the buffer.
    fn upload(&self, call: &mut Call, dst: &Rc<Buffer>, offset: u64, bytes: &Uint8Array, pad_tail: u64) {
        let len = u64::from(bytes.length());
        count(&self.0.counters.bytes_uploaded, len);
        let padded = || {
            let padded = Uint8Array::new_with_length((len + pad_tail) as u32);
            padded.set(bytes, 0);
            padded
        };
        if len <= plan::MAX_KEPT_WRITE_BYTES {
            call.touch(dst, Touch::Changes);
            call.commands.push(Command::Write { dst: dst.clone(), offset, bytes: padded() });
            return;
        }
        let Some(raw) = dst.raw() else {
            call.touch(dst, Touch::Changes);
            return;
        };
        let device = &self.0.device;
        let bytes = if pad_tail > 0 { padded() } else { bytes.clone() };
        let (written, reports) = trio(device, || device.queue.write_buffer(raw, offset as f64, &bytes));
        call.thrown = call.thrown.take().or(written.err().map(Into::into));
        call.uploads.push((dst.clone(), reports));
    }

    fn scratch(&self, call: &mut Call, bytes: u64) -> Rc<Buffer> {
        self.lease(call, Purpose::Scratch, bytes)
    }

    fn lease(&self, call: &mut Call, purpose: Purpose, bytes: u64) -> Rc<Buffer> {
        let buffer = self.0.lease(&self.0.device, purpose, bytes);
        call.touch(&buffer, Touch::Replaces);
        call.leases.push((purpose, buffer.clone()));
        buffer
    }

    /// Reads elements `start` to `end`, into a fresh array or the caller's.
    ///
    /// # Errors
    /// `InvalidProgram`: the buffer is destroyed, the range is outside it, or the caller's array is of another length.
    pub fn read(
        &self,
        key: u32,
        handle: &Handle,
        (start, end): (Option<f64>, Option<f64>),
        into: Option<Object>,
        done: Done,
    ) -> Result<(), Failure> {
        let mut call = Call::new(key, String::new(), Operation::Read, Some(done));
        let read = self.read_from(&mut call, handle, (start, end), into);
        self.commit(call, read)
    }

    fn read_from(
        &self,
        call: &mut Call,
        handle: &Handle,
        (start, end): (Option<f64>, Option<f64>),
        into: Option<Object>,
    ) -> Result<(), Failure> {
        let buffer = handle.buffer().ok_or_else(|| destroyed("the buffer", Operation::Read))?;
        let plan = plan::read(handle.dtype, handle.length, start, end, &buffer.label, Operation::Read)?;
        if let Some(array) = &into {
            plan::destination(plan.span.byte_len, u64::from(bytes_of(array).length()), &buffer.label)?;
        }
        if call.label.is_empty() {
            call.label.clone_from(&buffer.label);
        }
        call.touch(&buffer, Touch::Reads);
        let destination = into.map_or(Destination::Fresh, Destination::Into);
        let from = handle.byte_offset + plan.copy_offset;
        self.read_bytes(call, &buffer, from, plan.copy_bytes, (plan.skip_bytes, plan.span.byte_len), destination);
        Ok(())
    }

    fn read_bytes(
        &self,
        call: &mut Call,
        src: &Rc<Buffer>,
        src_offset: u64,
        copy_bytes: u64,
        (skip_bytes, bytes): (u64, u64),
        destination: Destination,
    ) {
        let staging = (bytes > 0).then(|| self.lease(call, Purpose::Staging, copy_bytes));
        if let Some(staging) = &staging {
            call.commands.push(Command::Copy {
                src: src.clone(),
                src_offset,
                dst: staging.clone(),
                dst_offset: 0,
                bytes: copy_bytes,
            });
        }
        call.reads.push(Read { staging, copy_bytes, skip_bytes, bytes, destination, map: None });
    }

    /// Copies elements `start` to `end` of `src` to element `at` of `dst`.
    ///
    /// # Errors
    /// `InvalidProgram`: a buffer is destroyed, types differ, or a range is outside its buffer or overlaps.
    pub fn copy(
        &self,
        src: &Handle,
        dst: &Handle,
        (start, end): (Option<f64>, Option<f64>),
        at: Option<f64>,
    ) -> Result<(), Failure> {
        let mut call = Call::new(0, String::new(), Operation::Dispatch, None);
        let copied = self.copy_to(&mut call, src, dst, (start, end), at);
        self.commit(call, copied)
    }

    fn copy_to(
        &self,
        call: &mut Call,
        src: &Handle,
        dst: &Handle,
        (start, end): (Option<f64>, Option<f64>),
        at: Option<f64>,
    ) -> Result<(), Failure> {
        let missing = || destroyed("the buffer", Operation::Dispatch);
        let (from, to) = (src.buffer().ok_or_else(missing)?, dst.buffer().ok_or_else(missing)?);
        let is_same = Rc::ptr_eq(&from, &to);
        let plan = plan::copy(&src.part_of(&from.label), &dst.part_of(&to.label), start, end, at, is_same)?;
        if call.label.is_empty() {
            call.label.clone_from(&to.label);
        }
        if plan.byte_len == 0 {
            return Ok(());
        }
        call.touch(&from, Touch::Reads);
        call.touch(&to, Touch::Changes);
        let (src_offset, dst_offset) = (src.byte_offset + plan.src_offset, dst.byte_offset + plan.dst_offset);
        let bytes = plan.byte_len;
        let mut copy = |src: &Rc<Buffer>, src_offset, dst: &Rc<Buffer>, dst_offset| {
            call.commands.push(Command::Copy { src: src.clone(), src_offset, dst: dst.clone(), dst_offset, bytes });
        };
        if is_same {
            let scratch = self.0.lease(&self.0.device, Purpose::Scratch, bytes);
            copy(&from, src_offset, &scratch, 0);
            copy(&scratch, 0, &to, dst_offset);
            call.touch(&scratch, Touch::Replaces);
            call.leases.push((Purpose::Scratch, scratch));
        } else {
            copy(&from, src_offset, &to, dst_offset);
        }
        Ok(())
    }

    /// Sets elements `start` to `end` to `value`.
    ///
    /// # Errors
    /// `InvalidProgram`: the buffer is destroyed, the range is outside it, or its type cannot hold the value.
    pub fn fill(
        &self,
        handle: &Handle,
        value: f64,
        (start, end): (Option<f64>, Option<f64>),
    ) -> Result<(), Failure> {
        let buffer = handle.buffer().ok_or_else(|| destroyed("the buffer", Operation::Upload))?;
        let plan = plan::fill(handle.dtype, handle.length, value, start, end, &buffer.label)?;
        if plan.padded_bytes == 0 {
            return Ok(());
        }
        let mut call = Call::new(0, buffer.label.clone(), Operation::Dispatch, None);
        call.touch(&buffer, Touch::Changes);
        let (offset, bytes) = (handle.byte_offset + plan.span.byte_offset, plan.padded_bytes);
        if plan.is_zero {
            call.commands.push(Command::Clear { dst: buffer, offset, bytes });
        } else {
            let [a, b, c, d, ..] = plan.pattern;
            self.fill_words(&mut call, &buffer, offset, bytes, u32::from_le_bytes([a, b, c, d]));
        }
        self.record(call);
        Ok(())
    }

    /// Every type's pattern repeats within four bytes: write one chunk, copy it as often as needed.
    fn fill_words(&self, call: &mut Call, dst: &Rc<Buffer>, offset: u64, bytes: u64, word: u32) {
        let chunk = bytes.min(plan::MAX_KEPT_WRITE_BYTES);
        let words = Uint32Array::new_with_length((chunk / 4) as u32);
        words.fill(word, 0, words.length());
        let source = self.scratch(call, chunk);
        call.commands.push(Command::Write { dst: source.clone(), offset: 0, bytes: bytes_of(words.unchecked_ref()) });
        let mut done = 0;
        while done < bytes {
            call.commands.push(Command::Copy {
                src: source.clone(),
                src_offset: 0,
                dst: dst.clone(),
                dst_offset: offset + done,
                bytes: chunk.min(bytes - done),
            });
            done += chunk;
        }
    }

    /// Runs a kernel and reads every `Out` and `InOut`.
    ///
    /// # Errors
    /// `InvalidProgram`: the arguments or the grid do not fit.
    pub fn run(
        &self,
        key: u32,
        kernel: &Rc<Kernel>,
        shape: &Shape,
        arguments: &[Argument],
        target: &Target,
        options: CallOptions,
        done: Done,
    ) -> Result<(), Failure> {
        let mut call = options.call(key, kernel, done);
        let dispatched = self.dispatch_to(&mut call, kernel, shape, arguments, target, Place::Run);
        self.commit(call, dispatched)
    }

    /// Runs a kernel on buffers.
    ///
    /// # Errors
    /// As [`Gpu::run`].
    pub fn dispatch(
        &self,
        key: u32,
        kernel: &Rc<Kernel>,
        shape: &Shape,
        arguments: &[Argument],
        target: &Target,
        options: CallOptions,
        done: Done,
    ) -> Result<(), Failure> {
        let mut call = options.call(key, kernel, done);
        let dispatched = self.dispatch_to(&mut call, kernel, shape, arguments, target, Place::Resident);
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

    fn dispatch_bound_to(&self, call: &mut Call, bound: &BoundKernel, target: &Target) -> Result<(), Failure> {
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
    pub fn bind(&self, kernel: &Rc<Kernel>, shape: &Shape, arguments: &[Argument]) -> Result<BoundKernel, Failure> {
        let mut call = Call::new(0, kernel.label.clone(), Operation::Dispatch, None);
        let bound = self.bind_to(&mut call, kernel, shape, arguments, Place::Resident);
        // Arrays stay in the buffers they were uploaded to for as long as the binding lives.
        call.leases.clear();
        self.commit(call, bound.as_ref().map(|_| ()).map_err(Clone::clone))?;
        bound
    }

    /// Records a call that was put together, or lets go of what it took where that failed.
    fn commit(&self, mut call: Call, built: Result<(), Failure>) -> Result<(), Failure> {
        match built {
            Ok(()) => {
                self.record(call);
                Ok(())
            }
            Err(failure) => {
                call.release();
                self.0.give_back(&mut call);
                Err(failure)
            }
        }
    }

    fn dispatch_to(
        &self,
        call: &mut Call,
        kernel: &Rc<Kernel>,
        shape: &Shape,
        arguments: &[Argument],
        target: &Target,
        place: Place,
    ) -> Result<(), Failure> {
        let mut bound = self.bind_to(call, kernel, shape, arguments, place)?;
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

    fn bind_to(
        &self,
        call: &mut Call,
        kernel: &Rc<Kernel>,
        shape: &Shape,
        arguments: &[Argument],
        place: Place,
    ) -> Result<BoundKernel, Failure> {
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
        let mut storage: Vec<(usize, Bound)> = Vec::with_capacity(arguments.len());
        for (index, (slot, argument)) in shape.slots.iter().zip(arguments).enumerate() {
            let Slot::Bound(binding) = slot else { continue };
            if let Some(part) = self.storage(call, kernel, &call_plan, index, argument)? {
                storage.push((*binding, part));
            }
        }
        storage.sort_by_key(|(binding, _)| *binding);
        for (index, part) in &storage {
            let writes = plan.bindings.get(*index).is_some_and(|binding| binding.access == Access::ReadWrite);
            bound.touches.push((part.buffer.clone(), if writes { Touch::Changes } else { Touch::Reads }));
        }
        bound.storage = storage.into_iter().map(|(_, part)| part).collect();
        bound.uniforms = uniforms(&call_plan, self.0.device.limits.uniform_offset_alignment);
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

/// How a call is made.
#[derive(Default)]
pub struct CallOptions {
    /// What errors call it; the kernel's label otherwise.
    pub label: Option<String>,
    /// Whether it resolves only when the GPU has finished.
    pub waits_for_gpu: bool,
}

impl CallOptions {
    fn call(self, key: u32, kernel: &Kernel, done: Done) -> Call {
        let label = self.label.unwrap_or_else(|| kernel.label.clone());
        let mut call = Call::new(key, label, Operation::Dispatch, Some(done));
        call.waits_for_gpu = self.waits_for_gpu;
        call
    }
}

/// Calls recorded between `begin` and `end`: one call, all or nothing.
pub struct Batch {
    call: Call,
    entry: u32,
}

impl Batch {
    /// An empty batch.
    pub fn new(label: Option<String>) -> Batch {
        Batch { call: Call::new(0, label.unwrap_or_else(|| "batch".to_owned()), Operation::Dispatch, None), entry: 0 }
    }

    /// Adds an entry; commands it made carry its number, and so does its failure.
    fn entry<R>(&mut self, add: impl FnOnce(&mut Call) -> Result<R, Failure>) -> Result<R, Failure> {
        let entry = self.entry;
        let result = add(&mut self.call).map_err(|failure| failure.or("index", entry));
        self.call.entries.resize(self.call.commands.len(), entry);
        self.entry += 1;
        result
    }

    /// Adds a dispatch.
    ///
    /// # Errors
    /// As [`Gpu::dispatch`], with the entry's `index`.
    pub fn dispatch(
        &mut self,
        gpu: &Gpu,
        kernel: &Rc<Kernel>,
        shape: &Shape,
        arguments: &[Argument],
        target: &Target,
    ) -> Result<(), Failure> {
        self.entry(|call| gpu.dispatch_to(call, kernel, shape, arguments, target, Place::Resident))
    }

    /// Adds a dispatch of a bound kernel.
    ///
    /// # Errors
    /// As [`Gpu::dispatch_bound`], with the entry's `index`.
    pub fn dispatch_bound(&mut self, gpu: &Gpu, bound: &BoundKernel, target: &Target) -> Result<(), Failure> {
        self.entry(|call| gpu.dispatch_bound_to(call, bound, target))
    }

    /// Adds a write; the buffer keeps its contents if the batch is refused.
    ///
    /// # Errors
    /// As [`Gpu::write`], with the entry's `index`.
    pub fn write(&mut self, gpu: &Gpu, handle: &Handle, view: &Object, offset: f64) -> Result<(), Failure> {
        self.entry(|call| gpu.write_to(call, handle, view, offset, true))
    }

    /// Adds a copy of a whole buffer.
    ///
    /// # Errors
    /// As [`Gpu::copy`], with the entry's `index`.
    pub fn copy(&mut self, gpu: &Gpu, src: &Handle, dst: &Handle) -> Result<(), Failure> {
        self.entry(|call| gpu.copy_to(call, src, dst, (None, None), None))
    }

    /// Adds a read of a whole buffer; gives its place among the results.
    ///
    /// # Errors
    /// As [`Gpu::read`], with the entry's `index`.
    pub fn read(&mut self, gpu: &Gpu, handle: &Handle) -> Result<usize, Failure> {
        self.entry(|call| {
            gpu.read_from(call, handle, (None, None), None)?;
            Ok(call.reads.len() - 1)
        })
    }

    /// Records the batch as one call.
    pub fn end(mut self, gpu: &Gpu, key: u32, waits_for_gpu: bool, done: Done) {
        self.call.key = key;
        self.call.done = Some(done);
        self.call.waits_for_gpu = waits_for_gpu;
        for (buffer, _) in &self.call.touches {
            buffer.note_heard();
        }
        gpu.record(self.call);
    }

    /// Forgets all of it.
    pub fn cancel(mut self, gpu: &Gpu) {
        self.call.release();
        gpu.0.give_back(&mut self.call);
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
fn uniforms(call: &plan::CallPlan, alignment: u64) -> Uniforms {
    let mut parts: Vec<&(usize, Vec<u8>)> = call.uniforms.iter().collect();
    parts.sort_by_key(|(binding, _)| *binding);
    let mut uniforms = Uniforms::default();
    for (_, bytes) in parts {
        let start = uniforms.bytes.len();
        uniforms.parts.push((start as u64, bytes.len() as u64));
        uniforms.bytes.extend_from_slice(bytes);
        uniforms.bytes.resize((uniforms.bytes.len() as u64).next_multiple_of(alignment) as usize, 0);
    }
    uniforms
}

impl Handle {
    fn part_of<'a>(&self, label: &'a str) -> plan::Part<'a> {
        plan::Part { dtype: self.dtype, length: self.length, byte_offset: self.byte_offset, label }
    }
}

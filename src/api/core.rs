use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::convert::{acquire_options, dtype, dtype_of, numbers, value};
use super::host::{done, emit, error_of, ran, settle};
use crate::error::{ContextValue, Operation, Reason};
use crate::gpu::{
    Argument, Batch, BoundKernel, CallOptions, Event, Failure, Gpu, Handle, Kernel, Request, State, Target,
};
use crate::gpu::{get, next_id, set};
use crate::kernels;
use crate::plan::{self, DType, Grid, KernelOptions, Place, Shape, Slot};

/// Resolve only when the GPU has finished.
const FLAG_WAITS_FOR_GPU: u32 = 2;

type Thrown<T> = Result<T, JsValue>;

/// Objects by the numbers JavaScript holds; numbers only grow, so new ones go to the end.
struct Table<T>(RefCell<Vec<(u32, Rc<T>)>>);

impl<T> Table<T> {
    const fn new() -> Table<T> {
        Table(RefCell::new(Vec::new()))
    }

    fn add(&self, id: u32, value: Rc<T>) -> u32 {
        self.0.borrow_mut().push((id, value));
        id
    }

    /// JavaScript refuses destroyed handles itself, so a number that is not there is an argument that never was one.
    fn get(&self, id: u32, what: &str) -> Result<Rc<T>, Failure> {
        let entries = self.0.borrow();
        let found = entries.binary_search_by_key(&id, |(id, _)| *id).ok().and_then(|index| entries.get(index));
        found
            .map(|(_, value)| value.clone())
            .ok_or_else(|| Reason::Destroyed.at(Operation::Dispatch).with("label", what).into())
    }

    fn clear(&self) {
        let removed = self.0.take();
        drop(removed);
    }

    fn remove(&self, id: u32) {
        let mut entries = self.0.borrow_mut();
        let found = entries.binary_search_by_key(&id, |(id, _)| *id).ok();
        let removed = found.map(|index| entries.remove(index));
        drop(entries);
        drop(removed);
    }
}

/// One Gpu, as JavaScript drives it.
#[wasm_bindgen]
pub struct Core {
    gpu: Gpu,
    buffers: Table<Handle>,
    kernels: Table<Kernel>,
    /// Each with its kernel's number.
    shapes: Table<(u32, Rc<Shape>)>,
    bounds: Table<BoundKernel>,
    maps: RefCell<Vec<(String, DType, u32)>>,
    batch: RefCell<Option<Batch>>,
    kernel_number: Cell<u32>,
}

/// Acquires a device; resolves with a [`Core`].
#[wasm_bindgen]
pub fn acquire(call: u32, gpu: u32, options: &JsValue) {
    let options = acquire_options(options);
    spawn_local(async move {
        let acquired = Gpu::acquire(options, Box::new(move |event: Event| emit(gpu, &event))).await;
        settle(call, acquired.map(|gpu| JsValue::from(Core::new(gpu))));
    });
}

/// Panics inside the wasm, for tests of what happens then.
#[wasm_bindgen]
#[allow(clippy::panic, reason = "it is what it is for")]
pub fn panic_on_purpose() {
    panic!("panicked on purpose");
}

fn thrown<T>(result: Result<T, Failure>) -> Thrown<T> {
    result.map_err(|failure| error_of(&failure))
}

fn options(flags: u32, label: Option<String>) -> CallOptions {
    CallOptions { label, waits_for_gpu: flags & FLAG_WAITS_FOR_GPU != 0 }
}

impl Core {
    fn new(gpu: Gpu) -> Core {
        Core {
            gpu,
            buffers: Table::new(),
            kernels: Table::new(),
            shapes: Table::new(),
            bounds: Table::new(),
            maps: RefCell::default(),
            batch: RefCell::new(None),
            kernel_number: Cell::new(0),
        }
    }

    fn handle(&self, id: u32) -> Result<Rc<Handle>, Failure> {
        self.buffers.get(id, "the buffer")
    }

    fn argument(&self, kernel: &Kernel, slot: Option<&Slot>, id: u32, given: &JsValue) -> Result<Argument, Failure> {
        if id != 0 {
            return Ok(Argument::Buffer(self.handle(id)?));
        }
        let binding = match (slot, &kernel.plan) {
            (Some(Slot::Bound(index)), Some(plan)) => plan.bindings.get(*index),
            (Some(Slot::Unreached(index)), Some(plan)) => plan.unreached.get(*index),
            _ => None,
        };
        let is_uniform = binding.is_some_and(|binding| binding.space == plan::Space::Uniform);
        if js_sys::ArrayBuffer::is_view(given) && !is_uniform {
            return Ok(Argument::Array(given.clone().unchecked_into(), dtype_of(given, binding)));
        }
        match get(given, "kind").as_string().as_deref() {
            Some("out") => {
                let length = get(given, "length").as_f64().unwrap_or(f64::NAN);
                Ok(Argument::Out(dtype(&get(given, "dtype").as_string().unwrap_or_default())?, length))
            }
            Some("inout") => {
                let data = get(given, "data");
                let dtype = dtype_of(&data, binding);
                Ok(Argument::InOut(data.unchecked_into(), dtype))
            }
            _ => Ok(Argument::Uniform(value(given, binding.map_or("the argument", |binding| &binding.name))?)),
        }
    }

    fn arguments(
        &self,
        kernel: &Kernel,
        shape: &Shape,
        ids: &[u32],
        values: &JsValue,
    ) -> Result<Vec<Argument>, Failure> {
        let values = if values.is_undefined() { Array::new() } else { Array::from(values) };
        let mut arguments = Vec::with_capacity(ids.len());
        for (index, id) in (0_u32..).zip(ids) {
            let slot = shape.slots.get(index as usize);
            arguments.push(self.argument(kernel, slot, *id, &values.get(index))?);
        }
        Ok(arguments)
    }

    fn target(&self, grid: u32, x: f64, y: f64, z: f64) -> Result<Target, Failure> {
        Ok(match grid {
            0 => Target::Grid(Grid::FromOutput),
            1 => Target::Grid(Grid::Elements(x)),
            2 => Target::Grid(Grid::Workgroups([x, y, z])),
            _ => Target::Indirect(self.handle(x as u32)?, y),
        })
    }

    /// A request, from JavaScript's numbers.
    fn request(
        &self,
        kernel: u32,
        shape: u32,
        ids: &[u32],
        values: &JsValue,
        target: Result<Target, Failure>,
    ) -> Result<Request, Failure> {
        let kernel = self.kernels.get(kernel, "the kernel")?;
        let shape = self.shapes.get(shape, "the shape")?.1.clone();
        let arguments = self.arguments(&kernel, &shape, ids, values)?;
        Ok(Request { kernel, shape, arguments, target: target? })
    }

    fn with_batch<R>(&self, act: impl FnOnce(&mut Batch) -> Result<R, Failure>) -> Result<R, Failure> {
        // The batch is taken out, so that nothing is borrowed while it records.
        let taken = self.batch.borrow_mut().take();
        let mut batch = taken.unwrap_or_else(|| Batch::new(None));
        let result = act(&mut batch);
        self.batch.replace(Some(batch));
        result
    }

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
    /// The adapter, in the browser's words.
    pub fn info(&self) -> Object {
        let info = &self.gpu.device().info;
        let object = Object::new();
        set(&object, "vendor", info.vendor.as_str());
        set(&object, "architecture", info.architecture.as_str());
        set(&object, "description", info.description.as_str());
        set(&object, "isFallbackAdapter", info.is_fallback);
        object
    }

    /// The device's limits by WebGPU's names.
    pub fn limits(&self) -> JsValue {
        let values: Vec<(&str, f64)> =
            self.gpu.device().limit_values.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        numbers(&values)
    }

    /// The device's features.
    pub fn features(&self) -> Array {
        self.gpu.device().features.iter().map(JsValue::from).collect()
    }

    /// The browser's device.
    pub fn device(&self) -> JsValue {
        self.gpu.device().raw.clone().into()
    }

    /// +1 for each device.
    pub fn generation(&self) -> u32 {
        self.gpu.device().generation
    }

    /// `ready`, `failed` or `closed`.
    pub fn state(&self) -> String {
        let state = match self.gpu.state() {
            State::Ready => "ready",
            State::Failed => "failed",
            State::Closed => "closed",
        };
        state.to_owned()
    }

    /// Bytes of GPU memory.
    pub fn memory(&self) -> JsValue {
        let (live, peak, buffers, pooled) = self.gpu.memory();
        numbers(&[
            ("liveBytes", live as f64),
            ("peakBytes", peak as f64),
            ("buffers", f64::from(buffers)),
            ("pooledBytes", pooled as f64),
            ("shadowBytes", 0.0),
        ])
    }

    /// Counts since it was acquired.
    pub fn stats(&self) -> JsValue {
        let counters = self.gpu.counters();
        numbers(&[
            ("dispatches", counters.dispatches.get() as f64),
            ("flushes", counters.flushes.get() as f64),
            ("bytesUploaded", counters.bytes_uploaded.get() as f64),
            ("bytesRead", counters.bytes_read.get() as f64),
            ("losses", counters.losses.get() as f64),
            ("recoveries", 0.0),
            ("replayed", 0.0),
        ])
    }

    /// A buffer of zeros.
    ///
    /// # Errors
    /// A `ComputeError`: the type or the length is none.
    pub fn buffer(&self, dtype_name: &str, length: f64, label: String) -> Thrown<u32> {
        let id = next_id();
        let label = if label.is_empty() { ["buffer ", &id.to_string()].concat() } else { label };
        let handle = dtype(dtype_name).and_then(|dtype| self.gpu.create_buffer(dtype, length, label));
        Ok(self.buffers.add(id, Rc::new(thrown(handle)?)))
    }

    /// Writes a typed array from element `offset` on.
    ///
    /// # Errors
    /// A `ComputeError`: it does not fit.
    pub fn write(&self, buffer: u32, data: &Object, offset: f64) -> Thrown<()> {
        thrown(self.handle(buffer).and_then(|handle| self.gpu.write(&handle, data, offset)))
    }

    /// Reads elements into a fresh `ArrayBuffer`.
    ///
    /// # Errors
    /// A `ComputeError`: the range is outside the buffer.
    pub fn read(&self, call: u32, buffer: u32, start: Option<f64>, end: Option<f64>) -> Thrown<()> {
        let first =
            |outcome: crate::gpu::Outcome| outcome.results.into_iter().next().map_or(JsValue::UNDEFINED, Into::into);
        thrown(
            self.handle(buffer).and_then(|handle| self.gpu.read(call, &handle, (start, end), None, done(call, first))),
        )
    }

    /// Reads elements into the caller's array.
    ///
    /// # Errors
    /// A `ComputeError`: the range is outside the buffer, or the array is of another length.
    pub fn read_into(&self, call: u32, buffer: u32, dst: Object, start: Option<f64>, end: Option<f64>) -> Thrown<()> {
        let nothing = done(call, |_| JsValue::UNDEFINED);
        thrown(self.handle(buffer).and_then(|handle| self.gpu.read(call, &handle, (start, end), Some(dst), nothing)))
    }

    /// Copies elements `start` to `end` of `src` to element `at` of `dst`.
    ///
    /// # Errors
    /// A `ComputeError`: the ranges do not fit.
    pub fn copy(&self, src: u32, dst: u32, start: Option<f64>, end: Option<f64>, at: Option<f64>) -> Thrown<()> {
        let (src, dst) = (thrown(self.handle(src))?, thrown(self.handle(dst))?);
        thrown(self.gpu.copy(&src, &dst, (start, end), at))
    }

    /// Sets elements `start` to `end` to `value`.
    ///
    /// # Errors
    /// A `ComputeError`: the range is outside the buffer, or its type cannot hold the value.
    pub fn fill(&self, buffer: u32, value: f64, start: Option<f64>, end: Option<f64>) -> Thrown<()> {
        thrown(self.handle(buffer).and_then(|handle| self.gpu.fill(&handle, value, (start, end))))
    }

    /// A part of a buffer.
    ///
    /// # Errors
    /// A `ComputeError`: out of range, or not on the device's offset alignment.
    pub fn subarray(&self, buffer: u32, start: f64, end: Option<f64>) -> Thrown<u32> {
        let part = self.handle(buffer).and_then(|handle| {
            let whole =
                handle.buffer().ok_or_else(|| Reason::Destroyed.at(Operation::Upload).with("label", "the buffer"))?;
            handle.part(&whole, start, end, &self.gpu.device().limits)
        });
        Ok(self.buffers.add(next_id(), Rc::new(thrown(part)?)))
    }

    /// Elements of a buffer or part.
    ///
    /// # Errors
    /// A `ComputeError`: it is destroyed.
    pub fn buffer_length(&self, buffer: u32) -> Thrown<f64> {
        thrown(self.handle(buffer).map(|handle| handle.length as f64))
    }

    /// Settles the call once the buffer exists or has failed to.
    ///
    /// # Errors
    /// A `ComputeError`: it is destroyed.
    pub fn buffer_ready(&self, call: u32, buffer: u32) -> Thrown<()> {
        let handle = thrown(self.handle(buffer))?;
        if let Some(buffer) = handle.buffer() {
            buffer.when_ready(done(call, |_| JsValue::UNDEFINED));
        }
        Ok(())
    }

    /// The browser's buffer.
    pub fn gpu_buffer(&self, buffer: u32) -> JsValue {
        let buffer = self.handle(buffer).ok().and_then(|handle| handle.buffer());
        buffer.and_then(|buffer| buffer.raw().cloned()).map_or(JsValue::UNDEFINED, Into::into)
    }

    /// Lets the buffer go once no recorded call needs it.
    pub fn destroy_buffer(&self, buffer: u32) {
        self.buffers.remove(buffer);
    }

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
        self.shapes.0.borrow_mut().retain(|(_, shape)| shape.0 != kernel);
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

    /// Runs a kernel and reads its outputs.
    ///
    /// # Errors
    /// A `ComputeError`: the arguments or the grid do not fit.
    #[allow(clippy::too_many_arguments, reason = "the boundary passes plain numbers")]
    pub fn run(
        &self,
        call: u32,
        kernel: u32,
        shape: u32,
        ids: &[u32],
        values: &JsValue,
        grid: u32,
        x: f64,
        y: f64,
        z: f64,
        flags: u32,
        label: Option<String>,
    ) -> Thrown<()> {
        let request = thrown(self.request(kernel, shape, ids, values, self.target(grid, x, y, z)))?;
        thrown(self.gpu.dispatch(call, &request, Place::Run, options(flags, label), ran(call)))
    }

    /// Runs a kernel on buffers.
    ///
    /// # Errors
    /// A `ComputeError`: the arguments or the grid do not fit.
    #[allow(clippy::too_many_arguments, reason = "the boundary passes plain numbers")]
    pub fn dispatch(
        &self,
        call: u32,
        kernel: u32,
        shape: u32,
        ids: &[u32],
        values: &JsValue,
        grid: u32,
        x: f64,
        y: f64,
        z: f64,
        flags: u32,
        label: Option<String>,
    ) -> Thrown<()> {
        let request = thrown(self.request(kernel, shape, ids, values, self.target(grid, x, y, z)))?;
        thrown(self.gpu.dispatch(call, &request, Place::Resident, options(flags, label), ran(call)))
    }

    /// Checks and binds arguments once.
    ///
    /// # Errors
    /// A `ComputeError`: an argument does not fit.
    pub fn bind(&self, kernel: u32, shape: u32, ids: &[u32], values: &JsValue) -> Thrown<u32> {
        let request = thrown(self.request(kernel, shape, ids, values, self.target(0, 0.0, 0.0, 0.0)))?;
        Ok(self.bounds.add(next_id(), Rc::new(thrown(self.gpu.bind(&request))?)))
    }

    /// Runs a bound kernel.
    ///
    /// # Errors
    /// A `ComputeError`: the grid does not fit.
    #[allow(clippy::too_many_arguments, reason = "the boundary passes plain numbers")]
    pub fn dispatch_bound(
        &self,
        call: u32,
        bound: u32,
        grid: u32,
        x: f64,
        y: f64,
        z: f64,
        flags: u32,
        label: Option<String>,
    ) -> Thrown<()> {
        let bound = thrown(self.bounds.get(bound, "the bound kernel"))?;
        let target = thrown(self.target(grid, x, y, z))?;
        thrown(self.gpu.dispatch_bound(call, &bound, &target, options(flags, label), ran(call)))
    }

    /// Lets a bound kernel go.
    pub fn destroy_bound(&self, bound: u32) {
        self.bounds.remove(bound);
    }

    /// Opens a batch.
    pub fn batch_begin(&self, label: Option<String>) {
        self.batch.replace(Some(Batch::new(label)));
    }

    /// Adds a dispatch to the batch.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    #[allow(clippy::too_many_arguments, reason = "the boundary passes plain numbers")]
    pub fn batch_dispatch(
        &self,
        kernel: u32,
        shape: u32,
        ids: &[u32],
        values: &JsValue,
        grid: u32,
        x: f64,
        y: f64,
        z: f64,
    ) -> Thrown<()> {
        let request = thrown(self.request(kernel, shape, ids, values, self.target(grid, x, y, z)))?;
        thrown(self.with_batch(|batch| batch.dispatch(&self.gpu, &request)))
    }

    /// Adds a dispatch of a bound kernel to the batch.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    pub fn batch_dispatch_bound(&self, bound: u32, grid: u32, x: f64, y: f64, z: f64) -> Thrown<()> {
        let bound = thrown(self.bounds.get(bound, "the bound kernel"))?;
        let target = thrown(self.target(grid, x, y, z))?;
        thrown(self.with_batch(|batch| batch.dispatch_bound(&self.gpu, &bound, &target)))
    }

    /// Adds a write to the batch.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    pub fn batch_write(&self, buffer: u32, data: &Object, offset: f64) -> Thrown<()> {
        let handle = thrown(self.handle(buffer))?;
        thrown(self.with_batch(|batch| batch.write(&self.gpu, &handle, data, offset)))
    }

    /// Adds a copy of a whole buffer to the batch.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    pub fn batch_copy(&self, src: u32, dst: u32) -> Thrown<()> {
        let (src, dst) = (thrown(self.handle(src))?, thrown(self.handle(dst))?);
        thrown(self.with_batch(|batch| batch.copy(&self.gpu, &src, &dst)))
    }

    /// Adds a read of a whole buffer to the batch; gives its place among the results.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    pub fn batch_read(&self, buffer: u32) -> Thrown<usize> {
        let handle = thrown(self.handle(buffer))?;
        thrown(self.with_batch(|batch| batch.read(&self.gpu, &handle)))
    }

    /// Records the batch as one call.
    pub fn batch_end(&self, call: u32, flags: u32) {
        let batch = self.batch.borrow_mut().take();
        if let Some(batch) = batch {
            batch.end(&self.gpu, call, flags & FLAG_WAITS_FOR_GPU != 0, ran(call));
        }
    }

    /// Forgets the batch.
    pub fn batch_cancel(&self) {
        let batch = self.batch.borrow_mut().take();
        if let Some(batch) = batch {
            batch.cancel(&self.gpu);
        }
    }

    /// Resolves once everything recorded so far has finished.
    pub fn flush(&self, call: u32) {
        self.gpu.flush(call, done(call, |_| JsValue::UNDEFINED));
    }

    /// JavaScript has rejected this call, with this error: drops it if it was not sent, and what it reads if it was.
    pub fn cancel(&self, call: u32, error: JsValue) {
        self.gpu.cancel(call, Failure::told(error));
    }

    /// Lets recorded work finish, answers the rest, and lets the device go.
    pub fn close(&self, call: u32) {
        self.buffers.clear();
        self.kernels.clear();
        self.bounds.clear();
        let gpu = self.gpu.clone();
        spawn_local(async move {
            gpu.close().await;
            settle(call, Ok(JsValue::UNDEFINED));
        });
    }
}

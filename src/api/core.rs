use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::convert::{acquire_options, numbers};
use super::host::{done, emit, error_of, settle};
use super::table::Table;
use crate::gpu::{Batch, BoundKernel, Event, Failure, Gpu, Handle, Kernel, State, set};
use crate::plan::{DType, Shape};

/// What an export gives, or the JavaScript error it throws.
pub type Thrown<T> = Result<T, JsValue>;

/// One Gpu, as JavaScript drives it.
#[wasm_bindgen]
pub struct Core {
    pub(super) gpu: Gpu,
    pub(super) buffers: Table<Handle>,
    pub(super) kernels: Table<Kernel>,
    /// Each with its kernel's number.
    pub(super) shapes: Table<(u32, Rc<Shape>)>,
    pub(super) bounds: Table<BoundKernel>,
    pub(super) maps: RefCell<Vec<(String, DType, u32)>>,
    pub(super) batch: RefCell<Option<Batch>>,
    pub(super) kernel_number: Cell<u32>,
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

/// What an export throws.
pub(super) fn thrown<T>(result: Result<T, Failure>) -> Thrown<T> {
    result.map_err(|failure| error_of(&failure))
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

//! A device, and whether it still lives.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::acquire::note_death;
use super::scope::{Failure, Report, judged};
use super::webgpu::{self, RawDevice, RawGpu, RawQueue};
use crate::error::{Operation, Reason};
use crate::plan;

#[wasm_bindgen]
extern "C" {
    /// `setTimeout` of whatever global this is: `web_sys` has it once for windows and once for workers.
    #[wasm_bindgen(js_name = setTimeout)]
    fn set_timeout(callback: &JsValue, ms: f64) -> JsValue;

    /// `performance.now()`, in milliseconds.
    #[wasm_bindgen(js_namespace = performance)]
    pub fn now() -> f64;
}

/// How long a browser may take until it looks at a device again.
const LONGEST_LOOK_MS: f64 = 300.0;

/// Who made the device, in the browser's words.
#[derive(Clone, Debug, Default)]
pub struct AdapterInfo {
    /// Such as `nvidia`.
    pub vendor: String,
    /// Such as `ampere`.
    pub architecture: String,
    /// Free text.
    pub description: String,
    /// Whether it runs on the CPU.
    pub is_fallback: bool,
}

/// One device and its queue, as wgpu's objects and as the browser's.
pub struct Device {
    /// wgpu's device: makes and encodes.
    pub wgpu: wgpu::Device,
    /// wgpu's queue: submits.
    pub wgpu_queue: wgpu::Queue,
    /// The browser's device: error scopes, loss, asynchronous compilation.
    pub raw: RawDevice,
    /// The browser's queue: bulk data.
    pub queue: RawQueue,
    /// +1 for each device of a Gpu.
    pub generation: u32,
    /// The limits the device was given.
    pub limits: plan::Limits,
    /// The same by WebGPU's names.
    pub limit_values: Vec<(String, f64)>,
    /// The features the device has.
    pub features: Vec<String>,
    /// Its adapter.
    pub info: AdapterInfo,
    lost: Rc<Cell<bool>>,
    loss: Rc<RefCell<JsValue>>,
}

impl Device {
    /// Whether `lost` has resolved.
    pub fn is_lost(&self) -> bool {
        self.lost.get()
    }

    /// The `GPUDeviceLostInfo`, once lost.
    pub fn loss(&self) -> JsValue {
        self.loss.borrow().clone()
    }

    /// The failure a call gets for the loss of this device.
    pub fn lost_failure(&self, operation: Operation, label: &str) -> Failure {
        judged(self, &Report::from(self.loss()), operation, label)
    }

    /// Waits until a loss that causes a report just seen would have shown: submits nothing, so that the queue is
    /// flushed, then lets two tasks pass, fewer once the loss is there.
    pub async fn one_task_later(&self) {
        let _ = self.queue.submit(&Array::new());
        for _ in 0..2 {
            if self.is_lost() {
                return;
            }
            let _ = JsFuture::from(next_task()).await;
        }
    }

    /// Waits for the loss as long as a browser may take to notice it: Firefox looks at a device every 100 ms, and lets
    /// calls to a destroyed one throw or reject until then.
    pub async fn one_look_later(&self) {
        let race = Array::of2(&self.raw.lost(), &timer(LONGEST_LOOK_MS));
        let _ = JsFuture::from(Promise::race(&race)).await;
    }

    /// Resolves once everything submitted so far has finished.
    ///
    /// # Errors
    /// What the browser rejected with: the device is gone.
    pub fn work_done(&self) -> Result<Promise, JsValue> {
        self.queue.on_submitted_work_done().map(webgpu::observed)
    }

    /// A device around a raw one that is already there.
    ///
    /// # Errors
    /// [`Reason::Unclassified`] where wgpu cannot run in this global.
    pub async fn adopt(
        gpu: &RawGpu,
        raw: RawDevice,
        info: AdapterInfo,
        generation: u32,
    ) -> Result<Rc<Device>, Failure> {
        let (wgpu, wgpu_queue) = webgpu::adopt_device(gpu, &raw)
            .await
            .ok_or_else(|| Reason::Unclassified.at(Operation::Acquire).with("problem", "wgpu cannot run here"))?;
        let limit_values = webgpu::limit_values(&raw.limits());
        let device = Rc::new(Device {
            wgpu,
            wgpu_queue,
            queue: raw.queue(),
            generation,
            limits: plan::Limits::from_named(&limit_values),
            limit_values,
            features: webgpu::feature_names(&raw.features()),
            info,
            lost: Rc::new(Cell::new(false)),
            loss: Rc::new(RefCell::new(JsValue::UNDEFINED)),
            raw,
        });
        device.note_loss();
        Ok(device)
    }

    /// Sets the lost flag the moment `lost` resolves, before anything that awaits it goes on.
    fn note_loss(&self) {
        let (lost, loss) = (self.lost.clone(), self.loss.clone());
        let promise = self.raw.lost();
        let note = Closure::once_into_js(move |info: JsValue| {
            note_death(&info);
            loss.replace(info);
            lost.set(true);
        });
        if let Ok(then) = Reflect::get(&promise, &JsValue::from_str("then")) {
            let _ = then.unchecked_into::<js_sys::Function>().call1(&promise, &note);
        }
    }
}

/// A promise of the next task, which no microtask can delay and no hidden page throttles.
fn next_task() -> Promise {
    Promise::new(&mut |resolve, _| {
        let Ok(channel) = web_sys::MessageChannel::new() else {
            let _ = resolve.call0(&JsValue::UNDEFINED);
            return;
        };
        let (receiver, sender) = (channel.port1(), channel.port2());
        let arrived = Closure::once_into_js(move || {
            channel.port1().close();
            let _ = resolve.call0(&JsValue::UNDEFINED);
        });
        receiver.set_onmessage(Some(arrived.unchecked_ref()));
        let _ = sender.post_message(&JsValue::NULL);
    })
}

/// A promise that resolves after this many milliseconds.
pub fn timer(ms: f64) -> Promise {
    Promise::new(&mut |resolve, _| {
        set_timeout(&resolve, ms);
    })
}

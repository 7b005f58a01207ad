//! Acquiring a device, and knowing whether it still lives.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::{Array, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::scope::{Failure, Report, judged};
use super::webgpu::{self, RawAdapter, RawDevice, RawGpu, RawQueue, get, set};
use crate::error::{Operation, Reason};
use crate::fault::{Fault, classify};
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

/// What an acquisition asks for.
#[derive(Clone, Debug, Default)]
pub struct AcquireOptions {
    /// `"low-power"` or `"high-performance"`.
    pub power_preference: Option<String>,
    /// Which limits to request.
    pub limits: WantedLimits,
    /// Features without which there is no device.
    pub features: Vec<String>,
    /// Features taken where the adapter has them.
    pub optional_features: Vec<String>,
    /// Most bytes of GPU memory the Gpu may hold.
    pub memory_budget_bytes: Option<u64>,
    /// Scope every call on its own.
    pub strict: bool,
    /// Label of the device.
    pub label: String,
}

/// Which limits to request.
#[derive(Clone, Debug, Default)]
pub enum WantedLimits {
    /// WebGPU's defaults.
    Default,
    /// The adapter's own.
    #[default]
    MaxUseful,
    /// These names, above the adapter's own for none.
    Named(Vec<(String, f64)>),
}

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

/// How long a browser may refuse a page every adapter after a second death of the GPU process, from the first on.
const BLOCK_MS: f64 = 120_000.0;

thread_local! {
    /// When the first of the latest deaths is that old; 0 before any.
    static BLOCKED_UNTIL: Cell<f64> = const { Cell::new(0.0) };
}

/// Notes that a device was lost which nobody destroyed.
fn note_death(info: &JsValue) {
    if get(info, "reason").as_string().as_deref() != Some("destroyed") && now() > BLOCKED_UNTIL.get() {
        BLOCKED_UNTIL.set(now() + BLOCK_MS);
    }
}

/// No adapter means that there is none, but not where there was one: then the browser gives none for a while.
fn no_adapter() -> Failure {
    let until = BLOCKED_UNTIL.get();
    if until == 0.0 {
        return Reason::AdapterUnavailable.at(Operation::Acquire).into();
    }
    let error = Reason::RecoveryFailed.at(Operation::Acquire).with("attempts", ATTEMPTS);
    error.with("retryAfterMs", (until - now()).max(0.0).ceil()).into()
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

async fn adapter(gpu: &RawGpu, options: &AcquireOptions) -> Result<RawAdapter, Failure> {
    let wanted = Object::new();
    if let Some(preference) = &options.power_preference {
        set(&wanted, "powerPreference", preference.as_str());
    }
    let answer = match gpu.request_adapter(&wanted) {
        Ok(promise) => JsFuture::from(promise).await,
        Err(thrown) => Err(thrown),
    };
    match answer {
        Ok(adapter) if adapter.is_object() => Ok(adapter.unchecked_into()),
        Ok(_) => Err(no_adapter()),
        Err(cause) => Err(unclassified(cause)),
    }
}

/// An adapter request never rejects by the specification, so no class of rejection means anything there.
fn unclassified(cause: JsValue) -> Failure {
    let fault = Fault { class: String::new(), ..super::scope::fault(&cause, Operation::Acquire) };
    let fault = Fault { name: String::new(), ..fault };
    Failure::new(classify(&fault, false), cause)
}

/// Acquires a device of this generation that really answers.
///
/// # Errors
/// - `UnsupportedFeature`: no WebGPU, no adapter, or a feature or limit that the adapter lacks.
/// - `DeviceLost`: the device was lost before it could be used, or none came back after a loss.
/// - `Unknown`: the browser rejected the request for a reason it alone knows; see the cause.
pub async fn acquire(options: &AcquireOptions, generation: u32) -> Result<Rc<Device>, Failure> {
    let gpu = webgpu::navigator_gpu().ok_or_else(|| Reason::WebgpuUnavailable.at(Operation::Acquire))?;
    let mut attempt = 1;
    loop {
        match acquire_once(&gpu, options, generation).await {
            Err(failure) if attempt < ATTEMPTS && is_passing(&failure) => attempt += 1,
            answer => return answer,
        }
    }
}

/// How often an adapter is asked for. A GPU process that starts anew answers null, leaves adapters that are stale and
/// devices that are lost, each for a moment.
const ATTEMPTS: u32 = 2;

/// Whether another adapter may do better. What this one lacks, the next lacks too.
fn is_passing(failure: &Failure) -> bool {
    !matches!(failure.error.reason(), Reason::FeatureMissing | Reason::LimitExceeded)
}

async fn acquire_once(gpu: &RawGpu, options: &AcquireOptions, generation: u32) -> Result<Rc<Device>, Failure> {
    let adapter = adapter(gpu, options).await?;
    let adapter_limits = webgpu::limit_values(&adapter.limits());
    let limits = match &options.limits {
        WantedLimits::Default => Vec::new(),
        WantedLimits::MaxUseful => adapter_limits.clone(),
        WantedLimits::Named(named) => plan::requested_limits(named, &adapter_limits)?,
    };
    let adapter_features = webgpu::feature_names(&adapter.features());
    let features = plan::requested_features(&options.features, &options.optional_features, &adapter_features)?;
    let raw = request_device(&adapter, &limits, &features, &options.label).await?;
    let info = adapter_info(&adapter);
    let device = Device::adopt(gpu, raw, info, generation).await?;
    probe(&device).await?;
    match features.iter().find(|feature| !device.features.contains(feature)) {
        Some(missing) => {
            device.raw.destroy();
            Err(Reason::FeatureMissing.at(Operation::Acquire).with("feature", missing.as_str()).into())
        }
        None => Ok(device),
    }
}

async fn request_device(
    adapter: &RawAdapter,
    limits: &[(String, f64)],
    features: &[String],
    label: &str,
) -> Result<RawDevice, Failure> {
    let required = Object::new();
    for (name, value) in limits {
        set(&required, name, *value);
    }
    let descriptor = Object::new();
    set(&descriptor, "label", label);
    set(&descriptor, "requiredLimits", required);
    set(&descriptor, "requiredFeatures", features.iter().map(JsValue::from).collect::<Array>());
    let answer = match adapter.request_device(&descriptor) {
        Ok(promise) => JsFuture::from(promise).await,
        Err(thrown) => Err(thrown),
    };
    answer.map(JsCast::unchecked_into).map_err(|cause| {
        let error = classify(&super::scope::fault(&cause, Operation::Acquire), false);
        Failure::new(error.or("label", "the device").or("feature", features.join(", ")), cause)
    })
}

fn adapter_info(adapter: &RawAdapter) -> AdapterInfo {
    let info = adapter.info();
    let text = |name| get(&info, name).as_string().unwrap_or_default();
    AdapterInfo {
        vendor: text("vendor"),
        architecture: text("architecture"),
        description: text("description"),
        is_fallback: get(&info, "isFallbackAdapter").is_truthy(),
    }
}

/// A request that was in flight when the GPU process died resolves to a device that is already lost.
async fn probe(device: &Device) -> Result<(), Failure> {
    let answer = match device.work_done() {
        Ok(promise) => {
            let race = Array::of2(&promise, &device.raw.lost());
            JsFuture::from(Promise::race(&race)).await
        }
        Err(thrown) => Err(thrown),
    };
    match answer {
        Ok(_) if !device.is_lost() => Ok(()),
        _ => Err(device.lost_failure(Operation::Acquire, "the device")),
    }
}

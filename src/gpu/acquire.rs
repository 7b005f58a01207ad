//! Acquiring a device that really answers.

use std::cell::Cell;
use std::rc::Rc;

use js_sys::{Array, Object, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::device::{AdapterInfo, Device, now};
use super::scope::{Failure, fault};
use super::webgpu::{self, RawAdapter, RawDevice, RawGpu, get, set};
use crate::error::{Operation, Reason};
use crate::fault::{Fault, classify};
use crate::plan;

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

/// How long a browser may refuse a page every adapter after a second death of the GPU process, from the first on.
const BLOCK_MS: f64 = 120_000.0;

thread_local! {
    /// When the first of the latest deaths is that old; 0 before any.
    static BLOCKED_UNTIL: Cell<f64> = const { Cell::new(0.0) };
}

/// Notes that a device was lost which nobody destroyed.
pub(super) fn note_death(info: &JsValue) {
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
    let fault = Fault { class: String::new(), ..fault(&cause, Operation::Acquire) };
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
        let error = classify(&fault(&cause, Operation::Acquire), false);
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

//! The few WebGPU calls that wgpu hides, flattens or cannot make, on the raw objects; and the seam that lets wgpu take
//! over an object made here.
//!
//! Every binding that can throw catches: a throw through a binding that does not would leave wasm frames unwound and
//! the instance unusable.

use js_sys::{Array, ArrayBuffer, Function, JsString, Object, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// `GPU`, structurally.
    #[derive(Clone)]
    pub type RawGpu;
    #[wasm_bindgen(method, catch, js_name = requestAdapter)]
    pub fn request_adapter(this: &RawGpu, options: &JsValue) -> Result<Promise, JsValue>;

    /// `GPUAdapter`, structurally.
    #[derive(Clone)]
    pub type RawAdapter;
    #[wasm_bindgen(method, getter)]
    pub fn features(this: &RawAdapter) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub fn limits(this: &RawAdapter) -> Object;
    #[wasm_bindgen(method, getter)]
    pub fn info(this: &RawAdapter) -> JsValue;
    #[wasm_bindgen(method, catch, js_name = requestDevice)]
    pub fn request_device(this: &RawAdapter, descriptor: &JsValue) -> Result<Promise, JsValue>;

    /// `GPUDevice`, structurally.
    #[derive(Clone)]
    pub type RawDevice;
    #[wasm_bindgen(method, getter)]
    pub fn features(this: &RawDevice) -> JsValue;
    #[wasm_bindgen(method, getter)]
    pub fn limits(this: &RawDevice) -> Object;
    #[wasm_bindgen(method, getter)]
    pub fn queue(this: &RawDevice) -> RawQueue;
    #[wasm_bindgen(method, getter)]
    pub fn lost(this: &RawDevice) -> Promise;
    #[wasm_bindgen(method)]
    pub fn destroy(this: &RawDevice);
    #[wasm_bindgen(method, js_name = addEventListener)]
    pub fn add_event_listener(this: &RawDevice, name: &str, listener: &JsValue);
    #[wasm_bindgen(method, catch, js_name = pushErrorScope)]
    pub fn push_error_scope(this: &RawDevice, filter: &JsString) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = popErrorScope)]
    pub fn pop_error_scope(this: &RawDevice) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createBuffer)]
    pub fn create_buffer(this: &RawDevice, descriptor: &Object) -> Result<RawBuffer, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createShaderModule)]
    pub fn create_shader_module(this: &RawDevice, descriptor: &Object) -> Result<RawShaderModule, JsValue>;
    #[wasm_bindgen(method, catch, js_name = createComputePipelineAsync)]
    pub fn create_compute_pipeline_async(this: &RawDevice, descriptor: &JsValue) -> Result<Promise, JsValue>;

    /// `GPUQueue`, structurally.
    #[derive(Clone)]
    pub type RawQueue;
    #[wasm_bindgen(method, catch)]
    pub fn submit(this: &RawQueue, command_buffers: &Array) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch, js_name = onSubmittedWorkDone)]
    pub fn on_submitted_work_done(this: &RawQueue) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = writeBuffer)]
    pub fn write_buffer(this: &RawQueue, buffer: &RawBuffer, offset: f64, data: &Object) -> Result<(), JsValue>;

    /// `GPUBuffer`, structurally.
    #[derive(Clone)]
    pub type RawBuffer;
    #[wasm_bindgen(method)]
    pub fn destroy(this: &RawBuffer);
    #[wasm_bindgen(method, catch, js_name = mapAsync)]
    pub fn map_async(this: &RawBuffer, mode: u32, offset: f64, bytes: f64) -> Result<Promise, JsValue>;
    #[wasm_bindgen(method, catch, js_name = getMappedRange)]
    pub fn get_mapped_range(this: &RawBuffer, offset: f64, bytes: f64) -> Result<ArrayBuffer, JsValue>;
    #[wasm_bindgen(method, catch)]
    pub fn unmap(this: &RawBuffer) -> Result<(), JsValue>;

    /// `GPUShaderModule`, structurally.
    #[derive(Clone)]
    pub type RawShaderModule;
    #[wasm_bindgen(method, catch, js_name = getCompilationInfo)]
    pub fn get_compilation_info(this: &RawShaderModule) -> Result<Promise, JsValue>;

    /// A typed array or a `DataView`.
    type View;
    #[wasm_bindgen(method, getter)]
    fn buffer(this: &View) -> JsValue;
    #[wasm_bindgen(method, getter, js_name = byteOffset)]
    fn byte_offset(this: &View) -> f64;
    #[wasm_bindgen(method, getter, js_name = byteLength)]
    fn byte_len(this: &View) -> f64;

    /// An `ArrayBuffer` or `SharedArrayBuffer`.
    type Memory;
    #[wasm_bindgen(method, getter)]
    fn resizable(this: &Memory) -> JsValue;
    #[wasm_bindgen(method, getter)]
    fn growable(this: &Memory) -> JsValue;

    /// An `ArrayBuffer` whose copy may fail for want of memory.
    type Copyable;
    #[wasm_bindgen(method, catch)]
    fn slice(this: &Copyable, start: f64, end: f64) -> Result<ArrayBuffer, JsValue>;
}

/// The bits of `GPUBufferUsage`: the global of that name is absent where WebGPU is.
pub mod usage {
    #![allow(missing_docs, reason = "WebGPU's own names")]
    pub const MAP_READ: u32 = 0x1;
    pub const COPY_SRC: u32 = 0x4;
    pub const COPY_DST: u32 = 0x8;
    pub const VERTEX: u32 = 0x20;
    pub const UNIFORM: u32 = 0x40;
    pub const STORAGE: u32 = 0x80;
    pub const INDIRECT: u32 = 0x100;
}

/// `GPUMapMode.READ`.
pub const MAP_MODE_READ: u32 = 1;

/// A property of any value; undefined when it is absent, its getter throws, or the value is no object.
pub fn get(object: &JsValue, name: &str) -> JsValue {
    // Asked first, because each exception that is caught keeps a slot of wasm's table of references (wasm-bindgen 0.2.130
    // with exception handling).
    if !object.is_object() && !object.is_function() {
        return JsValue::UNDEFINED;
    }
    Reflect::get(object, &JsValue::from_str(name)).unwrap_or(JsValue::UNDEFINED)
}

/// Sets a property of a plain object made here, which cannot fail.
pub fn set(object: &Object, name: &str, value: impl Into<JsValue>) {
    let _ = Reflect::set(object, &JsValue::from_str(name), &value.into());
}

/// `navigator.gpu`, if this global has it.
pub fn navigator_gpu() -> Option<RawGpu> {
    let gpu = get(&get(&js_sys::global(), "navigator"), "gpu");
    if gpu.is_object() { Some(gpu.unchecked_into()) } else { None }
}

/// Every name and value of a `GPUSupportedLimits`, whose members are getters of its prototype.
pub fn limit_values(limits: &Object) -> Vec<(String, f64)> {
    let names = Reflect::own_keys(&Object::get_prototype_of(limits)).unwrap_or_default();
    names
        .iter()
        .filter_map(|name| {
            let name = name.as_string()?;
            let value = get(limits, &name).as_f64()?;
            Some((name, value))
        })
        .collect()
}

/// Every name of a `GPUSupportedFeatures`.
pub fn feature_names(features: &JsValue) -> Vec<String> {
    Array::from(features).iter().filter_map(|name| name.as_string()).collect()
}

/// A descriptor of a buffer.
pub fn buffer_descriptor(bytes: u64, usage: u32, label: &str) -> Object {
    let descriptor = Object::new();
    set(&descriptor, "size", bytes as f64);
    set(&descriptor, "usage", usage);
    set(&descriptor, "label", label);
    descriptor
}

thread_local! {
    static NOTHING: Closure<dyn FnMut(JsValue)> = Closure::new(|_| {});
}

/// The same promise, whose rejection is no unhandled one even if its call is answered otherwise first.
pub fn observed(promise: Promise) -> Promise {
    NOTHING.with(|nothing| {
        let _ = promise.catch(nothing);
    });
    promise
}

/// The bytes of a typed array or `DataView`.
pub fn bytes_of(view: &Object) -> Uint8Array {
    let view: &View = view.unchecked_ref();
    Uint8Array::new_with_byte_offset_and_length(&view.buffer(), view.byte_offset() as u32, view.byte_len() as u32)
}

/// Whether the memory under a view can change its size, which the browser takes no bytes from.
pub fn can_resize(bytes: &Uint8Array) -> bool {
    let memory: Memory = bytes.buffer().unchecked_into();
    memory.resizable().is_truthy() || memory.growable().is_truthy()
}

/// A copy of a range of mapped memory. The source is detached at `unmap`, so it is copied at once.
///
/// # Errors
/// The browser's `RangeError` where the page has no memory for it.
pub fn copy_range(mapped: ArrayBuffer, start: u64, bytes: u64) -> Result<ArrayBuffer, JsValue> {
    mapped.unchecked_into::<Copyable>().slice(start as f64, (start + bytes) as f64)
}

/// Copies mapped memory into the caller's array; false if that array no longer has room for it.
pub fn copy_into(mapped: &ArrayBuffer, start: u64, bytes: u64, destination: &Object) -> bool {
    // It may have been transferred meanwhile: then a `DataView` throws at this, and nothing can be made of an array.
    if get(destination, "byteLength").as_f64().unwrap_or(0.0) < bytes as f64 {
        return false;
    }
    bytes_of(destination).set(&Uint8Array::new_with_byte_offset_and_length(mapped, start as u32, bytes as u32), 0);
    true
}

/// For the length of one synchronous wgpu call, `object.name` is `replacement`: an own property, deleted again before
/// anything else can run.
///
/// wgpu has no way to adopt an object made outside, and none to make a pipeline without blocking the GPU process
/// (gfx-rs/wgpu#6483 and others); this can go when it has both.
fn interposed<R>(object: &JsValue, name: &str, replacement: &JsValue, call: impl FnOnce() -> R) -> R {
    let name = JsValue::from_str(name);
    let _ = Reflect::set(object, &name, replacement);
    let result = call();
    let _ = Reflect::delete_property(object.unchecked_ref::<Object>(), &name);
    result
}

/// While `call` makes one wgpu call that ends in `object.name(...)`, that method gives `adopted` instead of making
/// anything, so that wgpu's object is a wrapper of ours.
pub fn adopting<R>(object: &JsValue, name: &str, adopted: &JsValue, call: impl FnOnce() -> R) -> R {
    let adopted = adopted.clone();
    let give = Closure::<dyn FnMut() -> JsValue>::new(move || adopted.clone());
    interposed(object, name, give.as_ref(), call)
}

/// The descriptor wgpu hands to `object.name(...)` in one call, without the call reaching the browser.
pub fn descriptor_of<R>(object: &JsValue, name: &str, call: impl FnOnce() -> R) -> JsValue {
    let seen = std::rc::Rc::new(std::cell::RefCell::new(JsValue::UNDEFINED));
    let keep = seen.clone();
    let take = Closure::<dyn FnMut(JsValue) -> JsValue>::new(move |descriptor: JsValue| {
        keep.replace(descriptor);
        Object::new().into()
    });
    interposed(object, name, take.as_ref(), call);
    seen.take()
}

/// A wgpu device and queue that wrap this raw device; none where wgpu refuses, which it does only without a `Window` or
/// `WorkerGlobalScope`.
pub async fn adopt_device(gpu: &RawGpu, device: &RawDevice) -> Option<(wgpu::Device, wgpu::Queue)> {
    let adapter = Object::new();
    let promise = Promise::resolve(AsRef::<JsValue>::as_ref(device));
    let give: Function = Closure::once_into_js(move || -> JsValue { promise.into() }).unchecked_into();
    set(&adapter, "requestDevice", give);
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let answer: JsValue = Promise::resolve(AsRef::<JsValue>::as_ref(&adapter)).into();
    let request = adopting(gpu.as_ref(), "requestAdapter", &answer, || {
        instance.request_adapter(&wgpu::RequestAdapterOptions::default())
    });
    let adapter = request.await.ok()?;
    adapter.request_device(&wgpu::DeviceDescriptor::default()).await.ok()
}

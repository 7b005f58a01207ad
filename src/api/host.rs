use std::cell::RefCell;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use crate::error::ContextValue;
use crate::gpu::{Done, Event, Failure, Outcome, set};

#[wasm_bindgen]
extern "C" {
    /// JavaScript's side of the boundary.
    #[derive(Clone)]
    pub type Host;
    /// Makes the `ComputeError`; the only place where a JavaScript error is made.
    #[wasm_bindgen(method)]
    fn error(this: &Host, stable_id: u32, reason: &str, operation: &str, context: &Array, cause: &JsValue) -> JsValue;
    #[wasm_bindgen(method)]
    fn resolve(this: &Host, call: u32, value: &JsValue);
    /// Resolves a call with what the GPU did; `wall_ms` is NaN where nobody asked.
    #[wasm_bindgen(method)]
    fn ran(this: &Host, call: u32, generation: u32, attempts: u32, wall_ms: f64, results: &Array);
    #[wasm_bindgen(method)]
    fn reject(this: &Host, call: u32, error: &JsValue);
    #[wasm_bindgen(method)]
    fn emit(this: &Host, gpu: u32, name: &str, detail: &JsValue);
    #[wasm_bindgen(method)]
    fn panicked(this: &Host, message: &str);
}

thread_local! {
    static HOST: RefCell<Option<Host>> = const { RefCell::new(None) };
}

fn with_host(act: impl FnOnce(&Host)) {
    let host = HOST.with(|host| host.borrow().clone());
    if let Some(host) = host {
        act(&host);
    }
}

/// Connects this instance with JavaScript; the first call after it was made.
#[wasm_bindgen]
pub fn start(host: Host) {
    HOST.with(|slot| slot.replace(Some(host)));
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        with_host(|host| host.panicked(&info.to_string()));
    }));
}

/// The JavaScript error of a failure.
pub fn error_of(failure: &Failure) -> JsValue {
    failure.thrown.get_or_init(|| make_error(failure)).clone()
}

fn make_error(failure: &Failure) -> JsValue {
    let error = &failure.error;
    let context = Array::new();
    for (key, value) in error.context() {
        context.push(&JsValue::from_str(key));
        context.push(&match value {
            ContextValue::Text(text) => JsValue::from_str(text),
            ContextValue::Number(number) => JsValue::from_f64(*number),
            ContextValue::Flag(flag) => JsValue::from_bool(*flag),
        });
    }
    let mut made = JsValue::UNDEFINED;
    with_host(|host| {
        let (reason, operation) = (error.reason().name(), error.operation().name());
        made = host.error(error.code().stable_id(), reason, operation, &context, &failure.cause);
    });
    made
}

/// Settles a call of JavaScript.
pub fn settle(call: u32, result: Result<JsValue, Failure>) {
    with_host(|host| match result {
        Ok(value) => host.resolve(call, &value),
        Err(failure) => host.reject(call, &error_of(&failure)),
    });
}

/// Settles a run, a dispatch or a batch: numbers only, because a thousand of them may settle at once.
pub fn ran(call: u32) -> Done {
    Box::new(move |result| match result {
        Ok(outcome) => with_host(|host| {
            let results: Array = outcome.results.iter().collect();
            let wall_ms = outcome.wall_ms.unwrap_or(f64::NAN);
            host.ran(call, outcome.generation, outcome.attempts, wall_ms, &results);
        }),
        Err(failure) => settle(call, Err(failure)),
    })
}

/// Settles a call of JavaScript with what the GPU layer says.
pub fn done(call: u32, convert: impl FnOnce(Outcome) -> JsValue + 'static) -> Done {
    Box::new(move |result| settle(call, result.map(convert)))
}

/// Tells JavaScript what no call can be told.
pub fn emit(gpu: u32, event: &Event) {
    let (name, failure) = match event {
        Event::Uncaptured(failure) => ("uncaptured", failure),
        Event::Lost(failure) => ("lost", failure),
    };
    let detail = js_sys::Object::new();
    set(&detail, "error", error_of(failure));
    if let (Event::Lost(_), Some(ContextValue::Number(generation))) = (event, failure.error.get("generation")) {
        set(&detail, "generation", *generation);
    }
    with_host(|host| host.emit(gpu, name, &detail));
}

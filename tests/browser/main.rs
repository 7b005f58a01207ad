//! What only a browser can show: one wasm-pack target, so that one browser start serves every test.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used, reason = "a test says with it what it needs")]

use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
async fn the_browser_has_an_adapter() {
    let get = |object: &JsValue, key: &str| Reflect::get(object, &key.into()).expect("an object");
    let gpu = get(&get(&js_sys::global(), "navigator"), "gpu");
    let request: Function = get(&gpu, "requestAdapter").dyn_into().expect("navigator.gpu");
    let promise: Promise = request.call0(&gpu).expect("no throw").dyn_into().expect("a promise");
    let adapter = JsFuture::from(promise).await.expect("no rejection");
    assert!(!adapter.is_null(), "the flags of tests/webdriver.json give no adapter");
}

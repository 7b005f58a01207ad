//! JavaScript values to plans and back.

use js_sys::{Array, Object, Reflect, Symbol};
use wasm_bindgen::prelude::*;

use crate::error::{Operation, Reason};
use crate::gpu::{AcquireOptions, Failure, WantedLimits, bytes_of, get, set};
use crate::plan::{self, Binding, DType, Scalar, Value};

fn text(object: &JsValue, name: &str) -> Option<String> {
    get(object, name).as_string()
}

fn names(object: &JsValue, name: &str) -> Vec<String> {
    let list = get(object, name);
    if list.is_object() { Array::from(&list).iter().filter_map(|name| name.as_string()).collect() } else { Vec::new() }
}

fn numbers_by_name(object: &JsValue) -> Vec<(String, f64)> {
    let entries = Object::entries(object.unchecked_ref());
    entries
        .iter()
        .filter_map(|entry| {
            let entry = Array::from(&entry);
            Some((entry.get(0).as_string()?, entry.get(1).as_f64()?))
        })
        .collect()
}

/// The options of an acquisition; JavaScript has checked their types.
pub fn acquire_options(options: &JsValue) -> AcquireOptions {
    let limits = get(options, "limits");
    AcquireOptions {
        power_preference: text(options, "powerPreference"),
        limits: match limits.as_string().as_deref() {
            Some("default") => WantedLimits::Default,
            _ if limits.is_object() => WantedLimits::Named(numbers_by_name(&limits)),
            _ => WantedLimits::MaxUseful,
        },
        features: names(options, "features"),
        optional_features: match get(options, "optionalFeatures").is_object() {
            true => names(options, "optionalFeatures"),
            false => plan::DEFAULT_OPTIONAL_FEATURES.map(str::to_owned).to_vec(),
        },
        memory_budget_bytes: get(options, "memoryBudgetBytes").as_f64().map(|bytes| bytes as u64),
        strict: get(options, "strict").is_truthy(),
        label: text(options, "label").unwrap_or_default(),
    }
}

/// The element type of this name.
///
/// # Errors
/// `InvalidProgram`: there is none.
pub fn dtype(name: &str) -> Result<DType, Failure> {
    DType::from_name(name).ok_or_else(|| {
        let error = Reason::ArgumentInvalid.at(Operation::Upload).with("argument", "dtype");
        error.with("expected", "one of f32, i32, u32, f16, vec2f, vec4f").with("got", name).into()
    })
}

/// The element type of an array or view, by its class's tag, so that arrays of other realms count too. What is no array
/// of a kernel's types is raw bytes, taken as `u32`; `Uint16Array` holds f16 where the binding does.
pub fn dtype_of(view: &JsValue, binding: Option<&Binding>) -> DType {
    let tag = Reflect::get(view, &Symbol::to_string_tag()).ok().and_then(|tag| tag.as_string());
    let is_half = binding.and_then(Binding::scalar) == Some(Scalar::F16);
    match tag.as_deref() {
        Some("Float32Array") => DType::F32,
        Some("Int32Array") => DType::I32,
        Some("Float16Array") => DType::F16,
        Some("Uint16Array") if is_half => DType::F16,
        _ => DType::U32,
    }
}

/// A uniform's value: a number, numbers, bytes, or an object by field name.
///
/// # Errors
/// `InvalidProgram`: it is none of these.
pub fn value(value: &JsValue, name: &str) -> Result<Value, Failure> {
    if let Some(number) = value.as_f64() {
        return Ok(Value::Number(number));
    }
    if let Some(flag) = value.as_bool() {
        return Ok(Value::Number(f64::from(u8::from(flag))));
    }
    if js_sys::ArrayBuffer::is_view(value) {
        return Ok(Value::Bytes(bytes_of(value.unchecked_ref()).to_vec()));
    }
    if Array::is_array(value) {
        return list(&Array::from(value), name);
    }
    if value.is_object() {
        let fields: Result<Vec<_>, Failure> = Object::entries(value.unchecked_ref())
            .iter()
            .map(|entry| {
                let entry = Array::from(&entry);
                let field = entry.get(0).as_string().unwrap_or_default();
                let path = [name, ".", &field].concat();
                Ok((field, self::value(&entry.get(1), &path)?))
            })
            .collect();
        return Ok(Value::Fields(fields?));
    }
    Err(not_a_value(value, name))
}

/// Numbers stay a list of numbers; anything deeper becomes fields by index.
fn list(array: &Array, name: &str) -> Result<Value, Failure> {
    let numbers: Option<Vec<f64>> = array.iter().map(|item| item.as_f64()).collect();
    if let Some(numbers) = numbers {
        return Ok(Value::Numbers(numbers));
    }
    let items: Result<Vec<_>, Failure> = (0_u32..)
        .zip(array.iter())
        .map(|(index, item)| {
            let index = index.to_string();
            let path = [name, "[", &index, "]"].concat();
            Ok((index, value(&item, &path)?))
        })
        .collect();
    Ok(Value::Fields(items?))
}

fn not_a_value(value: &JsValue, name: &str) -> Failure {
    let got = value.js_typeof().as_string().unwrap_or_default();
    let error = Reason::ArgumentInvalid.at(Operation::Dispatch).with("argument", name);
    error.with("expected", "a number, numbers, bytes, or an object by field name").with("got", got).into()
}

/// A plain object of numbers by name.
pub fn numbers(values: &[(&str, f64)]) -> JsValue {
    let object = Object::new();
    for (name, value) in values {
        set(&object, name, *value);
    }
    object.into()
}

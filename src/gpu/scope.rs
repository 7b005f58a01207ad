//! Error scopes, and the way from a browser's report to a [`Failure`].

use std::cell::OnceCell;
use std::rc::Rc;

use js_sys::{Array, JsString, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

use super::device::Device;
use super::webgpu::{get, observed};
use crate::error::{ComputeError, ContextValue, Operation, Reason};
use crate::fault::{Fault, classify};

/// A [`ComputeError`] with the browser's own object behind it.
#[derive(Clone, Debug)]
pub struct Failure {
    /// What it is.
    pub error: ComputeError,
    /// What the browser said, untouched; undefined where the package itself refused.
    pub cause: JsValue,
    /// The JavaScript error it became, made once, so that everybody it reaches gets the same one.
    pub thrown: Rc<OnceCell<JsValue>>,
}

impl From<ComputeError> for Failure {
    fn from(error: ComputeError) -> Self {
        Failure::new(error, JsValue::UNDEFINED)
    }
}

impl Failure {
    /// A failure with what the browser said.
    pub fn new(error: ComputeError, cause: JsValue) -> Failure {
        Failure { error, cause, thrown: Rc::default() }
    }

    /// A failure that JavaScript knew first.
    pub fn told(thrown: JsValue) -> Failure {
        let error = Reason::Aborted.at(Operation::Dispatch);
        Failure { error, cause: JsValue::UNDEFINED, thrown: Rc::new(OnceCell::from(thrown)) }
    }

    /// Adds a value where none is there.
    #[must_use]
    pub fn or(self, key: &'static str, value: impl Into<ContextValue>) -> Failure {
        if self.error.get(key).is_some() {
            return self;
        }
        Failure::new(self.error.with(key, value), self.cause)
    }

    /// The same failure of something else.
    #[must_use]
    pub fn labelled(self, label: &str) -> Failure {
        Failure::new(self.error.with("label", label), self.cause)
    }
}

/// The raw facts of a report. Classes are read by name, because an object of another realm is no `instanceof` of ours.
pub fn fault(report: &JsValue, operation: Operation) -> Fault {
    let text = |value: JsValue| value.as_string().unwrap_or_default();
    let message = match report.as_string() {
        Some(message) => message,
        None => text(get(report, "message")),
    };
    Fault { class: text(get(&get(report, "constructor"), "name")), name: text(get(report, "name")), message, operation }
}

/// What a scope, a rejection or a throw said.
#[derive(Clone, Debug)]
pub struct Report {
    /// The browser's object.
    pub value: JsValue,
    /// Whether the report itself can only come from a lost device: a scope that rejects instead of answering.
    means_loss: bool,
}

impl Report {
    /// Whether only a lost device can say this.
    pub fn means_loss(&self) -> bool {
        self.means_loss
    }
}

impl From<JsValue> for Report {
    fn from(value: JsValue) -> Self {
        Report { value, means_loss: false }
    }
}

/// A report judged at once: only right when one task has passed since it came.
pub fn judged(device: &Device, report: &Report, operation: Operation, label: &str) -> Failure {
    let is_loss = device.is_lost() || report.means_loss;
    let error = classify(&fault(&report.value, operation), is_loss).or("label", label);
    let error = if is_loss { error.with("generation", device.generation) } else { error };
    Failure::new(error, report.value.clone())
}

/// A report judged later, when a loss behind it has had time to show.
pub async fn judged_later(device: &Device, report: &Report, operation: Operation, label: &str) -> Failure {
    device.one_task_later().await;
    // An exception or a rejection can be all that shows of a loss. What a scope reports is not held up: it is nearly
    // always the caller's mistake, which should be told at once.
    if !device.is_lost() && !fault(&report.value, operation).class.starts_with("GPU") {
        device.one_look_later().await;
    }
    judged(device, report, operation, label)
}

const FILTERS: [&str; 3] = ["validation", "out-of-memory", "internal"];

thread_local! {
    static FILTER_NAMES: OnceCell<[JsString; 3]> = const { OnceCell::new() };
}

fn with_filters<R>(f: impl FnOnce(&[JsString; 3]) -> R) -> R {
    FILTER_NAMES.with(|names| f(names.get_or_init(|| FILTERS.map(JsString::from))))
}

/// Its answer may be asked for late, or never where a loss is told first.
fn pop(device: &Device, into: &Array) {
    let answer = device.raw.pop_error_scope().unwrap_or_else(|thrown| Promise::reject(&thrown));
    into.push(&observed(answer));
}

/// What one or more scopes will report; made by [`trio`] and [`validation`].
#[must_use = "a scope nobody asks is an error nobody hears of"]
pub struct Reports(Array);

/// Runs `act` inside the three scopes: validation, out of memory, internal. Push, act and pop are one synchronous
/// stretch, so no other caller's error can land here.
pub fn trio<R>(device: &Device, act: impl FnOnce() -> R) -> (R, Reports) {
    with_filters(|filters| {
        for filter in filters {
            let _ = device.raw.push_error_scope(filter);
        }
    });
    let result = act();
    let reports = Array::new();
    for _ in FILTERS {
        pop(device, &reports);
    }
    (result, Reports(reports))
}

/// Runs `act` inside a validation scope only: the inner scope round `finish` and `submit`.
pub fn validation<R>(device: &Device, act: impl FnOnce() -> R) -> (R, Reports) {
    with_filters(|[validation, ..]| {
        let _ = device.raw.push_error_scope(validation);
    });
    let result = act();
    let reports = Array::new();
    pop(device, &reports);
    (result, Reports(reports))
}

impl Reports {
    /// The first report, or none.
    pub async fn first(self) -> Option<Report> {
        match asked(&self.0).await {
            Ok(answers) => first_of(answers.iter()),
            Err(report) => Some(report),
        }
    }

    /// Both levels of a flush, asked together so that they cost one wait: what the inner and the outer scopes report.
    pub async fn both(inner: Reports, outer: Reports) -> (Option<Report>, Option<Report>) {
        let inner_len = inner.0.length() as usize;
        match asked(&inner.0.concat(&outer.0)).await {
            Ok(answers) => (first_of(answers.iter().take(inner_len)), first_of(answers.iter().skip(inner_len))),
            Err(report) => (Some(report), None),
        }
    }
}

/// What all scopes answer. One that rejects instead can only be a lost device's.
async fn asked(promises: &Array) -> Result<Array, Report> {
    match JsFuture::from(Promise::all(promises)).await {
        Ok(answers) => Ok(answers.unchecked_into()),
        Err(value) => Err(Report { value, means_loss: true }),
    }
}

fn first_of(mut answers: impl Iterator<Item = JsValue>) -> Option<Report> {
    answers.find(|answer| !answer.is_null() && !answer.is_undefined()).map(Report::from)
}

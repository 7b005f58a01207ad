//! The end of a Gpu: the loss of its device, and `close()`.

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::call::Call;
use super::device::{now, timer};
use super::scope::{Failure, fault};
use super::webgpu::get;
use super::{Event, Gpu, Shared, State, count};
use crate::error::{ErrorCode, Operation, Reason};
use crate::fault::classify;

/// How long `close()` lets work finish.
const CLOSE_GRACE_MS: f64 = 2000.0;

/// How often `close()` looks whether it has.
const CLOSE_POLL_MS: f64 = 10.0;

impl Gpu {
    /// Lets recorded work finish for a while, then answers what is left with 1009 "closed". The device is destroyed
    /// if it is idle, and otherwise left alone, because destroying a busy one can block the whole GPU process.
    pub async fn close(&self) {
        if self.state() == State::Closed {
            return;
        }
        self.0.state.set(State::Closed);
        let deadline = now() + CLOSE_GRACE_MS;
        while !self.0.is_idle() && now() < deadline {
            let _ = JsFuture::from(timer(CLOSE_POLL_MS)).await;
        }
        if let Ok(done) = self.0.device.work_done() {
            // Calls are answered before the GPU has finished them.
            let race = Array::of2(&done, &timer((deadline - now()).max(0.0)));
            let _ = JsFuture::from(Promise::race(&race)).await;
        }
        let was_idle = self.0.is_idle() && now() < deadline;
        for call in self.0.take_all() {
            let failure = closed(call.operation, &call.label);
            self.0.settle(call, Err(failure));
        }
        for kernel in self.0.compiling.take() {
            kernel.finish(Err(closed(Operation::Compile, &kernel.label)));
        }
        self.0.pool.clear();
        if was_idle {
            self.0.device.raw.destroy();
        }
    }
}

impl Shared {
    /// Listens for the loss of the device and for errors of nobody's scope.
    pub(super) fn listen(&self) {
        let this = self.this.clone();
        let lost = self.device.raw.lost();
        spawn_local(async move {
            let _ = JsFuture::from(lost).await;
            if let Some(shared) = this.upgrade() {
                shared.on_lost();
            }
        });
        let this = self.this.clone();
        let uncaptured = Closure::<dyn FnMut(JsValue)>::new(move |event: JsValue| {
            let Some(shared) = this.upgrade() else { return };
            let report = get(&event, "error");
            let error = classify(&fault(&report, Operation::Dispatch), shared.device.is_lost());
            shared.tell(Event::Uncaptured(Failure::new(error.or("label", "the device"), report)));
        });
        self.device.raw.add_event_listener("uncapturederror", &uncaptured.into_js_value());
    }

    fn on_lost(&self) {
        if self.state.get() == State::Closed {
            return;
        }
        self.state.set(State::Failed);
        count(&self.counters.losses, 1);
        for call in self.take_all() {
            let failure = self.device.lost_failure(call.operation, &call.label);
            self.settle_echo(call, failure);
        }
        self.tell(Event::Lost(self.device.lost_failure(Operation::Dispatch, "the device")));
    }

    fn take_all(&self) -> Vec<Call> {
        let flights = std::mem::take(&mut *self.flights.borrow_mut());
        let mut calls: Vec<Call> = flights.iter().flat_map(|flight| flight.take_all()).collect();
        calls.extend(self.pending.borrow_mut().drain(..));
        calls
    }

    fn is_idle(&self) -> bool {
        self.pending.borrow().is_empty() && self.flights.borrow().is_empty() && self.compiling.borrow().is_empty()
    }
}

/// What is still pending when `close()` gives up.
fn closed(operation: Operation, label: &str) -> Failure {
    Reason::Closed.at(operation).as_code(ErrorCode::ExecutionAborted).with("label", label).into()
}

//! Flushes: what is recorded is sent together, judged together, and sent again one by one where the whole was refused.
//!
//! Two levels of scopes stand round a flush. The inner one says whether the work ran: null means it did and it is
//! never sent again, an error means nothing of it did. The outer trio hears of writes and bind groups. While one flush
//! is unverified the next is only recorded, so what is sent again cannot come after its successors.
//!
//! Source: `semantics.md` of the design, "Flush, errors, order"; prototype `flush-attribution.mjs`.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::spawn_local;

use super::call::{Call, Destination, Done, Lease, Outcome, condemn};
use super::device::now;
use super::encode::Encoder;
use super::pool::Purpose;
use super::scope::{Failure, Report, Reports, trio, validation};
use super::webgpu::{MAP_MODE_READ, observed};
use super::{Device, Event, Gpu, Shared, count};
use crate::error::Operation;

/// Calls under way: sent and not yet answered. Each keeps its place; an answered one leaves it empty.
pub struct Flight {
    pub(super) calls: RefCell<Vec<Option<Call>>>,
    pub(super) leases: RefCell<Vec<Lease>>,
    pub(super) thrown: RefCell<Option<Report>>,
    pub(super) sent_ms: f64,
    pub(super) work_done: RefCell<Option<Result<Promise, JsValue>>>,
}

impl Gpu {
    /// Records a call; it is sent at the end of the task, or once the flush under way is verified.
    pub(super) fn record(&self, call: Call) {
        if call.is_nothing() {
            return;
        }
        for kernel in call.kernels() {
            kernel.note_heard();
        }
        if self.0.device.is_lost() {
            let failure = self.0.device.lost_failure(call.operation, &call.label);
            return self.0.settle_echo(call, failure);
        }
        for (buffer, _) in call.touches.iter().filter(|(buffer, _)| buffer.is_doubtful()) {
            let gpu = self.clone();
            buffer.when_ready(Box::new(move |_| gpu.advance()));
        }
        self.0.pending.borrow_mut().push_back(call);
        self.0.schedule();
    }

    /// Calls `done` once everything recorded so far has been sent and has finished.
    pub fn flush(&self, key: u32, done: Done) {
        let mut call = Call::new(key, "flush".to_owned(), Operation::Dispatch, Some(done));
        call.is_barrier = true;
        call.waits_for_gpu = true;
        self.record(call);
    }

    /// Drops a call that was not sent yet, and lets those fail that depend on it; one that was sent goes on, and its bytes
    /// go nowhere.
    pub fn cancel(&self, key: u32, failure: Failure) {
        let mut pending = self.0.pending.borrow_mut();
        if let Some(place) = pending.iter().position(|call| call.key == key)
            && let Some(mut call) = pending.remove(place)
        {
            condemn(pending.iter_mut().skip(place), call.changed_ids().collect(), &failure);
            call.release();
            self.0.give_back(&mut call);
        }
        drop(pending);
        for flight in self.0.flights.borrow().iter() {
            let mut calls = flight.calls.borrow_mut();
            let reads = calls.iter_mut().flatten().filter(|call| call.key == key).flat_map(|call| &mut call.reads);
            reads.for_each(|read| read.destination = Destination::Nowhere);
        }
        self.0.schedule();
    }

    /// Sends whatever becomes free now, for example after a kernel was compiled.
    pub fn advance(&self) {
        self.0.schedule();
    }
}

impl Shared {
    pub(super) fn settle(&self, mut call: Call, outcome: Result<Outcome, Failure>) {
        call.release();
        if outcome.is_err() {
            // It may be mapped, or being mapped.
            call.leases.retain(|(purpose, _)| *purpose != Purpose::Staging);
        }
        self.give_back(&mut call);
        if let Some(unheard) = call.settle(outcome) {
            self.tell(Event::Uncaptured(unheard));
        }
    }

    /// Answers a call that fails because of something that has reported its own failure; a write nobody waits for has
    /// nothing to add.
    pub(super) fn settle_echo(&self, mut call: Call, failure: Failure) {
        if call.done.is_some() {
            self.settle(call, Err(failure));
        } else {
            call.release();
            self.give_back(&mut call);
        }
    }

    pub(super) fn give_back(&self, call: &mut Call) {
        for (purpose, buffer) in call.leases.drain(..) {
            self.pool.give_back(purpose, buffer);
        }
    }

    pub(super) fn schedule(&self) {
        if self.is_scheduled.replace(true) {
            return;
        }
        let this = self.this.clone();
        spawn_local(async move {
            if let Some(shared) = this.upgrade() {
                shared.is_scheduled.set(false);
                shared.send();
            }
        });
    }

    /// Sends what can be sent, unless a flush is still unverified.
    fn send(&self) {
        if self.is_unverified.get() || self.device.is_lost() {
            return;
        }
        let recorded = self.pending.take();
        let (calls, refused) = select(recorded, &self.pending);
        for (call, failure) in refused {
            self.settle_echo(call, failure);
        }
        if calls.is_empty() {
            return;
        }
        self.is_unverified.set(true);
        count(&self.counters.flushes, 1);
        let Some(this) = self.this.upgrade() else { return };
        if calls.iter().all(|call| call.commands.is_empty()) {
            // Only writes that were sent when they were called: there is nothing to encode or to judge.
            let flight = this.take_off(calls);
            flight.work_done.replace(Some(self.device.work_done()));
            spawn_local(async move { this.finish(flight).await });
        } else if self.is_strict {
            let flight = this.take_off(calls);
            spawn_local(async move {
                this.send_singly(&flight).await;
                this.finish(flight).await;
            });
        } else {
            let (flight, inner, outer) = this.submit(calls);
            spawn_local(async move { this.verify(flight, inner, outer).await });
        }
    }

    /// One encoder, one submission, both levels of scopes, and the maps of its reads.
    fn submit(&self, calls: Vec<Call>) -> (Rc<Flight>, Reports, Reports) {
        let flight = self.take_off(calls);
        let device = &self.device;
        let (inner, outer) = trio(device, || {
            let mut calls = flight.calls.borrow_mut();
            let mut encoder = Encoder::new(self, device);
            let mut waits_for_gpu = false;
            for call in calls.iter_mut().flatten() {
                encode(&mut encoder, call);
                waits_for_gpu |= call.waits_for_gpu;
            }
            let inner = flight.send(device, encoder, waits_for_gpu);
            calls.iter_mut().flatten().for_each(start_maps);
            inner
        });
        (flight, inner, outer)
    }

    fn take_off(&self, calls: Vec<Call>) -> Rc<Flight> {
        let flight = Rc::new(Flight {
            calls: RefCell::new(calls.into_iter().map(Some).collect()),
            leases: RefCell::default(),
            thrown: RefCell::default(),
            sent_ms: now(),
            work_done: RefCell::default(),
        });
        self.flights.borrow_mut().push(flight.clone());
        flight
    }

    pub(super) fn land(&self, flight: &Rc<Flight>) {
        self.flights.borrow_mut().retain(|other| !Rc::ptr_eq(other, flight));
    }
}

impl Flight {
    /// The places of the calls that are wanted.
    pub(super) fn places(&self, wanted: impl Fn(&Call) -> bool) -> Vec<usize> {
        let calls = self.calls.borrow();
        let places = calls.iter().enumerate().filter(|(_, call)| call.as_ref().is_some_and(&wanted));
        places.map(|(place, _)| place).collect()
    }

    /// Looks at the call in a place, if it is still there.
    pub(super) fn with<R>(&self, place: usize, look: impl FnOnce(&mut Call) -> R) -> Option<R> {
        self.calls.borrow_mut().get_mut(place).and_then(Option::as_mut).map(look)
    }

    /// Takes the call out of its place, to answer it.
    pub(super) fn take(&self, place: usize) -> Option<Call> {
        self.calls.borrow_mut().get_mut(place).and_then(Option::take)
    }

    /// Takes every call that is left.
    pub(super) fn take_all(&self) -> impl Iterator<Item = Call> {
        self.calls.take().into_iter().flatten()
    }

    /// Finishes and submits inside the inner scope; asks for the end of the work where a call waits for it.
    fn send(&self, device: &Device, encoder: Encoder<'_>, waits_for_gpu: bool) -> Reports {
        let encoder = self.close(encoder);
        let ((), inner) = validation(device, || {
            device.wgpu_queue.submit([encoder.finish()]);
        });
        self.work_done.replace(waits_for_gpu.then(|| device.work_done()));
        inner
    }

    pub(super) fn send_unscoped(&self, device: &Device, encoder: Encoder<'_>) {
        let encoder = self.close(encoder);
        device.wgpu_queue.submit([encoder.finish()]);
        self.work_done.replace(None);
    }

    fn close(&self, encoder: Encoder<'_>) -> wgpu::CommandEncoder {
        let (encoder, leases, thrown) = encoder.finish();
        self.leases.borrow_mut().extend(leases);
        if let Some(thrown) = thrown {
            self.thrown.replace(Some(thrown.into()));
        }
        encoder
    }
}

/// Parts the recorded calls into those to send now, in order, and those refused because of what they use; the rest goes
/// to `held`. A call is held while its kernel compiles or the end of a buffer is in doubt, while it shares a buffer with
/// a held call, or as a barrier behind one.
fn select(mut recorded: VecDeque<Call>, held: &RefCell<VecDeque<Call>>) -> (Vec<Call>, Vec<(Call, Failure)>) {
    let (mut ready, mut refused) = (Vec::new(), Vec::new());
    let mut held_ids: Vec<u32> = Vec::new();
    while let Some(call) = recorded.pop_front() {
        let shares = call.touches.iter().any(|(buffer, _)| held_ids.contains(&buffer.id));
        let is_behind = call.is_barrier && !held.borrow().is_empty();
        let is_early = shares || is_behind || call.touches.iter().any(|(buffer, _)| buffer.is_doubtful());
        let cause = if is_early { call.cause.clone() } else { call.first_cause() };
        if let Some(failure) = cause {
            condemn(recorded.iter_mut(), call.changed_ids().collect(), &failure);
            refused.push((call, failure));
        } else if is_early || call.kernels().any(|kernel| kernel.is_compiling()) {
            held_ids.extend(call.touches.iter().map(|(buffer, _)| buffer.id));
            held.borrow_mut().push_back(call);
        } else {
            ready.push(call);
        }
    }
    (ready, refused)
}

/// Encodes a call's commands, noting what the browser threw at them.
pub(super) fn encode(encoder: &mut Encoder<'_>, call: &mut Call) {
    for command in &call.commands {
        encoder.command(command);
    }
    call.attempts += 1;
    call.thrown = encoder.take_thrown().map(Report::from).or(call.thrown.take());
}

/// Asks for the bytes a call reads, once their copies were sent.
pub(super) fn start_maps(call: &mut Call) {
    for read in &mut call.reads {
        let raw = read.staging.as_ref().and_then(|staging| staging.raw());
        read.map = raw.map(|raw| raw.map_async(MAP_MODE_READ, 0.0, read.copy_bytes as f64).map(observed));
    }
}

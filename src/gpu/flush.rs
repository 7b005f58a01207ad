//! Flushes: what is recorded is sent together, judged together, and sent again one by one where the whole was refused.
//!
//! Two levels of scopes stand round a flush. The inner one says whether the work ran: null means it did and it is
//! never sent again, an error means nothing of it did. The outer trio hears of writes and bind groups. While one flush
//! is unverified the next is only recorded, so what is sent again cannot come after its successors.
//!
//! Source: `semantics.md` of the design, "Flush, errors, order"; prototype `flush-attribution.mjs`.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::call::{Call, Destination, Done, Lease, Outcome, Read, Touch};
use super::encode::Encoder;
use super::pool::Purpose;
use super::scope::{Failure, Report, Reports, fault, judged, judged_later, trio, validation};
use super::webgpu::{MAP_MODE_READ, RawBuffer, copy_into, copy_range, get};
use super::{Device, Event, Gpu, Shared, State, count, sleep};
use crate::error::{ErrorCode, Operation, Reason};
use crate::fault::classify;

/// Calls under way: sent and not yet answered.
pub struct Flight {
    calls: RefCell<Vec<Call>>,
    leases: RefCell<Vec<Lease>>,
    thrown: RefCell<Option<Report>>,
    sent_ms: Cell<f64>,
    work_done: RefCell<Option<Result<Promise, JsValue>>>,
}

/// How long `close()` lets work finish.
const CLOSE_GRACE_MS: f64 = 2000.0;

/// How often `close()` looks whether it has.
const CLOSE_POLL_MS: f64 = 10.0;

#[wasm_bindgen]
extern "C" {
    /// `performance.now()`.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

impl Gpu {
    /// Records a call; it is sent at the end of the task, or once the flush under way is verified.
    pub(super) fn record(&self, call: Call) {
        if call.is_nothing() {
            return;
        }
        if self.0.device.is_lost() {
            let failure = self.0.device.lost_failure(call.operation, &call.label);
            return self.0.settle(call, Err(failure));
        }
        for kernel in call.kernels() {
            kernel.note_heard();
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

    /// Forgets a call that was not sent yet; one that was goes on, and nobody hears of it.
    pub fn cancel(&self, key: u32) {
        let mut pending = self.0.pending.borrow_mut();
        if let Some(index) = pending.iter().position(|call| call.key == key)
            && let Some(mut call) = pending.remove(index)
        {
            drop(pending);
            call.release();
            self.0.give_back(&mut call);
            self.0.schedule();
        }
    }

    /// Lets recorded work finish for a while, then answers what is left with 1009 "closed". The device is destroyed
    /// if it is idle, and otherwise left alone, because destroying a busy one can block the whole GPU process.
    pub async fn close(&self) {
        if self.state() == State::Closed {
            return;
        }
        self.0.state.set(State::Closed);
        let deadline = now() + CLOSE_GRACE_MS;
        while !self.0.is_idle() && now() < deadline {
            sleep(CLOSE_POLL_MS).await;
        }
        let was_idle = self.0.is_idle();
        for call in self.0.take_all() {
            let error = Reason::Closed.at(call.operation).as_code(ErrorCode::ExecutionAborted);
            let failure = error.with("label", call.label.as_str()).into();
            self.0.settle(call, Err(failure));
        }
        self.0.pool.clear();
        if was_idle {
            self.0.device.raw.destroy();
        }
    }

    /// Sends whatever becomes free now, for example after a kernel was compiled.
    pub fn advance(&self) {
        self.0.schedule();
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
            shared.tell(Event::Uncaptured(Failure { error: error.or("label", "the device"), cause: report }));
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
            self.settle(call, Err(failure));
        }
        self.tell(Event::Lost(self.device.lost_failure(Operation::Dispatch, "the device")));
    }

    fn take_all(&self) -> Vec<Call> {
        let flights = std::mem::take(&mut *self.flights.borrow_mut());
        let mut calls: Vec<Call> = flights.iter().flat_map(|flight| flight.calls.take()).collect();
        calls.extend(self.pending.borrow_mut().drain(..));
        calls
    }

    fn is_idle(&self) -> bool {
        self.pending.borrow().is_empty() && self.flights.borrow().is_empty()
    }

    fn settle(&self, mut call: Call, outcome: Result<Outcome, Failure>) {
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
    fn settle_echo(&self, mut call: Call, failure: Failure) {
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

    fn schedule(&self) {
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
        if self.is_strict {
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
            for call in calls.iter_mut() {
                encode(&mut encoder, call);
            }
            let inner = flight.send(device, encoder, calls.iter().any(|call| call.waits_for_gpu));
            calls.iter_mut().for_each(start_maps);
            inner
        });
        (flight, inner, outer)
    }

    fn take_off(&self, calls: Vec<Call>) -> Rc<Flight> {
        let flight = Rc::new(Flight {
            calls: RefCell::new(calls),
            leases: RefCell::default(),
            thrown: RefCell::default(),
            sent_ms: Cell::new(now()),
            work_done: RefCell::default(),
        });
        self.flights.borrow_mut().push(flight.clone());
        flight
    }

    fn land(&self, flight: &Rc<Flight>) {
        self.flights.borrow_mut().retain(|other| !Rc::ptr_eq(other, flight));
    }

    /// Judges a flush and answers its calls.
    async fn verify(self: Rc<Self>, flight: Rc<Flight>, inner: Reports, outer: Reports) {
        let (inner, outer) = Reports::both(inner, outer).await;
        let outer = outer.or(flight.thrown.take());
        match inner.or_else(|| outer.clone().filter(Report::means_loss)) {
            Some(report) if report.means_loss() => self.reject_all(&flight, &report).await,
            Some(_) => {
                self.device.one_task_later().await;
                self.send_singly(&flight).await;
            }
            None => {
                if let Some(report) = outer {
                    self.reject_writes(&flight, &report).await;
                }
            }
        }
        self.finish(flight).await;
    }

    /// A scope that rejects means that nothing of the flush can be known to have run.
    async fn reject_all(&self, flight: &Flight, report: &Report) {
        self.device.one_task_later().await;
        for call in flight.calls.take() {
            let failure = judged(&self.device, report, call.operation, &call.label);
            self.settle(call, Err(failure));
        }
    }

    /// The work ran, but something that was written before it was refused: whoever wrote hears of it.
    async fn reject_writes(&self, flight: &Flight, report: &Report) {
        self.device.one_task_later().await;
        for id in flight.ids(Call::has_writes) {
            if let Some(call) = flight.take(id) {
                let failure = judged(&self.device, report, Operation::Upload, &call.label);
                self.settle(call, Err(failure));
            }
        }
    }

    /// Sends each call in a command buffer of its own with scopes of its own, so that the bad ones are found and the
    /// others run. Calls that use what an unverified one changes wait for the verdict, and share it if it is bad.
    async fn send_singly(&self, flight: &Rc<Flight>) {
        let mut changed: Vec<u32> = Vec::new();
        let mut tainted: Vec<(u32, Failure)> = Vec::new();
        let mut wave: Vec<(u32, Reports)> = Vec::new();
        for id in flight.ids(|_| true) {
            if flight.with(id, |call| call.touches.iter().any(|(buffer, _)| changed.contains(&buffer.id))) == Some(true) {
                self.judge_wave(flight, std::mem::take(&mut wave), &mut tainted).await;
                changed.clear();
            }
            if self.device.is_lost() {
                break;
            }
            match flight.with(id, |call| inherited(call, &tainted).or_else(|| call.first_cause())).flatten() {
                Some(failure) => self.refuse(flight, id, failure, true, &mut tainted),
                None => {
                    changed.extend(flight.with(id, |call| call.changed_ids().collect::<Vec<_>>()).unwrap_or_default());
                    wave.extend(self.send_one(flight, id).map(|reports| (id, reports)));
                }
            }
        }
        self.judge_wave(flight, wave, &mut tainted).await;
    }

    fn send_one(&self, flight: &Flight, id: u32) -> Option<Reports> {
        let device = &self.device;
        let mut calls = flight.calls.borrow_mut();
        let call = calls.iter_mut().find(|call| call.id == id)?;
        let ((), reports) = trio(device, || {
            unmap_all(call);
            let mut encoder = Encoder::new(self, device);
            encode(&mut encoder, call);
            flight.send_unscoped(device, encoder);
            start_maps(call);
        });
        Some(reports)
    }

    async fn judge_wave(&self, flight: &Flight, wave: Vec<(u32, Reports)>, tainted: &mut Vec<(u32, Failure)>) {
        for (id, reports) in wave {
            let report = reports.first().await.or_else(|| flight.with(id, |call| call.thrown.clone()).flatten());
            let Some(report) = report else { continue };
            let Some((operation, label)) = flight.with(id, |call| (call.operation, call.label.clone())) else { continue };
            let mut failure = judged_later(&self.device, &report, operation, &label).await;
            let cause = flight.with(id, Call::first_cause).flatten();
            let is_echo = cause.is_some();
            failure = cause.unwrap_or(failure);
            if let Some(index) = self.guilty_entry(flight, id).await {
                failure = failure.or("index", index);
            }
            self.refuse(flight, id, failure, is_echo, tainted);
        }
    }

    fn refuse(
        &self,
        flight: &Flight,
        id: u32,
        failure: Failure,
        is_echo: bool,
        tainted: &mut Vec<(u32, Failure)>,
    ) {
        let Some(call) = flight.take(id) else { return };
        tainted.extend(call.changed_ids().map(|buffer| (buffer, failure.clone())));
        if is_echo { self.settle_echo(call, failure) } else { self.settle(call, Err(failure)) }
    }

    /// Which entry of a refused batch does not encode, if one alone does not.
    async fn guilty_entry(&self, flight: &Flight, id: u32) -> Option<u32> {
        let last = flight.with(id, |call| call.entries.last().copied()).flatten()?;
        for entry in 0..=last {
            let reports = flight.with(id, |call| {
                let mut encoder = Encoder::new(self, &self.device);
                let ((), reports) = validation(&self.device, || {
                    for (command, _) in call.commands.iter().zip(&call.entries).filter(|(_, of)| **of == entry) {
                        encoder.command(command);
                    }
                    let (encoder, leases, _) = encoder.finish();
                    let _ = encoder.finish();
                    flight.leases.borrow_mut().extend(leases);
                });
                reports
            })?;
            if reports.first().await.is_some() {
                return Some(entry);
            }
        }
        None
    }

    /// Answers what is left of a judged flush: at once, when the GPU has finished, or when the bytes are there.
    async fn finish(&self, flight: Rc<Flight>) {
        self.reject_failed_uploads(&flight).await;
        if self.device.is_lost() {
            for call in flight.calls.take() {
                let failure = self.device.lost_failure(call.operation, &call.label);
                self.settle(call, Err(failure));
            }
        }
        for call in flight.calls.borrow_mut().iter_mut() {
            call.release();
        }
        for (purpose, buffer) in flight.leases.take() {
            self.pool.give_back(purpose, buffer);
        }
        self.is_unverified.set(false);
        self.schedule();
        for id in flight.ids(|call| call.reads.is_empty() && !call.waits_for_gpu) {
            self.answer(&flight, id, None);
        }
        if !flight.ids(|call| call.waits_for_gpu).is_empty() {
            self.await_gpu(&flight).await;
        }
        for id in flight.ids(|call| !call.reads.is_empty()) {
            self.await_reads(&flight, id).await;
        }
        self.land(&flight);
    }

    async fn reject_failed_uploads(&self, flight: &Flight) {
        for id in flight.ids(|call| !call.uploads.is_empty()) {
            let uploads = flight.with_mut(id, |call| std::mem::take(&mut call.uploads)).unwrap_or_default();
            for (buffer, reports) in uploads {
                let Some(report) = reports.first().await else { continue };
                let judged = judged_later(&self.device, &report, Operation::Upload, &buffer.label).await;
                let Some(call) = flight.take(id) else { continue };
                match buffer.failure() {
                    Some(cause) => self.settle_echo(call, cause),
                    None => self.settle(call, Err(judged.or("bytes", buffer.alloc_bytes))),
                }
            }
        }
    }

    async fn await_gpu(&self, flight: &Flight) {
        let work_done = flight.work_done.take().unwrap_or_else(|| self.device.work_done());
        let ended = match work_done {
            Ok(promise) => JsFuture::from(promise).await,
            Err(thrown) => Err(thrown),
        };
        let wall_ms = now() - flight.sent_ms.get();
        let failed = match ended {
            Err(rejection) => {
                self.device.one_task_later().await;
                Some(Report::from(rejection))
            }
            Ok(_) => None,
        };
        for id in flight.ids(|call| call.waits_for_gpu) {
            let failure = match &failed {
                Some(report) => {
                    flight.with(id, |call| judged(&self.device, report, call.operation, &call.label))
                }
                None if self.device.is_lost() => {
                    flight.with(id, |call| self.device.lost_failure(call.operation, &call.label))
                }
                None => None,
            };
            match failure {
                Some(failure) => {
                    if let Some(call) = flight.take(id) {
                        self.settle(call, Err(failure));
                    }
                }
                None if flight.with(id, |call| call.reads.is_empty()) == Some(true) => {
                    self.answer(flight, id, Some(wall_ms));
                }
                None => {
                    flight.with_mut(id, |call| call.wall_ms = Some(wall_ms));
                }
            }
        }
    }

    async fn await_reads(&self, flight: &Flight, id: u32) {
        let mut rejection = None;
        for map in flight.with(id, maps).unwrap_or_default() {
            let mapped = match map {
                Ok(promise) => JsFuture::from(promise).await,
                Err(thrown) => Err(thrown),
            };
            rejection = rejection.or(mapped.err());
        }
        let failure = match rejection {
            Some(rejection) => {
                let label = flight.with(id, |call| call.label.clone()).unwrap_or_default();
                Some(judged_later(&self.device, &rejection.into(), Operation::Read, &label).await)
            }
            None if self.device.is_lost() => {
                flight.with(id, |call| self.device.lost_failure(Operation::Read, &call.label))
            }
            None => None,
        };
        match failure {
            Some(failure) => {
                if let Some(call) = flight.take(id) {
                    self.settle(call, Err(failure));
                }
            }
            None => self.answer(flight, id, None),
        }
    }

    fn answer(&self, flight: &Flight, id: u32, wall_ms: Option<f64>) {
        let Some(mut call) = flight.take(id) else { return };
        let outcome = take_results(&mut call).map(|results| {
            count(&self.counters.bytes_read, call.reads.iter().map(|read| read.bytes).sum());
            let wall_ms = wall_ms.or(call.wall_ms);
            Outcome { generation: self.device.generation, attempts: 1, wall_ms, results }
        });
        self.settle(call, outcome);
    }
}

impl Flight {
    fn ids(&self, wanted: impl Fn(&Call) -> bool) -> Vec<u32> {
        self.calls.borrow().iter().filter(|call| wanted(call)).map(|call| call.id).collect()
    }

    fn with<R>(&self, id: u32, look: impl FnOnce(&Call) -> R) -> Option<R> {
        self.calls.borrow().iter().find(|call| call.id == id).map(look)
    }

    fn with_mut<R>(&self, id: u32, change: impl FnOnce(&mut Call) -> R) -> Option<R> {
        self.calls.borrow_mut().iter_mut().find(|call| call.id == id).map(change)
    }

    fn take(&self, id: u32) -> Option<Call> {
        let mut calls = self.calls.borrow_mut();
        let index = calls.iter().position(|call| call.id == id)?;
        Some(calls.remove(index))
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

    fn send_unscoped(&self, device: &Device, encoder: Encoder<'_>) {
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
/// to `held`. A call is held while its kernel compiles, while it shares a buffer with a held call, or as a barrier
/// behind one.
fn select(recorded: VecDeque<Call>, held: &RefCell<VecDeque<Call>>) -> (Vec<Call>, Vec<(Call, Failure)>) {
    let (mut ready, mut refused) = (Vec::new(), Vec::new());
    let mut held_ids: Vec<u32> = Vec::new();
    let mut tainted: Vec<(u32, Failure)> = Vec::new();
    for call in recorded {
        let shares = call.touches.iter().any(|(buffer, _)| held_ids.contains(&buffer.id));
        let is_behind = call.is_barrier && !held.borrow().is_empty();
        let cause = if shares || is_behind { None } else { inherited(&call, &tainted).or_else(|| call.first_cause()) };
        if let Some(failure) = cause {
            tainted.extend(call.changed_ids().map(|id| (id, failure.clone())));
            refused.push((call, failure));
        } else if shares || is_behind || call.kernels().any(|kernel| kernel.is_compiling()) {
            held_ids.extend(call.touches.iter().map(|(buffer, _)| buffer.id));
            held.borrow_mut().push_back(call);
        } else {
            ready.push(call);
        }
    }
    (ready, refused)
}

/// The failure of an earlier call whose result this one would use.
fn inherited(call: &Call, tainted: &[(u32, Failure)]) -> Option<Failure> {
    call.touches.iter().filter(|(_, touch)| *touch != Touch::Replaces).find_map(|(buffer, _)| {
        tainted.iter().find(|(id, _)| *id == buffer.id).map(|(_, failure)| failure.clone())
    })
}

fn encode(encoder: &mut Encoder<'_>, call: &mut Call) {
    for command in &call.commands {
        encoder.command(command);
    }
    call.thrown = encoder.take_thrown().map(Report::from);
}

fn start_maps(call: &mut Call) {
    for read in &mut call.reads {
        let raw = read.staging.as_ref().and_then(|staging| staging.raw());
        read.map = raw.map(|raw| raw.map_async(MAP_MODE_READ, 0.0, (read.copy_bytes) as f64));
    }
}

fn maps(call: &Call) -> Vec<Result<Promise, JsValue>> {
    call.reads.iter().filter_map(|read| read.map.clone()).collect()
}

/// Staging that is mapped, or being mapped, cannot be copied to.
fn unmap_all(call: &mut Call) {
    for read in &mut call.reads {
        if let (Some(staging), Some(map)) = (&read.staging, read.map.take()) {
            if let Ok(promise) = map {
                ignore_rejection(promise);
            }
            if let Some(raw) = staging.raw() {
                let _ = raw.unmap();
            }
        }
    }
}

/// A map that is cancelled rejects, and nobody waits for it.
fn ignore_rejection(promise: Promise) {
    spawn_local(async move {
        let _ = JsFuture::from(promise).await;
    });
}

/// Copies the mapped bytes out, before anything else can unmap them.
fn take_results(call: &mut Call) -> Result<Vec<ArrayBuffer>, Failure> {
    let mut results = Vec::new();
    let mut failure = None;
    for read in &call.reads {
        let taken = match read.staging.as_ref().and_then(|staging| staging.raw()) {
            Some(raw) => take_bytes(raw, read, &call.label),
            None => Ok(Some(ArrayBuffer::new(0))),
        };
        match taken {
            Ok(Some(bytes)) => results.push(bytes),
            Ok(None) => {}
            Err(refused) => failure = Some(refused),
        }
    }
    match failure {
        Some(failure) => Err(failure),
        None => Ok(results),
    }
}

fn take_bytes(raw: &RawBuffer, read: &Read, label: &str) -> Result<Option<ArrayBuffer>, Failure> {
    let mapped = raw.get_mapped_range(0.0, read.copy_bytes as f64);
    let taken = mapped.map_err(|thrown| map_failed(thrown, label)).and_then(|mapped| match &read.destination {
        Destination::Fresh => copy_range(mapped, read.skip_bytes, read.bytes).map(Some).map_err(|thrown| Failure {
            error: Reason::HostOutOfMemory.at(Operation::Read).with("label", label).with("bytes", read.bytes),
            cause: thrown,
        }),
        Destination::Into(array) if copy_into(&mapped, read.skip_bytes, read.bytes, array) => Ok(None),
        Destination::Into(_) => Err(Reason::Detached.at(Operation::Read).with("argument", "the destination").into()),
    });
    let _ = raw.unmap();
    taken
}

fn map_failed(thrown: JsValue, label: &str) -> Failure {
    let problem = fault(&thrown, Operation::Read).message;
    Failure { error: Reason::MapFailed.at(Operation::Read).with("label", label).with("problem", problem), cause: thrown }
}

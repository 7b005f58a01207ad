//! Answering the calls of a judged flush: at once, when the GPU has finished, or when their bytes are there.

use std::rc::Rc;

use js_sys::{ArrayBuffer, Promise};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;

use super::call::{Call, Destination, Outcome, Read};
use super::device::now;
use super::flush::Flight;
use super::scope::{Failure, Report, fault, judged, judged_later};
use super::webgpu::{RawBuffer, copy_into, copy_range};
use super::{Shared, count};
use crate::error::{Operation, Reason};

impl Shared {
    /// Answers what is left of a judged flush: at once, when the GPU has finished, or when the bytes are there.
    pub(super) async fn finish(&self, flight: Rc<Flight>) {
        self.reject_failed_uploads(&flight).await;
        for place in flight.places(|call| call.cause.is_some()) {
            if let Some(failure) = flight.with(place, |call| call.cause.clone()).flatten() {
                self.refuse(&flight, place, failure, true);
            }
        }
        if self.device.is_lost() {
            for call in flight.take_all() {
                let failure = self.device.lost_failure(call.operation, &call.label);
                self.settle_echo(call, failure);
            }
        }
        for call in flight.calls.borrow_mut().iter_mut().flatten() {
            call.release();
        }
        for (purpose, buffer) in flight.leases.take() {
            self.pool.give_back(purpose, buffer);
        }
        self.is_unverified.set(false);
        self.schedule();
        for place in flight.places(|call| call.reads.is_empty() && !call.waits_for_gpu) {
            self.answer(&flight, place, None);
        }
        if !flight.places(|call| call.waits_for_gpu).is_empty() {
            self.await_gpu(&flight).await;
        }
        for place in flight.places(|call| !call.reads.is_empty()) {
            self.await_reads(&flight, place).await;
        }
        self.land(&flight);
    }

    async fn reject_failed_uploads(&self, flight: &Flight) {
        for place in flight.places(|call| !call.uploads.is_empty()) {
            let uploads = flight.with(place, |call| std::mem::take(&mut call.uploads)).unwrap_or_default();
            for (buffer, reports) in uploads {
                let Some(report) = reports.first().await else { continue };
                let judged = judged_later(&self.device, &report, Operation::Upload, &buffer.label).await;
                let (failure, is_echo) = match flight.with(place, |call| call.failure_of(&buffer)).flatten() {
                    Some(cause) => (cause, true),
                    None => (judged.or("bytes", buffer.alloc_bytes), false),
                };
                self.condemn(flight, place, vec![buffer.id], &failure);
                self.refuse(flight, place, failure, is_echo);
            }
        }
    }

    async fn await_gpu(&self, flight: &Flight) {
        let work_done = flight.work_done.take().unwrap_or_else(|| self.device.work_done());
        let ended = match work_done {
            Ok(promise) => JsFuture::from(promise).await,
            Err(thrown) => Err(thrown),
        };
        let wall_ms = now() - flight.sent_ms;
        let failed = match ended {
            Err(rejection) => {
                self.device.one_task_later().await;
                Some(Report::from(rejection))
            }
            Ok(_) => None,
        };
        for place in flight.places(|call| call.waits_for_gpu) {
            let failure = match &failed {
                Some(report) => flight.with(place, |call| judged(&self.device, report, call.operation, &call.label)),
                None if self.device.is_lost() => {
                    flight.with(place, |call| self.device.lost_failure(call.operation, &call.label))
                }
                None => None,
            };
            match failure {
                Some(failure) => {
                    if let Some(call) = flight.take(place) {
                        self.settle(call, Err(failure));
                    }
                }
                None if flight.with(place, |call| call.reads.is_empty()) == Some(true) => {
                    self.answer(flight, place, Some(wall_ms));
                }
                None => {
                    flight.with(place, |call| call.wall_ms = Some(wall_ms));
                }
            }
        }
    }

    async fn await_reads(&self, flight: &Flight, place: usize) {
        let mut rejection = None;
        for map in flight.with(place, |call| maps(call)).unwrap_or_default() {
            let mapped = match map {
                Ok(promise) => JsFuture::from(promise).await,
                Err(thrown) => Err(thrown),
            };
            rejection = rejection.or(mapped.err());
        }
        let failure = match rejection {
            Some(rejection) => {
                let label = flight.with(place, |call| call.label.clone()).unwrap_or_default();
                Some(judged_later(&self.device, &rejection.into(), Operation::Read, &label).await)
            }
            None if self.device.is_lost() => {
                flight.with(place, |call| self.device.lost_failure(Operation::Read, &call.label))
            }
            None => None,
        };
        match failure {
            Some(failure) => {
                if let Some(call) = flight.take(place) {
                    self.settle(call, Err(failure));
                }
            }
            None => self.answer(flight, place, None),
        }
    }

    fn answer(&self, flight: &Flight, place: usize, wall_ms: Option<f64>) {
        let Some(mut call) = flight.take(place) else { return };
        let outcome = take_results(&mut call).map(|results| {
            count(&self.counters.bytes_read, call.reads.iter().map(|read| read.bytes).sum());
            let wall_ms = wall_ms.or(call.wall_ms);
            Outcome { generation: self.device.generation, attempts: call.attempts, wall_ms, results }
        });
        self.settle(call, outcome);
    }
}

fn maps(call: &Call) -> Vec<Result<Promise, JsValue>> {
    call.reads.iter().filter_map(|read| read.map.clone()).collect()
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
        Destination::Fresh => copy_range(mapped, read.skip_bytes, read.bytes).map(Some).map_err(|thrown| {
            let error = Reason::HostOutOfMemory.at(Operation::Read).with("label", label).with("bytes", read.bytes);
            Failure::new(error, thrown)
        }),
        Destination::Into(array) if copy_into(&mapped, read.skip_bytes, read.bytes, array) => Ok(None),
        Destination::Nowhere => Ok(None),
        Destination::Into(_) => Err(Reason::Detached.at(Operation::Read).with("argument", "the destination").into()),
    });
    let _ = raw.unmap();
    taken
}

fn map_failed(thrown: JsValue, label: &str) -> Failure {
    let problem = fault(&thrown, Operation::Read).message;
    Failure::new(Reason::MapFailed.at(Operation::Read).with("label", label).with("problem", problem), thrown)
}

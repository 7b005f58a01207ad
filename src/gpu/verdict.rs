//! Judging a flush: what its scopes reported, and sending its calls again one by one where the whole was refused.

use std::rc::Rc;

use super::Shared;
use super::call::{Call, Touch};
use super::encode::Encoder;
use super::flush::{Flight, encode, start_maps};
use super::scope::{Failure, Report, Reports, judged, judged_later, trio, validation};
use crate::error::Operation;

impl Shared {
    /// Judges a flush and answers its calls.
    pub(super) async fn verify(self: Rc<Self>, flight: Rc<Flight>, inner: Reports, outer: Reports) {
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
        for call in flight.take_all() {
            let failure = judged(&self.device, report, call.operation, &call.label);
            self.settle(call, Err(failure));
        }
    }

    /// The work ran, but something that was written before it was refused: whoever wrote hears of it.
    async fn reject_writes(&self, flight: &Flight, report: &Report) {
        self.device.one_task_later().await;
        for place in flight.places(Call::has_writes) {
            if let Some(call) = flight.take(place) {
                let failure = judged(&self.device, report, Operation::Upload, &call.label);
                self.settle(call, Err(failure));
            }
        }
    }

    /// Sends each call in a command buffer of its own with scopes of its own, so that the bad ones are found and the
    /// others run. Calls that use what an unverified one changes wait for the verdict, and share it if it is bad.
    pub(super) async fn send_singly(&self, flight: &Rc<Flight>) {
        let mut changed: Vec<u32> = Vec::new();
        let mut tainted: Vec<(u32, Failure)> = Vec::new();
        let mut wave: Vec<(usize, Reports)> = Vec::new();
        for place in flight.places(|_| true) {
            if flight.with(place, |call| call.touches.iter().any(|(buffer, _)| changed.contains(&buffer.id)))
                == Some(true)
            {
                self.judge_wave(flight, std::mem::take(&mut wave), &mut tainted).await;
                changed.clear();
            }
            if self.device.is_lost() {
                break;
            }
            match flight.with(place, |call| inherited(call, &tainted).or_else(|| call.first_cause())).flatten() {
                Some(failure) => self.refuse(flight, place, failure, true, &mut tainted),
                None => {
                    changed
                        .extend(flight.with(place, |call| call.changed_ids().collect::<Vec<_>>()).unwrap_or_default());
                    wave.extend(self.send_one(flight, place).map(|reports| (place, reports)));
                }
            }
        }
        self.judge_wave(flight, wave, &mut tainted).await;
    }

    fn send_one(&self, flight: &Flight, place: usize) -> Option<Reports> {
        let device = &self.device;
        let mut calls = flight.calls.borrow_mut();
        let call = calls.get_mut(place)?.as_mut()?;
        let ((), reports) = trio(device, || {
            unmap_all(call);
            let mut encoder = Encoder::new(self, device);
            encode(&mut encoder, call);
            flight.send_unscoped(device, encoder);
            start_maps(call);
        });
        Some(reports)
    }

    async fn judge_wave(&self, flight: &Flight, wave: Vec<(usize, Reports)>, tainted: &mut Vec<(u32, Failure)>) {
        for (place, reports) in wave {
            let report = reports.first().await.or_else(|| flight.with(place, |call| call.thrown.clone()).flatten());
            let Some(report) = report else { continue };
            let Some((operation, label)) = flight.with(place, |call| (call.operation, call.label.clone())) else {
                continue;
            };
            let mut failure = judged_later(&self.device, &report, operation, &label).await;
            let cause = flight.with(place, |call| call.first_cause()).flatten();
            let is_echo = cause.is_some();
            failure = cause.unwrap_or(failure);
            if let Some(index) = self.guilty_entry(flight, place).await {
                failure = failure.or("index", index);
            }
            self.refuse(flight, place, failure, is_echo, tainted);
        }
    }

    fn refuse(
        &self,
        flight: &Flight,
        place: usize,
        failure: Failure,
        is_echo: bool,
        tainted: &mut Vec<(u32, Failure)>,
    ) {
        let Some(call) = flight.take(place) else { return };
        tainted.extend(call.changed_ids().map(|buffer| (buffer, failure.clone())));
        if is_echo { self.settle_echo(call, failure) } else { self.settle(call, Err(failure)) }
    }

    /// Which entry of a refused batch does not encode, if one alone does not.
    async fn guilty_entry(&self, flight: &Flight, place: usize) -> Option<u32> {
        let last = flight.with(place, |call| call.entries.last().copied()).flatten()?;
        for entry in 0..=last {
            let reports = flight.with(place, |call| {
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
}

/// The failure of an earlier call whose result this one would use.
pub(super) fn inherited(call: &Call, tainted: &[(u32, Failure)]) -> Option<Failure> {
    call.touches
        .iter()
        .filter(|(_, touch)| *touch != Touch::Replaces)
        .find_map(|(buffer, _)| tainted.iter().find(|(id, _)| *id == buffer.id).map(|(_, failure)| failure.clone()))
}

/// Staging that is mapped, or being mapped, cannot be copied to.
fn unmap_all(call: &mut Call) {
    for read in &mut call.reads {
        read.map = None;
        if let Some(raw) = read.staging.as_ref().and_then(|staging| staging.raw()) {
            let _ = raw.unmap();
        }
    }
}

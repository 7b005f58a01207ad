//! Judging a flush: what its scopes reported, and sending its calls again one by one where the whole was refused.

use std::rc::Rc;

use super::Shared;
use super::buffer::Buffer;
use super::call::{Call, Command, condemn};
use super::encode::Encoder;
use super::flush::{Flight, encode, start_maps};
use super::scope::{Failure, Report, Reports, judged, judged_later, trio, validation};
use crate::error::{Operation, Reason};

impl Shared {
    /// Judges a flush and answers its calls.
    pub(super) async fn verify(self: Rc<Self>, flight: Rc<Flight>, inner: Reports, outer: Reports) {
        let (inner, outer) = Reports::both(inner, outer).await;
        let outer = outer.or(flight.thrown.take()).or_else(|| flight.first_thrown());
        match inner.or_else(|| outer.clone().filter(Report::means_loss)) {
            Some(report) if report.means_loss() => self.reject_all(&flight, &report).await,
            Some(_) => {
                self.device.one_task_later().await;
                self.send_singly(&flight).await;
            }
            None => {
                if let Some(report) = outer {
                    self.reject_suspects(&flight, &report).await;
                }
            }
        }
        self.finish(flight).await;
    }

    /// A scope that rejects means that nothing of the flush can be known to have run.
    async fn reject_all(&self, flight: &Flight, report: &Report) {
        self.device.one_task_later().await;
        let is_told = flight.has_waiting();
        for call in flight.take_all() {
            let failure = judged(&self.device, report, call.operation, &call.label);
            if is_told { self.settle_echo(call, failure) } else { self.settle(call, Err(failure)) }
        }
    }

    /// The commands were accepted, but something beside them was refused. A validation error is one of a write: whoever
    /// wrote to a buffer that cannot be written hears of it, and where there is none, everybody who wrote. Whatever else
    /// failed, or is nobody's write, can be anybody's.
    async fn reject_suspects(&self, flight: &Flight, report: &Report) {
        self.device.one_task_later().await;
        let unusable = self.unusable(flight.written()).await;
        let is_write = judged(&self.device, report, Operation::Upload, "").error.reason() == Reason::Validation
            && !flight.places(Call::has_writes).is_empty();
        let is_suspect = |call: &Call| match unusable.as_slice() {
            [] => !is_write || call.has_writes(),
            ids => call.written().any(|buffer| ids.contains(&buffer.id)),
        };
        let is_told = !is_write && flight.has_waiting();
        for place in flight.places(is_suspect) {
            let Some((cause, operation, label)) =
                flight.with(place, |call| (call.first_cause(), call.operation, call.label.clone()))
            else {
                continue;
            };
            let is_echo = cause.is_some() || is_told;
            let operation = if is_write { Operation::Upload } else { operation };
            let failure = cause.unwrap_or_else(|| judged(&self.device, report, operation, &label));
            self.refuse(flight, place, failure, is_echo);
        }
    }

    /// The ids of those buffers that the browser does not let anybody use: it also refuses to clear no bytes of them.
    /// (Firefox takes a write of no bytes to a destroyed buffer.)
    async fn unusable(&self, buffers: Vec<Rc<Buffer>>) -> Vec<u32> {
        let device = &self.device;
        let probe = |buffer: Rc<Buffer>| {
            let ((), reports) = validation(device, || {
                if let Some(wgpu) = buffer.wgpu() {
                    let mut encoder = device.wgpu.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                    encoder.clear_buffer(wgpu, 0, Some(0));
                    device.wgpu_queue.submit([encoder.finish()]);
                }
            });
            (buffer.id, reports)
        };
        let mut ids = Vec::new();
        for (id, reports) in buffers.into_iter().map(probe).collect::<Vec<_>>() {
            if reports.first().await.is_some() {
                ids.push(id);
            }
        }
        ids
    }

    /// Sends each call in a command buffer of its own with scopes of its own, so that the bad ones are found and the
    /// others run. Calls that use what an unverified one changes wait for the verdict, and share it if it is bad.
    pub(super) async fn send_singly(&self, flight: &Rc<Flight>) {
        let mut changed: Vec<u32> = Vec::new();
        let mut wave: Vec<(usize, Reports)> = Vec::new();
        for place in flight.places(|_| true) {
            if flight.with(place, |call| call.touches.iter().any(|(buffer, _)| changed.contains(&buffer.id)))
                == Some(true)
            {
                self.judge_wave(flight, std::mem::take(&mut wave)).await;
                changed.clear();
            }
            if self.device.is_lost() {
                break;
            }
            let excess = if self.is_strict { self.excess_counts(flight, place).await } else { None };
            match (flight.with(place, |call| call.first_cause()).flatten(), excess) {
                (Some(failure), _) => self.refuse(flight, place, failure, true),
                (None, Some(failure)) => self.refuse(flight, place, failure, false),
                (None, None) => {
                    changed
                        .extend(flight.with(place, |call| call.changed_ids().collect::<Vec<_>>()).unwrap_or_default());
                    wave.extend(self.send_one(flight, place).map(|reports| (place, reports)));
                }
            }
        }
        self.judge_wave(flight, wave).await;
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

    async fn judge_wave(&self, flight: &Flight, wave: Vec<(usize, Reports)>) {
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
            self.refuse(flight, place, failure, is_echo);
        }
    }

    /// Answers a call that failed, and lets those fail too that were recorded behind it and depend on it.
    pub(super) fn refuse(&self, flight: &Flight, place: usize, failure: Failure, is_echo: bool) {
        let Some(call) = flight.take(place) else { return };
        self.condemn(flight, place, call.changed_ids().collect(), &failure);
        if is_echo { self.settle_echo(call, failure) } else { self.settle(call, Err(failure)) }
    }

    pub(super) fn condemn(&self, flight: &Flight, place: usize, spoiled: Vec<u32>, failure: &Failure) {
        let (mut calls, mut pending) = (flight.calls.borrow_mut(), self.pending.borrow_mut());
        condemn(calls.iter_mut().skip(place + 1).flatten().chain(pending.iter_mut()), spoiled, failure);
    }

    /// Which entry of a refused batch uses a buffer that cannot be used, or does not encode alone.
    async fn guilty_entry(&self, flight: &Flight, place: usize) -> Option<u32> {
        let last = flight.with(place, |call| call.entries.last().copied()).flatten()?;
        // Not pooled ones: nobody else has them, and staging is mapped by now.
        let buffers = flight.with(place, |call| {
            let buffers = call.commands.iter().flat_map(Command::buffers);
            distinct(buffers.filter(|buffer| !call.has_leased(buffer)))
        })?;
        let unusable = self.unusable(buffers).await;
        let uses = |command: &Command| command.buffers().any(|buffer| unusable.contains(&buffer.id));
        if let Some(entry) = flight.with(place, |call| call.entry_where(uses)).flatten() {
            return Some(entry);
        }
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

impl Flight {
    fn first_thrown(&self) -> Option<Report> {
        self.calls.borrow().iter().flatten().find_map(|call| call.thrown.clone())
    }

    /// Whether somebody waits for one of its calls: a failure of them all is then told.
    fn has_waiting(&self) -> bool {
        self.calls.borrow().iter().flatten().any(|call| call.done.is_some())
    }

    /// The buffers that host bytes were written to.
    fn written(&self) -> Vec<Rc<Buffer>> {
        distinct(self.calls.borrow().iter().flatten().flat_map(Call::written))
    }
}

/// Each buffer once. Compared one by one: sorting would cost more code than a refused flush is worth.
fn distinct<'a>(buffers: impl Iterator<Item = &'a Rc<Buffer>>) -> Vec<Rc<Buffer>> {
    let mut distinct: Vec<Rc<Buffer>> = Vec::new();
    for buffer in buffers {
        if !distinct.iter().any(|known| known.id == buffer.id) {
            distinct.push(buffer.clone());
        }
    }
    distinct
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

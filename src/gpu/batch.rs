//! A batch: several recorded steps that are one call, all or nothing.

use js_sys::Object;

use super::Gpu;
use super::call::{Call, Done};
use super::dispatch::{BoundKernel, Request, Target};
use super::handle::Handle;
use super::scope::Failure;
use crate::error::Operation;
use crate::plan::Place;

/// Calls recorded between `begin` and `end`: one call, all or nothing.
pub struct Batch {
    call: Call,
    entry: u32,
}

impl Batch {
    /// An empty batch.
    pub fn new(label: Option<String>) -> Batch {
        Batch { call: Call::new(0, label.unwrap_or_else(|| "batch".to_owned()), Operation::Dispatch, None), entry: 0 }
    }

    /// Adds an entry; commands it made carry its number, and so does its failure.
    fn entry<R>(&mut self, add: impl FnOnce(&mut Call) -> Result<R, Failure>) -> Result<R, Failure> {
        let entry = self.entry;
        let result = add(&mut self.call).map_err(|failure| failure.or("index", entry));
        self.call.entries.resize(self.call.commands.len(), entry);
        self.entry += 1;
        result
    }

    /// Adds a dispatch.
    ///
    /// # Errors
    /// As [`Gpu::dispatch`], with the entry's `index`.
    pub fn dispatch(&mut self, gpu: &Gpu, request: &Request) -> Result<(), Failure> {
        self.entry(|call| gpu.dispatch_to(call, request, Place::Resident))
    }

    /// Adds a dispatch of a bound kernel.
    ///
    /// # Errors
    /// As [`Gpu::dispatch_bound`], with the entry's `index`.
    pub fn dispatch_bound(&mut self, gpu: &Gpu, bound: &BoundKernel, target: &Target) -> Result<(), Failure> {
        self.entry(|call| gpu.dispatch_bound_to(call, bound, target))
    }

    /// Adds a write; the buffer keeps its contents if the batch is refused.
    ///
    /// # Errors
    /// As [`Gpu::write`], with the entry's `index`.
    pub fn write(&mut self, gpu: &Gpu, handle: &Handle, view: &Object, offset: f64) -> Result<(), Failure> {
        self.entry(|call| gpu.write_to(call, handle, view, offset, true))
    }

    /// Adds a copy of a whole buffer.
    ///
    /// # Errors
    /// As [`Gpu::copy`], with the entry's `index`.
    pub fn copy(&mut self, gpu: &Gpu, src: &Handle, dst: &Handle) -> Result<(), Failure> {
        self.entry(|call| gpu.copy_to(call, src, dst, (None, None), None))
    }

    /// Adds a read of a whole buffer; gives its place among the results.
    ///
    /// # Errors
    /// As [`Gpu::read`], with the entry's `index`.
    pub fn read(&mut self, gpu: &Gpu, handle: &Handle) -> Result<usize, Failure> {
        self.entry(|call| {
            gpu.read_from(call, handle, (None, None), None)?;
            Ok(call.reads.len() - 1)
        })
    }

    /// Records the batch as one call.
    pub fn end(mut self, gpu: &Gpu, key: u32, waits_for_gpu: bool, done: Done) {
        self.call.key = key;
        self.call.done = Some(done);
        self.call.waits_for_gpu = waits_for_gpu;
        for (buffer, _) in &self.call.touches {
            buffer.note_heard();
        }
        gpu.record(self.call);
    }

    /// Forgets all of it.
    pub fn cancel(mut self, gpu: &Gpu) {
        self.call.release();
        gpu.0.give_back(&mut self.call);
    }
}

//! GPU buffers: made under their own scopes, counted, and destroyed when their last owner lets go.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::Done;
use super::device::Device;
use super::scope::{Failure, Report, judged, judged_later, trio};
use super::webgpu::{RawBuffer, adopting, buffer_descriptor, usage};
use crate::error::Operation;

/// Usage of every buffer a user can hold: bound, copied both ways, read as indirect arguments, drawn from.
pub const USER_USAGE: u32 = usage::STORAGE | usage::COPY_SRC | usage::COPY_DST | usage::INDIRECT | usage::VERTEX;

/// How many bytes of GPU memory a Gpu holds.
#[derive(Default)]
pub struct Ledger {
    live_bytes: Cell<u64>,
    /// The part of them that the browser may still refuse.
    unsure_bytes: Cell<u64>,
    peak_bytes: Cell<u64>,
    buffers: Cell<u32>,
}

impl Ledger {
    /// Bytes held now, pooled ones included.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes.get()
    }

    /// The most that was ever held at once.
    pub fn peak_bytes(&self) -> u64 {
        self.peak_bytes.get()
    }

    /// GPU buffers held now.
    pub fn buffers(&self) -> u32 {
        self.buffers.get()
    }

    fn add(&self, bytes: u64) {
        self.live_bytes.set(self.live_bytes.get() + bytes);
        self.unsure_bytes.set(self.unsure_bytes.get() + bytes);
        self.buffers.set(self.buffers.get() + 1);
    }

    /// Notes that the browser has judged a creation.
    fn make_sure(&self, bytes: u64) {
        self.unsure_bytes.set(self.unsure_bytes.get().saturating_sub(bytes));
        let sure_bytes = self.live_bytes.get().saturating_sub(self.unsure_bytes.get());
        self.peak_bytes.set(self.peak_bytes.get().max(sure_bytes));
    }

    fn remove(&self, bytes: u64) {
        self.live_bytes.set(self.live_bytes.get().saturating_sub(bytes));
        self.buffers.set(self.buffers.get().saturating_sub(1));
    }
}

/// The GPU objects of a buffer that exists.
struct Allocation {
    wgpu: wgpu::Buffer,
    raw: RawBuffer,
    ledger: Rc<Ledger>,
    is_counted: Cell<bool>,
}

impl Allocation {
    /// Counts it off, once.
    fn forget(&self, bytes: u64) {
        if self.is_counted.replace(false) {
            self.ledger.remove(bytes);
        }
    }
}

/// One GPU buffer. Dropping the last `Rc` frees its memory, and so does `destroy()` before that.
pub struct Buffer {
    /// Unique in this wasm instance; bind groups and aliasing go by it.
    pub id: u32,
    /// What the browser's messages call it.
    pub label: String,
    /// Bytes allocated.
    pub alloc_bytes: u64,
    allocation: Option<Allocation>,
    failure: RefCell<Option<Failure>>,
    settled: Cell<bool>,
    waiting: RefCell<Vec<Done>>,
    /// Calls recorded or unverified that touch it.
    uses: Cell<u32>,
    /// Whether its owner let go, so that its memory is freed with the last use.
    is_destroyed: Cell<bool>,
    /// Whether a call or a waiter will report that it does not exist.
    is_heard: Cell<bool>,
    /// The last submission whose encoder touched it.
    mark: Cell<u32>,
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.free();
    }
}

impl Buffer {
    /// Creates a buffer; what the browser says of it arrives later, through [`Buffer::failure`] and `unheard`, which is
    /// called when nobody waits for it.
    pub fn create(
        device: &Rc<Device>,
        ledger: &Rc<Ledger>,
        id: u32,
        alloc_bytes: u64,
        usage: u32,
        label: String,
        unheard: impl FnOnce(Failure) + 'static,
    ) -> Rc<Buffer> {
        let descriptor = buffer_descriptor(alloc_bytes, usage, &label);
        let (created, reports) = trio(device, || device.raw.create_buffer(&descriptor));
        let (allocation, thrown) = match created {
            Ok(raw) => (Some(adopt(device, ledger, raw, alloc_bytes, usage)), None),
            Err(thrown) => (None, Some(Report::from(thrown))),
        };
        let refusal = thrown.as_ref().map(|report| judged(device, report, Operation::Upload, &label));
        let buffer = Rc::new(Buffer {
            id,
            label,
            alloc_bytes,
            allocation,
            failure: RefCell::new(refusal),
            settled: Cell::new(false),
            waiting: RefCell::new(Vec::new()),
            uses: Cell::new(0),
            is_destroyed: Cell::new(false),
            is_heard: Cell::new(false),
            mark: Cell::new(0),
        });
        let (device, creating) = (device.clone(), buffer.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let label = &creating.label;
            let failure = match thrown.or(reports.first().await) {
                Some(report) => Some(judged_later(&device, &report, Operation::Upload, label).await),
                None if device.is_lost() => Some(device.lost_failure(Operation::Upload, label)),
                None => None,
            };
            creating.settle(failure.map(|failure| failure.or("bytes", alloc_bytes)), unheard);
        });
        buffer
    }

    /// A buffer that was refused before the browser was asked; `unheard` is called when nobody asked by the end of the
    /// task.
    pub fn refused(id: u32, label: String, failure: Failure, unheard: impl FnOnce(Failure) + 'static) -> Rc<Buffer> {
        let buffer = Rc::new(Buffer {
            id,
            label,
            alloc_bytes: 0,
            allocation: None,
            failure: RefCell::new(Some(failure.clone())),
            settled: Cell::new(false),
            waiting: RefCell::new(Vec::new()),
            uses: Cell::new(0),
            is_destroyed: Cell::new(false),
            is_heard: Cell::new(false),
            mark: Cell::new(0),
        });
        let settling = buffer.clone();
        wasm_bindgen_futures::spawn_local(async move { settling.settle(Some(failure), unheard) });
        buffer
    }

    fn settle(&self, failure: Option<Failure>, unheard: impl FnOnce(Failure)) {
        self.settled.set(true);
        if let Some(allocation) = &self.allocation {
            if failure.is_some() {
                allocation.forget(self.alloc_bytes);
            }
            allocation.ledger.make_sure(self.alloc_bytes);
        }
        self.failure.replace(failure.clone());
        let waiting = self.waiting.take();
        match failure {
            Some(failure) if waiting.is_empty() && !self.is_heard.get() => unheard(failure),
            Some(failure) => waiting.into_iter().for_each(|done| done(Err(failure.clone()))),
            None => waiting.into_iter().for_each(|done| done(Ok(Default::default()))),
        }
    }

    /// Calls `done` once the browser has said whether the buffer exists.
    pub fn when_ready(&self, done: Done) {
        match (self.settled.get(), self.failure()) {
            (true, Some(failure)) => done(Err(failure)),
            (true, None) => done(Ok(Default::default())),
            (false, _) => self.waiting.borrow_mut().push(done),
        }
    }

    /// Why it does not exist, as far as is known.
    pub fn failure(&self) -> Option<Failure> {
        self.failure.borrow().clone()
    }

    /// Whether its creation threw and it is not known yet why: a loss behind that may still show.
    pub fn is_doubtful(&self) -> bool {
        self.allocation.is_none() && !self.settled.get() && self.failure().is_some_and(|known| known.cause.is_object())
    }

    /// wgpu's buffer, if it exists.
    pub fn wgpu(&self) -> Option<&wgpu::Buffer> {
        self.allocation.as_ref().map(|allocation| &allocation.wgpu)
    }

    /// The browser's buffer, if it exists.
    pub fn raw(&self) -> Option<&RawBuffer> {
        self.allocation.as_ref().map(|allocation| &allocation.raw)
    }

    /// Notes that a call will report that it does not exist, so that no event needs to.
    pub fn note_heard(&self) {
        self.is_heard.set(true);
    }

    /// Whether a recorded or unverified call touches it.
    pub fn is_in_use(&self) -> bool {
        self.uses.get() > 0
    }

    /// Notes that the encoder of this submission touches it.
    pub fn mark(&self, submission: u32) {
        self.mark.set(submission);
    }

    /// Whether that encoder does.
    pub fn is_marked(&self, submission: u32) -> bool {
        self.mark.get() == submission
    }

    /// Counts a call that touches it.
    pub fn begin_use(&self) {
        self.uses.set(self.uses.get() + 1);
    }

    /// Counts that call off again.
    pub fn end_use(&self) {
        self.uses.set(self.uses.get().saturating_sub(1));
        self.free_unused();
    }

    /// Frees the memory once no recorded call needs it, whoever else still holds the buffer.
    pub fn destroy(&self) {
        self.is_destroyed.set(true);
        self.free_unused();
    }

    fn free_unused(&self) {
        if self.is_destroyed.get() && !self.is_in_use() {
            self.free();
        }
    }

    fn free(&self) {
        if let Some(allocation) = &self.allocation {
            allocation.raw.destroy();
            allocation.forget(self.alloc_bytes);
        }
    }
}

fn adopt(device: &Device, ledger: &Rc<Ledger>, raw: RawBuffer, alloc_bytes: u64, usage: u32) -> Allocation {
    let wgpu = adopting(device.raw.as_ref(), "createBuffer", raw.as_ref(), || {
        device.wgpu.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: alloc_bytes,
            usage: wgpu::BufferUsages::from_bits_truncate(usage),
            mapped_at_creation: false,
        })
    });
    ledger.add(alloc_bytes);
    Allocation { wgpu, raw, ledger: ledger.clone(), is_counted: Cell::new(true) }
}

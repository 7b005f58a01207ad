//! Carries plans out: makes, encodes, submits, maps, and hands every report of the browser to its call.
//!
//! No arithmetic on sizes (that is [`crate::plan`]) and no decision on errors (that is [`crate::fault`]) is made here.

mod acquire;
mod answer;
mod batch;
mod buffer;
mod call;
mod compile;
mod counts;
mod device;
mod dispatch;
mod encode;
mod flush;
mod handle;
mod kernel;
mod life;
mod pool;
mod scope;
mod transfer;
mod verdict;
mod webgpu;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

pub use acquire::{AcquireOptions, WantedLimits};
pub use batch::Batch;
pub use buffer::Buffer;
pub use call::{Call, Done, Outcome, Workgroups};
pub use device::{AdapterInfo, Device};
pub use dispatch::{Argument, BoundKernel, CallOptions, Request, Target};
pub use handle::Handle;
pub use kernel::{Compiled, Kernel};
pub use scope::{Failure, fault};
pub use webgpu::{bytes_of, get, set};

use buffer::Ledger;
use flush::Flight;
use pool::{Pool, Purpose};

use crate::plan;

/// Something no call can be told.
pub enum Event {
    /// A failure nobody waits for.
    Uncaptured(Failure),
    /// The device was lost.
    Lost(Failure),
}

/// Counts since the Gpu was acquired.
#[derive(Default)]
pub struct Counters {
    /// Dispatches recorded.
    pub dispatches: Cell<u64>,
    /// Submissions.
    pub flushes: Cell<u64>,
    /// Bytes sent.
    pub bytes_uploaded: Cell<u64>,
    /// Bytes received.
    pub bytes_read: Cell<u64>,
    /// Devices lost.
    pub losses: Cell<u64>,
}

fn count(counter: &Cell<u64>, more: u64) {
    counter.set(counter.get() + more);
}

/// Whether a Gpu takes calls.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum State {
    /// It does.
    Ready,
    /// Its device is lost.
    Failed,
    /// `close()` was called.
    Closed,
}

/// One Gpu: a device, what is recorded for it and what is under way on it.
#[derive(Clone)]
pub struct Gpu(Rc<Shared>);

/// What a Gpu's parts share.
pub struct Shared {
    device: Rc<Device>,
    ledger: Rc<Ledger>,
    pool: Pool,
    counters: Counters,
    memory_budget_bytes: Option<u64>,
    is_strict: bool,
    state: Cell<State>,
    pending: RefCell<VecDeque<Call>>,
    flights: RefCell<Vec<Rc<Flight>>>,
    is_scheduled: Cell<bool>,
    is_unverified: Cell<bool>,
    /// Kernels whose compile is under way, timed out ones too.
    compiling: RefCell<Vec<Rc<Kernel>>>,
    notify: Box<dyn Fn(Event)>,
    /// For the tasks this starts.
    this: Weak<Shared>,
}

thread_local! {
    static NEXT_ID: Cell<u32> = const { Cell::new(1) };
}

impl Shared {
    /// A number no other buffer, submission or handle of this wasm instance has.
    pub fn next_id(&self) -> u32 {
        next_id()
    }

    /// A pooled buffer of at least this many bytes, with whatever contents the last use left. The call that leases it
    /// asks for its failure.
    fn lease(&self, purpose: Purpose, bytes: u64, budget: Option<u64>) -> Rc<Buffer> {
        let bytes = plan::pooled_bytes(bytes, self.device.limits.max_buffer_bytes);
        let make = || self.allocate(next_id(), bytes, purpose.usage(), purpose.label().to_owned(), budget, |_| {});
        self.pool.take(purpose, bytes).unwrap_or_else(make)
    }

    /// A new buffer, unless the budget refuses it; idle pooled buffers go first.
    fn allocate(
        &self,
        id: u32,
        bytes: u64,
        usage: u32,
        label: String,
        budget: Option<u64>,
        unheard: impl FnOnce(Failure) + 'static,
    ) -> Rc<Buffer> {
        let check = || plan::budget(self.ledger.live_bytes(), bytes, budget, &label);
        let checked = check().or_else(|_| {
            self.pool.clear();
            check()
        });
        match checked {
            Ok(()) => Buffer::create(&self.device, &self.ledger, id, bytes, usage, label, unheard),
            Err(error) => Buffer::refused(id, label, error.into(), unheard),
        }
    }

    fn tell(&self, event: Event) {
        (self.notify)(event);
    }
}

/// A number unique in this wasm instance, never 0.
pub fn next_id() -> u32 {
    NEXT_ID.with(|next| {
        let id = next.get();
        next.set(id.checked_add(1).unwrap_or(1));
        id
    })
}

impl Gpu {
    /// Acquires a device and makes a Gpu of it. `notify` hears what no call can be told.
    ///
    /// # Errors
    /// `UnsupportedFeature`, `DeviceLost` or `Unknown`, as what the browser answers.
    pub async fn acquire(options: AcquireOptions, notify: Box<dyn Fn(Event)>) -> Result<Gpu, Failure> {
        let device = acquire::acquire(&options, 1).await?;
        let gpu = Gpu(Rc::new_cyclic(|this| Shared {
            device,
            ledger: Rc::default(),
            pool: Pool::default(),
            counters: Counters::default(),
            memory_budget_bytes: options.memory_budget_bytes,
            is_strict: options.strict,
            state: Cell::new(State::Ready),
            pending: RefCell::default(),
            flights: RefCell::default(),
            is_scheduled: Cell::new(false),
            is_unverified: Cell::new(false),
            compiling: RefCell::default(),
            notify,
            this: this.clone(),
        }));
        gpu.0.listen();
        Ok(gpu)
    }

    /// The device in use.
    pub fn device(&self) -> &Rc<Device> {
        &self.0.device
    }

    /// Whether it takes calls.
    pub fn state(&self) -> State {
        self.0.state.get()
    }

    /// Counts since it was acquired.
    pub fn counters(&self) -> &Counters {
        &self.0.counters
    }

    /// Bytes of GPU memory held now, the most ever held, buffers held, and bytes idle in the pool.
    pub fn memory(&self) -> (u64, u64, u32, u64) {
        let ledger = &self.0.ledger;
        (ledger.live_bytes(), ledger.peak_bytes(), ledger.buffers(), self.0.pool.idle_bytes())
    }
}

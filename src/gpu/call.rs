//! What is recorded: calls made of commands, as data.

use std::rc::Rc;

use js_sys::{ArrayBuffer, Object, Promise, Uint8Array};
use wasm_bindgen::JsValue;

use super::buffer::Buffer;
use super::kernel::Kernel;
use super::pool::Purpose;
use super::scope::{Failure, Report, Reports};
use crate::error::Operation;

/// What a call came to.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The device that ran it.
    pub generation: u32,
    /// How often it was sent.
    pub attempts: u32,
    /// Milliseconds from submission to the end of the work, where asked for.
    pub wall_ms: Option<f64>,
    /// What it read, in order.
    pub results: Vec<ArrayBuffer>,
}

/// Told once, with what a call came to.
pub type Done = Box<dyn FnOnce(Result<Outcome, Failure>)>;

/// Where workgroup counts come from.
#[derive(Clone)]
pub enum Workgroups {
    /// The host.
    Counts([u32; 3]),
    /// Three `u32` in a buffer.
    Indirect(Rc<Buffer>, u64),
}

/// The values of one dispatch's uniforms: packed bytes, and where each binding's part starts in them.
#[derive(Clone, Default)]
pub struct Uniforms {
    /// All parts, each on the device's offset alignment.
    pub bytes: Vec<u8>,
    /// Start and length of each uniform binding's part, in the order of the bindings.
    pub parts: Vec<(u64, u64)>,
}

/// A storage binding's argument.
#[derive(Clone)]
pub struct Bound {
    /// The buffer.
    pub buffer: Rc<Buffer>,
    /// Where the binding starts.
    pub byte_offset: u64,
    /// How much it covers.
    pub byte_len: u64,
}

/// One thing the GPU does.
pub enum Command {
    /// Runs a kernel.
    Dispatch { kernel: Rc<Kernel>, storage: Rc<[Bound]>, uniforms: Uniforms, workgroups: Workgroups },
    /// Copies bytes.
    Copy { src: Rc<Buffer>, src_offset: u64, dst: Rc<Buffer>, dst_offset: u64, bytes: u64 },
    /// Sets bytes to zero.
    Clear { dst: Rc<Buffer>, offset: u64, bytes: u64 },
    /// Writes host bytes, taken when the call was made.
    Write { dst: Rc<Buffer>, offset: u64, bytes: Uint8Array },
}

/// Where bytes that were read go.
pub enum Destination {
    /// A fresh array, one of the call's results.
    Fresh,
    /// The caller's array.
    Into(Object),
    /// Nobody wants them any more.
    Nowhere,
}

/// Bytes to map once the call has run.
pub struct Read {
    /// The staging buffer they were copied to; none where nothing is wanted.
    pub staging: Option<Rc<Buffer>>,
    /// Bytes copied to it.
    pub copy_bytes: u64,
    /// Where the wanted bytes start in it.
    pub skip_bytes: u64,
    /// How many are wanted.
    pub bytes: u64,
    /// Where they go.
    pub destination: Destination,
    /// The map under way, once the copy was sent.
    pub map: Option<Result<Promise, JsValue>>,
}

/// How a call uses a buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Touch {
    /// Contents matter to it.
    Reads,
    /// It changes contents, and they matter to it.
    Changes,
    /// It overwrites a part without looking.
    Overwrites,
    /// It overwrites all of it without looking.
    Replaces,
}

impl Touch {
    /// How bytes that come from elsewhere touch the buffer they go to.
    pub fn overwriting(buffer: &Buffer, offset: u64, bytes: u64) -> Touch {
        if offset == 0 && bytes == buffer.alloc_bytes { Touch::Replaces } else { Touch::Overwrites }
    }
}

/// A pooled buffer on loan.
pub type Lease = (Purpose, Rc<Buffer>);

/// One call of the user: what it does, what it touches, who hears of it.
pub struct Call {
    /// JavaScript's number for it; 0 where nobody waits.
    pub key: u32,
    /// What errors call it.
    pub label: String,
    /// What errors say was being done.
    pub operation: Operation,
    /// In order.
    pub commands: Vec<Command>,
    /// For each command, which entry of a batch it belongs to; empty outside batches.
    pub entries: Vec<u32>,
    /// Every buffer the commands touch.
    pub touches: Vec<(Rc<Buffer>, Touch)>,
    /// The buffers behind its `out` and `inout` arguments, with how many bytes to read of each.
    pub outputs: Vec<(Rc<Buffer>, u64)>,
    /// What to map afterwards.
    pub reads: Vec<Read>,
    /// Writes that were sent when the call was made, with what their scopes will say.
    pub uploads: Vec<(Rc<Buffer>, Reports)>,
    /// What the browser threw while it was encoded.
    pub thrown: Option<Report>,
    /// Why it must not succeed although nothing is wrong with it: what it depends on failed.
    pub cause: Option<Failure>,
    /// How often it was sent.
    pub attempts: u32,
    /// Pooled buffers it holds.
    pub leases: Vec<Lease>,
    /// Whether it waits for every call recorded before it.
    pub is_barrier: bool,
    /// Whether it resolves only when the GPU has finished.
    pub waits_for_gpu: bool,
    /// How long it took, once the GPU has finished it and its bytes are still under way.
    pub wall_ms: Option<f64>,
    /// Who hears of it; nobody for a write, whose failure becomes an event.
    pub done: Option<Done>,
}

impl Command {
    /// The buffers it uses.
    pub fn buffers(&self) -> impl Iterator<Item = &Rc<Buffer>> {
        let (bound, others): (&[Bound], [Option<&Rc<Buffer>>; 2]) = match self {
            Command::Dispatch { storage, workgroups: Workgroups::Indirect(counts, _), .. } => {
                (storage, [Some(counts), None])
            }
            Command::Dispatch { storage, .. } => (storage, [None; 2]),
            Command::Copy { src, dst, .. } => (&[], [Some(src), Some(dst)]),
            Command::Clear { dst, .. } | Command::Write { dst, .. } => (&[], [Some(dst), None]),
        };
        bound.iter().map(|bound| &bound.buffer).chain(others.into_iter().flatten())
    }

    /// The kernel it runs.
    fn kernel(&self) -> Option<&Rc<Kernel>> {
        match self {
            Command::Dispatch { kernel, .. } => Some(kernel),
            _ => None,
        }
    }
}

impl Call {
    /// An empty call.
    pub fn new(key: u32, label: String, operation: Operation, done: Option<Done>) -> Call {
        Call {
            key,
            label,
            operation,
            commands: Vec::new(),
            entries: Vec::new(),
            touches: Vec::new(),
            outputs: Vec::new(),
            reads: Vec::new(),
            uploads: Vec::new(),
            thrown: None,
            cause: None,
            attempts: 0,
            leases: Vec::new(),
            is_barrier: false,
            waits_for_gpu: false,
            wall_ms: None,
            done,
        }
    }

    /// Notes that the call touches this buffer.
    pub fn touch(&mut self, buffer: &Rc<Buffer>, touch: Touch) {
        buffer.begin_use();
        if self.done.is_some() {
            buffer.note_heard();
        }
        self.touches.push((buffer.clone(), touch));
    }

    /// Why it cannot succeed, as far as is known: its cause, or the first buffer or kernel that does not exist.
    pub fn first_cause(&self) -> Option<Failure> {
        self.cause.clone().or_else(|| {
            let missing = self.touches.iter().find_map(|(buffer, _)| self.failure_of(buffer));
            let failure = missing.or_else(|| self.kernels().find_map(|kernel| kernel.failure()))?;
            let lacks = |command: &Command| {
                command.buffers().any(|buffer| buffer.failure().is_some())
                    || command.kernel().is_some_and(|kernel| kernel.failure().is_some())
            };
            Some(match self.entry_where(lacks) {
                Some(entry) => failure.or("index", entry),
                None => failure,
            })
        })
    }

    /// A pooled buffer that does not exist goes by the name of the call that wanted it.
    pub fn failure_of(&self, buffer: &Rc<Buffer>) -> Option<Failure> {
        let failure = buffer.failure()?;
        Some(if self.has_leased(buffer) { failure.labelled(&self.label) } else { failure })
    }

    /// Whether it took the buffer from the pool.
    pub fn has_leased(&self, buffer: &Rc<Buffer>) -> bool {
        self.leases.iter().any(|(_, leased)| Rc::ptr_eq(leased, buffer))
    }

    /// The entry of a batch that the first such command belongs to.
    pub fn entry_where(&self, is_wanted: impl Fn(&Command) -> bool) -> Option<u32> {
        self.commands.iter().zip(&self.entries).find(|(command, _)| is_wanted(command)).map(|(_, entry)| *entry)
    }

    /// The kernels it runs.
    pub fn kernels(&self) -> impl Iterator<Item = &Rc<Kernel>> {
        self.commands.iter().filter_map(Command::kernel)
    }

    /// Whether contents of one of these buffers matter to it.
    fn depends_on(&self, spoiled: &[u32]) -> bool {
        let mut replaced: Vec<u32> = Vec::new();
        self.touches.iter().any(|(buffer, touch)| match touch {
            Touch::Reads | Touch::Changes => spoiled.contains(&buffer.id) && !replaced.contains(&buffer.id),
            Touch::Overwrites => false,
            Touch::Replaces => {
                replaced.push(buffer.id);
                false
            }
        })
    }

    fn replaces(&self, id: u32) -> bool {
        self.touches.iter().any(|(buffer, touch)| buffer.id == id && *touch == Touch::Replaces)
    }

    /// Whether nothing comes of it: a write of no bytes, say.
    pub fn is_nothing(&self) -> bool {
        self.done.is_none() && self.commands.is_empty() && self.uploads.is_empty()
    }

    /// The buffers it writes host bytes to.
    pub fn written(&self) -> impl Iterator<Item = &Rc<Buffer>> {
        self.commands.iter().filter_map(|command| match command {
            Command::Write { dst, .. } => Some(dst),
            _ => None,
        })
    }

    /// Whether it sends host bytes with the flush.
    pub fn has_writes(&self) -> bool {
        self.commands.iter().any(|command| match command {
            Command::Write { .. } => true,
            Command::Dispatch { uniforms, .. } => !uniforms.parts.is_empty(),
            _ => false,
        })
    }

    /// The ids of the buffers it changes.
    pub fn changed_ids(&self) -> impl Iterator<Item = u32> {
        self.touches.iter().filter(|(_, touch)| *touch != Touch::Reads).map(|(buffer, _)| buffer.id)
    }

    /// Lets go of the buffers it touches: it has run, or never will.
    pub fn release(&mut self) {
        for (buffer, _) in self.touches.drain(..) {
            buffer.end_use();
        }
        self.commands.clear();
    }

    /// Gives the outcome to whoever waits; gives a failure nobody waits for back.
    pub fn settle(mut self, outcome: Result<Outcome, Failure>) -> Option<Failure> {
        self.release();
        match (self.done.take(), outcome) {
            (Some(done), outcome) => {
                done(outcome);
                None
            }
            (None, Err(failure)) => Some(failure),
            (None, Ok(_)) => None,
        }
    }
}

/// Lets the calls after a failed one fail as well where they depend on what it would have put into these buffers.
pub fn condemn<'a>(later: impl Iterator<Item = &'a mut Call>, mut spoiled: Vec<u32>, failure: &Failure) {
    for call in later {
        if call.depends_on(&spoiled) {
            call.cause.get_or_insert_with(|| failure.clone());
            spoiled.extend(call.changed_ids());
        } else {
            spoiled.retain(|id| !call.replaces(*id));
        }
    }
}

//! Buffers the package keeps for itself and uses again: staging for reads, scratch for uploads and results, pages of
//! uniforms.

use std::cell::RefCell;
use std::rc::Rc;

use super::buffer::Buffer;
use super::webgpu::usage;
use crate::plan;

/// What a pooled buffer is for.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Purpose {
    /// Mapped to read results back.
    Staging,
    /// Holds an array or a result for one call.
    Scratch,
    /// Holds the uniforms of a flush.
    Uniforms,
}

impl Purpose {
    pub(super) const fn usage(self) -> u32 {
        match self {
            Purpose::Staging => usage::MAP_READ | usage::COPY_DST,
            Purpose::Scratch => usage::STORAGE | usage::COPY_SRC | usage::COPY_DST,
            Purpose::Uniforms => usage::UNIFORM | usage::COPY_DST,
        }
    }

    pub(super) const fn label(self) -> &'static str {
        match self {
            Purpose::Staging => "pool:staging",
            Purpose::Scratch => "pool:scratch",
            Purpose::Uniforms => "pool:uniforms",
        }
    }
}

/// Idle buffers, oldest first.
#[derive(Default)]
pub struct Pool {
    idle: RefCell<Vec<(Purpose, Rc<Buffer>)>>,
}

impl Pool {
    /// An idle buffer of exactly this many bytes, with whatever contents the last use left.
    pub fn take(&self, purpose: Purpose, alloc_bytes: u64) -> Option<Rc<Buffer>> {
        let mut idle = self.idle.borrow_mut();
        let fits = |(idle_purpose, buffer): &(Purpose, Rc<Buffer>)| {
            *idle_purpose == purpose && buffer.alloc_bytes == alloc_bytes
        };
        let index = idle.iter().rposition(fits)?;
        Some(idle.remove(index).1)
    }

    /// Takes a buffer back once no call can touch it any more; the oldest idle ones go when there are too many.
    pub fn give_back(&self, purpose: Purpose, buffer: Rc<Buffer>) {
        if buffer.failure().is_some() {
            return;
        }
        let mut idle = self.idle.borrow_mut();
        idle.push((purpose, buffer));
        let mut bytes: u64 = idle.iter().map(|(_, buffer)| buffer.alloc_bytes).sum();
        let mut surplus = 0;
        for (_, buffer) in idle.iter() {
            if bytes <= plan::MAX_IDLE_BYTES && idle.len() - surplus <= plan::MAX_IDLE_BUFFERS {
                break;
            }
            bytes -= buffer.alloc_bytes;
            surplus += 1;
        }
        idle.drain(..surplus);
    }

    /// Bytes that are idle.
    pub fn idle_bytes(&self) -> u64 {
        self.idle.borrow().iter().map(|(_, buffer)| buffer.alloc_bytes).sum()
    }

    /// Destroys all that is idle.
    pub fn clear(&self) {
        self.idle.borrow_mut().clear();
    }
}

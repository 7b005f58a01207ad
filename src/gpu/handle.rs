//! What a user holds: buffers, and parts of them.

use std::rc::{Rc, Weak};

use super::buffer::Buffer;
use super::scope::Failure;
use crate::plan::{self, DType};

/// What a user holds: a buffer, or a part of one.
pub struct Handle {
    /// Type of the elements.
    pub dtype: DType,
    /// Elements.
    pub length: u64,
    /// Where it starts in the buffer.
    pub byte_offset: u64,
    buffer: Owner,
}

enum Owner {
    Whole(Rc<Buffer>),
    Part(Weak<Buffer>),
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Owner::Whole(buffer) = &self.buffer {
            buffer.destroy();
        }
    }
}

impl Handle {
    /// The handle of a buffer; dropping it destroys the buffer once no call needs it.
    pub fn whole(buffer: Rc<Buffer>, dtype: DType, length: u64) -> Handle {
        Handle { dtype, length, byte_offset: 0, buffer: Owner::Whole(buffer) }
    }

    /// A part of this handle; it does not keep the buffer alive.
    ///
    /// # Errors
    /// `InvalidProgram`: out of range, or not on the device's offset alignment.
    pub fn part(
        &self,
        buffer: &Rc<Buffer>,
        start: f64,
        end: Option<f64>,
        limits: &plan::Limits,
    ) -> Result<Handle, Failure> {
        let span = plan::subarray(self.dtype, self.length, self.byte_offset, start, end, &buffer.label, limits)?;
        Ok(Handle {
            dtype: self.dtype,
            length: span.end - span.start,
            byte_offset: span.byte_offset,
            buffer: Owner::Part(Rc::downgrade(buffer)),
        })
    }

    /// The buffer, unless it was destroyed.
    pub fn buffer(&self) -> Option<Rc<Buffer>> {
        match &self.buffer {
            Owner::Whole(buffer) => Some(buffer.clone()),
            Owner::Part(buffer) => buffer.upgrade(),
        }
    }

    /// Bytes it covers.
    pub fn byte_len(&self) -> u64 {
        self.length * self.dtype.bytes()
    }

    /// Whether the handle is the buffer itself.
    pub fn is_whole(&self) -> bool {
        matches!(self.buffer, Owner::Whole(_))
    }
}

//! Moving bytes: creating, writing, reading, copying and filling buffers, as recorded calls.

use std::rc::Rc;

use js_sys::{Object, Uint8Array, Uint32Array};
use wasm_bindgen::JsCast;

use super::buffer::{Buffer, USER_USAGE};
use super::call::{Call, Command, Destination, Done, Read, Touch};
use super::handle::Handle;
use super::pool::Purpose;
use super::scope::{Failure, trio};
use super::webgpu::{bytes_of, can_resize};
use super::{Event, Gpu, count, next_id};
use crate::error::{Operation, Reason};
use crate::plan::{self, DType};

/// Elements from one index to another; the whole where none is given.
pub type Range = (Option<f64>, Option<f64>);

pub(super) fn destroyed(label: &str, operation: Operation) -> Failure {
    Reason::Destroyed.at(operation).with("label", label).into()
}

impl Gpu {
    /// A buffer of zeros. What is wrong with it beyond its arguments is told by its uses.
    ///
    /// # Errors
    /// `InvalidProgram`: the length is no length.
    pub fn create_buffer(&self, dtype: DType, length: f64, label: String) -> Result<Handle, Failure> {
        let shared = &self.0;
        let id = next_id();
        let this = shared.this.clone();
        let unheard = move |failure| {
            if let Some(shared) = this.upgrade().filter(|shared| !shared.device.is_lost()) {
                shared.tell(Event::Uncaptured(failure));
            }
        };
        let plan = match plan::buffer(dtype, length, &label, &shared.device.limits) {
            Ok(plan) => plan,
            Err(error) if error.reason() == Reason::LimitExceeded => {
                let buffer = Buffer::refused(id, label, error.into(), unheard);
                return Ok(Handle::whole(buffer, dtype, length as u64));
            }
            Err(error) => return Err(error.into()),
        };
        let budget = shared.memory_budget_bytes;
        let buffer = shared.allocate(id, plan.alloc_bytes, USER_USAGE, label, budget, unheard);
        Ok(Handle::whole(buffer, dtype, plan.length))
    }

    /// Writes a typed array from element `offset` on; its bytes are taken now.
    ///
    /// # Errors
    /// `InvalidProgram`: the buffer is destroyed, or the bytes do not fit.
    pub fn write(&self, handle: &Handle, view: &Object, offset: f64) -> Result<(), Failure> {
        let mut call = Call::new(0, String::new(), Operation::Upload, None);
        let written = self.write_to(&mut call, handle, view, offset, false);
        self.commit(call, written)
    }

    pub(super) fn write_to(
        &self,
        call: &mut Call,
        handle: &Handle,
        view: &Object,
        offset: f64,
        is_all_or_nothing: bool,
    ) -> Result<(), Failure> {
        let buffer = handle.buffer().ok_or_else(|| destroyed("the buffer", Operation::Upload))?;
        let bytes = bytes_of(view);
        let len = u64::from(bytes.length());
        let plan = plan::write(handle.dtype, handle.length, len, offset, &buffer.label)?;
        if len == 0 {
            return Ok(());
        }
        if call.label.is_empty() {
            call.label.clone_from(&buffer.label);
        }
        let at = handle.byte_offset + plan.byte_offset;
        if !is_all_or_nothing && (len <= plan::MAX_KEPT_WRITE_BYTES || !buffer.is_in_use()) {
            self.upload(call, &buffer, at, &bytes, plan.pad_tail);
            return Ok(());
        }
        let scratch = self.scratch(call, len + plan.pad_tail);
        self.upload(call, &scratch, 0, &bytes, plan.pad_tail);
        self.copy_all(call, &scratch, &buffer, at, len + plan.pad_tail);
        Ok(())
    }

    fn copy_all(&self, call: &mut Call, src: &Rc<Buffer>, dst: &Rc<Buffer>, dst_offset: u64, bytes: u64) {
        call.touch(dst, Touch::overwriting(dst, dst_offset, bytes));
        call.commands.push(Command::Copy { src: src.clone(), src_offset: 0, dst: dst.clone(), dst_offset, bytes });
    }

    /// A short write is kept until the flush and shares its scopes. A long one is sent now, with scopes of its own: its
    /// bytes need not be copied, and nothing recorded may touch the buffer.
    pub(super) fn upload(&self, call: &mut Call, dst: &Rc<Buffer>, offset: u64, bytes: &Uint8Array, pad_tail: u64) {
        let len = u64::from(bytes.length());
        count(&self.0.counters.bytes_uploaded, len);
        let padded = || {
            let padded = Uint8Array::new_with_length((len + pad_tail) as u32);
            padded.set(bytes, 0);
            padded
        };
        let touch = Touch::overwriting(dst, offset, len + pad_tail);
        if len <= plan::MAX_KEPT_WRITE_BYTES {
            call.touch(dst, touch);
            call.commands.push(Command::Write { dst: dst.clone(), offset, bytes: padded() });
            return;
        }
        let Some(raw) = dst.raw() else {
            call.touch(dst, touch);
            return;
        };
        let device = &self.0.device;
        let bytes = if pad_tail > 0 || can_resize(bytes) { padded() } else { bytes.clone() };
        let (written, reports) = trio(device, || device.queue.write_buffer(raw, offset as f64, &bytes));
        call.thrown = call.thrown.take().or(written.err().map(Into::into));
        call.uploads.push((dst.clone(), reports));
    }

    pub(super) fn scratch(&self, call: &mut Call, bytes: u64) -> Rc<Buffer> {
        self.lease(call, Purpose::Scratch, bytes)
    }

    fn lease(&self, call: &mut Call, purpose: Purpose, bytes: u64) -> Rc<Buffer> {
        let buffer = self.0.lease(purpose, bytes, self.0.memory_budget_bytes);
        call.touch(&buffer, Touch::Replaces);
        call.leases.push((purpose, buffer.clone()));
        buffer
    }

    /// Reads elements `start` to `end`, into a fresh array or the caller's.
    ///
    /// # Errors
    /// `InvalidProgram`: the buffer is destroyed, the range is outside it, or the caller's array is of another length.
    pub fn read(
        &self,
        key: u32,
        handle: &Handle,
        (start, end): Range,
        into: Option<Object>,
        done: Done,
    ) -> Result<(), Failure> {
        let mut call = Call::new(key, String::new(), Operation::Read, Some(done));
        let read = self.read_from(&mut call, handle, (start, end), into);
        self.commit(call, read)
    }

    pub(super) fn read_from(
        &self,
        call: &mut Call,
        handle: &Handle,
        (start, end): Range,
        into: Option<Object>,
    ) -> Result<(), Failure> {
        let buffer = handle.buffer().ok_or_else(|| destroyed("the buffer", Operation::Read))?;
        let plan = plan::read(handle.dtype, handle.length, start, end, &buffer.label, Operation::Read)?;
        if let Some(array) = &into {
            plan::destination(plan.span.byte_len, u64::from(bytes_of(array).length()), &buffer.label)?;
        }
        if call.label.is_empty() {
            call.label.clone_from(&buffer.label);
        }
        if let Some(failure) = buffer.failure().filter(|_| !buffer.is_doubtful()) {
            buffer.note_heard();
            return Err(failure);
        }
        call.touch(&buffer, Touch::Reads);
        let destination = into.map_or(Destination::Fresh, Destination::Into);
        let from = handle.byte_offset + plan.copy_offset;
        self.read_bytes(call, &buffer, from, plan.copy_bytes, (plan.skip_bytes, plan.span.byte_len), destination);
        Ok(())
    }

    pub(super) fn read_bytes(
        &self,
        call: &mut Call,
        src: &Rc<Buffer>,
        src_offset: u64,
        copy_bytes: u64,
        (skip_bytes, bytes): (u64, u64),
        destination: Destination,
    ) {
        let staging = (bytes > 0).then(|| self.lease(call, Purpose::Staging, copy_bytes));
        if let Some(staging) = &staging {
            call.commands.push(Command::Copy {
                src: src.clone(),
                src_offset,
                dst: staging.clone(),
                dst_offset: 0,
                bytes: copy_bytes,
            });
        }
        call.reads.push(Read { staging, copy_bytes, skip_bytes, bytes, destination, map: None });
    }

    /// Copies elements `start` to `end` of `src` to element `at` of `dst`.
    ///
    /// # Errors
    /// `InvalidProgram`: a buffer is destroyed, types differ, or a range is outside its buffer or overlaps.
    pub fn copy(&self, src: &Handle, dst: &Handle, (start, end): Range, at: Option<f64>) -> Result<(), Failure> {
        let mut call = Call::new(0, String::new(), Operation::Dispatch, None);
        let copied = self.copy_to(&mut call, src, dst, (start, end), at);
        self.commit(call, copied)
    }

    pub(super) fn copy_to(
        &self,
        call: &mut Call,
        src: &Handle,
        dst: &Handle,
        (start, end): Range,
        at: Option<f64>,
    ) -> Result<(), Failure> {
        let missing = || destroyed("the buffer", Operation::Dispatch);
        let (from, to) = (src.buffer().ok_or_else(missing)?, dst.buffer().ok_or_else(missing)?);
        let is_same = Rc::ptr_eq(&from, &to);
        let plan = plan::copy(&src.part_of(&from.label), &dst.part_of(&to.label), start, end, at, is_same)?;
        if call.label.is_empty() {
            call.label.clone_from(&to.label);
        }
        if plan.byte_len == 0 {
            return Ok(());
        }
        let (src_offset, dst_offset) = (src.byte_offset + plan.src_offset, dst.byte_offset + plan.dst_offset);
        let bytes = plan.byte_len;
        call.touch(&from, Touch::Reads);
        call.touch(&to, Touch::overwriting(&to, dst_offset, bytes));
        let command = |src: &Rc<Buffer>, src_offset, dst: &Rc<Buffer>, dst_offset| Command::Copy {
            src: src.clone(),
            src_offset,
            dst: dst.clone(),
            dst_offset,
            bytes,
        };
        if is_same {
            let scratch = self.scratch(call, bytes);
            call.commands.extend([command(&from, src_offset, &scratch, 0), command(&scratch, 0, &to, dst_offset)]);
        } else {
            call.commands.push(command(&from, src_offset, &to, dst_offset));
        }
        Ok(())
    }

    /// Sets elements `start` to `end` to `value`.
    ///
    /// # Errors
    /// `InvalidProgram`: the buffer is destroyed, the range is outside it, or its type cannot hold the value.
    pub fn fill(&self, handle: &Handle, value: f64, (start, end): Range) -> Result<(), Failure> {
        let buffer = handle.buffer().ok_or_else(|| destroyed("the buffer", Operation::Upload))?;
        let plan = plan::fill(handle.dtype, handle.length, value, start, end, &buffer.label)?;
        if plan.padded_bytes == 0 {
            return Ok(());
        }
        let mut call = Call::new(0, buffer.label.clone(), Operation::Dispatch, None);
        let (offset, bytes) = (handle.byte_offset + plan.span.byte_offset, plan.padded_bytes);
        call.touch(&buffer, Touch::overwriting(&buffer, offset, bytes));
        if plan.is_zero {
            call.commands.push(Command::Clear { dst: buffer, offset, bytes });
        } else {
            let [a, b, c, d, ..] = plan.pattern;
            self.fill_words(&mut call, &buffer, offset, bytes, u32::from_le_bytes([a, b, c, d]));
        }
        self.record(call);
        Ok(())
    }

    /// Every type's pattern repeats within four bytes: write one chunk, copy it as often as needed.
    fn fill_words(&self, call: &mut Call, dst: &Rc<Buffer>, offset: u64, bytes: u64, word: u32) {
        let chunk = bytes.min(plan::MAX_KEPT_WRITE_BYTES);
        let words = Uint32Array::new_with_length((chunk / 4) as u32);
        words.fill(word, 0, words.length());
        let source = self.scratch(call, chunk);
        call.commands.push(Command::Write { dst: source.clone(), offset: 0, bytes: bytes_of(words.unchecked_ref()) });
        let mut done = 0;
        while done < bytes {
            call.commands.push(Command::Copy {
                src: source.clone(),
                src_offset: 0,
                dst: dst.clone(),
                dst_offset: offset + done,
                bytes: chunk.min(bytes - done),
            });
            done += chunk;
        }
    }

    /// Records a call that was put together, or lets go of what it took where that failed.
    pub(super) fn commit(&self, mut call: Call, built: Result<(), Failure>) -> Result<(), Failure> {
        match built {
            Ok(()) => {
                self.record(call);
                Ok(())
            }
            Err(failure) => {
                call.release();
                self.0.give_back(&mut call);
                Err(failure)
            }
        }
    }
}

impl Handle {
    fn part_of<'a>(&self, label: &'a str) -> plan::Part<'a> {
        plan::Part { dtype: self.dtype, length: self.length, byte_offset: self.byte_offset, label }
    }
}

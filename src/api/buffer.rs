use std::rc::Rc;

use js_sys::Object;
use wasm_bindgen::prelude::*;

use super::convert::dtype;
use super::core::{Core, Thrown, thrown};
use super::host::done;
use crate::error::{Operation, Reason};
use crate::gpu::{Failure, Handle, Outcome, next_id};

impl Core {
    pub(super) fn handle(&self, id: u32) -> Result<Rc<Handle>, Failure> {
        self.buffers.get(id, "the buffer")
    }
}

#[wasm_bindgen]
impl Core {
    /// A buffer of zeros.
    ///
    /// # Errors
    /// A `ComputeError`: the type or the length is none.
    pub fn buffer(&self, dtype_name: &str, length: f64, label: String) -> Thrown<u32> {
        let id = next_id();
        let label = if label.is_empty() { ["buffer ", &id.to_string()].concat() } else { label };
        let handle = dtype(dtype_name).and_then(|dtype| self.gpu.create_buffer(dtype, length, label));
        Ok(self.buffers.add(id, Rc::new(thrown(handle)?)))
    }

    /// Writes a typed array from element `offset` on.
    ///
    /// # Errors
    /// A `ComputeError`: it does not fit.
    pub fn write(&self, buffer: u32, data: &Object, offset: f64) -> Thrown<()> {
        thrown(self.handle(buffer).and_then(|handle| self.gpu.write(&handle, data, offset)))
    }

    /// Reads elements into a fresh `ArrayBuffer`.
    ///
    /// # Errors
    /// A `ComputeError`: the range is outside the buffer.
    pub fn read(&self, call: u32, buffer: u32, start: Option<f64>, end: Option<f64>) -> Thrown<()> {
        let first = |outcome: Outcome| outcome.results.into_iter().next().map_or(JsValue::UNDEFINED, Into::into);
        thrown(
            self.handle(buffer).and_then(|handle| self.gpu.read(call, &handle, (start, end), None, done(call, first))),
        )
    }

    /// Reads elements into the caller's array.
    ///
    /// # Errors
    /// A `ComputeError`: the range is outside the buffer, or the array is of another length.
    pub fn read_into(&self, call: u32, buffer: u32, dst: Object, start: Option<f64>, end: Option<f64>) -> Thrown<()> {
        let nothing = done(call, |_| JsValue::UNDEFINED);
        thrown(self.handle(buffer).and_then(|handle| self.gpu.read(call, &handle, (start, end), Some(dst), nothing)))
    }

    /// Copies elements `start` to `end` of `src` to element `at` of `dst`.
    ///
    /// # Errors
    /// A `ComputeError`: the ranges do not fit.
    pub fn copy(&self, src: u32, dst: u32, start: Option<f64>, end: Option<f64>, at: Option<f64>) -> Thrown<()> {
        let (src, dst) = (thrown(self.handle(src))?, thrown(self.handle(dst))?);
        thrown(self.gpu.copy(&src, &dst, (start, end), at))
    }

    /// Sets elements `start` to `end` to `value`.
    ///
    /// # Errors
    /// A `ComputeError`: the range is outside the buffer, or its type cannot hold the value.
    pub fn fill(&self, buffer: u32, value: f64, start: Option<f64>, end: Option<f64>) -> Thrown<()> {
        thrown(self.handle(buffer).and_then(|handle| self.gpu.fill(&handle, value, (start, end))))
    }

    /// A part of a buffer.
    ///
    /// # Errors
    /// A `ComputeError`: out of range, or not on the device's offset alignment.
    pub fn subarray(&self, buffer: u32, start: f64, end: Option<f64>) -> Thrown<u32> {
        let part = self.handle(buffer).and_then(|handle| {
            let whole =
                handle.buffer().ok_or_else(|| Reason::Destroyed.at(Operation::Upload).with("label", "the buffer"))?;
            handle.part(&whole, start, end, &self.gpu.device().limits)
        });
        Ok(self.buffers.add(next_id(), Rc::new(thrown(part)?)))
    }

    /// Elements of a buffer or part.
    ///
    /// # Errors
    /// A `ComputeError`: it is destroyed.
    pub fn buffer_length(&self, buffer: u32) -> Thrown<f64> {
        thrown(self.handle(buffer).map(|handle| handle.length as f64))
    }

    /// Settles the call once the buffer exists or has failed to.
    ///
    /// # Errors
    /// A `ComputeError`: it is destroyed.
    pub fn buffer_ready(&self, call: u32, buffer: u32) -> Thrown<()> {
        let handle = thrown(self.handle(buffer))?;
        if let Some(buffer) = handle.buffer() {
            buffer.when_ready(done(call, |_| JsValue::UNDEFINED));
        }
        Ok(())
    }

    /// The browser's buffer.
    pub fn gpu_buffer(&self, buffer: u32) -> JsValue {
        let buffer = self.handle(buffer).ok().and_then(|handle| handle.buffer());
        buffer.and_then(|buffer| buffer.raw().cloned()).map_or(JsValue::UNDEFINED, Into::into)
    }

    /// Lets the buffer go once no recorded call needs it.
    pub fn destroy_buffer(&self, buffer: u32) {
        self.buffers.remove(buffer);
    }
}

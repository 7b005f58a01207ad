use js_sys::Object;
use wasm_bindgen::prelude::*;

use super::core::{Core, Thrown, thrown};
use super::dispatch::FLAG_WAITS_FOR_GPU;
use super::host::ran;
use crate::gpu::{Batch, Failure};

impl Core {
    fn with_batch<R>(&self, act: impl FnOnce(&mut Batch) -> Result<R, Failure>) -> Result<R, Failure> {
        // The batch is taken out, so that nothing is borrowed while it records.
        let taken = self.batch.borrow_mut().take();
        let mut batch = taken.unwrap_or_else(|| Batch::new(None));
        let result = act(&mut batch);
        self.batch.replace(Some(batch));
        result
    }
}

#[wasm_bindgen]
impl Core {
    /// Opens a batch.
    pub fn batch_begin(&self, label: Option<String>) {
        self.batch.replace(Some(Batch::new(label)));
    }

    /// Adds a dispatch to the batch.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    #[allow(clippy::too_many_arguments, reason = "the boundary passes plain numbers")]
    pub fn batch_dispatch(
        &self,
        kernel: u32,
        shape: u32,
        ids: &[u32],
        values: &JsValue,
        grid: u32,
        x: f64,
        y: f64,
        z: f64,
    ) -> Thrown<()> {
        let request = thrown(self.request(kernel, shape, ids, values, self.target(grid, x, y, z)))?;
        thrown(self.with_batch(|batch| batch.dispatch(&self.gpu, &request)))
    }

    /// Adds a dispatch of a bound kernel to the batch.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    pub fn batch_dispatch_bound(&self, bound: u32, grid: u32, x: f64, y: f64, z: f64) -> Thrown<()> {
        let bound = thrown(self.bounds.get(bound, "the bound kernel"))?;
        let target = thrown(self.target(grid, x, y, z))?;
        thrown(self.with_batch(|batch| batch.dispatch_bound(&self.gpu, &bound, &target)))
    }

    /// Adds a write to the batch.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    pub fn batch_write(&self, buffer: u32, data: &Object, offset: f64) -> Thrown<()> {
        let handle = thrown(self.handle(buffer))?;
        thrown(self.with_batch(|batch| batch.write(&self.gpu, &handle, data, offset)))
    }

    /// Adds a copy of a whole buffer to the batch.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    pub fn batch_copy(&self, src: u32, dst: u32) -> Thrown<()> {
        let (src, dst) = (thrown(self.handle(src))?, thrown(self.handle(dst))?);
        thrown(self.with_batch(|batch| batch.copy(&self.gpu, &src, &dst)))
    }

    /// Adds a read of a whole buffer to the batch; gives its place among the results.
    ///
    /// # Errors
    /// A `ComputeError` with the entry's `index`.
    pub fn batch_read(&self, buffer: u32) -> Thrown<usize> {
        let handle = thrown(self.handle(buffer))?;
        thrown(self.with_batch(|batch| batch.read(&self.gpu, &handle)))
    }

    /// Records the batch as one call.
    pub fn batch_end(&self, call: u32, flags: u32) {
        let batch = self.batch.borrow_mut().take();
        if let Some(batch) = batch {
            batch.end(&self.gpu, call, flags & FLAG_WAITS_FOR_GPU != 0, ran(call));
        }
    }

    /// Forgets the batch.
    pub fn batch_cancel(&self) {
        let batch = self.batch.borrow_mut().take();
        if let Some(batch) = batch {
            batch.cancel(&self.gpu);
        }
    }
}

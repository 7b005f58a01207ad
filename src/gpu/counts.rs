//! Strict mode: the counts of an indirect dispatch are read before it runs, because the browser skips one past the limit
//! without a word.

use std::rc::Rc;

use js_sys::Uint32Array;
use wasm_bindgen_futures::JsFuture;

use super::Shared;
use super::buffer::Buffer;
use super::call::{Call, Command, Workgroups};
use super::flush::Flight;
use super::kernel::Kernel;
use super::pool::Purpose;
use super::scope::{Failure, trio};
use super::webgpu::{MAP_MODE_READ, observed};
use crate::plan::{self, Grid};

/// Bytes of three counts.
const COUNTS_BYTES: u64 = 12;

/// An indirect dispatch whose counts can be known before it runs.
struct Watched {
    kernel: Rc<Kernel>,
    counts: Rc<Buffer>,
    offset: u64,
    entry: Option<u32>,
}

impl Shared {
    /// Why an indirect dispatch of a call must not run. Counts that a batch makes itself cannot be known before.
    pub(super) async fn excess_counts(&self, flight: &Flight, place: usize) -> Option<Failure> {
        for watched in flight.with(place, |call| watched(call))? {
            if let Some(failure) = self.excess(&watched).await {
                return Some(match watched.entry {
                    Some(entry) => failure.or("index", entry),
                    None => failure,
                });
            }
        }
        None
    }

    async fn excess(&self, Watched { kernel, counts, offset, .. }: &Watched) -> Option<Failure> {
        let device = &self.device;
        let staging = self.lease(Purpose::Staging, COUNTS_BYTES, None);
        let (from, to, raw) = (counts.wgpu()?, staging.wgpu()?, staging.raw()?);
        let (map, reports) = trio(device, || {
            let mut encoder = device.wgpu.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(from, *offset, to, 0, COUNTS_BYTES);
            device.wgpu_queue.submit([encoder.finish()]);
            raw.map_async(MAP_MODE_READ, 0.0, COUNTS_BYTES as f64).map(observed)
        });
        // What is wrong with the buffer itself is told by the call that uses it.
        if reports.first().await.is_some() || JsFuture::from(map.ok()?).await.is_err() {
            return None;
        }
        let mapped = raw.get_mapped_range(0.0, COUNTS_BYTES as f64).ok()?;
        let counts = Uint32Array::new(&mapped);
        let counts = [0, 1, 2].map(|dimension| f64::from(counts.get_index(dimension)));
        let _ = raw.unmap();
        self.pool.give_back(Purpose::Staging, Rc::clone(&staging));
        let plan = kernel.plan.as_ref()?;
        plan::grid(plan, &Grid::Workgroups(counts), None, &device.limits).err().map(Failure::from)
    }
}

fn watched(call: &Call) -> Vec<Watched> {
    let commands = call.commands.iter().enumerate();
    commands
        .filter_map(|(at, command)| {
            let Command::Dispatch { kernel, workgroups: Workgroups::Indirect(counts, offset), .. } = command else {
                return None;
            };
            let is_made = call.commands.iter().take(at).any(|earlier| may_change(earlier, counts));
            let (kernel, counts, entry) = (kernel.clone(), counts.clone(), call.entries.get(at).copied());
            (!is_made).then_some(Watched { kernel, counts, offset: *offset, entry })
        })
        .collect()
}

fn may_change(command: &Command, buffer: &Rc<Buffer>) -> bool {
    match command {
        Command::Dispatch { storage, .. } => storage.iter().any(|bound| Rc::ptr_eq(&bound.buffer, buffer)),
        Command::Copy { dst, .. } | Command::Clear { dst, .. } | Command::Write { dst, .. } => Rc::ptr_eq(dst, buffer),
    }
}

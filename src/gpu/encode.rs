//! Commands to wgpu's encoder: one pass for dispatches in a row, nothing set twice, uniforms packed into pages.

use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;

use super::buffer::Buffer;
use super::call::{Bound, Command, Lease, Uniforms, Workgroups};
use super::kernel::{Compiled, Kernel};
use super::pool::Purpose;
use super::{Device, Shared};
use crate::plan::{self, Space};

/// Encodes the commands of one submission.
pub struct Encoder<'a> {
    shared: &'a Shared,
    device: &'a Rc<Device>,
    encoder: wgpu::CommandEncoder,
    pass: Option<Pass>,
    stamp: u32,
    pages: Vec<Page>,
    leases: Vec<Lease>,
    thrown: Option<JsValue>,
}

/// The open compute pass and what was set last.
struct Pass {
    wgpu: wgpu::ComputePass<'static>,
    kernel: Option<Rc<Kernel>>,
    groups: Option<Rc<[wgpu::BindGroup]>>,
    offset: u64,
}

/// A uniform buffer being filled.
struct Page {
    buffer: Rc<Buffer>,
    bytes: Vec<u8>,
    last: u64,
}

impl<'a> Encoder<'a> {
    /// An encoder with nothing in it.
    pub fn new(shared: &'a Shared, device: &'a Rc<Device>) -> Encoder<'a> {
        let encoder = device.wgpu.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        Encoder {
            shared,
            device,
            encoder,
            pass: None,
            stamp: shared.next_id(),
            pages: Vec::new(),
            leases: Vec::new(),
            thrown: None,
        }
    }

    /// What the browser threw at a write, if it did; asked after each call's commands.
    pub fn take_thrown(&mut self) -> Option<JsValue> {
        self.thrown.take()
    }

    /// Adds a command. A buffer, kernel or page that does not exist is left out: the call has a failure to report.
    pub fn command(&mut self, command: &Command) {
        match command {
            Command::Dispatch { kernel, storage, uniforms, workgroups } => {
                if !matches!(workgroups, Workgroups::Counts([0, _, _] | [_, 0, _] | [_, _, 0])) {
                    self.dispatch(kernel, storage, uniforms, workgroups);
                }
            }
            Command::Copy { src, src_offset, dst, dst_offset, bytes } => {
                self.copy(src, *src_offset, dst, *dst_offset, *bytes);
            }
            Command::Clear { dst, offset, bytes } => {
                self.pass = None;
                dst.mark(self.stamp);
                if let Some(dst) = dst.wgpu() {
                    self.encoder.clear_buffer(dst, *offset, Some(*bytes));
                }
            }
            Command::Write { dst, offset, bytes } => self.write(dst, *offset, bytes),
        }
    }

    fn copy(&mut self, src: &Buffer, src_offset: u64, dst: &Buffer, dst_offset: u64, bytes: u64) {
        self.pass = None;
        src.mark(self.stamp);
        dst.mark(self.stamp);
        if let (Some(src), Some(dst)) = (src.wgpu(), dst.wgpu()) {
            self.encoder.copy_buffer_to_buffer(src, src_offset, dst, dst_offset, bytes);
        }
    }

    /// A write before anything encoded touches the buffer goes straight to the queue, which is ahead of the encoder; a
    /// later one would overtake what is encoded, so it goes through scratch.
    fn write(&mut self, dst: &Rc<Buffer>, offset: u64, bytes: &Uint8Array) {
        if !dst.is_marked(self.stamp) {
            return self.queue_write(dst, offset, bytes);
        }
        let len = u64::from(bytes.length());
        let scratch = self.shared.lease(Purpose::Scratch, len, None);
        self.queue_write(&scratch, 0, bytes);
        self.copy(&scratch, 0, dst, offset, len);
        self.leases.push((Purpose::Scratch, scratch));
    }

    fn queue_write(&mut self, dst: &Buffer, offset: u64, bytes: &Uint8Array) {
        if let Some(raw) = dst.raw()
            && let Err(thrown) = self.device.queue.write_buffer(raw, offset as f64, bytes)
        {
            self.thrown = Some(thrown);
        }
    }

    fn dispatch(&mut self, kernel: &Rc<Kernel>, storage: &Rc<[Bound]>, uniforms: &Uniforms, workgroups: &Workgroups) {
        let Some(compiled) = kernel.compiled() else { return };
        if storage.iter().any(|bound| bound.buffer.wgpu().is_none()) {
            return;
        }
        for bound in storage.iter() {
            bound.buffer.mark(self.stamp);
        }
        let (page, base) = self.place(uniforms);
        let groups = self.groups(kernel, &compiled, storage, page.as_ref(), uniforms, base);
        let pass = self.pass.get_or_insert_with(|| Pass {
            wgpu: self.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default()).forget_lifetime(),
            kernel: None,
            groups: None,
            offset: 0,
        });
        let is_same_kernel = pass.kernel.as_ref().is_some_and(|last| Rc::ptr_eq(last, kernel));
        if !is_same_kernel {
            pass.wgpu.set_pipeline(&compiled.pipeline);
            pass.kernel = Some(kernel.clone());
        }
        let is_same_groups =
            is_same_kernel && pass.offset == base && pass.groups.as_ref().is_some_and(|last| Rc::ptr_eq(last, &groups));
        if !is_same_groups {
            set_groups(&mut pass.wgpu, kernel, &compiled, &groups, uniforms, base);
            pass.groups = Some(groups);
            pass.offset = base;
        }
        match workgroups {
            Workgroups::Counts([x, y, z]) => pass.wgpu.dispatch_workgroups(*x, *y, *z),
            Workgroups::Indirect(buffer, offset) => {
                if let Some(buffer) = buffer.wgpu() {
                    pass.wgpu.dispatch_workgroups_indirect(buffer, *offset);
                }
            }
        }
        if let Workgroups::Indirect(buffer, _) = workgroups {
            buffer.mark(self.stamp);
        }
    }

    /// Uniform offsets move with the page for kernels that bind them statically.
    fn groups(
        &self,
        kernel: &Kernel,
        compiled: &Compiled,
        storage: &[Bound],
        page: Option<&Rc<Buffer>>,
        uniforms: &Uniforms,
        base: u64,
    ) -> Rc<[wgpu::BindGroup]> {
        if compiled.has_dynamic_uniforms {
            return kernel.bind_groups(self.device, compiled, storage, page, &uniforms.parts);
        }
        let parts: Vec<_> = uniforms.parts.iter().map(|(start, bytes)| (base + start, *bytes)).collect();
        kernel.bind_groups(self.device, compiled, storage, page, &parts)
    }

    /// A place for the uniforms: the page and the offset in it. The same bytes as last time share their place.
    fn place(&mut self, uniforms: &Uniforms) -> (Option<Rc<Buffer>>, u64) {
        if uniforms.parts.is_empty() {
            return (None, 0);
        }
        let len = uniforms.bytes.len() as u64;
        if let Some(page) = self.pages.last_mut() {
            let used = page.bytes.len() as u64;
            if page.bytes.get(page.last as usize..) == Some(uniforms.bytes.as_slice()) {
                return (Some(page.buffer.clone()), page.last);
            }
            if used + len <= page.buffer.alloc_bytes {
                page.last = used;
                page.bytes.extend_from_slice(&uniforms.bytes);
                return (Some(page.buffer.clone()), used);
            }
        }
        let buffer = self.shared.lease(Purpose::Uniforms, len.max(plan::UNIFORM_PAGE_BYTES), None);
        self.leases.push((Purpose::Uniforms, buffer.clone()));
        self.pages.push(Page { buffer: buffer.clone(), bytes: uniforms.bytes.clone(), last: 0 });
        (Some(buffer), 0)
    }

    /// Sends the uniforms, which must be there before the submission; gives the encoder and the leases it took.
    pub fn finish(mut self) -> (wgpu::CommandEncoder, Vec<Lease>, Option<JsValue>) {
        self.pass = None;
        for page in std::mem::take(&mut self.pages) {
            self.queue_write(&page.buffer, 0, &Uint8Array::from(page.bytes.as_slice()));
        }
        (self.encoder, self.leases, self.thrown)
    }
}

fn set_groups(
    pass: &mut wgpu::ComputePass<'static>,
    kernel: &Kernel,
    compiled: &Compiled,
    groups: &[wgpu::BindGroup],
    uniforms: &Uniforms,
    base: u64,
) {
    let bindings = kernel.plan.iter().flat_map(|plan| &plan.bindings);
    let uniform_groups = bindings.filter(|binding| binding.space == Space::Uniform).map(|binding| binding.group);
    let offsets: Vec<(u32, u32)> = if compiled.has_dynamic_uniforms {
        uniform_groups.zip(&uniforms.parts).map(|(group, (start, _))| (group, (base + start) as u32)).collect()
    } else {
        Vec::new()
    };
    for (index, group) in (0_u32..).zip(groups) {
        let own: Vec<u32> = offsets.iter().filter(|(group, _)| *group == index).map(|(_, offset)| *offset).collect();
        pass.set_bind_group(index, group, &own);
    }
}

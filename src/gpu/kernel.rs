//! Kernels: what is known of them at once, what compiling made of them, and their bind groups.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::buffer::Buffer;
use super::call::{Bound, Done};
use super::device::Device;
use super::scope::Failure;
use crate::plan::{KernelPlan, Space};

/// Bind groups kept per kernel; a loop over more combinations than this makes them anew.
const MAX_KEPT_GROUPS: usize = 256;

/// A kernel: planned at once, compiled in the background.
pub struct Kernel {
    /// What errors call it.
    pub label: String,
    /// What its WGSL declares; nothing where that could not be read, and then it never becomes ready.
    pub plan: Option<KernelPlan>,
    state: RefCell<State>,
    waiting: RefCell<Vec<Done>>,
    is_heard: Cell<bool>,
    groups: RefCell<Vec<KeptGroups>>,
}

/// Bind groups by the arguments they were made for.
type KeptGroups = (Vec<u64>, Rc<[wgpu::BindGroup]>);

enum State {
    Compiling,
    Ready(Rc<Compiled>),
    Failed(Failure),
}

/// What compiling gives.
pub struct Compiled {
    /// wgpu's pipeline.
    pub pipeline: wgpu::ComputePipeline,
    /// One for each group from 0 up.
    pub layouts: Vec<wgpu::BindGroupLayout>,
    /// Whether uniforms take their offset at `set_bind_group`.
    pub has_dynamic_uniforms: bool,
}

impl Kernel {
    /// A kernel that is being compiled.
    pub fn new(label: String, plan: Option<KernelPlan>) -> Rc<Kernel> {
        Rc::new(Kernel {
            label,
            plan,
            state: RefCell::new(State::Compiling),
            waiting: RefCell::new(Vec::new()),
            is_heard: Cell::new(false),
            groups: RefCell::new(Vec::new()),
        })
    }

    /// Whether compiling goes on.
    pub fn is_compiling(&self) -> bool {
        matches!(*self.state.borrow(), State::Compiling)
    }

    /// Why it did not compile, once that is known.
    pub fn failure(&self) -> Option<Failure> {
        match &*self.state.borrow() {
            State::Failed(failure) => Some(failure.clone()),
            _ => None,
        }
    }

    /// The pipeline, once it is there.
    pub fn compiled(&self) -> Option<Rc<Compiled>> {
        match &*self.state.borrow() {
            State::Ready(compiled) => Some(compiled.clone()),
            _ => None,
        }
    }

    /// Calls `done` once compiling has ended.
    pub fn when_ready(&self, done: Done) {
        match self.failure() {
            Some(failure) => done(Err(failure)),
            None if self.is_compiling() => self.waiting.borrow_mut().push(done),
            None => done(Ok(Default::default())),
        }
    }

    /// Notes that a call will report a failed compilation, so that no event needs to.
    pub fn note_heard(&self) {
        self.is_heard.set(true);
    }

    /// Ends compiling; a result that comes after the first (a timeout, say) changes nothing. Gives back a failure that
    /// nobody waits for.
    pub fn finish(&self, result: Result<Compiled, Failure>) -> Option<Failure> {
        if !self.is_compiling() {
            return None;
        }
        let outcome = result.as_ref().map(|_| ()).map_err(Clone::clone);
        self.state.replace(match result {
            Ok(compiled) => State::Ready(Rc::new(compiled)),
            Err(failure) => State::Failed(failure),
        });
        let waiting = self.waiting.take();
        let is_heard = self.is_heard.get() || !waiting.is_empty();
        for done in waiting {
            done(outcome.clone().map(|()| Default::default()));
        }
        outcome.err().filter(|_| !is_heard)
    }

    /// The bind groups for these arguments, one for each group from 0 up, from the kept ones where they are the same.
    pub fn bind_groups(
        &self,
        device: &Device,
        compiled: &Compiled,
        storage: &[Bound],
        page: Option<&Rc<Buffer>>,
        uniform_parts: &[(u64, u64)],
    ) -> Rc<[wgpu::BindGroup]> {
        let mut key: Vec<u64> = Vec::with_capacity(storage.len() * 3 + 1);
        for bound in storage {
            key.extend([u64::from(bound.buffer.id), bound.byte_offset, bound.byte_len]);
        }
        if let Some(page) = page {
            key.push(u64::from(page.id));
            if !compiled.has_dynamic_uniforms {
                key.extend(uniform_parts.iter().map(|(start, _)| *start));
            }
        }
        if let Some((_, kept)) = self.groups.borrow().iter().rev().find(|(kept, _)| *kept == key) {
            return kept.clone();
        }
        let groups = self.make_groups(device, compiled, storage, page, uniform_parts);
        let mut kept = self.groups.borrow_mut();
        if kept.len() >= MAX_KEPT_GROUPS {
            kept.clear();
        }
        kept.push((key, groups.clone()));
        groups
    }

    fn make_groups(
        &self,
        device: &Device,
        compiled: &Compiled,
        storage: &[Bound],
        page: Option<&Rc<Buffer>>,
        uniform_parts: &[(u64, u64)],
    ) -> Rc<[wgpu::BindGroup]> {
        let mut entries: Vec<Vec<wgpu::BindGroupEntry<'_>>> = compiled.layouts.iter().map(|_| Vec::new()).collect();
        let (mut storage, mut parts) = (storage.iter(), uniform_parts.iter());
        for binding in self.plan.iter().flat_map(|plan| &plan.bindings) {
            let part = match binding.space {
                Space::Storage => storage.next().map(|bound| (bound.buffer.wgpu(), bound.byte_offset, bound.byte_len)),
                Space::Uniform => parts.next().map(|(start, bytes)| {
                    let start = if compiled.has_dynamic_uniforms { 0 } else { *start };
                    (page.and_then(|page| page.wgpu()), start, *bytes)
                }),
            };
            let (Some((Some(buffer), offset, bytes)), Some(group)) = (part, entries.get_mut(binding.group as usize))
            else {
                continue;
            };
            group.push(wgpu::BindGroupEntry {
                binding: binding.binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset,
                    size: std::num::NonZeroU64::new(bytes),
                }),
            });
        }
        compiled
            .layouts
            .iter()
            .zip(&entries)
            .map(|(layout, entries)| {
                device.wgpu.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(&self.label), layout, entries })
            })
            .collect()
    }
}

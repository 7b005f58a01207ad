//! Everything that can be decided before the GPU is touched.
//!
//! Each function takes plain numbers and names and gives a plan, or the error that the call would end in. Nothing here
//! knows wgpu, JavaScript, a clock or chance, so all of it runs in plain `cargo test`.
//!
//! | function | plans |
//! |---|---|
//! | [`requested_limits`], [`requested_features`] | what to ask of an adapter |
//! | [`buffer()`], [`budget`], [`span`], [`read`], [`write()`], [`copy`], [`fill`], [`subarray`] | memory and its movement |
//! | [`kernel()`] | a kernel, from its WGSL text |
//! | [`shape()`], [`call()`], [`pack()`] | the arguments of a call |
//! | [`grid()`] | how many workgroups run |

mod bindings;
mod buffer;
mod call;
mod compile;
mod constants;
mod defaults;
mod dtype;
mod grid;
mod half;
mod indirect;
mod kernel;
mod layout;
mod limits;
mod pack;
mod refuse;
mod shape;
mod transfer;
mod wgsl;

pub use buffer::{BufferPlan, Span, budget, buffer, count, span, subarray};
pub use call::{CallPlan, Given, Place, call, has_zero_length, zero_length};
pub use compile::kernel;
pub use defaults::{
    DEFAULT_OPTIONAL_FEATURES, MAX_IDLE_BUFFERS, MAX_IDLE_BYTES, MAX_KEPT_WRITE_BYTES, UNIFORM_PAGE_BYTES, pooled_bytes,
};
pub use dtype::{DType, Scalar};
pub use grid::{Grid, GridPlan, grid};
pub use indirect::{indirect, indirect_aliased};
pub use kernel::{Access, Binding, KernelOptions, KernelPlan, Space};
pub use layout::{Array, Member, Struct, Type};
pub use limits::{Limits, requested_features, requested_limits};
pub use pack::{Value, pack};
pub use shape::{Shape, Slot, shape};
pub use transfer::{CopyPlan, FillPlan, Part, ReadPlan, WritePlan, copy, destination, fill, read, write};

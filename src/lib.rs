//! WebGPU compute for the browser that tells you about every failure.
//!
//! # How to read this crate
//!
//! Two walks lead through it, one for data and one for errors.
//!
//! **Data.** A typed array of the user enters at `src/js`, passes [`api`] as a handle, becomes numbers in [`plan`], is
//! copied once into a GPU buffer in [`gpu`], and comes back the same way as one fresh array. Wasm sees lengths, never
//! elements.
//!
//! **Errors.** What the browser reports is caught by the scopes of [`gpu`], becomes a [`fault::Fault`], waits one task to learn
//! whether the device is lost, gets its code in [`fault`], picks up context on the way out, and becomes a JavaScript
//! error in [`api`].
//!
//! | module | what it decides | runs on |
//! |---|---|---|
//! | [`error`] | codes, reasons, every sentence | host and browser |
//! | [`plan`] | all that can be known before the GPU is touched | host and browser |
//! | [`fault`] | what a browser's report means | host and browser |
//! | [`kernels`] | the WGSL that the package makes itself | host and browser |
//! | [`gpu`] | nothing: it carries plans out through wgpu | browser |
//! | [`api`] | nothing: it converts for JavaScript | browser |

pub mod error;
pub mod fault;
pub mod kernels;
pub mod plan;

#[cfg(target_arch = "wasm32")]
pub mod api;
#[cfg(target_arch = "wasm32")]
pub mod gpu;

pub use error::{ComputeError, ErrorCode, Operation, Reason, RetryClass};

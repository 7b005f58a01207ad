//! The wasm-bindgen surface that `src/js` calls: convert, call, convert.
//!
//! Handles are numbers. Whatever takes time is given a call number, which is settled through the [`Host`] that JavaScript
//! passed in, so that a panic can never leave a promise of ours pending: JavaScript holds them all.

mod batch;
mod buffer;
mod convert;
mod core;
mod dispatch;
mod host;
mod kernel;
mod table;

pub use core::{Core, acquire, panic_on_purpose};
pub use host::{Host, start};

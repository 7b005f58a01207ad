//! What a failure report of the browser means.
//!
//! `gpu` collects the raw facts as a [`Fault`]; [`classify`] is the only place that gives a report its code.

mod classify;

pub use classify::{Fault, RULES, Rule, classify};

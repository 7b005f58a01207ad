//! Reads what a kernel's WGSL declares, without understanding what its functions do.
//!
//! [`lex`] cuts the text into tokens, [`declare`] finds the declarations at module scope, [`reach`] tells which of them
//! an entry point can use, [`evaluate`] computes expressions of [`integer`]s and [`types`] reads types with their layout. Only
//! declarations that are asked about are read closely. What the reader cannot follow is a [`Problem`], never a guess;
//! what it lets pass although it is wrong, the browser refuses when it compiles the same text.

mod declare;
mod evaluate;
mod integer;
mod lex;
mod reach;
mod types;

pub use declare::{Declaration, Kind, Module};
pub use evaluate::Reader;
pub use reach::{reached, takes_builtin};

/// Something that the reader cannot follow, and the index of the token where it is.
///
/// Whatever reads gives nothing when it meets one, and [`Module::problem`] keeps it.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// Index of the token; one past the last for the end of the text.
    pub at: usize,
    /// What it is.
    pub fault: Fault,
}

/// What the reader cannot follow.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// This sign was to come here.
    Sign(u8),
    /// Something else was to come here; this is a name for it.
    Wanted(&'static str),
    /// What is wrong with the token, as the rest of a sentence that begins with it.
    Token(&'static str),
    /// What is wrong here, as a sentence.
    Here(&'static str),
    /// This variable is no buffer.
    NoBuffer,
}

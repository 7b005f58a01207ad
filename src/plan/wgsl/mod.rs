//! Reads what a kernel's WGSL declares, without understanding what its functions do.
//!
//! [`lex`] cuts the text into tokens, [`declare`] finds the declarations at module scope, [`reach`] tells which of them
//! an entry point can use, [`evaluate`] computes integer expressions and [`types`] reads types with their layout. Only
//! declarations that are asked about are read closely. What the reader cannot follow is a [`Problem`], never a guess;
//! what it lets pass although it is wrong, the browser refuses when it compiles the same text.

mod declare;
mod evaluate;
mod lex;
mod reach;
mod types;

pub use declare::{Declaration, Kind, Module, declarations};
pub use evaluate::Reader;
pub use reach::{reached, takes_builtin};

/// Something that the reader cannot follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Bytes before it in the text.
    pub offset: usize,
    /// What it is, as the end of the sentence "line 3: ...".
    pub problem: String,
}

/// The line that holds this byte, counted from 1.
///
/// # Source
/// WGSL, section 3.1 "Blankspace and Line Breaks".
pub fn line_of(source: &str, offset: usize) -> u64 {
    let mut line = 1;
    let mut previous = ' ';
    for (_, character) in source.char_indices().take_while(|(at, _)| *at < offset) {
        let second_half = previous == '\r' && character == '\n';
        if lex::is_line_break(character) && !second_half {
            line += 1;
        }
        previous = character;
    }
    line
}

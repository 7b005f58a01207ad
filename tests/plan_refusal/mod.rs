//! What a refused plan must say.

use std::fmt::Debug;
use steadfast_gpu::ComputeError;
use steadfast_gpu::error::ContextValue;

/// Asserts that a plan was refused: stable id, code, reason and operation as one line, the numbers of the context in
/// order, and the whole message.
#[track_caller]
pub fn assert_refused<T: Debug>(
    outcome: Result<T, ComputeError>,
    identity: &str,
    numbers: &[(&str, f64)],
    message: &str,
) {
    let Err(error) = outcome else { panic!("this plan must be refused: {message}") };
    let (code, reason) = (error.code(), error.reason());
    let found = format!("{} {code} {} at {}", code.stable_id(), reason.name(), error.operation().name());
    let found_numbers: Vec<(&str, f64)> = error
        .context()
        .iter()
        .filter_map(|(key, value)| match value {
            ContextValue::Number(number) => Some((*key, *number)),
            _ => None,
        })
        .collect();
    assert_eq!((found.as_str(), error.to_string().as_str()), (identity, message));
    assert_eq!(found_numbers, numbers, "{message}");
    assert!(reason.codes().contains(&code), "{message}");
    assert!(!error.fix().contains(['{', '?']), "{}", error.fix());
}

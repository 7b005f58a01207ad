//! The errors that more than one plan makes.

use crate::error::{ComputeError, ContextValue, Operation, Reason};

/// `argument` must be `expected`, but is `got`.
pub(super) fn invalid(
    operation: Operation,
    label: &str,
    argument: &str,
    expected: &str,
    got: ContextValue,
) -> ComputeError {
    Reason::ArgumentInvalid
        .at(operation)
        .with("label", label)
        .with("argument", argument)
        .with("expected", expected)
        .with("got", got)
}

/// `name` must be `expected` long, but has so many bytes.
pub(super) fn wrong_length(
    operation: Operation,
    label: &str,
    name: &str,
    expected: String,
    byte_len: u64,
) -> ComputeError {
    Reason::LengthMismatch
        .at(operation)
        .with("label", label)
        .with("name", name)
        .with("expected", expected)
        .with("got", format!("{byte_len} bytes"))
        .with("bytes", byte_len)
}

/// Refuses more than a limit allows.
pub(super) fn within_limit(
    operation: Operation,
    label: &str,
    limit: &str,
    requested: u64,
    allowed: u64,
) -> Result<(), ComputeError> {
    if requested <= allowed {
        Ok(())
    } else {
        Err(past_limit(Reason::LimitExceeded, operation, label, limit, requested, allowed))
    }
}

/// More is requested than a limit allows.
pub(super) fn past_limit(
    reason: Reason,
    operation: Operation,
    label: &str,
    limit: &str,
    requested: u64,
    allowed: u64,
) -> ComputeError {
    reason.at(operation).with("label", label).with("limit", limit).with("requested", requested).with("allowed", allowed)
}

/// `name` and `other` are in one buffer.
pub(super) fn aliased(label: &str, name: &str, other: &str) -> ComputeError {
    Reason::Aliased.at(Operation::Dispatch).with("label", label).with("name", name).with("other", other)
}

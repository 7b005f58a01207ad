use super::refuse::{aliased, invalid};
use super::{DType, count};
use crate::error::{ComputeError, Operation, Reason};

/// Bytes of the three counts.
const COUNTS_BYTES: u64 = 12;

/// Where the three workgroup counts start in a buffer of `byte_len` bytes, in bytes.
///
/// # Errors
/// - `InvalidProgram` for a buffer that is not `u32`, an offset that is no multiple of 4, and one too near the end.
pub fn indirect(label: &str, dtype: DType, byte_len: u64, offset: f64) -> Result<u64, ComputeError> {
    let operation = Operation::Dispatch;
    if dtype != DType::U32 {
        let got = format!("a buffer of {}", dtype.name());
        return Err(invalid(operation, label, "indirect.buffer", "a buffer of u32", got.into()));
    }
    let offset = count(offset, "indirect.offset", label, operation)?;
    if !offset.is_multiple_of(4) {
        return Err(Reason::Misaligned
            .at(operation)
            .with("label", label)
            .with("name", "indirect.offset")
            .with("got", offset)
            .with("alignment", 4_u32)
            .with("nearest", offset & !3));
    }
    if offset.saturating_add(COUNTS_BYTES) > byte_len {
        return Err(Reason::OutOfRange
            .at(operation)
            .with("label", label)
            .with("argument", "indirect.offset")
            .with("got", offset)
            .with("allowed", format!("{byte_len} bytes, and three counts need 12")));
    }
    Ok(offset)
}

/// The error for counts in a buffer that the same dispatch writes.
pub fn indirect_aliased(label: &str, buffer: &str) -> ComputeError {
    aliased(label, buffer, "indirect.buffer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lie_on_words_inside_a_u32_buffer() {
        assert_eq!(indirect("k", DType::U32, 16, 4.0).unwrap(), 4);
        let refused = |dtype, offset| indirect("k", dtype, 16, offset).unwrap_err().reason();
        assert_eq!(refused(DType::F32, 0.0), Reason::ArgumentInvalid);
        assert_eq!(refused(DType::U32, 2.0), Reason::Misaligned);
        assert_eq!(refused(DType::U32, 8.0), Reason::OutOfRange);
        assert_eq!(refused(DType::U32, -4.0), Reason::ArgumentInvalid);
    }
}

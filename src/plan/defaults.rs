//! What the package chooses where the user does not: features to ask for, and the sizes of its own buffers.

/// Features that are taken where the adapter has them, unless the user lists others.
pub const DEFAULT_OPTIONAL_FEATURES: [&str; 3] = ["timestamp-query", "shader-f16", "subgroups"];

/// Most bytes of idle pooled buffers.
pub const MAX_IDLE_BYTES: u64 = 256 << 20;

/// Most idle pooled buffers.
pub const MAX_IDLE_BUFFERS: usize = 64;

/// Bytes of a page of uniforms, more where one call needs more.
pub const UNIFORM_PAGE_BYTES: u64 = 64 << 10;

/// Longest write whose bytes are kept until the flush; a longer one is sent at once, which costs scopes of its own but
/// no copy.
pub const MAX_KEPT_WRITE_BYTES: u64 = 64 << 10;

/// Smallest pooled buffer.
const MIN_BYTES: u64 = 1 << 10;

/// Bytes of the pooled buffer that serves a need of `bytes`: one of four sizes per power of two, so that a buffer fits
/// needs like its own and wastes at most a quarter. Never above `max_buffer_bytes` where the need is not.
pub fn pooled_bytes(bytes: u64, max_buffer_bytes: u64) -> u64 {
    let bytes = bytes.clamp(MIN_BYTES, u64::MAX >> 1);
    let step = 1_u64 << (u64::BITS - 1 - bytes.leading_zeros()).saturating_sub(2);
    let rounded = bytes.div_ceil(step) * step;
    if rounded > max_buffer_bytes { bytes.next_multiple_of(4) } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pooled_buffer_holds_the_need_and_wastes_at_most_a_quarter() {
        for bytes in (1..5000).chain([1 << 20, (1 << 20) + 1, 3 << 30, 999_999_999]) {
            let pooled = pooled_bytes(bytes, u64::MAX);
            assert!(pooled >= bytes && pooled.is_multiple_of(4), "{bytes} -> {pooled}");
            assert!(bytes < MIN_BYTES || pooled * 4 <= bytes * 5, "{bytes} -> {pooled}");
        }
    }

    #[test]
    fn a_pooled_buffer_stays_within_the_device_limit() {
        assert_eq!(pooled_bytes((1 << 30) - 4, 1 << 30), 1 << 30);
        assert_eq!(pooled_bytes((1 << 30) + 4, (1 << 30) + 8), (1 << 30) + 4);
    }
}

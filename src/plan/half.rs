/// The bits of the IEEE 754 half nearest to `value`, ties to even; past the range it is infinite.
///
/// Rounds once from the 64-bit value: going through f32 would round twice.
///
/// # Source
/// IEEE 754-2019, section 4.3.1.
pub fn half_bits(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = ((bits >> 48) & 0x8000) as u16;
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let mantissa = bits & 0x000f_ffff_ffff_ffff;
    if value.is_nan() {
        return sign | 0x7e00;
    }
    if exponent > 15 {
        return sign | 0x7c00;
    }
    if exponent < -25 {
        return sign;
    }
    // A normal half keeps 10 bits of the 52; below 2^-14 each power of two costs one more, down to none.
    let dropped = if exponent < -14 { 42 - 14 - exponent } else { 42 };
    let significand = mantissa | 0x0010_0000_0000_0000;
    let kept = significand >> dropped;
    let rest = significand & ((1 << dropped) - 1);
    let tie = 1 << (dropped - 1);
    let up = rest > tie || (rest == tie && kept & 1 == 1);
    // The leading one of a normal half lands on the exponent's lowest bit, and a carry moves on into it as it should.
    let base = if exponent < -14 { 0 } else { ((exponent + 14) as u64) << 10 };
    sign | (base + kept + u64::from(up)) as u16
}

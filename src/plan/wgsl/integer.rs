//! The arithmetic of WGSL's integers, where nothing wraps: what has no value is none.

use crate::plan::Scalar;

/// An integer of a const or override expression.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Integer {
    /// Its value.
    pub value: i64,
    /// `i32` or `u32`; none while it is abstract.
    pub ty: Option<Scalar>,
}

/// The integer, unless its type cannot hold it.
pub fn fitting(value: i64, ty: Option<Scalar>) -> Option<Integer> {
    let fits = match ty {
        Some(Scalar::I32) => value == i64::from(value as i32),
        Some(Scalar::U32) => value == i64::from(value as u32),
        _ => true,
    };
    fits.then_some(Integer { value, ty })
}

/// The integer that a literal without a point or an exponent is.
pub fn literal(text: &str) -> Option<Integer> {
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        digits => (digits, 10),
    };
    let (digits, ty) = match digits {
        [digits @ .., b'u'] => (digits, Some(Scalar::U32)),
        [digits @ .., b'i'] => (digits, Some(Scalar::I32)),
        _ => (digits, None),
    };
    let mut value = 0_i64;
    for digit in digits {
        let digit = char::from(*digit).to_digit(radix)?;
        value = value.checked_mul(radix.into())?.checked_add(digit.into())?;
    }
    fitting(value, ty)
}

/// The integer in this type; an abstract one takes it on, if it fits.
pub fn convert(integer: Integer, ty: Scalar) -> Option<Integer> {
    if integer.ty.is_some_and(|own| own != ty) { None } else { fitting(integer.value, Some(ty)) }
}

/// The common type of two operands: an abstract one takes the other's, if it fits.
pub fn unify(left: Integer, right: Integer) -> Option<Option<Scalar>> {
    let ty = left.ty.or(right.ty);
    let fits = |operand: Integer| (operand.ty.is_none() || operand.ty == ty) && fitting(operand.value, ty).is_some();
    (fits(left) && fits(right)).then_some(ty)
}

/// The result of an operator; none where it overflows, so that wrapping is never guessed.
pub fn compute(operator: u8, left: Integer, right: Integer) -> Option<Integer> {
    let (l, r) = (left.value, right.value);
    if matches!(operator, b'<' | b'>') {
        let bits = if left.ty.is_some() { 32 } else { 64 };
        if !(0..bits).contains(&r) || right.ty == Some(Scalar::I32) {
            return None;
        }
        let value = if operator == b'>' { l >> r } else { l << r };
        let is_kept = operator == b'>' || value >> r == l;
        return fitting(value, left.ty).filter(|_| is_kept);
    }
    let ty = unify(left, right)?;
    let value = match operator {
        b'+' => l.checked_add(r),
        b'-' => l.checked_sub(r),
        b'*' => l.checked_mul(r),
        b'/' => l.checked_div(r),
        b'%' => l.checked_rem(r),
        b'&' => Some(l & r),
        b'^' => Some(l ^ r),
        _ => Some(l | r),
    }?;
    fitting(value, ty)
}

/// `u32(x)` and `i32(x)`: between the two the bits are kept, an abstract operand must fit.
pub fn cast(operand: Integer, to: Scalar) -> Option<Integer> {
    let value = match (operand.ty, to) {
        (Some(_), Scalar::U32) => i64::from(operand.value as u32),
        (Some(_), _) => i64::from(operand.value as i32),
        (None, _) => operand.value,
    };
    fitting(value, Some(to))
}

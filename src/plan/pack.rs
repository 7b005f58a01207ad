use super::layout::round_up;
use super::transfer::{scalar_bytes, whole_number};
use super::{Binding, Scalar, Type};
use crate::error::{ComputeError, ContextValue, Operation, Reason};

/// A uniform's value as the user gave it.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// One number.
    Number(f64),
    /// A vector, a matrix column after column, or an array of those or of scalars.
    Numbers(Vec<f64>),
    /// A structure by field name, or an array by index written as text.
    Fields(Vec<(String, Value)>),
    /// Bytes that are laid out already.
    Bytes(Vec<u8>),
}

/// The bytes of a uniform, by WGSL's layout rules, rounded up to 4 bytes; padding is zero.
///
/// # Errors
/// - `InvalidProgram` for a missing or unknown field, a wrong number of numbers, a number that an integer type cannot
///   hold, or bytes of another length; the path (`params.view.scale`) says where.
pub fn pack(binding: &Binding, value: &Value, label: &str) -> Result<Vec<u8>, ComputeError> {
    let size = binding.ty.size();
    let bytes_len = round_up(4, size);
    let mut bytes = Vec::new();
    let room = usize::try_from(bytes_len).unwrap_or(usize::MAX);
    if bytes.try_reserve_exact(room).is_err() {
        return Err(Reason::OutOfMemory.at(Operation::Dispatch).with("label", label).with("bytes", bytes_len));
    }
    bytes.resize(room, 0);
    let mut packing = Packing { bytes, path: binding.name.clone(), label };
    match value {
        Value::Bytes(given) => packing.laid_out(given, size)?,
        _ => packing.put(&binding.ty, value, 0)?,
    }
    Ok(packing.bytes)
}

struct Packing<'a> {
    bytes: Vec<u8>,
    /// Where in the value we are, as the user would write it.
    path: String,
    label: &'a str,
}

impl Packing<'_> {
    fn refuse(&self, reason: Reason, expected: String, got: impl Into<ContextValue>) -> ComputeError {
        let key = if reason == Reason::ArgumentInvalid { "argument" } else { "name" };
        reason
            .at(Operation::Dispatch)
            .with("label", self.label)
            .with(key, self.path.as_str())
            .with("expected", expected)
            .with("got", got)
    }

    /// Takes bytes as they are.
    fn laid_out(&mut self, given: &[u8], size: u64) -> Result<(), ComputeError> {
        if given.len() as u64 != size {
            let expected = [&size.to_string(), " bytes"].concat();
            let got = [&given.len().to_string(), " bytes"].concat();
            return Err(self.refuse(Reason::LengthMismatch, expected, got));
        }
        for (byte, from) in self.bytes.iter_mut().zip(given) {
            *byte = *from;
        }
        Ok(())
    }

    fn put(&mut self, ty: &Type, value: &Value, offset: u64) -> Result<(), ComputeError> {
        match (ty, value) {
            (Type::Scalar(scalar) | Type::Atomic(scalar), Value::Number(number)) => {
                self.put_scalar(*scalar, *number, offset)
            }
            (Type::Struct(structure), Value::Fields(fields)) => {
                let mut names = structure.members.iter().map(|member| member.name.as_str());
                if let Some((unknown, _)) = fields.iter().find(|(name, _)| !names.clone().any(|known| known == name)) {
                    let known = names.by_ref().collect::<Vec<_>>().join(", ");
                    let got = ["not a field of ", &structure.name].concat();
                    return self.inside(unknown, |packing| {
                        Err(packing.refuse(Reason::ArgumentInvalid, ["one of the fields ", &known].concat(), got))
                    });
                }
                for member in &structure.members {
                    let field = fields.iter().find(|(name, _)| *name == member.name).map(|(_, field)| field);
                    self.put_part(&member.name, &member.ty, field, offset + member.offset)?;
                }
                Ok(())
            }
            (Type::Array(array), Value::Fields(elements)) if array.length.is_some() => {
                let (element, length) = (&array.element, array.length.unwrap_or(0));
                self.expect_numbers(ty, length, elements.len(), " elements")?;
                for index in 0..length {
                    let name = index.to_string();
                    let given = elements.iter().find(|(key, _)| *key == name).map(|(_, given)| given);
                    self.put_part(&name, element, given, offset + index * element.stride())?;
                }
                Ok(())
            }
            (_, Value::Numbers(numbers)) => {
                let Some(wanted) = numbers_in(ty) else {
                    return Err(self.wrong_kind(ty, "a list of numbers"));
                };
                self.expect_numbers(ty, wanted, numbers.len(), " numbers")?;
                self.put_numbers(ty, &mut numbers.iter().copied(), offset)
            }
            (_, Value::Number(_)) => Err(self.wrong_kind(ty, "a number")),
            (_, Value::Fields(_)) => Err(self.wrong_kind(ty, "an object")),
            (_, Value::Bytes(_)) => Err(self.wrong_kind(ty, "bytes")),
        }
    }

    /// Puts a field or an element, one step further down the path.
    fn put_part(&mut self, name: &str, ty: &Type, value: Option<&Value>, offset: u64) -> Result<(), ComputeError> {
        self.inside(name, |packing| match value {
            Some(value) => packing.put(ty, value, offset),
            None => Err(packing.refuse(Reason::ArgumentInvalid, ty.to_string(), "missing")),
        })
    }

    fn inside(
        &mut self,
        name: &str,
        action: impl FnOnce(&mut Self) -> Result<(), ComputeError>,
    ) -> Result<(), ComputeError> {
        let outer_len = self.path.len();
        self.path.push('.');
        self.path.push_str(name);
        let outcome = action(self);
        self.path.truncate(outer_len);
        outcome
    }

    fn wrong_kind(&self, ty: &Type, got: &str) -> ComputeError {
        self.refuse(Reason::TypeMismatch, ty.to_string(), got)
    }

    fn expect_numbers(&self, ty: &Type, wanted: u64, given: usize, unit: &str) -> Result<(), ComputeError> {
        if given as u64 == wanted {
            return Ok(());
        }
        let expected = [&wanted.to_string(), unit, " (", &ty.to_string(), ")"].concat();
        Err(self.refuse(Reason::LengthMismatch, expected, given))
    }

    /// Puts numbers in the order of the type's scalars; there are as many as [`numbers_in`] says.
    fn put_numbers(
        &mut self,
        ty: &Type,
        numbers: &mut dyn Iterator<Item = f64>,
        offset: u64,
    ) -> Result<(), ComputeError> {
        let (part, parts, stride) = match ty {
            Type::Scalar(scalar) | Type::Atomic(scalar) => {
                return match numbers.next() {
                    Some(number) => self.put_scalar(*scalar, number, offset),
                    None => Ok(()),
                };
            }
            Type::Vector { components, scalar } => (&Type::Scalar(*scalar), u64::from(*components), scalar.bytes()),
            Type::Matrix { columns, rows, scalar } => {
                (&Type::Vector { components: *rows, scalar: *scalar }, u64::from(*columns), ty.align())
            }
            Type::Array(array) => (&array.element, array.length.unwrap_or(0), array.element.stride()),
            Type::Struct(_) => return Ok(()),
        };
        for index in 0..parts {
            self.put_numbers(part, numbers, offset + index * stride)?;
        }
        Ok(())
    }

    fn put_scalar(&mut self, scalar: Scalar, number: f64, offset: u64) -> Result<(), ComputeError> {
        let Some((bytes, length)) = scalar_bytes(scalar, number) else {
            return Err(self.refuse(Reason::ArgumentInvalid, whole_number(scalar).to_owned(), number));
        };
        let at = usize::try_from(offset).unwrap_or(usize::MAX);
        for (byte, from) in self.bytes.iter_mut().skip(at).zip(bytes.iter().take(length)) {
            *byte = *from;
        }
        Ok(())
    }
}

/// How many numbers fill the type, if numbers alone can: a structure needs its field names.
fn numbers_in(ty: &Type) -> Option<u64> {
    match ty {
        Type::Scalar(_) | Type::Atomic(_) => Some(1),
        Type::Vector { components, .. } => Some(u64::from(*components)),
        Type::Matrix { columns, rows, .. } => Some(u64::from(columns * rows)),
        Type::Array(array) => numbers_in(&array.element)?.checked_mul(array.length?),
        Type::Struct(_) => None,
    }
}

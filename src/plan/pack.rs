use super::layout::round_up;
use super::shape::push_name;
use super::transfer::{scalar_bytes, whole_number};
use super::{Binding, Scalar, Struct, Type};
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
    fn refuse(&self, reason: Reason, expected: String, got: ContextValue) -> ComputeError {
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
            let expected = format!("{size} bytes");
            let got = given.len() as u64;
            return Err(self
                .refuse(Reason::LengthMismatch, expected, format!("{got} bytes").into())
                .with("bytes", got));
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
                let has_member = |name: &str| structure.members.iter().any(|member| member.name == name);
                if let Some((unknown, _)) = fields.iter().find(|(name, _)| !has_member(name)) {
                    return Err(self.unknown_field(unknown, structure));
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
        let outer_len = self.step_into(name);
        let Some(value) = value else {
            return Err(self.refuse(Reason::ArgumentInvalid, ty.to_string(), "missing".into()));
        };
        self.put(ty, value, offset)?;
        self.path.truncate(outer_len);
        Ok(())
    }

    /// Goes one step further down the path; its length before leads back.
    fn step_into(&mut self, name: &str) -> usize {
        let outer_len = self.path.len();
        self.path.push('.');
        self.path.push_str(name);
        outer_len
    }

    fn unknown_field(&mut self, name: &str, structure: &Struct) -> ComputeError {
        self.step_into(name);
        let mut expected = String::new();
        for member in &structure.members {
            push_name(&mut expected, &member.name);
        }
        expected.insert_str(0, "one of the fields ");
        self.refuse(Reason::ArgumentInvalid, expected, format!("not a field of {}", structure.name).into())
    }

    fn wrong_kind(&self, ty: &Type, got: &str) -> ComputeError {
        self.refuse(Reason::TypeMismatch, ty.to_string(), got.into())
    }

    fn expect_numbers(&self, ty: &Type, wanted: u64, given: usize, unit: &str) -> Result<(), ComputeError> {
        if given as u64 == wanted {
            return Ok(());
        }
        Err(self.refuse(Reason::LengthMismatch, format!("{wanted}{unit} ({ty})"), given.into()))
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
            return Err(self.refuse(Reason::ArgumentInvalid, whole_number(scalar).to_owned(), number.into()));
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

use super::Scalar;
use super::compile::Errors;
use super::half::half_bits;
use super::transfer::whole_number;
use super::wgsl::{Kind, Module, Reader};
use crate::error::{ComputeError, Reason};

/// The constants a user gave, by the index of the override's declaration instead of its name or `@id`.
///
/// # Errors
/// - `KernelCompileFailed` for a constant that the module does not have, that is given twice, or that its type cannot hold.
pub fn given_constants(
    module: &Module,
    constants: &[(String, f64)],
    errors: &Errors,
) -> Result<Vec<(usize, f64)>, ComputeError> {
    let mut reader = Reader::new(module, &[]);
    let mut given: Vec<(usize, f64)> = Vec::new();
    for (name, value) in constants {
        let Some(index) = (0..module.declarations.len()).find(|index| is_named(&mut reader, *index, name)) else {
            return Err(errors.constant(name, "is not an override of this kernel"));
        };
        if given.iter().any(|(other, _)| *other == index) {
            return Err(errors.constant(name, "is given twice, by name and by @id"));
        }
        if let Some(expected) = refused(reader.override_scalar(index), *value) {
            let error = errors.at_compile(Reason::ConstantRange).with("name", name.as_str());
            return Err(error.with("expected", expected).with("got", *value));
        }
        given.push((index, *value));
    }
    Ok(given)
}

fn is_named(reader: &mut Reader, index: usize, name: &str) -> bool {
    match reader.module.declarations.get(index) {
        Some(declaration) if declaration.kind == Kind::Override => {
            declaration.name == name || constant_key(reader, index) == name
        }
        _ => false,
    }
}

/// What the value should have been, if its type cannot hold it.
fn refused(scalar: Option<Scalar>, value: f64) -> Option<&'static str> {
    let (holds, expected) = match scalar {
        Some(Scalar::F32) => ((value as f32).is_finite(), "a number that f32 can hold"),
        Some(Scalar::F16) => (half_bits(value) & 0x7c00 != 0x7c00, "a number that f16 can hold"),
        Some(integer @ (Scalar::I32 | Scalar::U32)) => (integer.holds(value), whole_number(integer)),
        Some(Scalar::Bool) | None => (value.is_finite(), "finite"),
    };
    if holds { None } else { Some(expected) }
}

/// The key WebGPU knows a constant by: its `@id` where there is one, else its name.
pub fn constant_key(reader: &mut Reader, index: usize) -> String {
    let Some(declaration) = reader.module.declarations.get(index) else { return String::new() };
    match reader.module.attribute(declaration.start, "id").and_then(|at| reader.argument(at)) {
        Some(id) => id.to_string(),
        None => declaration.name.to_owned(),
    }
}

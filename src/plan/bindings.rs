use super::compile::Errors;
use super::wgsl::{Declaration, Reader};
use super::{Access, Binding, Limits, Space};
use crate::error::{ComputeError, Reason};

/// The buffer binding that a module-scope variable declares; none for private and workgroup variables.
///
/// # Errors
/// - `InvalidProgram` for a texture, a sampler or anything else that is no buffer, and for what the reader cannot follow.
pub fn read_binding(
    reader: &mut Reader,
    declaration: &Declaration,
    errors: &Errors,
) -> Result<Option<Binding>, ComputeError> {
    let module = reader.module;
    let here = |problem| Err(errors.undecided_at(declaration.at, problem));
    let ty = module.type_of(declaration);
    let template = declaration.keyword + 1;
    let space = if module.is(template, "<") { module.token(template + 1) } else { "" };
    let access = if module.is(template + 2, ",") { module.token(template + 3) } else { ">" };
    let (space, access) = match (space, access) {
        ("private" | "workgroup", _) => return Ok(None),
        ("uniform", ">" | "read") => (Space::Uniform, Access::Read),
        ("storage", ">" | "read") => (Space::Storage, Access::Read),
        ("storage", "read_write") => (Space::Storage, Access::ReadWrite),
        ("storage" | "uniform", _) => return here("this access mode is not for a buffer"),
        _ => {
            let got = match (space, ty) {
                ("", Some(ty)) => module.text(ty, declaration.end - 1),
                _ => module.text(declaration.keyword, declaration.at),
            };
            return Err(errors.at_compile(Reason::UnsupportedBinding).with("name", declaration.name).with("got", got));
        }
    };
    let mut place = [0; 2];
    for (number, attribute) in place.iter_mut().zip(["group", "binding"]) {
        let Some(at) = module.attribute(declaration.start, attribute) else {
            return here("a buffer variable needs @group and @binding");
        };
        let argument = reader.argument(at).ok_or_else(|| errors.undecided())?;
        let Ok(argument) = u32::try_from(argument) else {
            return here("@group and @binding take a number of at least 0");
        };
        *number = argument;
    }
    let [group, binding] = place;
    let Some(ty) = ty else { return here("a buffer variable needs a type") };
    let ty = reader.type_at(ty).ok_or_else(|| errors.undecided())?;
    reader.step_over(";").ok_or_else(|| errors.undecided())?;
    Ok(Some(Binding { name: declaration.name.to_owned(), group, binding, space, access, ty }))
}

/// Refuses more bindings than the device can lay out.
pub fn check_bindings(bindings: &[Binding], limits: &Limits, errors: &Errors) -> Result<(), ComputeError> {
    let (mut storage, mut uniform) = (0, 0);
    for binding in bindings {
        let uniform_bytes = match binding.space {
            Space::Storage => {
                storage += 1;
                0
            }
            Space::Uniform => {
                uniform += 1;
                binding.min_bytes()
            }
        };
        let rows = [
            ("maxBindGroups", u64::from(binding.group) + 1, limits.max_bind_groups.into()),
            ("maxBindingsPerBindGroup", u64::from(binding.binding) + 1, limits.max_bindings_per_group.into()),
            ("maxUniformBufferBindingSize", uniform_bytes, limits.max_uniform_binding_bytes),
        ];
        for (limit, requested, allowed) in rows {
            errors.within(limit, requested, allowed).map_err(|error| error.with("name", binding.name.as_str()))?;
        }
    }
    errors.within("maxStorageBuffersPerShaderStage", storage, limits.max_storage_buffers.into())?;
    errors.within("maxUniformBuffersPerShaderStage", uniform, limits.max_uniform_buffers.into())
}

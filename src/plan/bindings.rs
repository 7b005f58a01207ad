use super::compile::Errors;
use super::wgsl::{Declaration, Fault, Problem, Reader};
use super::{Access, Binding, Limits, Space};
use crate::error::ComputeError;

/// The buffer that a module-scope variable declares; nothing where the reader stops, which it does at a texture, a
/// sampler and anything else that is no buffer.
pub fn read_binding(reader: &mut Reader, declaration: &Declaration) -> Option<Binding> {
    let module = reader.module;
    let here = |problem| module.here(declaration.at, problem);
    let (space, access) = match (module.space(declaration), module.access(declaration)) {
        ("uniform", "" | "read") => (Space::Uniform, Access::Read),
        ("storage", "" | "read") => (Space::Storage, Access::Read),
        ("storage", "read_write") => (Space::Storage, Access::ReadWrite),
        ("storage" | "uniform", _) => return here("this access mode is not for a buffer"),
        _ => {
            module.problem.set(Problem { at: declaration.at, fault: Fault::NoBuffer });
            return None;
        }
    };
    let group = place(reader, declaration, "group")?;
    let binding = place(reader, declaration, "binding")?;
    let Some(ty) = module.type_of(declaration) else { return here("a buffer variable needs a type") };
    let ty = reader.type_at(ty)?;
    reader.step_over(b';')?;
    Some(Binding { name: declaration.name.to_owned(), group, binding, space, access, ty })
}

fn place(reader: &mut Reader, declaration: &Declaration, attribute: &str) -> Option<u32> {
    let module = reader.module;
    let Some(at) = module.attribute(declaration.start, attribute) else {
        return module.here(declaration.at, "a buffer variable needs @group and @binding");
    };
    match u32::try_from(reader.argument(at)?) {
        Ok(place) => Some(place),
        Err(_) => module.here(declaration.at, "@group and @binding take a number of at least 0"),
    }
}

/// Refuses more bindings than the device can lay out.
pub fn check_bindings(bindings: &[Binding], limits: &Limits, errors: &Errors) -> Result<(), ComputeError> {
    let (mut storage, mut uniform) = (0, 0);
    for binding in bindings {
        let within = |limit, requested, allowed| {
            errors.within(limit, requested, allowed).map_err(|error| error.with("name", binding.name.as_str()))
        };
        within("maxBindGroups", u64::from(binding.group) + 1, limits.max_bind_groups.into())?;
        within("maxBindingsPerBindGroup", u64::from(binding.binding) + 1, limits.max_bindings_per_group.into())?;
        if binding.space == Space::Uniform {
            uniform += 1;
            within("maxUniformBufferBindingSize", binding.min_bytes(), limits.max_uniform_binding_bytes)?;
        } else {
            storage += 1;
        }
    }
    errors.within("maxStorageBuffersPerShaderStage", storage, limits.max_storage_buffers.into())?;
    errors.within("maxUniformBuffersPerShaderStage", uniform, limits.max_uniform_buffers.into())
}

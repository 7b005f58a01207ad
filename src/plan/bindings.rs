use super::compile::Errors;
use super::wgsl::{Declaration, Kind, Module, Reader};
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
    let Kind::Var(space, access, ty) = declaration.kind else { return Ok(None) };
    let module = reader.module();
    let problem = |text| errors.undecided(&module.problem(declaration.at, text));
    let (space, access) = match (space, access) {
        (Some("private" | "workgroup"), _) => return Ok(None),
        (Some("uniform"), None | Some("read")) => (Space::Uniform, Access::Read),
        (Some("storage"), None | Some("read")) => (Space::Storage, Access::Read),
        (Some("storage"), Some("read_write")) => (Space::Storage, Access::ReadWrite),
        (Some("storage" | "uniform"), _) => return Err(problem("this access mode is not for a buffer")),
        (other, _) => {
            let tokens = module.tokens.get(ty.unwrap_or(declaration.at)..declaration.tokens.end).unwrap_or(&[]);
            let ty = tokens.iter().map(|token| token.text).filter(|text| *text != ";").collect::<Vec<_>>().concat();
            let got = other.map_or(ty, |space| ["var<", space, ">"].concat());
            return Err(errors.at_compile(Reason::UnsupportedBinding).with("name", declaration.name).with("got", got));
        }
    };
    let mut number = |name| {
        let Some(attribute) = declaration.attribute(name) else {
            return Err(problem("a buffer variable needs @group and @binding"));
        };
        let arguments = attribute.arguments.clone();
        let numbers = reader.integers(arguments.start, arguments.end).map_err(|problem| errors.undecided(&problem))?;
        let number = numbers.first().and_then(|number| u32::try_from(number.value).ok());
        number.ok_or_else(|| problem("@group and @binding take one number of at least 0"))
    };
    let (group, binding) = (number("group")?, number("binding")?);
    let Some(ty) = ty else { return Err(problem("a buffer variable needs a type")) };
    let (ty, end) = reader.ty(ty).map_err(|problem| errors.undecided(&problem))?;
    module.step_over(end, ';').map_err(|problem| errors.undecided(&problem))?;
    Ok(Some(Binding { name: declaration.name.to_owned(), group, binding, space, access, ty }))
}

/// Refuses bindings, sorted by group and binding, that no device or not this device can lay out.
pub fn check_bindings(
    module: &Module,
    bindings: &[Binding],
    limits: &Limits,
    errors: &Errors,
) -> Result<(), ComputeError> {
    let mut neighbours = bindings.iter().zip(bindings.iter().skip(1));
    if let Some((first, second)) = neighbours.find(|(a, b)| (a.group, a.binding) == (b.group, b.binding)) {
        let at = module.find(&second.name).map_or(0, |(_, declaration)| declaration.at);
        let text = ["`", &first.name, "` has the same @group and @binding"].concat();
        return Err(errors.undecided(&module.problem(at, &text)));
    }
    let (mut storage, mut uniform) = (0, 0);
    for binding in bindings {
        let named = |error: ComputeError| error.with("name", binding.name.as_str());
        errors.within("maxBindGroups", u64::from(binding.group) + 1, limits.max_bind_groups).map_err(named)?;
        errors
            .within("maxBindingsPerBindGroup", u64::from(binding.binding) + 1, limits.max_bindings_per_group)
            .map_err(named)?;
        match binding.space {
            Space::Storage => storage += 1,
            Space::Uniform => {
                uniform += 1;
                let limit = "maxUniformBufferBindingSize";
                errors.within(limit, binding.min_bytes(), limits.max_uniform_binding_bytes).map_err(named)?;
            }
        }
    }
    errors.within("maxStorageBuffersPerShaderStage", storage, limits.max_storage_buffers)?;
    errors.within("maxUniformBuffersPerShaderStage", uniform, limits.max_uniform_buffers)
}

use super::bindings::{check_bindings, read_binding};
use super::constants::{constant_key, given_constants};
use super::layout::round_up;
use super::wgsl::{Declaration, Kind, Module, Problem, Reader, declarations, line_of, reached, takes_builtin};
use super::{KernelOptions, KernelPlan, Limits};
use crate::error::{ComputeError, ContextValue, Operation, Reason};

/// Reads the WGSL of a kernel.
///
/// # Errors
/// - `KernelCompileFailed` for a missing or ambiguous entry point, an impossible constant, or a limit passed.
/// - `InvalidProgram` for a texture or sampler that the entry point reaches, and with reason "undecided" for text that
///   the reader cannot follow: the browser may still compile it, or say better what is wrong.
pub fn kernel(wgsl: &str, options: &KernelOptions, limits: &Limits) -> Result<KernelPlan, ComputeError> {
    let label = options.label.as_deref().filter(|label| !label.is_empty());
    let mut errors = Errors { wgsl, label: label.unwrap_or("kernel") };
    let module = declarations(wgsl).map_err(|problem| errors.undecided(&problem))?;
    let (entry, declaration) = entry_point(&module, options.entry_point.as_deref(), &errors)?;
    let Kind::Function(parameters, ..) = &declaration.kind else {
        return Err(errors.undecided(&module.wanted(declaration.at, "a function")));
    };
    errors.label = label.unwrap_or(declaration.name);

    let reached = reached(&module, entry);
    let is_reached = |index: usize| reached.get(index).copied().unwrap_or(false);
    let given = given_constants(&module, &options.constants, &errors)?;
    let without_value = module.declarations.iter().enumerate().find(|(index, declaration)| {
        let is_bare = matches!(declaration.kind, Kind::Override(_, None));
        is_bare && is_reached(*index) && !given.iter().any(|(override_index, _)| override_index == index)
    });
    if let Some((_, bare)) = without_value {
        return Err(errors.constant(bare.name, "has neither a default nor a value"));
    }

    let mut reader = Reader::new(&module, &given);
    let workgroup_size = workgroup_size(&mut reader, declaration, limits, &errors)?;
    let mut bindings = Vec::new();
    let mut unreached = Vec::new();
    for (index, declaration) in module.declarations.iter().enumerate() {
        if !matches!(declaration.kind, Kind::Var(..)) {
            continue;
        }
        match (read_binding(&mut reader, declaration, &errors), is_reached(index)) {
            (Ok(Some(binding)), true) => bindings.push(binding),
            (Ok(Some(binding)), false) => unreached.push(binding),
            (Err(error), true) => return Err(error),
            // Nobody asks about it, so it does not matter that it cannot be followed.
            (Err(_), false) | (Ok(None), _) => {}
        }
    }
    bindings.sort_unstable_by_key(|binding| (binding.group, binding.binding));
    check_bindings(&module, &bindings, limits, &errors)?;
    check_workgroup_memory(&mut reader, &reached, limits, &errors)?;
    Ok(KernelPlan {
        label: errors.label.to_owned(),
        entry_point: declaration.name.to_owned(),
        bindings,
        unreached,
        workgroup_size,
        uses_num_workgroups: takes_builtin(&module, parameters, "num_workgroups"),
        constants: given.iter().map(|(index, value)| (constant_key(&module, &mut reader, *index), *value)).collect(),
        enables: module.enables.iter().map(|name| (*name).to_owned()).collect(),
    })
}

/// Makes the errors of one kernel's text.
pub(super) struct Errors<'a> {
    wgsl: &'a str,
    label: &'a str,
}

impl Errors<'_> {
    pub(super) fn at_compile(&self, reason: Reason) -> ComputeError {
        reason.at(Operation::Compile).with("label", self.label)
    }

    pub(super) fn undecided(&self, problem: &Problem) -> ComputeError {
        self.at_compile(Reason::Undecided)
            .with("line", line_of(self.wgsl, problem.offset))
            .with("problem", problem.problem.as_str())
    }

    pub(super) fn constant(&self, name: &str, problem: &str) -> ComputeError {
        self.at_compile(Reason::Constant).with("name", name).with("problem", problem)
    }

    /// Refuses more than a limit allows.
    pub(super) fn within(
        &self,
        limit: &str,
        requested: u64,
        allowed: impl Into<ContextValue> + Copy + Into<u64>,
    ) -> Result<(), ComputeError> {
        if requested <= allowed.into() {
            return Ok(());
        }
        Err(self
            .at_compile(Reason::LimitExceeded)
            .with("limit", limit)
            .with("requested", requested)
            .with("allowed", allowed))
    }
}

/// The function to run: the one named, or the only one.
fn entry_point<'m, 'a>(
    module: &'m Module<'a>,
    wanted: Option<&str>,
    errors: &Errors,
) -> Result<(usize, &'m Declaration<'a>), ComputeError> {
    let entry_points = || {
        let declarations = module.declarations.iter().enumerate();
        declarations.filter(|(_, declaration)| declaration.attribute("compute").is_some())
    };
    let mut matching = entry_points().filter(|(_, declaration)| wanted.is_none_or(|name| name == declaration.name));
    match (matching.next(), matching.next()) {
        (Some(only), None) => Ok(only),
        _ => {
            let names: Vec<&str> = entry_points().map(|(_, declaration)| declaration.name).collect();
            let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            let error = errors.at_compile(Reason::EntryPoint).with("found", found);
            Err(error.with("wanted", wanted.unwrap_or("exactly one, or a name")))
        }
    }
}

fn workgroup_size(
    reader: &mut Reader,
    entry: &Declaration,
    limits: &Limits,
    errors: &Errors,
) -> Result<[u32; 3], ComputeError> {
    let problem = |at, text| errors.undecided(&reader.module().problem(at, text));
    let Some(attribute) = entry.attribute("workgroup_size") else {
        return Err(problem(entry.at, "a compute entry point needs @workgroup_size"));
    };
    let arguments = attribute.arguments.clone();
    let not_a_size = problem(arguments.start, "@workgroup_size takes one to three positive integers");
    let sizes = reader.integers(arguments.start, arguments.end).map_err(|problem| errors.undecided(&problem))?;
    if !(1..=3).contains(&sizes.len()) {
        return Err(not_a_size);
    }
    let mut size = [1; 3];
    let names = ["maxComputeWorkgroupSizeX", "maxComputeWorkgroupSizeY", "maxComputeWorkgroupSizeZ"];
    for (index, given) in sizes.iter().enumerate() {
        let (Some(to), Some(limit)) = (size.get_mut(index), names.get(index)) else { break };
        let allowed = limits.max_workgroup_size.get(index).copied().unwrap_or(0);
        let wanted = u64::try_from(given.value).ok().filter(|wanted| *wanted > 0);
        let Some(wanted) = wanted else { return Err(not_a_size) };
        errors.within(limit, wanted, allowed)?;
        *to = u32::try_from(wanted).unwrap_or(allowed);
    }
    let invocations = size.iter().map(|dimension| u64::from(*dimension)).product();
    errors.within("maxComputeInvocationsPerWorkgroup", invocations, limits.max_invocations)?;
    Ok(size)
}

/// Refuses more workgroup memory than the device has, where the reader can tell how much it is.
///
/// # Source
/// WebGPU, section 10.2.2 "Compute pipeline creation": each variable counts rounded up to 16 bytes.
fn check_workgroup_memory(
    reader: &mut Reader,
    reached: &[bool],
    limits: &Limits,
    errors: &Errors,
) -> Result<(), ComputeError> {
    let mut bytes = 0_u64;
    for (declaration, reached) in reader.module().declarations.iter().zip(reached) {
        if let (Kind::Var(Some("workgroup"), _, Some(ty)), true) = (&declaration.kind, reached) {
            let Ok((ty, _)) = reader.ty(*ty) else { return Ok(()) };
            bytes = bytes.saturating_add(round_up(16, ty.size()));
        }
    }
    errors.within("maxComputeWorkgroupStorageSize", bytes, limits.max_workgroup_memory_bytes)
}

use super::bindings::{check_bindings, read_binding};
use super::constants::{constant_key, given_constants};
use super::layout::round_up;
use super::refuse::within_limit;
use super::shape::push_name;
use super::wgsl::{Declaration, Fault, Kind, Module, Reader, reached, takes_builtin};
use super::{Binding, KernelOptions, KernelPlan, Limits};
use crate::error::{ComputeError, Operation, Reason};

/// Reads the WGSL of a kernel.
///
/// # Errors
/// - `KernelCompileFailed` for a missing or ambiguous entry point, an impossible constant, or a limit passed.
/// - `InvalidProgram` for a texture or sampler that the entry point reaches, and with reason "undecided" for text that
///   the reader cannot follow: the browser may still compile it, or say better what is wrong.
pub fn kernel(wgsl: &str, options: &KernelOptions, limits: &Limits) -> Result<KernelPlan, ComputeError> {
    let label = options.label.as_deref().filter(|label| !label.is_empty());
    let mut module = Module::new(wgsl);
    let is_declared = module.declare().is_some();
    let mut errors = Errors { module: &module, label: label.unwrap_or("kernel") };
    if !is_declared {
        return Err(errors.stopped());
    }
    let (entry, function) = entry_point(options.entry_point.as_deref(), &errors)?;
    errors.label = label.unwrap_or(function.name);

    let reached = reached(&module, entry);
    let given = given_constants(&module, &options.constants, &errors)?;
    let mut reader = Reader::new(&module, &given);
    let mut bindings = Vec::new();
    let mut unreached = Vec::new();
    let mut workgroup_bytes = 0_u64;
    for (index, (declaration, is_reached)) in module.declarations.iter().zip(reached).enumerate() {
        match declaration.kind {
            Kind::Override if is_reached && !has_value(&module, index, &given) => {
                return Err(errors.constant(declaration.name, "has neither a default nor a value"));
            }
            Kind::Var => match module.space(declaration) {
                "workgroup" if is_reached => {
                    workgroup_bytes = workgroup_bytes.saturating_add(workgroup_memory(&mut reader, declaration));
                }
                "workgroup" | "private" => {}
                _ => match read_binding(&mut reader, declaration) {
                    Some(binding) if is_reached => insert(&mut bindings, binding, declaration.at, &errors)?,
                    Some(binding) => unreached.push(binding),
                    None if is_reached => return Err(errors.stopped()),
                    // Nobody asks about it, so it does not matter that it cannot be followed.
                    None => {}
                },
            },
            _ => {}
        }
    }
    let workgroup_size = workgroup_size(&mut reader, &function, limits, &errors)?;
    check_bindings(&bindings, limits, &errors)?;
    errors.within("maxComputeWorkgroupStorageSize", workgroup_bytes, limits.max_workgroup_memory_bytes)?;
    let mut constants = Vec::new();
    for (index, value) in &given {
        constants.push((constant_key(&mut reader, *index), *value));
    }
    let mut enables = Vec::new();
    for name in &module.enables {
        enables.push((*name).to_owned());
    }
    Ok(KernelPlan {
        label: errors.label.to_owned(),
        entry_point: function.name.to_owned(),
        bindings,
        unreached,
        workgroup_size,
        uses_num_workgroups: takes_builtin(&module, &function, "num_workgroups"),
        constants,
        enables,
    })
}

/// Makes the errors of one kernel's text.
pub(super) struct Errors<'m, 'a> {
    module: &'m Module<'a>,
    label: &'m str,
}

impl Errors<'_, '_> {
    pub(super) fn at_compile(&self, reason: Reason) -> ComputeError {
        reason.at(Operation::Compile).with("label", self.label)
    }

    /// The error for what stopped the reader.
    fn stopped(&self) -> ComputeError {
        let problem = self.module.problem.get();
        let words = self.module.words();
        if matches!(problem.fault, Fault::NoBuffer) {
            let name = self.module.token(problem.at);
            return self.at_compile(Reason::UnsupportedBinding).with("name", name).with("got", words);
        }
        self.at_compile(Reason::Undecided).with("line", self.module.line(problem.at)).with("problem", words)
    }

    /// The error for a problem that the reader did not see.
    fn stopped_at(&self, at: usize, problem: &'static str) -> ComputeError {
        self.module.here::<()>(at, problem);
        self.stopped()
    }

    pub(super) fn constant(&self, name: &str, problem: &str) -> ComputeError {
        self.at_compile(Reason::Constant).with("name", name).with("problem", problem)
    }

    /// Refuses more than a limit allows.
    pub(super) fn within(&self, limit: &str, requested: u64, allowed: u64) -> Result<(), ComputeError> {
        within_limit(Operation::Compile, self.label, limit, requested, allowed)
    }
}

/// The function to run: the one named, or the only one.
fn entry_point<'a>(wanted: Option<&str>, errors: &Errors<'_, 'a>) -> Result<(usize, Declaration<'a>), ComputeError> {
    let mut matching = None;
    let mut is_single = true;
    let mut found = String::new();
    for (index, declaration) in errors.module.declarations.iter().enumerate() {
        if errors.module.attribute(declaration.start, "compute").is_none() {
            continue;
        }
        push_name(&mut found, declaration.name);
        if wanted.is_none_or(|name| name == declaration.name) {
            is_single = matching.is_none();
            matching = Some((index, *declaration));
        }
    }
    match matching {
        Some(single) if is_single => Ok(single),
        _ => Err(errors
            .at_compile(Reason::EntryPoint)
            .with("found", if found.is_empty() { "none" } else { &found })
            .with("wanted", wanted.unwrap_or("exactly one, or a name"))),
    }
}

fn has_value(module: &Module, index: usize, given: &[(usize, f64)]) -> bool {
    let has_default = module.declarations.get(index).is_some_and(|bare| module.value_of(bare).is_some());
    has_default || given.iter().any(|(known, _)| *known == index)
}

fn workgroup_size(
    reader: &mut Reader,
    entry: &Declaration,
    limits: &Limits,
    errors: &Errors,
) -> Result<[u32; 3], ComputeError> {
    let Some(at) = reader.module.attribute(entry.start, "workgroup_size") else {
        return Err(errors.stopped_at(entry.at, "a compute entry point needs @workgroup_size"));
    };
    let mut size = [1; 3];
    let count = reader.arguments(at, &mut size).ok_or_else(|| errors.stopped())?;
    let [x, y, z] = size;
    if count == 0 || x.min(y).min(z) <= 0 {
        return Err(errors.stopped_at(at, "@workgroup_size takes one to three positive integers"));
    }
    let [most_x, most_y, most_z] = limits.max_workgroup_size;
    errors.within("maxComputeWorkgroupSizeX", x as u64, most_x.into())?;
    errors.within("maxComputeWorkgroupSizeY", y as u64, most_y.into())?;
    errors.within("maxComputeWorkgroupSizeZ", z as u64, most_z.into())?;
    errors.within(
        "maxComputeInvocationsPerWorkgroup",
        x.saturating_mul(y).saturating_mul(z) as u64,
        limits.max_invocations.into(),
    )?;
    Ok([x as u32, y as u32, z as u32])
}

/// Puts a binding where its group and number belong.
fn insert(bindings: &mut Vec<Binding>, binding: Binding, at: usize, errors: &Errors) -> Result<(), ComputeError> {
    let place = |binding: &Binding| (binding.group, binding.binding);
    let index = bindings.partition_point(|other| place(other) < place(&binding));
    match bindings.get(index) {
        Some(other) if place(other) == place(&binding) => {
            let problem = format!("`{}` has the same @group and @binding", other.name);
            Err(errors.stopped_at(at, "").with("problem", problem))
        }
        _ => {
            bindings.insert(index, binding);
            Ok(())
        }
    }
}

/// Bytes that a variable takes of a workgroup's memory, as far as the reader can tell.
///
/// # Source
/// WebGPU, section 10.2.2 "Compute pipeline creation": each variable counts rounded up to 16 bytes.
fn workgroup_memory(reader: &mut Reader, declaration: &Declaration) -> u64 {
    match reader.module.type_of(declaration).and_then(|ty| reader.type_at(ty)) {
        Some(ty) => round_up(16, ty.size()),
        None => 0,
    }
}

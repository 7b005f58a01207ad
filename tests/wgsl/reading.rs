//! What the reader of the package reads, in the words of the oracle.

use super::naga_oracle::{Facts, Variable};
use proptest::test_runner::{Config, RngSeed};
use steadfast_gpu::plan::{Binding, KernelPlan, Limits, Scalar, Type};

/// What a plan says about its entry point.
pub fn facts(plan: &KernelPlan) -> Facts {
    let mut unreached: Vec<Variable> = plan.unreached.iter().map(variable).collect();
    unreached.sort_by_key(|variable| (variable.1, variable.2));
    Facts {
        reached: plan.bindings.iter().map(variable).collect(),
        unreached,
        workgroup_size: plan.workgroup_size,
        uses_num_workgroups: plan.uses_num_workgroups,
    }
}

fn variable(binding: &Binding) -> Variable {
    let Binding { name, group, binding, space, access, ty } = binding;
    (name.clone(), *group, *binding, space.name(), access.name(), layout(ty))
}

/// The type with sizes, strides and offsets, as text.
pub fn layout(ty: &Type) -> String {
    let scalar = |scalar: &Scalar| scalar.name();
    let text = match ty {
        Type::Scalar(inner) => scalar(inner).to_owned(),
        Type::Atomic(inner) => format!("atomic<{}>", scalar(inner)),
        Type::Vector { components, scalar: inner } => format!("vec{components}<{}>", scalar(inner)),
        Type::Matrix { columns, rows, scalar: inner } => format!("mat{columns}x{rows}<{}>", scalar(inner)),
        Type::Array(array) => {
            let length = array.length.map_or_else(String::new, |length| format!(", {length}"));
            format!("array<{}{length}>/{}", layout(&array.element), array.element.stride())
        }
        Type::Struct(structure) => {
            let members = structure.members.iter();
            let members = members.map(|member| format!("{}@{}: {}", member.name, member.offset, layout(&member.ty)));
            format!("{} {{ {} }}", structure.name, members.collect::<Vec<_>>().join(", "))
        }
    };
    format!("{text}[{}]", ty.size())
}

/// Limits that no kernel of a test passes, so that the reader alone is tested.
pub fn no_limits() -> Limits {
    Limits {
        max_uniform_binding_bytes: u64::MAX,
        max_storage_buffers: u32::MAX,
        max_uniform_buffers: u32::MAX,
        max_bind_groups: u32::MAX,
        max_bindings_per_group: u32::MAX,
        max_invocations: u32::MAX,
        max_workgroup_size: [u32::MAX; 3],
        max_workgroup_memory_bytes: u64::MAX,
        ..Limits::default()
    }
}

/// The same cases on every run, so that a red test means a change in the code.
pub fn cases(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(30), failure_persistence: None, ..Config::default() }
}

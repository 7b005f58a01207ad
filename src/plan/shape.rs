use super::refuse::invalid;
use super::{Binding, KernelPlan};
use crate::error::{ComputeError, Operation, Reason};

/// Which binding each argument of a call goes to, in the order of the arguments.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Shape {
    /// One for each argument.
    pub slots: Vec<Slot>,
}

/// Where one argument goes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Slot {
    /// To `bindings` of the kernel, at this index.
    Bound(usize),
    /// To `unreached` of the kernel, at this index: it is checked, and bound nowhere.
    Unreached(usize),
}

impl Slot {
    /// The binding the argument is for.
    pub(super) fn binding(self, kernel: &KernelPlan) -> Option<&Binding> {
        match self {
            Slot::Bound(index) => kernel.bindings.get(index),
            Slot::Unreached(index) => kernel.unreached.get(index),
        }
    }
}

/// Matches the names of a call's arguments to the kernel's bindings.
///
/// # Errors
/// - `InvalidProgram` for a name that is missing, unknown, given twice, or `info`, which results keep for themselves.
pub fn shape(kernel: &KernelPlan, names: &[String]) -> Result<Shape, ComputeError> {
    let error = |reason: Reason, name: &str| {
        reason.at(Operation::Dispatch).with("label", kernel.label.as_str()).with("name", name)
    };
    let position = |bindings: &[Binding], name: &str| bindings.iter().position(|binding| binding.name == name);
    let mut slots = Vec::with_capacity(names.len());
    for name in names {
        if name == "info" {
            return Err(error(Reason::NameReserved, name));
        }
        let slot = match (position(&kernel.bindings, name), position(&kernel.unreached, name)) {
            (Some(index), _) => Slot::Bound(index),
            (None, Some(index)) => Slot::Unreached(index),
            (None, None) => return Err(error(Reason::BindingUnknown, name).with("known", known(kernel))),
        };
        if slots.contains(&slot) {
            return Err(invalid(Operation::Dispatch, &kernel.label, name, "given once", "given twice".into()));
        }
        slots.push(slot);
    }
    for (index, binding) in kernel.bindings.iter().enumerate() {
        if !slots.contains(&Slot::Bound(index)) {
            let reason = if binding.name == "info" { Reason::NameReserved } else { Reason::BindingMissing };
            return Err(error(reason, &binding.name));
        }
    }
    Ok(Shape { slots })
}

fn known(kernel: &KernelPlan) -> String {
    let mut names = String::new();
    for binding in kernel.bindings.iter().chain(&kernel.unreached) {
        push_name(&mut names, &binding.name);
    }
    if names.is_empty() { "none".to_owned() } else { names }
}

/// Adds a name to a list of names in words.
pub(super) fn push_name(names: &mut String, name: &str) {
    if !names.is_empty() {
        names.push_str(", ");
    }
    names.push_str(name);
}

//! What naga, which understands all of a module, says about what the reader of the package reads.

use naga::back::pipeline_constants::process_overrides;
use naga::proc::Layouter;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{
    AddressSpace, ArraySize, Binding, BuiltIn, GlobalVariable, Handle, Module, ScalarKind, ShaderStage, StorageAccess,
    Type, TypeInner,
};

/// A module that naga has validated.
pub struct Oracle {
    /// What naga parsed.
    pub module: Module,
    info: ModuleInfo,
    layouter: Layouter,
}

/// A buffer variable: name, group, binding, address space, access mode, and its type with its layout, as text.
pub type Variable = (String, u32, u32, &'static str, &'static str, String);

/// What can be known of one entry point without running it.
#[derive(Debug, PartialEq)]
pub struct Facts {
    /// Buffer variables it uses, by group and binding.
    pub reached: Vec<Variable>,
    /// The other buffer variables of the module, by group and binding.
    pub unreached: Vec<Variable>,
    /// Its workgroup size, overrides resolved.
    pub workgroup_size: [u32; 3],
    /// Whether it takes `num_workgroups`.
    pub uses_num_workgroups: bool,
}

impl Oracle {
    /// Parses and validates.
    pub fn read(wgsl: &str) -> Result<Oracle, String> {
        let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&module)
            .map_err(|error| error.emit_to_string(wgsl))?;
        let mut layouter = Layouter::default();
        layouter.update(module.to_ctx()).map_err(|error| error.to_string())?;
        Ok(Oracle { module, info, layouter })
    }

    /// What naga knows of a compute entry point, given values for overrides under the keys WebGPU wants.
    pub fn facts(&self, entry_point: &str, constants: &[(String, f64)]) -> Facts {
        let is_wanted = |entry: &&naga::EntryPoint| entry.stage == ShaderStage::Compute && entry.name == entry_point;
        let index = self.module.entry_points.iter().position(|entry| is_wanted(&entry)).unwrap();
        let entry = &self.module.entry_points[index];
        let mut reached = Vec::new();
        let mut unreached = Vec::new();
        for (handle, variable) in self.module.global_variables.iter() {
            let is_used = !self.info.get_entry_point(index)[handle].is_empty();
            let list = if is_used { &mut reached } else { &mut unreached };
            list.extend(self.buffer_variable(variable));
        }
        let position = |variable: &Variable| (variable.1, variable.2);
        reached.sort_by_key(position);
        unreached.sort_by_key(position);

        let constants = constants.iter().cloned().collect();
        let wanted = Some((ShaderStage::Compute, entry_point));
        let (resolved, _) = process_overrides(&self.module, &self.info, wanted, &constants).unwrap();
        let workgroup_size = resolved.entry_points.iter().find(is_wanted).unwrap().workgroup_size;

        let is_num_workgroups = |binding: &Option<Binding>| *binding == Some(Binding::BuiltIn(BuiltIn::NumWorkGroups));
        let uses_num_workgroups = entry.function.arguments.iter().any(|argument| {
            let members = match &self.module.types[argument.ty].inner {
                TypeInner::Struct { members, .. } => members.as_slice(),
                _ => &[],
            };
            is_num_workgroups(&argument.binding) || members.iter().any(|member| is_num_workgroups(&member.binding))
        });
        Facts { reached, unreached, workgroup_size, uses_num_workgroups }
    }

    fn buffer_variable(&self, variable: &GlobalVariable) -> Option<Variable> {
        let (space, access) = match variable.space {
            AddressSpace::Uniform => ("uniform", "read"),
            AddressSpace::Storage { access } if access == StorageAccess::LOAD => ("storage", "read"),
            AddressSpace::Storage { .. } => ("storage", "read_write"),
            _ => return None,
        };
        let place = variable.binding?;
        Some((variable.name.clone()?, place.group, place.binding, space, access, self.layout(variable.ty)))
    }

    /// The type with sizes, strides and offsets, as text.
    fn layout(&self, handle: Handle<Type>) -> String {
        let scalar = |scalar: &naga::Scalar| {
            let kind = match scalar.kind {
                ScalarKind::Float => "f",
                ScalarKind::Sint => "i",
                ScalarKind::Uint => "u",
                other => panic!("no such scalar in a buffer: {other:?}"),
            };
            format!("{kind}{}", scalar.width * 8)
        };
        let ty = &self.module.types[handle];
        let text = match &ty.inner {
            TypeInner::Scalar(inner) => scalar(inner),
            TypeInner::Atomic(inner) => format!("atomic<{}>", scalar(inner)),
            TypeInner::Vector { size, scalar: inner } => format!("vec{}<{}>", *size as u8, scalar(inner)),
            TypeInner::Matrix { columns, rows, scalar: inner } => {
                format!("mat{}x{}<{}>", *columns as u8, *rows as u8, scalar(inner))
            }
            TypeInner::Array { base, size, stride } => {
                let length = match size {
                    ArraySize::Constant(length) => format!(", {length}"),
                    ArraySize::Dynamic => String::new(),
                    ArraySize::Pending(_) => panic!("no override can size an array in a buffer"),
                };
                format!("array<{}{length}>/{stride}", self.layout(*base))
            }
            TypeInner::Struct { members, .. } => {
                let members = members.iter().map(|member| {
                    format!("{}@{}: {}", member.name.as_deref().unwrap(), member.offset, self.layout(member.ty))
                });
                format!("{} {{ {} }}", ty.name.as_deref().unwrap(), members.collect::<Vec<_>>().join(", "))
            }
            other => panic!("no such type in a buffer: {other:?}"),
        };
        format!("{text}[{}]", self.layouter[handle].size)
    }
}

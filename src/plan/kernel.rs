use super::{Scalar, Type};

/// Where a binding lives.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Space {
    /// `var<storage>`: data.
    Storage,
    /// `var<uniform>`: parameters.
    Uniform,
}

impl Space {
    /// WGSL's name.
    pub const fn name(self) -> &'static str {
        match self {
            Space::Storage => "storage",
            Space::Uniform => "uniform",
        }
    }
}

/// What a kernel may do with a binding.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Access {
    /// Read it.
    Read,
    /// Read and write it.
    ReadWrite,
}

impl Access {
    /// WGSL's name.
    pub const fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::ReadWrite => "read_write",
        }
    }
}

/// A buffer variable of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// Name of the variable.
    pub name: String,
    /// `@group`.
    pub group: u32,
    /// `@binding`.
    pub binding: u32,
    /// Address space.
    pub space: Space,
    /// Access mode; a uniform is read.
    pub access: Access,
    /// Its type.
    pub ty: Type,
}

impl Binding {
    /// The type as it would be written in WGSL, aliases resolved.
    pub fn type_text(&self) -> String {
        self.ty.to_string()
    }

    /// The one scalar its data is made of through and through; none for a mixed structure.
    pub fn scalar(&self) -> Option<Scalar> {
        self.ty.scalar()
    }

    /// The least bytes to bind: the fixed part and one element of a runtime-sized array.
    pub fn min_bytes(&self) -> u64 {
        self.ty.size()
    }

    /// Bytes from one element to the next, of the array that the binding is, or of the runtime-sized array it ends in.
    pub fn element_stride(&self) -> Option<u64> {
        self.ty.outer_array().map(|(_, stride, _)| stride)
    }
}

/// What is known of a kernel from its text.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelPlan {
    /// Name in messages: the user's, else the entry point's.
    pub label: String,
    /// The `@compute` function.
    pub entry_point: String,
    /// The buffer variables that the entry point reaches, by group and binding.
    pub bindings: Vec<Binding>,
    /// The other buffer variables.
    pub unreached: Vec<Binding>,
    /// Invocations of a workgroup in x, y and z.
    pub workgroup_size: [u32; 3],
    /// True when the entry point takes `@builtin(num_workgroups)`, so it can know that its grid was folded.
    pub uses_num_workgroups: bool,
    /// Values for override constants, under the key WebGPU wants: the `@id` where there is one, else the name.
    pub constants: Vec<(String, f64)>,
    /// The extensions of `enable` lines.
    pub enables: Vec<String>,
}

/// What a user may say about a kernel.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelOptions {
    /// The `@compute` function to run, needed when there are several.
    pub entry_point: Option<String>,
    /// Values for override constants, by name or `@id`.
    pub constants: Vec<(String, f64)>,
    /// Name in messages; default: the entry point's.
    pub label: Option<String>,
}

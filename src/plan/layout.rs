//! Where WGSL puts things in memory.
//!
//! # Source
//! WGSL, section 14.4 "Memory Layout". The uniform address space asks more of a type (strides and offsets of 16) but moves
//! nothing, so whether it is fulfilled is left to the browser, which may have lifted it (`uniform_buffer_standard_layout`).

use super::Scalar;
use std::rc::Rc;

/// A WGSL type that can lie in a buffer or in workgroup memory, with aliases resolved.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// One scalar.
    Scalar(Scalar),
    /// One scalar with atomic access.
    Atomic(Scalar),
    /// Two to four scalars.
    Vector {
        /// Number of components.
        components: u32,
        /// What it is made of.
        scalar: Scalar,
    },
    /// Two to four columns, each a vector.
    Matrix {
        /// Number of columns.
        columns: u32,
        /// Components of a column.
        rows: u32,
        /// What it is made of.
        scalar: Scalar,
    },
    /// Elements of one type.
    Array {
        /// Type of an element.
        element: Box<Type>,
        /// Number of elements; none for as many as the bound buffer holds.
        length: Option<u64>,
    },
    /// A structure, read once and shared by everything that names it.
    Struct(Rc<Struct>),
}

/// A WGSL structure.
#[derive(Debug, PartialEq)]
pub struct Struct {
    /// Its name.
    pub name: String,
    /// Its members, in order.
    pub members: Vec<Member>,
    /// Alignment in bytes.
    pub align: u64,
    /// Bytes, with one element in a runtime-sized array.
    pub size: u64,
    /// The one scalar that all members are made of, if there is one.
    pub scalar: Option<Scalar>,
}

/// A member of a structure.
#[derive(Debug, PartialEq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Bytes before it.
    pub offset: u64,
}

/// Rounds up to a multiple of `align`, a power of two.
pub(super) const fn round_up(align: u64, bytes: u64) -> u64 {
    bytes.saturating_add(align - 1) & !(align - 1)
}

impl Type {
    /// Alignment in bytes, a power of two.
    pub fn align(&self) -> u64 {
        match self {
            Type::Scalar(scalar) | Type::Atomic(scalar) => scalar.bytes(),
            Type::Vector { components, scalar } | Type::Matrix { rows: components, scalar, .. } => {
                scalar.bytes() * if *components == 2 { 2 } else { 4 }
            }
            Type::Array { element, .. } => element.align(),
            Type::Struct(structure) => structure.align,
        }
    }

    /// Bytes, with one element in a runtime-sized array: the least a binding of this type must hold.
    pub fn size(&self) -> u64 {
        match self {
            Type::Scalar(scalar) | Type::Atomic(scalar) => scalar.bytes(),
            Type::Vector { components, scalar } => scalar.bytes() * u64::from(*components),
            Type::Matrix { columns, .. } => self.align() * u64::from(*columns),
            Type::Array { element, length } => element.stride().saturating_mul(length.unwrap_or(1)),
            Type::Struct(structure) => structure.size,
        }
    }

    /// Bytes from one element of this type to the next in an array.
    pub fn stride(&self) -> u64 {
        round_up(self.align(), self.size())
    }

    /// The one scalar it is made of through and through, if there is one.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) | Type::Atomic(scalar) => Some(*scalar),
            Type::Vector { scalar, .. } | Type::Matrix { scalar, .. } => Some(*scalar),
            Type::Array { element, .. } => element.scalar(),
            Type::Struct(structure) => structure.scalar,
        }
    }

    /// The type as it would be written in WGSL.
    pub fn text(&self) -> String {
        match self {
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::Atomic(scalar) => ["atomic<", scalar.name(), ">"].concat(),
            Type::Vector { components, scalar } => ["vec", &components.to_string(), "<", scalar.name(), ">"].concat(),
            Type::Matrix { columns, rows, scalar } => {
                ["mat", &columns.to_string(), "x", &rows.to_string(), "<", scalar.name(), ">"].concat()
            }
            Type::Array { element, length: None } => ["array<", &element.text(), ">"].concat(),
            Type::Array { element, length: Some(length) } => {
                ["array<", &element.text(), ", ", &length.to_string(), ">"].concat()
            }
            Type::Struct(structure) => structure.name.clone(),
        }
    }

    /// The array whose element count the bound bytes decide, or that is all of the type: bytes before it, bytes from
    /// one element to the next, and its number of elements if that is fixed.
    pub(super) fn outer_array(&self) -> Option<(u64, u64, Option<u64>)> {
        match self {
            Type::Array { element, length } => Some((0, element.stride(), *length)),
            Type::Struct(structure) => {
                let last = structure.members.last()?;
                match &last.ty {
                    Type::Array { element, length: None } => Some((last.offset, element.stride(), None)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// A member as it is declared: name, type, and what `@align` and `@size` say.
pub(super) type Declared = (String, Type, Option<u64>, Option<u64>);

impl Struct {
    /// Lays out the members one after the other.
    pub(super) fn new(name: &str, declared: Vec<Declared>) -> Struct {
        let mut members: Vec<Member> = Vec::with_capacity(declared.len());
        let mut align = 1;
        let mut end = 0;
        let mut scalar = None;
        for (name, ty, own_align, own_size) in declared {
            let member_align = own_align.unwrap_or(ty.align());
            let offset = round_up(member_align, end);
            align = align.max(member_align);
            end = offset.saturating_add(own_size.unwrap_or(ty.size()));
            let same = members.is_empty() || scalar == ty.scalar();
            scalar = if same { ty.scalar() } else { None };
            members.push(Member { name, ty, offset });
        }
        Struct { name: name.to_owned(), members, align, size: round_up(align, end), scalar }
    }
}

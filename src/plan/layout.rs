//! Where WGSL puts things in memory.
//!
//! # Source
//! WGSL, section 14.4 "Memory Layout". The uniform address space asks more of a type (strides and offsets of 16) but moves
//! nothing, so whether it is fulfilled is left to the browser, which may have lifted it (`uniform_buffer_standard_layout`).

use super::Scalar;
use std::fmt;
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
        components: u8,
        /// What it is made of.
        scalar: Scalar,
    },
    /// Two to four columns, each a vector.
    Matrix {
        /// Number of columns.
        columns: u8,
        /// Components of a column.
        rows: u8,
        /// What it is made of.
        scalar: Scalar,
    },
    /// Elements of one type.
    Array(Box<Array>),
    /// A structure, read once and shared by everything that names it.
    Struct(Rc<Struct>),
}

/// A WGSL array.
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Type of an element.
    pub element: Type,
    /// Number of elements; none for as many as the bound buffer holds.
    pub length: Option<u64>,
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
            Type::Array(array) => array.element.align(),
            Type::Struct(structure) => structure.align,
        }
    }

    /// Bytes, with one element in a runtime-sized array: the least a binding of this type must hold.
    pub fn size(&self) -> u64 {
        match self {
            Type::Scalar(scalar) | Type::Atomic(scalar) => scalar.bytes(),
            Type::Vector { components, scalar } => scalar.bytes() * u64::from(*components),
            Type::Matrix { columns, .. } => self.align() * u64::from(*columns),
            Type::Array(array) => array.element.stride().saturating_mul(array.length.unwrap_or(1)),
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
            Type::Array(array) => array.element.scalar(),
            Type::Struct(structure) => structure.scalar,
        }
    }

    /// The scalar that this type is, if it is one of the integers.
    pub(super) fn integer(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) if scalar.is_integer() => Some(*scalar),
            _ => None,
        }
    }

    /// The array whose element count the bound bytes decide, or that is all of the type: bytes before it, bytes from
    /// one element to the next, and its number of elements if that is fixed.
    pub(super) fn outer_array(&self) -> Option<(u64, u64, Option<u64>)> {
        match self {
            Type::Array(array) => Some((0, array.element.stride(), array.length)),
            Type::Struct(structure) => {
                let last = structure.members.last()?;
                match &last.ty {
                    Type::Array(array) if array.length.is_none() => Some((last.offset, array.element.stride(), None)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl fmt::Display for Type {
    /// The type as it would be written in WGSL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Scalar(scalar) => f.write_str(scalar.name()),
            Type::Atomic(scalar) => write!(f, "atomic<{}>", scalar.name()),
            Type::Vector { components, scalar } => write!(f, "vec{}<{}>", u64::from(*components), scalar.name()),
            Type::Matrix { columns, rows, scalar } => {
                write!(f, "mat{}x{}<{}>", u64::from(*columns), u64::from(*rows), scalar.name())
            }
            Type::Array(array) => match array.length {
                None => write!(f, "array<{}>", array.element),
                Some(length) => write!(f, "array<{}, {length}>", array.element),
            },
            Type::Struct(structure) => f.write_str(&structure.name),
        }
    }
}

impl Struct {
    /// A structure without members yet; [`Struct::finish`] ends it.
    pub(super) fn new(name: &str) -> Struct {
        Struct { name: name.to_owned(), members: Vec::new(), align: 1, size: 0, scalar: None }
    }

    /// Lays out the next member, with what its `@align` and `@size` say.
    pub(super) fn add(&mut self, name: &str, ty: Type, align: Option<u64>, size: Option<u64>) {
        let align = align.unwrap_or(ty.align());
        let offset = round_up(align, self.size);
        self.align = self.align.max(align);
        self.size = offset.saturating_add(size.unwrap_or(ty.size()));
        self.scalar = if self.members.is_empty() || self.scalar == ty.scalar() { ty.scalar() } else { None };
        self.members.push(Member { name: name.to_owned(), ty, offset });
    }

    pub(super) fn finish(&mut self) {
        self.size = round_up(self.align, self.size);
    }
}

/// The type of one scalar on the GPU.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Scalar {
    /// 32-bit float.
    F32,
    /// 32-bit signed integer.
    I32,
    /// 32-bit unsigned integer.
    U32,
    /// 16-bit float, behind the feature `shader-f16`.
    F16,
    /// Truth value: never in a buffer, but in workgroup memory and overrides.
    Bool,
}

impl Scalar {
    /// WGSL's name.
    pub const fn name(self) -> &'static str {
        match self {
            Scalar::F32 => "f32",
            Scalar::I32 => "i32",
            Scalar::U32 => "u32",
            Scalar::F16 => "f16",
            Scalar::Bool => "bool",
        }
    }

    /// Bytes of one.
    pub const fn bytes(self) -> u64 {
        match self {
            Scalar::F16 => 2,
            Scalar::F32 | Scalar::I32 | Scalar::U32 | Scalar::Bool => 4,
        }
    }

    /// The scalar of this WGSL name, if there is one.
    pub fn from_name(name: &str) -> Option<Scalar> {
        [Scalar::F32, Scalar::I32, Scalar::U32, Scalar::F16, Scalar::Bool]
            .into_iter()
            .find(|scalar| scalar.name() == name)
    }

    /// Whether an integer type can hold the value; other types are not asked.
    pub(super) fn holds(self, value: f64) -> bool {
        let (least, greatest) = match self {
            Scalar::I32 => (i32::MIN as f64, i32::MAX as f64),
            Scalar::U32 => (0.0, u32::MAX as f64),
            Scalar::F32 | Scalar::F16 | Scalar::Bool => return true,
        };
        (least..=greatest).contains(&value) && value.trunc() == value
    }

    /// Whether it is `i32` or `u32`.
    pub(super) const fn is_integer(self) -> bool {
        matches!(self, Scalar::I32 | Scalar::U32)
    }
}

/// The type of one element of a GPU buffer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum DType {
    /// One 32-bit float.
    F32,
    /// One 32-bit signed integer.
    I32,
    /// One 32-bit unsigned integer.
    U32,
    /// One 16-bit float.
    F16,
    /// Two 32-bit floats.
    Vec2f,
    /// Four 32-bit floats.
    Vec4f,
}

impl DType {
    /// Every element type.
    pub const ALL: [DType; 6] = [DType::F32, DType::I32, DType::U32, DType::F16, DType::Vec2f, DType::Vec4f];

    /// The name JavaScript uses.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F32 => "f32",
            DType::I32 => "i32",
            DType::U32 => "u32",
            DType::F16 => "f16",
            DType::Vec2f => "vec2f",
            DType::Vec4f => "vec4f",
        }
    }

    /// The element type of this name, if there is one.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|dtype| dtype.name() == name)
    }

    /// Bytes of one element.
    pub const fn bytes(self) -> u64 {
        match self {
            DType::F16 => 2,
            DType::F32 | DType::I32 | DType::U32 => 4,
            DType::Vec2f => 8,
            DType::Vec4f => 16,
        }
    }

    /// What one element is made of.
    pub const fn scalar(self) -> Scalar {
        match self {
            DType::I32 => Scalar::I32,
            DType::U32 => Scalar::U32,
            DType::F16 => Scalar::F16,
            DType::F32 | DType::Vec2f | DType::Vec4f => Scalar::F32,
        }
    }
}

use super::refuse::{aliased, within_limit, wrong_length};
use super::{Access, Binding, BufferPlan, DType, KernelPlan, Limits, Shape, Slot, Space, Value, buffer, pack};
use crate::error::{ComputeError, Operation, Reason};

/// One argument of a call, as far as a plan needs it.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// A buffer or view.
    Buffer {
        /// Which GPU buffer it lies in; views of one buffer share it.
        id: u32,
        /// Type of one element.
        dtype: DType,
        /// Where it begins in the GPU buffer.
        byte_offset: u64,
        /// Bytes of its elements.
        byte_len: u64,
        /// Elements.
        length: u64,
    },
    /// An array to upload into a storage binding. Bytes for a uniform are a [`Value`].
    Array {
        /// Type of one element.
        dtype: DType,
        /// Bytes of it.
        byte_len: u64,
    },
    /// Zeros to write into and read back.
    Out {
        /// Type of one element.
        dtype: DType,
        /// Elements.
        length: f64,
    },
    /// An array to upload, change and read back.
    InOut {
        /// Type of one element.
        dtype: DType,
        /// Bytes of it.
        byte_len: u64,
    },
    /// A value for a uniform.
    Uniform(Value),
}

impl Given {
    /// Element type and bytes of data for a storage binding; an output's length is checked elsewhere.
    fn data(&self) -> Option<(DType, u64)> {
        match self {
            Given::Buffer { dtype, byte_len, .. }
            | Given::Array { dtype, byte_len }
            | Given::InOut { dtype, byte_len } => Some((*dtype, *byte_len)),
            Given::Out { dtype, length } => Some((*dtype, (*length as u64).saturating_mul(dtype.bytes()))),
            Given::Uniform(_) => None,
        }
    }

    /// The GPU buffer it lies in, and where it begins and ends there.
    fn memory(&self) -> Option<(u32, u64, u64)> {
        match self {
            Given::Buffer { id, byte_offset, byte_len, .. } => {
                Some((*id, *byte_offset, byte_offset.saturating_add(*byte_len)))
            }
            _ => None,
        }
    }

    const fn is_output(&self) -> bool {
        matches!(self, Given::Out { .. } | Given::InOut { .. })
    }

    /// What messages call it.
    const fn name(&self) -> &'static str {
        match self {
            Given::Buffer { .. } => "a buffer",
            Given::Array { .. } => "an array",
            Given::Out { .. } => "an out()",
            Given::InOut { .. } => "an inout()",
            Given::Uniform(Value::Number(_)) => "a number",
            Given::Uniform(Value::Numbers(_)) => "a list of numbers",
            Given::Uniform(Value::Fields(_)) => "an object",
            Given::Uniform(Value::Bytes(_)) => "bytes for a uniform",
        }
    }
}

/// What becomes of outputs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    /// They are read back: `run`.
    Run,
    /// They stay on the GPU, so only buffers can be written: `dispatch`, `bind`, `batch`.
    Resident,
}

/// What a call needs beyond the buffers it was given.
#[derive(Clone, Debug, PartialEq)]
pub struct CallPlan {
    /// Bytes of each uniform, with the index of its binding.
    pub uniforms: Vec<(usize, Vec<u8>)>,
    /// Elements of the first output; none when nothing is written. Zero: the grid from it is empty.
    pub first_output_elements: Option<u64>,
    /// The buffer behind each `out` and `inout`, with the index of its argument.
    pub out_bytes: Vec<(usize, BufferPlan)>,
    /// The buffer behind each array to upload, with the index of its argument.
    pub array_bytes: Vec<(usize, BufferPlan)>,
}

/// Checks the arguments of a call against the kernel. An argument of zero length passes in a [`Place::Run`], because an
/// empty run binds nothing; if the grid turns out not to be empty, [`zero_length`] is the error.
///
/// # Errors
/// - `InvalidProgram` for an argument of the wrong kind, type or length, one past a limit, an output with nowhere to go,
///   or memory that is written and bound twice.
pub fn call(
    kernel: &KernelPlan,
    shape: &Shape,
    given: &[Given],
    place: Place,
    limits: &Limits,
) -> Result<CallPlan, ComputeError> {
    let mut plan =
        CallPlan { uniforms: Vec::new(), first_output_elements: None, out_bytes: Vec::new(), array_bytes: Vec::new() };
    let mut first_output = (true, usize::MAX);
    for (index, (slot, argument)) in shape.slots.iter().zip(given).enumerate() {
        let Some(binding) = slot.binding(kernel) else { continue };
        let check = Check { kernel, binding, argument, place, limits };
        if binding.space == Space::Uniform {
            let bytes = check.uniform()?;
            if let Slot::Bound(bound) = slot {
                plan.uniforms.push((*bound, bytes));
            }
            continue;
        }
        check.kind()?;
        if let Some((dtype, length)) = check.elements()? {
            let list = if argument.is_output() { &mut plan.out_bytes } else { &mut plan.array_bytes };
            list.push((index, buffer(dtype, length, &check.label(), limits)?));
        }
        let Slot::Bound(bound) = *slot else { continue };
        check.length()?;
        for (earlier, other) in shape.slots.iter().zip(given).take(index) {
            check.alias(earlier, other)?;
        }
        // Outputs go before buffers, in the order of the arguments; buffers in the order of the bindings.
        let rank = if argument.is_output() { (false, index) } else { (true, bound) };
        if binding.access == Access::ReadWrite && rank < first_output {
            first_output = rank;
            plan.first_output_elements = check.array_elements();
        }
    }
    Ok(plan)
}

/// The first argument that would be bound with zero bytes, if there is one.
pub fn has_zero_length(_kernel: &KernelPlan, shape: &Shape, given: &[Given]) -> Option<usize> {
    let empty = |(slot, argument): (&Slot, &Given)| {
        matches!(slot, Slot::Bound(_)) && argument.data().is_some_and(|(_, byte_len)| byte_len == 0)
    };
    shape.slots.iter().zip(given).position(empty)
}

/// The error for an argument of zero length in a call that runs something.
pub fn zero_length(kernel: &KernelPlan, shape: &Shape, argument: usize) -> ComputeError {
    let binding = shape.slots.get(argument).and_then(|slot| slot.binding(kernel));
    Reason::LengthMismatch
        .at(Operation::Dispatch)
        .with("label", kernel.label.as_str())
        .with("name", binding.map_or("", |binding| binding.name.as_str()))
        .with("expected", "at least one element long, because the grid is not empty")
        .with("got", "empty")
}

/// One argument beside the binding it is for.
struct Check<'a> {
    kernel: &'a KernelPlan,
    binding: &'a Binding,
    argument: &'a Given,
    place: Place,
    limits: &'a Limits,
}

impl Check<'_> {
    /// The label of a buffer made for this argument.
    fn label(&self) -> String {
        format!("{}:{}", self.kernel.label, self.binding.name)
    }

    fn error(&self, reason: Reason) -> ComputeError {
        reason
            .at(Operation::Dispatch)
            .with("label", self.kernel.label.as_str())
            .with("name", self.binding.name.as_str())
    }

    fn mismatch(&self, expected: String, got: &str) -> ComputeError {
        self.error(Reason::TypeMismatch).with("expected", expected).with("got", got)
    }

    fn uniform(&self) -> Result<Vec<u8>, ComputeError> {
        match self.argument {
            Given::Uniform(value) => pack(self.binding, value, &self.kernel.label),
            other => Err(self.mismatch(format!("a uniform ({})", self.binding.ty), other.name())),
        }
    }

    /// Whether this kind of argument and its element type can go to this storage binding.
    fn kind(&self) -> Result<(), ComputeError> {
        let is_written = self.binding.access == Access::ReadWrite;
        let is_output = self.argument.is_output();
        let fits = match self.argument.data() {
            Some((dtype, _)) => self.binding.scalar().is_none_or(|scalar| scalar == dtype.scalar()),
            None => false,
        };
        if is_output && !is_written {
            return Err(self.mismatch(format!("read-only {}", self.binding.ty), self.argument.name()));
        }
        let is_kept = match self.argument {
            Given::Array { .. } => !is_written,
            _ => !is_output || self.place == Place::Run,
        };
        if !is_kept {
            return Err(self.error(Reason::NowhereToPut).with("got", self.argument.name()));
        }
        if fits {
            return Ok(());
        }
        let got = match self.argument.data() {
            Some((dtype, _)) => &format!("{} data", dtype.name()),
            None => self.argument.name(),
        };
        Err(self.mismatch(self.binding.type_text(), got))
    }

    /// Type and number of the elements that a buffer must be made for, if one must.
    fn elements(&self) -> Result<Option<(DType, f64)>, ComputeError> {
        match self.argument {
            Given::Out { dtype, length } => Ok(Some((*dtype, *length))),
            Given::Array { dtype, byte_len } | Given::InOut { dtype, byte_len } => {
                if !byte_len.is_multiple_of(dtype.bytes()) {
                    return Err(self.wrong_length(0, dtype.bytes(), *byte_len));
                }
                Ok(Some((*dtype, (*byte_len / dtype.bytes()) as f64)))
            }
            Given::Buffer { .. } | Given::Uniform(_) => Ok(None),
        }
    }

    /// The error for a length that is not `before` and a multiple of `step` bytes; `step` is zero for a least length.
    fn wrong_length(&self, before: u64, step: u64, byte_len: u64) -> ComputeError {
        let ty = &self.binding.ty;
        let expected = match (before, step) {
            (least, 0) => format!("at least {least} bytes long ({ty})"),
            (0, step) => format!("a multiple of {step} bytes long ({ty})"),
            (before, step) => format!("{before} and a multiple of {step} bytes long ({ty})"),
        };
        wrong_length(Operation::Dispatch, &self.kernel.label, &self.binding.name, expected, byte_len)
    }

    /// Whether so many bytes can be bound here.
    fn length(&self) -> Result<(), ComputeError> {
        let Some((_, byte_len)) = self.argument.data() else { return Ok(()) };
        if byte_len == 0 && self.place == Place::Run {
            return Ok(());
        }
        if byte_len < self.binding.min_bytes() {
            return Err(self.wrong_length(self.binding.min_bytes(), 0, byte_len));
        }
        if let Some((before, stride, None)) = self.binding.ty.outer_array() {
            if !(byte_len - before).is_multiple_of(stride) {
                return Err(self.wrong_length(before, stride, byte_len));
            }
        }
        let allowed = self.limits.max_storage_binding_bytes;
        within_limit(Operation::Dispatch, &self.label(), "maxStorageBufferBindingSize", byte_len, allowed)
    }

    /// Elements of the array that the binding is, or that it ends in.
    fn array_elements(&self) -> Option<u64> {
        let (_, byte_len) = self.argument.data()?;
        match self.binding.ty.outer_array() {
            _ if byte_len == 0 => Some(0),
            Some((_, _, Some(length))) => Some(length),
            Some((before, stride, None)) => Some((byte_len - before) / stride),
            None => Some(1),
        }
    }

    /// Refuses one GPU buffer in two bindings where WebGPU would: one reads and one writes, whatever the ranges, because
    /// usage counts for the whole buffer; or both write and the ranges overlap.
    ///
    /// # Source
    /// WebGPU, sections 3.4.4 "Synchronization" (usage scopes) and 14.1 (encoder bind groups alias a writable resource).
    fn alias(&self, slot: &Slot, other: &Given) -> Result<(), ComputeError> {
        let (Slot::Bound(_), Some(binding)) = (slot, slot.binding(self.kernel)) else { return Ok(()) };
        let (Some((id, start, end)), Some((other_id, other_start, other_end))) =
            (self.argument.memory(), other.memory())
        else {
            return Ok(());
        };
        let is_refused = match (self.binding.access, binding.access) {
            (Access::Read, Access::Read) => false,
            (Access::ReadWrite, Access::ReadWrite) => start < other_end && other_start < end,
            _ => true,
        };
        if id != other_id || !is_refused {
            return Ok(());
        }
        Err(aliased(&self.kernel.label, &binding.name, &self.binding.name))
    }
}

use crate::error::{ComputeError, ErrorCode, Operation, Reason};

/// The raw facts of one failure report, before anybody has judged it.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The class of the browser's object (`constructor.name`), such as `GPUValidationError`; empty if it had none.
    pub class: String,
    /// Its `name` where it has one: a `DOMException` says `OperationError` or `AbortError` there.
    pub name: String,
    /// Its text. Shown, never decided by.
    pub message: String,
    /// What was being done.
    pub operation: Operation,
}

/// One row of the table: a class or name, where it applies, and what it becomes.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The class or name it matches.
    pub class: &'static str,
    /// The operations it matches; empty for all.
    pub operations: &'static [Operation],
    /// The code.
    pub code: ErrorCode,
    /// The reason.
    pub reason: Reason,
}

const fn rule(class: &'static str, operations: &'static [Operation], code: ErrorCode, reason: Reason) -> Rule {
    Rule { class, operations, code, reason }
}

const COMPILE: &[Operation] = &[Operation::Compile];
const UPLOAD: &[Operation] = &[Operation::Upload];
const ACQUIRE: &[Operation] = &[Operation::Acquire];
const LOAD: &[Operation] = &[Operation::Load];
const READ: &[Operation] = &[Operation::Read];
const ANY: &[Operation] = &[];

/// Class by operation to code and reason; the first row that matches decides. Whether the device is lost is asked
/// before this table is (a loss outranks every other report), and text never counts.
///
/// Written out for the wasm-free entry `steadfast-gpu/errors` by the build, so both sides judge alike.
pub const RULES: &[Rule] = &[
    // A loss report, whatever else is known.
    rule("GPUDeviceLostInfo", ANY, ErrorCode::DeviceLost, Reason::DeviceLost),
    // Memory: the two-meaning RangeError is memory here, because misuse is refused on the host before it can throw.
    rule("GPUOutOfMemoryError", ANY, ErrorCode::DeviceOutOfMemory, Reason::OutOfMemory),
    rule("RangeError", ANY, ErrorCode::DeviceOutOfMemory, Reason::OutOfMemory),
    // The instance itself.
    rule("RuntimeError", ANY, ErrorCode::PoisonedLock, Reason::Panicked),
    // Loading.
    rule("CompileError", LOAD, ErrorCode::UnsupportedFeature, Reason::WasmBlocked),
    rule("LinkError", LOAD, ErrorCode::Unknown, Reason::LoadFailed),
    rule("TypeError", LOAD, ErrorCode::Unknown, Reason::LoadFailed),
    // Acquiring: features and limits were checked before, so what is left is what the browser alone knows.
    rule("TypeError", ACQUIRE, ErrorCode::UnsupportedFeature, Reason::FeatureMissing),
    // Compiling.
    rule("GPUPipelineError", ANY, ErrorCode::KernelCompileFailed, Reason::Pipeline),
    rule("GPUValidationError", COMPILE, ErrorCode::KernelCompileFailed, Reason::Validation),
    rule("GPUInternalError", COMPILE, ErrorCode::KernelCompileFailed, Reason::Internal),
    rule("TypeError", COMPILE, ErrorCode::KernelCompileFailed, Reason::Validation),
    // Uploading.
    rule("GPUValidationError", UPLOAD, ErrorCode::InvalidProgram, Reason::Validation),
    rule("TypeError", UPLOAD, ErrorCode::InvalidProgram, Reason::Validation),
    rule("OperationError", UPLOAD, ErrorCode::InvalidProgram, Reason::Validation),
    // Reading.
    rule("OperationError", READ, ErrorCode::DispatchFailed, Reason::MapFailed),
    rule("AbortError", READ, ErrorCode::DispatchFailed, Reason::MapFailed),
    // Stopped waiting: an AbortSignal's own reasons.
    rule("AbortError", ANY, ErrorCode::ExecutionAborted, Reason::Aborted),
    rule("TimeoutError", ANY, ErrorCode::ExecutionAborted, Reason::Timeout),
    // The rest of what a live device refuses.
    rule("GPUValidationError", ANY, ErrorCode::DispatchFailed, Reason::Validation),
    rule("GPUInternalError", ANY, ErrorCode::DispatchFailed, Reason::Internal),
    rule(
        "OperationError",
        &[Operation::Dispatch, Operation::Cooperative],
        ErrorCode::DispatchFailed,
        Reason::Validation,
    ),
    rule(
        "TypeError",
        &[Operation::Dispatch, Operation::Cooperative, Operation::Read],
        ErrorCode::DispatchFailed,
        Reason::Validation,
    ),
];

/// The error a report becomes. `lost` says whether the device it came from is lost: asked one task after the report,
/// it outranks whatever the report says.
pub fn classify(fault: &Fault, lost: bool) -> ComputeError {
    let operation = fault.operation;
    let (code, reason) = if lost {
        (ErrorCode::DeviceLost, Reason::DeviceLost)
    } else {
        RULES
            .iter()
            .find(|rule| {
                (rule.class == fault.class || rule.class == fault.name)
                    && (rule.operations.is_empty() || rule.operations.contains(&operation))
            })
            .map_or((ErrorCode::Unknown, Reason::Unclassified), |rule| (rule.code, rule.reason))
    };
    let error = reason.at(operation).as_code(code).with("problem", fault.message.as_str());
    if reason == Reason::Panicked { error.with("detail", fault.message.as_str()) } else { error }
}

//! Error codes, reasons and every sentence an error can say.
//!
//! A failure is a [`ComputeError`]: a [`ErrorCode`] that never changes its number, a finer [`Reason`] from a closed
//! list, the [`Operation`] that failed, and plain data. The message is the reason's sentence with that data filled in,
//! so all wording is in this file and nothing decides by it.

use std::fmt;

/// What went wrong, as a stable id.
///
/// Append-only: an id is never renumbered and never reused, because telemetry, alert rules and retry policies keep it.
/// The numbers agree with the published `vyre-driver` crate where the names do.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ErrorCode {
    /// 1001: there was no memory for a buffer, a mapping or a result.
    DeviceOutOfMemory,
    /// 1002: this browser, page or adapter cannot do what was asked.
    UnsupportedFeature,
    /// 1003: a panic left the wasm instance in an unknown state, so it refuses every later call.
    PoisonedLock,
    /// 1004: the kernel did not become a pipeline.
    KernelCompileFailed,
    /// 1005: encoding, submission or read-back was refused while the device lives.
    DispatchFailed,
    /// 1006: the program or the call does not fit: a binding, a type, a range, a size, a destroyed handle.
    InvalidProgram,
    /// 1007: a cooperative launch does not fit into one resident workgroup.
    CooperativeResidencyExceeded,
    /// 1008: the device is gone, and recovery is off, spent or not possible.
    DeviceLost,
    /// 1009: stopped waiting, because of a timeout, an abort or a close.
    ExecutionAborted,
    /// 1999: not classified; the terminal id, not a bucket to grow.
    Unknown,
}

impl ErrorCode {
    /// Every code, in order of id.
    pub const ALL: [ErrorCode; 10] = [
        ErrorCode::DeviceOutOfMemory,
        ErrorCode::UnsupportedFeature,
        ErrorCode::PoisonedLock,
        ErrorCode::KernelCompileFailed,
        ErrorCode::DispatchFailed,
        ErrorCode::InvalidProgram,
        ErrorCode::CooperativeResidencyExceeded,
        ErrorCode::DeviceLost,
        ErrorCode::ExecutionAborted,
        ErrorCode::Unknown,
    ];

    /// The number that stays the same for ever.
    pub const fn stable_id(self) -> u32 {
        match self {
            ErrorCode::DeviceOutOfMemory => 1001,
            ErrorCode::UnsupportedFeature => 1002,
            ErrorCode::PoisonedLock => 1003,
            ErrorCode::KernelCompileFailed => 1004,
            ErrorCode::DispatchFailed => 1005,
            ErrorCode::InvalidProgram => 1006,
            ErrorCode::CooperativeResidencyExceeded => 1007,
            ErrorCode::DeviceLost => 1008,
            ErrorCode::ExecutionAborted => 1009,
            ErrorCode::Unknown => 1999,
        }
    }

    /// The name, as JavaScript's `error.code` has it.
    pub const fn name(self) -> &'static str {
        match self {
            ErrorCode::DeviceOutOfMemory => "DeviceOutOfMemory",
            ErrorCode::UnsupportedFeature => "UnsupportedFeature",
            ErrorCode::PoisonedLock => "PoisonedLock",
            ErrorCode::KernelCompileFailed => "KernelCompileFailed",
            ErrorCode::DispatchFailed => "DispatchFailed",
            ErrorCode::InvalidProgram => "InvalidProgram",
            ErrorCode::CooperativeResidencyExceeded => "CooperativeResidencyExceeded",
            ErrorCode::DeviceLost => "DeviceLost",
            ErrorCode::ExecutionAborted => "ExecutionAborted",
            ErrorCode::Unknown => "Unknown",
        }
    }

    /// What repeating the same call can do.
    pub const fn retry(self) -> RetryClass {
        match self {
            ErrorCode::DeviceOutOfMemory => RetryClass::SameDevice,
            ErrorCode::PoisonedLock | ErrorCode::DeviceLost => RetryClass::NewDevice,
            ErrorCode::CooperativeResidencyExceeded => RetryClass::OtherRoute,
            ErrorCode::UnsupportedFeature
            | ErrorCode::KernelCompileFailed
            | ErrorCode::DispatchFailed
            | ErrorCode::InvalidProgram
            | ErrorCode::ExecutionAborted
            | ErrorCode::Unknown => RetryClass::Never,
        }
    }

    /// One sentence for the catalogue: what becomes this code.
    pub const fn summary(self) -> &'static str {
        match self {
            ErrorCode::DeviceOutOfMemory => "There was no memory for a buffer, a mapping or a result.",
            ErrorCode::UnsupportedFeature => "This browser, page or adapter cannot do what was asked.",
            ErrorCode::PoisonedLock => {
                "A panic left the wasm instance in an unknown state, so it refuses every later call."
            }
            ErrorCode::KernelCompileFailed => "The kernel did not compile.",
            ErrorCode::DispatchFailed => "Encoding, submission or read-back was refused while the device lives.",
            ErrorCode::InvalidProgram => {
                "The program or the call does not fit: a binding, a type, a range, a size, a destroyed handle."
            }
            ErrorCode::CooperativeResidencyExceeded => "A cooperative launch does not fit into one resident workgroup.",
            ErrorCode::DeviceLost => "The device is gone, and recovery is off, spent or not possible.",
            ErrorCode::ExecutionAborted => "Stopped waiting, because of a timeout, an abort or a close.",
            ErrorCode::Unknown => "Not classified; the original is in `cause`.",
        }
    }

    /// One sentence for the catalogue: what to do about it in general.
    pub const fn fix(self) -> &'static str {
        match self {
            ErrorCode::DeviceOutOfMemory => {
                "Destroy buffers that are no longer needed, or work in smaller pieces, then repeat the call."
            }
            ErrorCode::UnsupportedFeature => "Offer another route, or ask for less; `reason` says what is missing.",
            ErrorCode::PoisonedLock => {
                "Call acquire() again and create buffers and kernels anew; please report the panic."
            }
            ErrorCode::KernelCompileFailed => "Correct the WGSL at the line and column in `context`.",
            ErrorCode::DispatchFailed => "Read `cause`: the browser says there what it refused.",
            ErrorCode::InvalidProgram => {
                "Correct the call; the message names the value, where it is and how much is allowed."
            }
            ErrorCode::CooperativeResidencyExceeded => "Launch fewer blocks, or let it take a fallback route.",
            ErrorCode::DeviceLost => "Acquire again and repeat.",
            ErrorCode::ExecutionAborted => "Allow more time, or split the work into shorter pieces.",
            ErrorCode::Unknown => "Read `cause`; please report what it holds.",
        }
    }

    /// The code with this stable id, if there is one.
    pub fn from_stable_id(stable_id: u32) -> Option<ErrorCode> {
        ErrorCode::ALL.into_iter().find(|code| code.stable_id() == stable_id)
    }
}

/// Proves at compile time that [`ErrorCode::ALL`] is complete and in order of id, each id once: a variant that is not in
/// this list fails its match, and the list is compared with `ALL`.
macro_rules! prove_complete {
    ($($code:ident)+) => {
        const _: () = {
            const fn is_listed(code: ErrorCode) {
                match code { $(ErrorCode::$code => (),)+ }
            }
            let mut listed: &[ErrorCode] = &[$(ErrorCode::$code),+];
            let mut all: &[ErrorCode] = &ErrorCode::ALL;
            let mut last_id = 0;
            while let ([code, more @ ..], [same, others @ ..]) = (listed, all) {
                is_listed(*code);
                assert!(code.stable_id() == same.stable_id(), "ALL has another order than this list");
                assert!(code.stable_id() > last_id, "ids must rise");
                last_id = code.stable_id();
                (listed, all) = (more, others);
            }
            assert!(listed.is_empty() && all.is_empty(), "ALL has another length than this list");
        };
    };
}

prove_complete! {
    DeviceOutOfMemory UnsupportedFeature PoisonedLock KernelCompileFailed DispatchFailed
    InvalidProgram CooperativeResidencyExceeded DeviceLost ExecutionAborted Unknown
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What repeating the same call can do; a function of the code alone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RetryClass {
    /// It fails again.
    Never,
    /// Free or wait, then repeat.
    SameDevice,
    /// Repeat once a device is back.
    NewDevice,
    /// Another execution route serves it.
    OtherRoute,
}

impl RetryClass {
    /// The name, as JavaScript's `error.retry` has it.
    pub const fn name(self) -> &'static str {
        match self {
            RetryClass::Never => "never",
            RetryClass::SameDevice => "same-device",
            RetryClass::NewDevice => "new-device",
            RetryClass::OtherRoute => "other-route",
        }
    }
}

/// What was being done when it failed.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Operation {
    /// Loading the wasm file.
    Load,
    /// Acquiring an adapter or a device.
    Acquire,
    /// Turning WGSL into a pipeline.
    Compile,
    /// Creating or writing a buffer.
    Upload,
    /// Dispatching, copying, a batch, a flush.
    Dispatch,
    /// Reading back.
    Read,
    /// Bringing a lost device back.
    Recover,
    /// A cooperative launch.
    Cooperative,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 8] = [
        Operation::Load,
        Operation::Acquire,
        Operation::Compile,
        Operation::Upload,
        Operation::Dispatch,
        Operation::Read,
        Operation::Recover,
        Operation::Cooperative,
    ];

    /// The name, as JavaScript's `error.operation` has it.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Load => "load",
            Operation::Acquire => "acquire",
            Operation::Compile => "compile",
            Operation::Upload => "upload",
            Operation::Dispatch => "dispatch",
            Operation::Read => "read",
            Operation::Recover => "recover",
            Operation::Cooperative => "cooperative",
        }
    }

    /// The operation of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| operation.name() == name)
    }
}

/// Each line of the list below: name, codes (the first is the usual one), sentence, fix. Every column is a function of
/// its own, so that the wasm, which never says a sentence, does not carry them.
macro_rules! reasons {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal [$($code:ident),+] $sentence:literal, $fix:literal;)+) => {
        /// The finer cause of a failure: a closed, append-only list.
        #[non_exhaustive]
        #[derive(Clone, Copy, Debug, Eq, PartialEq)]
        pub enum Reason { $($(#[doc = $doc])* $variant,)+ }

        impl Reason {
            /// Every reason, grouped by its usual code.
            pub const ALL: &'static [Reason] = &[$(Reason::$variant,)+];

            /// The name, as JavaScript's `error.reason` has it.
            pub const fn name(self) -> &'static str {
                match self { $(Reason::$variant => $name,)+ }
            }

            /// The codes it can appear under; the first is the usual one.
            pub const fn codes(self) -> &'static [ErrorCode] {
                match self { $(Reason::$variant => &[$(ErrorCode::$code,)+],)+ }
            }

            /// The sentence, with `{key}` where a value of the context goes.
            pub const fn sentence(self) -> &'static str {
                match self { $(Reason::$variant => $sentence,)+ }
            }

            /// What to do, one sentence; may hold `{key}` too.
            pub const fn fix(self) -> &'static str {
                match self { $(Reason::$variant => $fix,)+ }
            }
        }
    };
}

reasons! {
    // ---- 1001
    /// The browser reported out of memory, or refused a creation or mapping with a `RangeError` on a live device.
    OutOfMemory "out-of-memory" [DeviceOutOfMemory]
        "There was not enough memory for `{label}`.",
        "Destroy buffers that are no longer needed, or work in smaller pieces, then repeat the call.";
    /// `memoryBudgetBytes` would be passed.
    BudgetExceeded "budget-exceeded" [DeviceOutOfMemory]
        "`{label}` needs {requested} bytes, but {used} of the budget of {allowed} bytes are in use.",
        "Destroy buffers that are no longer needed, or raise memoryBudgetBytes.";
    /// The page could not allocate the array for a result.
    HostOutOfMemory "host-out-of-memory" [DeviceOutOfMemory]
        "The page could not allocate {bytes} bytes for the result of `{label}`.",
        "Read a smaller range, or read into an array you already have with readInto().";

    // ---- 1002
    /// `navigator.gpu` is absent.
    WebgpuUnavailable "webgpu-unavailable" [UnsupportedFeature]
        "This environment has no WebGPU: navigator.gpu is absent.",
        "Use a browser with WebGPU, or offer another route for this visitor.";
    /// The page is not served from a secure context, where WebGPU is hidden.
    InsecureContext "insecure-context" [UnsupportedFeature]
        "WebGPU is hidden because the page is not a secure context.",
        "Serve the page over https, or from localhost while developing.";
    /// No adapter answered, twice.
    AdapterUnavailable "adapter-unavailable" [UnsupportedFeature]
        "The browser has WebGPU but no adapter for it.",
        "Check chrome://gpu or about:support for why the GPU is blocked, or offer another route.";
    /// A required feature is not on the adapter, or did not arrive on the device.
    FeatureMissing "feature-missing" [UnsupportedFeature]
        "The feature `{feature}` is not available on this device.",
        "List it under optionalFeatures and branch on gpu.features, or offer another route.";
    /// The page's policy forbids WebAssembly.
    WasmBlocked "wasm-blocked" [UnsupportedFeature]
        "The page's Content-Security-Policy forbids WebAssembly.",
        "Add 'wasm-unsafe-eval' to script-src.";

    // ---- 1003
    /// The wasm instance panicked or trapped.
    Panicked "panicked" [PoisonedLock]
        "The wasm instance stopped: {detail}.",
        "Call acquire() again and create buffers and kernels anew; please report the panic.";

    // ---- 1004
    /// The browser refused the WGSL.
    Wgsl "wgsl" [KernelCompileFailed]
        "`{label}` did not compile: line {line}, column {column}: {problem}",
        "Correct the WGSL at the line and column named.";
    /// The entry point is missing or ambiguous.
    EntryPoint "entry-point" [KernelCompileFailed]
        "`{label}` has no single compute entry point to run: it has {found}, wanted is {wanted}.",
        "Name one of the kernel's @compute functions with `entryPoint`.";
    /// An override constant is missing, unknown or given twice.
    Constant "constant" [KernelCompileFailed]
        "`{label}`: the constant `{name}` {problem}.",
        "Give each override without a default in `constants`, by its name or @id.";
    /// The value of an override constant is not one of its type.
    ConstantRange "constant-range" [KernelCompileFailed]
        "`{label}`: the constant `{name}` must be {expected}, but is {got}.",
        "Give a value that the override's type can hold.";
    /// The browser refused to make a pipeline of a valid module.
    Pipeline "pipeline" [KernelCompileFailed]
        "`{label}` compiled, but the browser made no pipeline of it: {problem}",
        "Read `cause`; often the kernel uses more than this device's code generator can hold.";

    // ---- 1005
    /// The browser refused the work.
    Validation "validation" [DispatchFailed, KernelCompileFailed, InvalidProgram]
        "The browser refused `{label}`: {problem}",
        "Read `cause`: it says what was refused.";
    /// The browser failed at something valid.
    Internal "internal" [DispatchFailed, KernelCompileFailed]
        "The browser failed at `{label}`: {problem}",
        "Repeat once; if it fails again, simplify the kernel and report the browser's message.";
    /// A result could not be mapped although the device lives.
    MapFailed "map-failed" [DispatchFailed]
        "The result of `{label}` could not be mapped: {problem}",
        "Repeat the read.";
    /// The kernel lost the device too often and is refused.
    Quarantined "quarantined" [DispatchFailed]
        "`{label}` is quarantined: the device was lost {losses} times while it ran.",
        "Shorten or split the kernel; a driver's watchdog stops work that runs for seconds.";

    // ---- 1006
    /// A binding the kernel needs was not given.
    BindingMissing "binding-missing" [InvalidProgram]
        "`{label}` needs `{name}`, which the call does not give.",
        "Pass `{name}` by its WGSL name.";
    /// A name was given that the kernel does not declare.
    BindingUnknown "binding-unknown" [InvalidProgram]
        "`{label}` declares no binding named `{name}`; it has {known}.",
        "Use the variable names of the WGSL source.";
    /// The argument's type is not the binding's.
    TypeMismatch "type-mismatch" [InvalidProgram]
        "`{name}` of `{label}` is {expected} in the WGSL, but the argument is {got}.",
        "Pass data of that type, or change the declaration.";
    /// The argument's length does not fit the binding or the destination.
    LengthMismatch "length-mismatch" [InvalidProgram]
        "`{name}` of `{label}` must be {expected}, but is {got}.",
        "Pass data of that length.";
    /// An offset or length is not on the boundary the device needs.
    Misaligned "misaligned" [InvalidProgram]
        "`{name}` is {got}, but must be a multiple of {alignment}; {nearest} would do.",
        "Use the nearest multiple, or copy the part into a buffer of its own.";
    /// A size, a grid or a count is past a limit of the device or the adapter.
    LimitExceeded "limit-exceeded" [InvalidProgram, KernelCompileFailed, UnsupportedFeature]
        "`{label}` asks for {requested}, but {limit} allows {allowed}.",
        "Ask for less, split the work, or acquire with a higher limit where the adapter has one.";
    /// A grid is past 65,535 workgroups in one dimension and this kernel cannot know that it was folded.
    GridNeedsFolding "grid-needs-folding" [InvalidProgram]
        "`{label}` needs {requested} workgroups in x, but {limit} allows {allowed}, and the kernel does not use num_workgroups.",
        "Take @builtin(num_workgroups) n and index with gid.x + gid.y * n.x * WORKGROUP_SIZE_X + gid.z * n.x * n.y * WORKGROUP_SIZE_X, then the grid is folded for you; or pass `workgroups`.";
    /// One buffer is bound twice, and a binding writes it where another reads it or writes the same part.
    Aliased "aliased" [InvalidProgram]
        "`{name}` and `{other}` of `{label}` are in the same buffer, and one of them is written.",
        "Copy one of them with copyTo(), use one read_write binding, or declare both read_write over separate parts.";
    /// A destroyed buffer or kernel was used.
    Destroyed "destroyed" [InvalidProgram]
        "`{label}` was destroyed before this use.",
        "Keep it until the last call that needs it was made; destroy() takes effect after recorded commands.";
    /// A handle of another Gpu was used.
    Foreign "foreign" [InvalidProgram]
        "`{label}` belongs to another Gpu.",
        "Create it with the same Gpu, or move its contents with read() and buffer().";
    /// An argument is not what the call takes.
    ArgumentInvalid "argument-invalid" [InvalidProgram]
        "{argument} must be {expected}, but is {got}.",
        "Correct the argument.";
    /// An index range lies outside the buffer.
    OutOfRange "out-of-range" [InvalidProgram]
        "{argument} is {got}, but `{label}` has {allowed}.",
        "Keep the range inside the buffer.";
    /// The array's memory was transferred away.
    Detached "detached" [InvalidProgram]
        "The memory of {argument} was transferred away, so it has no contents.",
        "Pass the array before transferring its buffer, or pass a copy.";
    /// An output was given where there is nowhere to put its result.
    NowhereToPut "nowhere-to-put" [InvalidProgram]
        "`{name}` of `{label}` is {got}, and this call has nowhere to put its result.",
        "Use run() for out() and inout(), or pass a GpuBuffer.";
    /// The WGSL is valid but the package's reader cannot decide a fact it needs.
    Undecided "undecided" [InvalidProgram]
        "`{label}`: line {line}: {problem}.",
        "Write it as a literal or a module constant of literals.";
    /// The program uses something this package does not bind.
    UnsupportedBinding "unsupported-binding" [InvalidProgram]
        "`{name}` of `{label}` is {got}, and kernels here bind storage and uniform buffers only.",
        "Put the data into a storage buffer.";
    /// An argument name the package keeps for itself.
    NameReserved "name-reserved" [InvalidProgram]
        "`{name}` of `{label}` cannot be an argument: results carry the run's information under that name.",
        "Rename the variable in the WGSL.";
    /// Closed: used after `close()` (1006), or still pending when `close()` stopped waiting (1009).
    Closed "closed" [InvalidProgram, ExecutionAborted]
        "`{label}` cannot run: this Gpu is closed.",
        "Acquire another Gpu.";

    // ---- 1007
    /// A cooperative launch does not fit.
    ResidencyExceeded "residency-exceeded" [CooperativeResidencyExceeded]
        "`{label}` wants {gridBlocks} blocks, but {residentLimit} can be resident: {detail}",
        "Launch fewer blocks, or let it take a fallback route.";

    // ---- 1008
    /// The device was lost.
    DeviceLost "device-lost" [DeviceLost]
        "The device was lost during {operation} of `{label}`.",
        "Acquire again and repeat.";
    /// Contents were lost with the device.
    ContentsLost "contents-lost" [DeviceLost]
        "The contents of `{label}` were lost with the device.",
        "Write the contents again, then repeat.";
    /// Too many losses in a short time.
    CircuitOpen "circuit-open" [DeviceLost]
        "The device was lost {losses} times in {windowMs} ms, so new calls wait {retryAfterMs} ms.",
        "Repeat after retryAfterMs.";
    /// No device came back.
    RecoveryFailed "recovery-failed" [DeviceLost]
        "No device came back after {attempts} attempts.",
        "Call acquire() later, or offer another route.";

    // ---- 1009
    /// `timeoutMs` passed.
    Timeout "timeout" [ExecutionAborted]
        "`{label}` did not finish within {timeoutMs} ms.",
        "Allow more time, or split the work into shorter pieces.";
    /// An AbortSignal fired.
    Aborted "aborted" [ExecutionAborted]
        "`{label}` was aborted.",
        "Nothing to do: the caller asked for it.";

    // ---- 1999
    /// Not classified.
    Unclassified "unclassified" [Unknown]
        "{problem}",
        "Read `cause`; please report what it holds.";
    /// The wasm file did not load.
    LoadFailed "load-failed" [Unknown]
        "The wasm file did not load: {problem}",
        "Check that it is served, complete and of this package's version.";
}

impl Reason {
    /// The code it has at this operation: the usual one, but a limit passed at compile or acquire belongs to those.
    pub const fn code(self, operation: Operation) -> ErrorCode {
        match (self, operation) {
            (Reason::LimitExceeded, Operation::Compile) => ErrorCode::KernelCompileFailed,
            (Reason::LimitExceeded, Operation::Acquire) => ErrorCode::UnsupportedFeature,
            _ => match self.codes() {
                [first, ..] => *first,
                [] => ErrorCode::Unknown,
            },
        }
    }

    /// Starts an error of this reason at this operation.
    pub fn at(self, operation: Operation) -> ComputeError {
        ComputeError(Box::new(Facts { code: self.code(operation), reason: self, operation, context: Vec::new() }))
    }
}

/// One value of an error's context.
#[derive(Clone, Debug, PartialEq)]
pub enum ContextValue {
    /// Text, such as a label.
    Text(String),
    /// A number, such as a line or a limit.
    Number(f64),
    /// A yes or no.
    Flag(bool),
}

impl fmt::Display for ContextValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContextValue::Text(text) => f.write_str(text),
            ContextValue::Number(number) => write!(f, "{number}"),
            ContextValue::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

impl From<&str> for ContextValue {
    fn from(text: &str) -> Self {
        ContextValue::Text(text.to_owned())
    }
}

impl From<String> for ContextValue {
    fn from(text: String) -> Self {
        ContextValue::Text(text)
    }
}

impl From<bool> for ContextValue {
    fn from(flag: bool) -> Self {
        ContextValue::Flag(flag)
    }
}

impl From<f64> for ContextValue {
    fn from(number: f64) -> Self {
        ContextValue::Number(number)
    }
}

impl From<u32> for ContextValue {
    fn from(number: u32) -> Self {
        ContextValue::Number(f64::from(number))
    }
}

impl From<u64> for ContextValue {
    /// Exact up to 2^53, which is past every size WebGPU can express.
    fn from(number: u64) -> Self {
        ContextValue::Number(number as f64)
    }
}

impl From<usize> for ContextValue {
    fn from(number: usize) -> Self {
        ContextValue::Number(number as f64)
    }
}

/// A failure: code, reason, operation and plain data. Its `Display` is the message.
///
/// Boxed, so that the results it travels in stay as small as what they hold when all went well.
#[derive(Clone, Debug, PartialEq)]
pub struct ComputeError(Box<Facts>);

#[derive(Clone, Debug, PartialEq)]
struct Facts {
    code: ErrorCode,
    reason: Reason,
    operation: Operation,
    context: Vec<(&'static str, ContextValue)>,
}

impl ComputeError {
    /// An unclassified failure with this text; prefer [`Reason::at`].
    pub fn new(problem: impl Into<String>) -> ComputeError {
        Reason::Unclassified.at(Operation::Dispatch).with("problem", problem.into())
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// The finer cause.
    pub fn reason(&self) -> Reason {
        self.0.reason
    }

    /// What was being done.
    pub fn operation(&self) -> Operation {
        self.0.operation
    }

    /// The values behind the message, in the order they were added.
    pub fn context(&self) -> &[(&'static str, ContextValue)] {
        &self.0.context
    }

    /// One value of the context.
    pub fn get(&self, key: &str) -> Option<&ContextValue> {
        self.0.context.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Sets a value of the context, replacing one that is there.
    #[must_use]
    pub fn with(self, key: &'static str, value: impl Into<ContextValue>) -> ComputeError {
        self.set(key, value.into())
    }

    fn set(mut self, key: &'static str, value: ContextValue) -> ComputeError {
        match self.0.context.iter_mut().find(|(name, _)| *name == key) {
            Some(entry) => entry.1 = value,
            None => self.0.context.push((key, value)),
        }
        self
    }

    /// Sets a value of the context only where none is there: whoever knew first, knew best.
    #[must_use]
    pub fn or(self, key: &'static str, value: impl Into<ContextValue>) -> ComputeError {
        if self.get(key).is_some() { self } else { self.with(key, value) }
    }

    /// Says another of the reason's codes than its usual one. A code that the reason does not list is ignored.
    #[must_use]
    pub fn as_code(mut self, code: ErrorCode) -> ComputeError {
        if self.0.reason.codes().contains(&code) {
            self.0.code = code;
        }
        self
    }

    /// What to do, one sentence.
    pub fn fix(&self) -> String {
        self.filled(self.0.reason.fix())
    }

    /// A sentence with each `{key}` replaced by its value. `{operation}` is the operation's name; a key without a value
    /// becomes `?`.
    fn filled(&self, sentence: &str) -> String {
        let mut text = String::with_capacity(sentence.len() + 32);
        let mut rest = sentence;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            let Some((key, after)) = after.split_once('}') else {
                rest = after;
                break;
            };
            match self.get(key) {
                Some(value) => text.push_str(&value.to_string()),
                None if key == "operation" => text.push_str(self.0.operation.name()),
                None => text.push('?'),
            }
            rest = after;
        }
        text.push_str(rest);
        text
    }
}

impl fmt::Display for ComputeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.filled(self.0.reason.sentence()))
    }
}

impl std::error::Error for ComputeError {}

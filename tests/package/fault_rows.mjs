// The rows of the fault matrix, and what proves each: a test of this folder by file and title, or a vector of
// tests/fault_vectors.json by its case, for what cannot be brought about here.

const acquire = (title) => ["faults_acquire", title];
const buffers = (title) => ["faults_buffers", title];
const compile = (title) => ["faults_compile", title];
const binding = (title) => ["faults_binding", title];
const dispatch = (title) => ["faults_dispatch", title];
const loss = (title) => ["faults_loss", title];
const injected = (title) => ["faults_injected", title];
const lossOrder = (title) => ["faults_loss_order", title];
const memory = (title) => ["faults_memory", title];
const panic = (title) => ["faults_panic", title];
const contexts = (title) => ["faults_contexts", title];
const abort = (title) => ["faults_abort", title];
const vector = (name) => ["vector", name];

const guardedTransfers = buffers("misuse of maps and queues through a guard has the code of its operation, once");
const guardedEncodes = dispatch("misuse of an encoder or a submit through a guard is DispatchFailed");
const wrongBindings = binding("bindings that are missing, unknown, empty, misaligned or of another type are refused by name");
const outOfMemory = buffers("a buffer the device has no memory for is DeviceOutOfMemory, at its first use and at every other");
const destroyedDevice = loss("a device destroyed by somebody else is lost, whatever the browser resolves");
const endless = abort("work that never ends: its callers get their timeout, and the next Gpu computes");
const failedMap = buffers("a map that fails is that read's failure, and the next read works");
const crashedAcquire = acquire("a crash while adapters are asked for is survived, or told as what it is");
const panicked = panic("a panic rejects everything that is pending, of every kind, and nothing hangs");
const stale = panic("handles of an instance that panicked never reach into the next");
const trapped = panic("a trap without a panic is seen as well: a stack overflow, and an exception through wasm's frames");
const barrier = abort("a spin barrier over more workgroups than can run at once ends in a timeout");
const robbed = binding("a destroyed buffer is refused before encoding; behind our back it fails that call alone");
const idle = dispatch("an idle error is heard at the next flush, each of many one by one");
const guards = dispatch("concurrent guards never get each other's errors");

/** Row of the matrix to what proves it. */
export const faultRows = {
  // Acquisition
  F01: [
    ["host", "in an insecure context, acquire() says that this is why"],
    ["host", "without navigator.gpu, acquire() rejects UnsupportedFeature"],
    contexts("an empty page and a data page have no WebGPU to find"),
  ],
  F02: [
    ["host", "without an adapter, acquire() rejects UnsupportedFeature"],
    acquire("an adapter that vanishes between calls is asked for anew each time"),
  ],
  F03: [crashedAcquire, ["host", "a first null adapter is asked for once more"]],
  F04: [acquire("no adapter after a loss is a lost device and not a missing feature")],
  F05: [acquire("no adapter in the whole browser after too many crashes is the same loss")],
  F06: [
    acquire("an adapter request that never settles ends in a timeout, for this caller alone"),
    acquire("a frozen GPU process while acquiring is no verdict: it works once it wakes"),
  ],
  F07: [acquire("an adapter request that is refused is unknown, with the browser's own reason")],
  F08: [acquire("a required feature that the adapter lacks is named")],
  F09: [acquire("a feature that a device comes without is missing, not dropped")],
  F10: [acquire("a limit above the adapter's is refused by name and number")],
  F12: [acquire("limits are the adapter's own unless less is asked for")],
  F13: [acquire("an adapter that went stale in a crash is replaced")],
  F14: [
    acquire("many at once each get a device of their own"),
    acquire("a device request that is refused is told by what the browser threw"),
    vector("an OperationError while acquiring"),
  ],
  F15: [acquire("a device that is lost when it arrives is not handed out"), crashedAcquire],
  F16: [acquire("a software adapter is no failure, and says what it is")],
  // Buffers, mapping, transfer
  F17: [buffers("a buffer above maxBufferSize is refused with both numbers, before memory is asked for")],
  F18: [outOfMemory],
  F19: [buffers("out of memory that no scope hears is an event with that code")],
  F20: [outOfMemory],
  F21: [
    buffers("a mapped buffer the page has no memory for is DeviceOutOfMemory while the device lives"),
    injected("a creation that throws is out of memory, misuse or a loss, and never a panic"),
  ],
  F22: [buffers("the same throw after a loss is the loss")],
  F23: [["transfer", "an f16 buffer of odd length is whole, and keeps its neighbours"]],
  F24: [guardedTransfers],
  F25: [buffers("numbers no buffer can have are refused before the browser sees them"), guardedTransfers],
  F26: [guardedTransfers],
  F27: [guardedTransfers],
  F28: [failedMap],
  F29: [guardedTransfers, endless],
  F30: [loss("the GPU process dies while reading"), destroyedDevice],
  F31: [endless],
  F32: [guardedTransfers, failedMap],
  F33: [buffers("what was read is a copy: nothing later takes it away")],
  F34: [guardedTransfers],
  F35: [guardedTransfers, buffers("a buffer destroyed behind our back fails its writes as uploads and its uses as dispatches")],
  F36: [buffers("data whose memory went away is refused, and nothing is written")],
  F38: [buffers("a handle of a Gpu that was lost is not taken for one of the next"), guardedTransfers],
  F39: [buffers("creating a buffer of almost all there is takes its time and is no failure")],
  // Compile
  F40: [compile("wrong WGSL of every kind is told with its line, and the calls on it with the same error")],
  F41: [compile("a kernel without the entry point that was meant is refused with what it has")],
  F42: [compile("an extension that the device was not given is a missing feature")],
  F43: [compile("a workgroup past the device's limits is refused with both numbers")],
  F44: [compile("override constants that are missing, unknown or out of range are refused by name")],
  F45: [guardedEncodes],
  F47: [compile("a kernel past the browser's code generator has no pipeline, and says so")],
  F48: [compile("an internal error at compile, from a scope or a rejection, is the kernel's"), vector("a pipeline is refused")],
  F49: [
    compile("an internal error at compile, from a scope or a rejection, is the kernel's"),
    injected("an error of nobody's scope is an event of every class"),
  ],
  F50: [compile("a GPU process that dies of a compile is a lost device for the kernel and its calls")],
  F51: [compile("a compile that does not end is given up, and stalls nobody meanwhile")],
  F52: [compile("positions count as the browser counts them, and the source line is ours")],
  F53: [vector("WGSL is refused")],
  // Binding
  F54: [wrongBindings],
  F55: [binding("a binding larger than the device allows is refused with both numbers")],
  F56: [binding("more storage buffers or groups than the device allows are refused at compile, with both numbers")],
  F57: [guardedEncodes],
  F58: [wrongBindings],
  F59: [robbed],
  F60: [wrongBindings, guardedEncodes],
  // Dispatch, submission
  F61: [
    dispatch("a grid past the device's limit is refused with both numbers, or folded where the kernel can know"),
    guardedEncodes,
  ],
  F62: [["strict", "indirect counts past the limit are refused in strict mode, and good ones run"]],
  F63: [guardedEncodes],
  F65: [guardedEncodes, robbed],
  F66: [dispatch("a kernel that writes out of bounds changes nothing outside of its buffer")],
  F67: [idle],
  F68: [idle],
  F69: [dispatch("an exception out of a WebGPU call that never throws poisons the instance, and nothing hangs")],
  F70: [dispatch("timing without timestamps is told by the clock, and is no failure"), guardedEncodes],
  F71: [guards, ["attribution", "concurrent callers never get each other's errors"]],
  F72: [guards],
  // Loss
  F73: [
    loss("the GPU process dies while idle: every later operation says so"),
    loss("the GPU process dies while compiling"),
    loss("the GPU process dies while uploading"),
    loss("the GPU process dies while dispatching"),
    loss("the GPU process dies while reading"),
  ],
  F74: [loss("the GPU process killed by the system is the same loss")],
  F75: [destroyedDevice, loss("closing is no loss: no event, and later calls are refused as closed")],
  F76: [injected("a scope that rejects can only be a lost device's"), destroyedDevice],
  F77: [loss("the GPU process dies while dispatching"), destroyedDevice],
  F78: [loss("a crash while the page is busy is told by the next await")],
  F79: [crashedAcquire, lossOrder("a loss that lands one task after the failure outranks the failure")],
  F80: [loss("a frozen GPU process ends in a timeout, and the next job works when it wakes")],
  F81: [loss("a driver that resets in the background is a loss of unknown cause")],
  F82: [loss("a driver that resets in the background is a loss of unknown cause")],
  // Memory
  F85: [
    memory("the memory budget refuses before the driver is asked, with its numbers"),
    loss("the GPU process killed by the system is the same loss"),
  ],
  F86: [memory("destroying gives memory back at once, a thousand times over")],
  F87: [memory("a result the page has no memory for is that read's failure"), vector("a trap in the wasm")],
  // Panic
  F89: [panicked],
  F90: [panicked],
  F91: [panicked],
  F92: [panicked],
  F93: [stale],
  F94: [trapped, vector("a trap while reading")],
  F95: [trapped],
  F96: [panic("five panics in a row are survived")],
  F97: [panic("five panics in a row are survived"), stale],
  // Contexts
  F98: [
    contexts("a shared worker computes, and says what is wrong"),
    contexts("a service worker computes, and says what is wrong"),
    contexts("a worker gets its losses and failures as a page does"),
    contexts("a failure crosses a worker as data and comes back as what it was"),
  ],
  F99: [contexts("an audio worklet has no WebGPU, and is told so")],
  F100: [["host", "where the page's policy forbids wasm, acquire() says so"], vector("a page policy against wasm")],
  F102: [
    contexts("a device of another realm is watched, and its errors are of the same codes"),
    ["faults_classify", "everything a browser reports is classified by class, in this realm and another"],
  ],
  // Abort, timeout
  F104: [
    abort("a signal rejects with its own reason, before and after the call, whatever that is"),
    abort("an abort that nobody looks at is an event with the code of an abort"),
    vector("an AbortSignal fires"),
  ],
  F105: [abort("closing with work under way gives it two seconds, then rejects it as closed")],
  F106: [endless],
  F107: [abort("what completes after its timeout goes nowhere, and the device is as good as before")],
  F108: [dispatch("a loop is not cut short: an adapter that does so would give wrong numbers without an error")],
  // Whole-grid synchronization
  F109: [barrier],
  F110: [barrier],
  F111: [barrier],
};

/** Every row the matrix has. */
export const rowIds = [
  ...["F01", "F02", "F03", "F04", "F05", "F06", "F07", "F08", "F09", "F10", "F12", "F13", "F14", "F15", "F16"],
  ...["F17", "F18", "F19", "F20", "F21", "F22", "F23", "F24", "F25", "F26", "F27", "F28", "F29", "F30", "F31", "F32"],
  ...["F33", "F34", "F35", "F36", "F38", "F39", "F40", "F41", "F42", "F43", "F44", "F45", "F47", "F48", "F49", "F50"],
  ...["F51", "F52", "F53", "F54", "F55", "F56", "F57", "F58", "F59", "F60", "F61", "F62", "F63", "F65", "F66", "F67"],
  ...["F68", "F69", "F70", "F71", "F72", "F73", "F74", "F75", "F76", "F77", "F78", "F79", "F80", "F81", "F82", "F85"],
  ...["F86", "F87", "F89", "F90", "F91", "F92", "F93", "F94", "F95", "F96", "F97", "F98", "F99", "F100", "F102", "F104"],
  ...["F105", "F106", "F107", "F108", "F109", "F110", "F111"],
];

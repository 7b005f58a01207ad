// `classify` and `ComputeError` with what the vectors of tests/fault_vectors.json cannot hold: events, objects of other
// realms, objects that bite.

import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";

import { modulesOf } from "./modules.mjs";

const { classify, ComputeError, computeError, ErrorCode, errorCatalog } = await modulesOf(
  `export * from "./classify.js"; export * from "./compute_error.js";`,
);

/** An object of a class of that name. */
function instance(className, fields) {
  return Object.assign(new { [className]: class {} }[className](), fields);
}

function verdict(x, hint) {
  const { code, reason, operation } = classify(x, hint);
  return `${code} ${reason} ${operation}`;
}

test("an event is judged by what it carries", () => {
  const error = instance("GPUOutOfMemoryError", { message: "no memory" });
  for (const event of [
    instance("GPUUncapturedErrorEvent", { error }),
    instance("ErrorEvent", { error }),
    instance("PromiseRejectionEvent", { reason: error }),
    instance("ErrorEvent", { error: instance("PromiseRejectionEvent", { reason: error }) }),
  ]) {
    const judged = classify(event, { operation: "upload" });
    assert.equal(judged.code, "DeviceOutOfMemory");
    assert.equal(judged.cause, error);
  }
});

test("an event that carries nothing is unclassified, with itself as the cause", () => {
  const event = instance("ErrorEvent", { error: null, message: "Script error." });
  const error = classify(event);
  assert.equal(error.code, "Unknown");
  assert.equal(error.message, "Script error.");
  assert.equal(error.cause, event);
});

test("a loss report counts as a plain object too, but only with its two reasons", () => {
  assert.equal(verdict({ reason: "unknown", message: "gone" }), "DeviceLost device-lost dispatch");
  assert.equal(verdict(structuredClone({ reason: "destroyed", message: "" })), "DeviceLost device-lost dispatch");
  assert.equal(verdict({ reason: "tired", message: "" }), "Unknown unclassified dispatch");
  assert.equal(verdict({ reason: "unknown" }), "Unknown unclassified dispatch");
});

test("objects of another realm are judged alike", () => {
  const foreign = vm.runInNewContext(`({
    range: new RangeError("too large"),
    type: new TypeError("no"),
    lost: { reason: "unknown", message: "gone" },
    trap: new WebAssembly.RuntimeError("unreachable"),
  })`);
  assert.ok(!(foreign.range instanceof RangeError));
  assert.equal(verdict(foreign.range, { operation: "read" }), "DeviceOutOfMemory out-of-memory read");
  assert.equal(verdict(foreign.type, { operation: "compile" }), "KernelCompileFailed validation compile");
  assert.equal(verdict(foreign.lost), "DeviceLost device-lost dispatch");
  assert.equal(verdict(foreign.trap), "PoisonedLock panicked dispatch");
});

test("without a hint, a class that belongs to one operation tells it", () => {
  assert.equal(verdict(new WebAssembly.CompileError("no")), "UnsupportedFeature wasm-blocked load");
  assert.equal(verdict(new WebAssembly.LinkError("no")), "Unknown load-failed load");
  assert.equal(verdict(instance("GPUPipelineError", { reason: "internal" })), "KernelCompileFailed pipeline compile");
  assert.equal(verdict(new DOMException("stop", "AbortError")), "ExecutionAborted aborted dispatch");
});

test("what is no error at all is unclassified and says what it was", () => {
  for (const [x, message] of [
    ["boom", "boom"],
    [null, "null"],
    [undefined, "undefined"],
    [7, "7"],
    [10n, "10"],
  ]) {
    const error = classify(x);
    assert.deepEqual([error.code, error.reason, error.message], ["Unknown", "unclassified", message]);
    assert.equal(error.cause, x);
  }
  assert.equal(classify(Symbol("s")).message, "Symbol(s)");
  assert.equal(classify(() => {}).code, "Unknown");
});

test("an object that throws at every touch breaks nothing", () => {
  const bite = () => {
    throw new Error("bite");
  };
  const everything = Object.fromEntries(Reflect.ownKeys(Reflect).map((trap) => [trap, bite]));
  for (const x of [
    new Proxy({}, everything),
    new Proxy(function () {}, everything),
    Object.create(null),
    Object.defineProperty({}, "message", { get: bite }),
    Object.defineProperty({}, "constructor", { get: bite }),
    { toString: bite },
  ]) {
    assert.equal(classify(x).code, "Unknown");
  }
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  assert.equal(classify(proxy).code, "Unknown");
});

test("an object that carries itself ends", () => {
  const event = instance("ErrorEvent", { message: "round" });
  event.error = event;
  assert.equal(classify(event).message, "round");
});

test("a ComputeError comes back unchanged, also one of another copy of the package", async () => {
  const error = computeError("destroyed", "read", { label: "x" });
  assert.equal(classify(error, { lost: true }), error);
  const copy = await modulesOf(`export * from "./compute_error.js"; // another copy`);
  const foreign = copy.computeError("destroyed", "read", { label: "x" });
  assert.ok(!(foreign instanceof ComputeError));
  assert.ok(ComputeError.is(foreign));
  assert.equal(classify(foreign), foreign);
});

test("a serialized ComputeError is revived, and only a whole one", () => {
  const error = computeError("limit-exceeded", "upload", {
    label: "x",
    requested: 5,
    limit: "maxBufferSize",
    allowed: 4,
  });
  const revived = classify(JSON.parse(JSON.stringify(error)));
  assert.ok(revived instanceof ComputeError);
  assert.deepEqual(revived.toJSON(), error.toJSON());
  assert.equal(classify({ ...error.toJSON(), stableId: 1001 }).code, "Unknown");
  assert.equal(classify({ ...error.toJSON(), message: undefined }).code, "Unknown");
});

test("the sentence is filled with the context, and a value that is missing is a question mark", () => {
  const error = computeError("length-mismatch", "dispatch", { name: "x", label: "blur", got: "3 bytes" });
  assert.equal(error.message, "`x` of `blur` must be ?, but is 3 bytes.");
  assert.equal(
    computeError("binding-missing", "dispatch", { name: "y", label: "k" }).fix,
    "Pass `y` by its WGSL name.",
  );
  // A name that every object has is no value of the context.
  assert.equal(computeError("argument-invalid", "dispatch", {}).message, "? must be ?, but is ?.");
});

test("a limit passed at compile or acquire has the code of those", () => {
  const codes = ["upload", "compile", "acquire"].map((operation) => computeError("limit-exceeded", operation, {}).code);
  assert.deepEqual(codes, ["InvalidProgram", "KernelCompileFailed", "UnsupportedFeature"]);
  assert.equal(computeError("validation", "upload", {}, { stableId: 1006 }).code, "InvalidProgram");
});

test("an error is an Error that shows its name, its code and its frozen context", () => {
  const cause = new Error("the browser's");
  const error = computeError("out-of-memory", "upload", { label: "x", bytes: 4 }, { cause });
  assert.ok(error instanceof Error && error instanceof ComputeError);
  assert.equal(error.name, "ComputeError");
  assert.equal(error.stableId, ErrorCode.DeviceOutOfMemory);
  assert.equal(error.retry, "same-device");
  assert.equal(error.cause, cause);
  assert.match(error.stack, /^ComputeError: There was not enough memory/);
  assert.ok(Object.isFrozen(error.context));
  assert.ok(!("cause" in computeError("out-of-memory", "upload", {})));
});

test("every reason of the catalogue belongs to the codes that list it", () => {
  for (const { code, reasons } of errorCatalog)
    for (const reason of reasons) {
      const { stableId } = computeError(reason, "dispatch", {}, { stableId: ErrorCode[code] });
      assert.equal(stableId, ErrorCode[code]);
    }
});

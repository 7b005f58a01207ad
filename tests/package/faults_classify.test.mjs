// `classify` in a browser: everything that it throws, of this realm and others, and what is no error of it at all.

import assert from "node:assert/strict";

import { pageTest } from "./harness.mjs";

pageTest("everything a browser reports is classified by class, in this realm and another", async ({ run }) => {
  const seen = await run(async ({ classify }) => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const seen = {};
    for (const [realm, scope] of Object.entries({ own: globalThis, other: frame.contentWindow })) {
      const { DOMException, GPUValidationError, GPUOutOfMemoryError, GPUInternalError, GPUPipelineError, TypeError, RangeError, WebAssembly } = scope;
      const reports = {
        validation: [new GPUValidationError("no"), "dispatch"],
        "validation at compile": [new GPUValidationError("no"), "compile"],
        "validation at upload": [new GPUValidationError("no"), "upload"],
        memory: [new GPUOutOfMemoryError("no"), "upload"],
        internal: [new GPUInternalError("no"), "dispatch"],
        "internal at compile": [new GPUInternalError("no"), "compile"],
        pipeline: [new GPUPipelineError("no", { reason: "internal" }), undefined],
        "pipeline of a dying device": [new GPUPipelineError("no", { reason: "internal" }), "compile", true],
        "map refused": [new DOMException("no", "OperationError"), "read"],
        "map given up": [new DOMException("no", "AbortError"), "read"],
        abort: [new DOMException("no", "AbortError"), "dispatch"],
        timeout: [new DOMException("no", "TimeoutError"), "dispatch"],
        range: [new RangeError("no"), "upload"],
        "range after a loss": [new RangeError("no"), "upload", true],
        type: [new TypeError("no"), "upload"],
        "feature name": [new TypeError("no"), "acquire"],
        trap: [new WebAssembly.RuntimeError("unreachable"), "dispatch"],
        blocked: [new WebAssembly.CompileError("no"), undefined],
        link: [new WebAssembly.LinkError("no"), undefined],
        "plain loss": [{ reason: "destroyed", message: "" }, "read"],
      };
      for (const [what, [report, operation, lost]] of Object.entries(reports)) {
        const error = classify(report, { operation, lost });
        (seen[realm] ??= {})[what] = [error.stableId, error.reason, error.operation, error.cause === report];
      }
    }
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    device.destroy();
    const loss = await device.lost;
    const lost = classify(loss);
    seen.loss = [lost.stableId, lost.reason, lost.cause === loss];
    const event = classify(new GPUUncapturedErrorEvent("uncapturederror", { error: new GPUOutOfMemoryError("no") }));
    seen.event = [event.stableId, event.cause.constructor.name];
    const rejection = classify(new PromiseRejectionEvent("unhandledrejection", { promise: Promise.resolve(), reason: new GPUValidationError("no") }));
    const thrown = classify(new ErrorEvent("error", { error: new WebAssembly.RuntimeError("unreachable") }));
    seen.events = [rejection.stableId, thrown.stableId];
    return seen;
  });
  const expected = {
    validation: [1005, "validation", "dispatch"],
    "validation at compile": [1004, "validation", "compile"],
    "validation at upload": [1006, "validation", "upload"],
    memory: [1001, "out-of-memory", "upload"],
    internal: [1005, "internal", "dispatch"],
    "internal at compile": [1004, "internal", "compile"],
    pipeline: [1004, "pipeline", "compile"],
    "pipeline of a dying device": [1008, "device-lost", "compile"],
    "map refused": [1005, "map-failed", "read"],
    "map given up": [1005, "map-failed", "read"],
    abort: [1009, "aborted", "dispatch"],
    timeout: [1009, "timeout", "dispatch"],
    range: [1001, "out-of-memory", "upload"],
    "range after a loss": [1008, "device-lost", "upload"],
    type: [1006, "validation", "upload"],
    "feature name": [1002, "feature-missing", "acquire"],
    trap: [1003, "panicked", "dispatch"],
    blocked: [1002, "wasm-blocked", "load"],
    link: [1999, "load-failed", "load"],
    "plain loss": [1008, "device-lost", "read"],
  };
  for (const realm of ["own", "other"]) {
    for (const [what, kind] of Object.entries(expected)) assert.deepEqual([realm, what, ...seen[realm][what]], [realm, what, ...kind, true]);
  }
  assert.deepEqual(seen.loss, [1008, "device-lost", true]);
  assert.deepEqual(seen.event, [1001, "GPUOutOfMemoryError"]);
  assert.deepEqual(seen.events, [1005, 1003]);
});

pageTest("what nothing fits is Unknown, with the original as its cause", async ({ run }) => {
  const seen = await run(async ({ classify, ComputeError }) => {
    class WebGLContextLostError extends Error {}
    const hostile = new Proxy({}, { get: () => { throw new Error("no"); }, getPrototypeOf: () => { throw new Error("no"); } });
    const things = {
      null: null, undefined, number: 7, NaN, bigint: 7n, boolean: false, symbol: Symbol("x"), "an empty string": "", string: "device lost, out of memory",
      object: {}, "no prototype": Object.create(null), array: [1], function: () => {}, Error: new Error("GPUValidationError"),
      "a library's error": new WebGLContextLostError("lost"), SyntaxError: new SyntaxError("x"), "a message alone": { message: "lost" },
      "a bad toString": { toString() { throw new Error("no"); } }, "a proxy": hostile, event: new Event("error"), promise: Promise.resolve(1),
      aggregate: new AggregateError([new Error("a")], "several"), "an unknown DOMException": new DOMException("x", "NetworkError"),
      "half a serialized one": { code: "DeviceLost", stableId: 1008 }, "a wrong number": { code: "DeviceLost", stableId: 1001, retry: "x", operation: "x", reason: "x", message: "x", fix: "x" },
    };
    const seen = {};
    for (const [what, thing] of Object.entries(things)) {
      for (const operation of [undefined, "acquire", "upload", "read", "cooperative", "recover"]) {
        const error = classify(thing, operation && { operation });
        const kept = Object.is(error.cause, thing);
        (seen[what] ??= []).push([error instanceof ComputeError, error.stableId, error.reason, kept, typeof error.message, error.operation === (operation ?? "dispatch")].join());
      }
      seen[what] = [...new Set(seen[what])];
      const lost = classify(thing, { lost: true });
      seen[what].push(`${lost.stableId} ${lost.reason}`);
    }
    const own = classify({ reason: "unknown", message: "" });
    seen.same = [classify(own) === own, classify(new ErrorEvent("error", { error: own })) === own];
    return seen;
  });
  const { same, ...things } = seen;
  assert.deepEqual(same, [true, true]);
  for (const [what, judged] of Object.entries(things)) {
    assert.deepEqual([what, ...judged], [what, "true,1999,unclassified,true,string,true", "1008 device-lost"]);
  }
});

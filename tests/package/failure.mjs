// What a failure must be, wherever it comes from.

import assert from "node:assert/strict";

const codes = {
  1001: ["DeviceOutOfMemory", "same-device"],
  1002: ["UnsupportedFeature", "never"],
  1003: ["PoisonedLock", "new-device"],
  1004: ["KernelCompileFailed", "never"],
  1005: ["DispatchFailed", "never"],
  1006: ["InvalidProgram", "never"],
  1008: ["DeviceLost", "new-device"],
  1009: ["ExecutionAborted", "never"],
  1999: ["Unknown", "never"],
};

/**
 * Fails unless this is what `failureOf` gives for a ComputeError of this id, operation and reason.
 *
 * @param {object | undefined} failure
 * @param {[id: number, operation: string, reason: string]} kind
 * @param {{ context?: object, message?: string | RegExp, fix?: string }} [facts] `context`: members that must be there
 */
export function assertFailure(failure, [id, operation, reason], { context = {}, message, fix } = {}) {
  assert.ok(failure, "nothing failed");
  assert.ok(failure.isComputeError, `not a ComputeError: ${failure.text}`);
  const { name, code, stableId, retry } = failure;
  const [wantedCode, wantedRetry] = codes[id];
  assert.deepEqual(
    { name, code, stableId, retry, operation: failure.operation, reason: failure.reason },
    { name: "ComputeError", code: wantedCode, stableId: id, retry: wantedRetry, operation, reason },
    failure.text,
  );
  for (const [key, value] of Object.entries(context)) assert.equal(failure.context[key], value, `context.${key}`);
  if (typeof message === "string") assert.equal(failure.message, message);
  if (message instanceof RegExp) assert.match(failure.message, message);
  if (fix !== undefined) assert.equal(failure.fix, fix);
  assert.doesNotMatch(`${failure.message} ${failure.fix}`, /\{\w*\}|`\?`| \?[ ,.;]/, "a value is missing from the sentence");
  assert.ok(failure.fix.length > 0);
}

/** As {@link assertFailure}, for a table: what was done, its failure, and what that must be. */
export function assertFailures(failures, expected) {
  assert.deepEqual(Object.keys(failures), Object.keys(expected));
  for (const [what, [kind, facts]] of Object.entries(expected)) {
    try {
      assertFailure(failures[what], kind, facts);
    } catch (error) {
      throw new Error(`${what}: ${error.message}`, { cause: error });
    }
  }
}

// `classify` of the wasm-free entry judges as src/fault/classify.rs does: the same vectors go through both.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { packed } from "./harness.mjs";

const { classify, ComputeError, ErrorCode, errorCatalog } = await import(
  pathToFileURL(join(packed().installed, "dist/errors.js")).href
);
const vectors = JSON.parse(readFileSync(new URL("../fault_vectors.json", import.meta.url), "utf8"));
const frozen = readFileSync(new URL("../error_codes.tsv", import.meta.url), "utf8");

/** An object of a class of that name, as a browser would give it. */
function report({ class: className, name, message }) {
  const object = className ? new { [className]: class {} }[className]() : Object.create(null);
  if (name) object.name = name;
  object.message = message;
  return object;
}

for (const vector of vectors) {
  test(`${vector.case}: ${vector.stableId} ${vector.reason}`, () => {
    const cause = report(vector);
    const error = classify(cause, { operation: vector.operation });
    assert.ok(error instanceof ComputeError);
    assert.equal(error.stableId, vector.stableId);
    assert.equal(error.reason, vector.reason);
    assert.equal(error.operation, vector.operation);
    assert.equal(error.cause, cause);

    const lost = classify(cause, { operation: vector.operation, lost: true });
    assert.equal(lost.stableId, ErrorCode.DeviceLost, "a loss outranks every report");
    assert.equal(lost.reason, "device-lost");

    const reworded = report({ ...vector, message: "device lost, out of memory" });
    assert.equal(classify(reworded, { operation: vector.operation }).reason, vector.reason, "text never decides");
  });
}

test("JavaScript has the codes, ids and retry classes of the frozen table", () => {
  const rows = frozen.trim().split("\n").filter((line) => !line.startsWith("#"));
  const catalog = errorCatalog.map(({ code, stableId, retry }) => `${stableId}\t${code}\t${retry}`);
  assert.deepEqual(catalog, rows);
  const codes = Object.entries(ErrorCode).map(([code, stableId]) => `${stableId} ${code}`);
  assert.deepEqual(codes, rows.map((row) => row.split("\t").slice(0, 2).join(" ")));
  assert.ok(Object.isFrozen(ErrorCode));
});

test("the message is the sentence of Rust with its values filled in", () => {
  const error = classify(report({ class: "GPUDeviceLostInfo", message: "" }), { operation: "read" });
  assert.equal(error.message, "The device was lost during read of `the call`.");
});

test("a ComputeError survives JSON", () => {
  const error = classify(report({ class: "GPUValidationError", message: "no" }), { operation: "upload" });
  const revived = ComputeError.revive(JSON.parse(JSON.stringify(error)));
  assert.ok(revived instanceof ComputeError && ComputeError.is(revived));
  assert.deepEqual(revived.toJSON(), error.toJSON());
  assert.equal(revived.message, error.message);
});

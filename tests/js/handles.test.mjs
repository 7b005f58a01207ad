// Buffers, kernels and their arguments: what JavaScript checks, and what it hands to the wasm.

import assert from "node:assert/strict";
import { test } from "node:test";

import { acquire, called, core, fake, failureOf, floats, gpu, inout, lastCall, out, thrown } from "./fake_gpu.mjs";

test("asynchronous methods only reject, synchronous ones throw at once", async () => {
  const [x, kernel] = [floats("x"), gpu.kernel("")];
  const wrong = /^InvalidProgram argument-invalid/;
  for (const act of [
    () => gpu.buffer("text"),
    () => gpu.buffer(Float32Array.of(1), { labl: "x" }),
    () => gpu.kernel(5),
    () => gpu.kernel("", { constants: { a: "1" } }),
    () => gpu.elementwise(5),
    () => x.write([1], -1),
    () => x.fill("1"),
    () => x.copyTo({}),
    () => x.subarray(0.5),
    () => kernel.bind(undefined),
  ]) {
    assert.match(thrown(act), wrong);
  }
  for (const promise of [
    x.read({ start: -1 }),
    x.readInto([1, 2]),
    x.readInto(new Int32Array(2)),
    gpu.flush({ timeoutMs: 0 }),
    gpu.flush({ signal: {} }),
    gpu.batch("no function"),
    kernel.run({ x: "text" }),
    kernel.run({ x: undefined }),
    kernel.run({ x: [1, "2"] }),
    kernel.run({ x: { kind: "out", dtype: "f32", length: -1 } }),
    kernel.run({ x: new Map() }),
    kernel.dispatch({ x }, { elements: 1, workgroups: 1 }),
    kernel.dispatch({ x }, { workgroups: [1, 2, 3, 4] }),
    kernel.dispatch({ x }, { indirect: { buffer: x } }),
    kernel.dispatch({ x }, { timing: 1 }),
    gpu.elementwise("x")(Uint8Array.of(1)),
    gpu.elementwise("x").into({}, [1]),
  ]) {
    const { code, reason, message } = await failureOf(promise);
    assert.match(`${code} ${reason}: ${message}`, wrong);
  }
});

test("a destroyed handle is refused by its label, and destroying twice is the same as once", async () => {
  const [x, kernel] = [floats("dust"), gpu.kernel("")];
  const part = x.subarray(0);
  x.destroy();
  x.destroy();
  assert.equal(called("destroy_buffer").length, 1);
  assert.equal((await failureOf(x.read())).message, "`dust` was destroyed before this use.");
  assert.match(
    thrown(() => part.fill(0)),
    /^InvalidProgram destroyed/,
  );
  assert.equal((await failureOf(kernel.dispatch({ x }))).reason, "destroyed");
  kernel[Symbol.dispose ?? Symbol.for("Symbol.dispose")]();
  assert.equal((await failureOf(kernel.dispatch({}))).reason, "destroyed");
  assert.equal(x.gpuBuffer, undefined);
});

test("a handle of another Gpu is refused", async () => {
  const [x, kernel] = [floats("mine"), gpu.kernel("")];
  const other = await acquire();
  assert.equal((await failureOf(other.kernel("").dispatch({ x }))).message, "`mine` belongs to another Gpu.");
  assert.equal((await failureOf(other.batch((batch) => batch.dispatch(kernel, {})))).reason, "foreign");
});

test("a dispatch on buffers alone hands over numbers, and looks a shape up once", () => {
  const [x, y, kernel] = [floats("x"), floats("y"), gpu.kernel("")];
  kernel.dispatch({ x, y });
  const first = lastCall("dispatch");
  kernel.dispatch({ x: y, y: x });
  const second = lastCall("dispatch");
  assert.equal(called("shape").length, 1);
  assert.equal(second[3], first[3], "one array of numbers for all calls");
  assert.equal(second[4], undefined);
  kernel.dispatch({ y, x });
  assert.equal(called("shape").length, 2, "another order is another shape");
  kernel.dispatch({ x, y });
  assert.equal(called("shape").length, 2);
});

test("arguments that are not buffers go beside their numbers", () => {
  const [x, kernel] = [floats("x"), gpu.kernel("")];
  kernel.run({ x, y: out("f32", 2) }, { workgroups: [2, 3], label: "named" }).catch(() => {});
  const [, , , ids, values, kind, gx, gy, gz, flags, label] = lastCall("dispatch");
  assert.equal(ids[1], 0);
  assert.deepEqual([values[0], values[1]], [undefined, { kind: "out", dtype: "f32", length: 2 }]);
  assert.deepEqual([kind, gx, gy, gz, flags, label], [2, 2, 3, 1, 4, "named"]);
  kernel.dispatch({ x: [1, 2], y: [3] }, { elements: 5, timing: true }).catch(() => {});
  assert.deepEqual(lastCall("dispatch")[4], [Float32Array.of(1, 2), Float32Array.of(3)]);
  assert.deepEqual(lastCall("dispatch").slice(5, 10), [1, 5, 0, 0, 3]);
});

test("the results of a run come back under their names", async () => {
  const kernel = gpu.kernel("");
  const run = kernel.run({ y: out("i32", 1), x: inout(Uint8Array.of(1, 2, 3, 4)) }, { timing: true });
  const results = [Int32Array.of(7).buffer, Uint8Array.of(5, 6, 7, 8).buffer];
  fake.host.resolve(lastCall("dispatch")[0], { results, generation: 1, attempts: 2, wallMs: 3, gpuNs: 4 });
  assert.deepEqual(await run, {
    y: Int32Array.of(7),
    x: Uint8Array.of(5, 6, 7, 8),
    info: { generation: 1, attempts: 2, timing: { gpuNs: 4, wallMs: 3, source: "timestamp-query" } },
  });
});

test("an expression runs over numbers, arrays and buffers, one kernel for each type", async () => {
  const double = gpu.elementwise("x * 2");
  const result = double([1, 2]);
  fake.host.resolve(lastCall("dispatch")[0], { results: [Float32Array.of(2, 4).buffer], generation: 1, attempts: 1 });
  assert.deepEqual(await result, Float32Array.of(2, 4));
  double(Float32Array.of(1)).catch(() => {});
  double(floats("x")).catch(() => {});
  assert.equal(called("elementwise").length, 1);
  double(Int32Array.of(1)).catch(() => {});
  assert.deepEqual(
    called("elementwise").map(([, dtype]) => dtype),
    ["f32", "i32"],
  );
  const into = double.into(floats("y"), floats("x"));
  fake.host.resolve(lastCall("dispatch")[0], { generation: 1, attempts: 1 });
  assert.deepEqual(await into, { generation: 1, attempts: 1 });
});

test("after close() calls are refused, and closing twice is the same as once", async () => {
  const x = floats("x");
  const closing = gpu.close();
  assert.equal(gpu.close(), closing);
  assert.equal((await failureOf(gpu.flush())).message, "`flush()` cannot run: this Gpu is closed.");
  assert.match(
    thrown(() => x.fill(0)),
    /^InvalidProgram closed/,
  );
  assert.equal(gpu.state, "closed");
  fake.host.resolve(lastCall("close")[0], undefined);
  await closing;
  assert.deepEqual(core.calls.at(-1), ["free"]);
  x.destroy();
  assert.deepEqual([gpu.stats().errors[1006], gpu.memory().liveBytes], [2, 8]);
  assert.deepEqual(core.calls.at(-1), ["free"], "nothing is asked of a core that was freed");
});

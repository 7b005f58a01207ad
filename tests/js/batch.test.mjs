// A batch: one call, all or nothing.

import assert from "node:assert/strict";
import { test } from "node:test";

import { called, classify, core, fake, failureOf, floats, gpu, lastCall, shown, task, thrown } from "./fake_gpu.mjs";

test("a batch is one call, and gives what its function returns with the reads filled in", async () => {
  const [x, kernel] = [floats("x"), gpu.kernel("")];
  const call = gpu.batch((batch) => {
    batch.dispatch(kernel, { x });
    batch.repeat(3, (i) => batch.write(x, Float32Array.of(i)));
    return { all: batch.read(x), n: 5 };
  });
  const recorded = core.calls.map(([name]) => name);
  const expected = ["shape", "batch_dispatch", "batch_write", "batch_write", "batch_write", "batch_read", "batch_end"];
  assert.deepEqual(recorded.slice(recorded.indexOf("batch_begin") + 1), expected);
  fake.host.resolve(lastCall("batch_end")[0], { results: [Float32Array.of(1, 2).buffer], generation: 1, attempts: 1 });
  assert.deepEqual(await call, { all: Float32Array.of(1, 2), n: 5 });
});

test("a batch whose function throws runs nothing and rejects with that", async () => {
  const mine = new RangeError("mine");
  assert.equal(
    await failureOf(
      gpu.batch(() => {
        throw mine;
      }),
    ),
    mine,
  );
  assert.equal(called("batch_cancel").length, 1);
  assert.equal(called("batch_end").length, 0);
  assert.deepEqual(gpu.stats().errors, { 1999: 1 });
});

test("an entry that is refused refuses the batch, even if its function goes on", async () => {
  const [x, gone] = [floats("x"), floats("gone")];
  gone.destroy();
  const batch = gpu.batch((batch) => {
    batch.copy(x, x);
    try {
      batch.read(gone);
    } catch {}
    try {
      batch.copy(x, x);
    } catch {}
  });
  const error = await failureOf(batch);
  assert.deepEqual([error.reason, error.context.index], ["destroyed", 1]);
  assert.equal(called("batch_copy").length, 1);
  assert.equal(called("batch_end").length, 0);
});

test("while a batch is recorded the Gpu takes nothing else, and frees what is destroyed afterwards", async () => {
  const x = floats("x");
  const error = await failureOf(gpu.batch(() => x.fill(1)));
  assert.equal(error.message, "x must be used outside of batch()'s function, but is used inside it.");
  let closing;
  gpu.batch(() => (closing = gpu.close())).catch(() => {});
  assert.equal((await failureOf(closing)).reason, "argument-invalid");
  assert.equal(gpu.state, "ready");
  gpu.batch(() => x.destroy()).catch(() => {});
  assert.deepEqual(
    core.calls.slice(-2).map(([name]) => name),
    ["batch_end", "destroy_buffer"],
  );
  let late;
  gpu
    .batch((batch) => {
      late = batch;
    })
    .catch(() => {});
  assert.match(
    thrown(() => late.copy(x, x)),
    /a batch must be used inside of its function/,
  );
});

test("when a batch fails its reads fail alike, without an event of their own", async () => {
  const x = floats("x");
  let read;
  const batch = gpu.batch((batch) => (read = batch.read(x)));
  const refusal = classify("refused");
  fake.host.reject(lastCall("batch_end")[0], refusal);
  assert.equal(await failureOf(batch), refusal);
  assert.equal(await failureOf(read), refusal);
  await task();
  assert.deepEqual(shown, []);
});

// The table of calls: who settles a call, and who hears of it when nobody looks.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { acquire, called, classify, fake, failureOf, floats, gpu, lastCall, shown, task } from "./fake_gpu.mjs";

test("a call is settled by its number, and only once", async () => {
  const read = floats("a").read();
  const [call] = lastCall("read");
  fake.host.resolve(call, Float32Array.of(3, 4).buffer);
  fake.host.reject(call, new Error("too late"));
  fake.host.resolve(12345, undefined);
  assert.deepEqual(await read, Float32Array.of(3, 4));
});

test("what an export throws rejects the call that made it", async () => {
  const kernel = gpu.kernel("");
  const refusal = fake.host.error(1006, "binding-missing", "dispatch", ["label", "k", "name", "y"], undefined);
  fake.throws.set("dispatch", refusal);
  assert.equal(await failureOf(kernel.run({ x: [1] })), refusal);
  assert.equal(refusal.message, "`k` needs `y`, which the call does not give.");
  fake.throws.clear();
  void kernel.run({ x: [1] }).catch(() => {});
  assert.ok(lastCall("dispatch"));
});

test("an abort rejects with the signal's reason, and tells the wasm", async () => {
  const kernel = gpu.kernel("");
  for (const reason of ["why", null, 0, new DOMException("late", "TimeoutError")]) {
    const controller = new AbortController();
    const run = kernel.run({ x: [1] }, { signal: controller.signal });
    const [call] = lastCall("dispatch");
    controller.abort(reason);
    assert.equal(await failureOf(run), reason);
    const [cancelled, error] = lastCall("cancel");
    assert.deepEqual([cancelled, error.stableId, error.cause], [call, 1009, reason]);
    fake.host.resolve(call, { results: [] });

    const runs = called("dispatch").length;
    assert.equal(await failureOf(kernel.run({ x: [1] }, { signal: controller.signal })), reason);
    assert.equal(called("dispatch").length, runs, "nothing is recorded for a signal that has fired");
  }
  assert.equal(gpu.stats().errors[1009], 8);
});

test("a settled call leaves no listener and no timer behind", async () => {
  const listeners = new Set();
  const signal = {
    aborted: false,
    addEventListener: (_, listener) => listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
  mock.timers.enable({ apis: ["setTimeout"] });
  const flush = gpu.flush({ signal, timeoutMs: 50 });
  assert.equal(listeners.size, 1);
  fake.host.resolve(lastCall("flush")[0], undefined);
  await flush;
  assert.equal(listeners.size, 0);
  mock.timers.tick(100);
  assert.equal(called("cancel").length, 0);
});

test("after timeoutMs a call rejects and the wasm is told, for the call's own or the Gpu's time", async () => {
  const bounded = await acquire({ timeoutMs: 70 });
  mock.timers.enable({ apis: ["setTimeout"] });
  const calls = [bounded.flush(), bounded.flush({ timeoutMs: 30 }), bounded.flush({ timeoutMs: Infinity })];
  const numbers = called("flush").map(([call]) => call);
  mock.timers.tick(30);
  assert.deepEqual(called("cancel").map(([call]) => call), [numbers[1]]);
  mock.timers.tick(1e6);
  assert.deepEqual(called("cancel").map(([call]) => call), [numbers[1], numbers[0]]);
  fake.host.resolve(numbers[2], undefined);
  assert.equal((await failureOf(calls[0])).message, "`flush()` did not finish within 70 ms.");
  assert.equal(await failureOf(calls[1]), called("cancel")[0][1]);
  await calls[2];
  bounded.kernel("", { timeoutMs: 10 });
  mock.timers.tick(10);
  assert.equal(lastCall("expire_kernel")[1], 10);
});

test("a failure nobody looks at is an event, and goes to the console unless a listener prevents it", async () => {
  const events = [];
  const refusal = classify("refused");
  void gpu.flush();
  fake.host.reject(lastCall("flush")[0], refusal);
  await task();
  assert.deepEqual(shown, [refusal]);

  gpu.addEventListener("uncaptured", (event) => {
    events.push(event.detail.error);
    event.preventDefault();
  });
  const other = classify("refused, too");
  void gpu.flush();
  fake.host.reject(lastCall("flush")[0], other);
  void gpu.flush({ timeoutMs: -1 });
  await task();
  assert.deepEqual([events.length, events[0], events[1].reason], [2, other, "argument-invalid"]);
  assert.equal(shown.length, 1);
});

test("a failure somebody looks at is no event, however they look", async () => {
  const reject = () => {
    const flush = gpu.flush();
    fake.host.reject(lastCall("flush")[0], classify("refused"));
    return flush;
  };
  const looks = [
    async () => await reject(),
    () => Promise.all([reject()]),
    async () => reject(),
    () => reject().finally(() => {}),
    () => reject().then(() => {}),
  ];
  for (const look of looks) assert.equal((await failureOf(look())).message, "refused");

  // Looked at later in the same task, while another call is awaited.
  const [first, second] = [gpu.flush(), gpu.flush()];
  const [a, b] = called("flush")
    .slice(-2)
    .map(([call]) => call);
  fake.host.reject(b, classify("refused"));
  fake.host.resolve(a, undefined);
  await first;
  await failureOf(second);
  await task();
  assert.deepEqual(shown, []);
});

test("one failure of many calls is one event, and none if anybody saw it", async () => {
  const reject = (error) => {
    const flush = gpu.flush();
    fake.host.reject(lastCall("flush")[0], error);
    return flush;
  };
  const [seen, unseen] = [classify("seen"), classify("unseen")];
  reject(seen);
  await failureOf(reject(seen));
  reject(unseen);
  reject(unseen);
  await task();
  assert.deepEqual(shown, [unseen]);
  assert.equal(gpu.stats().errors[1999], 4);
});

test("an event of the wasm arrives when the wasm has returned", async () => {
  const error = classify("outside of any call");
  fake.host.emit(fake.acquired.gpu, "uncaptured", { error });
  assert.deepEqual(shown, []);
  await task();
  assert.deepEqual(shown, [error]);
  fake.host.emit(fake.acquired.gpu + 1, "uncaptured", { error });
  await task();
});

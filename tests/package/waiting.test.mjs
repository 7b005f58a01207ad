// Waiting: what a promise waits for, and who stops waiting: signals, timeouts, close().

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { keepsRecovering, pageTest } from "./harness.mjs";
import { slowKernel } from "./slow_kernel.mjs";

const increment = `
@group(0) @binding(0) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1) fn increment() { n[0] += 1u; }`;
const copy = `
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@compute @workgroup_size(1) fn copy() { b[0] = a[0]; }`;

pageTest("dispatch resolves when verified, and with timing when the GPU has finished", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const spin = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @compute @workgroup_size(1) fn spin() { for (var i = 0u; i < 40000000u; i++) { n[0] = n[0] * 3u + i; } }`);
    const n = gpu.buffer({ dtype: "u32", length: 1 });
    await spin.ready;
    await gpu.flush();
    const start = performance.now();
    const plain = await spin.dispatch({ n });
    const verified = performance.now() - start;
    await gpu.flush();
    const finished = performance.now() - start;
    const timed = await spin.dispatch({ n }, { timing: true });
    const again = performance.now();
    await spin.dispatch({ n }, { timeoutMs: 60_000 });
    const bounded = performance.now() - again;
    await gpu.close();
    const { wallMs, source } = timed.timing;
    return { plain, isEarly: verified < finished / 2, finished, wallMs, source, bounded };
  });
  assert.deepEqual(seen.plain, { generation: 1, attempts: 1 });
  assert.ok(seen.isEarly, "dispatch waited for the GPU");
  for (const ms of [seen.wallMs, seen.bounded]) assert.ok(ms > seen.finished / 10, `${ms} of ${seen.finished} ms`);
  assert.ok(["wall", "timestamp-query"].includes(seen.source));
});

pageTest("a signal stops every kind of call with its own reason, and leaves no listener", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, [increment, slow]) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(increment);
    const waiting = gpu.kernel(slow);
    const n = gpu.buffer(Uint32Array.of(7));
    const held = gpu.buffer(Uint32Array.of(7));
    void waiting.dispatch({ y: held });
    const listeners = new Map();
    for (const [method, change] of [["addEventListener", 1], ["removeEventListener", -1]]) {
      const original = AbortSignal.prototype[method];
      AbortSignal.prototype[method] = function (...args) {
        listeners.set(this, (listeners.get(this) ?? 0) + change);
        return original.apply(this, args);
      };
    }
    const target = new Uint32Array(1);
    const kinds = {
      run: (signal) => kernel.run({ n: out("u32", 1) }, { signal }),
      dispatch: (signal) => kernel.dispatch({ n }, { signal }),
      read: (signal) => n.read({ signal }),
      readInto: (signal) => n.readInto(target, { signal }),
      batch: (signal) => gpu.batch((batch) => batch.read(n), { signal }),
      flush: (signal) => gpu.flush({ signal }),
      "held run": (signal) => waiting.run({ y: out("u32", 1) }, { signal }),
      "held read": (signal) => held.read({ signal }),
    };
    const seen = {};
    for (const [kind, call] of Object.entries(kinds)) {
      const reason = { kind };
      const controller = new AbortController();
      const pending = call(controller.signal).catch((thrown) => thrown === reason);
      controller.abort(reason);
      const before = await call(AbortSignal.abort(reason)).catch((thrown) => thrown === reason);
      seen[kind] = [await pending, before];
    }
    await gpu.flush();
    const done = new AbortController();
    for (const [kind, call] of Object.entries(kinds)) await call(done.signal);
    const counted = (await n.read())[0];
    await doGoodJob(gpu);
    const counts = [...listeners.values()];
    await gpu.close();
    return { seen, leaked: counts.filter((count) => count !== 0).length, watched: counts.length, counted };
  }, [increment, slowKernel(11)]);
  for (const [kind, stopped] of Object.entries(seen.seen)) assert.deepEqual([kind, ...stopped], [kind, true, true]);
  assert.deepEqual([seen.leaked, seen.watched], [0, 9]);
  assert.equal(seen.counted, 8, "a call that was stopped before it was sent did not run");
});

pageTest("what was not sent is dropped, and what depends on it fails; what was sent still runs", async ({ run }) => {
  const seen = await run(async ({ acquire }, [increment, copy, slow]) => {
    const gpu = await acquire();
    const [kernel, copying] = [gpu.kernel(increment), gpu.kernel(copy)];
    await Promise.all([kernel.ready, copying.ready]);
    const [n, m, held, after] = [0, 1, 2, 3].map(() => gpu.buffer(Uint32Array.of(5)));
    await gpu.flush();

    const early = new AbortController();
    const dropped = kernel.dispatch({ n }, { signal: early.signal, label: "dropped" }).catch((reason) => reason);
    const dependent = copying.dispatch({ a: n, b: m });
    const independent = kernel.dispatch({ n: after });
    early.abort("enough");
    const later = gpu.buffer({ dtype: "u32", length: 1 });
    const afterwards = copying.dispatch({ a: n, b: later });
    const seen = { dropped: await dropped, dependent: await failureOf(dependent) };
    await afterwards;
    seen.later = (await later.read())[0];
    await independent;

    const waiting = gpu.kernel(slow);
    const timedOut = waiting.dispatch({ y: held }, { timeoutMs: 30, label: "late" });
    const behind = failureOf(held.read());
    const ahead = await failureOf(timedOut);
    seen.timeout = ahead;
    seen.behind = await behind;
    await waiting.ready;

    const late = new AbortController();
    const sent = kernel.dispatch({ n: after }, { signal: late.signal }).catch((reason) => reason);
    await new Promise((resolve) => setTimeout(resolve));
    late.abort("late");
    seen.sent = (await sent) === "late" || (await sent).generation;
    seen.values = [n, m, held, after].map((buffer) => buffer.read());
    seen.values = (await Promise.all(seen.values)).map(([value]) => value);
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  }, [increment, copy, slowKernel(11)]);
  assert.equal(seen.dropped, "enough");
  assertFailure(seen.dependent, [1009, "dispatch", "aborted"], {
    context: { label: "dropped" }, message: "`dropped` was aborted.",
  });
  assertFailure(seen.timeout, [1009, "dispatch", "timeout"], {
    context: { label: "late", timeoutMs: 30 },
    message: "`late` did not finish within 30 ms.",
    fix: "Allow more time, or split the work into shorter pieces.",
  });
  assert.equal(seen.later, 5, "a call after the signal sees the old contents");
  assert.deepEqual(seen.behind, seen.timeout);
  assert.deepEqual(seen.values, [5, 5, 5, 7]);
});

pageTest("an array that readInto was given is not touched after the signal", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const buffer = gpu.buffer(new Float32Array(1 << 20).fill(3));
    await gpu.flush();
    const touched = [];
    for (const wait of [() => {}, () => Promise.resolve(), () => new Promise((resolve) => setTimeout(resolve))]) {
      const target = new Float32Array(1 << 20);
      const controller = new AbortController();
      let isDone = false;
      const read = buffer.readInto(target, { signal: controller.signal }).then(() => (isDone = true), () => {});
      await wait();
      controller.abort();
      if (isDone) continue;
      await read;
      await gpu.flush();
      await buffer.read();
      touched.push(target.some((value) => value !== 0));
    }
    await gpu.close();
    return touched;
  });
  assert.ok(seen.length > 0);
  assert.deepEqual(seen.filter(Boolean), []);
});

pageTest("a Gpu's timeoutMs bounds its calls and compiles, unless one says otherwise", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, [increment, slow]) => {
    const gpu = await acquire({ timeoutMs: 150 });
    const kernel = gpu.kernel(slow, { label: "slow" });
    const patient = gpu.kernel(slow.replace("fn slow", "fn patient"), { timeoutMs: Infinity });
    const calls = {
      ready: kernel.ready,
      run: kernel.run({ y: out("u32", 1) }, { timeoutMs: 60_000 }),
      call: patient.run({ y: out("u32", 1) }),
      flush: gpu.flush(),
    };
    const failures = await Promise.all(Object.values(calls).map(failureOf));
    const failed = Object.fromEntries(Object.keys(calls).map((name, at) => [name, failures[at]]));
    const { y } = await patient.run({ y: out("u32", 1) }, { timeoutMs: Infinity });
    const n = gpu.buffer({ dtype: "u32", length: 1 });
    await gpu.kernel(increment, { timeoutMs: 60_000 }).dispatch({ n }, { timeoutMs: 60_000 });
    await doGoodJob(gpu);
    const wrong = [];
    for (const timeoutMs of [0, -1, NaN, "5", null]) wrong.push(await failureOf(n.read({ timeoutMs })));
    await gpu.close();
    return { failed, y: y[0], wrong };
  }, [increment, slowKernel(11)]);
  const timeout = (operation, label) => [[1009, operation, "timeout"], { context: { label, timeoutMs: 150 } }];
  assertFailures(seen.failed, {
    ready: timeout("compile", "slow"),
    run: timeout("compile", "slow"),
    call: timeout("dispatch", "patient"),
    flush: timeout("dispatch", "flush()"),
  });
  assert.equal(seen.y, 2 ** 11 + 11 * 2 ** 10);
  for (const failure of seen.wrong) assertFailure(failure, [1006, "read", "argument-invalid"]);
});

pageTest("close() lets what is recorded finish, once, and refuses everything after", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, increment) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(increment);
    const n = gpu.buffer(Uint32Array.of(1), { label: "n" });
    const bound = kernel.bind({ n });
    const pending = [kernel.run({ n: out("u32", 1) }), kernel.dispatch({ n }), n.read(), gpu.batch((b) => b.read(n)), gpu.flush()];
    const closing = gpu.close();
    const state = [gpu.state];
    const uses = {
      buffer: async () => gpu.buffer(Uint32Array.of(1)),
      kernel: async () => gpu.kernel(increment),
      elementwise: async () => gpu.elementwise("x"),
      write: async () => n.write([1]),
      read: () => n.read(),
      ready: () => n.ready,
      run: () => kernel.run({ n: out("u32", 1) }),
      bind: async () => kernel.bind({ n }),
      bound: () => bound.dispatch(),
      batch: () => gpu.batch(() => {}),
      flush: () => gpu.flush(),
    };
    const failed = {};
    for (const [use, act] of Object.entries(uses)) failed[use] = await failureOf(act);
    const values = await Promise.all(pending);
    await Promise.all([closing, gpu.close(), gpu.close()]);
    await gpu[Symbol.asyncDispose]();
    n.destroy();
    kernel.destroy();
    state.push(gpu.state, gpu.device, n.gpuBuffer);
    const { liveBytes, buffers, pooledBytes } = gpu.memory();
    const { dispatches } = gpu.stats();
    const after = await failureOf(n.read());
    // As text, because Node 20 does not know the syntax.
    const disposed = await (0, eval)(`async (acquire) => {
      await using other = await acquire();
      using x = other.buffer(Float32Array.of(4));
      return [other, x, (await x.read())[0]];
    }`)(acquire);
    const [other, x, value] = disposed;
    const left = [other.state, value, await failureOf(async () => x.read())];
    return {
      values: [values[0].n[0], values[1].attempts, values[2][0], values[3][0]], failed, state,
      memory: [liveBytes, buffers, pooledBytes], dispatches, after, left,
    };
  }, increment);
  assert.deepEqual(seen.values, [1, 1, 2, 2]);
  assert.deepEqual(seen.state, ["closed", "closed", undefined, undefined]);
  assert.deepEqual(seen.memory, [0, 0, 0]);
  assert.equal(seen.dispatches, 2);
  const operations = { buffer: "upload", write: "upload", ready: "upload", kernel: "compile", elementwise: "compile", read: "read" };
  for (const [use, failure] of Object.entries(seen.failed)) assertFailure(failure, [1006, operations[use] ?? "dispatch", "closed"]);
  assertFailure(seen.after, [1006, "read", "closed"], { message: "`n` cannot run: this Gpu is closed." });
  assert.deepEqual(seen.left.slice(0, 2), ["closed", 4]);
  assertFailure(seen.left[2], [1006, "read", "closed"]);
});

pageTest("close() during a long compile waits no longer than it says, and blocks nobody", { flags: keepsRecovering }, async ({ run, crashGpuProcess }) => {
  const seen = await run(async ({ acquire, out }, slow) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(slow);
    const run = failureOf(kernel.run({ y: out("u32", 1) }));
    const ready = failureOf(kernel.ready);
    const start = performance.now();
    await gpu.close();
    const closed = performance.now() - start;
    const seen = { run: await run, ready: await ready };
    const next = performance.now();
    const other = await acquire();
    await doGoodJob(other);
    return { ...seen, closed, next: performance.now() - next };
  }, slowKernel(14));
  await crashGpuProcess();
  assert.ok(seen.closed > 1500 && seen.closed < 6000, `closing took ${seen.closed} ms`);
  assert.ok(seen.next < 10_000, `the next Gpu took ${seen.next} ms`);
  assertFailure(seen.run, [1009, "dispatch", "closed"], { context: { label: "slow" } });
  assertFailure(seen.ready, [1009, "compile", "closed"], { context: { label: "slow" } });
});

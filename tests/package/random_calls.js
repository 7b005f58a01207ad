// Runs in the page of random.test.mjs: random calls, good and bad, each with what must come of it.

globalThis.playRandomCalls = async ({ acquire, out }, { seed, calls }) => {
  const WGSL = `
    @group(0) @binding(0) var<storage, read> x: array<u32>;
    @group(0) @binding(1) var<storage, read_write> y: array<u32>;
    override factor: u32 = 3;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {
      if (i.x < arrayLength(&y)) { y[i.x] = x[i.x] * factor + 1u; }
    }`;
  const LENGTH = 200;

  let state = seed >>> 0;
  /** mulberry32, from 0 to below `n`. */
  const below = (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % n;
  };
  const pick = (list) => list[below(list.length)];
  const numbers = (length) => Uint32Array.from({ length }, () => below(2 ** 32));

  const gpu = await acquire();
  const stranger = await acquire();
  const foreign = stranger.buffer(new Uint32Array(LENGTH), { label: "foreign" });
  const kernel = gpu.kernel(WGSL, { label: "map" });
  const model = (data) => ({ data, buffer: gpu.buffer(data, { label: "data" }) });
  const live = Array.from({ length: 8 }, () => model(numbers(LENGTH)));
  const gone = gpu.buffer(new Uint32Array(LENGTH), { label: "gone" });
  gone.destroy();
  const stolen = gpu.buffer(new Uint32Array(LENGTH), { label: "stolen" });
  await stolen.ready;
  await kernel.ready;
  await gpu.flush();
  stolen.gpuBuffer.destroy();

  const wrong = [];
  const counts = {};
  let events = 0;
  let expectedEvents = 0;
  /** What a use of the stolen buffer fails with: a write to it that fails in the same flush comes first. */
  let theft = 1005;
  gpu.addEventListener("uncaptured", (event) => {
    event.preventDefault();
    events += 1;
    const { stableId, reason } = event.detail.error;
    if (stableId !== 1006 || reason !== "validation") wrong.push(`an event said ${event.detail.error}`);
  });

  let pending = [];
  const note = (what, outcome) => {
    counts[what] = (counts[what] ?? 0) + 1;
    if (outcome) wrong.push(`${what}: ${outcome}`);
  };
  const gives = (what, promise, wanted) =>
    pending.push(
      promise.then(
        (got) => note(what, wanted && (got.length !== wanted.length || got.some((value, at) => value !== wanted[at])) && `gave ${[...got].slice(0, 4)}, not ${[...wanted].slice(0, 4)}`),
        (error) => note(what, `failed: ${error}`),
      ),
    );
  const judge = (what, id, reason, error) => {
    const { ComputeError } = globalThis.steadfast;
    const isIt = error instanceof ComputeError && error.stableId === id && error.reason === reason;
    note(what, !isIt && `failed with ${error?.stableId} ${error?.reason} (${error}), not ${id} ${reason}`);
  };
  const rejects = (what, id, reason, promise) =>
    pending.push(promise.then(() => note(what, "did not fail"), (error) => judge(what, id, reason, error)));
  const throws = (what, id, reason, act) => {
    try {
      act();
    } catch (error) {
      return judge(what, id, reason, error);
    }
    note(what, "did not throw");
  };
  const mapped = (data, factor = 3) => data.map((value) => Math.imul(value, factor) + 1);
  const fresh = () => gpu.buffer({ dtype: "u32", length: LENGTH }, { label: "fresh" });

  const good = {
    write() {
      const { data, buffer } = pick(live);
      const bytes = numbers(1 + below(20));
      const offset = below(LENGTH - bytes.length);
      data.set(bytes, offset);
      buffer.write(bytes, offset);
      bytes.fill(0);
      note("write");
    },
    fill() {
      const { data, buffer } = pick(live);
      const start = below(LENGTH);
      const end = start + below(LENGTH - start + 1);
      const value = below(2 ** 32);
      data.fill(value, start, end);
      buffer.fill(value, start, end);
      note("fill");
    },
    copy() {
      const [from, to] = [pick(live), pick(live)];
      if (from === to) return;
      const length = 1 + below(LENGTH);
      const start = below(LENGTH - length + 1);
      const at = below(LENGTH - length + 1);
      to.data.set(from.data.subarray(start, start + length), at);
      from.buffer.copyTo(to.buffer, { start, end: start + length, at });
      note("copy");
    },
    read() {
      const { data, buffer } = pick(live);
      const start = below(LENGTH);
      const end = start + below(LENGTH - start + 1);
      gives("read", buffer.read({ start, end }), data.slice(start, end));
    },
    readInto() {
      const { data, buffer } = pick(live);
      const into = new Uint32Array(LENGTH);
      gives("readInto", buffer.readInto(into).then(() => into), data.slice());
    },
    dispatch() {
      const [from, to] = [pick(live), pick(live)];
      if (from === to) return;
      to.data.set(mapped(from.data));
      gives("dispatch", kernel.dispatch({ x: from.buffer, y: to.buffer }, { timing: below(9) === 0 }));
    },
    run() {
      const data = numbers(1 + below(300));
      const given = below(2) ? pick(live) : { data, buffer: data };
      const ran = kernel.run({ x: given.buffer, y: out("u32", given.data.length) });
      gives("run", ran.then(({ y }) => y), mapped(given.data));
    },
    compiled() {
      const factor = 1 + below(50);
      const { data, buffer } = pick(live);
      const other = gpu.kernel(WGSL, { constants: { factor }, label: "other" });
      gives("compiled", other.run({ x: buffer, y: out("u32", LENGTH) }).then(({ y }) => y), mapped(data, factor));
    },
    batch() {
      const [from, to] = [pick(live), pick(live)];
      if (from === to) return;
      const bytes = numbers(4);
      from.data.set(bytes, 3);
      to.data.set(mapped(from.data));
      const recorded = gpu.batch((batch) => {
        batch.write(from.buffer, bytes, 3);
        batch.dispatch(kernel, { x: from.buffer, y: to.buffer });
        return batch.read(to.buffer);
      });
      gives("batch", recorded, to.data.slice());
    },
    flush: () => gives("flush", gpu.flush()),
    elementwise() {
      const data = numbers(1 + below(40));
      gives("elementwise", gpu.elementwise("x * 2 + 1")(data), data.map((value) => Math.imul(value, 2) + 1));
    },
    replace() {
      const place = below(live.length);
      live[place].buffer.destroy();
      live[place] = model(numbers(LENGTH));
      note("replace");
    },
  };

  const x = () => pick(live).buffer;
  const bad = {
    wgsl() {
      const broken = gpu.kernel(`${WGSL}\nfn oops() -> u32 { return 1.5; }`, { label: "broken" });
      rejects("wgsl", 1004, "wgsl", broken.ready);
      rejects("dispatch of wgsl", 1004, "wgsl", broken.dispatch({ x: x(), y: fresh() }));
    },
    "entry point": () => rejects("entry point", 1004, "entry-point", gpu.kernel(WGSL, { entryPoint: "nope" }).ready),
    constant: () => rejects("constant", 1004, "constant", gpu.kernel(WGSL, { constants: { nope: 1 } }).ready),
    "too large"() {
      const huge = gpu.buffer({ dtype: "u32", length: gpu.limits.maxBufferSize }, { label: "huge" });
      rejects("too large", 1006, "limit-exceeded", below(2) ? huge.ready : huge.read({ end: 4 }));
    },
    memory() {
      const huge = gpu.buffer({ dtype: "u32", length: 2 ** 28 }, { label: "a GiB" });
      rejects("memory", 1001, "out-of-memory", below(2) ? huge.ready : huge.read({ end: 4 }));
      if (below(2)) rejects("memory in a dispatch", 1001, "out-of-memory", kernel.dispatch({ x: huge, y: fresh() }));
      huge.destroy();
    },
    destroyed: () => rejects("destroyed", 1006, "destroyed", kernel.dispatch({ x: gone, y: x() })),
    "write destroyed": () => throws("write destroyed", 1006, "destroyed", () => gone.write([1])),
    foreign: () => rejects("foreign", 1006, "foreign", kernel.dispatch({ x: foreign, y: x() })),
    missing: () => rejects("missing", 1006, "binding-missing", kernel.run({ y: out("u32", 4) })),
    unknown: () => rejects("unknown", 1006, "binding-unknown", kernel.dispatch({ x: x(), y: fresh(), z: x() })),
    type: () => rejects("type", 1006, "type-mismatch", kernel.run({ x: new Float32Array(4), y: out("u32", 4) })),
    aliased() {
      const both = x();
      rejects("aliased", 1006, "aliased", kernel.dispatch({ x: both, y: both }));
    },
    nowhere: () => rejects("nowhere", 1006, "nowhere-to-put", kernel.dispatch({ x: x(), y: out("u32", 4) })),
    range: () => rejects("range", 1006, "out-of-range", x().read({ start: 5, end: LENGTH + 1 + below(9) })),
    "write range": () => throws("write range", 1006, "out-of-range", () => x().write(numbers(9), LENGTH - below(8))),
    misaligned: () => throws("misaligned", 1006, "misaligned", () => x().subarray(1 + below(9))),
    grid: () => rejects("grid", 1006, "limit-exceeded", kernel.dispatch({ x: x(), y: fresh() }, { workgroups: 65_536 })),
    argument: () => rejects("argument", 1006, "argument-invalid", x().read({ start: pick([-1, 0.5, NaN]) })),
    detached() {
      const data = numbers(4);
      structuredClone(data.buffer, { transfer: [data.buffer] });
      throws("detached", 1006, "detached", () => x().write(data));
    },
    "behind our back"() {
      const y = fresh();
      const dispatch = kernel.dispatch({ x: stolen, y }, { label: "robbed" });
      rejects("behind our back", theft, "validation", dispatch);
      if (below(2)) rejects("what depends on it", theft, "validation", y.read());
    },
    "read behind our back": () => rejects("read behind our back", theft, "validation", stolen.read()),
    "write behind our back"() {
      stolen.write(numbers(4));
      expectedEvents += 1;
      theft = 1006;
      note("write behind our back");
    },
    "batch behind our back"() {
      const to = fresh();
      const recorded = gpu.batch((batch) => (batch.copy(stolen, to), batch.read(x())));
      rejects("batch behind our back", theft, "validation", recorded);
    },
    aborted() {
      const reason = { own: true };
      const isIt = (thrown) => note("aborted", thrown !== reason && `rejected with ${thrown}`);
      pending.push(x().read({ signal: AbortSignal.abort(reason) }).then(() => note("aborted", "did not reject"), isIt));
    },
  };

  let made = 0;
  while (made < calls) {
    // So many calls in one task, in some order of good and bad.
    const size = 1 + below(60);
    for (let n = 0; n < size; n++, made++) pick(Object.values(below(3) ? good : bad))();
    const settled = Promise.all(pending).then(() => true);
    const hangs = new Promise((resolve) => setTimeout(resolve, 20_000, false));
    if (!(await Promise.race([settled, hangs]))) {
      wrong.push(`after ${made} calls a promise did not settle`);
      break;
    }
    pending = [];
    // What is recorded before a failure is told can still depend on it.
    if (theft === 1006) await gpu.flush();
    theft = 1005;
    if (wrong.length) break;
  }
  await gpu.flush();
  for (const { data, buffer } of live) {
    const end = await buffer.read();
    if (end.some((value, at) => value !== data[at])) wrong.push("a buffer ended with other contents");
  }
  if (events !== expectedEvents) wrong.push(`${events} events, not ${expectedEvents}`);
  const { state: gpuState } = gpu;
  await gpu.close();
  await stranger.close();
  return { wrong, made, counts, state: gpuState, kinds: Object.keys({ ...good, ...bad }) };
};

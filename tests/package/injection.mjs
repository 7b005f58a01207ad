// Faults that no page can provoke, put between the browser and the package. For `init` of a page test.

/**
 * Gives the page four words.
 *
 * `swap(owner, name, make)`: `make(original)` is the method from now on, until the function it returns is called.
 * `report(className, message)`: a report of a class that the browser has no constructor for.
 * `answerOnce(filter, answer)`: the next scope of this filter answers `answer(itsPromise)`; returns as `swap` does.
 * `prepare(gpu, out)`: every operation by name, on things that were made and judged before.
 */
export function injecting() {
  globalThis.swap = (owner, name, make) => {
    const original = owner[name];
    owner[name] = make(original);
    return () => (owner[name] = original);
  };
  globalThis.report = (className, message) => Object.assign(new { [className]: class {} }[className](), { message });

  globalThis.answerOnce = (wanted, answer) => {
    const open = [];
    let isOver = false;
    const unpush = swap(GPUDevice.prototype, "pushErrorScope", (original) => function (filter) {
      open.push(filter);
      return original.call(this, filter);
    });
    const unpop = swap(GPUDevice.prototype, "popErrorScope", (original) => function () {
      const real = original.call(this);
      if (open.pop() !== wanted || isOver) return real;
      isOver = true;
      real.catch(() => {});
      return answer(real, this);
    });
    return () => (unpop(), unpush());
  };

  const wgsl = `
    @group(0) @binding(0) var<storage, read> x: array<f32>;
    @group(0) @binding(1) var<storage, read_write> y: array<f32>;
    @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) i: vec3u) { y[i.x] = x[i.x] * 2.0; }`;
  let texts = 0;
  globalThis.prepare = async (gpu, out) => {
    const x = gpu.buffer(Float32Array.of(1, 2), { label: "x" });
    const y = gpu.buffer({ dtype: "f32", length: 2 }, { label: "y" });
    const kernel = gpu.kernel(wgsl, { label: "double" });
    const bound = kernel.bind({ x, y });
    await kernel.run({ x, y: out("f32", 2) });
    await y.read();
    return {
      buffer: () => gpu.buffer({ dtype: "f32", length: 4 }, { label: "new" }).ready,
      upload: () => gpu.buffer(Float32Array.of(1, 2), { label: "new" }).ready,
      kernel: () => gpu.kernel(`${wgsl} // ${++texts}`, { label: "new kernel" }).ready,
      dispatch: () => kernel.dispatch({ x, y }, { label: "call" }),
      bound: () => bound.dispatch({ label: "call" }),
      finished: () => kernel.dispatch({ x, y }, { label: "call", timing: true }),
      run: () => kernel.run({ x, y: out("f32", 2) }, { label: "call" }),
      batch: () => gpu.batch((b) => (b.copy(x, y), b.dispatch(kernel, { x, y }), b.read(y)), { label: "call" }),
      copied: () => x.copyTo(y).read(),
      read: () => y.read(),
      readInto: () => y.readInto(new Float32Array(2)),
    };
  };
}

/** What each operation of `prepare` is called in its errors. */
export const operations = {
  buffer: ["upload", "new"],
  upload: ["upload", "new"],
  kernel: ["compile", "new kernel"],
  dispatch: ["dispatch", "call"],
  bound: ["dispatch", "call"],
  finished: ["dispatch", "call"],
  run: ["dispatch", "call"],
  batch: ["dispatch", "call"],
  copied: ["read", "x"],
  read: ["read", "y"],
  readInto: ["read", "y"],
};

/** A device is lost when the test calls `lose(device)`, and not before. */
export function losing() {
  const losses = new WeakMap();
  const lossOf = (device) => {
    if (!losses.has(device)) {
      const loss = {};
      loss.promise = new Promise((resolve) => (loss.resolve = resolve));
      losses.set(device, loss);
    }
    return losses.get(device);
  };
  Object.defineProperty(GPUDevice.prototype, "lost", {
    configurable: true,
    get() {
      return lossOf(this).promise;
    },
  });
  globalThis.lose = (device) => lossOf(device).resolve({ reason: "unknown", message: "the driver was reset" });
}

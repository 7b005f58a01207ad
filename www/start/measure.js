// The numbers of the Start page: small, quick and honest about being one run on a busy machine.

const INCREMENT = `
@group(0) @binding(0) var<storage, read_write> values: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&values)) { values[id.x] += 1u; }
}`;

/**
 * The median wall milliseconds of one awaited dispatch of 64 invocations.
 * @param {import("steadfast-gpu").Gpu} gpu
 */
export async function awaitedDispatchMs(gpu, times = 50) {
  return withIncrement(gpu, async (dispatch) => {
    const taken = [];
    for (let i = 0; i < times; i++) {
      const start = performance.now();
      await dispatch();
      taken.push(performance.now() - start);
    }
    return taken.sort((a, b) => a - b)[times >> 1];
  });
}

/**
 * The wall milliseconds of one dispatch when many are recorded, flushed together and waited for.
 * @param {import("steadfast-gpu").Gpu} gpu
 */
export async function recordedDispatchMs(gpu, times = 1000) {
  return withIncrement(gpu, async (dispatch) => {
    const start = performance.now();
    for (let i = 0; i < times; i++) dispatch();
    await gpu.flush();
    return (performance.now() - start) / times;
  });
}

async function withIncrement(gpu, measured) {
  const kernel = gpu.kernel(INCREMENT, { label: "increment" });
  const values = gpu.buffer(new Uint32Array(64), { label: "increment:values" });
  try {
    const bound = (await kernel.ready).bind({ values });
    await bound.dispatch();
    return await measured(() => bound.dispatch());
  } finally {
    values.destroy();
    kernel.destroy();
  }
}

/** The bytes of the package's files that this page loaded, gzipped one by one as a server would send them. */
export async function packageBytes() {
  const loaded = performance.getEntriesByType("resource").map((entry) => new URL(entry.name));
  const paths = new Set(loaded.map((url) => url.pathname).filter((path) => path.startsWith("/dist/")));
  let size = 0;
  for (const path of paths) {
    const gzipped = (await fetch(path)).body.pipeThrough(new CompressionStream("gzip"));
    size += (await new Response(gzipped).arrayBuffer()).byteLength;
  }
  return size;
}

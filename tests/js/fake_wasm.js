// In place of the wasm glue: notes what it is called with, and fails where a test tells it to.
// `globalThis.fake` is what tests say to it; see fake_gpu.mjs.

class Trap extends WebAssembly.RuntimeError {}

let life;

export class Core {
  calls = [];
  free() {
    this.calls.push(["free"]);
  }
  info = () => ({ vendor: "fake", architecture: "", description: "", isFallbackAdapter: true });
  limits = () => ({ maxBufferSize: 1024 });
  features = () => ["shader-f16"];
  generation = () => 1;
  state = () => "ready";
  memory = () => ({ liveBytes: 8 });
  stats = () => ({ dispatches: 0 });
  buffer_length = () => 2;
  kernel_info = () => ({
    label: "k",
    bindings: ["x", "y"].map((name) => ({ name, space: "storage", access: "read", type: "array<f32>", scalar: "f32" })),
    workgroupSize: [64, 1, 1],
  });
}

let ids = 0;
let reads = 0;
const made = ["buffer", "subarray", "kernel", "elementwise", "shape", "bind"];
const done = [
  ...["write", "read", "read_into", "copy", "fill", "buffer_ready", "destroy_buffer", "kernel_ready", "destroy_kernel"],
  ...[
    "expire_kernel",
    "dispatch",
    "dispatch_bound",
    "destroy_bound",
    "batch_begin",
    "batch_dispatch",
    "batch_end",
  ],
  ...[
    "batch_dispatch_bound",
    "batch_write",
    "batch_copy",
    "batch_read",
    "batch_cancel",
    "flush",
    "cancel",
    "close",
  ],
];
for (const name of [...made, ...done]) {
  Core.prototype[name] = function (...args) {
    if (life.flag[0] !== 0) throw new Error("Module terminated");
    this.calls.push([name, ...args]);
    if (fake.traps.delete(name)) trap();
    if (fake.throws.has(name)) throw fake.throws.get(name);
    if (name === "batch_begin") reads = 0;
    if (name === "batch_read") return reads++;
    return made.includes(name) ? ++ids : undefined;
  };
}

function trap() {
  life.flag[0] = 1;
  throw new Trap("unreachable");
}

function live() {
  const memory = new WebAssembly.Memory({ initial: 1 });
  life = { flag: new Int32Array(memory.buffer), exports: { memory, __instance_terminated: { value: 0 } } };
}

export default async function start_instance(options) {
  if (options) live();
  return life.exports;
}

export function __wbg_reset_state() {
  fake.resets += 1;
  live();
}

export function start(host) {
  fake.host = host;
}

export function acquire(call, gpu, options) {
  fake.acquired = { call, gpu, options };
  if (fake.answers) fake.host.resolve(call, (fake.core = new Core()));
}

export function panic_on_purpose() {
  fake.host.panicked("panicked on\n purpose");
  trap();
}

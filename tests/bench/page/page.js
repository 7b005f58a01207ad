// The page of the benchmark: runs one row at a time when the Node side asks.
import { acquire } from "steadfast-gpu";
import { measureRounds } from "./measure.js";
import { rows } from "./rows.js";

const gpu = await acquire({ label: "bench" });
const complaints = [];
gpu.addEventListener("uncaptured", ({ detail }) => complaints.push(detail.error.message));
gpu.device.addEventListener("uncapturederror", ({ error }) => complaints.push(error.message));

globalThis.bench = {
  rows: rows.map(({ name, against, budget }) => ({ name, against, budget })),
  info: gpu.info,
  wasmBytes: () => gpu.memory().wasmBytes,
  loaded: () => performance.getEntriesByType("resource").map((entry) => new URL(entry.name).pathname),

  /** The samples of one row. */
  async measure(index, rounds) {
    const { prepare, repeat } = rows[index];
    const sides = await prepare(gpu);
    try {
      const settle = () => gpu.device.queue.onSubmittedWorkDone();
      return await measureRounds(sides, { rounds, repeat, settle });
    } finally {
      await sides.destroy();
      if (complaints.length > 0) throw new Error(complaints.join("\n"));
    }
  },
};

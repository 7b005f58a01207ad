/**
 * One comparison. `ours` and `raw` do the same work; `results` reads what each left behind, to be compared once.
 * @typedef {object} Sides
 * @property {() => Promise<unknown>} ours
 * @property {() => Promise<unknown>} raw
 * @property {() => Promise<{ ours: Float32Array, raw: Float32Array }>} results
 * @property {() => unknown} destroy
 */

const WARM_UP_ROUNDS = 2;

/**
 * Times both sides and the raw side once more as control, in rounds of shuffled order.
 * @param {Sides} sides
 * @param {{ rounds: number, repeat: number, settle: () => Promise<unknown> }} options
 *   `repeat`: calls in one sample; `settle`: waits until the device is idle
 * @returns {Promise<{ ours: number[], raw: number[], control: number[] }>} milliseconds of one call, by round
 */
export async function measureRounds(sides, { rounds, repeat, settle }) {
  const work = { ours: sides.ours, raw: sides.raw, control: sides.raw };
  const samples = { ours: [], raw: [], control: [] };
  for (let round = -WARM_UP_ROUNDS; round < rounds; round++) {
    for (const side of shuffled(Object.keys(work))) {
      await settle();
      globalThis.gc?.();
      // Untimed: what the other side did to the browser's transfer memory is not this side's cost.
      await work[side]();
      const start = performance.now();
      for (let i = 0; i < repeat; i++) await work[side]();
      const ms = (performance.now() - start) / repeat;
      if (round >= 0) samples[side].push(ms);
    }
  }
  const { ours, raw } = await sides.results();
  if (ours.length !== raw.length || ours.some((value, i) => value !== raw[i])) {
    throw new Error("Both sides must leave the same values, but they do not.");
  }
  return samples;
}

function shuffled(list) {
  const order = [...list];
  for (let i = order.length - 1; i > 0; i--) {
    const other = Math.floor(Math.random() * (i + 1));
    [order[i], order[other]] = [order[other], order[i]];
  }
  return order;
}

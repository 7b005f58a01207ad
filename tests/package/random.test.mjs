// Random calls, good and bad: every promise settles as foretold. RANDOM_SEED and RANDOM_CALLS repeat or extend a run.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import { pageTest } from "./harness.mjs";

const init = readFileSync(new URL("random_calls.js", import.meta.url), "utf8");
const seed = Number(process.env.RANDOM_SEED ?? Math.floor(Math.random() * 2 ** 32));
const calls = Number(process.env.RANDOM_CALLS ?? 4000);

pageTest("random calls settle as foretold, and the good ones give the right numbers", { init, timeout: 300_000 }, async ({ run }) => {
  console.log(`RANDOM_SEED=${seed}`);
  const { wrong, made, counts, state, kinds } = await run((steadfast, options) => playRandomCalls(steadfast, options), { seed, calls });
  assert.deepEqual(wrong, [], `RANDOM_SEED=${seed}, after ${made} calls`);
  assert.ok(made >= calls);
  assert.equal(state, "ready");
  if (calls >= 4000) for (const kind of kinds) assert.ok(counts[kind] > 0, `${kind} never came`);
});

/**
 * What the samples of one row say.
 * @param {{ ours: number[], raw: number[], control: number[] }} samples milliseconds of one call, by round
 * @param {number} [budget] the largest ratio that is within; the control's noise is allowed on top, as a part of it: how far
 *   its median is from 1, or its half interquartile range over the root of the rounds, whichever is more
 */
export function summaryOf({ ours, raw, control }, budget) {
  const ratios = spread(ours.map((ms, round) => ms / raw[round]));
  const controls = spread(control.map((ms, round) => ms / raw[round]));
  const noise = Math.max(Math.abs(controls.median - 1), (controls.upper - controls.lower) / 2 / Math.sqrt(raw.length));
  return {
    ratio: ratios,
    control: controls,
    ratioOfMedians: spread(ours).median / spread([...raw, ...control]).median,
    noise,
    oursMs: spread(ours).median,
    rawMs: spread([...raw, ...control]).median,
    verdict: budget === undefined ? "" : ratios.median <= budget * (1 + noise) ? "within" : "over",
  };
}

/** Median and quartiles. */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part) => {
    const position = part * (sorted.length - 1);
    const below = Math.floor(position);
    return sorted[below] + (position - below) * ((sorted[below + 1] ?? sorted[below]) - sorted[below]);
  };
  return { lower: at(0.25), median: at(0.5), upper: at(0.75) };
}

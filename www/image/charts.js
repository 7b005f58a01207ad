import { element } from "../site/error_card.js";
import { integer, milliseconds } from "../site/format.js";

const SVG = "http://www.w3.org/2000/svg";

/**
 * Two histograms in one chart: what went in as a grey area, what came out as a line in the accent colour.
 * Pointer and arrow keys read single levels.
 * @param {HTMLElement} chart emptied and filled
 * @param {{ before: Uint32Array, after: Uint32Array }} bins 256 counts each
 */
export function showHistogram(chart, { before, after }) {
  const levels = before.length;
  const most = Math.max(...before, ...after, 1);
  const height = (count) => (100 - (100 * count) / most).toFixed(2);
  const steps = (bins) =>
    Array.from(bins, (count, level) => `L${level} ${height(count)}L${level + 1} ${height(count)}`).join("");

  const svg = drawn("svg", { viewBox: `0 0 ${levels} 100`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const cursor = drawn("path", { class: "cursor", d: "" });
  svg.append(
    drawn("path", { class: "control", d: `M0 100${steps(before)}L${levels} 100Z` }),
    drawn("path", { class: "ours", d: `M0 ${height(after[0])}${steps(after)}` }),
    cursor,
  );

  const reading = element("output", "quiet");
  const labels = element("div", "labels");
  labels.append(
    element("span", "quiet", "before, grey area"),
    element("span", "ours-label", "after the blur, line"),
    reading,
  );
  const axis = element("div", "axis");
  axis.append(
    element("span", "", "0 black"),
    element("span", "", "brightness level"),
    element("span", "", "255 white"),
  );
  const plot = element("div", "plot");
  plot.tabIndex = 0;
  plot.setAttribute("role", "slider");
  plot.setAttribute("aria-label", "Brightness level to read");
  plot.setAttribute("aria-valuemin", "0");
  plot.setAttribute("aria-valuemax", String(levels - 1));
  plot.append(svg, axis);
  chart.replaceChildren(labels, plot);

  const read = (level) => {
    const at = Math.min(Math.max(level, 0), levels - 1);
    const text = `level ${String(at).padStart(3, " ")}: ${integer(before[at])} before, ${integer(after[at])} after`;
    cursor.setAttribute("d", `M${at + 0.5} 0V100`);
    reading.textContent = text;
    plot.setAttribute("aria-valuenow", String(at));
    plot.setAttribute("aria-valuetext", text);
    return at;
  };
  let level = read(after.indexOf(Math.max(...after)));
  plot.addEventListener("pointermove", (event) => {
    const { left, width } = svg.getBoundingClientRect();
    level = read(Math.floor(((event.clientX - left) / width) * levels));
  });
  plot.addEventListener("keydown", (event) => {
    const step = {
      ArrowLeft: -1,
      ArrowDown: -1,
      ArrowRight: 1,
      ArrowUp: 1,
      PageDown: -16,
      PageUp: 16,
      Home: -levels,
      End: levels,
    }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    level = read(level + step);
  });
}

/**
 * Times as bars on one scale: the GPU's in the accent colour, the CPU's in grey, each with its value beside it.
 * @param {HTMLElement} chart emptied and filled
 * @param {readonly { name: string, gpu?: number, kernel?: number, cpu?: number }[]} stages milliseconds: wall, the GPU's own clock, wall
 */
export function showTimes(chart, stages) {
  const sides = [
    { side: "gpu", label: "GPU", style: "bar ours" },
    { side: "kernel", label: "kernel alone", style: "bar ours" },
    { side: "cpu", label: "CPU", style: "bar" },
  ];
  const longest = Math.max(...stages.flatMap(({ gpu = 0, cpu = 0 }) => [gpu, cpu]), Number.MIN_VALUE);
  const bars = element("div", "bars");
  for (const { name, ...times } of stages) {
    for (const { side, label, style } of sides) {
      if (times[side] === undefined) continue;
      const bar = element("div", style);
      bar.style.width = `${(100 * times[side]) / longest}%`;
      bars.append(
        element("span", "stage", `${name}, ${label}`),
        bar,
        element("span", "value", milliseconds(times[side])),
      );
    }
    bars.append(element("div", "gap"));
  }
  chart.replaceChildren(bars);
}

function drawn(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

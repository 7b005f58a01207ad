import { element } from "../site/error_card.js";
import { integer, milliseconds } from "../site/format.js";

const WHAT = { blur: "pixels", edges: "pixels", histogram: "bins" };

/**
 * The comparison of one image job as a table: for each kernel how far GPU and CPU are apart, what is allowed, and both times.
 * @param {Record<string, import("./job.js").Difference>} differences
 * @param {Record<string, number>} gpuMs
 * @param {Record<string, number>} cpuMs
 */
export function verdictTable(differences, gpuMs, cpuMs) {
  const table = element("table", "verdicts");
  const head = table.createTHead().insertRow();
  for (const [title, className] of [
    ["Kernel"],
    ["Largest difference"],
    ["Not equal"],
    ["GPU", "right"],
    ["CPU", "right"],
  ]) {
    const cell = element("th", className, title);
    cell.scope = "col";
    head.append(cell);
  }
  const body = table.createTBody();
  for (const [kernel, difference] of Object.entries(differences)) {
    const { ok, largest, tolerance, differing, compared } = difference;
    const name = element("th", "", kernel);
    name.scope = "row";
    body
      .insertRow()
      .append(
        name,
        labelled("Largest difference", ok ? "kept" : "lost", `${largest}, allowed ${tolerance}`),
        labelled("Not equal", "", `${integer(differing)} of ${integer(compared)} ${WHAT[kernel]}`),
        labelled("GPU", "right", milliseconds(gpuMs[kernel])),
        labelled("CPU", "right", milliseconds(cpuMs[kernel])),
      );
  }
  return table;
}

/** A cell that carries its column's title for narrow screens, where the table becomes a list. */
function labelled(title, className, text) {
  const cell = element("td", className, text);
  cell.dataset.title = title;
  return cell;
}

/** The comparison in a few words: whether all is within what is allowed, and each kernel's largest difference. */
export function verdictSummary(differences) {
  const ok = Object.values(differences).every((difference) => difference.ok);
  const summary = element("div", "difference");
  const facts = element("dl", "values");
  for (const [kernel, { largest, tolerance }] of Object.entries(differences)) {
    facts.append(
      element("dt", "quiet", kernel),
      element("dd", "", `${integer(largest)} apart at most, ${tolerance} allowed`),
    );
  }
  summary.append(
    element("p", ok ? "kept" : "lost", ok ? "GPU and CPU agree." : "GPU and CPU differ by more than allowed."),
    facts,
  );
  return summary;
}

/**
 * One comparison in large: the biggest difference, channel by channel, and how many values are not equal.
 * @param {"blur" | "edges" | "histogram"} kernel
 * @param {import("./job.js").Difference} difference
 */
export function differenceBlock(kernel, { ok, channels, largest, differing, compared, tolerance }) {
  const block = element("div", "difference");
  const unit = kernel === "histogram" ? "pixels in one bin" : "of 255 in one channel";
  const facts = element("dl", "values");
  if (channels.length > 1) {
    ["red", "green", "blue", "alpha"].forEach((name, i) =>
      facts.append(element("dt", "quiet", name), element("dd", "", String(channels[i]))),
    );
  }
  facts.append(
    element("dt", "quiet", "not equal"),
    element("dd", "", `${integer(differing)} of ${integer(compared)} ${WHAT[kernel]}`),
    element("dt", "quiet", "allowed"),
    element("dd", "", tolerance === 0 ? "0, all integers" : `${tolerance}, the square root is f32`),
  );
  block.append(
    element("p", `largest ${ok ? "kept" : "lost"}`, integer(largest)),
    element("p", "small", `largest difference, ${unit}`),
    facts,
  );
  return block;
}

/**
 * The same as lines of text.
 * @returns {string[]}
 */
export function verdictLines(differences, gpuMs, cpuMs) {
  return Object.entries(differences).map(
    ([kernel, { ok, largest, tolerance, differing, compared, channels }]) =>
      `${kernel}: ${ok ? "equal to the CPU twin" : "DIFFERS from the CPU twin"}, largest difference ${largest} ` +
      `(${channels.length > 1 ? `red, green, blue, alpha: ${channels.join(", ")}; ` : ""}allowed ${tolerance}), ` +
      `${integer(differing)} of ${integer(compared)} ${WHAT[kernel]} differ, ` +
      `GPU ${milliseconds(gpuMs[kernel])}, CPU ${milliseconds(cpuMs[kernel])}`,
  );
}

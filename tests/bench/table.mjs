const columns = [
  ["row", 40],
  ["against", 28],
  ["ratio", 7],
  ["quartiles", 13],
  ["control", 8],
  ["budget", 7],
  ["", 7],
  ["ours ms", 9],
  ["raw ms", 9],
];

/** The first lines of the table. */
export function headings() {
  return `${padded(columns.map(([title]) => title))}\n${columns.map(([, width]) => "-".repeat(width)).join(" ")}`;
}

/** One row of the table. */
export function lineOf({ name, against, ratio, control, budget, verdict, oursMs, rawMs }) {
  return padded([
    name,
    against,
    ratio.median.toFixed(3),
    `${ratio.lower.toFixed(2)} to ${ratio.upper.toFixed(2)}`,
    control.median.toFixed(3),
    budget?.toFixed(2) ?? "",
    verdict,
    oursMs.toFixed(3),
    rawMs.toFixed(3),
  ]);
}

/** Text to the left, numbers to the right. */
function padded(cells) {
  return cells.map((cell, i) => (i < 2 ? cell.padEnd(columns[i][1]) : cell.padStart(columns[i][1]))).join(" ");
}

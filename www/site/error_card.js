import { ComputeError } from "steadfast-gpu";

/**
 * An error as an element: its number and name, what is wrong and where, what to do, and the JSON that telemetry would get.
 * Anything that is not a ComputeError is shown by its message.
 * @param {unknown} error
 * @returns {HTMLElement}
 */
export function errorCard(error) {
  const card = element("div", "error");
  if (!ComputeError.is(error)) {
    card.append(element("p", "", error instanceof Error ? error.message : String(error)));
    return card;
  }
  const id = element("div", "id");
  id.append(element("b", "", String(error.stableId)), ` ${error.code}`);
  card.append(id);
  card.append(element("div", "facts", `reason ${error.reason} · operation ${error.operation} · retry ${error.retry}`));
  card.append(element("p", "", error.message));
  if (typeof error.context.snippet === "string") card.append(snippet(error.context));
  card.append(element("p", "", `Fix: ${error.fix}`));
  card.append(json(error));
  return card;
}

function snippet({ line, column, snippet: source }) {
  const gutter = `${line ?? ""} `;
  const view = element("pre", "snippet");
  view.append(element("span", "quiet", gutter), source);
  if (typeof column === "number") {
    const before = source.slice(0, column - 1).replace(/[^\t]/g, " ");
    view.append("\n", element("span", "caret", `${" ".repeat(gutter.length)}${before}^`));
  }
  return view;
}

function json(error) {
  const details = element("details", "");
  details.append(element("summary", "", "As JSON"), element("pre", "", JSON.stringify(error, null, 2)));
  return details;
}

/** A new element with a class and a text. */
export function element(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

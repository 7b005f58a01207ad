import { element, errorCard } from "../site/error_card.js";

/**
 * One code of the catalogue as a row that opens: to its fix, its reasons and its triggers.
 * @param {import("steadfast-gpu").CatalogEntry} entry
 * @param {{ title: string, program: string }[]} triggers
 * @param {string} [absence] why there are none
 */
export function codeRow(entry, triggers, absence) {
  const id = String(entry.stableId);
  const opener = element("button", "opens");
  opener.type = "button";
  opener.setAttribute("aria-controls", `details-${id}`);
  opener.append(element("b", "", id), ` ${entry.code}`);
  const name = element("th");
  name.scope = "row";
  name.append(opener);
  const state = cell("state", "In this page", absence ? "not built yet" : "not triggered");
  const summary = element("tr", "code-row");
  summary.id = id;
  summary.append(name, cell("", "What it means", entry.summary), cell("retry", "Retry", entry.retry), state);

  const details = element("tr", "details");
  details.id = `details-${id}`;
  const views = triggers.map((trigger) => triggerView(id, trigger));
  const body = element("div", "body");
  body.append(factsOf(entry), ...(absence ? [element("p", "quiet", absence)] : views.map(({ section }) => section)));
  const wide = element("td");
  wide.colSpan = 4;
  wide.append(body);
  details.append(wide);

  const setOpen = (isOpen) => {
    details.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
  };
  setOpen(false);
  return {
    elements: [summary, details],
    opener,
    views,
    setOpen,
    isOpen: () => !details.hidden,
    /** Says what the row's triggers came to; `meaning` is one of the three of style/base.css. */
    say: (text, meaning = "") => say(state, text, meaning),
  };
}

/** A program with its button, and the place where what it throws is shown. */
function triggerView(id, { title, program }) {
  const heading = element("h3", "", title);
  const state = element("span", "state", "not run yet");
  state.setAttribute("role", "status");
  const button = element("button", "primary", `Trigger ${id}`);
  button.type = "button";
  const header = element("header");
  header.append(heading, state, button);
  const code = element("pre", "code", program);
  code.tabIndex = 0;
  code.setAttribute("aria-label", `Program: ${title}`);
  const output = element("div", "output");
  output.setAttribute("aria-live", "polite");
  output.append(element("span", "waiting", "What it throws appears here."));
  const section = element("section", "panel trigger");
  section.setAttribute("aria-label", title);
  section.append(header, code, output);

  return {
    section,
    button,
    say: (text, meaning = "") => say(state, text, meaning),
    /** Shows elements as they are, and anything else as the error it is. */
    show(...shown) {
      output.replaceChildren(...shown.map((part) => (part instanceof Element ? part : openCard(part))));
    },
  };
}

/** The card of an error, its JSON in sight. */
function openCard(error) {
  const card = errorCard(error);
  const json = card.querySelector("details");
  if (json) json.open = true;
  return card;
}

function factsOf({ fix, reasons }) {
  const list = element("ul", "reasons");
  for (const reason of reasons) list.append(element("li", "", reason));
  const within = element("dd");
  within.append(list);
  const facts = element("dl", "meaning");
  facts.append(element("dt", "", "What to do"), element("dd", "", fix), element("dt", "", "Reasons"), within);
  return facts;
}

function cell(className, title, text) {
  const made = element("td", className);
  made.dataset.title = title;
  made.append(element("span", "", text));
  return made;
}

function say(state, text, meaning) {
  (state.firstElementChild ?? state).textContent = text;
  state.dataset.meaning = meaning;
}

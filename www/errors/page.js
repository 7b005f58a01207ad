import { ComputeError, errorCatalog } from "steadfast-gpu";
import { openGpu } from "../site/device.js";
import { element } from "../site/error_card.js";
import { milliseconds } from "../site/format.js";
import { runProgram } from "../site/program.js";
import { codeRow } from "./row.js";
import { absent, triggers } from "./triggers.js";

const byId = (id) => document.getElementById(id);

const rows = new Map(
  errorCatalog.map((entry) => [
    String(entry.stableId),
    codeRow(entry, triggers[entry.stableId] ?? [], absent[entry.stableId]),
  ]),
);
const told = new Set();
/** What can be triggered here, each as a function that does it. */
const possible = [];
/** A panic ends every Gpu of the page, so one program runs at a time. */
let running = false;

byId("codes").append(...[...rows.values()].flatMap(({ elements }) => elements));
for (const [id, row] of rows) row.opener.addEventListener("click", () => toggle(id, row));
addEventListener("hashchange", openLinked);
openLinked();

const hasDevice = await openGpu().then(
  (gpu) => gpu.close().then(() => true),
  () => false,
);
for (const [id, row] of rows) row.views.forEach((view, i) => prepare(id, row, view, i));
if (!hasDevice) await showRecorded();
const all = byId("trigger-all");
all.textContent = hasDevice ? "Trigger all" : "Trigger what needs no device";
all.disabled = false;
all.addEventListener("click", () => exclusively(async () => {
  for (const trigger of possible) await trigger();
}));

function prepare(id, row, view, i) {
  const { program, anywhere } = triggers[id][i];
  if (!hasDevice && !anywhere) {
    view.button.hidden = true;
    return;
  }
  const trigger = () => run(id, row, view, program);
  possible.push(trigger);
  view.button.addEventListener("click", () => exclusively(trigger));
}

/** Runs `work` unless something else runs. The buttons stay in the page's focus order meanwhile, and say so. */
async function exclusively(work) {
  if (running) return;
  running = true;
  markButtons();
  try {
    await work();
  } finally {
    running = false;
    markButtons();
  }
}

function markButtons() {
  for (const button of document.querySelectorAll(".trigger button, #trigger-all")) {
    button.setAttribute("aria-disabled", String(running));
  }
}

async function run(id, row, view, program) {
  row.say("running");
  view.say("running");
  view.show(element("span", "waiting", "Running."));
  const { ms, thrown } = await runProgram(program, () => {});
  const time = milliseconds(ms);
  const given = ComputeError.is(thrown) ? String(thrown.stableId) : undefined;
  if (given === id) {
    told.add(id);
    row.say(`told after ${time}`, "told");
    view.say(`threw after ${time}`);
  } else {
    const instead = given ?? (thrown === undefined ? "no error" : "another error");
    row.say(`gave ${instead}`, "lost");
    view.say(`gave ${instead} here, not ${id}`, "lost");
  }
  view.show(thrown ?? element("p", "body", "The program ended without an error."));
  const wanted = Object.keys(triggers).length;
  byId("codes-state").textContent = `${told.size} of ${wanted} triggered in this page`;
}

/** What a visitor without a device sees in the place of an error of this page. */
async function showRecorded() {
  const { recorded } = await import("./recorded.js");
  byId("codes-state").textContent = "recorded";
  byId("codes-note").textContent = recorded.where;
  byId("codes-note").hidden = false;
  for (const [id, errors] of Object.entries(recorded.errors)) {
    const row = rows.get(id);
    row.say("recorded");
    errors.forEach((error, i) => {
      row.views[i].say("recorded");
      row.views[i].show(ComputeError.revive(error));
    });
  }
}

function toggle(id, row) {
  const isOpen = !row.isOpen();
  row.setOpen(isOpen);
  // The address of an open row is its link.
  history.replaceState(null, "", isOpen ? `#${id}` : location.pathname + location.search);
}

/** Opens the row that the address names. */
function openLinked() {
  const row = rows.get(location.hash.slice(1));
  if (!row) return;
  row.setOpen(true);
  row.elements[0].scrollIntoView();
}

import { ComputeError } from "steadfast-gpu";
import { openGpu } from "../site/device.js";
import { element, errorCard } from "../site/error_card.js";
import { milliseconds, typedArray } from "../site/format.js";
import { fillArguments, numbers, readArguments, showArguments } from "./arguments.js";
import { editor } from "./editor.js";
import { examples } from "./examples.js";

const TYPING_PAUSE_MS = 300;
const LONGEST_MS = 10_000;

const byId = (id) => document.getElementById(id);
const source = byId("wgsl");
const text = editor({ textarea: source, lines: byId("lines"), marks: byId("marks") });

let gpu;
/** The last text that compiled, with its kernel. */
let compiled;
let compiling;
let running = false;

listen();
source.value = examples[0].wgsl;
text.draw();
try {
  gpu = await openGpu();
} catch {
  byId("compile-state").textContent = "needs a device";
  byId("result-state").textContent = "needs a device";
}
if (gpu) await useExample(examples[0]);

/** The kernel of what is in the box now; undefined when it does not compile, or when the text has changed meanwhile. */
async function compile() {
  const wgsl = source.value;
  if (compiled?.wgsl === wgsl) return compiled.kernel;
  const mine = (compiling = Symbol("compile"));
  byId("compile-state").textContent = "compiling";
  const start = performance.now();
  let kernel;
  try {
    kernel = gpu.kernel(wgsl, { label: "your kernel", timeoutMs: LONGEST_MS });
    showBindings(kernel);
    await kernel.ready;
  } catch (error) {
    kernel?.destroy();
    if (compiling === mine) showCompileError(error);
    return undefined;
  }
  if (compiling !== mine) {
    kernel.destroy();
    return undefined;
  }
  compiled?.kernel.destroy();
  compiled = { wgsl, kernel };
  text.draw();
  byId("compile-state").textContent = `compiled in ${milliseconds(performance.now() - start)}`;
  clearResult();
  return kernel;
}

function showBindings({ bindings, workgroupSize }) {
  showArguments(byId("arguments"), bindings);
  byId("workgroup-size").textContent = `workgroup ${workgroupSize.join(" × ")}`;
}

function showCompileError(error) {
  byId("compile-state").textContent = "does not compile";
  showError(error);
}

async function run() {
  if (running) return;
  running = true;
  byId("run-button").disabled = true;
  try {
    const kernel = await compile();
    if (kernel) await runKernel(kernel);
  } catch (error) {
    showError(error);
    if (ComputeError.is(error) && error.code === "ExecutionAborted") await replaceGpu();
  }
  byId("run-button").disabled = false;
  running = false;
}

/** A kernel that did not end keeps its device busy: leaves it behind and takes another one. */
async function replaceGpu() {
  compiled = undefined;
  gpu.close().catch(() => {});
  gpu = await openGpu();
  byId("compile-state").textContent = "on another device now";
}

async function runKernel(kernel) {
  byId("result-state").textContent = "running";
  const args = readArguments(byId("arguments"));
  const workgroups = numbers("workgroups", byId("workgroups").value);
  const options = { timeoutMs: LONGEST_MS, ...(workgroups.length > 0 && { workgroups }) };
  const start = performance.now();
  const { info, ...outputs } = await kernel.run(args, options);
  byId("result-state").textContent = `done in ${milliseconds(performance.now() - start)}`;
  showOutputs(outputs);
}

function showOutputs(outputs) {
  const list = element("dl", "body values");
  for (const [name, values] of Object.entries(outputs))
    list.append(element("dt", "", name), element("dd", "", typedArray(values)));
  if (list.childElementCount === 0)
    list.append(element("dd", "quiet", "The kernel has no output, so there is nothing to read."));
  byId("result").replaceChildren(list);
}

function showError(error) {
  byId("result-state").textContent = "failed";
  const card = errorCard(error);
  const place = ComputeError.is(error) && typeof error.context.line === "number" ? error.context : undefined;
  if (place) {
    text.mark(place);
    const go = element("button", "goto", `Go to line ${place.line}, column ${place.column ?? 1}`);
    go.type = "button";
    go.addEventListener("click", () => text.goTo(place));
    card.append(go);
  }
  byId("result").replaceChildren(card);
}

function clearResult() {
  byId("result-state").textContent = "ready to run";
  byId("result").replaceChildren(
    element("p", "body quiet small", "What the kernel writes, or what went wrong, appears here."),
  );
  byId("run-button").disabled = false;
}

async function useExample({ wgsl, values, inPlace, workgroups = "" }) {
  source.value = wgsl;
  text.draw();
  byId("workgroups").value = workgroups;
  const kernel = compile();
  fillArguments(byId("arguments"), values, inPlace);
  if (await kernel) await run();
}

function listen() {
  const select = byId("example");
  for (const group of new Set(examples.map((example) => example.group))) {
    const options = element("optgroup");
    options.label = group;
    examples.forEach(({ group: own, title }, i) => own === group && options.append(new Option(title, String(i))));
    select.append(options);
  }
  select.addEventListener("change", () => gpu && useExample(examples[Number(select.value)]));
  let pause;
  source.addEventListener("input", () => {
    text.draw();
    clearTimeout(pause);
    if (gpu) pause = setTimeout(compile, TYPING_PAUSE_MS);
  });
  source.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !gpu) return;
    event.preventDefault();
    clearTimeout(pause);
    run();
  });
  byId("run").addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(pause);
    run();
  });
}

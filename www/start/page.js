import { ComputeError } from "steadfast-gpu";
import { compareResults, filterOnCpu, filterOnGpu, imageKernels } from "../image/job.js";
import { paint, pictureOf } from "../image/picture.js";
import { drawSample } from "../image/sample.js";
import { verdictLines, verdictTable } from "../image/verdict.js";
import { adapterName, isSoftware, openGpu } from "../site/device.js";
import { element, errorCard } from "../site/error_card.js";
import { integer, microseconds, milliseconds } from "../site/format.js";
import { awaitedDispatchMs, packageBytes, recordedDispatchMs } from "./measure.js";
import { runProgram } from "../site/program.js";

const RADIUS = 6;
const byId = (id) => document.getElementById(id);

for (const button of document.querySelectorAll("[data-runs]")) {
  button.addEventListener("click", () => showProgram(button.dataset.runs));
}
for (const button of document.querySelectorAll("[data-copies]")) {
  button.addEventListener("click", async () => {
    const text = byId(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected";
    }
  });
}

const sample = pictureOf(drawSample(), "sample");
byId("job-size").textContent = `${sample.width} × ${sample.height}`;
await show("job-source", sample);

const opened = performance.now();
let gpu;
let kernels;
try {
  gpu = await openGpu();
} catch (error) {
  await showWithoutDevice(error);
}
if (gpu) {
  setNumber("acquire", milliseconds(performance.now() - opened));
  if (isSoftware(gpu.info)) byId("numbers-note").append(" The adapter is software: they say nothing about a GPU.");
  await showProgram("program", (ms) => setNumber("first", milliseconds(ms)));
  await showProgram("mistake");
  await showNumbers();
  byId("job-run").addEventListener("click", showJob);
  await showJob();
}

async function showProgram(name, onDone = () => {}) {
  const [output, state, button] = [
    byId(`${name}-output`),
    byId(`${name}-state`),
    document.querySelector(`[data-runs=${name}]`),
  ];
  button.disabled = true;
  state.textContent = "running";
  const lines = [];
  const { ms, thrown } = await runProgram(byId(name).textContent, (line) => lines.push(line));
  output.replaceChildren(...lines, ...(thrown ? [errorCard(thrown)] : []));
  state.textContent = `${thrown ? "threw after" : "done in"} ${milliseconds(ms)}`;
  button.disabled = false;
  if (!thrown) onDone(ms);
}

async function showNumbers() {
  try {
    setNumber("awaited", microseconds(await awaitedDispatchMs(gpu)));
    setNumber("recorded", microseconds(await recordedDispatchMs(gpu)));
    setNumber("package", await packageSize());
    setNumber("wasm", `${(gpu.memory().wasmBytes / 1e6).toFixed(2)} MB`);
  } catch (error) {
    byId("numbers-note").replaceChildren(errorCard(error));
  }
}

async function packageSize() {
  return `${((await packageBytes()) / 1000).toFixed(1)} KB`;
}

function setNumber(name, text) {
  const cell = byId(`number-${name}`);
  cell.textContent = text;
  cell.classList.remove("waiting");
}

async function showJob() {
  const [state, progress, button, result] = ["state", "progress", "run", "result"].map((name) => byId(`job-${name}`));
  const steps = ["compile", "upload", "blur", "edges", "histogram", "read back", "CPU twin", "compare"];
  const reached = (name, part = 0) => {
    state.textContent = name;
    progress.value = (steps.indexOf(name) + part) / steps.length;
  };
  button.disabled = true;
  progress.hidden = false;
  try {
    reached("compile");
    kernels ??= await imageKernels(gpu);
    const onGpu = await filterOnGpu(gpu, kernels, sample, { radius: RADIUS, onStage: reached });
    byId("job-blur-ms").textContent = milliseconds(onGpu.ms.blur);
    byId("job-edges-ms").textContent = milliseconds(onGpu.ms.edges);
    await show("job-blurred", { ...sample, pixels: onGpu.blurred });
    await show("job-edges", { ...sample, pixels: onGpu.edges });
    const onCpu = await filterOnCpu(sample, { radius: RADIUS, onStage: () => reached("CPU twin") });
    reached("compare");
    const differences = compareResults(onGpu, onCpu);
    const ok = Object.values(differences).every((difference) => difference.ok);
    result.replaceChildren(verdictTable(differences, onGpu.ms, onCpu.ms));
    state.textContent = ok ? "equal to the CPU twin" : "differs from the CPU twin";
    window.demoResult = { ok, lines: resultLines(differences, onGpu, onCpu) };
  } catch (error) {
    result.replaceChildren(errorCard(error));
    state.textContent = "failed";
    window.demoResult = { ok: false, lines: failureLines(error) };
  }
  progress.hidden = true;
  button.disabled = false;
}

function resultLines(differences, onGpu, onCpu) {
  return [
    `device: ${adapterName(gpu.info)}`,
    `program: ${byId("program-output").textContent}`,
    `picture: ${sample.width} x ${sample.height}, ${integer(sample.pixels.length)} pixels, drawn by the page; blur radius ${RADIUS}`,
    ...verdictLines(differences, onGpu.ms, onCpu.ms),
    `moved: upload ${milliseconds(onGpu.ms.upload)}, read back ${milliseconds(onGpu.ms["read back"])}`,
  ];
}

function failureLines(error) {
  return [ComputeError.is(error) ? JSON.stringify(error) : String(error)];
}

/** What a visitor without WebGPU sees instead of live results: the same panels, each saying why it is empty. */
async function showWithoutDevice(error) {
  const { recorded } = await import("./recorded.js");
  for (const name of ["program", "mistake"]) {
    document.querySelector(`[data-runs=${name}]`).hidden = true;
    byId(`${name}-state`).textContent = "recorded";
    byId(`${name}-output`).replaceChildren(
      name === "program" ? recorded.program : errorCard(ComputeError.revive(recorded.mistake)),
    );
  }
  for (const [name, text] of Object.entries(recorded.numbers)) setNumber(name, text);
  byId("numbers-title").textContent = "Recorded, not measured here";
  byId("numbers-note").textContent = `${recorded.where} The package is measured here.`;
  setNumber("package", await packageSize());
  byId("job-run").hidden = true;
  byId("job-progress").hidden = true;
  byId("job-state").textContent = "CPU twin only";
  const onCpu = await filterOnCpu(sample, { radius: RADIUS });
  await show("job-blurred", { ...sample, pixels: onCpu.blurred });
  await show("job-edges", { ...sample, pixels: onCpu.edges });
  byId("job-blurred-title").textContent = "Blurred on the CPU";
  byId("job-blur-ms").textContent = milliseconds(onCpu.ms.blur);
  byId("job-edges-ms").textContent = milliseconds(onCpu.ms.edges);
  byId("job-result").replaceChildren(element("p", "quiet small", "Without a device there is nothing to compare with."));
  window.demoResult = { ok: false, lines: failureLines(error) };
}

async function show(id, picture) {
  const canvas = byId(id);
  await paint(canvas, picture, 720);
  canvas.dataset.painted = "";
}

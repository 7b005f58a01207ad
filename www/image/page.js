import { isSoftware, openGpu } from "../site/device.js";
import { element, errorCard } from "../site/error_card.js";
import { bytes, integer, milliseconds } from "../site/format.js";
import { showHistogram, showTimes } from "./charts.js";
import { compareResults, filterOnCpu, filterOnGpu, imageKernels } from "./job.js";
import { paint, pictureOf, pictureOfFile } from "./picture.js";
import { drawSample } from "./sample.js";
import { differenceBlock, verdictLines, verdictSummary } from "./verdict.js";

const KERNELS = ["blur", "edges", "histogram"];
const STEPS = [
  "compile",
  "upload",
  "blur",
  "edges",
  "histogram",
  "read back",
  "CPU blur",
  "CPU edges",
  "CPU histogram",
  "compare",
];

/** Why a job ends when another one takes its place. */
const SUPERSEDED = Symbol("superseded");

const byId = (id) => document.getElementById(id);
const radius = byId("radius");

let gpu;
let kernels;
let picture = pictureOf(drawSample(), "sample, drawn by this page");
let running;

await showPicture();
try {
  gpu = await openGpu();
} catch {
  byId("times-note").prepend("Without a device only the CPU twin runs. ");
}
if (gpu && isSoftware(gpu.info)) {
  byId("times-note").append(" This adapter is software: its times say nothing about a GPU.");
}
listen();
await run();

/** Ends what is under way, silently, and gives the signal of what comes now. */
function begin() {
  running?.abort(SUPERSEDED);
  running = new AbortController();
  return running.signal;
}

/** Starts the job anew. */
async function run() {
  const signal = begin();
  const options = { radius: Number(radius.value), signal };
  const job = picture;
  setBusy(true);
  for (const kernel of KERNELS) byId(`${kernel}-state`).textContent = "waiting";
  try {
    const onGpu = gpu && (await runOnGpu(job, options));
    const onCpu = await runOnCpu(job, options);
    if (onGpu) showComparison(onGpu, onCpu);
    else showCpuOnly(onCpu);
    showTimes(byId("times-chart"), times(onGpu, onCpu));
    byId("times-state").textContent = "done";
    reached("done", 1);
  } catch (error) {
    if (signal.reason === SUPERSEDED) return;
    showFailure(signal.aborted ? "stopped" : "failed", error);
  }
  setBusy(false);
}

async function runOnGpu(job, options) {
  reached("compile");
  kernels ??= await imageKernels(gpu);
  const onGpu = await filterOnGpu(gpu, kernels, job, { ...options, onStage: reached });
  options.signal.throwIfAborted();
  await show("gpu-blurred", { ...job, pixels: onGpu.blurred });
  await show("gpu-edges", { ...job, pixels: onGpu.edges });
  for (const kernel of ["blur", "edges"]) byId(`gpu-${kernel}-ms`).textContent = milliseconds(onGpu.ms[kernel]);
  showHistogram(byId("histogram-chart"), { before: onGpu.sourceBins, after: onGpu.blurredBins });
  for (const kernel of KERNELS) byId(`${kernel}-state`).textContent = "waiting for the CPU";
  return onGpu;
}

async function runOnCpu(job, options) {
  const onCpu = await filterOnCpu(job, { ...options, onStage: (name, part) => reached(`CPU ${name}`, part) });
  options.signal.throwIfAborted();
  await show("cpu-blurred", { ...job, pixels: onCpu.blurred });
  await show("cpu-edges", { ...job, pixels: onCpu.edges });
  for (const kernel of ["blur", "edges"]) byId(`cpu-${kernel}-ms`).textContent = milliseconds(onCpu.ms[kernel]);
  return onCpu;
}

function showComparison(onGpu, onCpu) {
  reached("compare");
  const differences = compareResults(onGpu, onCpu);
  for (const kernel of KERNELS) {
    byId(`${kernel}-difference`).replaceChildren(differenceBlock(kernel, differences[kernel]));
    byId(`${kernel}-state`).textContent = differences[kernel].ok
      ? "equal to the CPU twin"
      : "differs from the CPU twin";
  }
  const ok = KERNELS.every((kernel) => differences[kernel].ok);
  byId("summary").replaceChildren(verdictSummary(differences));
  window.demoResult = { ok, lines: verdictLines(differences, onGpu.ms, onCpu.ms) };
}

function showCpuOnly(onCpu) {
  showHistogram(byId("histogram-chart"), { before: onCpu.sourceBins, after: onCpu.blurredBins });
  for (const kernel of KERNELS) {
    byId(`${kernel}-state`).textContent = "CPU only";
    if (kernel !== "histogram") byId(`gpu-${kernel}-ms`).textContent = "needs a device";
    byId(`${kernel}-difference`).replaceChildren(
      element("p", "quiet small", "There is no GPU result to compare with."),
    );
  }
  byId("summary").replaceChildren(element("p", "quiet small", "Only the CPU twin ran: this page has no device."));
  window.demoResult = { ok: false, lines: ["no device: only the CPU twin ran"] };
}

function showFailure(state, error) {
  byId("picture-state").textContent = state;
  for (const kernel of KERNELS) byId(`${kernel}-state`).textContent = state;
  byId("times-state").textContent = state;
  const told =
    state === "stopped" ? element("p", "quiet small", "Stopped before all results were there.") : errorCard(error);
  byId("summary").replaceChildren(told);
  window.demoResult = { ok: false, lines: [state, String(error)] };
}

function times(onGpu, onCpu) {
  const stages = KERNELS.map((name) => ({
    name,
    gpu: onGpu?.ms[name],
    kernel: onGpu?.kernelMs[name],
    cpu: onCpu.ms[name],
  }));
  if (!onGpu) return stages;
  const total = (ms) => Object.values(ms).reduce((sum, value) => sum + value, 0);
  return [
    { name: "upload", gpu: onGpu.ms.upload },
    ...stages,
    { name: "read back", gpu: onGpu.ms["read back"] },
    { name: "all", gpu: total(onGpu.ms), cpu: total(onCpu.ms) },
  ];
}

function reached(name, part = 0) {
  byId("picture-state").textContent = name;
  byId("progress").value = name === "done" ? 1 : (STEPS.indexOf(name) + part) / STEPS.length;
}

function setBusy(busy) {
  byId("run").disabled = busy;
  byId("stop").disabled = !busy;
  byId("times-state").textContent = busy ? "measuring" : byId("times-state").textContent;
}

async function showPicture() {
  await show("source", picture);
  byId("picture-name").textContent = picture.name;
  byId("picture-size").textContent =
    `${integer(picture.width)} × ${integer(picture.height)}, ${bytes(picture.pixels.byteLength)}`;
  byId("picture-note").textContent = picture.note ?? "";
}

async function show(id, shown) {
  const canvas = byId(id);
  await paint(canvas, shown);
  canvas.dataset.painted = "";
}

async function take(file) {
  const signal = begin();
  byId("picture-state").textContent = `reading ${file.name}`;
  try {
    const taken = await pictureOfFile(file, gpu?.limits);
    if (signal.aborted) return;
    picture = taken;
  } catch (error) {
    if (signal.aborted) return;
    showFailure("failed", error);
    setBusy(false);
    return;
  }
  await showPicture();
  await run();
}

function listen() {
  byId("run").addEventListener("click", run);
  byId("stop").addEventListener("click", () => running.abort());
  byId("file").addEventListener("change", ({ target }) => target.files.length > 0 && take(target.files[0]));
  byId("sample").addEventListener("click", async () => {
    begin();
    picture = pictureOf(drawSample(), "sample, drawn by this page");
    await showPicture();
    await run();
  });
  radius.addEventListener("input", () => (byId("radius-value").textContent = `${radius.value} pixels`));
  radius.addEventListener("change", run);
  document.addEventListener(
    "paste",
    ({ clipboardData }) => clipboardData.files.length > 0 && take(clipboardData.files[0]),
  );
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    byId("picture").dataset.over = "";
  });
  document.addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) delete byId("picture").dataset.over;
  });
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    delete byId("picture").dataset.over;
    if (event.dataTransfer.files.length > 0) take(event.dataTransfer.files[0]);
  });
}

// What the demo computes and tells, in a real page on the packed tarball.

import assert from "node:assert/strict";
import { test } from "node:test";

import { blurRows, gaussianWeights } from "../../www/image/kernels/blur.js";
import { edgeRows } from "../../www/image/kernels/edges.js";
import { countLevels } from "../../www/image/kernels/histogram.js";
import { fittingSize } from "../../www/image/picture.js";
import { recorded } from "../../www/start/recorded.js";
import { demoResult, demoTest, finished, textOf } from "./demo_page.mjs";
import { encodePng } from "./png.mjs";

demoTest(
  "the start page runs its program, its mistake and the image job, and all numbers arrive",
  "/",
  async ({ page }) => {
    const { ok, lines } = await demoResult(page);
    assert.ok(ok, lines.join("\n"));
    assert.match(lines.join("\n"), /^blur: equal to the CPU twin, largest difference 0 .* 0 of 614,400 pixels differ/m);
    assert.match(lines.join("\n"), /^edges: equal to the CPU twin/m);
    assert.match(lines.join("\n"), /^histogram: equal to the CPU twin, largest difference 0 /m);

    assert.equal(await textOf(page, "#program-output"), "Float32Array [2, 4, 6]");
    assert.equal(await textOf(page, "#mistake-output .id"), "1004 KernelCompileFailed");
    assert.match(await textOf(page, "#mistake-output"), /two/);
    const numbers = await page.locator(".numbers dd").allInnerTexts();
    numbers.forEach((number) => assert.match(number, /^[\d.,]+ (ms|µs|KB|MB)$/));
  },
);

demoTest("what is recorded for visitors without WebGPU is what a live run gives", "/", async ({ page }) => {
  assert.equal(await textOf(page, "#program-output"), recorded.program);
  // The browser's own words may change from version to version.
  const withoutWords = ({ message, context: { problem, ...context }, ...rest }) => ({ ...rest, context });
  const mistake = JSON.parse(await page.locator("#mistake-output details pre").textContent());
  assert.deepEqual(withoutWords(mistake), withoutWords(recorded.mistake));
  const shown = await page.locator(".numbers dd").evaluateAll((cells) => cells.map((cell) => cell.id));
  for (const name of Object.keys(recorded.numbers)) assert.ok(shown.includes(`number-${name}`), name);
});

for (const [width, height] of [
  [1, 1],
  [1, 50],
  [67, 45],
  [256, 17],
]) {
  demoTest(`the image kernels equal their twins on ${width} x ${height} noise`, "/wgsl.html", async ({ page }) => {
    const radius = 3;
    const rgba = noise(width * height * 4);
    const onGpu = await page.evaluate(
      async ([size, bytes, radius]) => {
        const { acquire } = await import("steadfast-gpu");
        const { filterOnGpu, imageKernels } = await import("/image/job.js");
        const gpu = await acquire();
        const picture = { width: size[0], height: size[1], pixels: new Uint32Array(Uint8Array.from(bytes).buffer) };
        const { blurred, edges, sourceBins, blurredBins } = await filterOnGpu(gpu, await imageKernels(gpu), picture, {
          radius,
        });
        await gpu.close();
        return [blurred, edges, sourceBins, blurredBins].map((array) => Array.from(new Uint8Array(array.buffer)));
      },
      [[width, height], Array.from(rgba), radius],
    );
    const expected = filterInNode(rgba, [width, height], radius);
    assert.deepEqual(
      onGpu,
      expected.map((array) => Array.from(new Uint8Array(array.buffer))),
    );
  });
}

demoTest("a picked image goes through the job and is named with its size", "/image.html", async ({ page }) => {
  await pick(page, {
    name: "noise.png",
    mimeType: "image/png",
    buffer: encodePng(301, 203, opaque(noise(301 * 203 * 4))),
  });
  const { ok, lines } = await demoResult(page);
  assert.ok(ok, lines.join("\n"));
  assert.match(lines[0], /of 61,103 pixels differ/);
  assert.equal(await textOf(page, "#picture-name"), "noise.png");
  assert.equal(await textOf(page, "#picture-size"), "301 × 203, 239 KiB");
  for (const kernel of ["blur", "edges", "histogram"]) {
    assert.equal(await textOf(page, `#${kernel}-state`), "equal to the CPU twin");
    assert.equal(await textOf(page, `#${kernel}-difference .largest`), "0");
  }
});

demoTest("a blur that takes several dispatches equals its twin", "/image.html", async ({ page }) => {
  await page.locator("#radius").fill("24");
  await pick(page, { name: "wide.png", mimeType: "image/png", buffer: encodePng(1400, 1203, noise(1400 * 1203 * 4)) });
  const { ok, lines } = await demoResult(page);
  assert.ok(ok, lines.join("\n"));
  assert.match(lines[0], /of 1,684,200 pixels differ/);
});

demoTest("a file that is no image is refused by name, and the next image works", "/image.html", async ({ page }) => {
  await pick(page, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("not a picture") });
  assert.match(await textOf(page, "#summary"), /notes\.txt is not an image that this browser can decode/);
  await pick(page, { name: "dot.png", mimeType: "image/png", buffer: encodePng(1, 1, new Uint8Array([9, 8, 7, 255])) });
  assert.ok((await demoResult(page)).ok);
});

demoTest("the job stops when it is told to, and runs again afterwards", "/image.html", async ({ page }) => {
  await page.evaluate(() => delete window.demoResult);
  await page.locator("#run").click();
  await page.locator("#stop").click();
  await page.waitForFunction(() => window.demoResult);
  assert.deepEqual(await demoResult(page).then(({ ok, lines }) => [ok, lines[0]]), [false, "stopped"]);
  assert.match(await textOf(page, "#summary"), /Stopped/);
  await page.evaluate(() => delete window.demoResult);
  await page.locator("#run").click();
  await page.waitForFunction(() => window.demoResult);
  assert.ok((await demoResult(page)).ok);
});

demoTest("the histogram is read by keyboard", "/image.html", async ({ page }) => {
  const plot = page.locator("#histogram-chart [role=slider]");
  await plot.focus();
  await page.keyboard.press("Home");
  assert.equal(await plot.getAttribute("aria-valuenow"), "0");
  await page.keyboard.press("ArrowRight");
  assert.match(await textOf(page, "#histogram-chart output"), /^level\s+1: [\d,]+ before, [\d,]+ after$/);
  await page.keyboard.press("End");
  assert.equal(await plot.getAttribute("aria-valuenow"), "255");
});

test("a picture is sized down only when a limit of the device demands it, and says which", () => {
  const limits = { maxBufferSize: 2 ** 30, maxStorageBufferBindingSize: 2 ** 27 };
  assert.deepEqual(fittingSize(4000, 3000, limits), { width: 4000, height: 3000 });
  const { width, height, limit } = fittingSize(16000, 12000, limits);
  assert.equal(limit, "maxStorageBufferBindingSize");
  assert.ok(width * height * 4 <= 2 ** 27 && width * height * 4 > 0.99 * 2 ** 27, `${width} x ${height}`);
  assert.ok(Math.abs(width / height - 4 / 3) < 0.001, `${width} x ${height}`);
});

demoTest(
  "the box compiles while one types, marks the place of an error, and runs when it is right",
  "/wgsl.html",
  async ({ page }) => {
    assert.equal(await textOf(page, "#result"), "y\nFloat32Array [1, 1.4142135, 2, 3, 4]");

    const source = page.locator("#wgsl");
    const right = await source.inputValue();
    await source.fill(right.replace("sqrt(x[i])", "sqrt(x[j])"));
    await page.locator("#result .error").waitFor();
    assert.equal(await textOf(page, "#result .id"), "1004 KernelCompileFailed");
    assert.equal(await textOf(page, "#lines [data-told]"), "8");
    assert.equal(await page.locator("#marks mark").textContent(), "j");
    const json = JSON.parse(await page.locator("#result details pre").textContent());
    assert.deepEqual(
      [json.code, json.reason, json.context.line, json.context.column],
      ["KernelCompileFailed", "wgsl", 8, 19],
    );

    await page.locator("#result .goto").click();
    assert.equal(await source.evaluate((area) => area.value.slice(area.selectionStart, area.selectionEnd)), "j");
    await page.keyboard.type("i");
    await page.locator("#argument-x").fill("0..3");
    await page.locator("#argument-y").fill("4");
    await source.press("Control+Enter");
    await page.waitForFunction(finished["/wgsl.html"]);
    assert.equal(await textOf(page, "#result"), "y\nFloat32Array [0, 1, 1.4142135, 1.7320508]");
    assert.equal(await page.locator("#lines [data-told]").count(), 0);
  },
);

for (const [title, output] of [
  ["A line, with a struct as uniform", /^x\nFloat32Array \[0\.5, 2\.5, 4\.5, .* 30\.5\]$/],
  ["Dice, counted with atomics", /^seen\nUint32Array \[2, 1, 1, 3, 1, 4\]$/],
]) {
  demoTest(`the box runs “${title}”`, "/wgsl.html", async ({ page }) => {
    await chooseExample(page, title);
    await page.waitForFunction(finished["/wgsl.html"]);
    assert.match(await textOf(page, "#result"), output);
  });
}

for (const [title, id, reason] of [
  ["A misspelt name", 1004, "wgsl"],
  ["A type that does not fit", 1004, "wgsl"],
  ["An argument left out", 1006, "binding-missing"],
  ["Fractions for an array of u32", 1006, "argument-invalid"],
  ["More workgroups than the device takes", 1006, "limit-exceeded"],
  ["An output larger than any buffer", 1006, "limit-exceeded"],
]) {
  demoTest(`the box tells what is wrong with “${title}”`, "/wgsl.html", async ({ page }) => {
    await chooseExample(page, title);
    await page.locator("#result .error").waitFor();
    assert.match(await textOf(page, "#result .id"), new RegExp(`^${id} `));
    assert.match(await textOf(page, "#result .facts"), new RegExp(`^reason ${reason} `));
    await chooseExample(page, "Square roots");
    await page.waitForFunction(finished["/wgsl.html"]);
  });
}

/** Picks a file and waits until the page has answered. */
async function pick(page, file) {
  await page.evaluate(() => delete window.demoResult);
  await page.locator("#file").setInputFiles(file);
  await page.waitForFunction(() => window.demoResult);
}

/** Chooses an example; its result is waited for by the caller. */
async function chooseExample(page, title) {
  await page.evaluate(() => (document.querySelector("#result-state").textContent = ""));
  await page.locator("#example").selectOption(title);
}

function noise(length) {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24);
}

function opaque(rgba) {
  return rgba.map((byte, i) => (i % 4 === 3 ? 255 : byte));
}

function filterInNode(rgba, [width, height], radius) {
  const weights = gaussianWeights(radius);
  const [across, blurred, edges] = [0, 1, 2].map(() => new Uint8Array(rgba.length));
  const [sourceBins, blurredBins] = [0, 1].map(() => new Uint32Array(256));
  blurRows(rgba, weights, { size: [width, height], step: [1, 0] }, across, 0, height);
  blurRows(across, weights, { size: [width, height], step: [0, 1] }, blurred, 0, height);
  edgeRows(blurred, [width, height], edges, 0, height);
  countLevels(rgba, sourceBins, 0, width * height);
  countLevels(blurred, blurredBins, 0, width * height);
  return [blurred, edges, sourceBins, blurredBins];
}

// The error gallery of the demo: one row for each code of the catalogue, and every button gives the code of its row.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { recorded } from "../../www/errors/recorded.js";
import { absent, triggers } from "../../www/errors/triggers.js";
import { demoTest, finished, textBelowContrast, textOf } from "./demo_page.mjs";
import { packed } from "./harness.mjs";

const { errorCatalog } = await import(join(packed().installed, "dist/errors.js"));
const programs = Object.entries(triggers).flatMap(([id, ofId]) => ofId.map((trigger, i) => ({ id, i, ...trigger })));

const row = (page, id) => page.locator(`[id="${id}"]`);
const details = (page, id) => page.locator(`#details-${id}`);
const trigger = (page, { id, i }) => details(page, id).locator(".trigger").nth(i);
const shownError = async (where) => JSON.parse(await where.locator(".output details pre").textContent());

/** What a defect in the wasm says by itself. */
const expectPanic = ({ expectConsole }) => expectConsole(/panicked on purpose/);

test("every code has a program or says why it has none", () => {
  const ids = [...Object.keys(triggers), ...Object.keys(absent)].sort();
  assert.deepEqual(ids, errorCatalog.map(({ stableId }) => String(stableId)));
});

demoTest("the table of the gallery is the catalogue", "/errors.html", async ({ page }) => {
  const rows = await page.locator(".code-row").evaluateAll((all) =>
    all.map((row) => [row.id, ...[...row.cells].slice(0, 3).map((cell) => cell.innerText.trim())]),
  );
  assert.deepEqual(
    rows,
    errorCatalog.map(({ stableId, code, retry, summary }) => [String(stableId), `${stableId} ${code}`, summary, retry]),
  );
  for (const { stableId, fix, reasons } of errorCatalog) {
    assert.equal(await details(page, stableId).locator(".meaning > dd").first().textContent(), fix);
    assert.deepEqual(await details(page, stableId).locator(".reasons li").allTextContents(), reasons);
  }
});

for (const program of programs) {
  const { id, title, program: text } = program;
  demoTest(`the button of ${id} gives it: ${title}`, `/errors.html#${id}`, async (t) => {
    if (text.includes("panic(")) expectPanic(t);
    const { page } = t;
    const where = trigger(page, program);
    assert.equal(await where.locator(".code").textContent(), text);
    await where.getByRole("button").click();
    const { stableId, code, retry } = await shownError(where);
    const entry = errorCatalog.find((one) => String(one.stableId) === id);
    assert.deepEqual([stableId, code, retry], [entry.stableId, entry.code, entry.retry]);
    assert.match(await row(page, id).locator(".state").innerText(), /^told after [\d.,]+ ms$/);
    assert.match(await where.locator(".state").innerText(), /^threw after [\d.,]+ ms$/);
  });
}

demoTest("all are triggered one after the other, the panic among them", "/errors.html", async (t) => {
  expectPanic(t);
  const { page } = t;
  await page.locator("#trigger-all").click();
  await page.waitForFunction(() => document.querySelector("#trigger-all").ariaDisabled === "false");
  assert.equal(await textOf(page, "#codes-state"), "9 of 9 triggered in this page");

  // The browser's own words, and places in our source, may change from version to version.
  const withoutWords = ({ message, context: { problem, detail, ...context }, ...rest }) => ({ ...rest, context });
  for (const [id, errors] of Object.entries(recorded.errors)) {
    for (const [i, error] of errors.entries()) {
      const live = await shownError(trigger(page, { id, i }));
      assert.deepEqual(withoutWords(live), withoutWords(error), `recorded for visitors without WebGPU: ${id}`);
    }
  }
  assert.deepEqual(
    Object.keys(recorded.errors),
    Object.keys(triggers).filter((id) => !triggers[id].every(({ anywhere }) => anywhere)),
  );
});

demoTest("an address with an id opens that row, and an open row is in the address", "/errors.html#1004", async ({ page }) => {
  assert.equal(await page.locator("tr.details:visible").count(), 1);
  await details(page, 1004).waitFor();
  assert.ok(await row(page, 1004).evaluate((element) => element.getBoundingClientRect().top < innerHeight));

  await row(page, 1008).getByRole("button").click();
  assert.equal(new URL(page.url()).hash, "#1008");
  assert.equal(await row(page, 1008).getByRole("button").getAttribute("aria-expanded"), "true");
  await row(page, 1008).getByRole("button").click();
  assert.equal(new URL(page.url()).hash, "");
  assert.equal(await details(page, 1008).isVisible(), false);

  await page.evaluate(() => (location.hash = "1999"));
  await details(page, 1999).waitFor();
});

demoTest("the code that comes later says so", "/errors.html#1007", async ({ page }) => {
  assert.equal(await row(page, 1007).locator(".state").innerText(), "not built yet");
  assert.match(await details(page, 1007).innerText(), /Cooperative launches are not built yet/);
  assert.equal(await details(page, 1007).getByRole("button").count(), 0);
});

demoTest("a row is opened and its error brought about by keyboard", "/errors.html", async ({ page }) => {
  const opener = row(page, 1006).getByRole("button");
  await opener.focus();
  await page.keyboard.press("Enter");
  await details(page, 1006).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Trigger 1006");
  await page.keyboard.press("Enter");
  assert.equal((await shownError(trigger(page, { id: 1006, i: 0 }))).reason, "binding-missing");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Trigger 1006");
});

for (const theme of ["light", "dark"]) {
  demoTest(`the open gallery is readable and fits a phone in ${theme} colours`, "/errors.html", { theme, width: 390 }, async (t) => {
    expectPanic(t);
    const { page } = t;
    for (const opener of await page.locator(".opens").all()) await opener.click();
    await page.locator("#trigger-all").click();
    await page.waitForFunction(() => document.querySelector("#trigger-all").ariaDisabled === "false");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(wide, 0);
    assert.deepEqual(await page.evaluate(textBelowContrast, 4.5), []);
  });
}

demoTest(
  "without a device the gallery shows what was recorded, and triggers what needs none",
  "/errors.html",
  {
    only: true,
    flags: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"],
    until: () => document.querySelector(".device").dataset.state === "missing",
  },
  async ({ page, expectConsole }) => {
    expectConsole(/No available adapters|Failed to create WebGPU Context Provider/);
    await page.waitForFunction(finished["/errors.html"]);
    assert.match(await textOf(page, "#codes-note"), /^Recorded on /);
    for (const [id, errors] of Object.entries(recorded.errors)) {
      assert.equal(await row(page, id).locator(".state").innerText(), "recorded");
      for (const [i, error] of errors.entries()) {
        const where = trigger(page, { id, i });
        assert.deepEqual(await shownError(where), JSON.parse(JSON.stringify(error)));
        assert.equal(await where.locator("button").isVisible(), false);
      }
    }
    await page.locator("#trigger-all").click();
    await page.waitForFunction(() => document.querySelector("#trigger-all").ariaDisabled === "false");
    assert.equal(await textOf(page, "#codes-state"), "2 of 9 triggered in this page");
    assert.equal((await shownError(trigger(page, { id: 1002, i: 0 }))).reason, "adapter-unavailable");
  },
);

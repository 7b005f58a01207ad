// The demo for everybody: by keyboard, in both themes, on a phone, without WebGPU.

import assert from "node:assert/strict";

import { demoTest, finished, pages, textBelowContrast, textOf } from "./demo_page.mjs";

for (const path of pages) {
  demoTest(`every control of ${path} is reached with the Tab key, and focus is seen`, path, async ({ page }) => {
    const wanted = await page.evaluate(() => {
      const controls = document.querySelectorAll(
        "a[href], button:enabled, input, select, textarea, summary, [tabindex='0']",
      );
      return [...controls]
        .filter((control) => control.checkVisibility())
        .map((control, i) => (control.dataset.stop = i)).length;
    });
    const seen = new Set();
    for (let press = 0; press < wanted + 2; press++) {
      await page.keyboard.press("Tab");
      const stop = await page.evaluate(() => {
        const { activeElement: at } = document;
        const framed = [at, at.parentElement, at.closest(".editor")].filter(Boolean);
        return {
          name: at.dataset.stop,
          visible: framed.some((element) => getComputedStyle(element).outlineStyle === "solid"),
        };
      });
      if (stop.name === undefined) continue;
      assert.ok(stop.visible, `stop ${stop.name} shows no focus`);
      seen.add(stop.name);
    }
    assert.equal(seen.size, wanted);
  });

  for (const theme of ["light", "dark"]) {
    demoTest(`${path} is readable in ${theme} colours`, path, { theme }, async ({ page }) => {
      assert.deepEqual(await page.evaluate(textBelowContrast, 4.5), []);
    });

    demoTest(`${path} fits a phone in ${theme} colours`, path, { theme, width: 390 }, async ({ page }) => {
      const wide = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(wide, 0);
    });
  }

  demoTest(
    `without WebGPU ${path} says what is missing and still reads`,
    path,
    {
      only: true,
      flags: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-software-rasterizer"],
      until: () => document.querySelector(".device").dataset.state === "missing",
    },
    async ({ page, expectConsole }) => {
      expectConsole(/No available adapters|Failed to create WebGPU Context Provider/);
      await page.locator("#missing .error").waitFor();
      assert.match(
        await textOf(page, "#missing"),
        /1002 UnsupportedFeature[\s\S]*adapter-unavailable[\s\S]*Adapter\s+none/,
      );
      if (path === "/wgsl.html") assert.equal(await textOf(page, "#result-state"), "needs a device");
      else await page.waitForFunction(finished[path]);
      if (path === "/") assert.match(await textOf(page, "#numbers-title"), /^Recorded/);
      if (path === "/image.html") assert.equal(await textOf(page, "#blur-state"), "CPU only");
    },
  );
}

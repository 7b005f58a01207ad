// A page of the demo, served with the packed tarball as its package.

import { join } from "node:path";
import { after } from "node:test";

import { root } from "../../.ci/machine.mjs";
import { serve } from "../../.ci/serve.mjs";
import { packed, pageTest } from "./harness.mjs";

export const pages = ["/", "/image.html", "/wgsl.html"];

/** In the page, by path: that it has done what it does by itself. */
export const finished = {
  "/": () => window.demoResult,
  "/image.html": () => window.demoResult,
  "/wgsl.html": () => document.querySelector("#result-state").textContent.startsWith("done"),
};

let served;
after(async () => (await served)?.close());

/** A page test that starts on a page of the demo, when that page has done what it does by itself. */
export function demoTest(name, path, options, body) {
  if (typeof options === "function") return demoTest(name, path, {}, options);
  pageTest(name, { flags: options.flags, only: options.only }, async (t) => {
    served ??= serve({ "/": join(root, "www"), "/dist/": join(packed().installed, "dist") });
    await t.page.setViewportSize({ width: options.width ?? 1280, height: 800 });
    await t.page.emulateMedia({ colorScheme: options.theme ?? "light" });
    await t.page.goto(new URL(path, (await served).url).href);
    await t.page.waitForFunction(options.until ?? finished[path]);
    await body(t);
  });
}

export const textOf = (page, selector) => page.locator(selector).innerText();
export const demoResult = (page) => page.evaluate(() => window.demoResult);

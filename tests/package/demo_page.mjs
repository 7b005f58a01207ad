// A page of the demo, served with the packed tarball as its package.

import { join } from "node:path";
import { after } from "node:test";

import { root } from "../../.ci/machine.mjs";
import { serve } from "../../.ci/serve.mjs";
import { packed, pageTest } from "./harness.mjs";

export const pages = ["/", "/image.html", "/errors.html", "/wgsl.html"];

/** In the page, by path: that it has done what it does by itself. */
export const finished = {
  "/": () => window.demoResult,
  "/image.html": () => window.demoResult,
  "/errors.html": () => !document.querySelector("#trigger-all").disabled,
  "/wgsl.html": () => document.querySelector("#result-state").textContent.startsWith("done"),
};

let served;
after(async () => (await served)?.close());

/** A page test that starts on a page of the demo, when that page has done what it does by itself. */
export function demoTest(name, path, options, body) {
  if (typeof options === "function") return demoTest(name, path, {}, options);
  const chromiumOnly = "the demo's tests speak Playwright";
  pageTest(name, { flags: options.flags, only: options.only, chromiumOnly }, async (t) => {
    served ??= serve({ "/": join(root, "www"), "/dist/": join(packed().installed, "dist") });
    await t.page.setViewportSize({ width: options.width ?? 1280, height: 800 });
    await t.page.emulateMedia({ colorScheme: options.theme ?? "light" });
    await t.page.goto(new URL(path, (await served).url).href);
    await t.page.waitForFunction(options.until ?? finished[path.split("#")[0]]);
    await body(t);
  });
}

export const textOf = (page, selector) => page.locator(selector).innerText();
export const demoResult = (page) => page.evaluate(() => window.demoResult);

/** In the page: every visible text whose contrast with what is behind it is lower than `least`. */
export function textBelowContrast(least) {
  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = (colour) =>
    channels(colour)
      .slice(0, 3)
      .map((channel) => channel / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (channels(colour)[3] !== 0) return colour;
    }
    throw new Error("the page itself has no background");
  };
  const low = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: element, data } = texts.currentNode;
    // A disabled control is exempt (WCAG 1.4.3), and the marks behind the editor are the same text again, unseen.
    if (!data.trim() || !element.checkVisibility() || element.closest("option, :disabled, #marks, script")) continue;
    const [light, dark] = [luminance(getComputedStyle(element).color), luminance(behind(element))].sort(
      (a, b) => b - a,
    );
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < least) low.push(`${contrast.toFixed(2)} ${data.trim().slice(0, 40)}`);
  }
  return low;
}

// Starts headless Chromium with WebGPU on a software adapter, the same way for tests, benchmark and demo.

import { readFileSync } from "node:fs";
import { join } from "node:path";

import { chromium } from "playwright-core";

import { findChrome, root } from "./machine.mjs";

const webdriver = JSON.parse(readFileSync(join(root, "tests/webdriver.json"), "utf8"));

/** The flags of tests/webdriver.json, which wasm-pack's browser gets as well. */
export const chromiumFlags = webdriver["goog:chromeOptions"].args;

/** A running browser. `flags` are added to chromiumFlags, or replace them with `only: true`. */
export function launchChromium({ flags = [], only = false } = {}) {
  return chromium.launch({ executablePath: findChrome(), args: only ? flags : [...chromiumFlags, ...flags] });
}

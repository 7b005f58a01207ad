// Starts headless Firefox with WebGPU on a software adapter, as .ci/chromium.mjs starts Chromium.

import puppeteer from "puppeteer-core";

import { findFirefox } from "./machine.mjs";

/** Without the first there is no `navigator.gpu`, without the second no software adapter. */
const preferences = { "dom.webgpu.enabled": true, "gfx.webgpu.ignore-blocklist": true };

/** A running browser. */
export function launchFirefox() {
  const executablePath = findFirefox();
  return puppeteer.launch({ browser: "firefox", executablePath, headless: true, extraPrefsFirefox: preferences });
}

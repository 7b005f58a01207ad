import { acquire } from "steadfast-gpu";
import { element, errorCard } from "./error_card.js";

/**
 * Acquires the page's Gpu and shows in the header which adapter answered. Without one it fills the page's
 * `#missing` section with exactly what is missing, and rejects.
 * @returns {Promise<import("steadfast-gpu").Gpu>}
 * @throws {import("steadfast-gpu").ComputeError}
 */
export async function openGpu() {
  const device = document.querySelector(".device");
  try {
    const gpu = await acquire({ label: document.title });
    device.textContent = adapterName(gpu.info);
    device.dataset.state = "ready";
    return gpu;
  } catch (error) {
    device.textContent = "no device";
    device.dataset.state = "missing";
    await showMissing(error);
    throw error;
  }
}

/** The adapter in words, saying when it is software: `google swiftshader (software)`. */
export function adapterName(info) {
  const name = [info.vendor, info.architecture].filter(Boolean).join(" ") || info.description || "unnamed adapter";
  return isSoftware(info) ? `${name} (software)` : name;
}

/** True when the adapter computes on the CPU, so that times on it say nothing about a GPU. */
export function isSoftware({ architecture, isFallbackAdapter }) {
  return isFallbackAdapter || architecture === "swiftshader";
}

async function showMissing(error) {
  const section = document.querySelector("#missing");
  const facts = [
    ["Secure context", isSecureContext ? "yes" : "no: WebGPU is only given to https pages and to localhost"],
    [
      "navigator.gpu",
      navigator.gpu
        ? "present"
        : "absent: Chrome and Edge have it from 113, Safari from 26, Firefox from 141 (Windows first)",
    ],
    ["Adapter", navigator.gpu ? await adapterFact() : "not asked"],
  ];
  const list = element("dl", "values");
  for (const [name, fact] of facts) list.append(element("dt", "", name), element("dd", "", fact));
  const body = element("div", "body");
  body.append(errorCard(error), list);
  const header = element("header");
  header.append(element("h2", "", "This page could not get a GPU device"));
  section.replaceChildren(header, body);
  section.hidden = false;
}

async function adapterFact() {
  try {
    const adapter = await navigator.gpu.requestAdapter();
    return adapter ? adapterName(adapter.info) : "none: chrome://gpu or about:support says why the GPU is blocked";
  } catch (error) {
    return `refused: ${error.message}`;
  }
}

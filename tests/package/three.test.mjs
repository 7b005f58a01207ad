// A real library that owns a device: three.js draws, we only watch.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "../../.ci/machine.mjs";
import { pages, pageTest } from "./harness.mjs";

const build = join(root, "node_modules/three/build");
for (const file of readdirSync(build).filter((file) => file.endsWith(".js"))) {
  pages[`/three/${file}`] = { body: readFileSync(join(build, file), "utf8") };
}

pageTest("a watch hears of the errors and of the loss of three.js's device, and leaves it alone", async ({ run, expectConsole }) => {
  // The harness and the browser say so as well.
  expectConsole(/uncaptured GPU error: GPUValidationError/);
  expectConsole(/usage/i);
  const seen = await run(async ({ watch }) => {
    const three = await import("/three/three.webgpu.js");
    const renderer = new three.WebGPURenderer();
    renderer.setSize(64, 64);
    document.body.append(renderer.domElement);
    await renderer.init();
    const { device } = renderer.backend;
    const before = device.onuncapturederror;
    const watched = watch(device, { label: "scene" });
    const errors = [];
    watched.addEventListener("error", ({ detail }) => errors.push([detail.error.code, detail.error.context.label]));

    const scene = new three.Scene();
    scene.add(new three.Mesh(new three.BoxGeometry(), new three.MeshBasicMaterial({ color: 0xff8800 })));
    const camera = new three.PerspectiveCamera(50, 1, 0.1, 10);
    camera.position.z = 3;
    // Not to the canvas: headless Chromium on SwiftShader has no surface to show it on.
    renderer.setRenderTarget(new three.RenderTarget(64, 64));
    renderer.render(scene, camera);
    await device.queue.onSubmittedWorkDone();
    const whileGood = [...errors];

    device.createBuffer({ size: 16, usage: 0 });
    await device.queue.onSubmittedWorkDone();
    const guarded = await failureOf(watched.guard(() => device.createBuffer({ size: 16, usage: 0 }), { operation: "upload" }));
    renderer.render(scene, camera);
    await device.queue.onSubmittedWorkDone();
    const handlerKept = device.onuncapturederror === before;
    device.destroy();
    const lost = await watched.lost;
    return { whileGood, errors, guarded: guarded.code, handlerKept, lost: [lost.code, lost.context.label], state: watched.state };
  });
  assert.deepEqual(seen, {
    whileGood: [],
    errors: [["DispatchFailed", "scene"]],
    guarded: "InvalidProgram",
    handlerKept: true,
    lost: ["DeviceLost", "scene"],
    state: "lost",
  });
});

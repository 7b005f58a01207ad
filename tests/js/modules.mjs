// Bundles modules of src/js for a test, with a fake in place of the wasm glue where a test gives one.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../../src/js/", import.meta.url));

/**
 * What a script in src/js exports; imports are relative to that folder.
 *
 * @param {string} script such as `export * from "./data.js"`
 * @param {string} glue a module in place of generated/steadfast_gpu.js
 */
export async function modulesOf(script, glue = "") {
  const fakeGlue = {
    name: "fake-glue",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\/generated\/steadfast_gpu\.js$/ }, () => ({ path: "glue", namespace: "fake-glue" }));
      onLoad({ filter: /.*/, namespace: "fake-glue" }, () => ({ contents: glue }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: script, resolveDir: source, loader: "ts" },
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    plugins: [fakeGlue],
    logLevel: "silent",
  });
  const code = Buffer.from(outputFiles[0].contents).toString("base64");
  return import(`data:text/javascript;base64,${code}`);
}

// What the Start page shows where it cannot run: copied from a run of that page. A test holds it to a live run.
export const recorded = {
  where: "Recorded on 1 December 2026 in headless Chromium 156 on a software adapter (SwiftShader), two cores.",
  program: "Float32Array [2, 4, 6]",
  numbers: { acquire: "91.6 ms", first: "62.0 ms", awaited: "700 µs", recorded: "63.5 µs", wasm: "1.97 MB" },
  mistake: {
    code: "KernelCompileFailed",
    stableId: 1004,
    retry: "never",
    operation: "compile",
    reason: "wgsl",
    context: {
      label: "elementwise",
      problem: "unresolved value 'two'",
      line: 1,
      column: 5,
      length: 3,
      snippet: "x * two",
    },
    message: "`elementwise` did not compile: line 1, column 5: unresolved value 'two'",
    fix: "Correct the WGSL at the line and column named.",
  },
};

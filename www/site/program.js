import { typedArray } from "./format.js";

/**
 * Runs the text of a program as a module of its own, exactly as it is printed on the page, then closes its `gpu`.
 * @param {string} text
 * @param {(shown: string | Error) => void} print takes what the program logs, an error as it is
 * @returns {Promise<{ ms: number, thrown: unknown }>} how long it took, and what it threw; `undefined` for nothing
 */
export async function runProgram(text, print) {
  const key = `program${runs++}`;
  const program = { log: (...values) => print(values.map(shown).join(" ")) };
  programs[key] = program;
  // What a module exports is out of reach once it has thrown; what it has handed over is not.
  const source = `const console = globalThis[Symbol.for("steadfast-gpu demo")].${key};\nconsole.gpu = () => gpu;\n${text}`;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const start = performance.now();
  const thrown = await import(url).then(
    () => undefined,
    (error) => error,
  );
  const ms = performance.now() - start;
  URL.revokeObjectURL(url);
  delete programs[key];
  await acquiredBy(program)?.close();
  return { ms, thrown };
}

let runs = 0;
const programs = (globalThis[Symbol.for("steadfast-gpu demo")] ??= {});

/** The Gpu of a program; undefined when it did not come that far, or has none. */
function acquiredBy(program) {
  try {
    return program.gpu();
  } catch {
    return undefined;
  }
}

function shown(value) {
  return ArrayBuffer.isView(value) ? typedArray(value) : String(value);
}

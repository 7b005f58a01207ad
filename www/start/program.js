import { typedArray } from "../site/format.js";

/**
 * Runs the text of a program as a module of its own, exactly as it is printed on the page.
 * @param {string} text
 * @param {(shown: string | Error) => void} print takes what the program logs, an error as it is
 * @returns {Promise<void>} rejects with what the program throws
 */
export async function runProgram(text, print) {
  const key = `program${runs++}`;
  programs[key] = { log: (...values) => print(values.map(shown).join(" ")) };
  const source = `const console = globalThis[Symbol.for("steadfast-gpu demo")].${key};\n${text}\nexport { gpu };`;
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    const { gpu } = await import(url);
    await gpu.close();
  } finally {
    URL.revokeObjectURL(url);
    delete programs[key];
  }
}

let runs = 0;
const programs = (globalThis[Symbol.for("steadfast-gpu demo")] ??= {});

function shown(value) {
  return ArrayBuffer.isView(value) ? typedArray(value) : String(value);
}

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { root } from "../../.ci/machine.mjs";

/**
 * Type checks the .ts files of a sub-folder, next to an installed package, as strict as TypeScript gets; the package's
 * own declarations are checked too. Fails with what TypeScript says.
 */
export async function typeCheck(folder, subfolder, moduleResolution) {
  const project = join(folder, `tsconfig.${subfolder}.${moduleResolution}.json`);
  const compilerOptions = {
    module: moduleResolution === "bundler" ? "esnext" : "nodenext",
    moduleResolution,
    moduleDetection: "force",
    target: "es2022",
    lib: ["es2022", "dom"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    noEmit: true,
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, include: [`${subfolder}/*.ts`] }));
  // A folder without package.json is CommonJS to "nodenext"; the package is for modules.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));

  const tsc = [join(root, "node_modules/typescript/bin/tsc"), "-p", project];
  await promisify(execFile)(process.execPath, tsc).catch((error) => assert.fail(`${error.stdout}${error.stderr}`));
}

// Every row of the fault matrix is proved by something that exists.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { faultRows, rowIds } from "./fault_rows.mjs";

const folder = new URL(".", import.meta.url);
const vectors = JSON.parse(readFileSync(new URL("../fault_vectors.json", import.meta.url), "utf8"));
const cases = vectors.map((vector) => vector.case);

/** Patterns of the titles of a file's tests; a part that is filled in matches anything. */
function titlesOf(source) {
  const titles = source.matchAll(/\b(?:pageTest|test|eachOperation)\(\s*(["`])((?:\\.|(?!\1).)+)\1/gs);
  const escaped = (text) => text.replace(/[.*+?^$()|[\]\\{}]/g, "\\$&");
  return [...titles].map(([, , title]) => new RegExp(`^${title.split(/\$\{[^}]*\}/).map(escaped).join(".+")}$`));
}

const titles = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith(".test.mjs"))
    .map((name) => [name.slice(0, -".test.mjs".length), titlesOf(readFileSync(new URL(name, folder), "utf8"))]),
);

test("each row of the matrix names at least one test or vector, and no other row is named", () => {
  assert.deepEqual(Object.keys(faultRows), rowIds);
  for (const [row, proofs] of Object.entries(faultRows)) assert.ok(proofs.length > 0, row);
});

test("each test and vector that a row names exists", () => {
  const missing = [];
  for (const [row, proofs] of Object.entries(faultRows)) {
    for (const [file, title] of proofs) {
      const exists = file === "vector" ? cases.includes(title) : titles.get(file)?.some((pattern) => pattern.test(title));
      if (!exists) missing.push(`${row}: ${file}: ${title}`);
    }
  }
  assert.deepEqual(missing, []);
});

test("each fault test is named by a row, or is of a rule that no row has", () => {
  const named = new Set(Object.values(faultRows).flatMap((proofs) => proofs.map(([file, title]) => `${file}: ${title}`)));
  const files = [...titles.keys()].filter((file) => file.startsWith("faults_") && !beyondRows.has(file));
  for (const file of files) {
    for (const pattern of titles.get(file)) {
      const isNamed = [...named].some((name) => name.startsWith(`${file}: `) && pattern.test(name.slice(file.length + 2)));
      assert.ok(isNamed, `${file}: ${pattern.source}`);
    }
  }
});

/** Files whose tests go by operation or by class, not by row. */
const beyondRows = new Set(["faults_injected", "faults_loss_order", "faults_classify"]);

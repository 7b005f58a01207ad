// The README says what is: its programs run exactly as printed, its types check, its commands exist.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { root } from "../../.ci/machine.mjs";
import { packed, pages, pageTest } from "./harness.mjs";
import { typeCheck } from "./type_check.mjs";

const readme = readFileSync(join(packed().installed, "README.md"), "utf8");
const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([whole, language, code]) => ({
  language,
  code,
  line: readme.slice(0, readme.indexOf(whole)).split("\n").length + 1,
}));
const inLanguage = (...languages) => blocks.filter(({ language }) => languages.includes(language));

test("the README has programs", () => {
  assert.ok(inLanguage("js").length > 0);
});

/** Keeps what the page logs, by the line of the program that logged it, as a person would write it down. */
function keepLogs() {
  const shown = (value) => {
    if (typeof value === "string") return value;
    if (ArrayBuffer.isView(value)) return `${value.constructor.name} [${[...value].join(", ")}]`;
    if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
    if (value instanceof Set) return `Set {${[...value].map(shown).join(", ")}}`;
    if (value instanceof Error) return String(value);
    if (typeof value === "object" && value !== null) {
      return `{ ${Object.entries(value).map(([key, of]) => `${key}: ${shown(of)}`).join(", ")} }`;
    }
    return String(value);
  };
  globalThis.logs = [];
  const log = console.log;
  console.log = (...values) => {
    const line = Number(new Error().stack.match(/program\.js:(\d+):/)?.[1]);
    logs.push({ line, text: values.map(shown).join(" ") });
    log(...values);
  };
}

/** `// what is expected` after a console.log, by line; `...` stands for anything. */
function expectedLogs(code) {
  const found = code.split("\n").map((text, index) => {
    const comment = text.match(/console\.log\(.*\);?\s+\/\/ (.+)$/);
    return comment && { line: index + 1, pattern: comment[1].trim() };
  });
  return found.filter(Boolean);
}

function matches(text, pattern) {
  const literal = (part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`^${pattern.split("...").map(literal).join(".*")}$`, "s").test(text);
}

for (const { code, line } of inLanguage("js")) {
  const script = `/${line}/program.js`;
  pages[script] = { body: code };
  const title = `the program at line ${line} of the README does what it says`;
  pageTest(title, { init: keepLogs }, async ({ page }) => {
    await page.evaluate((url) => import(url), script);
    const logs = await page.evaluate(() => globalThis.logs);
    for (const { line: logLine, pattern } of expectedLogs(code)) {
      const said = logs.filter((log) => log.line === logLine).map(({ text }) => text);
      assert.ok(said.length > 0, `line ${line + logLine - 1} logs nothing`);
      for (const text of said) assert.ok(matches(text, pattern), `line ${line + logLine - 1}: ${text}, not ${pattern}`);
    }
  });
}

for (const { code, line } of inLanguage("html")) {
  const path = `/${line}/page.html`;
  pages[path] = { body: code };
  pageTest(`the page at line ${line} of the README works`, async ({ page }) => {
    // A package host's address of this package stands for what is packed here.
    await page.route(/\/steadfast-gpu(@[^/]+)?\/dist\//, (route) => {
      const file = new URL(route.request().url()).pathname.split("/dist/")[1];
      return route.fulfill({ path: join(packed().installed, "dist", file), contentType: "text/javascript" });
    });
    await page.goto(new URL(path, page.url()).href, { waitUntil: "networkidle" });
  });
}

test("the programs of the README type check", async () => {
  const folder = join(packed().folder, "readme");
  mkdirSync(folder, { recursive: true });
  // The JavaScript is checked too: its types are inferred, and what it calls must be there.
  for (const { code, line } of inLanguage("ts", "js")) writeFileSync(join(folder, `line_${line}.ts`), code);
  await typeCheck(packed().folder, "readme", "bundler");
});

test("the error table of the README is the catalogue", async () => {
  const { errorCatalog } = await import(join(packed().installed, "dist/errors.js"));
  const rows = [...readme.matchAll(/^\| (\d{4}) \| `(\w+)` \| ([\w-]+) \| (.+) \|$/gm)].map(([, ...cells]) => cells);
  const expected = errorCatalog.map(({ stableId, code, retry, summary }) => [String(stableId), code, retry, summary]);
  assert.deepEqual(rows, expected);
});

test("the rules of the README name ids of the catalogue", async () => {
  const { errorCatalog } = await import(join(packed().installed, "dist/errors.js"));
  const ids = inLanguage("yaml").flatMap(({ code }) => code.match(/\b1\d{3}\b/g) ?? []);
  assert.ok(ids.length > 0);
  for (const id of ids) assert.ok(errorCatalog.some(({ stableId }) => String(stableId) === id), id);
});

test("every npm command of the README is there", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const commands = inLanguage("sh").flatMap(({ code }) => [...code.matchAll(/^npm (?:run )?([\w:]+)/gm)]);
  assert.ok(commands.length > 0);
  for (const [command, name] of commands) {
    assert.ok(["i", "install", "ci"].includes(name) || name in scripts, command);
  }
});

test("every file of this repository that the README links to is there", () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path]) => path);
  for (const path of links) assert.ok(existsSync(join(root, path)), path);
});

// Installs what building and testing need and this machine lacks; does nothing where all is there.
// Runs before `npm ci`, so it imports nothing but Node.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { spawnSync } from "node:child_process";

import { env, findChrome, findChromedriver, findFirefox, lockedVersion, root, which } from "./machine.mjs";
import { step } from "./step.mjs";

const target = "wasm32-unknown-unknown";
const wasmPackVersion = "0.15.1";

/** Makes this machine ready; false where something is missing that it cannot install (it has said what to do). */
export async function setUp() {
  return all([rust, npmPackages, wasmBindgen, wasmPack, browser]);
}

/** As {@link setUp}, for the tests in Firefox. */
export async function setUpFirefox() {
  return all([rust, npmPackages, wasmBindgen, firefox]);
}

async function all(steps) {
  for (const run of steps) {
    const advice = await run();
    if (advice) {
      console.log(`\n${advice}\n`);
      return false;
    }
  }
  return true;
}

/** What a program prints, or undefined where it is missing or fails. */
function ask(program, ...args) {
  const answer = spawnSync(program, args, { cwd: root, env, encoding: "utf8" });
  return answer.status === 0 ? answer.stdout.trim() : undefined;
}

async function rust() {
  const sysroot = ask("rustc", "--print", "sysroot");
  if (!sysroot) return "Rust is missing. Install it with rustup (rustup.rs), then run this again.";
  const installs = [];
  if (!existsSync(join(sysroot, "lib/rustlib", target))) installs.push(["target", "add", target]);
  if (!ask("cargo", "clippy", "--version")) installs.push(["component", "add", "clippy"]);
  if (!ask("cargo", "fmt", "--version")) installs.push(["component", "add", "rustfmt"]);
  for (const install of installs) {
    const what = `install Rust's ${install[2]}`;
    if (!(await step(what, ["rustup", ...install])).ok) {
      return `Could not ${what}. With rustup: rustup ${install.join(" ")}; with another Rust: its package of that name.`;
    }
  }
}

async function npmPackages() {
  const stamp = join(root, "node_modules/.lock-hash");
  const hash = createHash("sha256").update(readFileSync(join(root, "package-lock.json"))).digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return;
  if (!(await step("install the npm packages of the lock file", ["npm", "ci"])).ok) {
    return "npm ci failed: is the registry reachable, and does package-lock.json belong to package.json?";
  }
  writeFileSync(stamp, hash);
}

async function wasmBindgen() {
  // The program must be of the same version as the crate: they share an internal format.
  const version = lockedVersion("wasm-bindgen");
  if (ask("wasm-bindgen", "--version") === `wasm-bindgen ${version}`) return;
  return cargoInstall("wasm-bindgen-cli", version);
}

async function wasmPack() {
  if (!ask("wasm-pack", "--version")) return cargoInstall("wasm-pack", wasmPackVersion);
}

async function cargoInstall(crate, version) {
  const install = ["cargo", "install", crate, "--version", version];
  const what = `install ${crate} ${version}`;
  // With the lock file of its authors, or where a registry no longer has one of those versions, with what fits.
  const locked = await step(what, [...install, "--locked"], { mayFail: true });
  if (!locked.ok && !(await step(`${what}, newer dependencies`, install)).ok) {
    return `Could not ${what}: see cargo's message above, then try "${install.join(" ")}" by hand.`;
  }
}

async function browser() {
  const advice =
    "Chrome or Chromium and the chromedriver of the same version are needed. Put both on PATH, " +
    "or name them in the environment: CHROME=/path/to/chrome CHROMEDRIVER=/path/to/chromedriver";
  if (findChrome() && findChromedriver()) return;
  await aptInstall("Chromium and chromedriver", ["chromium", "chromium-driver"]);
  if (!findChrome() || !findChromedriver()) return advice;
}

async function firefox() {
  const advice =
    "Firefox 141 or newer and a Vulkan driver are needed (Debian: firefox-esr mesa-vulkan-drivers). " +
    "Put Firefox on PATH, or name it in the environment: FIREFOX=/path/to/firefox";
  // Mesa says where its driver is in this folder; on other systems WebGPU does not go through Vulkan.
  const hasDriver = () => process.platform !== "linux" || existsSync("/usr/share/vulkan/icd.d");
  if (findFirefox() && hasDriver()) return;
  await aptInstall("Firefox and a Vulkan driver", ["firefox-esr", "mesa-vulkan-drivers"]);
  if (!findFirefox() || !hasDriver()) return advice;
}

/** Installs Debian packages where that can be done. */
async function aptInstall(what, packages) {
  if (process.getuid?.() !== 0 || !which("apt-get")) return;
  const apt = { env: { DEBIAN_FRONTEND: "noninteractive" } };
  await step("ask Debian for its newest package list", ["apt-get", "update"], apt);
  await step(`install ${what}`, ["apt-get", "install", "-y", "--no-install-recommends", ...packages], apt);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ready = await setUp();
  console.log(ready ? "Everything needed is here." : "The set-up is not complete.");
  process.exitCode = ready ? 0 : 1;
}

// What this machine has: where programs are, and the environment to run them in.
// Runs before `npm ci`, so it imports nothing but Node.

import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

export const cargoHome = process.env.CARGO_HOME ?? join(homedir(), ".cargo");

/** rustup leaves cargo's folder to the shell's start-up files, which a CI shell or a new terminal may not have read. */
export const env = { ...process.env, PATH: [join(cargoHome, "bin"), process.env.PATH].join(delimiter) };

/** The path of a program, or undefined. */
export function which(program) {
  const paths = env.PATH.split(delimiter).map((folder) => join(folder, program));
  return paths.find(isProgram);
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Chrome or Chromium: `CHROME`, else what is on PATH. */
export function findChrome() {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
  const apps = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
  ];
  return process.env.CHROME || names.map(which).find(Boolean) || apps.find(isProgram);
}

/** chromedriver: `CHROMEDRIVER`, else what is on PATH. */
export function findChromedriver() {
  return process.env.CHROMEDRIVER || which("chromedriver");
}

/** Firefox: `FIREFOX`, else what is on PATH. */
export function findFirefox() {
  const names = ["firefox-esr", "firefox"];
  const apps = ["/Applications/Firefox.app/Contents/MacOS/firefox"];
  return process.env.FIREFOX || names.map(which).find(Boolean) || apps.find(isProgram);
}

/** The version of a crate in Cargo.lock. */
export function lockedVersion(crate) {
  const lock = readFileSync(join(root, "Cargo.lock"), "utf8");
  const entry = lock.match(new RegExp(`^name = "${crate}"\\nversion = "(.+)"`, "m"));
  if (!entry) throw new Error(`Cargo.lock has no ${crate}`);
  return entry[1];
}

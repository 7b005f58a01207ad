// Runs one program and says how it goes: a line every ten seconds, a line at its end, its output when it failed.

import { spawn } from "node:child_process";

import { env as machineEnv, root } from "./machine.mjs";

const heartbeatMs = 10_000;

/**
 * @param {string} title what the step does, as a person would say it
 * @param {string[]} command program and arguments
 * @param {object} options
 * @param {string} [options.cwd]
 * @param {object} [options.env] added to the environment
 * @param {boolean} [options.mayFail] print nothing when it fails
 * @param {(output: string) => string} [options.report] what of the output to print when it fails
 * @returns {Promise<{ ok: boolean, output: string, stdout: string }>}
 */
export function step(title, [program, ...args], { cwd = root, env = {}, mayFail = false, report = withoutProgress } = {}) {
  const started = Date.now();
  const seconds = () => Math.round((Date.now() - started) / 1000);
  let output = "";
  let stdout = "";
  const heartbeat = setInterval(() => {
    const last = output.trimEnd().split(/[\r\n]+/).at(-1)?.trim().slice(0, 90);
    console.log(`      ${title}: ${seconds()} s${last ? `, ${last}` : ""}`);
  }, heartbeatMs);

  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd, env: { ...machineEnv, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const end = (ok) => {
      clearInterval(heartbeat);
      if (ok) console.log(`  ok  ${title} (${seconds()} s)`);
      else if (!mayFail) console.log(`${report(output).trimEnd()}\n  FAILED  ${title}: ${[program, ...args].join(" ")}`);
      resolve({ ok, output, stdout });
    };
    child.stdout.on("data", (data) => {
      output += data;
      stdout += data;
    });
    child.stderr.on("data", (data) => (output += data));
    child.on("error", (error) => {
      output += `${error.message}\n`;
      end(false);
    });
    child.on("close", (code) => end(code === 0));
  });
}

/** Cargo's output without the lines that only say it is busy. */
function withoutProgress(output) {
  return output.replace(/^ +(Adding|Blocking|Checking|Compiling|Documenting|Download\w+|Locking|Updating) .*\n/gm, "");
}

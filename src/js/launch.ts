import { checkMilliseconds, checkOptions, checkSignal, checkString, invalid } from "./check.js";
import type { Operation } from "./compute_error.js";
import type { Bounds } from "./settle.js";

/** How wasm is told to run: the numbers of the boundary. */
export const GRID_FIRST_OUTPUT = 0;
export const GRID_ELEMENTS = 1;
export const GRID_WORKGROUPS = 2;
export const GRID_INDIRECT = 3;
const FLAG_TIMING = 1;
const FLAG_FINISHED = 2;

/** The options of a call, checked and complete. */
export interface Launch extends Bounds {
  readonly label: string | undefined;
  readonly flags: number;
}

export type Check = (operation: Operation, name: string, value: unknown) => void;

/** The checks of {@link RunOptions}' members. */
export const RUN_OPTIONS: Readonly<Record<string, Check>> = {
  signal: (operation, _, value) => checkSignal(operation, value),
  timeoutMs: checkMilliseconds,
  label: checkString,
  timing: checkFlag,
};

export function checkFlag(operation: Operation, name: string, value: unknown): void {
  if (typeof value !== "boolean") throw invalid(operation, name, "true or false", value);
}

/** The launch of a call that says nothing, on a Gpu with this timeout. */
export function plainLaunch(timeoutMs: number): Launch {
  return { signal: undefined, timeoutMs, label: undefined, flags: flagsOf(timeoutMs, false) };
}

/** The options of a call over what the Gpu does by itself. `members` names what else the call takes. */
export function launchOf(
  options: object | undefined,
  plain: Launch,
  operation: Operation,
  members: Readonly<Record<string, Check>> = RUN_OPTIONS,
): Launch {
  if (options === undefined) return plain;
  checkOptions(operation, options, members);
  const { signal, timeoutMs = plain.timeoutMs, label, timing = false } = options as LaunchOptions;
  return { signal, timeoutMs, label, flags: flagsOf(timeoutMs, timing) };
}

interface LaunchOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
  label?: string;
  timing?: boolean;
}

/** A measured call, and one that can time out, is over when the GPU has finished, not when its flush is verified. */
function flagsOf(timeoutMs: number, timing: boolean): number {
  return (timing ? FLAG_TIMING : 0) | (timing || timeoutMs !== Infinity ? FLAG_FINISHED : 0);
}

import { type Reason, rules } from "./generated/catalog.js";
import {
  ComputeError,
  computeError,
  ErrorCode,
  type ErrorCodeName,
  type ErrorContext,
  type Operation,
  type SerializedComputeError,
} from "./compute_error.js";

/** A property of anything, or `undefined` where reading it throws: a proxy or a getter must not break the judgement. */
function peek(x: unknown, key: string): unknown {
  try {
    return x === null || x === undefined ? undefined : (x as Record<string, unknown>)[key];
  } catch {
    return undefined;
  }
}

function text(x: unknown): string {
  try {
    return typeof x === "string" ? x : String(x);
  } catch {
    return "an object that cannot be shown";
  }
}

function stringAt(x: unknown, key: string): string {
  const value = peek(x, key);
  return typeof value === "string" ? value : "";
}

/** What a report says, for people to read. */
export function wordsOf(x: unknown): string {
  return stringAt(x, "message") || text(x);
}

/** The class by name: `instanceof` fails for objects of another realm. */
function className(x: unknown): string {
  return typeof x === "object" || typeof x === "function" ? stringAt(peek(x, "constructor"), "name") : "";
}

/** The property under which a browser's event carries what was really thrown. */
const CARRIED: Readonly<Record<string, string>> = {
  GPUUncapturedErrorEvent: "error",
  ErrorEvent: "error",
  PromiseRejectionEvent: "reason",
};

/** What was being done, where nobody says and the class alone tells. */
const USUAL_OPERATION: Readonly<Record<string, Operation>> = {
  CompileError: "load",
  LinkError: "load",
  GPUPipelineError: "compile",
};

/** What an event carries, or the thing itself. Bounded: a proxy can carry itself. */
function unwrapped(x: unknown): unknown {
  for (let depth = 0; depth < 3; depth++) {
    const kind = className(x);
    const carried = Object.hasOwn(CARRIED, kind) ? peek(x, CARRIED[kind]!) : undefined;
    if (carried === undefined || carried === null) break;
    x = carried;
  }
  return x;
}

/** A `GPUDeviceLostInfo` that crossed a worker is a plain object with these two members. */
function isLossReport(x: unknown, kind: string): boolean {
  const reason = peek(x, "reason");
  return (
    kind === "Object" && (reason === "unknown" || reason === "destroyed") && typeof peek(x, "message") === "string"
  );
}

function isSerialized(x: unknown): x is SerializedComputeError {
  const code = stringAt(x, "code");
  return (
    Object.hasOwn(ErrorCode, code) &&
    ErrorCode[code as ErrorCodeName] === peek(x, "stableId") &&
    ["retry", "operation", "reason", "message", "fix"].every((key) => typeof peek(x, key) === "string")
  );
}

/**
 * Anything thrown, rejected or reported by WebGPU, WebAssembly or this package, as a {@link ComputeError}.
 *
 * Decides by class, `name` and operation, never by text, so it works for objects of other realms and in any language.
 * A `ComputeError` comes back unchanged, a serialized one revived; an event is judged by what it carries. What nothing
 * fits is `Unknown`, reason `"unclassified"`, with the original as `cause`. Never throws. Needs no device and no wasm.
 *
 * @param hint `operation`: what was being done (default `"dispatch"`, or what the class tells).
 *   `lost`: the device is known to be lost, which outranks whatever the report says.
 * @example
 * device.lost.then((info) => console.log(classify(info).stableId)); // 1008
 */
export function classify(x: unknown, hint?: { operation?: Operation; lost?: boolean }): ComputeError {
  return classified(x, hint, { label: "the call" });
}

/** {@link classify}, where more is known of what failed. */
export function classified(
  x: unknown,
  hint: { operation?: Operation; lost?: boolean } | undefined,
  known: ErrorContext,
): ComputeError {
  const fault = unwrapped(x);
  if (ComputeError.is(fault)) return fault;
  if (isSerialized(fault)) return ComputeError.revive(fault);

  const kind = className(fault);
  const name = stringAt(fault, "name");
  const operation = hint?.operation ?? USUAL_OPERATION[kind] ?? USUAL_OPERATION[name] ?? "dispatch";
  const lost = hint?.lost === true || isLossReport(fault, kind);
  const { reason, stableId } = judge(lost ? "GPUDeviceLostInfo" : kind, name, operation);
  const problem = wordsOf(fault);
  const context = { ...known, problem, ...(reason === "panicked" && { detail: problem }) };
  return computeError(reason, operation, context, { stableId, cause: fault });
}

/** The first rule of the table that src/fault/classify.rs holds; both sides are tested with the same vectors. */
function judge(kind: string, name: string, operation: Operation): { reason: Reason; stableId: number } {
  const rule = rules.find(
    ({ class: wanted, operations }) =>
      (wanted === kind || wanted === name) && (operations.length === 0 || operations.includes(operation)),
  );
  return rule ?? { reason: "unclassified", stableId: ErrorCode.Unknown };
}

import { type ComputeError, computeError, type ErrorContext, type Operation } from "./compute_error.js";

/** What somebody passed, in the words of an error message. */
export function described(x: unknown): string {
  switch (typeof x) {
    case "string":
      return x.length > 40 ? `a string of ${x.length} characters` : JSON.stringify(x);
    case "bigint":
      return `${x}n`;
    case "function":
      return "a function";
    case "object":
      return x === null ? "null" : objectDescribed(x);
    default:
      return String(x);
  }
}

function objectDescribed(x: object): string {
  if (Array.isArray(x)) return `an array of ${x.length}`;
  const tag = Object.prototype.toString.call(x).slice("[object ".length, -1);
  return tag === "Object" ? "an object" : `${/^[AEIO]/.test(tag) ? "an" : "a"} ${tag}`;
}

/** The error for an argument that is not what the call takes: `argument` must be `expected`, but is `got`. */
export function invalid(
  operation: Operation,
  argument: string,
  expected: string,
  got: unknown,
  context: ErrorContext = {},
): ComputeError {
  return misused(operation, argument, expected, described(got), context);
}

/** As {@link invalid}, where `got` is not a value but says what was done. */
export function misused(
  operation: Operation,
  argument: string,
  expected: string,
  got: string,
  context: ErrorContext = {},
): ComputeError {
  return computeError("argument-invalid", operation, { ...context, argument, expected, got });
}

/** Refuses what is not a count: a whole number of elements, bytes or invocations, from 0 up. */
export function checkCount(operation: Operation, argument: string, x: unknown): asserts x is number {
  if (!Number.isSafeInteger(x) || (x as number) < 0) throw invalid(operation, argument, "a whole number, 0 or more", x);
}

export function checkString(operation: Operation, argument: string, x: unknown): asserts x is string {
  if (typeof x !== "string") throw invalid(operation, argument, "a string", x);
}

/** Milliseconds: any length of time but none. `Infinity` is for ever. */
export function checkMilliseconds(operation: Operation, argument: string, x: unknown): asserts x is number {
  if (typeof x !== "number" || !(x > 0)) throw invalid(operation, argument, "a number of milliseconds above 0", x);
}

export function checkSignal(operation: Operation, x: unknown): asserts x is AbortSignal {
  // By shape: a signal of another realm is one too.
  const signal = x as AbortSignal | null;
  if (typeof signal?.aborted !== "boolean" || typeof signal.addEventListener !== "function") {
    throw invalid(operation, "signal", "an AbortSignal", x);
  }
}

/**
 * Refuses options that are no object, have a member the call does not know, or one that its check refuses.
 * A member that is `undefined` counts as left out.
 */
export function checkOptions(
  operation: Operation,
  options: object,
  members: Readonly<Record<string, (operation: Operation, name: string, value: unknown) => void>>,
): void {
  if (typeof options !== "object" || options === null) throw invalid(operation, "options", "an object", options);
  for (const [name, value] of Object.entries(options)) {
    const check = Object.hasOwn(members, name) ? members[name]! : undefined;
    if (!check) throw invalid(operation, "each option", `one of ${Object.keys(members).join(", ")}`, name);
    if (value !== undefined) check(operation, name, value);
  }
}

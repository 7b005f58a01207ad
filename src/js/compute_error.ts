import { catalog, type Reason, reasons } from "./generated/catalog.js";

/**
 * The codes and their stable ids. Append-only: an id is never renumbered and never reused, so it can be stored in
 * telemetry, alert rules and retry policies.
 */
export const ErrorCode = Object.freeze(
  Object.fromEntries(catalog.map(({ code, stableId }) => [code, stableId])),
) as Readonly<{ [Entry in (typeof catalog)[number] as Entry["code"]]: Entry["stableId"] }>;

export type ErrorCodeName = keyof typeof ErrorCode;

/**
 * What repeating the same call can do. `never`: it fails again. `same-device`: free or wait, then repeat.
 * `new-device`: repeat once a device is back. `other-route`: another execution route serves it.
 */
export type RetryClass = "never" | "same-device" | "new-device" | "other-route";

/** What was being done. Making and writing buffers is `upload`; copies, batches and flushes are `dispatch`. */
export type Operation = "load" | "acquire" | "compile" | "upload" | "dispatch" | "read" | "recover" | "cooperative";

/** The plain data behind a message. */
export type ErrorContext = Record<string, string | number | boolean>;

/** A {@link ComputeError} as plain data, as {@link ComputeError.toJSON} gives it. */
export interface SerializedComputeError {
  code: ErrorCodeName;
  stableId: number;
  retry: RetryClass;
  operation: Operation;
  reason: string;
  context: ErrorContext;
  message: string;
  fix: string;
}

/** One code of {@link errorCatalog}: what becomes it, what to do about it, and the finer reasons it appears with. */
export interface CatalogEntry {
  code: ErrorCodeName;
  stableId: number;
  retry: RetryClass;
  summary: string;
  fix: string;
  reasons: readonly string[];
}

/** Every code with its summary, its fix and its reasons, in order of id. */
export const errorCatalog: readonly CatalogEntry[] = catalog;

const BRAND: unique symbol = Symbol.for("steadfast-gpu.ComputeError") as never;

/**
 * A failure of this package: a stable code, a finer reason, the operation, and plain data.
 *
 * @example
 * try {
 *   await kernel.run({ x, y: out("f32", 3) });
 * } catch (error) {
 *   if (!ComputeError.is(error)) throw error;
 *   console.log(error.stableId, error.reason, error.context, error.fix);
 * }
 */
export class ComputeError extends Error {
  declare readonly name: "ComputeError";
  /** The contract; fits OpenTelemetry's `error.type`. */
  readonly code: ErrorCodeName;
  /** `ErrorCode[code]`. */
  readonly stableId: number;
  /** What repeating the same call can do; a function of the code alone. */
  readonly retry: RetryClass;
  /** What was being done. */
  readonly operation: Operation;
  /** The finer cause, such as `"binding-missing"`; every one is listed in {@link errorCatalog}. */
  readonly reason: string;
  /** The values behind the message: label, line, column, limit, requested, allowed ... Frozen. */
  readonly context: Readonly<ErrorContext>;
  /** What to do, one sentence. */
  readonly fix: string;
  /** The browser's own object, untouched; absent where the package found the mistake itself. */
  declare readonly cause?: unknown;

  static {
    // Minified, a class has another name, and what classifies by `constructor.name` should know ours.
    Object.defineProperty(this, "name", { value: "ComputeError" });
    // On the prototype and not a field, so that the engine already sees it when it writes the head of `stack`.
    Object.defineProperty(this.prototype, "name", { value: "ComputeError", configurable: true, writable: true });
    Object.defineProperty(this.prototype, BRAND, { value: true });
  }

  /** Made by the package; {@link ComputeError.revive} makes one of plain data. */
  constructor(data: SerializedComputeError, options?: ErrorOptions) {
    super(data.message, options);
    this.code = data.code;
    this.stableId = data.stableId;
    this.retry = data.retry;
    this.operation = data.operation;
    this.reason = data.reason;
    this.context = Object.freeze({ ...data.context });
    this.fix = data.fix;
  }

  /** Plain data for `postMessage` or a log: `structuredClone` drops the own fields of an `Error`, this keeps them. */
  toJSON(): SerializedComputeError {
    const { code, stableId, retry, operation, reason, context, message, fix } = this;
    return { code, stableId, retry, operation, reason, context: { ...context }, message, fix };
  }

  /** Whether this is a `ComputeError`, also one of another realm or of a second copy of the package. */
  static is(x: unknown): x is ComputeError {
    try {
      return typeof x === "object" && x !== null && (x as { [BRAND]?: unknown })[BRAND] === true;
    } catch {
      return false;
    }
  }

  /** The error that {@link ComputeError.toJSON} wrote down, with a stack of this realm. */
  static revive(x: SerializedComputeError): ComputeError {
    return new ComputeError(x);
  }
}

/** A sentence with each `{key}` replaced by its value. `{operation}` is always there; a key without a value is `?`. */
function filled(sentence: string, operation: Operation, context: ErrorContext): string {
  const values: ErrorContext = { operation, ...context };
  return sentence.replace(/\{([^}]*)\}/g, (_, key: string) => (Object.hasOwn(values, key) ? String(values[key]) : "?"));
}

/** The code a reason has at an operation: its first one, but a limit passed at compile or acquire belongs to those. */
function usualCode(reason: Reason, operation: Operation): number {
  if (reason === "limit-exceeded" && operation === "compile") return ErrorCode.KernelCompileFailed;
  if (reason === "limit-exceeded" && operation === "acquire") return ErrorCode.UnsupportedFeature;
  return reasons[reason].codes[0];
}

/** The error of a reason, with the one sentence that src/error.rs has for it. */
export function computeError(
  reason: Reason,
  operation: Operation,
  context: ErrorContext,
  how: { stableId?: number; cause?: unknown } = {},
): ComputeError {
  const stableId = how.stableId ?? usualCode(reason, operation);
  const { code, retry } = catalog.find((entry) => entry.stableId === stableId) ?? catalog[catalog.length - 1]!;
  const message = filled(reasons[reason].sentence, operation, context);
  const fix = filled(reasons[reason].fix, operation, context);
  const options = how.cause === undefined ? undefined : { cause: how.cause };
  return new ComputeError({ code, stableId, retry, operation, reason, context, message, fix }, options);
}

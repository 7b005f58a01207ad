import { classify } from "./classify.js";
import { ComputeError, computeError, type Operation } from "./compute_error.js";

/** Who hears of the calls it owns: a Gpu. */
export interface Owner {
  /** A call has failed; for the counts. */
  failed(error: ComputeError): void;
  /** A call has failed, and nobody looks. */
  uncaptured(error: ComputeError): void;
  /** JavaScript has rejected the call with this error; its result is not wanted any more. */
  cancel(call: number, error: ComputeError): void;
}

/** A promise that knows whether anybody looked at it: `await`, `Promise.all` and returning it all call `then`. */
export class Call<T> extends Promise<T> {
  seen = false;

  // What hangs on a call is a plain promise: only the call itself is watched.
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  override then<A = T, B = never>(
    fulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.seen = true;
    return super.then(fulfilled, rejected);
  }
}

/** Whatever waits in the table under a call number. */
export interface Settler {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The calls of one wasm instance that are not settled. Whatever comes first settles one; the rest finds nothing. */
export class Calls {
  readonly #pending = new Map<number, Settler>();
  #last = 0;

  /** Gives the settler its number: not 0, and not one in use after 2^32 calls. */
  add(settler: Settler): number {
    do this.#last = (this.#last + 1) >>> 0;
    while (this.#last === 0 || this.#pending.has(this.#last));
    this.#pending.set(this.#last, settler);
    return this.#last;
  }

  delete(call: number): void {
    this.#pending.delete(call);
  }

  resolve(call: number, value: unknown): void {
    this.#take(call)?.resolve(value);
  }

  reject(call: number, error: unknown): void {
    this.#take(call)?.reject(error);
  }

  rejectAll(error: unknown): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const settler of pending) settler.reject(error);
  }

  #take(call: number): Settler | undefined {
    const settler = this.#pending.get(call);
    this.#pending.delete(call);
    return settler;
  }
}

/** What bounds a call. */
export interface Bounds {
  readonly signal?: AbortSignal | undefined;
  /** `Infinity` for no bound. */
  readonly timeoutMs: number;
}

/** The longest delay a timer takes, about 25 days; a longer one would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * One call on its way: its promise, its number, and what has to be taken down when it settles. `finish` makes the
 * user's value of wasm's, with `subject` as what only this call knows, so that no closure is made for each call.
 */
export class Pending<T, S = undefined> implements Settler {
  readonly promise: Call<T>;
  readonly call: number;
  readonly #resolve: (value: T) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #calls: Calls;
  readonly #owner: Owner;
  readonly #bounds: Bounds;
  readonly #operation: Operation;
  readonly #label: string;
  readonly #finish: (value: never, subject: S) => T;
  readonly #subject: S;
  readonly #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    calls: Calls,
    owner: Owner,
    bounds: Bounds,
    operation: Operation,
    label: string,
    finish: (value: never, subject: S) => T,
    subject: S,
  ) {
    this.promise = new Call<T>(takeSettlers);
    this.#resolve = takenResolve;
    this.#reject = takenReject;
    this.#calls = calls;
    this.#owner = owner;
    this.#bounds = bounds;
    this.#operation = operation;
    this.#label = label;
    this.#finish = finish;
    this.#subject = subject;
    this.call = calls.add(this);
    const { signal, timeoutMs } = bounds;
    if (signal) signal.addEventListener("abort", this);
    if (timeoutMs <= MAX_TIMER_MS) this.#timer = setTimeout(expire, timeoutMs, this);
  }

  resolve(value: unknown): void {
    this.#release();
    try {
      this.#resolve(this.#finish(value as never, this.#subject));
    } catch (error) {
      this.#fail(classify(error, { operation: "read" }));
    }
  }

  reject(error: unknown): void {
    this.#release();
    this.#fail(classify(error));
  }

  /** The signal has fired. */
  handleEvent(): void {
    const { reason } = this.#bounds.signal!;
    this.#giveUp(aborted(this.#operation, this.#label, reason), reason);
  }

  /** The time is over. */
  expire(): void {
    const context = { label: this.#label, timeoutMs: this.#bounds.timeoutMs };
    this.#giveUp(computeError("timeout", this.#operation, context));
  }

  #giveUp(error: ComputeError, reason?: unknown): void {
    this.#calls.delete(this.call);
    this.#release();
    this.#owner.cancel(this.call, error);
    this.#fail(error, reason);
  }

  #release(): void {
    this.#bounds.signal?.removeEventListener("abort", this);
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  #fail(error: ComputeError, reason: unknown = error): void {
    fail(this.promise, this.#reject, this.#owner, error, reason);
  }
}

function expire(pending: Pending<unknown, unknown>): void {
  pending.expire();
}

// An executor is called inside the constructor, so one executor for all can hand its functions over here.
let takenResolve: (value: unknown) => void;
let takenReject: (reason: unknown) => void;
function takeSettlers(resolve: (value: never) => void, reject: (reason: unknown) => void): void {
  takenResolve = resolve as (value: unknown) => void;
  takenReject = reject;
}

/** A call that is refused before wasm hears of it. `reason` is what the caller gets, where it is not the error. */
export function refused(owner: Owner, error: ComputeError, reason: unknown = error): Call<never> {
  const promise = new Call<never>(takeSettlers);
  fail(promise, takenReject, owner, error, reason);
  return promise;
}

/** What an abort counts as. The caller gets the signal's reason itself, as `fetch` gives it. */
export function aborted(operation: Operation, label: string, cause: unknown): ComputeError {
  return computeError("aborted", operation, { label }, { cause });
}

function fail(
  promise: Call<unknown>,
  reject: (reason: unknown) => void,
  owner: Owner,
  error: ComputeError,
  reason: unknown,
): void {
  owner.failed(error);
  // Handled as far as the engine knows; whether anybody looked is judged one task later, as the engine would do it.
  Promise.prototype.then.call(promise, undefined, ignore);
  reject(reason);
  if (failures.length === 0) setTimeout(judge, 0);
  failures.push({ promise, owner, error });
}

function ignore(): void {}

interface Failure {
  readonly promise: Call<unknown>;
  readonly owner: Owner;
  readonly error: ComputeError;
}

let failures: Failure[] = [];

/** Errors that somebody was told of. One failure of many calls is one event at most. */
const told = new WeakSet<ComputeError>();

/** Somebody has this error in hands. */
export function tell(error: ComputeError): void {
  told.add(error);
}

export function isTold(error: ComputeError): boolean {
  return told.has(error);
}

function judge(): void {
  const judged = failures;
  failures = [];
  for (const { promise, error } of judged) if (promise.seen) tell(error);
  for (const { owner, error } of judged) {
    if (isTold(error)) continue;
    tell(error);
    owner.uncaptured(error);
  }
}

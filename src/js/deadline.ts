import { computeError } from "./compute_error.js";

/** Bounds a wait: `failed` rejects when the signal fires or the time is over, which runs while the page is visible. */
export class Deadline {
  readonly failed: Promise<never>;
  readonly #label: string;
  readonly #signal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  #leftMs: number;
  #startedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #reject!: (reason: unknown) => void;

  constructor(label: string, timeoutMs: number, signal: AbortSignal | undefined) {
    this.#label = label;
    this.#timeoutMs = timeoutMs;
    this.#leftMs = timeoutMs;
    this.#signal = signal;
    this.failed = new Promise((_, reject) => (this.#reject = reject));
    this.failed.catch(() => {});
    signal?.addEventListener("abort", this);
    page()?.addEventListener("visibilitychange", this);
    this.handleEvent();
  }

  /** The signal has fired, or the page has become visible or hidden. */
  handleEvent(): void {
    if (this.#signal?.aborted) this.#reject(this.#signal.reason);
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#leftMs -= performance.now() - this.#startedAt;
    }
    if (page()?.visibilityState === "hidden") return;
    this.#startedAt = performance.now();
    this.#timer = setTimeout(() => this.#expire(), this.#leftMs);
  }

  #expire(): void {
    const context = { label: this.#label, timeoutMs: this.#timeoutMs };
    this.#reject(computeError("timeout", "acquire", context));
  }

  /** The wait is over. */
  release(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this);
    page()?.removeEventListener("visibilitychange", this);
  }
}

/** The document; workers have none, and always count as visible. */
function page(): Document | undefined {
  return globalThis.document;
}

import { computeError } from "./compute_error.js";
import type { AcquireOptions } from "./contract.js";

/** Where the wasm can come from. */
export type WasmSource = NonNullable<AcquireOptions["wasm"]>;

/** The wasm file out of its embedded form: deflate-raw, then base64. */
export async function inflated(base64: string): Promise<ArrayBuffer> {
  const packed = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(stream).arrayBuffer();
}

/** Compiles the wasm. Rejects `"wasm-blocked"` where the page's policy forbids it, else `"load-failed"`. */
export async function compiled(source: WasmSource | (() => Promise<WasmSource>)): Promise<WebAssembly.Module> {
  try {
    if (typeof WebAssembly === "undefined") throw new Error("this browser has no WebAssembly");
    const given = await (typeof source === "function" ? source() : source);
    const fetched = typeof given === "string" || given instanceof URL ? await fetch(given) : given;
    const module = isModule(fetched) ? fetched : await compiledContents(fetched);
    // The glue keeps whatever it was started with, so another file must not come that far.
    const isOurs = WebAssembly.Module.exports(module).some(({ name }) => name === "__instance_terminated");
    if (!isOurs) throw new Error("it is not the wasm of this package");
    return module;
  } catch (cause) {
    if (await isBlocked()) throw computeError("wasm-blocked", "load", {}, { cause });
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw computeError("load-failed", "load", { problem }, { cause });
  }
}

async function compiledContents(source: Response | BufferSource): Promise<WebAssembly.Module> {
  if (!isResponse(source)) return WebAssembly.compile(source);
  if (!source.ok) throw new Error(`the server answered ${source.status} for ${source.url}`);
  // The streaming compile insists on the media type, and many servers do not know it.
  if (source.headers.get("content-type")?.startsWith("application/wasm")) return WebAssembly.compileStreaming(source);
  return WebAssembly.compile(await source.arrayBuffer());
}

// By shape, because a module or a response of another realm is as good.
function isModule(x: object): x is WebAssembly.Module {
  return Object.prototype.toString.call(x) === "[object WebAssembly.Module]";
}

function isResponse(x: object): x is Response {
  return Object.prototype.toString.call(x) === "[object Response]";
}

/** Whether the page's policy refuses WebAssembly: it then refuses the empty module too, a broken file does not. */
async function isBlocked(): Promise<boolean> {
  if (typeof WebAssembly === "undefined") return false;
  const empty = Uint8Array.of(0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00);
  return WebAssembly.compile(empty).then(
    () => false,
    () => true,
  );
}

/**
 * `Symbol.dispose` and `Symbol.asyncDispose`, or what stands in for them where the engine has none: bundlers that
 * translate `using` look for the same registered symbols.
 */
export const dispose: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
export const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");

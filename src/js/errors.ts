/**
 * The codes, the catalogue and `classify`, without wasm: for code that handles failures and never computes.
 *
 * @module
 */
export { ComputeError, ErrorCode, errorCatalog } from "./compute_error.js";
export type {
  CatalogEntry,
  ErrorCodeName,
  ErrorContext,
  Operation,
  RetryClass,
  SerializedComputeError,
} from "./compute_error.js";
export { classify } from "./classify.js";

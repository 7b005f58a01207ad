import { acquire, ComputeError, ErrorCode, errorCatalog } from "steadfast-gpu";
import type { CatalogEntry, ErrorCodeName, Operation, RetryClass, SerializedComputeError } from "steadfast-gpu";
import { classify, ComputeError as SameComputeError } from "steadfast-gpu/errors";

const lost: 1008 = ErrorCode.DeviceLost;
const unknown: 1999 = ErrorCode["Unknown"];
// @ts-expect-error: there is no such code
ErrorCode.OutOfCheese;
// @ts-expect-error: ids do not change
ErrorCode.DeviceLost = 1;

const names: ErrorCodeName[] = ["DeviceOutOfMemory", "CooperativeResidencyExceeded"];
const entries: readonly CatalogEntry[] = errorCatalog;

export async function handle(): Promise<number> {
  try {
    await acquire();
    return 0;
  } catch (x) {
    if (!ComputeError.is(x)) throw x;
    const error: ComputeError = x;
    const code: ErrorCodeName = error.code;
    const retry: RetryClass = error.retry;
    const operation: Operation = error.operation;
    const line: string | number | boolean | undefined = error.context["line"];
    const plain: SerializedComputeError = error.toJSON();
    // @ts-expect-error: a failure is not rewritten
    error.reason = "another";
    const revived: SameComputeError = ComputeError.revive(plain);
    const isOne: boolean = revived instanceof ComputeError;
    // A switch over the codes is checked.
    switch (code) {
      case "DeviceLost":
        return error.stableId;
      // @ts-expect-error: no such code
      case "DeviceGone":
        return 1;
      default:
        console.log(retry, operation, line, isOne, error.fix, error.cause, error.message);
    }
    return classify(x, { operation: "read", lost: true }).stableId;
  }
}

console.log(lost, unknown, names, entries);

import { checkBuffer } from "./buffer.js";
import { checkCount, checkOptions, invalid, misused } from "./check.js";
import type { GpuHandle } from "./gpu.js";
import {
  type Check,
  GRID_ELEMENTS,
  GRID_FIRST_OUTPUT,
  GRID_INDIRECT,
  GRID_WORKGROUPS,
  type Launch,
  launchOf,
  RUN_OPTIONS,
} from "./launch.js";
import type { Grid } from "./types.js";

/** A grid as wasm takes it: what the three numbers mean, and they. */
export interface GridNumbers {
  readonly kind: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** What a dispatch was told, checked. */
export interface Dispatch {
  readonly launch: Launch;
  readonly grid: GridNumbers;
}

export const FROM_FIRST_OUTPUT: GridNumbers = { kind: GRID_FIRST_OUTPUT, x: 0, y: 0, z: 0 };

const GRID: Readonly<Record<string, Check>> = {
  workgroups: (operation, name, value) => {
    const counts: unknown = typeof value === "number" ? [value] : value;
    if (!Array.isArray(counts) || counts.length < 1 || counts.length > 3) {
      throw invalid(operation, name, "a number or up to three numbers", value);
    }
    for (const count of counts) if (count !== undefined) checkCount(operation, name, count);
  },
  elements: checkCount,
  indirect: (operation, name, value) => {
    if (typeof value !== "object" || value === null) throw invalid(operation, name, "{ buffer, offset? }", value);
    checkOptions(operation, value, { buffer: checkBuffer, offset: checkCount });
  },
};

const DISPATCH_OPTIONS = { ...RUN_OPTIONS, ...GRID };

/** The options of a dispatch. */
export function dispatchOf(options: object | undefined, gpu: GpuHandle): Dispatch {
  if (options === undefined) return gpu.plainDispatch;
  const launch = launchOf(options, gpu.plain, "dispatch", DISPATCH_OPTIONS);
  return { launch, grid: numbersOf(options, gpu) };
}

/** The grid of an entry of a batch. */
export function gridOf(grid: object | undefined, gpu: GpuHandle): GridNumbers {
  if (grid === undefined) return FROM_FIRST_OUTPUT;
  checkOptions("dispatch", grid, GRID);
  return numbersOf(grid, gpu);
}

function numbersOf({ workgroups, elements, indirect }: Grid, gpu: GpuHandle): GridNumbers {
  const given = Object.entries({ workgroups, elements, indirect }).filter(([, value]) => value !== undefined);
  if (given.length > 1) {
    const names = given.map(([name]) => name).join(" and ");
    throw misused("dispatch", "the grid", "one of workgroups, elements, indirect", names);
  }
  if (elements !== undefined) return { kind: GRID_ELEMENTS, x: elements, y: 0, z: 0 };
  if (workgroups !== undefined) {
    const [x, y = 1, z = 1] = typeof workgroups === "number" ? [workgroups] : workgroups;
    return { kind: GRID_WORKGROUPS, x, y, z };
  }
  if (indirect !== undefined) {
    const buffer: unknown = indirect.buffer;
    checkBuffer("dispatch", "the buffer of indirect", buffer);
    if (buffer.dtype !== "u32") throw misused("dispatch", "the buffer of indirect", "of type u32", buffer.dtype);
    return { kind: GRID_INDIRECT, x: buffer.idFor(gpu, "dispatch"), y: indirect.offset ?? 0, z: 0 };
  }
  return FROM_FIRST_OUTPUT;
}

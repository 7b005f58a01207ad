// What the page shows where it has no device: copied from a run of that page. A test holds it to a live run.
export const recorded = {
  where: "Recorded on 1 December 2026 in headless Chromium 156 on a software adapter (SwiftShader). What needs no device runs here.",
  errors: {
    1001: [
      {
        code: "DeviceOutOfMemory",
        stableId: 1001,
        retry: "same-device",
        operation: "upload",
        reason: "budget-exceeded",
        context: {
          label: "buffer 1",
          requested: 4000,
          used: 0,
          allowed: 1024,
        },
        message: "`buffer 1` needs 4000 bytes, but 0 of the budget of 1024 bytes are in use.",
        fix: "Destroy buffers that are no longer needed, or raise memoryBudgetBytes.",
      },
      {
        code: "DeviceOutOfMemory",
        stableId: 1001,
        retry: "same-device",
        operation: "upload",
        reason: "out-of-memory",
        context: {
          label: "the device",
          problem: "Failed to execute 'createBuffer' on 'GPUDevice': createBuffer failed, size (1099511627776) is too large for the implementation when mappedAtCreation == true",
        },
        message: "There was not enough memory for `the device`.",
        fix: "Destroy buffers that are no longer needed, or work in smaller pieces, then repeat the call.",
      },
    ],
    1003: [
      {
        code: "PoisonedLock",
        stableId: 1003,
        retry: "new-device",
        operation: "dispatch",
        reason: "panicked",
        context: {
          detail: "panicked at src/api/core.rs:87:5: panicked on purpose",
        },
        message: "The wasm instance stopped: panicked at src/api/core.rs:87:5: panicked on purpose.",
        fix: "Call acquire() again and create buffers and kernels anew; please report the panic.",
      },
    ],
    1004: [
      {
        code: "KernelCompileFailed",
        stableId: 1004,
        retry: "never",
        operation: "compile",
        reason: "wgsl",
        context: {
          label: "broken",
          problem: "unresolved value 'missing'",
          line: 4,
          column: 24,
          length: 7,
          snippet: "  fn broken() { y[0] = missing; }",
        },
        message: "`broken` did not compile: line 4, column 24: unresolved value 'missing'",
        fix: "Correct the WGSL at the line and column named.",
      },
    ],
    1005: [
      {
        code: "DispatchFailed",
        stableId: 1005,
        retry: "never",
        operation: "read",
        reason: "validation",
        context: {
          problem: '[Buffer "buffer 1"] used in submit while destroyed.\n - While calling [Queue].Submit([[CommandBuffer]])\n',
          label: "buffer 1",
        },
        message: 'The browser refused `buffer 1`: [Buffer "buffer 1"] used in submit while destroyed.\n - While calling [Queue].Submit([[CommandBuffer]])\n',
        fix: "Read `cause`: it says what was refused.",
      },
    ],
    1006: [
      {
        code: "InvalidProgram",
        stableId: 1006,
        retry: "never",
        operation: "dispatch",
        reason: "binding-missing",
        context: {
          label: "twice",
          name: "x",
        },
        message: "`twice` needs `x`, which the call does not give.",
        fix: "Pass `x` by its WGSL name.",
      },
    ],
    1008: [
      {
        code: "DeviceLost",
        stableId: 1008,
        retry: "new-device",
        operation: "read",
        reason: "device-lost",
        context: {
          problem: "Device was destroyed.",
          label: "scores",
          generation: 1,
        },
        message: "The device was lost during read of `scores`.",
        fix: "Acquire again and repeat.",
      },
    ],
    1009: [
      {
        code: "ExecutionAborted",
        stableId: 1009,
        retry: "never",
        operation: "dispatch",
        reason: "timeout",
        context: {
          label: "spin",
          timeoutMs: 1,
        },
        message: "`spin` did not finish within 1 ms.",
        fix: "Allow more time, or split the work into shorter pieces.",
      },
    ],
  },
};

// Runs in every page and worker of the package tests, before anything else: shows what would otherwise be lost, and
// gives the tests' functions their few words.

(() => {
  const devices = [];

  if (globalThis.GPUAdapter) {
    const requestDevice = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...args) {
      const device = await requestDevice.apply(this, args);
      devices.push(device);
      device.addEventListener("uncapturederror", ({ error }) => {
        console.error(`uncaptured GPU error: ${error.constructor.name}: ${error.message}`);
      });
      return device;
    };
  }

  /** Resolves when every device has said all it had to say: an idle error is delivered only with a later submit. */
  globalThis.settleDevices = async () => {
    for (const device of devices) {
      device.queue.submit([]);
      const hung = new Promise((resolve) => setTimeout(resolve, 2000));
      await Promise.race([device.queue.onSubmittedWorkDone().catch(() => {}), device.lost, hung]);
    }
    // One task more, for events and unhandled rejections that are queued already.
    const { port1, port2 } = new MessageChannel();
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(0);
    });
    port1.close();
  };

  /** What a promise, or a function that makes one, fails with, as plain data; undefined when it succeeds. */
  globalThis.failureOf = async (action) => {
    try {
      await (typeof action === "function" ? action() : action);
      return undefined;
    } catch (error) {
      const plain = typeof error?.toJSON === "function" ? error.toJSON() : {};
      const isComputeError = error instanceof globalThis.steadfast.ComputeError;
      return { ...plain, name: error?.name, message: error?.message, isComputeError, text: String(error) };
    }
  };

  /** Throws unless this Gpu still does a correct job. */
  globalThis.doGoodJob = async (gpu) => {
    const doubled = await gpu.elementwise("x * 2")(Float32Array.of(1, 2, 3));
    if (String(doubled) !== "2,4,6") throw new Error(`a good job gave ${doubled}`);
  };
})();

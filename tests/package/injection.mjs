// Faults that no page can provoke, put between the browser and the package.

/**
 * For `init`: gives the page `swap`, by which a method of WebGPU becomes another until it is put back.
 *
 * `swap(owner, name, make)`: `make(original)` is the method from now on; the function it returns puts the original back.
 * `report(className, message)`: a report of a class that browsers have no constructor for.
 */
export function injecting() {
  globalThis.swap = (owner, name, make) => {
    const original = owner[name];
    owner[name] = make(original);
    return () => (owner[name] = original);
  };
  globalThis.report = (className, message) => Object.assign(new { [className]: class {} }[className](), { message });
}

/** For `init`: as {@link injecting}, and the devices of the page are lost when the test calls `lose()`, and not before. */
export function losing() {
  globalThis.lossReport = { reason: "unknown", message: "the driver was reset" };
  const lost = new Promise((resolve) => (globalThis.lose = () => resolve(lossReport)));
  Object.defineProperty(GPUDevice.prototype, "lost", { get: () => lost, configurable: true });
}

// Firefox as the harness needs a browser: the few words of Playwright that the tests use, over puppeteer.

import { launchFirefox } from "../../.ci/firefox.mjs";

/** A running Firefox. It takes no launch options. */
export async function launch() {
  const browser = await launchFirefox();
  return {
    async newContext() {
      const context = await browser.createBrowserContext();
      return { newPage: async () => pageOf(await context.newPage()), close: () => context.close() };
    },
    close: () => browser.close(),
  };
}

async function pageOf(page) {
  await page.evaluateOnNewDocument(spellOutErrors);
  return {
    on(type, listener) {
      if (type !== "console") return page.on(type, listener);
      page.on("console", (message) => {
        const named = message.type() === "warn" ? "warning" : message.type();
        listener({ type: () => named, text: () => message.text() });
      });
    },
    addInitScript: (script) => page.evaluateOnNewDocument(script.content ?? script),
    evaluate: (what, ...arg) => page.evaluate(what, ...arg),
    goto: (url) => page.goto(url),
    reload: () => page.reload(),
    url: () => page.url(),
  };
}

/** An error that is logged as an object comes through the protocol without its text. */
function spellOutErrors() {
  for (const level of ["error", "warn"]) {
    const log = console[level];
    console[level] = (...values) => log.apply(console, values.map((x) => (x instanceof Error ? String(x) : x)));
  }
}

/** Answers what {@link workerOf} sends. */
export const workerScript = `
addEventListener("message", async ({ data: { source, port } }) => {
  try {
    port.postMessage({ value: await (0, eval)(source) });
  } catch (error) {
    port.postMessage({ error: String(error?.stack ?? error) });
  }
});
`;

/** The page's worker, in which the protocol cannot evaluate: what it is to do goes to it as a message. */
export function workerOf(page) {
  return {
    evaluate: (source) =>
      page.evaluate(
        (source) =>
          new Promise((resolve, reject) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = ({ data }) => ("error" in data ? reject(new Error(data.error)) : resolve(data.value));
            globalThis.worker.postMessage({ source, port: port2 }, [port2]);
          }),
        source,
      ),
  };
}

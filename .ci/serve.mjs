// A static file server for pages of this repository.

import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".jpg": "image/jpeg",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".ts": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".wgsl": "text/plain; charset=utf-8",
};

/**
 * Serves folders on 127.0.0.1.
 *
 * @param {Record<string, string>} folders URL prefix (ending in "/") to folder; the longest prefix that fits is used
 * @param {{ port?: number, pages?: Record<string, { body: string, headers?: object }> }} options
 *   `pages`: documents made here, by path; they go before files. `port`: 0 takes a free one.
 * @returns {Promise<{ url: string, port: number, close(): Promise<void> }>}
 */
export async function serve(folders, { port = 0, pages = {} } = {}) {
  const prefixes = Object.keys(folders).sort((a, b) => b.length - a.length);

  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const page = pages[path];
    if (page) {
      response.writeHead(200, { "content-type": types[extname(path)] ?? types[".html"], ...page.headers });
      response.end(page.body);
      return;
    }
    const prefix = prefixes.find((start) => path.startsWith(start));
    const file = prefix && (await fileAt(folders[prefix], path.slice(prefix.length)));
    if (!file) {
      response.writeHead(404, { "content-type": "text/plain" });
      response.end(`There is no ${path} here.\n`);
      return;
    }
    response.writeHead(200, {
      "content-type": types[extname(file)] ?? "application/octet-stream",
      "cache-control": "no-cache",
    });
    createReadStream(file).pipe(response);
  });

  await new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const bound = server.address().port;
  return {
    url: `http://127.0.0.1:${bound}/`,
    port: bound,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The file a path names inside a folder: a folder's index.html, nothing outside. */
async function fileAt(folder, path) {
  const inside = normalize(`/${path}`);
  const file = join(folder, inside);
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return file;
  const index = join(file, "index.html");
  return found?.isDirectory() && (await stat(index).catch(() => undefined)) ? index : undefined;
}

// The module in Node: the cluster is in a thread of worker_threads.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type { CreateCluster } from "./api";
import { compile, start } from "./cluster";

const known = new Map<string, Promise<WebAssembly.Module>>();

/** The control plane in a file, compiled once. */
function load(file: URL): Promise<WebAssembly.Module> {
  let module = known.get(file.href);
  if (!module) {
    module = readFile(file).then((bytes) => compile(new Blob([bytes]).stream()));
    module.catch(() => known.delete(file.href));
    known.set(file.href, module);
  }
  return module;
}

export const createCluster: CreateCluster = (options = {}) => {
  const worker = new Worker(new URL("./worker.node.js", import.meta.url));
  return start(
    {
      send: (message) => worker.postMessage(message),
      receive: (take) => worker.on("message", take),
      ended: (take) => worker.on("error", (error: Error) => take(error.message)),
      terminate: () => void worker.terminate(),
    },
    load(new URL(options.wasm ?? "./kubewalk.wasm.zst", import.meta.url)),
    options,
  );
};

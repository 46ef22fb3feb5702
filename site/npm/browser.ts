// The module in a page: the cluster is in a Web Worker.

import type { CreateCluster } from "./api";
import { compile, start } from "./cluster";

const known = new Map<string, Promise<WebAssembly.Module>>();

/** The control plane at an address, compiled once. What failed may be tried again. */
function load(at: string): Promise<WebAssembly.Module> {
  let module = known.get(at);
  if (!module) {
    module = fetch(at).then((answer) => {
      if (!answer.ok || !answer.body) throw new Error(`${at}: ${answer.status}`);
      return compile(answer.body);
    });
    module.catch(() => known.delete(at));
    known.set(at, module);
  }
  return module;
}

export const createCluster: CreateCluster = (options = {}) => {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  return start(
    {
      send: (message) => worker.postMessage(message),
      receive: (take) => (worker.onmessage = ({ data }) => take(data)),
      ended: (take) => (worker.onerror = ({ message }) => take(message ?? "the worker could not be loaded")),
      terminate: () => worker.terminate(),
    },
    load((options.wasm ?? new URL("./kubewalk.wasm.zst", import.meta.url)).toString()),
    options,
  );
};

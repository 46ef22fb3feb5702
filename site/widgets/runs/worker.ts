// The worker that holds the control plane: loads the wasm and passes calls on to
// the functions of wasm/main.go. It answers in order.
//
//	{id, call: "load", wasm}   loads; sends {progress: bytes} on the way
//	{id, call: one of Functions, text}   JSON in
//	→ {id, text}   JSON out, or {id, error, dead}; nothing more can be asked of what is dead
//
// The control plane holds several sessions, each under a number that the page
// chooses: every call about one has it as world in its JSON. What there is to
// call, and what it answers, is Functions.

import type { Functions } from "../generated/session";
import { decompressed } from "./load";
import { unzstd } from "./zstd";

export interface Request {
  id: number;
  call: "load" | keyof Functions;
  text?: string;
  /** An address, or, in a page that is a file, what is there: an address in such a page is only the page's. */
  wasm?: string | Blob;
}

export type Answer = { id: number; text: string } | { id: number; error: string; dead: boolean } | { progress: number };

/** Go's own glue defines it, which the build puts into this script (generator/assets). */
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

type Bridge = Record<keyof Functions, (text?: string) => string>;

const send = (answer: Answer) => (postMessage as (message: Answer) => void)(answer);
const bridge = () => (globalThis as { kubewalk?: Bridge }).kubewalk;
let stopped = "";

async function load(wasm: string | Blob): Promise<void> {
  if (bridge()) return;
  const go = new Go();
  const { instance } = await instantiate(wasm, go.importObject);
  void go.run(instance).then(
    () => (stopped = "it has stopped"),
    (error: unknown) => (stopped = String(error)),
  );
  if (!bridge()) throw new Error("it did not start");
}

function instantiate(wasm: string | Blob, imports: WebAssembly.Imports): Promise<WebAssembly.WebAssemblyInstantiatedSource> {
  return WebAssembly.instantiateStreaming(counted(wasm), imports);
}

/** Fetches, and tells how many bytes have come, decompressed. */
async function counted(wasm: string | Blob): Promise<Response> {
  const [answer, url] = typeof wasm === "string" ? [await fetch(wasm), wasm] : [new Response(wasm), location.href];
  if (!answer.ok || !answer.body) throw new Error(`${new URL(url).pathname}: ${answer.status}`);
  let bytes = 0;
  let told = 0;
  let toldAt = 0;
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes - told > 300_000 || performance.now() - toldAt > 1000) {
        send({ progress: (told = bytes) });
        toldAt = performance.now();
      }
      controller.enqueue(chunk);
    },
  });
  return new Response((await decompressed(answer, url)).pipeThrough(unzstd()).pipeThrough(count), { headers: { "Content-Type": "application/wasm" } });
}

let queue = Promise.resolve();

addEventListener("message", (event: MessageEvent<Request>) => {
  const { id, call, text, wasm } = event.data;
  queue = queue.then(async () => {
    try {
      if (call === "load") {
        await load(wasm!);
        return send({ id, text: "{}" });
      }
      if (stopped) throw new Error(stopped);
      const answer = bridge()![call]!(text);
      if (typeof answer !== "string") throw new Error(stopped || "it has stopped"); // it ran out of memory, or of stack
      send({ id, text: answer });
    } catch (error) {
      send({ id, error: error instanceof Error ? error.message : String(error), dead: call !== "load" });
    }
  });
});

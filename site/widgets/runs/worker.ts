// The worker that holds the control plane: loads the wasm and passes calls on to
// the functions of wasm/main.go. It answers a page in order. As a shared worker it has several pages, which take turns.
//
//	→ {pages}   how many share it, whenever one comes or goes
//	{id, call: "load", wasm}   loads; sends {progress: bytes} on the way, and answers Loaded
//	{id, call: one of Functions, text}   JSON in
//	→ {begun: id}   it is this call's turn
//	→ {id, text, ms}   JSON out, and how long it took; or {id, error, dead}; nothing more can be asked of what is dead
//	{lock}   of a shared worker: the page is gone when nobody holds this lock any more
//
// The control plane holds several sessions, each under a number that the page
// chooses, after the one that it is told: every call about one has it as world in its JSON.
// What there is to call, and what it answers, is Functions.

import type { Functions } from "../generated/session";
import { decompressed } from "./load";
import { Turns } from "./turns";
import { unzstd } from "./zstd";

export interface Request {
  id: number;
  call: "load" | keyof Functions;
  text?: string;
  /** An address, or, in a page that is a file, what is there: an address in such a page is only the page's. */
  wasm?: string | Blob;
  /** The name of a lock that the worker is to hold for as long as it lives: nobody tells a page that its worker has died, and the lock is free then. */
  alive?: string;
}

export type Answer = { id: number; text: string; ms: number }
  | { id: number; error: string; dead: boolean } | { begun: number } | { progress: number } | { pages: number };

export interface Loaded {
  /** The numbers of the page's sessions come after this one. */
  first: number;
  pages: number;
  /** The larger build of the control plane, if there is one. */
  larger?: Build | undefined;
}

/** One of the builds of the control plane. */
export interface Build {
  /** Where it is, as seen from the worker. */
  wasm: string;
  /** As it is, bytes. */
  size: number;
}

/** How many sessions a page may open. */
const numbers = 2 ** 20;

/** What a page sends once to a shared worker. */
export interface Lock {
  lock: string;
}

/** Go's own glue defines it, which the build puts into this script (generator/build/assets). */
declare class Go {
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

type Bridge = Record<keyof Functions, (text?: string) => string>;

interface Page {
  send(answer: Answer): void;
  first: number;
  /** The sessions that it has opened. */
  worlds: Set<number>;
}

const pages = new Set<Page>();
let met = 0; // pages, also those that are gone
const tell = (answer: Answer) => pages.forEach((page) => page.send(answer));
const host = globalThis as { kubewalk?: Bridge; kubewalkLarger?: Build }; // the build sets the second (generator/build/assets)
const bridge = () => host.kubewalk;
let stopped = "";

async function load(wasm: string | Blob): Promise<void> {
  if (stopped) throw new Error(stopped);
  if (bridge()) return;
  const go = new Go();
  const { instance } = await instantiate(wasm, go.importObject);
  void go.run(instance).then(
    () => (stopped = "it has stopped"),
    (error: unknown) => (stopped = String(error)),
  );
  if (!bridge()) throw new Error("it did not start");
}

/** Takes a lock, and never gives it back; without an origin there are none. */
function hold(name: string): Promise<unknown> {
  return new Promise((held) => navigator.locks?.request(name, () => (held(name), new Promise(() => {}))).catch(held) ?? held(name));
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
        tell({ progress: (told = bytes) });
        toldAt = performance.now();
      }
      controller.enqueue(chunk);
    },
  });
  return new Response((await decompressed(answer, url)).pipeThrough(unzstd()).pipeThrough(count), { headers: { "Content-Type": "application/wasm" } });
}

const turns = new Turns<Page, Request>(async (page, { id, call, text, wasm, alive }) => {
  page.send({ begun: id });
  try {
    if (call === "load") {
      await load(wasm!);
      if (alive) await hold(alive);
      return page.send({ id, text: JSON.stringify({ first: page.first, pages: pages.size, larger: host.kubewalkLarger } satisfies Loaded), ms: 0 });
    }
    if (stopped) throw new Error(stopped);
    if (call === "open") page.worlds.add((JSON.parse(text!) as { world: number }).world);
    const begun = performance.now();
    const answer = bridge()![call]!(text);
    if (typeof answer !== "string") throw new Error(stopped || "it has stopped"); // it ran out of memory, or of stack
    page.send({ id, text: answer, ms: performance.now() - begun });
  } catch (error) {
    page.send({ id, error: error instanceof Error ? error.message : String(error), dead: call !== "load" });
  }
});

function meet(port: Pick<MessagePort, "postMessage" | "onmessage">): void {
  const page: Page = { send: (answer) => port.postMessage(answer), first: met++ * numbers, worlds: new Set() };
  pages.add(page);
  port.onmessage = ({ data }: MessageEvent<Request | Lock>) => {
    if ("lock" in data) void navigator.locks.request(data.lock, () => leave(page));
    else turns.take(page, data);
  };
  tell({ pages: pages.size });
}

function leave(page: Page): void {
  pages.delete(page);
  turns.drop(page);
  if (!stopped) for (const world of page.worlds) bridge()?.close(JSON.stringify({ world }));
  tell({ pages: pages.size });
}

if ("onconnect" in globalThis) {
  addEventListener("connect", (event) => meet((event as MessageEvent).ports[0]!));
  addEventListener("error", ({ message }) => tell({ id: 0, error: (stopped ||= message), dead: true })); // the pages of a shared worker do not hear it
} else {
  meet(globalThis as unknown as MessagePort);
}

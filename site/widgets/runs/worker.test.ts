// The shared worker, with a control plane that notes what is asked of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Answer, Loaded, Lock, Request } from "./worker";

const listeners: Record<string, (event: unknown) => void> = {};
const locks: Record<string, () => void> = {};
const calls: string[] = [];
const control = Object.fromEntries(["open", "run", "close", "parse"].map((name) => [name, (text: string) => {
  calls.push(`${name} ${(JSON.parse(text) as { world: number }).world}`);
  if (text.includes("trap")) throw new WebAssembly.RuntimeError("unreachable");
  return "{}";
}]));
Object.assign(globalThis, { onconnect: null, addEventListener: (type: string, listen: () => void) => (listeners[type] = listen), kubewalk: control });
Object.defineProperty(globalThis, "navigator", { configurable: true, value: { locks: {
  request: (name: string, gone: () => void) => new Promise<void>((done) => (locks[name] = () => done(gone()))),
} } });
await import("./worker");

/** A page of the worker, which has loaded it. */
async function page(lock: string) {
  const told: Answer[] = [];
  const port = { postMessage: (answer: Answer) => void told.push("ms" in answer ? { ...answer, ms: 0 } : answer),
    onmessage: undefined as ((event: { data: Request | Lock }) => void) | undefined };
  listeners["connect"]!({ ports: [port] });
  let id = 0;
  const ask = async (call: Request["call"], argument: object = {}, alive?: string) => {
    port.onmessage!({ data: { id: ++id, call, text: JSON.stringify(argument), wasm: "", ...(alive ? { alive } : {}) } });
    await new Promise((done) => setTimeout(done, 5));
    return told.at(-1)!;
  };
  port.onmessage!({ data: { lock } });
  const loaded = (await ask("load")) as { text: string };
  return { told, ask, ...(JSON.parse(loaded.text) as Loaded) };
}

test("each page has its numbers for sessions; what a page has open is closed when it is gone, and the others go on", async () => {
  const [a, b] = [await page("a"), await page("b")];
  assert.ok(a.first !== b.first && b.pages === 2);
  assert.deepEqual(a.told.at(-1), { pages: 2 });
  await a.ask("open", { world: a.first + 1 });
  await b.ask("open", { world: b.first + 1 });
  await a.ask("open", { world: a.first + 2 });
  assert.deepEqual(b.told.slice(-2), [{ begun: 2 }, { id: 2, text: "{}", ms: 0 }], "an answer is told to who asked, and that its turn has come");
  calls.length = 0;
  locks["a"]!();
  assert.deepEqual(calls, [a.first + 1, a.first + 2].map((world) => `close ${world}`));
  assert.deepEqual(b.told.at(-1), { pages: 1 });
  assert.deepEqual(await b.ask("run", { world: b.first + 1 }), { id: 3, text: "{}", ms: 0 });
});

test("a worker says that it is loaded when it holds the lock that tells of its life", async () => {
  const { told, ask } = await page("e");
  const before = told.length;
  await ask("load", {}, "alive");
  assert.deepEqual(told.slice(before).map((answer) => Object.keys(answer)), [["begun"]]);
  let isFree = false;
  locks["alive"]!();
  void ask("parse").then(() => (isFree = true));
  await new Promise((done) => setTimeout(done, 20));
  assert.ok(told.slice(before).some((answer) => "text" in answer) && isFree);
});

test("what breaks the control plane is told as that; what breaks it between two calls, to all pages", async () => {
  const [a, b] = [await page("c"), await page("d")];
  assert.deepEqual(await a.ask("run", { world: a.first + 1, trap: true }), { id: 2, error: "unreachable", dead: true });
  listeners["error"]!({ message: "it broke" });
  for (const { told } of [a, b]) assert.deepEqual(told.at(-1), { id: 0, error: "it broke", dead: true });
  assert.deepEqual(await b.ask("run", { world: b.first + 1 }), { id: 2, error: "it broke", dead: true });
});

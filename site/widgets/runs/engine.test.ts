import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Engine, enlarging, Stopped, type Port } from "./engine";
import type { SessionOptions } from "./sessions";
import type { Answer, Request } from "./worker";

/** A worker that answers when the test says so. */
class Fake {
  static all: Fake[] = [];
  onmessage!: (event: { data: Answer }) => void;
  onerror!: (event: { message: string; preventDefault(): void }) => void;
  readonly asked: Request[] = [];
  isTerminated = false;
  constructor(readonly url?: string) { Fake.all.push(this); }
  postMessage(request: Request) { this.asked.push(request); }
  terminate() { this.isTerminated = true; }
  answer(text = '{"first":0,"pages":1}') { this.onmessage({ data: { id: this.asked.at(-1)!.id, text, ms: 7 } }); }
  fail(error: string, dead: boolean) { this.onmessage({ data: { id: this.asked.at(-1)!.id, error, dead } }); }
}

const settled = async () => { for (let i = 0; i < 20; i++) await Promise.resolve(); };

beforeEach(() => {
  Fake.all = [];
  Object.assign(globalThis, { Worker: Fake, location: { href: "http://book/", protocol: "http:" }, origin: "http://book" });
  mock.timers.reset();
  mock.timers.enable({ apis: ["setInterval"] });
});

const addresses = { worker: "/assets/worker-1.js", wasm: "k.wasm", size: 1000 };
const engine = () => new Engine(addresses);
const ready = async () => {
  const it = engine();
  const loaded = it.load();
  Fake.all[0]!.answer();
  await loaded;
  return { it, worker: Fake.all[0]! };
};

test("it is loaded once, with what comes of it in per cent; calls wait for that", async () => {
  const it = engine();
  const told: number[] = [];
  it.onProgress = (percent) => told.push(percent);
  void it.load();
  const answer = it.call<{ args: string[] }>("parse", { line: "get pods" });
  const [worker] = Fake.all;
  assert.deepEqual([Fake.all.length, worker!.asked.map((r) => r.call), it.isReady], [1, ["load"], false]);
  worker!.onmessage({ data: { progress: 420 } });
  worker!.onmessage({ data: { progress: 5000 } });
  assert.deepEqual(told, [42, 100]);
  worker!.answer();
  await settled();
  assert.deepEqual([it.isReady, worker!.asked.at(-1)!.text], [true, '{"line":"get pods"}']);
  worker!.answer('{"args":["get","pods"]}');
  assert.deepEqual(await answer, { args: ["get", "pods"] });
});

test("what was fetched ahead is what the worker gets, and starts none; what did not come is fetched by the worker", async (t) => {
  let comes = true;
  const asked: string[] = [];
  t.mock.method(globalThis, "fetch", async (url: string) => (asked.push(url), new Response(`bytes of ${url}`, { status: comes ? 200 : 404 })));
  const it = engine();
  it.fetchAhead();
  it.fetchAhead();
  await new Promise((done) => setTimeout(done, 5));
  assert.deepEqual([Fake.all.length, asked], [0, ["k.wasm", "/assets/worker-1.js"]]);
  void it.load();
  const { wasm } = Fake.all[0]!.asked[0]!;
  assert.equal(wasm instanceof Blob && await wasm.text(), "bytes of k.wasm");
  comes = false;
  const other = engine();
  other.fetchAhead();
  await new Promise((done) => setTimeout(done, 5));
  void other.load();
  assert.equal(Fake.all[1]!.asked[0]!.wasm, "http://book/k.wasm");
});

test("a page without an origin starts its worker from the worker's own text", async (t) => {
  Object.assign(globalThis, { origin: "null" });
  const asked: string[] = [];
  t.mock.method(globalThis, "fetch", async (url: string) => (asked.push(url), new Response(`text of ${url}`)));
  const { setTimeout: later } = globalThis;
  t.mock.method(globalThis, "setTimeout", (then: () => void, ms: number) => later(then, ms).unref()); // the text is forgotten after a minute
  void engine().load();
  for (let i = 0; Fake.all.length === 0 && i < 100; i++) await new Promise((done) => setImmediate(done));
  const [worker] = Fake.all;
  assert.match(worker!.url!, /^blob:/);
  assert.equal(await (await (await import("node:buffer")).resolveObjectURL(worker!.url!)!).text(), "text of /assets/worker-1.js");
  assert.deepEqual([asked, worker!.asked[0]!.wasm], [["/assets/worker-1.js"], "http://book/k.wasm"]);
});

test("what the control plane says is wrong is an error of that call, and no more", async () => {
  const { it, worker } = await ready();
  const answer = it.call("give", {});
  await settled();
  worker.answer('{"error":"pods \\"web\\" not found"}');
  await assert.rejects(answer, /^Error: pods "web" not found$/);
  assert.ok(it.isReady);
});

test("one that dies takes all that waits with it, and the next call starts another", async () => {
  const { it, worker } = await ready();
  const both = [it.call("run", {}), it.call("frames", {})].map((call) => call.catch((error: unknown) => error));
  await settled();
  worker.fail("out of memory", true);
  for (const error of await Promise.all(both)) assert.ok(error instanceof Stopped);
  assert.ok(worker.isTerminated && !it.isReady);
  void it.load();
  assert.equal(Fake.all.length, 2);
});

test("one that dies without a word is missed at once: the lock that it held is free", async () => {
  const free = new Map<string, () => void>();
  const request = (name: string, granted: () => void) => new Promise<void>((done) => free.set(name, () => done(granted())));
  const it = new Engine({ ...addresses, locks: { request } as unknown as LockManager });
  const loaded = it.load();
  const worker = Fake.all[0]!;
  worker.answer();
  await loaded;
  const [alive] = free.keys();
  assert.equal(worker.asked[0]!.alive, alive, "the worker is told which lock");
  const answer = it.call("open", {});
  await settled();
  assert.equal(worker.asked.at(-1)!.call, "open");
  free.get(alive!)!();
  await assert.rejects(answer, Stopped);
  assert.equal(it.isReady, false);
  void it.load();
  assert.equal(Fake.all.length, 2, "the next call starts another");
  Fake.all[1]!.answer();
  await settled();
  free.get(alive!)!();
  assert.equal(it.isReady, true, "the lock of one that is gone says nothing of the next");
});

test("a worker that does not answer is given up; while it loads only a standstill counts", async () => {
  const it = engine();
  const loading = it.load().catch((error: unknown) => error);
  for (let i = 0; i < 3; i++) {
    mock.timers.tick(9000);
    Fake.all[0]!.onmessage({ data: { progress: 10 * i } });
  }
  assert.ok(!Fake.all[0]!.isTerminated, "a slow download is no failure");
  mock.timers.tick(10_000);
  const error = await loading;
  assert.ok(error instanceof Error && !(error instanceof Stopped), "nothing was lost: it may be tried again");
  const { it: other, worker } = await (async () => { Fake.all = []; return ready(); })();
  const call = other.call("run", {}).catch((e: unknown) => e);
  await settled();
  mock.timers.tick(19_000);
  assert.ok(!worker.isTerminated);
  mock.timers.tick(1000);
  assert.ok((await call) instanceof Stopped);
});

/** An engine whose worker is shared with other frames; without, there is none to be had. */
const sharing = (port?: Fake) =>
  new Engine({ worker: "/assets/worker-1.js", wasm: "k.wasm", size: 1000, share: async () => port as unknown as Port | undefined });
const loaded = async (it: Engine) => {
  const loading = it.load();
  await settled();
  Fake.all.at(-1)!.answer('{"first":3000,"pages":2}');
  await loading;
};

test("a frame joins the worker that others have, with numbers of its own for its sessions, and half the room", async () => {
  const shared = new Fake();
  const it = sharing(shared);
  await loaded(it);
  assert.deepEqual([Fake.all.length, it.sessions.hasRoom(200_000), it.sessions.hasRoom(200_001)], [1, true, false]);
  shared.onmessage({ data: { pages: 1 } });
  assert.ok(it.sessions.hasRoom(400_000));
  void it.sessions.open({ scenario: {} as never, layout: "wide", whatIf: "", inputs: [] });
  await settled();
  assert.equal((JSON.parse(shared.asked.at(-1)!.text!) as { world: number }).world, 3001);
});

test("where there is none to share, it starts one of its own", async () => {
  const it = sharing();
  await loaded(it);
  assert.equal(Fake.all[0]!.url, "/assets/worker-1.js");
});

test("what another frame has asked for may take its time; the page's own is given up as ever", async () => {
  for (const [begins, seconds] of [[false, 180], [true, 20]] as const) {
    const shared = new Fake();
    const it = sharing(shared);
    await loaded(it);
    const call = it.call("run", {}).catch((error: unknown) => error);
    await settled();
    if (begins) mock.timers.tick(60_000);
    if (begins) shared.onmessage({ data: { begun: shared.asked.at(-1)!.id } });
    mock.timers.tick(seconds * 1000 - 1000);
    assert.ok(!shared.isTerminated);
    mock.timers.tick(1000);
    assert.ok(shared.isTerminated && (await call) instanceof Stopped);
  }
});

test("a frame that hears that another one gave the worker up loses what it waits for, and goes on with the next", async () => {
  const shared = new Fake();
  const it = sharing(shared);
  await loaded(it);
  const call = it.call("run", {}).catch((error: unknown) => error);
  await settled();
  shared.onerror({ message: "given up", preventDefault() {} });
  assert.ok((await call) instanceof Stopped);
  await loaded(it);
  assert.ok(it.isReady);
});

test("nothing is watched while nothing is asked", async (t) => {
  const [started, ended] = [t.mock.method(globalThis, "setInterval"), t.mock.method(globalThis, "clearInterval")];
  const { it, worker } = await ready();
  const call = it.call("run", {});
  await settled();
  worker.answer("{}");
  await call;
  const open = new Set(started.mock.calls.map((c) => c.result));
  for (const c of ended.mock.calls) open.delete(c.arguments[0] as never);
  assert.ok(started.mock.callCount() >= 2);
  assert.equal(open.size, 0);
});

test("who does several calls has the engine to themselves", async () => {
  const { it } = await ready();
  const order: string[] = [];
  const work = (name: string) => it.exclusively(async () => {
    order.push(`${name} begins`);
    await settled();
    order.push(`${name} ends`);
  });
  const all = [work("a"), it.exclusively(() => Promise.reject(new Error("b fails"))).catch(() => order.push("b failed")), work("c")];
  await Promise.all(all);
  assert.deepEqual(order.filter((text) => !text.startsWith("b")), ["a begins", "a ends", "c begins", "c ends"]);
});

test("what nobody waits for is done when nobody takes turns", async () => {
  const { it } = await ready();
  const order: string[] = [];
  const turn = (name: string) => it.exclusively(async () => void order.push(name));
  const first = turn("a");
  const aside = it.aside(async () => void order.push("aside"));
  await first;
  await turn("b");
  await new Promise((done) => setTimeout(done, 5));
  await turn("c");
  await aside;
  assert.deepEqual(order, ["a", "b", "c", "aside"]);
});

test("an address that is not that of the site's worker starts none", async () => {
  const it = new Engine({ worker: "/static/other.js", wasm: "k.wasm", size: 1000 });
  await assert.rejects(it.load(), /\/static\/other\.js is not the worker of this site/);
  assert.equal(Fake.all.length, 0);
});

test("what only the larger build does is done by that: it takes the place of the other, once, and if it does not come the other goes on", async () => {
  for (const comes of [true, false]) {
    Fake.all = [];
    const it = engine();
    const loaded = it.load();
    Fake.all[0]!.answer('{"first":0,"pages":1,"larger":{"wasm":"large.wasm","size":2000}}');
    await loaded;
    const told: string[] = [];
    const answer = it.judge<{ args?: string[]; larger?: boolean }>("parse", { line: "get pods -o go-template=x" }, () => told.push("loading"));
    await settled();
    Fake.all[0]!.answer('{"larger":true}');
    await settled();
    assert.deepEqual([told, Fake.all[0]!.isTerminated], [["loading"], false], "before it gives up the one that is there, it asks again: others take turns");
    Fake.all[0]!.answer('{"larger":true}');
    await settled();
    const second = Fake.all[1]!;
    assert.deepEqual([Fake.all[0]!.isTerminated, second.asked.map((r) => [r.call, r.wasm])], [true, [["load", "http://book/assets/large.wasm"]]]);
    if (comes) second.answer('{"first":0,"pages":1,"larger":{"wasm":"large.wasm","size":2000}}');
    else second.fail("404", false);
    await settled();
    const last = Fake.all.at(-1)!;
    if (!comes) {
      assert.deepEqual(last.asked.map((r) => [r.call, r.wasm]), [["load", "http://book/k.wasm"]]);
      last.answer('{"first":0,"pages":1,"larger":{"wasm":"large.wasm","size":2000}}');
      await settled();
    }
    assert.equal(last.asked.at(-1)!.call, "parse");
    last.answer(comes ? '{"args":["get"]}' : '{"larger":true}');
    assert.deepEqual(await answer, comes ? { args: ["get"] } : { larger: true });
    assert.equal(Fake.all.length, comes ? 2 : 3);
  }
});

test("a branch whose inputs need the larger build is opened again in that", async () => {
  const it = engine();
  const loaded = it.load();
  Fake.all[0]!.answer('{"first":0,"pages":1,"larger":{"wasm":"large.wasm","size":2000}}');
  await loaded;
  const options = { scenario: { seed: 1, name: "x" }, layout: "wide", whatIf: "", inputs: [{ at: 1, kind: "kubectl", args: ["get"] }] };
  const user = {};
  const session = enlarging(() => it.sessions.of(user, options as unknown as SessionOptions, 0));
  await settled();
  Fake.all[0]!.answer('{"larger":true}');
  await settled();
  const second = Fake.all[1]!;
  second.answer();
  await settled();
  assert.deepEqual(second.asked.map((r) => r.call), ["load", "open"]);
  second.answer("{}");
  assert.equal((await session).user, user);
});

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { World } from "../runs/world";
import { Attention } from "./attention";
import { PlayerState, type FrameSource } from "./playerstate";
import type { Frame, Recording, RestFile } from "./recording";
import { Timeline } from "./timeline";
import { Transport, type Surroundings } from "./transport";

/** The page's animation loop, one frame at a time. */
let loop: ((time: number) => void)[] = [];
let time = 0;
beforeEach(() => {
  loop = [];
  time = performance.now();
  globalThis.requestAnimationFrame = (act) => loop.push(act);
});
const pass = async (ms: number) => {
  for (const end = time + ms; time < end; ) {
    time += 20;
    for (const act of loop.splice(0)) act(time);
    await Promise.resolve();
  }
};

const frame = (i: number): Frame => ({ e: i + 1, at: (i + 1) * 1e6, d: i * 100, who: i % 2 ? "etcd" : "kubelet/node-1",
  op: i % 2 ? "store.commit" : "request.send", m: "m", o: `pods default/web-${i}`, ...(i === 5 ? { q: true } : {}) });
const frames = (n: number) => Array.from({ length: n }, (_, i) => frame(i));

/** A run that makes three frames whenever it is asked, up to a number of them. */
class Source implements FrameSource {
  asked = 0;
  extended = 0;
  constructor(private readonly world: World, private readonly most: number) {}
  get goesOn() { return this.world.timeline.length < this.most; }
  get until() { return (this.world.timeline.length + 1) * 1e6; }
  extend() { this.extended++; }
  more() {
    this.asked++;
    this.world.timeline.append(frames(Math.min(this.most, this.world.timeline.length + 3)));
    return Promise.resolve(true);
  }
}

/** The page's wishes beside these. */
type Wishes = Pick<Surroundings, "leastSilence">;

function player({ isStill = false, missing = 0, live = 0, ...wishes }: { isStill?: boolean; missing?: number; live?: number } & Wishes = {}) {
  const all = frames(12);
  const recording = { frames: all.slice(0, 12 - missing), marks: [], first: 2, layout: "wide", length: 12, end: 1100,
    ...(missing ? { rest: "rest.json" } : {}) } as unknown as Recording;
  const state = new PlayerState(recording, { lang: "en", phrases: {} });
  const world = new World("", undefined, [...recording.frames]);
  world.marks = [{ id: "a", frame: 4, caption: {} }, { id: "b", frame: 8, d: 800, caption: {} }];
  world.first = 2;
  const source = new Source(world, live);
  if (live > 0) world.branch = Object.assign(source, { own: Infinity, inputs: [], whatIf: "" }) as never;
  const words = { loadingRest: "loading", failedRest: "failed", lookFirst: "look", lookAt: "{what}", looking: "looking",
    noneAfter: "none after: {what}", noneBefore: "none before: {what}", units: { request: "request", change: "change" },
    nothingAhead: "nothing for {n} s", lookOn: "on", nothingNow: "nothing for {n} s", quiet: "quiet", playOn: "on", silence: "{n} s pass" };
  const loads: ((file: RestFile) => void)[] = [];
  const transport = new Transport(state,
    { words, load: () => new Promise((resolve) => loads.push(resolve)), isStill: () => isStill, ...wishes } as unknown as Surroundings);
  state.show(world, 2);
  const told: number[] = [];
  state.on("told", () => told.push(state.head.target));
  return { state, world, transport, source, told, loads };
}

test("a step goes to the next event of its unit, is told at once, and arrives gliding", async () => {
  const { state, transport, told } = player();
  let arrived = 0;
  state.on("arrived", () => arrived++);
  transport.step(1);
  assert.deepEqual([state.head.index, told], [2, [3]]);
  await pass(500);
  assert.deepEqual([state.head.index, arrived, state.went], [3, 1, 3]);
  transport.step(1);
  transport.step(1);
  await pass(500);
  assert.equal(state.head.index, 6, "the quiet one is passed over");
  transport.step(-1, "request");
  assert.equal(state.head.index, 4);
});

test("for readers who want no motion a step is there at once", () => {
  const { state, transport } = player({ isStill: true });
  transport.step(1);
  assert.equal(state.head.index, 3);
});

test("a step to what is not there says so, and the next thing that is done takes that back", () => {
  const { state, transport } = player();
  state.look("pods default/web-9");
  transport.step(-1, "change");
  assert.equal(state.message.text, "none before: change · pods default/web-9");
  transport.step(1, "change");
  assert.deepEqual([state.message.text, state.head.target], ["", 9]);
});

test("who steps by changes and looks at nothing is offered what the event is about", () => {
  const { state, transport } = player({ isStill: true });
  state.seek(3);
  transport.step(1, "change");
  assert.deepEqual([state.message.text, state.message.label], ["look", "pods default/web-3"]);
  state.message.act!();
  assert.equal(state.about, "pods default/web-3");
});

test("moments, the beginning and the end", () => {
  const { state, transport } = player();
  transport.toMark(1);
  assert.equal(state.head.index, 4);
  transport.toMark(1);
  transport.toMark(1);
  assert.equal(state.head.index, 11, "after the last moment comes the end");
  transport.toEnd(-1);
  assert.equal(state.head.index, 2, "the beginning is after the set-up");
});

test("it plays to the end, and from the beginning when it plays there", async () => {
  const { state, transport } = player();
  transport.play();
  assert.ok(state.playing);
  await pass(20_000);
  assert.deepEqual([state.playing, state.head.index], [false, 11]);
  transport.toggle();
  assert.deepEqual([state.playing, state.head.index], [true, 2]);
  transport.toggle();
  assert.ok(!state.playing);
});

test("where the recording has more than is there, going on waits for it; the scrubber is where the reader wants to be", async () => {
  const { state, transport, loads } = player({ missing: 4 });
  assert.ok(transport.lacks);
  transport.toMark(1);
  transport.toMark(1);
  assert.deepEqual([state.head.index, transport.ms, state.message.text, loads.length], [4, 800, "loading", 1]);
  transport.scrub(500);
  assert.deepEqual([state.head.index, transport.ms, state.message.text], [5, 500, ""], "they did something else");
});

test("a live run is kept ahead of what is shown, and goes on when it has come to its end", async () => {
  const { state, transport, source } = player({ live: 15 });
  transport.play();
  await pass(3000);
  assert.ok(source.asked > 0);
  assert.equal(state.timeline.length, 15);
  await pass(20_000);
  assert.deepEqual([state.playing, state.head.index], [false, 14]);
  transport.play();
  assert.equal(source.extended, 1);
});

test("a run that is slow to look ahead rests where it is known to be silent for a few seconds", async () => {
  for (const [leastSilence, rests] of [[4e6, true], [20e6, false]] as const) {
    const { state, transport, source, world } = player({ live: 30, leastSilence });
    // All that comes is a heartbeat, and after ten seconds of them the worker is still at work.
    const heartbeats = Array.from({ length: 22 }, (_, i) => ({ ...frame(i), ...(i > 11 ? { q: true, d: 1100 + (i - 11) * 300 } : {}) }));
    source.more = () => (world.timeline.append(heartbeats), Promise.resolve(true));
    transport.play();
    await pass(9000);
    assert.deepEqual([state.playing, state.message.text], rests ? [false, "quiet"] : [state.playing, ""], `${leastSilence}`);
  }
});

test("how long nothing comes is told alike, however far a run was looked ahead in the meantime", async () => {
  for (const [until, told] of [[40e6, "quiet"], [372e6, "quiet"], [380e6, "nothing for 360 s"], [900e6, "nothing for 360 s"]] as const) {
    const { state, transport, source, world } = player({ live: 30 });
    Object.defineProperty(source, "until", { value: until });
    const heartbeats = Array.from({ length: 22 }, (_, i) => ({ ...frame(i), ...(i > 11 ? { q: true, d: 1100 + (i - 11) * 300 } : {}) }));
    source.more = () => (world.timeline.append(heartbeats), Promise.resolve(true));
    transport.play();
    await pass(9000);
    assert.deepEqual([state.playing, state.message.text], [false, told], `${until}`);
  }
});

test("a step beyond what a live run has made waits for it, unless the reader does something else", async () => {
  const { state, transport } = player({ isStill: true, live: 30 });
  state.seek(11);
  transport.step(1);
  assert.equal(state.message.text, "looking");
  await pass(100);
  assert.deepEqual([state.head.index, state.message.text], [12, ""]);
  state.seek(14);
  transport.step(1);
  transport.stop();
  await pass(100);
  assert.equal(state.head.index, 14);
});

test("an event that is chosen is gone to and opened; who asks why stays where they are", () => {
  const { state, transport } = player();
  const attention = new Attention(state, transport, () => undefined);
  const opened: unknown[] = [];
  state.on("opened", (what) => opened.push(what));
  attention.choose(7, true);
  assert.deepEqual([state.head.index, state.went, state.panel, opened.splice(0)], [7, 7, "log", [{ index: 7, byKey: true, asksWhy: false, isAlone: true }]]);
  state.look("pods default/web-3");
  state.went = -1;
  attention.ask();
  assert.deepEqual([state.head.index, opened], [7, [{ index: 3, byKey: false, asksWhy: true, isAlone: false }]]);
});

test("in a live run a silence of which it is known when it ends is left out, and that is told for a while", async () => {
  const { state, world, transport } = player({ live: 200 });
  // After the third event heartbeats come for a minute, ten a second of the display; then something happens.
  const quiet = Array.from({ length: 60 }, (_, i) => ({ ...frame(3 + i), q: true }));
  world.timeline = new Timeline([...frames(3), ...quiet, frame(63), frame(64)]);
  state.show(world, 2);
  const messages: string[] = [];
  state.on("message", ({ text }) => messages.push(text));
  transport.play();
  await pass(40);
  assert.equal(state.head.index, 2, "what happened settles first");
  await pass(300);
  assert.ok(state.head.index > 50, `it is at ${state.head.index}`);
  assert.deepEqual(messages, ["61 s pass"]);
  await pass(5200);
  assert.equal(messages.at(-1), "");
});

test("who has done something since they looked at something means that, and is answered when it is there", async () => {
  const { state, transport, world } = player();
  let acting: Promise<void> | undefined;
  const attention = new Attention(state, transport, () => acting);
  const opened: number[] = [];
  state.on("opened", ({ index }) => opened.push(index));
  const did = world.timeline.frames[6]!;
  world.timeline.frames[6] = { ...did, op: "input", who: "user" };
  Object.defineProperty(world, "own", { value: 6 });
  state.seek(8);
  state.look("pods default/web-7");
  await attention.ask();
  assert.deepEqual(opened.splice(0), [7]);
  state.emit("acted", { kind: "scale" });
  state.seek(5);
  acting = Promise.resolve().then(() => state.seek(7)); // its first frames come
  const asked = attention.ask();
  assert.deepEqual([opened, state.panel], [[], "log"], "nothing is opened but the panel");
  await asked;
  assert.deepEqual(opened, [6]);
});

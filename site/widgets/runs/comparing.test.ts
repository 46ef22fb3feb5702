import assert from "node:assert/strict";
import { test } from "node:test";
import { Comparing } from "./comparing";
import { Stopped, type Engine } from "./engine";
import { Sessions, type Call } from "./sessions";
import { Worlds } from "./worlds";
import type { Given } from "../given";
import { PlayerState } from "../state/playerstate";
import type { Frame, Recording } from "../state/recording";
import type { Input, Scenario } from "../state/scenario";
import type { Transport } from "../state/transport";

const frame = (e: number, o: string): Frame => ({ e, at: e * 1e6, d: e * 100, who: "etcd", op: "store.commit", m: "store.commit.MODIFIED", o });

/** A control plane in which something happens each second; from what was done on it is about that. */
function player() {
  const sessions = new Map<number, { now: number; inputs: Input[] }>();
  let dies = false;
  const call = (async (name: string, a: { world: number; until?: number; from?: number; input?: Input; inputs?: Input[] }) => {
    if (dies) throw new Stopped("it has stopped");
    if (name === "open") sessions.set(a.world, { now: 0, inputs: [...a.inputs!] });
    const session = sessions.get(a.world)!;
    if (name === "give") session.inputs.push(a.input!);
    if (name === "run") session.now = Math.max(a.until!, session.now);
    const events = Math.floor(session.now / 1e6);
    const about = (e: number) => `e${session.inputs.filter((input) => input.at / 1e9 < e).map((input) => input.replicas).join()}`;
    if (name === "frames") return Array.from({ length: Math.max(0, events - a.from! + 1) }, (_, i) => frame(a.from! + i, about(a.from! + i)));
    if (name === "header") return { marks: [], first: 0 };
    return { now: session.now, next: (events + 1) * 1e6, events };
  }) as unknown as Call;
  const engine = { isReady: true, sessions: new Sessions(call), load: async () => {},
    exclusively: <T>(work: () => Promise<T>) => work(), onProgress: () => {} } as unknown as Engine;
  const recording = { frames: Array.from({ length: 10 }, (_, i) => frame(i + 1, "e")), marks: [],
    first: 0, layout: "wide", length: 10 } as unknown as Recording;
  const scenario = { name: "demo", seed: 7, title: {}, setup: 0, cluster: { epoch: "", trace: 2 }, end: 10e9 } satisfies Scenario;
  const state = new PlayerState(recording, { lang: "en", phrases: {} });
  const fits: boolean[] = []; // whether there is to be room for two, as often as it was asked
  const given = { scenario, lang: "en", words: { failedLive: "failed", stoppedLive: "stopped", undoLast: "undo" },
    fit: async () => { fits.push(worlds.isComparing); } } as unknown as Given;
  const worlds: Worlds = new Worlds(state, { stop: () => {} } as Transport, engine, given);
  worlds.use(recording);
  worlds.show(worlds.recorded);
  const comparing = (worlds.comparing = new Comparing(state, worlds, given));
  const branch = (seconds: number, replicas: number, parent = worlds.recorded) => {
    const world = worlds.branchOff(parent, seconds * 1e6);
    world.branch!.take([...world.inputs, { at: seconds * 1e9, kind: "scale", replicas }], world.timeline.length);
    return world;
  };
  return { state, worlds, comparing, branch, fits, die: () => (dies = true) };
}

test("two worlds are shown at the moment that is shown, where that is after they part", async () => {
  const { state, worlds, comparing, branch } = player();
  const [a, b] = [branch(3, 8), branch(3, 2)];
  state.seek(8);
  const { us } = state;
  assert.ok(us > 4e6);
  assert.ok(await comparing.compare(b, a));
  assert.deepEqual([worlds.isComparing, state.us], [true, us]);
});

test("two worlds are run until they part, and shown there, the earlier made first", async () => {
  const { state, worlds, comparing, branch, fits } = player();
  const [a, b] = [branch(6, 8), branch(6, 2)];
  assert.ok(await comparing.compare(b, a));
  assert.deepEqual(worlds.shown, [a, b]);
  assert.equal(state.us, 7e6, "what was done at the sixth second shows at the seventh");
  assert.deepEqual([worlds.isComparing, fits], [true, [true]]);
});

test("at a time that is wanted they stand there", async () => {
  const { state, worlds, comparing, branch } = player();
  assert.ok(await comparing.compare(worlds.recorded, branch(6, 8), 8e6));
  assert.equal(state.us, 8e6);
});

test("from two to the one that the reader had turned to, at the same moment; the recording ends again where it ends", async () => {
  const { state, worlds, comparing, branch, fits } = player();
  const world = branch(9, 8);
  await comparing.compare(worlds.recorded, world);
  assert.ok(worlds.recorded.timeline.length > 10, "to compare, it goes on");
  worlds.comparison!.turn(0);
  comparing.part();
  assert.deepEqual([worlds.current, worlds.comparison, worlds.isComparing, fits.at(-1)], [worlds.recorded, undefined, false, false]);
  assert.equal(worlds.recorded.timeline.length, 10);
  assert.ok(state.us <= 10e6);
});

test("who goes elsewhere meanwhile is not taken back, and is told", async () => {
  const { state, worlds, comparing, branch } = player();
  const world = branch(6, 8);
  const coming = comparing.compare(worlds.recorded, world);
  await Promise.resolve();
  await Promise.resolve();
  worlds.show(worlds.recorded, 3);
  assert.equal(await coming, false);
  assert.deepEqual([worlds.comparison, state.head.index, worlds.isComparing], [undefined, 3, false]);
  assert.notEqual(state.message.text, "");
});

test("when it cannot be, that is told, and can be tried again", async () => {
  const { state, worlds, comparing, branch, die } = player();
  const world = branch(6, 8);
  die();
  assert.equal(await comparing.compare(worlds.recorded, world), false);
  assert.deepEqual([state.message.text, worlds.comparison, worlds.isComparing], ["stopped", undefined, false]);
});

test("a counterfactual is made once, and laid beside the real world; waking leads back", async () => {
  const { worlds, comparing } = player();
  await comparing.imagine("no-informer");
  assert.deepEqual(worlds.shown.map((world) => world.whatIf), ["", "no-informer"]);
  await comparing.imagine("no-informer");
  assert.equal(worlds.all.length, 2);
  comparing.wake();
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(worlds.shown, [worlds.recorded]);
});

test("one that is shown and dropped leaves its place to the one that it left", async () => {
  const { worlds, comparing, branch } = player();
  const world = branch(6, 8);
  const inner = branch(8, 2, world);
  await worlds.visit(inner, { us: 9e6 });
  comparing.drop(inner);
  assert.deepEqual([worlds.current, worlds.all.includes(inner)], [world, false]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { timeOf } from "./actions";
import { Branch, type BranchContext } from "./branch";
import { Stopped, type Engine } from "./engine";
import { Sessions, type Call } from "./sessions";
import { PlayerState } from "../state/playerstate";
import type { Frame, Recording } from "../state/recording";
import type { Input, Scenario } from "../state/scenario";
import { Timeline } from "../state/timeline";

const scenario = { name: "demo", seed: 7, title: {}, setup: 0, cluster: { epoch: "", trace: 2 }, end: 20e9 } satisfies Scenario;
const frame = (e: number): Frame => ({ e, at: e * 1e6, d: e * 100, who: "etcd", op: "store.commit", m: "m" });

/** A control plane in which something happens each second; it stops answering when it is told to. */
function branch(there = 0) {
  const calls: string[] = [];
  const now = new Map<number, number>();
  let died = false;
  const call = (async (name: string, a: { world: number; until?: number; from?: number; input?: Input }) => {
    if (died) throw new Stopped("it has stopped");
    calls.push(name === "give" ? `give ${a.input!.kind}` : name);
    if (name === "open") now.set(a.world, 0);
    if (name === "run") now.set(a.world, Math.max(a.until!, now.get(a.world)!));
    const events = Math.floor(now.get(a.world)! / 1e6);
    if (name === "frames") return Array.from({ length: Math.max(0, events - a.from! + 1) }, (_, i) => frame(a.from! + i));
    if (name === "details") return { stacks: calls.filter((c) => c === "details"), objects: { [events]: {} }, base: {} };
    return { now: now.get(a.world), next: (events + 1) * 1e6, events };
  }) as unknown as Call;
  const engine = { isReady: true, sessions: new Sessions(call), load: async () => {},
    exclusively: <T>(work: () => Promise<T>) => work(), onProgress: () => {} } as unknown as Engine;
  const state = new PlayerState({} as Recording, { lang: "en", phrases: {} });
  const busy: boolean[] = [];
  state.on("busy", (is) => busy.push(is));
  const told: string[] = [];
  const timeline = new Timeline(Array.from({ length: there }, (_, i) => frame(i + 1)));
  const owner = { cut: (from: number) => { told.push(`cut ${from}`); timeline.truncate(from); }, grew: () => told.push("grew"),
    failed: (error: unknown) => told.push(String(error)) };
  const words = { loadingLive: "", loadingLivePart: "", fullLive: "", working: "", atWork: "" };
  const made = new Branch({ engine, state, lang: "en", words } as BranchContext, owner, timeline, scenario, "wide");
  return { it: made, timeline, calls, told, busy, engine, die: () => (died = true) };
}

test("what is done takes the place of what came then, and its first frames come", async () => {
  const { it, timeline, told, busy } = branch(10);
  assert.ok(await it.act({ kind: "scale", replicas: 8 }, 6.5e6));
  assert.equal(told[0], "cut 6");
  assert.deepEqual([it.from, it.own], [6, 6]);
  assert.deepEqual(timeline.frames.map((f) => f.e), Array.from({ length: timeline.length }, (_, i) => i + 1));
  assert.ok(it.until >= 6.5e6);
  assert.deepEqual(busy, [true, false]);
  assert.ok(await it.act({ kind: "scale", replicas: 2 }, 4e6));
  assert.deepEqual(it.inputs.map((input) => input.replicas), [2], "what was done later is undone");
  assert.equal(it.own, 3);
});

test("what is done in the session's future needs no replay", async () => {
  const { it, calls } = branch();
  await it.reach({ us: 1e6 });
  calls.length = 0;
  await it.act({ kind: "kill-node", node: "node-1" }, it.until + 1e6);
  assert.ok(!calls.includes("open") && calls.includes("give kill-node"), calls.join());
  await it.act({ kind: "kill-node", node: "node-2" }, 1);
  assert.ok(calls.includes("open"), "the past of it does");
});

test("after an input little is made first, and then more and more", async () => {
  const { it } = branch();
  await it.act({ kind: "kill-node", node: "node-1" }, 6.5e6);
  const untils = [it.until];
  while (untils.length < 5) {
    await it.more();
    untils.push(it.until);
  }
  const steps = untils.slice(1).map((until, i) => until - untils[i]!);
  assert.ok(steps[0]! < 1e6, steps.join());
  assert.deepEqual(steps, [...steps].sort((a, b) => a - b));
  assert.ok(steps.at(-1)! >= 1e6, steps.join());
});

test("a run that has frames already, in another layout, comes to their end in one go", async () => {
  const { it, timeline, calls } = branch(12);
  await it.reach({ index: 12 });
  assert.ok(timeline.length > 12);
  assert.ok(calls.filter((call) => call === "frames").length <= 4, calls.join());
});

test("it is reached up to a time, a frame, or a moment of the display", async () => {
  const { it, timeline } = branch();
  await it.reach({ us: 3e6 });
  assert.ok(timeline.frames.at(-1)!.at >= 3e6);
  await it.reach({ index: 12 });
  assert.ok(timeline.length > 12);
  await it.reach({ ms: 2000 });
  assert.ok(timeline.end >= 2000);
});

test("it ends some time after the last input, and goes on when that is wanted", async () => {
  const { it } = branch();
  while (it.goesOn) await it.more();
  assert.ok(it.until >= 600e6, "nearly six minutes pass until a lost node's Pods are evicted");
  it.extend();
  assert.ok(it.goesOn);
});

test("who asks for more while more is on its way gets the same", async () => {
  const { it, calls } = branch();
  assert.deepEqual(await Promise.all([it.more(), it.more()]), [true, true]);
  assert.equal(calls.filter((c) => c === "frames").length, 1);
});

test("details are asked for once for each moment to which it has come, and then only what is new", async () => {
  const { it, calls } = branch();
  await it.more();
  await Promise.all([it.details(), it.details()]);
  assert.equal(calls.filter((c) => c === "details").length, 1);
  await it.more();
  const { stacks, objects } = await it.details();
  assert.equal(stacks.length, 3, "those known, and those of the second answer");
  assert.equal(Object.keys(objects).length, 2);
});

test("a failure is told to whose branch it is, but not of a branch that was left", async () => {
  const one = branch();
  one.die();
  assert.equal(await one.it.more(), false);
  assert.equal(await one.it.reach({ us: 5e6 }), false);
  assert.deepEqual([one.told, one.busy], [["Error: it has stopped", "Error: it has stopped"], [true, false]]);
  const other = branch();
  const more = other.it.more();
  other.it.leave();
  other.die();
  assert.equal(await more, false);
  assert.deepEqual(other.told, []);
});

test("a branch that follows another has what was done before the time at which it leaves", async () => {
  const { it } = branch(10);
  await it.act({ kind: "scale", replicas: 8 }, 3e6);
  await it.act({ kind: "scale", replicas: 2 }, 5e6);
  const other = branch(4).it;
  other.follow(it, 5e6);
  assert.deepEqual(other.inputs.map((input) => input.replicas), [8], "one at that time is gone back behind");
  assert.deepEqual([other.from, other.hasRun], [2, false]);
});

test("what a reader does comes after all that they have seen", () => {
  assert.equal(timeOf(undefined, 0), 1);
  assert.equal(timeOf(frame(3), 3.2e6), 3.2e6);
  assert.equal(timeOf(frame(3), 3e6), 3e6 + 1);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Actions } from "./actions";
import { Stopped, type Engine } from "./engine";
import { Sessions, type Call } from "./sessions";
import { Worlds } from "./worlds";
import type { Level } from "../generated/trace";
import type { Given } from "../given";
import { PlayerState } from "../state/playerstate";
import type { Frame, Recording } from "../state/recording";
import { everything, totals, type Input, type Scenario } from "../state/scenario";
import type { Transport } from "../state/transport";

const frame = (e: number): Frame => ({ e, at: e * 1e6, d: e * 100, who: "etcd", op: "store.commit", m: "m" });

/** A player without a page, and a control plane in which something happens each second. */
function player({ saves = false, trace = everything }: { saves?: boolean; trace?: Level } = {}) {
  const now = new Map<number, number>();
  let dies = false;
  const call = (async (name: string, a: { world: number; until?: number; from?: number; input?: Input }) => {
    if (dies) throw new Stopped("it has stopped");
    if (name === "open") now.set(a.world, 0);
    if (name === "run") now.set(a.world, Math.max(a.until!, now.get(a.world)!));
    const events = Math.floor((now.get(a.world) ?? 0) / 1e6);
    if (name === "frames") return Array.from({ length: Math.max(0, events - a.from! + 1) }, (_, i) => frame(a.from! + i));
    return name === "parse" ? { args: ["get", "pods"] } : { now: now.get(a.world), next: (events + 1) * 1e6, events };
  }) as unknown as Call;
  const opened = () => now.size;
  const followed: [at: number, back: number][] = [];
  const engine = { isReady: true, sessions: new Sessions(call), call, judge: call, load: async () => {},
    exclusively: <T>(work: () => Promise<T>) => work(), onProgress: () => {},
    prewarm: { follow: (_: unknown, at: number, back: number) => followed.push([at / 1e6, back / 1e6]) } } as unknown as Engine;
  const frames = Array.from({ length: 10 }, (_, i) => frame(i + 1));
  const recording = { frames, marks: [{ id: "m", frame: 3, caption: {} }], first: 0, layout: "wide", length: 10 } as unknown as Recording;
  const scenario = { name: "demo", seed: 7, title: {}, setup: 0, cluster: { epoch: "", trace }, end: 10e9 } satisfies Scenario;
  const state = new PlayerState(recording, { lang: "en", phrases: {} });
  const played: string[] = [];
  const transport = { stop: () => played.push("stop"), play: () => played.push("play") } as unknown as Transport;
  const given = { scenario, lang: "en", words: { stoppedLive: "stopped", failedLive: "failed", undoLast: "undo" },
    savesData: () => saves, isSlowLine: () => false } as unknown as Given;
  const worlds = new Worlds(state, transport, engine, given);
  const actions = new Actions(state, transport, worlds, engine, given);
  worlds.use(recording);
  worlds.show(worlds.recorded);
  return { state, worlds, actions, played, followed, opened, die: () => (dies = true) };
}

test("what is done makes a branch that is shown from the input on, and plays", async () => {
  const { state, worlds, actions, played } = player();
  state.head.scrub(695);
  await actions.act({ kind: "scale", replicas: 8 });
  assert.deepEqual([worlds.current.label, state.shown], ["A", worlds.current]);
  assert.equal(state.head.index, 6, "the first frame that follows from it");
  assert.deepEqual(played, ["stop", "play"]);
  assert.equal(worlds.recorded.timeline.length, 10, "the recording is as it was");
  assert.equal(worlds.recorded.left, 5);
});

test("what is done after all that was seen goes on in the same branch; before that, another one leaves it", async () => {
  const { state, worlds, actions } = player();
  state.seek(5);
  await actions.act({ kind: "scale", replicas: 8 });
  await actions.act({ kind: "scale", replicas: 2 });
  assert.deepEqual([worlds.all.length, worlds.current.inputs.map((i) => i.replicas)], [2, [8, 2]]);
  state.seek(7);
  state.seek(2);
  await actions.act({ kind: "kill-node", node: "node-1" });
  assert.equal(worlds.all.length, 3);
  assert.deepEqual(worlds.current.inputs.map((i) => i.kind), ["kill-node"]);
});

test("a cluster of which totals are kept is never replayed for what is done next: that happens where the run has come to", async () => {
  for (const { trace, opened, behind } of [{ trace: totals, opened: 1, behind: false }, { trace: everything, opened: 2, behind: true }] as const) {
    const one = player({ trace });
    one.state.seek(5);
    await one.actions.act({ kind: "scale", replicas: 8 });
    await one.worlds.current.branch!.more(); // it runs ahead of what is shown
    const { until } = one.worlds.current.branch!;
    assert.ok(until > one.state.head.now + 1e6);
    await one.actions.act({ kind: "scale", replicas: 2 });
    const [first, second] = one.worlds.current.inputs.map((input) => input.at / 1000);
    assert.equal(second! < until, behind, `${first} ${second} ${until}`);
    assert.deepEqual([one.opened(), one.worlds.all.length], [opened, 2]);
    assert.ok(one.state.timeline.frames.every((f, i, all) => i === 0 || f.e === all[i - 1]!.e + 1), "no frame is missing");
  }
});

test("sessions wait where the reader is as soon as they turn to the controls, and at the moment before", () => {
  const { state, actions, followed } = player();
  state.seek(5);
  assert.deepEqual(followed, [], "nobody has turned to anything yet");
  actions.warmUp();
  state.seek(6);
  assert.deepEqual(followed, [[6, 4], [7, 4]]);
  state.emit("stopped");
  state.seek(7);
  assert.equal(followed.length, 2, "a control plane that died is not started again for nothing");
});

test("who has read a demo to its end may do something next; who saves data is left alone", () => {
  const one = player();
  one.state.seek(9);
  assert.equal(one.followed.length, 1);
  const other = player({ saves: true });
  other.state.seek(9);
  other.actions.warmUp();
  assert.deepEqual(other.followed, []);
});

test("a control plane that dies is told, with the way back; a branch that never began is forgotten", async () => {
  const { state, worlds, actions, die } = player();
  state.seek(5);
  await actions.act({ kind: "scale", replicas: 8 });
  die();
  assert.equal(await actions.judge("parse", { line: "get pods" }), undefined);
  assert.equal(state.message.text, "stopped");
  await worlds.current.branch!.more();
  assert.deepEqual([state.message.text, state.message.label], ["stopped", "undo"]);
  state.message.act!();
  assert.deepEqual([worlds.current.inputs, state.head.index], [[], 5]);
  worlds.showAt(worlds.recorded, 3e6);
  await actions.act({ kind: "kill-node", node: "node-1" });
  assert.deepEqual([worlds.all.length, worlds.current], [2, worlds.recorded]);
});

test("what is done is known at once, and no more as soon as it is there or cannot be", async () => {
  const { state, actions, die } = player();
  const known: unknown[] = [];
  state.on("doing", () => known.push(state.doing && [state.doing.op, state.doing.m, state.doing.o]));
  state.seek(5);
  const done = actions.act({ kind: "scale", resource: "deployments", namespace: "default", name: "web", replicas: 8 });
  assert.deepEqual(known, [["input", "input.scale", "deployments default/web"]]);
  assert.ok(actions.acting ?? state.doing);
  await done;
  assert.deepEqual([known.length, known[1], actions.acting], [2, undefined, undefined]);
  die();
  await actions.act({ kind: "kill-node", node: "node-1" });
  assert.deepEqual([known.length, state.doing], [4, undefined]);
});

// node:test, as JavaScript that generator/dev/unit makes of this.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, Recording } from "../state/recording";
import type { Input, Scenario } from "../state/scenario";
import type { Engine } from "./engine";
import type { World } from "./world";
import { Worlds } from "./worlds";
import type { Given } from "../given";
import { PlayerState } from "../state/playerstate";
import type { Transport } from "../state/transport";

const frame = (e: number): Frame => ({ e, at: e * 1e6, d: e * 1000, who: "etcd", op: "store.commit" }) as Frame;
const scale = (seconds: number, replicas: number): Input => ({ at: seconds * 1e9, kind: "scale", replicas });

/** A recording of ten seconds, with an event each second. */
function ten(): Worlds {
  const frames = Array.from({ length: 10 }, (_, i) => frame(i + 1));
  const recording = { frames, marks: [], first: 0, layout: "wide", length: frames.length } as unknown as Recording;
  const scenario = { name: "demo", seed: 7, title: {}, setup: 0, cluster: { epoch: "", trace: 2 }, end: 10e9 } satisfies Scenario;
  const engine = { sessions: { release: () => {}, handOver: () => {} } } as unknown as Engine;
  const state = new PlayerState(recording, { lang: "en", phrases: {} });
  const given = { scenario, lang: "en", words: {} } as unknown as Given;
  const worlds = new Worlds(state, { stop: () => {} } as Transport, engine, given);
  worlds.use(recording);
  worlds.show(worlds.recorded);
  return worlds;
}

/** What the reader does in a world at a time, s: without a control plane, so no frames come of it. */
function leave(worlds: Worlds, parent: World, seconds: number, replicas: number): World {
  const world = worlds.branchOff(parent, seconds * 1e6);
  world.branch!.take([...world.inputs, scale(seconds, replicas)], world.timeline.length);
  return world;
}

const replicas = (world: World) => world.inputs.map((input) => input.replicas);

test("a branch at the same moment as the last one holds nothing of it, and leaves the same world", () => {
  const worlds = ten();
  const first = leave(worlds, worlds.recorded, 6, 8);
  const second = leave(worlds, first, 6, 5);
  assert.deepEqual(replicas(second), [5], "8 was undone by going back");
  assert.equal(second.parent, worlds.recorded);
  assert.deepEqual(worlds.all.map((world) => world.label), ["", "A", "B"]);
});

test("a branch before all that was done in a world leaves the one that that left", () => {
  const worlds = ten();
  const first = leave(worlds, worlds.recorded, 6, 8);
  const inner = leave(worlds, first, 8, 3);
  assert.equal(inner.parent, first, "8 is done by then");
  assert.deepEqual(replicas(inner), [8, 3]);
  assert.equal(leave(worlds, inner, 7, 4).parent, first);
  assert.equal(leave(worlds, inner, 3, 2).parent, worlds.recorded);
});

test("a world of another seed or another cluster is no part of the one that it left", () => {
  const worlds = ten();
  const other = worlds.branchOff(worlds.recorded, 0, undefined, "no-informer");
  other.branch!.take([scale(6, 8)], 0);
  assert.equal(leave(worlds, other, 3, 2).parent, other);
});

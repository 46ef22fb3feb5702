import assert from "node:assert/strict";
import { test } from "node:test";
import { World } from "../runs/world";
import { PlayerState, type Changes } from "./playerstate";
import type { Frame, Recording } from "./recording";

const frames = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ e: i + 1, at: (i + 1) * 1e6, d: i * 100, who: "etcd", op: "store.commit", m: "committed" }) as Frame);

/** A recording of ten events, of which the first three are its set-up; what changes is written down. */
function ten() {
  const recording = { frames: frames(10), marks: [], first: 3, layout: "wide", length: 10, end: 900 } as unknown as Recording;
  const state = new PlayerState(recording, { lang: "en", phrases: { committed: "it is written" } });
  const world = new World("", undefined, recording.frames);
  world.marks = [{ id: "a", frame: 4, caption: { en: "One." } }, { id: "b", frame: 8, caption: { en: "Two." } }];
  world.first = 3;
  state.show(world, 3);
  const told: string[] = [];
  for (const change of ["shown", "frames", "cut", "extent", "event", "moment", "about", "message", "panel"] satisfies (keyof Changes)[]) {
    state.on(change, () => told.push(change));
  }
  const since = () => told.splice(0);
  return { state, world, since };
}

test("an event is told once, and each moment of it", () => {
  const { state, since } = ten();
  state.seek(5);
  assert.deepEqual(since(), ["event", "moment"]);
  state.head.ms += 40;
  state.draw();
  assert.deepEqual(since(), ["moment"]);
  state.head.scrub(610);
  state.draw();
  assert.deepEqual(since(), ["event", "moment"]);
  assert.equal(state.us, 7e6);
  assert.equal(state.sentence(6), "7.000 s. it is written");
});

test("the scrubber begins where the demo does, until the reader goes into the set-up", () => {
  const { state, since } = ten();
  assert.deepEqual([state.extent.from, state.extent.to], [300, 900]);
  state.seek(1);
  assert.deepEqual(since(), ["event", "extent", "moment"]);
  assert.equal(state.extent.from, 0);
  state.head.scrub(450); // the scrubber does not change under the hand
  state.draw(false);
  assert.equal(state.extent.from, 0);
  state.seek(6);
  assert.equal(state.extent.from, 300);
});

test("frames that come and go move the extent, and the moment with them when it has to", () => {
  const { state, world, since } = ten();
  state.seek(8);
  since();
  world.branch = { own: 6, source: undefined } as never;
  state.cut(6, world.timeline.truncate(6));
  assert.deepEqual(since(), ["cut", "extent"]);
  assert.equal(state.head.index, 5);
  assert.deepEqual([state.extent.to, state.extent.there], [500, 500]);
  assert.deepEqual(state.captioned.map((m) => m.id), ["a"], "what the author says later is none of the branch");
  world.timeline.append(frames(8));
  state.grow();
  assert.deepEqual(since(), ["frames", "extent"]);
  assert.equal(state.extent.to, 700);
});

test("what passes captions does not rest at those of frames that come meanwhile", () => {
  const { state } = ten();
  const rests = state.head.rests.size;
  assert.ok(rests > 0);
  state.passes(true);
  state.grow();
  assert.equal(state.head.rests.size, 0);
  state.passes(false);
  assert.equal(state.head.rests.size, rests);
});

test("what is shown anew stands at its own moment, with the reader's speed", () => {
  const { state, since } = ten();
  state.head.speed = 2;
  state.went = 5;
  state.show(new World("A", undefined, frames(4)), 2);
  assert.deepEqual(since(), ["shown", "extent"]);
  assert.deepEqual([state.head.index, state.head.speed, state.went], [2, 2, -1]);
  assert.equal(state.timeline.index, 2, "its shapes are there for who listens");
  state.draw();
  assert.deepEqual(since(), ["event", "moment"]);
});

test("what is looked at, told and opened stays in the state", () => {
  const { state, since } = ten();
  let acted = 0;
  state.look("pods default/web");
  state.say("It failed.", () => acted++, "Again");
  state.reveal("log");
  assert.deepEqual(since(), ["about", "message", "panel"]);
  assert.deepEqual([state.about, state.message.text, state.message.label, state.panel], ["pods default/web", "It failed.", "Again", "log"]);
  state.message.act!();
  assert.equal(acted, 1);
});

test("where nothing happens any more but routine work that is known; while it plays, once a reader has seen it", (t) => {
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const { state, world } = ten();
  for (const { e } of frames(3)) {
    world.timeline.append([{ e: 10 + e, at: 10e6 + e * 1e5, d: 900 + e * 700, who: "kubelet", op: "log", m: "committed", q: 1 } as unknown as Frame]);
  }
  const at = (ms: number) => {
    state.head.scrub(ms);
    state.draw();
    return state.isQuiet;
  };
  const next = () => state.upcoming?.e;
  assert.deepEqual([at(900), at(1500)], [false, false]);
  assert.equal(at(3000), false, "three tenths of a second");
  world.timeline.append([{ e: 14, at: 10.6e6, d: 3100, who: "kubelet", op: "log", m: "committed", q: 1 } as unknown as Frame,
    { e: 15, at: 12e6, d: 6000, who: "etcd", op: "store.commit", m: "committed" } as Frame]);
  assert.equal(at(3200), true);
  assert.equal(next(), 15, "what comes next");
  assert.equal(at(6000), false, "something happens");
  assert.equal(next(), undefined, "nothing is known yet");
  state.seek(13);
  state.went = 13;
  assert.equal(state.isQuiet, false, "the reader went to just this event");
  state.went = -1;
  state.waiting = true; // it plays
  now = 1400;
  assert.equal(at(3200), false, "it has just come there");
  now = 3000;
  assert.equal(at(3300), true);
  assert.equal(next(), 15);
  state.cut(12, world.timeline.truncate(12));
  world.timeline.append([{ e: 13, at: 10.7e6, d: 3100, who: "etcd", op: "store.commit", m: "committed" } as Frame]);
  state.waiting = false;
  assert.equal(at(3100), false, "what was there before is gone");
  state.seek(9);
  assert.equal(next(), 13, "so is what came next");
});

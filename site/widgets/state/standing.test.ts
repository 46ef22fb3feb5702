import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "./recording";
import { isEarlier, isYetToBeDone, standsMs } from "./standing";
import { Timeline } from "./timeline";

/** Frames a second apart; those that are told begin a sentence. */
function timelineOf(...frames: Partial<Frame>[]): Timeline {
  return new Timeline(frames.map((frame, i) => ({ e: i + 1, at: i * 1000, d: i * 1000, who: "kubelet", op: "log", m: "log", ...frame })));
}
const told: Partial<Frame> = { l: { b: 0, n: 1 } };
const at = (timeline: Timeline, of: number, ms: number, readMs?: number) => isEarlier(timeline, of, timeline.at(ms), ms, readMs);

test("what is said of a moment stands until something else is told, and four seconds at least", () => {
  const timeline = timelineOf(told, told, {}, {}, {}, {}, {});
  assert.equal(at(timeline, 0, 1000), false, "the next thing is told, but it has not stood");
  assert.equal(at(timeline, 0, standsMs - 1), false);
  assert.equal(at(timeline, 0, standsMs), true);
  assert.equal(at(timeline, 1, 6000), false, "nothing has been told since");
});

test("it stands for as long as it takes to read it", () => {
  const timeline = timelineOf(told, told, {}, {}, {}, {}, {});
  assert.equal(at(timeline, 0, 5000, 5500), false);
  assert.equal(at(timeline, 0, 5500, 5500), true);
});

test("an input ends it at once, be it the author's or the reader's; what kubectl does is none", () => {
  const timeline = timelineOf(told, { who: "kubectl" }, { who: "user", op: "input" }, {});
  assert.equal(at(timeline, 0, 1999), false);
  assert.equal(at(timeline, 0, 2000), true);
  assert.equal(at(timeline, 2, 3000), false, "what is said of the input itself stands");
});

test("what its own event brings about at once belongs to it", () => {
  const timeline = timelineOf(told, { ...told, c: 1 }, {}, {}, {}, { ...told, c: 2 }, {});
  assert.equal(at(timeline, 0, 4500), false);
  assert.equal(at(timeline, 0, 5000), true);
});

test("a sentence that had to wait, and tells what came before, takes nothing from it", () => {
  const timeline = timelineOf(told, told, {}, { l: { b: 2, n: 1 } }, {}, {}, {}, told);
  assert.equal(at(timeline, 2, 6900), false);
  assert.equal(at(timeline, 2, 7000), true);
});

test("going back takes it back", () => {
  const timeline = timelineOf(told, told, { who: "user", op: "input" }, {}, {}, {});
  assert.equal(at(timeline, 0, 5000), true);
  assert.equal(at(timeline, 0, 0), false);
  assert.equal(at(timeline, 3, 1000), false, "a moment that has not come");
});

test("what follows from an input is yet to be done until that is shown", () => {
  const timeline = timelineOf({}, { who: "user", op: "input" }, {}, {}, { who: "user", op: "input" }, {});
  assert.deepEqual([0, 1, 2, 3].map((i) => isYetToBeDone(timeline, i, 3)), [true, false, false, false]);
  assert.equal(isYetToBeDone(timeline, 3, 4), true, "of the input itself");
});

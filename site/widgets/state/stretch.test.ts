import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "./recording";
import { stretch } from "./stretch";
import { Timeline } from "./timeline";

/** Frames at moments of the display, s. */
const timeline = (...moments: number[]) =>
  new Timeline(moments.map((s, i): Frame => ({ e: i + 1, at: s * 1e6, d: s * 1000, who: "w", op: "log", m: "log" })));
const from = (index: number, s: number, rests: [number, number][] = [], speed = 1) => ({ index, ms: s * 1000, speed, rests: new Map(rests) });

test("it goes from a moment to where the frame is reached", () => {
  const shots = stretch(timeline(0, 1, 5, 9), from(0, 0.5), 2);
  assert.deepEqual(shots[0], { index: 0, ms: 500 });
  assert.deepEqual(shots.at(-1), { index: 2, ms: 5020 });
  assert.equal(shots.filter(({ index }) => index === 2).length, 1);
  assert.equal(shots.length, 1 + 113);
});

test("it plays at the speed that was chosen", () => {
  assert.equal(stretch(timeline(0, 8), from(0, 0, [], 2), 1).length, 1 + 4 * 25);
});

test("what is to be read has its time", () => {
  const rest = 1000;
  const plain = stretch(timeline(0, 1, 5), from(0, 0), 2).length;
  assert.equal(stretch(timeline(0, 1, 5), from(0, 0, [[1, rest]]), 2).length, plain + 25);
});

test("a short one takes 2 s, and a long one 20 s", () => {
  const short = stretch(timeline(0, 0.5, 1), from(0, 0), 1);
  assert.equal(short.length, 50);
  assert.deepEqual(short.at(-1), { index: 2, ms: 1000 }, "its last picture stays");
  assert.equal(stretch(timeline(0, 60), from(0, 0), 1).length, 500);
});

test("at the end it is a picture that stands", () => {
  const shots = stretch(timeline(0, 1), from(1, 1));
  assert.equal(shots.length, 50);
  assert.ok(shots.every(({ index, ms }) => index === 1 && ms === 1000));
});

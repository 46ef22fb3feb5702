import assert from "node:assert/strict";
import { test } from "node:test";
import { paceAt } from "./pace";
import type { Frame } from "./recording";

const frame = (at: number, d: number, q = false): Frame => ({ e: 1, at, d, who: "x", op: "log", m: "log", ...(q ? { q } : {}) });
/** Frames every `step` µs that are shown every 100 ms. */
const even = (step: number, from = { at: 0, d: 0 }) => Array.from({ length: 20 }, (_, i) => frame(from.at + i * step, from.d + i * 100));

test("where much happens the display is slower, by the reader's speed", () => {
  const frames = even(100);
  assert.deepEqual(paceAt(frames, 10, 1050, 1), { kind: "slow", times: 1000 });
  assert.deepEqual(paceAt(frames, 10, 1050, 4), { kind: "slow", times: 200 });
  assert.deepEqual(paceAt(even(100_000), 10, 1050, 1), { kind: "even" });
  assert.deepEqual(paceAt(even(1_000_000), 10, 1050, 1), { kind: "fast", times: 10 });
});

test("a silence is told as one, whatever beats in it, and does not count for what is beside it", () => {
  const before = even(100);
  const after = even(100, { at: 47_000_000, d: 3000 });
  const frames = [...before, frame(9_000_000, 2200, true), frame(20_000_000, 2500, true), ...after];
  for (const i of [19, 20, 21]) assert.deepEqual(paceAt(frames, i, 2400, 1), { kind: "skip", seconds: 47 });
  assert.deepEqual(paceAt(frames, 18, 1850, 1), { kind: "slow", times: 1000 });
  assert.deepEqual(paceAt(frames, 22, 3000, 1), { kind: "slow", times: 1000 });
});

test("a silence is one however long it is, and an hour is told in seconds", () => {
  // As the score has them: a minute in a second, and an hour, too.
  for (const seconds of [60, 61, 90, 3600, 86_400]) {
    const frames = [...even(100), ...even(100, { at: 1900 + seconds * 1e6, d: 1900 + 1000 })];
    assert.deepEqual(paceAt(frames, 19, 2000, 1), { kind: "skip", seconds });
    assert.deepEqual(paceAt(frames, 20, frames[20]!.d, 1), { kind: "slow", times: 1000 });
  }
  // Shown for as long as it was, or longer, nothing is skipped.
  assert.deepEqual(paceAt([...even(100), ...even(100, { at: 1900 + 90e6, d: 1900 + 80_000 })], 19, 3000, 1), { kind: "even" });
});

test("there is no pace at the end, nor where no time passes", () => {
  assert.equal(paceAt(even(100), 19, 1900, 1), undefined);
  assert.equal(paceAt([], -1, 0, 1), undefined);
  assert.equal(paceAt(even(0), 3, 350, 1), undefined);
});

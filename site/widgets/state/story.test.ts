import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "./recording";
import { causes, Effects } from "./story";

/** Frames by the events that led to them; 0 for none. */
const frames = (...by: number[]) => by.map((c, i) => ({ e: i + 1, ...(c ? { c } : {}) }) as Frame);

test("the causes of an event lead back to what came from outside", () => {
  const all = frames(0, 1, 1, 3, 0, 4);
  assert.deepEqual(causes(all, 5), [3, 2, 0]);
  assert.deepEqual(causes(all, 4), []);
  assert.deepEqual(causes(all, 9), []);
});

test("a frame that names itself or a later one ends the walk", () => {
  assert.deepEqual(causes(frames(0, 2, 4, 3), 3), [2]);
  assert.deepEqual(causes(frames(0, 2), 1), []);
});

test("effects are found in frames that come later, too, and forgotten when frames are replaced", () => {
  let all = frames(0, 1);
  const effects = new Effects(() => all);
  assert.deepEqual(effects.of(0), [1]);
  all.push(...frames(0, 0, 1).slice(2));
  assert.deepEqual(effects.of(0), [1, 2]);
  all = frames(0, 0, 2);
  effects.forget();
  assert.deepEqual([effects.of(0), effects.of(1)], [[], [2]]);
});

test("what an event led to in the end counts, too, and more of it with more frames", () => {
  const all = frames(0, 1, 0, 2, 3, 4, 6);
  const effects = new Effects(() => all);
  const of = (index: number) => effects.all(index, ({ e }) => e !== 4);
  assert.deepEqual(of(0), [1, 5, 6], "event 4 only leads on");
  assert.deepEqual(of(2), [4]);
  all.push(...frames(0, 0, 0, 0, 0, 0, 0, 7).slice(7));
  assert.deepEqual(of(0), [1, 5, 6, 7]);
  all.push(...frames(0, 0, 0, 0, 0, 0, 0, 0, 8, 1).slice(8));
  assert.deepEqual(of(0), [1, 5, 6, 7, 8, 9]);
  all.splice(1);
  effects.forget();
  assert.deepEqual(of(0), []);
});

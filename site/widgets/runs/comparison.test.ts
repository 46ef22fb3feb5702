import assert from "node:assert/strict";
import { test } from "node:test";
import type { Branch } from "./branch";
import { Comparison } from "./comparison";
import { World } from "./world";
import { PlayerState } from "../state/playerstate";
import type { Frame, Recording } from "../state/recording";

const frame = (e: number, m = "store.commit.MODIFIED", o = "pods default/web-1"): Frame =>
  ({ e, at: e * 1e6, d: e * 100, who: "etcd", op: "store.commit", m, o });

/** Two worlds alike for four seconds; then the second has a Pod more, and at the seventh second the first one, too, has another. */
function two(more = 0) {
  const state = new PlayerState({} as Recording, { lang: "en", phrases: {} });
  const alike = [1, 2, 3, 4].map((e) => frame(e));
  const a = new World("A", undefined, [...alike, frame(5), frame(6), frame(7, "store.commit.ADDED", "pods default/web-3")]);
  const b = new World("B", undefined,
    [...alike, frame(5, "store.commit.MODIFIED", "deployments default/web"), frame(6, "store.commit.ADDED", "pods default/web-2")]);
  const source = (world: World) => ({
    get until() { return world.timeline.frames.at(-1)!.at + 1; },
    get goesOn() { return world.timeline.length < 7 + more; },
    extended: 0,
    extend() { more += 3; this.extended++; },
    more() { world.timeline.append([frame(world.timeline.length + 1)]); return Promise.resolve(true); },
  });
  const sources = [source(a), source(b)] as const;
  const compared = ([a, b] as const).map((world, i) => ({ world, source: sources[i as 0 | 1] as unknown as Branch, letter: world.label })) as never;
  return { state, a, b, sources, comparison: new Comparison(state, compared, 1) };
}

test("two worlds part with the first event that is not of both", () => {
  const { comparison } = two();
  const { frames } = comparison.timeline;
  assert.equal(comparison.parting, 4);
  assert.equal(frames[comparison.parting]!.at, 5e6);
  assert.equal(comparison.letterOf(3), "");
  assert.deepEqual([comparison.letterOf(4), comparison.letterOf(5)], ["A", "B"]);
  assert.equal(comparison.firstOf(0), 4);
  assert.equal(comparison.firstOf(1), 5);
  assert.equal(comparison.stored, -1, "whether the other world gets that Pod within a second is not known yet");
});

test("an object that one world has alone is found as soon as it is known that the other does not get it", async () => {
  const { comparison } = two(3);
  assert.ok(await comparison.findStored(60e6));
  assert.equal(comparison.timeline.frames[comparison.stored]!.o, "pods default/web-2");
  assert.deepEqual(comparison.marks.map(({ frame: at }) => at), [comparison.parting, comparison.stored]);
  assert.deepEqual([...comparison.measure().rests.keys()], comparison.marks.map(({ frame: at }) => at));
});

test("what is known of both is what is known of the one behind; that one is run, and extended at its end", async () => {
  const { comparison, sources } = two();
  assert.equal(comparison.until, 6e6 + 1);
  assert.ok(await comparison.reach(8e6));
  assert.ok(comparison.until > 8e6);
  assert.ok(sources[0].extended + sources[1].extended > 0);
});

test("each world stands at its own event of the moment", () => {
  const { a, b, comparison } = two();
  comparison.seek(4);
  assert.deepEqual([a.timeline.index, b.timeline.index], [4, 3]);
  comparison.seek(comparison.timeline.length - 1);
  assert.deepEqual([a.seen, b.seen], [5, 5], "what is known of both ends there");
});

test("who turns to an event turns to its world; the same event is found again", () => {
  const { state, comparison } = two();
  let turned = 0;
  state.on("turned", () => turned++);
  assert.equal(comparison.chosen.letter, "B");
  assert.equal(comparison.turnTo(4), 4);
  assert.deepEqual([comparison.chosen.letter, turned], ["A", 1]);
  assert.equal(comparison.place(4), 4);
  comparison.turnTo(2);
  assert.deepEqual([comparison.chosen.letter, turned], ["A", 1], "an event of both is looked at where the reader is");
});

test("one that is out of date takes nothing in", () => {
  const { a, comparison } = two();
  const { length } = comparison.timeline;
  a.timeline.append([frame(8)]);
  comparison.isStale = true;
  comparison.takeIn();
  assert.equal(comparison.timeline.length, length);
});

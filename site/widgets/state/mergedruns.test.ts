import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "../../tests/random";
import { MergedRuns } from "./mergedruns";
import type { Frame, Op } from "./recording";

const frame = (e: number, at: number, d: number, m: string, more: Partial<Frame> = {}): Frame => ({ e, at, d, who: "x", op: m as Op, m, ...more });

test("what both have is there once, the rest in the order of virtual time", () => {
  const same = [frame(1, 10, 100, "a"), frame(2, 20, 200, "b", { c: 1 })];
  const one = [...same, frame(3, 30, 300, "only one", { c: 2 }), frame(4, 40, 400, "late", { c: 3 })];
  const other = [...same, frame(3, 25, 900, "only other", { c: 2 }), frame(4, 40, 1000, "late", { c: 3 })];
  const merged = new MergedRuns(one, other);
  merged.extend(40);
  assert.equal(merged.timeline.length, 4, "what happens at the time itself may not all be there yet");
  merged.extend(Infinity);
  const { frames } = merged.timeline;
  assert.deepEqual(frames.map((f, i) => [f.e, f.m, merged.owner(i), f.c]), [
    [1, "a", "both", undefined], [2, "b", "both", 1], [3, "only other", 1, 2], [4, "only one", 0, 2], [5, "late", "both", 4],
  ]);
  assert.deepEqual([0, 1, 2, 3, 4].map((i) => [merged.own(i, 0), merged.own(i, 1)]), [[0, 0], [1, 1], [1, 2], [2, 2], [3, 3]]);
  assert.equal(merged.place(2, 0), 3);
  assert.equal(merged.place(2, 1), 2);
  assert.equal(merged.place(9, 1), -1);
});

test("numbers that a run counts do not make two events differ, everything else does", () => {
  const commit = (revision: number, type: string) => [frame(1, 5, 0, "store.commit", { o: "pods default/a", a: ["revision", revision, "type", type] })];
  const owners = (a: Frame[], b: Frame[]) => {
    const merged = new MergedRuns(a, b);
    merged.extend(Infinity);
    return merged.timeline.frames.map((_, i) => merged.owner(i));
  };
  assert.deepEqual(owners(commit(1, "ADDED"), commit(2, "ADDED")), ["both"]);
  assert.deepEqual(owners(commit(1, "ADDED"), commit(1, "MODIFIED")), [0, 1]);
});

for (const seed of seeds()) {
  test(`every event of either run is in once, in order, never faster than in its own film (SEED=${seed})`, () => {
    const random = new Random(seed);
    for (let n = 0; n < 50; n++) {
      const run = () => {
        let [at, d] = [0, 0];
        return Array.from({ length: random.below(40) }, (_, i) => frame(i + 1, (at += random.below(4)), (d += random.below(50)),
          random.pick(["a", "b", "c"]), i > 0 ? { c: 1 + random.below(i) } : {}));
      };
      const runs = [run(), run()] as const;
      const merged = new MergedRuns(...runs);
      const pieces = new MergedRuns(...runs);
      for (let until = 0; until < 200; until += 1 + random.below(9)) pieces.extend(until);
      for (const j of [merged, pieces]) j.extend(Infinity);
      const { frames } = merged.timeline;
      assert.deepEqual(pieces.timeline.frames, frames, "how much is taken in at once makes a difference");
      frames.forEach((f, i) => {
        assert.equal(f.e, i + 1);
        assert.ok(f.c === undefined || f.c <= i, "a cause comes later");
        if (i > 0) assert.ok(f.at >= frames[i - 1]!.at && f.d >= frames[i - 1]!.d);
      });
      for (const side of [0, 1] as const) {
        const places = runs[side].map((_, i) => merged.place(i, side));
        assert.deepEqual(places, [...new Set(places)].sort((x, y) => x - y));
        places.forEach((place, i) => {
          assert.equal(frames[place]!.m, runs[side][i]!.m);
          assert.equal(merged.own(place, side), i);
          if (i > 0) {
            assert.ok(frames[place]!.d - frames[places[i - 1]!]!.d >= runs[side][i]!.d - runs[side][i - 1]!.d - 1e-6,
              `seed ${seed}, number ${n}: too fast`);
          }
        });
      }
    }
  });
}

import { strict as assert } from "node:assert";
import { test } from "node:test";
import { answerOf, nextHint, standingAt, type Progress } from "./attempt";

const progress: Progress = {
  since: 1_000_000, until: 9_000_000,
  changes: [
    { at: 1_000_000, event: 5, goal: [false, true], hints: [true] },
    { at: 3_000_000, event: 8, goal: [true, true], hints: [false] },
  ],
  solved: { at: 5_000_000, event: 8 },
};

test("an attempt is told as of the moment that is shown", () => {
  const kinds = (p: Progress | undefined) => [0, 999_999, 1_000_000, 2_999_999, 3_000_000, 4_999_999, 5_000_000, 99_999_999]
    .map((now) => standingAt(p, now).kind).join(" ");
  assert.equal(kinds(progress), "waits waits watches watches keeps keeps solved solved");
  assert.equal(kinds(undefined), "waits waits waits waits waits waits waits waits");
  assert.equal(kinds({ since: -1, until: 9_000_000, changes: [] }), "waits waits waits waits waits waits waits waits");
  const { solved: _, ...rest } = progress;
  assert.equal(kinds({ ...rest, spoilt: { at: 3_000_000, event: 8, part: 1 } }), "waits waits watches watches spoilt spoilt spoilt spoilt");
  assert.equal(kinds({ ...rest, late: { at: 5_000_000, event: 9 } }), "waits waits watches watches keeps keeps late late");
  assert.deepEqual(standingAt(progress, 1_500_000).goal, [false, true]);
  assert.deepEqual(standingAt(progress, 1_500_000).hints, [true]);
  assert.deepEqual(standingAt(progress, 2_500_000).hints, [false], "what was done is under way");
  assert.deepEqual(standingAt(progress, 5_000_000), { kind: "solved", at: 5_000_000, event: 8, goal: [true, true], hints: [false] });
});

test("a hint that fits what was done comes before one for anything", () => {
  const text = { en: "x" };
  const exercise = { hints: [{ text }, { text, when: [{}] }, { text, when: [{}] }, { text }] };
  const seen = new Set<number>();
  const ask = (...fits: boolean[]) => {
    const i = nextHint(exercise, fits, seen);
    seen.add(i);
    return i;
  };
  assert.equal(ask(false, false, true, false), 2);
  assert.equal(ask(false, false, true, false), 0);
  assert.equal(ask(), 3);
  assert.equal(ask(), -1, "hint 1 is for something else");
  assert.equal(ask(false, true), 1);
  assert.equal(ask(true, true, true, true), -1);
  assert.equal(nextHint({}, [], new Set()), -1);
});

test("the author's answer begins where the exercise does", () => {
  const answer = [{ at: 500, kind: "scale" as const, replicas: 5, fails: "x", prints: ["y"] }];
  assert.deepEqual(answerOf({ id: "a", task: {}, begin: 2000, answer }), [{ at: 2500, kind: "scale", replicas: 5 }]);
  assert.deepEqual(answerOf({ id: "a", task: {} }), []);
});

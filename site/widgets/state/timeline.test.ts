import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "../../tests/random";
import { Playhead } from "./playhead";
import type { Frame, Shape } from "./recording";
import { Timeline } from "./timeline";

/** A run that sets, changes and drops a handful of shapes, some in the same moment. */
function randomFrames(random: Random, count: number, from: Frame | undefined = undefined): Frame[] {
  const there = new Set<string>();
  let at = from?.at ?? 0;
  let d = from?.d ?? 0;
  return Array.from({ length: count }, (_, i): Frame => {
    at += random.below(3) * random.below(5000);
    d += random.below(3) * random.below(200);
    const set: Shape[] = [];
    const gone: string[] = [];
    for (let n = random.below(4); n > 0; n--) {
      const id = `s${random.below(9)}`;
      if (set.some((s) => s.id === id) || gone.includes(id)) continue;
      if (there.has(id) && random.below(3) === 0) {
        gone.push(id);
        there.delete(id);
      } else {
        set.push({ id, k: "box", role: "pod", x: random.below(100) });
        there.add(id);
      }
    }
    return { e: (from?.e ?? 0) + i + 1, at, d, who: "w", op: "log", m: "log", set, gone, ...(random.below(3) === 0 ? { q: true } : {}) };
  });
}

/** What the shapes are at a frame, folded from nothing. */
function folded(frames: readonly Frame[], index: number): Map<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (const frame of frames.slice(0, index + 1)) {
    for (const id of frame.gone ?? []) shapes.delete(id);
    for (const shape of frame.set ?? []) shapes.set(shape.id, shape);
  }
  return shapes;
}

const sorted = (shapes: ReadonlyMap<string, Shape>) => [...shapes].sort(([a], [b]) => (a < b ? -1 : 1));

for (const seed of seeds()) {
  test(`going anywhere in a timeline shows what folding up to there shows (SEED=${seed})`, () => {
    const random = new Random(seed);
    const timeline = new Timeline(randomFrames(random, 200));
    let before = new Map<string, Shape>();
    for (let i = 0; i < 300; i++) {
      if (random.below(20) === 0) timeline.truncate(random.below(timeline.length + 1));
      if (random.below(20) === 0) {
        const last = timeline.frames.at(-1);
        timeline.append(randomFrames(random, random.below(50), last));
      }
      const target = random.below(timeline.length + 1) - 1;
      before = new Map(timeline.shapes);
      const changed = timeline.seek(target);
      assert.equal(timeline.index, target, `seed ${seed}, walk ${i}`);
      assert.deepEqual(sorted(timeline.shapes), sorted(folded(timeline.frames, target)), `seed ${seed}, walk ${i}: frame ${target}`);
      for (const id of new Set([...before.keys(), ...timeline.shapes.keys()])) {
        if (before.get(id) !== timeline.shapes.get(id)) assert.ok(changed.has(id), `seed ${seed}, walk ${i}: ${id} changed unsaid`);
      }
    }
  });

  test(`with keyframes, going anywhere shows what folding up to there shows (SEED=${seed})`, () => {
    const random = new Random(seed);
    const timeline = new Timeline(randomFrames(random, 20_000)); // about a keyframe in 1,500 frames
    for (let i = 0; i < 60; i++) {
      if (random.below(10) === 0) timeline.truncate(Math.max(0, timeline.length - random.below(6000)));
      if (random.below(10) === 0) timeline.append(randomFrames(random, random.below(5000), timeline.frames.at(-1)));
      const near = random.below(2) === 0 ? timeline.index + random.below(200) - 100 : random.below(timeline.length + 1) - 1;
      const target = Math.max(-1, Math.min(near, timeline.length - 1));
      const before = new Map(timeline.shapes);
      const changed = timeline.seek(target);
      assert.deepEqual(sorted(timeline.shapes), sorted(folded(timeline.frames, target)), `seed ${seed}, jump ${i}: frame ${target}`);
      for (const id of new Set([...before.keys(), ...timeline.shapes.keys()])) {
        if (before.get(id) !== timeline.shapes.get(id)) assert.ok(changed.has(id), `seed ${seed}, jump ${i}: ${id} changed unsaid`);
      }
    }
  });

  test(`time only goes forward, and playing passes every frame (SEED=${seed})`, () => {
    const random = new Random(seed);
    const timeline = new Timeline(randomFrames(random, 120));
    const head = new Playhead(timeline);
    head.seek(0);
    head.rests = new Map([[20, 300], [21, 50]]);
    head.speed = random.pick([0.25, 1, 4]);
    head.play();
    let now = head.now;
    let { index } = head;
    let ticks = 0;
    for (; head.playing; ticks++) {
      assert.ok(ticks < 1e6, "it never ends");
      head.tick(1 + random.below(40));
      assert.ok(head.now >= now, `seed ${seed}: time went back from ${now} to ${head.now}`);
      assert.ok(head.index >= index);
      assert.ok(timeline.frames[head.index]!.d <= head.ms, "a frame is shown before its time");
      if (index < 20) assert.ok(head.index <= 20, `seed ${seed}: playing ran past a rest`);
      ({ now, index } = head);
    }
    assert.equal(head.index, timeline.length - 1);
  });
}

const frame = (e: number, at: number, d: number, q = false): Frame => ({ e, at, d, who: "w", op: "log", m: "log", ...(q ? { q } : {}) });

test("what was dropped is not shown again, however large the picture at the cut was", () => {
  // Each of these frames changes so many shapes that a keyframe lies at it.
  const large = (e: number, x: number): Frame => ({ e, at: e, d: e, who: "w", op: "log", m: "log",
    set: Array.from({ length: 2500 }, (_, i): Shape => ({ id: `s${i}`, k: "box", role: "pod", x })) });
  const timeline = new Timeline([large(1, 1), large(2, 2), large(3, 3)]);
  for (const length of [2, 1, 0]) {
    timeline.truncate(length);
    const small = (e: number): Frame => ({ e, at: e, d: e, who: "w", op: "log", m: "log", set: [{ id: `other${e}`, k: "box", role: "pod", x: 0 }] });
    timeline.append([small(length + 1), small(length + 2)]);
    // From behind, a moment is folded from the keyframe before it; from before, frame by frame.
    for (const from of [length + 1, -1]) {
      timeline.seek(from);
      timeline.seek(length);
      assert.deepEqual(sorted(timeline.shapes), sorted(folded(timeline.frames, length)), `cut at ${length}, from ${from}`);
    }
  }
});

test("who stands outside, and what starts, is found at any frame, after frames were dropped too", () => {
  const frames = Array.from({ length: 50 }, (_, i): Frame =>
    ({ e: i + 1, at: i, d: i, who: i % 20 === 7 ? "kubectl" : "w", op: i % 20 === 3 ? "input" : i === 11 ? "component.start" : "log", m: "log" }));
  const timeline = new Timeline(frames.slice());
  const at = (index: number) => timeline.outside.slice(0, timeline.outsideAt(index) + 1).map((f) => f.e - 1);
  assert.deepEqual(at(49), [3, 7, 11, 23, 27, 43, 47]);
  assert.deepEqual(at(23), [3, 7, 11, 23]);
  assert.deepEqual(at(2), []);
  timeline.truncate(25);
  assert.deepEqual(at(49), [3, 7, 11, 23]);
  timeline.append(frames.slice(25, 45));
  assert.deepEqual(at(49), [3, 7, 11, 23, 27, 43]);
});

test("virtual time is even between two frames, and stands at the last", () => {
  const timeline = new Timeline([frame(1, 0, 0), frame(2, 1000, 100), frame(3, 1000, 100), frame(4, 9000, 200)]);
  const cases: [ms: number, index: number, want: number][] = [
    [0, 0, 0], [50, 0, 500], [100, 1, 1000], [100, 2, 1000], [150, 2, 5000], [200, 3, 9000], [900, 3, 9000],
  ];
  for (const [ms, index, want] of cases) assert.equal(timeline.virtual(ms, index), want, `at ${ms} ms, frame ${index}`);
  assert.equal(timeline.at(99), 0);
  assert.equal(timeline.at(100), 2);
  assert.equal(timeline.atVirtual(1000), 2);
  assert.equal(timeline.atVirtual(-1), -1);
});

test("a step arrives where it was sent, however long the way", () => {
  const timeline = new Timeline([frame(1, 0, 0), frame(2, 5e6, 60_000)]);
  const head = new Playhead(timeline);
  head.seek(0);
  head.glideTo(1);
  assert.equal(head.target, 1);
  let ms = 0;
  while (head.moving) {
    head.tick(16);
    ms += 16;
  }
  assert.equal(head.index, 1);
  assert.ok(ms < 400, `it took ${ms} ms`);
});

test("frames that two asked for at once are there once, and none leaves a gap", () => {
  const frames = randomFrames(new Random(5), 60);
  const timeline = new Timeline(frames.slice(0, 20));
  timeline.append(frames.slice(20, 40));
  timeline.append(frames.slice(20, 45)); // the same again, and a little more
  timeline.append(frames.slice(50)); // too early
  assert.deepEqual(timeline.frames.map((f) => f.e), frames.slice(0, 45).map((f) => f.e));
  timeline.append(frames.slice(45));
  assert.equal(timeline.frames.length, 60);
});

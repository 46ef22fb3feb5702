import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "../../tests/random";
import { beginsMs, mostMs, Playhead } from "./playhead";
import type { Frame } from "./recording";
import { Timeline } from "./timeline";

function frames(random: Random, count: number): Frame[] {
  let d = 0;
  return Array.from({ length: count }, (_, i): Frame =>
    ({ e: i + 1, at: i * 700, d: (d += random.below(4) * random.below(90)), who: "w", op: "log", m: "log", ...(random.below(3) === 0 ? { q: true } : {}) }));
}

for (const seed of seeds()) {
  test(`without motion, playing shows events only, each for a while, and takes as long (SEED=${seed})`, () => {
    const random = new Random(seed);
    const timeline = new Timeline(frames(random, 400));
    const head = new Playhead(timeline);
    head.seek(0);
    const rests = [40, 41, 200].filter((i) => timeline.frames[i]);
    head.rests = new Map(rests.map((i) => [i, 500]));
    head.play();
    const shown: { index: number; since: number }[] = [];
    let passed = 0;
    for (; head.playing; passed += 16) {
      assert.ok(passed < 120_000, `seed ${seed}: it does not end`);
      head.tick(16, true);
      if (head.index !== shown.at(-1)?.index) shown.push({ index: head.index, since: passed });
      if (head.playing) assert.equal(head.ms, timeline.frames[head.index]!.d, `seed ${seed}: it shows a moment between events`);
    }
    assert.equal(head.index, 399);
    assert.equal(head.ms, timeline.end);
    for (const rest of rests) assert.ok(shown.some((s) => s.index === rest), `seed ${seed}: moment ${rest} was passed over`);
    const first = shown.filter(({ index }, i) => i > 0 && !rests.includes(index) && index < 399);
    assert.deepEqual(first.filter(({ index }) => timeline.frames[index]!.q), [], `seed ${seed}: it stops at chatter`);
    for (let i = 2; i < shown.length - 1; i++) {
      if (!rests.includes(shown[i]!.index)) assert.ok(shown[i]!.since - shown[i - 1]!.since >= 380, `seed ${seed}: ${shown[i - 1]!.index} stands for ${shown[i]!.since - shown[i - 1]!.since} ms`);
    }
    const long = timeline.end + rests.length * 500;
    assert.ok(Math.abs(passed - long) < 400 * (rests.length + 2) && passed > timeline.end / 2, `seed ${seed}: ${passed} ms for ${long}`);
  });
}

test("a rest is as much shorter as the reader's speed is higher, with motion and without", () => {
  for (const still of [false, true]) {
    for (const speed of [0.5, 1, 4]) {
      const timeline = new Timeline([0, 1000, 2000].map((d, i): Frame => ({ e: i + 1, at: d, d, who: "w", op: "log", m: "log" })));
      const head = new Playhead(timeline);
      head.seek(0);
      head.speed = speed;
      head.rests = new Map([[1, 4000]]);
      head.play();
      let at = 0;
      for (let passed = 0; head.playing && passed < 60_000; passed += 10) {
        head.tick(10, still);
        if (head.index === 1) at += 10;
      }
      // It rests at the frame, and then plays the second to the end: nothing has to be read before that.
      const want = (beginsMs + 1000) / speed;
      assert.ok(Math.abs(at - want) <= 450, `at speed ${speed}, still ${still}: ${at} ms, not ${want}`);
    }
  }
});

test("a caption that was not read is rested for before the next one, and that shows", () => {
  for (const [still, speed] of [[false, 1], [true, 1], [false, 0.5], [false, 4]] as const) {
    const timeline = new Timeline([0, 1000, 1500, 3000].map((d, i): Frame => ({ e: i + 1, at: d, d, who: "w", op: "log", m: "log" })));
    const head = new Playhead(timeline);
    head.seek(0);
    head.rests = new Map([[1, 4000], [2, 1000]]);
    head.speed = speed;
    head.play();
    const came: number[] = [];
    let unseen = 0; // nothing moved, and nothing showed that it rests
    let ms = -1;
    for (let passed = 0; head.playing && passed < 60_000; passed += 10) {
      head.tick(10, still);
      came[head.index] ??= passed;
      unseen = head.ms === ms && head.reading === undefined ? unseen + 10 : 0;
      assert.ok(unseen < 1600 / Math.min(speed, 1), `still ${still}: at frame ${head.index} it stands for ${unseen} ms`);
      ms = head.ms;
    }
    const by = `still ${still}, speed ${speed}`;
    assert.ok(Math.abs(came[2]! - came[1]! - (beginsMs + 500 + mostMs) / speed) <= 450 / speed,
      `${by}: the first caption stands for ${came[2]! - came[1]!} ms`);
    assert.ok(Math.abs(came[3]! - came[2]! - 2500 / speed) <= 450 / speed,
      `${by}: the second one is read, then a second and a half go on: ${came[3]! - came[2]!} ms`);
  }
});

test("a caption that was not read is rested for before an input, which makes it a thing of the past", () => {
  const timeline = new Timeline([0, 1000, 1500, 3000, 9000].map((d, i): Frame =>
    ({ e: i + 1, at: d, d, who: "user", op: i === 2 ? "input" : "log", m: "log" })));
  const read = beginsMs + 500 + mostMs;
  for (const [rests, least, most] of [[new Map([[1, 4000]]), read - 50, read + 50], [new Map<number, number>(), 0, 520]] as const) {
    const head = new Playhead(timeline);
    head.seek(0);
    head.rests = rests;
    head.play();
    const came: number[] = [];
    for (let passed = 0; head.playing && passed < 60_000; passed += 10) {
      head.tick(10);
      came[head.index] ??= passed;
    }
    const took = came[2]! - came[1]!;
    assert.ok(took >= least && took <= most, `the input comes after ${took} ms`);
    assert.ok(came[3]! - came[2]! <= 1520, "what was read once is not rested for again");
  }
});

test("who turns motion off and on while it plays loses no time", () => {
  const timeline = new Timeline(frames(new Random(1), 300));
  const head = new Playhead(timeline);
  head.seek(0);
  head.play();
  let passed = 0;
  for (let i = 0; head.playing; i++, passed += 16) head.tick(16, i % 40 < 20);
  assert.ok(Math.abs(passed - (timeline.end - timeline.frames[0]!.d)) < 40, `${passed} of ${timeline.end}`);
});

test("without motion, play shows the next event at once, and begins its time anew", () => {
  const at = [0, 100, 5000, 9000];
  const timeline = new Timeline(at.map((d, i): Frame => ({ e: i + 1, at: d, d, who: "w", op: "log", m: "log", ...(i === 1 ? { q: true } : {}) })));
  const head = new Playhead(timeline);
  head.seek(0);
  head.play(true);
  assert.deepEqual([head.index, head.ms], [2, 5000], "what is folded away is no motion");
  head.pause();
  head.play(true);
  assert.equal(head.index, 3);
  head.play(true);
  assert.equal(head.index, 3, "nothing comes after the last");
  head.seek(0);
  head.rests = new Map([[1, 500]]);
  head.play(true);
  assert.equal(head.index, 1, "where there is something to read it stops");
});

test("a picture that has just come moves soon: what is folded away, or not drawn, is no movement", () => {
  const bare = (d: number): Frame => ({ e: d + 1, at: d, d, who: "w", op: "log", m: "log" });
  const frame = (d: number, q = false): Frame => ({ ...bare(d), gone: ["a"], ...(q ? { q } : {}) });
  const head = new Playhead(new Timeline([frame(0), frame(400, true), bare(1000), frame(2600), frame(3000)]));
  head.seek(0);
  head.hasten(350);
  assert.deepEqual([head.index, head.ms], [2, 2250]);
  head.hasten(350);
  assert.equal(head.ms, 2250, "it does not go back");
  head.seek(4);
  head.hasten(350);
  assert.equal(head.ms, 3000, "nothing comes after the end");

  const sends = (d: number): Frame => ({ ...frame(d), set: [{ id: "message/1", k: "packet", role: "request", from: d, to: d + 600 }] });
  const sooner = new Playhead(new Timeline([frame(0), frame(2600), sends(2900), frame(3500)]));
  sooner.seek(0);
  sooner.hasten(50);
  assert.deepEqual([sooner.index, sooner.ms], [1, 2850], "what is done right before a message is seen with it");
  const read = new Playhead(new Timeline([frame(0), frame(2600), sends(2900), frame(3500)]));
  read.rests = new Map([[1, 500]]);
  read.seek(0);
  read.hasten(50);
  assert.deepEqual([read.index, read.ms], [0, 2550], "what is to be read is not passed");
  const later = new Playhead(new Timeline([frame(0), frame(2600), sends(3900)]));
  later.seek(0);
  later.hasten(50);
  assert.equal(later.ms, 2550, "a message that is far away is not waited for");
});

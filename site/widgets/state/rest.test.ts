import assert from "node:assert/strict";
import { test } from "node:test";
import { complete, unpack, type Packed, type RecordingFile, type RestFile } from "./recording";
import { PlayerState } from "./playerstate";
import { Rest } from "./rest";

/** Frames of which each second one sets a packet. */
const packed = (count: number): Packed => {
  const each = <T>(...of: T[]) => Array.from({ length: count }, (_, i) => of[i % of.length]!);
  const sets = Math.floor(count / 2);
  const fields = Object.fromEntries(Object.entries({ k: -4, role: -5, from: 1, to: 5 }).map(([name, v]) => [name, sets > 0 ? [v] : []]));
  return {
    form: 4, texts: ["", "w", "log", "p", "packet", "request"], looks: [["k", "role", "from", "to"], []],
    kinds: { who: [1], process: [0], op: [2], phrase: [2], stack: [0], quiet: [0], keys: [0], key: [] },
    kind: each(0), cause: each(1), at: each(10), display: each(40), object: each(0), values: [], line: [], sets: each(0, 1),
    shape: Array.from({ length: sets }, (_, i) => (i === 0 ? -3 : 3)), look: Array.from({ length: sets }, (_, i) => Math.min(i, 1)), fields, gone: each(0),
  };
};

const first = (count = 4): RecordingFile => ({
  version: 1, demo: "d", seed: 1, epoch: "", layout: "wide", width: 1, height: 1, marks: null, first: 0,
  length: 7, end: 280, rest: "wide.rest.json", packed: packed(count),
});
const rest = (): RestFile => ({ version: 1, demo: "d", packed: packed(3) });

test("a recording and its rest are the recording in one file", () => {
  const one = unpack(first(7));
  const two = unpack(first());
  assert.equal(two.frames.at(-1)!.at, 40);
  const file = rest();
  complete(two, file);
  complete(two, file); // again: for a second player of the page
  assert.deepEqual(two.frames, one.frames);
  assert.equal(two.rest, undefined);
  assert.deepEqual(two.frames[5]!.set![0], { id: "p", k: "packet", role: "request", from: 61, to: 65 });
});

test("the rest of another recording is refused, and the first part stays as it is", () => {
  for (const wrong of [{ version: 2 }, { demo: "e" }, { packed: { ...packed(3), form: 1 } }, { packed: packed(2) }]) {
    const recording = unpack(first());
    assert.throws(() => complete(recording, { ...rest(), ...wrong }), /its rest is of another one/);
    assert.equal(recording.frames.length, 4);
    assert.equal(recording.rest, "wide.rest.json");
  }
});

/** A player that waits, with answers that come when the test says so. */
function waiting() {
  const done: string[] = [];
  const answers: { come(file?: RestFile): void; fail(): void }[] = [];
  let again: (() => void) | undefined;
  const recording = unpack(first());
  const state = new PlayerState(recording, { lang: "en", phrases: {} });
  state.draw = () => void done.push("missed");
  state.on("whole", () => done.push("came"));
  state.on("message", ({ text, act }) => { done.push(`"${text}"`); again = act; });
  const it = new Rest(state, {
    words: { loadingRest: "loading", failedRest: "failed" },
    load: () => new Promise((resolve, reject) => answers.push({ come: (file = rest()) => resolve(file), fail: () => reject(new Error("404")) })),
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  return { it, state, recording, answers, done, settled, retry: () => again!(), wish: (name: string, ms?: number) => it.want(ms, () => done.push(name)) };
}

test("in the background nothing is said", async () => {
  const w = waiting();
  void w.it.fetch();
  void w.it.fetch();
  assert.equal(w.answers.length, 1);
  w.answers[0]!.come();
  await w.settled();
  assert.deepEqual(w.done, ["came"]);
  assert.equal(w.recording.frames.length, 7);
});

test("of several wishes the last is done, after the frames have come", async () => {
  const w = waiting();
  void w.it.fetch();
  w.wish("one", 100);
  w.wish("two", 200);
  assert.equal(w.it.wantedMs, 200);
  w.answers[0]!.come();
  await w.settled();
  assert.deepEqual(w.done, ['"loading"', '"loading"', '""', "came", "two"]);
  assert.equal(w.it.isWanted, false);
});

test("who does something else no longer waits", async () => {
  const w = waiting();
  w.wish("one");
  w.it.drop();
  w.it.drop();
  w.answers[0]!.come();
  await w.settled();
  assert.deepEqual(w.done, ['"loading"', '""', "came"]);
});

test("what fails in the background is tried again when it is wanted; then it says so, and trying again does what was wanted", async () => {
  const w = waiting();
  void w.it.fetch();
  w.answers[0]!.fail();
  await w.settled();
  assert.deepEqual(w.done, []);
  w.wish("one", 300);
  w.answers[1]!.fail();
  await w.settled();
  assert.deepEqual(w.done, ['"loading"', "missed", '"failed"']);
  assert.equal(w.it.wantedMs, undefined);
  w.retry();
  assert.equal(w.it.wantedMs, 300);
  w.answers[2]!.come();
  await w.settled();
  assert.deepEqual(w.done.slice(3), ['"loading"', '""', "came", "one"]);
});

test("another layout takes the wish over", async () => {
  const w = waiting();
  w.wish("one", 100);
  const other = unpack(first());
  w.state.recording = other;
  w.answers[0]!.come(); // too late
  await w.settled();
  assert.deepEqual(w.done, ['"loading"']);
  void w.it.fetch();
  w.answers[1]!.come();
  await w.settled();
  assert.deepEqual(w.done, ['"loading"', '""', "came", "one"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { ahead, IdleDetector } from "./idle";
import type { Frame, Op, Value } from "./recording";

const second = 1_000_000;
let frames: Frame[] = [];
/** Adds an event at a time, s; cause is the place of another. */
const add = (at: number, op: Op, { q, c, ...attrs }: { q?: boolean; c?: number } & Record<string, Value | undefined> = {}) =>
  frames.push({ e: frames.length + 1, at: at * second, d: at * 50, who: "x", op, m: op, a: Object.entries(attrs).flat() as Value[],
    ...(q ? { q } : {}), ...(c === undefined ? {} : { c: c + 1 }) }) - 1;

function story(): void {
  frames = [];
  add(0, "input"); // 0
  add(1, "store.commit"); // 1
  add(1.4, "watch.receive", { q: true }); // 2
  for (let at = 10; at < 300; at += 10) add(at, "store.commit", { q: true });
}
const outlook = (index: number, until: number) => new IdleDetector().after(frames, index, until * second);

test("a run is over when nothing but heartbeats comes for as long as it looks ahead", () => {
  story();
  assert.equal(outlook(0, 500), "goesOn", "the commit comes");
  assert.equal(outlook(1, 300), "unknown");
  assert.equal(outlook(1, 1 + ahead / second), "over");
  assert.equal(outlook(5, 1 + ahead / second), "over", "from any moment of the silence");
});

test("upkeep is no news, and what comes of it otherwise is", () => {
  story();
  const compacted = add(300, "store.compact");
  add(300, "log", { c: compacted });
  const closed = add(310, "watch.close", { reason: "timeout" });
  const asks = add(310, "request.send", { c: closed });
  add(310, "watch.open", { c: asks });
  assert.equal(outlook(1, 500), "over");
  add(311, "queue.add", { c: asks });
  assert.equal(outlook(1, 500), "goesOn");
  frames.pop();
  add(312, "watch.close", { reason: "connection is lost" });
  assert.equal(outlook(1, 500), "goesOn");
});

test("what is found as it plays on is what is found at once", () => {
  story();
  add(330, "store.commit");
  add(340, "store.commit", { q: true });
  const walks = new IdleDetector();
  walks.begin(0);
  for (let i = 0; i < frames.length; i++) assert.equal(walks.after(frames, i, 350 * second), outlook(i, 350), `at ${i}`);
  add(345, "log");
  assert.equal(walks.after(frames, frames.length - 2, 350 * second), "goesOn", "frames that come are looked at");
  assert.equal(walks.after(frames, frames.length - 1, 900 * second), "over");
});

test("it rests once in a silence, and again after something has happened", () => {
  story();
  const idle = new IdleDetector();
  idle.begin(1);
  assert.equal(idle.after(frames, 1, Infinity), "over");
  assert.equal(idle.hasSettled(frames, 1.4 * second), false);
  assert.equal(idle.hasSettled(frames, 1.5 * second), true);
  assert.equal(idle.settled(frames), 2, "what travelled has arrived");
  idle.rest();
  idle.begin(2);
  assert.equal(idle.after(frames, 2, Infinity), "goesOn", "the reader plays on");
  const more = add(301, "input");
  assert.equal(idle.after(frames, more, Infinity), "over");
  idle.begin(0);
  assert.equal(idle.after(frames, 0, Infinity), "goesOn");
  assert.equal(idle.after(frames, more, Infinity), "over", "who goes back sees it again");
});

test("what has to stay so is waited for, before it rests", () => {
  story();
  const idle = new IdleDetector();
  idle.begin(1);
  idle.after(frames, 1, 900 * second);
  assert.equal(idle.hasSettled(frames, 4 * second), true);
  assert.equal(idle.hasSettled(frames, 4 * second, 5 * second), false);
  assert.equal(idle.hasSettled(frames, 8 * second, 5 * second), true);
  assert.ok(frames[idle.settled(frames)]!.at < 3 * second);
  assert.ok(frames[idle.settled(frames, 5 * second)]!.at >= 8 * second, "the frame that is gone to is past it");
});

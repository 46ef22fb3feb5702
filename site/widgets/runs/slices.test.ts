import assert from "node:assert/strict";
import { test } from "node:test";
import { Slices, type Work } from "./slices";

/** A control plane that takes so many ms for a second of virtual time, on a clock of its own. */
function plane(msPerSecond: number, next = (now: number) => now) {
  let now = 0;
  let time = 0;
  const took: number[] = [];
  return {
    took,
    get now() { return now; },
    clock: () => time,
    run: async (until: number) => {
      const ms = ((until - now) / 1e6) * msPerSecond;
      took.push(ms);
      time += ms;
      now = until;
      return { now, next: next(now), events: Math.round(now / 1000) };
    },
  };
}

test("a slow control plane is asked for little at once, and comes to the same moment", async () => {
  const slow = plane(8000);
  await new Slices().run(0, 5_000_000, slow.run, undefined, slow.clock);
  assert.equal(slow.now, 5_000_000);
  assert.ok(Math.max(...slow.took.slice(2)) < 250, `slices take ${slow.took.join(", ")} ms`);
});

test("a quick one is asked few times", async () => {
  const quick = plane(5);
  await new Slices().run(0, 2_000_000, quick.run, undefined, quick.clock);
  assert.equal(quick.now, 2_000_000);
  assert.ok(quick.took.length <= 5, `${quick.took.length} slices`);
});

test("a page that is busy when answers come does not make slices smaller", async () => {
  const quick = plane(5);
  const late = async (until: number) => ({ ...(await quick.run(until)), ms: quick.took.at(-1)! });
  let time = 0;
  await new Slices().run(0, 2_000_000, late, undefined, () => (time += 400));
  assert.ok(quick.took.length <= 5, `${quick.took.length} slices`);
});

test("who says stop waits for one slice at most", async () => {
  const slow = plane(8000);
  const told: Work[] = [];
  await new Slices().run(0, 50_000_000, slow.run, (work) => told.push(work) < 7, slow.clock);
  assert.equal(told.length, 7);
  assert.equal(slow.took.length, 7);
  assert.ok(slow.now < 50_000_000);
  assert.ok(told.at(-1)!.rate > 0 && told.every((w, i) => i === 0 || w.now > told[i - 1]!.now));
});

test("silence is passed in one slice, and the end of everything ends it", async () => {
  const silent = plane(100, (now) => (now < 40_000_000 ? 40_000_000 : -1));
  await new Slices().run(0, 600_000_000, silent.run, undefined, silent.clock);
  assert.ok(silent.took.length <= 3, `${silent.took.length} slices`);
});

// node:test, as JavaScript that generator/dev/unit makes of this.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Engine } from "./engine";
import { Sessions, type SessionOptions, type Session } from "./sessions";
import { Prewarm } from "./prewarm";
import type { Input, Scenario } from "../state/scenario";

const scenario = { name: "demo", seed: 7, title: {}, setup: 0, cluster: { epoch: "", trace: 2 }, end: 60e9 } satisfies Scenario;
const run = (...inputs: Input[]): SessionOptions => ({ scenario, layout: "wide", whatIf: "", inputs });
const kill = (seconds: number): Input => ({ at: seconds * 1e9, kind: "kill-node", node: "node-1" });

/** A control plane in which a thousand events happen each second. */
class Fake {
  readonly worlds = new Map<number, number>(); // µs
  readonly calls: string[] = [];
  readonly sessions: Sessions;

  constructor() {
    this.sessions = new Sessions(<T>(name: string, argument: object) => Promise.resolve(this.call(name, argument as never) as T));
  }

  load = () => Promise.resolve();
  aside = <T>(work: () => Promise<T>) => work();

  private call(name: string, { world, until = 0, input }: { world: number; until?: number; input?: Input }): unknown {
    this.calls.push(`${name} ${world}`);
    if (name === "open") this.worlds.set(world, 0);
    else if (name === "close") this.worlds.delete(world);
    else if (!this.worlds.has(world)) throw new Error("no session is open");
    if (name === "run") this.worlds.set(world, Math.max(until, this.worlds.get(world)!));
    const now = this.worlds.get(world) ?? 0;
    if (name === "give" && input!.at <= now * 1000) throw new Error("too late");
    return name === "frames" ? [] : { now, next: now + 1, events: Math.floor(now / 1000) };
  }
}

async function settled(fake: Fake, prewarm: Prewarm, ...args: Parameters<Prewarm["follow"]>): Promise<void> {
  prewarm.follow(...args);
  for (let before = -1; fake.calls.length !== before; ) {
    before = fake.calls.length;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const times = (fake: Fake) => [...fake.worlds.values()].sort((a, b) => a - b).map((us) => us / 1e6);

test("a session waits where the reader stands, another where they may go back to", async () => {
  const fake = new Fake();
  const prewarm = new Prewarm(fake as unknown as Engine);
  await settled(fake, prewarm, run(), 20e6, 12e6);
  assert.deepEqual(times(fake), [12, 20]);
  await settled(fake, prewarm, run(), 25e6, 24e6);
  assert.deepEqual(times(fake), [24, 25], "they follow");
  await settled(fake, prewarm, run(), 24.5e6, 24e6);
  assert.deepEqual(times(fake), [24, 24.5, 25], "one step back: the nearer one moves up, another takes its place");
});

test("what the reader does happens in the one that waits, without a replay", async () => {
  const fake = new Fake();
  await settled(fake, new Prewarm(fake as unknown as Engine), run(), 20e6, 12e6);
  const opened = fake.calls.filter((c) => c.startsWith("open")).length;
  const mine = {};
  const session = await fake.sessions.of(mine, run(kill(21)), 20_000);
  assert.equal(session.now, 20e6);
  assert.deepEqual(fake.calls.slice(-1), [`give ${session.id}`]);
  assert.equal(fake.calls.filter((c) => c.startsWith("open")).length, opened);
  assert.equal(await fake.sessions.of(mine, run(kill(21)), 20_000), session, "and stays the reader's");
  // Earlier than that one, later than the other.
  const other = await fake.sessions.of({}, run(kill(13)), 13_000);
  assert.equal(other.now, 12e6);
  // Earlier than both: it begins anew.
  assert.equal((await fake.sessions.of({}, run(kill(5)), 5_000)).now, 0);
});

test("frames that such a session has passed over are not asked of it", async () => {
  const fake = new Fake();
  await settled(fake, new Prewarm(fake as unknown as Engine), run(), 20e6, 12e6);
  assert.equal((await fake.sessions.of({}, run(kill(21)), 100)).now, 0);
});

test("when there is no room, what was not used for longest is closed, and begins anew when it is needed", async () => {
  const fake = new Fake();
  const { sessions } = fake;
  const users = Array.from({ length: 14 }, () => ({}));
  const made: Session[] = [];
  for (const user of users) {
    const session = await sessions.of(user, run(), 0);
    await sessions.run(session, 30e6);
    made.push(session);
  }
  assert.ok(fake.worlds.size <= 13 && fake.worlds.has(made.at(-1)!.id) && !fake.worlds.has(made[0]!.id));
  const again = await sessions.of(users[0], run(), 0);
  assert.notEqual(again.id, made[0]!.id);
  assert.equal(again.now, 0);
});

test("a session that fails is closed", async () => {
  const fake = new Fake();
  const mine = {};
  const session = await fake.sessions.of(mine, run(), 0);
  fake.worlds.delete(session.id);
  await assert.rejects(fake.sessions.run(session, 5e6), /no session/);
  assert.notEqual((await fake.sessions.of(mine, run(), 0)).id, session.id);
});

test("a session that waits serves a branch in another layout, too: it is drawn anew, and not run again", async () => {
  const fake = new Fake();
  await settled(fake, new Prewarm(fake as unknown as Engine), run(), 20e6, 20e6);
  const opened = fake.calls.filter((call) => call.startsWith("open")).length;
  const narrow = { ...run(kill(21)), layout: "narrow" as const };
  const session = await fake.sessions.of("branch", narrow, 5);
  assert.deepEqual([session.layout, session.now, session.passed], ["narrow", 20e6, 0]);
  assert.ok(fake.calls.includes(`relayout ${session.id}`));
  assert.equal(fake.calls.filter((call) => call.startsWith("open")).length, opened);
});

test("what a branch has goes to the one that takes its place", async () => {
  const { sessions } = new Fake();
  const session = await sessions.of("old", run(kill(5)), 0);
  sessions.handOver("old", "new");
  assert.equal(await sessions.of("new", run(kill(5)), 0), session);
  assert.notEqual(await sessions.of("old", run(kill(5)), 0), session);
});

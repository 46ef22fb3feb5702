// The sessions that are open in the control plane, each under a number. Some are a
// branch's; the others have no user: they are parked at a moment, so that something
// done after it needs no replay. What costs too much room is closed, those first
// that were not used for longest; who needs one again has it replayed, since the
// same inputs lead to the same events.
//
// Everything here is called with the engine to oneself (Engine.exclusively).

import { Slices, type Work } from "./slices";
import type { Functions, RunAnswer } from "../generated/session";
import type { Layout } from "../state/recording";
import type { Input, Scenario } from "../state/scenario";

/** What is run in a session. */
export interface SessionOptions {
  scenario: Scenario;
  layout: Layout;
  /** The counterfactual; "" is the real world. */
  whatIf: string;
  /** In order of time. */
  inputs: readonly Input[];
}

export interface Session extends SessionOptions {
  readonly id: number;
  /** Whose it is; one that waits has nobody. */
  user: unknown;
  /** How far it has run, µs, and the number of events by then. */
  now: number;
  events: number;
  /** Its film has no frames of so many first events. */
  passed: number;
  /** Nothing is left to happen. */
  ended: boolean;
  used: number;
  readonly slices: Slices;
}

/** How many events all sessions of a worker may have together: each takes about a kilobyte. */
const roomOfAll = 400_000;
/** How many there may be, however small. */
const most = 12;

export type Call = <T>(name: keyof Functions, argument: object) => Promise<T>;

export class Sessions {
  private readonly all = new Set<Session>();
  private count = 0;
  private clock = 0;
  private room = roomOfAll;

  constructor(private readonly call: Call) {}

  /** Those that nobody uses and that can become one like this. */
  idle(options: SessionOptions): Session[] {
    return [...this.all].filter((s) => s.user === undefined && isSame(s, options) && startsWith(options.inputs, s.inputs));
  }

  /**
   * The session of a branch, from which frames are wanted from an index on.
   * It is the one that they have, given what was done since; or one that waits, the
   * nearest; or one that begins anew.
   */
  async of(user: unknown, options: SessionOptions, from: number): Promise<Session> {
    const own = [...this.all].find((s) => s.user === user);
    if (own && canBecome(own, options)) return this.become(own, options);
    if (own) await this.close(own);
    const free = this.idle(options).filter((s) => canBecome(s, options) && (s.passed <= from || s.layout !== options.layout))
      .sort((a, b) => b.now - a.now || Number(b.layout === options.layout) - Number(a.layout === options.layout))[0];
    if (!free) return this.open(options, user);
    free.user = user;
    return this.become(free, options);
  }

  /** Opens one, at the start. */
  async open(options: SessionOptions, user?: unknown): Promise<Session> {
    await this.makeRoom(user);
    const session: Session = { ...options, id: ++this.count, user, now: 0, events: 0, passed: 0, ended: false, used: ++this.clock, slices: new Slices() };
    await this.call("open", { world: session.id, ...options });
    this.all.add(session);
    return session;
  }

  /**
   * Lets virtual time pass up to a moment, µs, or until goesOn says no, which is asked
   * every tenth of a second. Nobody wants the frames up to there when pass is set.
   */
  async run(session: Session, until: number, pass = false, goesOn?: (work: Work) => boolean): Promise<void> {
    await session.slices.run(session.now, until, async (to) => {
      const answer = await this.ask<RunAnswer>(session, "run", { until: to, pass });
      const { now, next, events } = answer;
      session.now = now;
      session.events = events;
      session.ended = next < 0;
      if (pass) session.passed = events;
      return answer;
    }, goesOn);
  }

  /** Calls a session. One that fails is in a state that nobody knows. */
  async ask<T>(session: Session, name: keyof Functions, argument: object = {}): Promise<T> {
    session.used = ++this.clock;
    try {
      return await this.call<T>(name, { world: session.id, ...argument });
    } catch (error) {
      await this.close(session).catch(() => {});
      throw error;
    }
  }

  async close(session: Session): Promise<void> {
    if (this.all.delete(session)) await this.call("close", { world: session.id });
  }

  /** What somebody has, another one has from now on. */
  handOver(user: unknown, to: unknown): void {
    for (const s of this.all) if (s.user === user) s.user = to;
  }

  /** Lets go of what somebody has: it waits for the next. */
  release(user: unknown): void {
    for (const s of this.all) if (s.user === user) s.user = undefined;
  }

  /** A worker has come, in which they have the numbers after this one. */
  begin(number: number): void {
    this.count = number;
  }

  /** So many pages share the worker. */
  share(pages: number): void {
    this.room = roomOfAll / pages;
  }

  /** Forgets all of them: the worker is gone. */
  forget(): void {
    this.all.clear();
  }

  /** Whether one more of about that many events has its place without anything being closed. */
  hasRoom(events: number): boolean {
    return this.all.size < most && this.weight + events <= this.room;
  }

  private get weight(): number {
    let sum = 0;
    for (const s of this.all) sum += s.events;
    return sum;
  }

  /** Closes those that nobody uses, and then what is not shown, until there is room; what is in use stays when nothing else is left. */
  private async makeRoom(user: unknown): Promise<void> {
    while (this.all.size >= most || this.weight > this.room) {
      const oldest = [...this.all].filter((s) => s.user !== user || user === undefined)
        .sort((a, b) => Number(a.user !== undefined) - Number(b.user !== undefined) || a.used - b.used)[0];
      if (!oldest) return;
      await this.close(oldest);
    }
  }

  /** Gives a session the inputs that it lacks, and has it drawn as is wanted: what happens in it does not depend on that. */
  async become(session: Session, options: SessionOptions): Promise<Session> {
    if (session.layout !== options.layout) {
      await this.ask(session, "relayout", { layout: options.layout });
      Object.assign(session, { layout: options.layout, passed: 0 });
    }
    for (const input of options.inputs.slice(session.inputs.length)) {
      await this.ask(session, "give", { input });
    }
    session.inputs = [...options.inputs];
    session.used = ++this.clock;
    return session;
  }
}

function isSame(a: SessionOptions, b: SessionOptions): boolean {
  return a.whatIf === b.whatIf && a.scenario.seed === b.scenario.seed && a.scenario.name === b.scenario.name;
}

function startsWith(inputs: readonly Input[], beginning: readonly Input[]): boolean {
  return beginning.length <= inputs.length && beginning.every((input, i) => input === inputs[i] || JSON.stringify(input) === JSON.stringify(inputs[i]));
}

/** Whether the inputs that a session lacks can still be done there: all of them come after its time. */
export function canBecome(session: Session, options: SessionOptions): boolean {
  if (!isSame(session, options) || !startsWith(options.inputs, session.inputs)) return false;
  return options.inputs.slice(session.inputs.length).every((input) => input.at > session.now * 1000);
}

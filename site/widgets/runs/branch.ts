// A reader's own run: the scenario, their inputs, and the frames that the control
// plane makes of them, a little ahead of what is shown. Since it is deterministic,
// everything before the reader's first input is what the recording holds.

import { enlarging, type Engine } from "./engine";
import type { Session, SessionOptions } from "./sessions";
import type { Work } from "./slices";
import type { Functions } from "../generated/session";
import type { FrameSource, PlayerState } from "../state/playerstate";
import type { Details, Frame, Header, Layout, Managers } from "../state/recording";
import type { Input, Scenario } from "../state/scenario";
import type { Timeline } from "../state/timeline";
import { put } from "../text";
import type { Words } from "../words";

/** From when on it is told that the control plane works, ms. */
const longMs = 700;
/** How much virtual time is asked for at once, µs. */
const stretch = 2_000_000;
/**
 * How much after an input, or another moment that is wanted, µs, and by how much more each time after it: what a reader
 * sees first is little, and so comes soon. In 100 ms there may be 2,000 frames.
 */
const [lead, growth] = [10_000, 8];
/** How long a run goes on after the last input, µs: a node's Pods are evicted after nearly six minutes. */
const rest = 600_000_000;
/** How many events a run may have: each takes about a kilobyte, here and in the control plane. */
const mostEvents = 300_000;

/** How far frames are wanted: past a time, µs, up to a moment of the display, up to a frame. */
export interface Until {
  us?: number;
  ms?: number;
  index?: number;
}

/** Whose frames a branch makes. It is no world itself: one in the making, for another layout, tells no world. */
export interface BranchOwner {
  /** What there was from a frame on is no longer so. */
  cut(from: number): void;
  /** Frames were added to the timeline. */
  grew(): void;
  failed(error: unknown): void;
}

/** What a branch needs besides its owner: the worker, and where it says how that gets on. */
export interface BranchContext {
  engine: Engine;
  state: PlayerState;
  lang: string;
  words: Pick<Words, "loadingLive" | "loadingLivePart" | "fullLive" | "working" | "atWork">;
}

export class Branch implements FrameSource {
  /** What the reader did, in order. */
  inputs: Input[] = [];
  /** The first frame that is not the recording's. */
  from = Infinity;
  /** The first frame that follows from what the reader did: up to there it is the author's story. */
  own = Infinity;
  /** Whether anything was made of it. */
  hasRun = false;
  /** The control plane has been at it for so long that the reader is told. */
  isWorking = false;
  /** Up to when all inputs are known, µs, of a run that goes on elsewhere and is followed here (live.ts); it runs no further. */
  limit: number | undefined;
  /** It has as many events as there is room for. */
  isFull = false;
  private ranTo = 0; // µs
  private ahead = stretch; // µs
  private horizon = 0; // µs
  private ended = false;
  private version = 0; // of the inputs
  private making: Promise<boolean> | undefined; // whoever asks meanwhile gets the same
  private known: { key: string; details: Promise<Details> } | undefined;
  private isLeft = false;
  private isStopped = false;

  /** whatIf is the counterfactual that it runs in; "" is the real world. */
  constructor(
    private readonly context: BranchContext, private readonly owner: BranchOwner, private readonly timeline: Timeline,
    readonly scenario: Scenario, readonly layout: Layout, readonly whatIf = "",
  ) {
    this.set([]);
  }

  /** Up to when its frames are all there, µs. */
  get until(): number {
    return Math.max(this.ended ? Infinity : this.ranTo, this.newest);
  }

  /** Whether there may be more frames. */
  get goesOn(): boolean {
    return !this.ended && !this.isFull && this.ranTo < (this.limit ?? this.horizon);
  }

  private get newest(): number {
    return this.timeline.frames.at(-1)?.at ?? 0;
  }

  /** Lets a run that has come to its end go on. */
  extend(): void {
    this.horizon = Math.max(this.horizon, this.ranTo) + rest;
  }

  // —— what the reader does

  /** Does something at a time, µs, in place of what came then. Tells whether its first frames are there. */
  act(what: Omit<Input, "at">, at: number): Promise<boolean> {
    const input: Input = { at: at * 1000, ...what };
    this.take([...this.inputs.filter((other) => other.at <= input.at), input], this.frameAt(at));
    return this.reach({ us: at, index: this.frameAt(at) });
  }

  /** Lets the control plane rest; from then on, µs, something can be done without running anything again. */
  async front(): Promise<number> {
    this.stop();
    await this.context.engine.exclusively(async () => {}); // what is under way
    return this.ranTo + 1;
  }

  /** Takes inputs that were given before; the timeline up to the first of them stays. */
  take(inputs: Input[], from: number): void {
    this.set(inputs);
    this.from = Math.min(this.from, from);
    this.own = Math.min(this.own, from);
    this.owner.cut(from);
  }

  /** Begins as another branch is, or as it was before a time, µs: an input at that time is one that the reader went back behind. */
  follow(other: Branch, at = Infinity): void {
    this.set(other.inputs.filter((input) => input.at / 1000 < at));
    this.from = Math.min(other.from, this.timeline.length);
    this.own = other.own;
    if (at === Infinity) this.limit = other.limit;
    this.hasRun = other.hasRun && at === Infinity;
  }

  private set(inputs: Input[]): void {
    this.inputs = inputs;
    this.version++;
    this.ended = this.isFull = false;
    this.ranTo = 0;
    this.ahead = stretch;
    this.horizon = Math.max(this.scenario.end / 1000, (inputs.at(-1)?.at ?? 0) / 1000 + rest);
  }

  /** The first frame at a time or later, µs. */
  frameAt(us: number): number {
    return this.timeline.atVirtual(Math.floor(us) - 1) + 1;
  }

  /** For when nobody looks at it any more: what is still under way is dropped; what the control plane has may serve another. */
  leave(): void {
    this.isLeft = true;
    this.context.engine.sessions.release(this);
  }

  // —— frames

  /** Runs until there are frames past a time, and up to a moment of the display or a frame. */
  async reach({ us = 0, ms = 0, index = 0 }: Until): Promise<boolean> {
    const { timeline, context: { engine, state, words } } = this;
    state.say(engine.isReady ? "" : words.loadingLive);
    engine.onProgress = (percent) => state.say(put(words.loadingLivePart, { percent }));
    state.emit("busy", true);
    try {
      do {
        if (!(await this.make(Math.max(us, this.newest)))) return false; // what is there already is run in one go
      } while (this.goesOn && !this.isStopped && (timeline.end < ms || timeline.length <= index));
      if (!this.isFull) state.say("");
      return true;
    } catch (error) {
      if (!this.isLeft) this.owner.failed(error);
      return false;
    } finally {
      engine.onProgress = () => {};
      state.emit("busy", false);
    }
  }

  /** Makes a little more. Tells whether there is more now. */
  more(): Promise<boolean> {
    return (this.making ??= this.makeMore());
  }

  private async makeMore(): Promise<boolean> {
    try {
      return await this.make(this.newest);
    } catch (error) {
      if (!this.isLeft) this.owner.failed(error);
      return false;
    } finally {
      this.making = undefined;
    }
  }

  private async make(past: number): Promise<boolean> {
    const { timeline, context: { engine, state, lang, words } } = this;
    this.isStopped = false;
    // Opening a world of thousands of nodes is one call: until it is answered there is nothing else to tell.
    const waits = setTimeout(() => {
      if (this.isLeft || !engine.isReady) return;
      this.isWorking = true;
      state.say(words.atWork);
    }, longMs);
    const frames = await this.run(past).finally(() => clearTimeout(waits));
    if (this.isWorking) state.say("");
    this.isWorking = false;
    if (!frames || this.isLeft) return false;
    this.hasRun = true;
    timeline.append(frames);
    this.owner.grew();
    if (this.isFull) state.say(put(words.fullLive, { n: mostEvents.toLocaleString(lang) }));
    return true;
  }

  /** Runs a stretch further, at least past a moment (µs), and returns the frames that are new; undefined when the inputs were changed meanwhile. */
  private run(past: number): Promise<Frame[] | undefined> {
    const { engine } = this.context;
    const { version, timeline: { length } } = this;
    return engine.exclusively(async () => {
      if (version !== this.version) return undefined;
      const session = await this.session(length);
      this.ahead = past > this.ranTo ? lead : Math.min(stretch, this.ahead * growth);
      const until = Math.min(Math.ceil(Math.max(this.ranTo, past) + this.ahead), this.limit ?? Infinity);
      await engine.sessions.run(session, until, false, (work) => session.events < mostEvents && this.worked(work, past));
      this.isFull = session.events >= mostEvents;
      this.ranTo = session.ended ? until : Math.min(until, session.now);
      this.ended = session.ended;
      const frames = await engine.sessions.ask<Frame[] | null>(session, "frames", { from: length + 1 });
      return version === this.version ? (frames ?? []) : undefined;
    });
  }

  /** Tells how the control plane gets on when that takes long; and whether it is to go on. */
  private worked({ ms, now }: Work, past: number): boolean {
    const { state, words } = this.context;
    if (ms > longMs && !this.isLeft) {
      this.isWorking = true;
      const to = Math.max(past, now);
      state.say(put(words.working, { at: clock(to), percent: Math.floor((now / to) * 100) }));
    }
    return !this.isStopped && !this.isLeft;
  }

  /** Lets the control plane rest: what it has not made, it makes when it is asked again. */
  stop(): void {
    this.isStopped = true;
  }

  // —— questions

  /** Asks the control plane about this run, as far as it has come. */
  ask<T>(call: keyof Functions, argument: object = {}): Promise<T> {
    const { engine } = this.context;
    return engine.exclusively(async () => engine.sessions.ask<T>(await this.session(), call, argument));
  }

  /** The header: its marks are those that have happened. */
  header(): Promise<Header> {
    return this.ask<Header>("header");
  }

  managers(object: string): Promise<Managers> {
    return this.ask<Managers>("managers", { object });
  }

  /** Stacks and objects up to where the run is. */
  details(): Promise<Details> {
    const key = `${this.version} ${this.ranTo}`;
    if (this.known?.key === key) return this.known.details;
    const details = this.detailsSince(this.known?.key.startsWith(`${this.version} `) ? this.known.details : undefined);
    this.known = { key, details };
    details.catch(() => (this.known = undefined));
    return details;
  }

  /** What is known, and what came since. */
  private async detailsSince(known: Promise<Details> | undefined): Promise<Details> {
    const before = await known?.catch(() => undefined);
    const events = Math.max(0, ...Object.keys(before?.objects ?? {}).map(Number));
    const now = await this.ask<Details>("details", { events, stacks: before?.stacks.length ?? 0 });
    if (!before) return now;
    return { stacks: [...before.stacks, ...now.stacks], objects: { ...before.objects, ...now.objects }, base: { ...before.base, ...now.base } };
  }

  /** What a session in the control plane is to be a run of. */
  get options(): SessionOptions {
    const { scenario, layout, whatIf, inputs } = this;
    return { scenario, layout, whatIf, inputs };
  }

  /** Its session, which is where the run is. */
  private async session(from = Infinity): Promise<Session> {
    const { engine } = this.context;
    await engine.load();
    const session = await enlarging(() => engine.sessions.of(this, this.options, from));
    if (session.now < this.ranTo) await engine.sessions.run(session, this.ranTo);
    return session;
  }
}

/** A time, µs, in minutes and seconds. */
function clock(us: number): string {
  const seconds = Math.floor(us / 1e6);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

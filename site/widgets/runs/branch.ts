// A reader's own run in a player: where it leaves the recording, and the frames
// that the control plane makes of it, a little ahead of what is shown.

import type { Engine } from "./engine";
import { put } from "../dom/dom";
import { Live, mostEvents } from "./live";
import type { Work } from "./slices";
import type { Details, Header, Layout, Managers } from "../state/recording";
import type { Input, Scenario } from "../state/scenario";
import type { Timeline } from "../state/timeline";
import type { Words } from "../words";

/** From when on it is told that the control plane works, ms. */
const longMs = 700;

export interface BranchHost {
  words: Pick<Words, "loadingLive" | "loadingLivePart" | "fullLive" | "working" | "atWork">;
  readonly timeline: Timeline;
  /** What there was from a frame on is no longer so. */
  cut(from: number): void;
  /** Frames were added to the timeline. */
  grew(): void;
  busy(busy: boolean): void;
  say(message: string): void;
  failed(error: unknown): void;
}

/** What makes frames, a little ahead of what is shown. */
export interface Source {
  /** Whether there may be more frames. */
  readonly goesOn: boolean;
  /** Up to when all that happens is known, µs. */
  readonly until: number;
  /** Lets a run that has come to its end go on. */
  extend(): void;
  /** Makes a little more. Tells whether there is more now. */
  more(): Promise<boolean>;
  /** Lets the control plane rest. */
  stop?(): void;
  /** The control plane has been at it for so long that the reader is told. */
  readonly isWorking?: boolean;
}

export class Branch implements Source {
  /** The first frame that is not the recording's. */
  from = Infinity;
  /** The first frame that follows from what the reader did: up to there it is the author's story. */
  own = Infinity;
  private readonly live: Live;
  /** Whether anything was made of it. */
  hasRun = false;
  private making: Promise<boolean> | undefined; // whoever asks meanwhile gets the same
  private isLeft = false;
  private isStopped = false;
  /** The control plane has been at it for so long that the reader is told. */
  isWorking = false;

  constructor(private readonly host: BranchHost, private readonly engine: Engine, scenario: Scenario, readonly layout: Layout, whatIf = "") {
    this.live = new Live(engine, scenario, layout, whatIf);
  }

  get scenario(): Scenario {
    return this.live.scenario;
  }

  /** The counterfactual that it runs in; "" is the real world. */
  get whatIf(): string {
    return this.live.whatIf;
  }

  /** Up to when its frames are all there, µs. */
  get until(): number {
    return Math.max(this.live.until, this.host.timeline.frames.at(-1)?.at ?? 0);
  }

  /** What the reader did, in order. */
  get inputs(): Input[] {
    return this.live.inputs;
  }

  /** Whether there may be more frames. */
  get goesOn(): boolean {
    return this.live.goesOn;
  }

  /** Lets a run that has come to its end go on. */
  extend(): void {
    this.live.extend();
  }

  header(): Promise<Header> {
    return this.live.header();
  }

  /** Asks the control plane about it, as far as it has come. */
  ask<T>(call: "exercise", argument: object): Promise<T> {
    return this.live.ask<T>(call, argument);
  }

  details(): Promise<Details> {
    return this.live.details();
  }

  managers(object: string): Promise<Managers> {
    return this.live.ask<Managers>("managers", { object });
  }

  /** Begins as another branch is, or as it was before a time, µs: an input at that time is one that the reader went back behind. */
  follow(other: Branch, at = Infinity): void {
    this.live.set(other.inputs.filter((input) => input.at / 1000 < at));
    this.from = Math.min(other.from, this.host.timeline.length);
    this.own = other.own;
    this.hasRun = other.hasRun && at === Infinity;
  }

  /** For when it is replaced: what is still under way is dropped. */
  leave(): void {
    this.isLeft = true;
    this.live.leave();
  }

  /** Does something at a time, µs, in place of what came then. Tells whether its first frames are there. */
  give(what: Omit<Input, "at">, at: number): Promise<boolean> {
    this.live.give({ at: at * 1000, ...what });
    this.cut(this.frameAt(at));
    return this.reach({ us: at });
  }

  /** Takes inputs that were given before; the timeline up to the first of them stays. */
  take(inputs: Input[], from: number): void {
    this.live.set(inputs);
    this.cut(from);
  }

  /** The first frame at a time or later, µs. */
  frameAt(us: number): number {
    return this.host.timeline.atVirtual(Math.floor(us) - 1) + 1;
  }

  /** Runs until there are frames past a time, and up to a moment of the display or a frame. */
  async reach({ us = 0, ms = 0, index = 0 }: { us?: number; ms?: number; index?: number }): Promise<boolean> {
    const { host, engine, live } = this;
    const { timeline, words } = host;
    host.say(engine.isReady ? "" : words.loadingLive);
    engine.onProgress = (percent) => host.say(put(words.loadingLivePart, { percent }));
    host.busy(true);
    try {
      do {
        if (!(await this.make(us))) return false;
      } while (live.goesOn && !this.isStopped && (timeline.end < ms || timeline.length <= index));
      if (!live.isFull) host.say("");
      return true;
    } catch (error) {
      if (!this.isLeft) host.failed(error);
      return false;
    } finally {
      engine.onProgress = () => {};
      host.busy(false);
    }
  }

  /** Makes a little more. Tells whether there is more now. */
  more(): Promise<boolean> {
    return (this.making ??= this.makeMore());
  }

  private async makeMore(): Promise<boolean> {
    try {
      return await this.make(this.host.timeline.frames.at(-1)?.at ?? 0);
    } catch (error) {
      if (!this.isLeft) this.host.failed(error);
      return false;
    } finally {
      this.making = undefined;
    }
  }

  private async make(past: number): Promise<boolean> {
    const { timeline } = this.host;
    this.isStopped = false;
    // Opening a world of thousands of nodes is one call: until it is answered there is nothing else to tell.
    const waits = window.setTimeout(() => {
      if (this.isLeft || !this.engine.isReady) return;
      this.isWorking = true;
      this.host.say(this.host.words.atWork);
    }, longMs);
    const frames = await this.live.run(past, timeline.length, (work) => this.worked(work, past)).finally(() => clearTimeout(waits));
    if (this.isWorking) this.host.say("");
    this.isWorking = false;
    if (!frames || this.isLeft) return false;
    this.hasRun = true;
    timeline.append(frames);
    this.host.grew();
    this.tellFull();
    return true;
  }

  private tellFull(): void {
    const { lang } = document.documentElement;
    if (this.live.isFull) this.host.say(put(this.host.words.fullLive, { n: mostEvents.toLocaleString(lang) }));
  }

  /** Tells how the control plane gets on when that takes long; and whether it is to go on. */
  private worked({ ms, now }: Work, past: number): boolean {
    const { host } = this;
    if (ms > longMs && !this.isLeft) {
      this.isWorking = true;
      const to = Math.max(past, now);
      host.say(put(host.words.working, { at: clock(to), percent: Math.floor((now / to) * 100) }));
    }
    return !this.isStopped && !this.isLeft;
  }

  /** Lets the control plane rest: what it has not made, it makes when it is asked again. */
  stop(): void {
    this.isStopped = true;
  }

  private cut(from: number): void {
    this.from = Math.min(this.from, from);
    this.own = Math.min(this.own, from);
    this.host.cut(from);
  }
}

/** A time, µs, in minutes and seconds. */
function clock(us: number): string {
  const seconds = Math.floor(us / 1e6);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

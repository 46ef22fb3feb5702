// A reader's own run of a demo: the scenario, the reader's inputs, and the frames
// that the control plane makes of them. Since it is deterministic, everything
// before the reader's first input is what the recording holds.

import type { Engine } from "./engine";
import type { Session } from "./sessions";
import type { Work } from "./slices";
import type { Functions } from "../generated/session";
import type { Details, Frame, Header, Layout } from "../state/recording";
import type { Input, Scenario } from "../state/scenario";

/** How much virtual time is asked for at once, µs. */
const stretch = 2_000_000;
/** How much at least after a moment that is wanted, µs: what a reader sees first is little, and so comes soon. */
const lead = 100_000;
/** How long a run goes on after the last input, µs: a node's Pods are evicted after nearly six minutes. */
const rest = 600_000_000;
/** How many events a run may have: each takes about a kilobyte, here and in the control plane. */
export const mostEvents = 300_000;

export class Live {
  /** The reader's inputs, in order. */
  inputs: Input[] = [];
  private ranTo = 0; // µs
  private horizon: number; // µs
  private ended = false;
  private version = 0; // of the inputs
  /** It has as many events as there is room for. */
  isFull = false;
  private known: { key: string; details: Promise<Details> } | undefined;

  constructor(
    private readonly engine: Engine,
    readonly scenario: Scenario,
    private readonly layout: Layout,
    /** The counterfactual that it is a run of; "" is the real world. */
    readonly whatIf = "",
  ) {
    this.horizon = scenario.end / 1000;
  }

  /**
   * The time at which an input is done when a reader gives it at a frame, µs:
   * after everything the reader has seen, so that nothing of it is undone.
   */
  static timeOf(frame: Frame | undefined, now: number): number {
    return Math.max(Math.floor(now), (frame?.at ?? 0) + 1);
  }

  /** Adds an input; those that were later are dropped: a branch. */
  give(input: Input): void {
    this.set([...this.inputs.filter((other) => other.at <= input.at), input]);
  }

  /** Replaces all inputs. */
  set(inputs: Input[]): void {
    this.inputs = inputs;
    this.version++;
    this.ended = false;
    this.isFull = false;
    this.ranTo = 0;
    this.horizon = Math.max(this.scenario.end / 1000, (inputs.at(-1)?.at ?? 0) / 1000 + rest);
  }

  /** Lets a run that has come to its end go on. */
  extend(): void {
    this.horizon = Math.max(this.horizon, this.ranTo) + rest;
  }

  /** Up to when everything that happens is known, µs. */
  get until(): number {
    return this.ended ? Infinity : this.ranTo;
  }

  /** Whether there may be more frames. */
  get goesOn(): boolean {
    return !this.ended && !this.isFull && this.ranTo < this.horizon;
  }

  /**
   * Runs a stretch further, at least past a moment (µs), and returns the frames
   * from an index on; undefined when the inputs were changed meanwhile. It runs less
   * far when goesOn says no.
   */
  run(past: number, from: number, goesOn?: (work: Work) => boolean): Promise<Frame[] | undefined> {
    const version = this.version;
    return this.engine.exclusively(async () => {
      if (version !== this.version) return undefined;
      const session = await this.session(from);
      const until = Math.ceil(Math.max(this.ranTo + stretch, past + lead));
      await this.engine.sessions.run(session, until, false, (work) => session.events < mostEvents && (goesOn?.(work) ?? true));
      this.isFull = session.events >= mostEvents;
      this.ranTo = session.ended ? until : Math.min(until, session.now);
      this.ended = session.ended;
      const frames = await this.engine.sessions.ask<Frame[] | null>(session, "frames", { from: from + 1 });
      return version === this.version ? (frames ?? []) : undefined;
    });
  }

  /** The header as far as the run has come: its marks are those that have happened. */
  header(): Promise<Header> {
    return this.ask<Header>("header");
  }

  /** Stacks and objects up to where the run is. */
  details(): Promise<Details> {
    const key = `${this.version} ${this.ranTo}`;
    if (this.known?.key === key) return this.known.details;
    const details = this.more(this.known?.key.startsWith(`${this.version} `) ? this.known.details : undefined);
    this.known = { key, details };
    details.catch(() => (this.known = undefined));
    return details;
  }

  /** What is known, and what came since. */
  private async more(known: Promise<Details> | undefined): Promise<Details> {
    const before = await known?.catch(() => undefined);
    const events = Math.max(0, ...Object.keys(before?.objects ?? {}).map(Number));
    const now = await this.ask<Details>("details", { events, stacks: before?.stacks.length ?? 0 });
    if (!before) return now;
    return { stacks: [...before.stacks, ...now.stacks], objects: { ...before.objects, ...now.objects }, base: { ...before.base, ...now.base } };
  }

  /** Asks the control plane about this run, as far as it has come. */
  ask<T>(call: keyof Functions, argument: object = {}): Promise<T> {
    return this.engine.exclusively(async () => this.engine.sessions.ask<T>(await this.session(), call, argument));
  }

  /** For when nobody looks at it any more: what it has may serve another run. */
  leave(): void {
    this.engine.sessions.release(this);
  }

  /** Its session, which is where the run is. */
  private async session(from = Infinity): Promise<Session> {
    await this.engine.load();
    const { scenario, layout, whatIf, inputs } = this;
    const session = await this.engine.sessions.of(this, { scenario, layout, whatIf, inputs }, from);
    if (session.now < this.ranTo) await this.engine.sessions.run(session, this.ranTo);
    return session;
  }
}

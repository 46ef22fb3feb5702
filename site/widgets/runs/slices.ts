// Virtual time in slices. A control plane of five thousand nodes takes minutes for
// what one of three takes a blink, and while the worker runs it answers nobody. So it
// runs in slices that take about a tenth of a second each, whatever the size:
// between two it can be told to stop, and tells how it gets on. Where the worker says how
// long a slice took, that counts: an answer that waits for a busy page makes none smaller.

import type { RunAnswer } from "../generated/session";

/** How long a slice should take, ms. */
const wanted = 100;
/** The first slice, µs of virtual time: of the largest clusters it may still take seconds. */
const first = 50_000;
/** From one slice to the next, at most. */
const growth = 4;

/** How far a run has come. */
export interface Work {
  /** For how long it has been under way, ms of the reader's time. */
  ms: number;
  /** Virtual time, µs. */
  now: number;
  /** Events in a second of the reader's time. */
  rate: number;
}

export class Slices {
  private slice = first;

  /**
   * Lets virtual time pass up to a moment, slice by slice; run does one of them. goesOn is
   * asked after each whether to go on. Where nothing happens, a slice goes on until something does.
   */
  async run(from: number, until: number, run: (until: number) => Promise<RunAnswer & { ms?: number }>,
    goesOn: (work: Work) => boolean = () => true, clock = () => performance.now()): Promise<void> {
    const begun = clock();
    let before = begun;
    let [at, next] = [from, from];
    let had: number | undefined;
    for (;;) {
      at = Math.min(until, Math.max(at + this.slice, next));
      const answer = await run(at);
      at = Math.min(at, answer.now);
      const time = clock();
      this.slice = Math.max(1000, Math.round(this.slice * Math.min(growth, wanted / Math.max(1, answer.ms ?? time - before))));
      before = time;
      if (at >= until || answer.next < 0) return;
      next = Math.min(until, answer.next);
      had ??= answer.events;
      const ms = time - begun;
      if (!goesOn({ ms, now: answer.now, rate: ms > 0 ? Math.round(((answer.events - had) * 1000) / ms) : 0 })) return;
    }
  }
}

// Sessions that wait where the reader stands: what the reader does next happens in
// one of them, and nothing has to be replayed. One follows the reader's moment, a
// little behind; another waits further back, for a jump there. They are made and
// moved on in the background, in slices, so that who needs the control plane
// meanwhile waits for one slice at most.

import type { Engine } from "./engine";
import { canBecome, type SessionOptions, type Session } from "./sessions";

/** How long a slice takes, ms, at least and at most: its virtual time is fitted to that. */
const sliceMs = [8, 24] as const;
/** The virtual time of a slice, µs, at least and at most. */
const sliceUs = [1_000, 4_000_000] as const;
/** After how many frames the code that makes them is compiled. */
const enough = 600;
/** How many sessions wait at most. */
const most = 3;

interface Spot {
  options: SessionOptions;
  /** µs, descending: what comes first matters most. */
  moments: number[];
}

export class Prewarm {
  private spot: Spot | undefined;
  private isWorking = false;
  private slice = 100_000; // µs
  private made = 0; // frames, for nobody

  constructor(private readonly engine: Engine) {}

  /**
   * The reader is in a world at a moment, µs, and may go back to another. What
   * fails in the background is told when it is needed.
   */
  follow(options: SessionOptions, at: number, back: number): void {
    this.spot = { options, moments: back < at ? [at, back] : [at] };
    if (this.isWorking) return;
    this.isWorking = true;
    this.work().catch(() => (this.spot = undefined)).finally(() => (this.isWorking = false));
  }

  private async work(): Promise<void> {
    await this.engine.load();
    while (this.spot && (await this.engine.aside(() => this.step(this.spot!))));
  }

  /** Does a slice of what there is to do. Tells whether there was something. */
  private async step({ options, moments }: Spot): Promise<boolean> {
    const { sessions } = this.engine;
    const taken = new Set<Session>();
    for (const moment of moments) {
      const there = { ...options, inputs: options.inputs.filter((input) => input.at / 1000 <= moment) };
      const session = sessions.idle(there).filter((s) => s.now <= moment && !taken.has(s) && canBecome(s, there))
        .sort((a, b) => b.now - a.now)[0];
      if (!session) {
        if (!(await this.findPlace(there, moment, taken))) continue;
        taken.add(await sessions.open(there));
        return true;
      }
      if ((session.now < moment && !session.ended) || session.layout !== there.layout) {
        await sessions.become(session, there);
        await this.advance(session, moment);
        return true;
      }
      taken.add(session);
    }
    return false;
  }

  /** Whether one more may be opened; of these, the one that is furthest ahead of the reader gives way. */
  private async findPlace(options: SessionOptions, moment: number, taken: Set<Session>): Promise<boolean> {
    const { sessions } = this.engine;
    const all = sessions.idle(options);
    const ahead = all.filter((s) => s.now > moment && !taken.has(s)).sort((a, b) => b.now - a.now)[0];
    const large = Math.max(0, ...all.map((s) => s.events));
    if (all.length < most && sessions.hasRoom(large)) return true;
    if (ahead) await sessions.close(ahead);
    return taken.size === 0 || ahead !== undefined;
  }

  private async advance(session: Session, moment: number): Promise<void> {
    const { sessions } = this.engine;
    const began = performance.now();
    const first = session.events;
    await sessions.run(session, Math.min(moment, session.now + Math.ceil(this.slice)), this.made > enough);
    if (this.made <= enough) {
      // A browser compiles code when it runs for the first time: the code that makes frames, too.
      this.made += session.events - first;
      await sessions.ask(session, "frames", { from: first + 1 });
    }
    const took = performance.now() - began;
    if (took < sliceMs[0]) this.slice = Math.min(sliceUs[1], this.slice * 2);
    else if (took > sliceMs[1]) this.slice = Math.max(sliceUs[0], this.slice / 2);
  }
}

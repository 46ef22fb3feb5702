// Where a run that is live has nothing left to show: from there on only heartbeats
// come, and the upkeep that every cluster does for ever. To play on through that
// would take a reader, who is still looking at what happened, minutes away. So
// playing rests there, and goes on when it is told to; where it is known when something
// happens again, it goes there at once. Nothing here knows a page.

import { attr, type Frame } from "./recording";

/** How far a run is looked ahead at most, µs: a node's Pods are evicted after nearly six minutes. */
export const ahead = 360_000_000;
/** How long after what happened last playing rests, µs: by then what that sent has arrived, where nothing is slow. */
const settles = 500_000;

export type Outlook =
  /** Something comes, or the reader wants to play on whatever comes. */
  | "goesOn"
  /** Nothing comes as far as is known, and that is not far enough. */
  | "unknown"
  | "over";

export class IdleDetector {
  /** The last event up to the moment that tells something, and how far on they were looked through. */
  private last = -1;
  private looked = -1;
  private next = -1;
  /** The event after which it has rested: it does so once. */
  private rested = -1;

  /** Playing begins, or begins again. */
  begin(index: number): void {
    this.last = this.next = this.looked = -1;
    if (index < this.rested) this.rested = -1;
  }

  /** What comes after a frame, in a run of which all is known up to a time, µs. */
  after(frames: readonly Frame[], index: number, until: number): Outlook {
    if (this.last < 0) {
      this.last = index;
      while (this.last > 0 && !tells(frames, this.last)) this.last--;
      this.looked = index;
    }
    while (this.next <= index && this.looked < frames.length - 1) {
      if (!tells(frames, ++this.looked)) continue;
      if (this.looked <= index) this.last = this.looked;
      else this.next = this.looked;
    }
    if (this.next > index) return "goesOn";
    if (this.next >= 0) this.last = Math.max(this.last, this.next);
    if (this.last === this.rested) return "goesOn";
    return until - this.since(frames) >= ahead ? "over" : "unknown";
  }

  /** The next event that tells something, once that is known, as after() looked last; else -1. */
  coming(index: number): number {
    return this.next > index ? this.next : -1;
  }

  /** Whether what happened last has settled by a time, and has stayed so for as long as somebody wants, µs. */
  hasSettled(frames: readonly Frame[], now: number, stays = 0): boolean {
    return now - this.since(frames) >= settles + stays;
  }

  /** The last frame by which that has settled; when it has to stay so, the first by which it did. */
  settled(frames: readonly Frame[], stays = 0): number {
    let index = Math.max(0, this.last);
    while (index + 1 < frames.length && frames[index + 1]!.at < this.since(frames) + settles + stays) index++;
    return stays > 0 ? Math.min(index + 1, frames.length - 1) : index;
  }

  /** It rests here, once. */
  rest(): void {
    this.rested = this.last;
  }

  /** When what happened last did, µs. */
  since(frames: readonly Frame[]): number {
    return frames[this.last]?.at ?? 0;
  }
}

/** How many causes of a frame are looked through. */
const mostCauses = 32;
/** What upkeep consists of: what it leads to besides is news. */
const steps = new Set(["log", "request.send", "request.receive", "request.reply", "request.done", "watch.open"]);

/** Whether a frame tells readers something: not a heartbeat, and not the upkeep of a cluster that is left alone. */
export const tells = (frames: readonly Frame[], index: number) => !frames[index]!.q && !isUpkeep(frames, index);

/** The store forgets old revisions, and a watch that has lasted long enough is opened anew. */
function isUpkeep(frames: readonly Frame[], index: number): boolean {
  for (let i = 0; i < mostCauses; i++) {
    const frame = frames[index];
    if (!frame) return false;
    if (frame.op === "store.compact") return true;
    if (frame.op === "watch.close") return attr(frame, "reason") === "timeout";
    if (!steps.has(frame.op) || frame.c === undefined) return false;
    index = frame.c - 1;
  }
  return false;
}

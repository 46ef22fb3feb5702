// What came of a run by a moment, in figures: how it did, for laying two runs side
// by side. They are counted from frames, once each.

import { attr, type Frame } from "./recording";

export const figures = ["created", "deleted", "requests", "conflicts", "settled"] as const;
export type Figure = (typeof figures)[number];

/** settled is when a Pod was last written, µs; 0 for never. */
export type Counts = Record<Figure, number>;

/** How many frames lie between two counts that are kept. */
const every = 256;

export class Outcomes {
  private readonly kept: Counts[] = [{ created: 0, deleted: 0, requests: 0, conflicts: 0, settled: 0 }];

  /** The figures after a frame. */
  at(frames: readonly Frame[], index: number): Counts {
    const wanted = Math.floor((index + 1) / every);
    while (this.kept.length <= wanted) this.kept.push(count(this.kept.at(-1)!, frames, (this.kept.length - 1) * every, this.kept.length * every));
    return count(this.kept[wanted]!, frames, wanted * every, index + 1);
  }
}

function count(before: Counts, frames: readonly Frame[], from: number, to: number): Counts {
  const out = { ...before };
  for (let i = from; i < to; i++) {
    const frame = frames[i];
    if (frame?.op === "request.receive") out.requests++;
    else if (frame?.op === "request.reply" && attr(frame, "code") === 409) out.conflicts++;
    else if (frame?.op === "store.commit" && frame.o?.startsWith("pods ")) {
      if (frame.m.endsWith(".ADDED")) out.created++;
      else if (frame.m.endsWith(".DELETED")) out.deleted++;
      out.settled = frame.at;
    }
  }
  return out;
}

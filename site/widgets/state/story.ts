// What led to an event, and what came of it: walks along the causes that every
// event carries.

import type { Frame } from "./recording";

/** The frames that led to one, nearest first, back to where it came from outside. */
export function causes(frames: readonly Frame[], index: number): number[] {
  const out: number[] = [];
  let frame = frames[index];
  while (frame?.c) {
    const cause = frame.c - 1; // frame i is event i+1
    if (cause >= index || !frames[cause]) break;
    out.push(cause);
    frame = frames[cause];
  }
  return out;
}

/** The frames that an event led to directly, in order. Each frame is looked at once. */
export class Effects {
  private readonly by = new Map<number, number[]>();
  private seen = 0;
  private whole: { index: number; led: Set<number>; seen: number; found: number[] } | undefined;

  constructor(private readonly frames: () => readonly Frame[]) {}

  of(index: number): number[] {
    const frames = this.frames();
    for (; this.seen < frames.length; this.seen++) {
      const cause = frames[this.seen]!.c;
      if (!cause) continue;
      const list = this.by.get(cause - 1);
      if (list) list.push(this.seen);
      else this.by.set(cause - 1, [this.seen]);
    }
    return this.by.get(index) ?? [];
  }

  /** Those that count of all that an event led to, directly or not, in order. Each frame is looked at once, as long as it is asked about the same event. */
  all(index: number, counts: (frame: Frame) => boolean): readonly number[] {
    const frames = this.frames();
    if (this.whole?.index !== index) this.whole = { index, led: new Set([index]), seen: index + 1, found: [] };
    const { whole } = this;
    for (; whole.seen < frames.length; whole.seen++) {
      const frame = frames[whole.seen]!;
      if (!whole.led.has((frame.c ?? 0) - 1)) continue;
      whole.led.add(whole.seen);
      if (counts(frame)) whole.found.push(whole.seen);
    }
    return whole.found;
  }

  /** For when frames were replaced. */
  forget(): void {
    this.by.clear();
    this.seen = 0;
    this.whole = undefined;
  }
}

// Which event a reader means who asks why, without pointing at one.

import type { Frame } from "./recording";

export interface Asked {
  /** The event of the moment that is shown, and the one that the reader went to last. */
  index: number;
  went: number;
  /** What the reader looks at: a component or an object; everything for "". */
  about: string;
  /** The first frame that follows from what the reader did. */
  own: number;
}

/**
 * The event that they went to; or else the newest of what they look at, what they did
 * last, and at last the newest that is not folded away.
 */
export function asked(frames: readonly Frame[], { index, went, about, own }: Asked): number {
  if (went === index) return index;
  const newest = (is: (frame: Frame, i: number) => boolean) => frames.slice(0, index + 1).findLastIndex(is);
  const candidates = [
    () => (about === "" ? -1 : newest((f) => !f.q && (f.o === about || f.who === about))),
    () => newest((f, i) => i >= own && f.op === "input"),
    () => newest((f) => !f.q),
  ];
  for (const find of candidates) {
    const found = find();
    if (found >= 0) return found;
  }
  return index;
}

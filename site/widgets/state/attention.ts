// The event that a reader turns to, to see why it happened.

import type { PlayerState } from "./playerstate";
import type { Frame } from "./recording";
import type { Transport } from "./transport";

export class Attention {
  private looks = false; // at something, and has done nothing since
  private went = -1; // the frame that the reader had gone to last by then

  /** acting is what the reader has just done, until its first frames are there. */
  constructor(private readonly state: PlayerState, private readonly transport: Transport, private readonly acting: () => Promise<unknown> | undefined) {
    state.on("about", () => [this.looks, this.went] = [true, state.went]);
    state.on("acted", () => (this.looks = false));
  }

  /** Goes to an event, and opens it. */
  choose(index: number, byKey = false): void {
    this.transport.toFrame(index);
    this.open(index, byKey);
  }

  /** Opens why what the reader did, or turned to, happened. The picture stays at its moment. */
  async ask(byKey = false): Promise<void> {
    const { state, looks } = this;
    const isAlone = state.panel !== "log";
    const acting = this.acting();
    if (acting) {
      state.reveal("log");
      await acting;
    }
    const { head, timeline, went, about, shown } = state;
    const isAbout = looks && about !== "" && went === this.went; // they looked at it after they went there
    const index = asked(timeline.frames, { index: head.target, went: isAbout ? -1 : went, about: looks ? about : "", own: shown.own });
    if (index === head.target) this.transport.toFrame(index);
    else this.transport.stop();
    this.open(index, byKey, true, isAlone);
  }

  private open(index: number, byKey: boolean, asksWhy = false, isAlone = this.state.panel !== "log"): void {
    this.state.reveal("log"); // first: what is hidden takes no focus
    this.state.emit("opened", { index, byKey, asksWhy, isAlone });
  }
}

interface Asked {
  /** The event of the moment that is shown, and the one that the reader went to last. */
  index: number;
  went: number;
  /** What the reader looks at: a component or an object; everything for "". */
  about: string;
  /** The first frame that follows from what the reader did. */
  own: number;
}

/**
 * Which event a reader means who asks why, without pointing at one: the event that
 * they went to; or else the newest of what they look at, what they did last, and at
 * last the newest that is not folded away.
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

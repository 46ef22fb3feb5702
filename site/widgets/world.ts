// One run of a demo that a reader can look at: what was recorded, or a branch
// that they made by changing something. A demo's worlds have the frames up to
// where they part in common, and each has its own from there on.

import type { Branch } from "./branch";
import type { Frame, Mark } from "./recording";
import { Timeline } from "./timeline";
import type { Input } from "./scenario";

export class World {
  timeline: Timeline;
  /** What makes its frames; the recording has none. */
  branch: Branch | undefined;
  marks: Mark[] = [];
  /** The frame that the demo opens at: what is before is the set-up. */
  first = 0;
  /** The last frame that the reader has seen, and the one where they left it. */
  seen = -1;
  left = 0;
  /** What the reader calls it; "" is what was done. */
  name = "";

  /** label is a letter, "" for the recording. */
  constructor(readonly label: string, public parent: World | undefined, frames: Frame[]) {
    this.timeline = new Timeline(frames);
  }

  get inputs(): readonly Input[] {
    return this.branch?.inputs ?? [];
  }

  /** Whether something done after a frame goes on from what the reader saw last here, so that nothing of it is lost. */
  goesOnAt(index: number, at: number): boolean {
    return this.branch !== undefined && index >= this.seen && this.inputs.every((input) => input.at / 1000 <= at);
  }

  /** The frames before a time, µs: what a branch that leaves then has in common with this. */
  before(at: number): Frame[] {
    return this.timeline.frames.slice(0, this.timeline.atVirtual(Math.floor(at) - 1) + 1);
  }
}

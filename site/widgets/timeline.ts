// A recording as something to walk along: the shapes at any frame, and the
// virtual time at any moment of the display.
//
// Going forward folds frames; what each of them replaced is kept, so that going
// back restores exactly what was there. Nothing here knows a clock or a page.

import type { Frame, Shape } from "./recording";

/** What a frame replaced: the id, and its shape before; undefined when there was none. */
type Replaced = [id: string, before: Shape | undefined];

export class Timeline {
  /** The shapes at the current frame, by id. */
  readonly shapes = new Map<string, Shape>();
  private readonly undo: Replaced[][] = [];
  private current = -1;

  constructor(readonly frames: Frame[] = []) {}

  /** The frame whose moment shapes shows; -1 before the first. */
  get index(): number {
    return this.current;
  }

  get length(): number {
    return this.frames.length;
  }

  /** Goes to a frame and tells the ids of all shapes that may differ from before. */
  seek(index: number): Set<string> {
    const changed = new Set<string>();
    const target = Math.max(-1, Math.min(index, this.frames.length - 1));
    while (this.current < target) this.forward(changed);
    while (this.current > target) this.back(changed);
    return changed;
  }

  private forward(changed: Set<string>): void {
    this.current++;
    const frame = this.frames[this.current]!;
    const known = this.undo[this.current];
    const replaced: Replaced[] = known ?? [];
    for (const id of frame.gone ?? []) {
      if (!known) replaced.push([id, this.shapes.get(id)]);
      this.shapes.delete(id);
      changed.add(id);
    }
    for (const shape of frame.set ?? []) {
      if (!known) replaced.push([shape.id, this.shapes.get(shape.id)]);
      this.shapes.set(shape.id, shape);
      changed.add(shape.id);
    }
    this.undo[this.current] = replaced;
  }

  private back(changed: Set<string>): void {
    const replaced = this.undo[this.current]!;
    for (let i = replaced.length - 1; i >= 0; i--) {
      const [id, before] = replaced[i]!;
      if (before) this.shapes.set(id, before);
      else this.shapes.delete(id);
      changed.add(id);
    }
    this.current--;
  }

  /**
   * Adds what comes next. Frame i is event i+1: frames that are there already,
   * because two asked for them at once, are passed over, and what would leave a
   * gap is left for the next who asks.
   */
  append(frames: readonly Frame[]): void {
    for (const f of frames) if (f.e === this.frames.length + 1) this.frames.push(f);
  }

  /** Drops all frames from one on; the moment moves back with them when it has to. */
  truncate(length: number): Set<string> {
    const changed = this.current >= length ? this.seek(length - 1) : new Set<string>();
    this.frames.length = Math.min(this.frames.length, length);
    this.undo.length = Math.min(this.undo.length, length);
    return changed;
  }

  /** When the last frame is shown, ms. */
  get end(): number {
    return this.frames.at(-1)?.d ?? 0;
  }

  /** The last frame that is shown at or before a moment; -1 when there is none. */
  at(ms: number): number {
    return this.last((f) => f.d <= ms);
  }

  /** The last frame at or before a virtual time, µs. */
  atVirtual(us: number): number {
    return this.last((f) => f.at <= us);
  }

  private last(holds: (f: Frame) => boolean): number {
    let low = 0;
    let high = this.frames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(this.frames[middle]!)) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  /**
   * The virtual time at a moment of the display, µs: interpolated between a
   * frame and the next, so that what travels moves evenly between events.
   */
  virtual(ms: number, index: number): number {
    const frame = this.frames[index];
    if (!frame) return 0;
    const next = this.frames[index + 1];
    if (!next || next.d <= frame.d || ms <= frame.d) return frame.at;
    const way = Math.min(1, (ms - frame.d) / (next.d - frame.d));
    return Math.floor(frame.at + (next.at - frame.at) * way);
  }

  /** The nearest frame after one that is not quiet; -1 when there is none. */
  next(index: number): number {
    for (let i = index + 1; i < this.frames.length; i++) if (!this.frames[i]!.q) return i;
    return -1;
  }

  /** The nearest frame before one that is not quiet; -1 when there is none. */
  previous(index: number): number {
    for (let i = index - 1; i >= 0; i--) if (!this.frames[i]!.q) return i;
    return -1;
  }
}

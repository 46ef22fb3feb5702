// A recording as something to walk along: the shapes at any frame, and the
// virtual time at any moment of the display.
//
// A moment is a fold of frames from the nearest keyframe before it. Keyframes lie
// as far apart as the picture is large, counted in shapes that frames change, so
// that all of them together hold no more than the frames do, and going anywhere
// costs as much as copying the picture twice. Nothing here knows a clock or a page.

import type { Frame, Shape } from "./recording";

/** How many changes lie between two keyframes at least. */
const leastChanges = 2000;

/** How many frames forward are folded one by one even over a keyframe: while playing, that is less than copying. */
const nearFrames = 64;

/** For how long a message is under way whose arrival is not known yet, ms. */
const underWayMs = 600;

/** All shapes right after a frame. */
interface Keyframe {
  index: number;
  shapes: readonly Shape[];
}

/** What is told in a sentence. */
export interface Told {
  frame: Frame;
  index: number;
  n: number;
}

export class Timeline {
  /** The shapes at the current frame, by id: always this map. */
  readonly shapes = new Map<string, Shape>();
  private current = -1;
  /** In order; each lies where laying it costs nothing: the fold was there. */
  private readonly keyframes: Keyframe[] = [];
  /** The fold of all frames up to laid, that keyframes are taken of, and what it changed since the last one. */
  private tip = new Map<string, Shape>();
  private laid = -1;
  private changes = 0;
  /** The frames of who stands outside the cluster, in order: inputs, the user, kubectl; and of programs that start, which ends a fault. There are few. */
  readonly outside: Frame[] = [];
  /** Where the sentences begin that are told while it plays. */
  private readonly lines: number[] = [];
  /** When each message was sent and arrived, ms of the display. */
  private readonly messages = new Map<string, { sent: number; arrived: number }>();

  constructor(readonly frames: Frame[] = []) {
    this.lay();
  }

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
    const key = this.keyframeBefore(target);
    const isNear = target - this.current <= nearFrames || (key?.index ?? -1) <= this.current;
    if (target >= this.current && isNear) {
      for (let i = this.current + 1; i <= target; i++) {
        const { gone, set } = this.frames[i]!;
        for (const id of gone ?? []) changed.add(id);
        for (const { id } of set ?? []) changed.add(id);
        fold(this.shapes, this.frames[i]!);
      }
    } else {
      const there = unfolded(key);
      for (let i = (key?.index ?? -1) + 1; i <= target; i++) fold(there, this.frames[i]!);
      for (const id of this.shapes.keys()) if (!there.has(id)) changed.add(id);
      for (const id of changed) this.shapes.delete(id);
      for (const [id, shape] of there) {
        if (this.shapes.get(id) === shape) continue;
        this.shapes.set(id, shape);
        changed.add(id);
      }
    }
    this.current = target;
    return changed;
  }

  /** The position in outside of the last one up to a frame; -1 when there is none. */
  outsideAt(index: number): number {
    return bound(this.outside, (f) => f.e <= index + 1) - 1;
  }

  private keyframeBefore(index: number): Keyframe | undefined {
    return this.keyframes[bound(this.keyframes, (k) => k.index <= index) - 1];
  }

  /** Lays keyframes among the frames that came. */
  private lay(): void {
    while (this.laid < this.frames.length - 1) {
      const frame = this.frames[++this.laid]!;
      fold(this.tip, frame);
      this.follow(frame);
      if (frame.l) this.lines.push(this.laid);
      if (frame.op === "input" || frame.op === "component.start" || frame.who === "kubectl" || frame.who === "user") this.outside.push(frame);
      this.changes += (frame.set?.length ?? 0) + (frame.gone?.length ?? 0);
      if (this.changes < Math.max(leastChanges, this.tip.size)) continue;
      this.keyframes.push({ index: this.laid, shapes: [...this.tip.values()] });
      this.changes = 0;
    }
  }

  /**
   * Adds what comes next. Frame i is event i+1: frames that are there already,
   * because two asked for them at once, are passed over, and what would leave a
   * gap is left for the next who asks.
   */
  append(frames: readonly Frame[]): void {
    for (const f of frames) if (f.e === this.frames.length + 1) this.frames.push(f);
    this.lay();
  }

  /** Drops all frames from one on; the moment moves back with them when it has to. */
  truncate(length: number): Set<string> {
    const changed = this.current >= length ? this.seek(length - 1) : new Set<string>();
    if (length >= this.frames.length) return changed;
    this.frames.length = Math.max(0, length);
    while ((this.keyframes.at(-1)?.index ?? -1) >= length) this.keyframes.pop();
    const key = this.keyframes.at(-1);
    this.tip = unfolded(key);
    this.laid = key?.index ?? -1;
    this.changes = 0;
    this.outside.length = bound(this.outside, (f) => f.e <= this.laid + 1);
    this.lines.length = bound(this.lines, (i) => i <= this.laid);
    this.lay();
    return changed;
  }

  /** The sentence that stands at a frame while it plays: the event that it tells, and how many like it are summed up. */
  told(index: number): Told | undefined {
    const began = this.lines[bound(this.lines, (i) => i <= index) - 1];
    if (began === undefined) return undefined;
    const { b, n } = this.frames[began]!.l!;
    return { frame: this.frames[began - b]!, index: began - b, n };
  }

  private follow({ d, set, gone }: Frame): void {
    for (const id of gone ?? []) {
      const message = this.messages.get(id);
      if (message?.arrived === Infinity) message.arrived = d;
    }
    for (const { id, k } of set ?? []) if (k === "packet" && !this.messages.has(id)) this.messages.set(id, { sent: d, arrived: Infinity });
  }

  /** How much of its way a message has behind it at a moment of the display, ms: 0 to 1. */
  way(id: string, ms: number): number {
    const message = this.messages.get(id);
    if (!message) return 1;
    const { sent, arrived } = message;
    const takes = arrived === Infinity ? underWayMs : arrived - sent;
    return takes <= 0 ? 1 : Math.max(0, Math.min(1, (ms - sent) / takes));
  }

  /** The moment of the display at a virtual time, µs. */
  display(us: number): number {
    const index = this.atVirtual(us);
    const [frame, next] = [this.frames[index], this.frames[index + 1]];
    if (!frame) return 0;
    if (!next || next.at <= frame.at) return frame.d;
    return frame.d + ((next.d - frame.d) * (us - frame.at)) / (next.at - frame.at);
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
    return bound(this.frames, holds) - 1;
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
}

/** Puts a frame on top of the shapes before it. */
function fold(shapes: Map<string, Shape>, { gone, set }: Frame): void {
  if (gone) for (const id of gone) shapes.delete(id);
  if (set) for (const shape of set) shapes.set(shape.id, shape);
}

/** The shapes of a keyframe, to fold further; none before the first. */
function unfolded(key: Keyframe | undefined): Map<string, Shape> {
  const shapes = new Map<string, Shape>();
  for (const shape of key?.shapes ?? []) shapes.set(shape.id, shape);
  return shapes;
}

/** How many at the beginning hold; those that do come first. */
export function bound<T>(list: readonly T[], holds: (item: T) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(list[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

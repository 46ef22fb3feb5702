// Where the reader is in a timeline, and how that moves while it plays. tick is
// told how much time has passed; the page's animation loop only calls it.

import type { Frame } from "./recording";
import type { Timeline } from "./timeline";

/** How long a step forward takes to be seen, ms. */
const glideMs = 320;
/** For readers who want no motion: how long a moment stands at least before the next is shown, ms. */
const standsMs = 400;
/** For how long playing rests where a caption begins, ms at speed 1; the rest of it can be read while things go on. */
export const beginsMs = 1200;
/** For how long it rests at most before the next caption comes, ms at speed 1. Who needs longer pauses. */
export const mostMs = 2000;
/** A message that is sent so soon after an event belongs to it, ms of the display. */
const sendsMs = 400;

export class Playhead {
  /** The frame that is shown; what happens after it has not happened yet. */
  index = -1;
  /** The moment of the display, ms: between this frame and the next. */
  ms = 0;
  speed = 1;
  playing = false;
  /**
   * Frames at which there is something to read, and for how long at speed 1, ms. Playing
   * rests there for a moment, goes on, and rests once more before the next of them, or the next input, if that is not read yet.
   */
  rests = new Map<number, number>();
  private resting = 0;
  private restsFor = 0;
  /** How much of what has to be read has not had its time. */
  private toRead = 0;
  /** For how long a moment stands, ms of the reader's clock, and what has passed of the display meanwhile. */
  private stood = 0;
  private unseen = 0;
  private glide: { to: number; speed: number } | undefined;

  constructor(private readonly timeline: Timeline) {}

  /** Virtual time, µs. */
  get now(): number {
    return this.timeline.virtual(this.ms, this.index);
  }

  /** Whether tick has something to do. */
  get moving(): boolean {
    return this.playing || this.glide !== undefined;
  }

  /** Playing rests, because there is something to read: how much of that is over, 0 to 1. */
  get reading(): number | undefined {
    return this.playing && this.resting > 0 ? 1 - this.resting / this.restsFor : undefined;
  }

  /** The frame to which a step is under way, or else the current one. */
  get target(): number {
    return this.glide?.to ?? this.index;
  }

  /** Goes to a frame at once. */
  seek(index: number): void {
    this.leave();
    this.index = Math.max(0, Math.min(index, this.timeline.length - 1));
    this.ms = this.timeline.frames[this.index]?.d ?? 0;
  }

  /**
   * Lets no more than so long pass until the picture changes by an event that is not folded away, ms of the display; where a message is
   * sent right after that, and nothing is to be read before, until the message, which is what moves.
   */
  hasten(ms: number): void {
    const { frames } = this.timeline;
    const comes = ({ q, d, set, gone }: Frame, i: number) => i > this.index && !q && d > this.ms && (set ?? gone) !== undefined;
    const next = frames.findIndex(comes);
    if (next >= 0) {
      const sent = frames.findIndex((frame, i) => comes(frame, i) && frame.set?.some(({ k }) => k === "packet"));
      const isSoon = sent >= 0 && frames[sent]!.d - frames[next]!.d <= sendsMs && ![...this.rests.keys()].some((i) => i >= next && i < sent);
      this.ms = Math.max(this.ms, frames[isSoon ? sent : next]!.d - ms);
    }
    this.index = Math.max(this.index, this.timeline.at(this.ms));
  }

  /** Goes to a moment of the display at once. */
  scrub(ms: number): void {
    this.leave();
    this.ms = Math.max(0, Math.min(ms, this.timeline.end));
    this.index = Math.max(0, this.timeline.at(this.ms));
  }

  private leave(): void {
    this.glide = undefined;
    this.resting = this.toRead = 0;
    this.stood = this.unseen = 0;
  }

  /** Goes to a later frame in a moment, so that what travels there is seen travelling. */
  glideTo(index: number): void {
    if (index <= this.index) return this.seek(index);
    const way = (this.timeline.frames[index]?.d ?? this.ms) - this.ms;
    this.glide = { to: index, speed: Math.max(1, way / glideMs) };
    this.playing = false;
  }

  /** Still playing shows at once what comes next: else nothing would tell that it plays. */
  play(still = false): void {
    this.settle();
    this.playing = true;
    if (still) this.next();
  }

  /** Goes to the next event that is not folded away, if there is one, without the time until then. */
  private next(): void {
    const { frames } = this.timeline;
    let to = this.index + 1;
    while (frames[to]?.q) to++;
    if (!frames[to]) return;
    this.resting = this.stood = this.unseen = 0;
    this.ms = frames[to]!.d;
    this.advance(to);
  }

  pause(): void {
    this.settle();
    this.playing = false;
  }

  /** Ends a step that is under way. */
  settle(): void {
    if (this.glide) this.seek(this.glide.to);
  }

  /**
   * Lets time pass, in ms of the reader's clock. Playing stops at the end. Still
   * playing takes as long, and goes from one event to another that is shown for a
   * while, with nothing in between.
   */
  tick(passed: number, still = false): void {
    if (this.glide) {
      const { to, speed } = this.glide;
      this.ms += passed * speed;
      if (this.ms >= (this.timeline.frames[to]?.d ?? 0)) this.seek(to);
      else this.index = Math.max(this.index, Math.min(to, this.timeline.at(this.ms)));
      return;
    }
    if (!this.playing) return;
    this.toRead = Math.max(0, this.toRead - passed * this.speed);
    if (this.resting > 0) {
      this.resting -= passed * this.speed;
      return;
    }
    if (still) return this.leap(passed);
    this.ms = Math.min(this.timeline.end, this.ms + this.unseen + passed * this.speed);
    this.stood = this.unseen = 0;
    this.advance(this.timeline.at(this.ms));
    if (this.ms >= this.timeline.end && this.index >= this.timeline.length - 1) this.playing = false;
  }

  /** Goes on to a frame, or to where there is something to read before it. */
  private advance(to: number): void {
    while (this.index < to) {
      const reads = this.rests.get(this.index + 1);
      const isNext = reads !== undefined || (this.rests.size > 0 && this.timeline.frames[this.index + 1]!.op === "input");
      if (isNext && this.toRead > 0) { // what is there has to be read before the next comes
        const long = Math.min(this.toRead, mostMs);
        this.toRead = 0;
        this.rest(long, this.timeline.frames[this.index + 1]!.d);
        return;
      }
      this.index++;
      if (reads === undefined) continue;
      this.toRead = reads;
      this.rest(Math.min(reads, beginsMs), this.timeline.frames[this.index]!.d);
      return;
    }
  }

  private rest(long: number, at: number): void {
    this.resting = this.restsFor = long;
    this.ms = at;
  }

  /** Collects time until a moment has stood for long enough, and then shows the last event that came meanwhile. */
  private leap(passed: number): void {
    this.stood += passed;
    this.unseen += passed * this.speed;
    const ms = Math.min(this.timeline.end, this.ms + this.unseen);
    const isEnd = ms >= this.timeline.end;
    if (this.stood < standsMs && !isEnd) return;
    let to = Math.max(this.index, this.timeline.at(ms));
    while (!isEnd && to > this.index && this.timeline.frames[to]!.q) to--;
    if (to === this.index && !isEnd) return; // nothing to see has come
    this.ms = this.timeline.frames[to]!.d;
    this.unseen = ms - this.ms;
    this.stood = 0;
    const resting = this.resting;
    this.advance(to);
    if (this.resting !== resting) this.unseen = 0;
    else if (isEnd) [this.ms, this.playing] = [this.timeline.end, false];
  }
}

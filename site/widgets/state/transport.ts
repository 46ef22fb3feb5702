// What moves the moment that is shown: play, steps, the scrubber, and the page's
// animation loop. It waits where frames are still being loaded or made.

import type { Source } from "../runs/branch";
import { prefersStill, put } from "../dom/dom";
import { ahead, IdleDetector } from "./idle";
import { Playhead } from "./playhead";
import { nameOf } from "./phrases";
import type { Mark, Recording } from "./recording";
import { Rest, type RestHost } from "./rest";
import { nearest, stopsOf, type Unit } from "./stepunit";
import type { Timeline } from "./timeline";
import type { Words } from "../words";

/** How much of the display is kept ready ahead while a run is live, ms. */
const aheadMs = 1500;
/** How far a step looks ahead in a run that is live before it asks whether to go on, µs. */
const patience = 60_000_000;
/** For how long playing waits at most to know whether anything comes, ms of the reader's clock. */
const waitsMs = 3000;
/** How much of a silence has to be known by then for playing to rest there, µs. */
const leastSilence = 20_000_000;

export interface TransportHost extends Omit<RestHost, "missed"> {
  words: RestHost["words"] & Pick<Words, "units" | "looking" | "nothingAhead" | "noneAfter" | "noneBefore" | "lookFirst" | "lookAt" | "lookOn" | "nothingNow" | "playOn">;
  readonly timeline: Timeline;
  readonly marks: readonly Mark[];
  /** The frame that the demo opens at: what is before is the set-up. */
  readonly first: number;
  readonly branch: Source | undefined;
  /** How long something has to stay as it is for what the reader is asked to do, µs. */
  readonly stays: number;
  /** What the reader looks at: a component or an object; everything for "". */
  readonly about: string;
  look(about: string): void;
  /** Says something where the reader looks, with a button for what can be done about it. */
  say(message: string, act?: () => void, label?: string): void;
  /** Shows the moment; move tells whether things may slide to their places. */
  draw(move?: boolean): void;
  /** The moment is one that the reader went to: it is told. */
  announce(): void;
  /** A step has arrived. */
  arrived(): void;
}

export class Transport {
  head: Playhead;
  readonly rest: Rest;
  /** What a step goes by. */
  unit: Unit = "event";
  /** The frame that the reader went to last, by a step or at once. */
  went = -1;
  private wish = 0; // counts what the reader did: a search that is out of date ends
  private told = false; // that a step found nothing
  private recording!: Recording;
  private waiting = false; // it plays, and what comes next is not there yet
  private readonly idle = new IdleDetector();
  private unsure = 0; // for how long it has waited to know whether anything comes, ms
  private loop = 0;
  private before = 0;

  constructor(private readonly host: TransportHost) {
    this.head = new Playhead(host.timeline);
    this.rest = new Rest({
      words: host.words,
      load: (file) => host.load(file),
      came: () => host.came(),
      missed: () => { this.waiting = false; host.draw(); },
      say: (message, retry) => host.say(message, retry),
    });
  }

  /** Takes another timeline, at its beginning. */
  use(recording: Recording): void {
    const head = new Playhead(this.host.timeline);
    head.speed = this.head.speed;
    this.head = head;
    this.went = -1;
    this.waiting = false;
    this.recording = recording;
    this.rest.use(recording);
  }

  get playing(): boolean {
    return this.head.playing || this.waiting;
  }

  /** Where the reader is or wants to be, ms of the display. */
  get ms(): number {
    return this.rest.wantedMs ?? this.head.ms;
  }

  /** Whether the recording goes on after what is there. */
  get lacks(): boolean {
    return !this.host.branch && this.host.timeline.length < (this.recording.length ?? 0);
  }

  play(): void {
    const { head, host } = this;
    this.rest.drop();
    if (this.told) this.tell("");
    this.unsure = 0;
    if (head.ms >= host.timeline.end && head.index >= host.timeline.length - 1) {
      if (host.branch) host.branch.extend();
      else if (!this.lacks) head.seek(host.first);
    }
    head.play(prefersStill());
    this.idle.begin(head.index);
    this.start();
  }

  pause(): void {
    this.host.branch?.stop?.();
    this.stop();
    this.host.draw();
    this.host.announce();
  }

  toggle(): void {
    if (this.playing || this.host.branch?.isWorking) this.pause();
    else this.play();
  }

  /** Ends playing and waiting, where it is. */
  stop(): void {
    this.halt();
    this.rest.drop();
  }

  /** Goes to a frame, at once or when it is there; ms is when it is shown. */
  toFrame(index: number, ms?: number): void {
    this.once(index < this.host.timeline.length, ms, () => {
      this.went = index;
      this.head.seek(index);
      this.host.draw();
      this.host.announce();
    });
  }

  /** Goes by one unit. Where the frames to come are not there yet, it waits for them. */
  step(way: 1 | -1, unit: Unit = this.unit): void {
    if (unit === "mark") return this.toMark(way);
    const { head, host } = this;
    head.settle();
    if (unit === "change" && host.about === "") return this.offer(way);
    const find = () => nearest(host.timeline.frames, head.index, way, stopsOf(unit, host.about, host.marks));
    const to = find();
    if (to < 0 && way === 1 && this.lacks) return this.once(false, undefined, () => this.step(1, unit));
    this.stop();
    if (to >= 0) this.arrive(to, way);
    else if (way === 1 && host.branch?.goesOn) void this.await(host.branch, unit, find);
    else this.tellNone(unit, way);
  }

  toMark(way: 1 | -1): void {
    this.head.settle();
    const { marks } = this.host;
    const at = this.head.index;
    const mark = way === 1 ? marks.find((m) => m.frame > at) : marks.findLast((m) => m.frame < at);
    if (mark) this.toFrame(mark.frame, mark.d);
    else this.toEnd(way);
  }

  toEnd(way: 1 | -1): void {
    if (way === -1) return this.toFrame(this.host.first);
    this.once(false, this.recording.end, () => this.toFrame(this.host.timeline.length - 1));
  }

  scrub(ms: number): void {
    this.once(ms <= this.host.timeline.end, ms, () => {
      this.head.scrub(ms);
      this.host.draw(false);
    });
  }

  private halt(): void {
    this.wish++;
    if (this.told) this.tell("");
    this.waiting = false;
    this.head.pause();
  }

  private arrive(to: number, way: 1 | -1): void {
    const { head, host } = this;
    this.went = to;
    if (way === 1 && !prefersStill()) head.glideTo(to);
    else head.seek(to);
    host.draw();
    host.announce();
    this.start();
  }

  /** Lets a live run go on until it holds what a step looks for. */
  private async await(branch: Source, unit: Unit, find: () => number): Promise<void> {
    const { host } = this;
    const wish = this.wish;
    const newest = () => host.timeline.frames.at(-1)?.at ?? 0;
    const from = newest();
    this.tell(host.words.looking);
    let to = -1;
    for (; to < 0 && branch.goesOn && newest() - from < patience; to = find()) {
      if (!(await branch.more()) || wish !== this.wish || host.branch !== branch) return;
    }
    this.tell("");
    if (to >= 0) this.arrive(to, 1);
    else if (!branch.goesOn) this.tellNone(unit, 1);
    else this.tell(put(host.words.nothingAhead, { n: Math.round((newest() - from) / 1e6) }), () => void this.await(branch, unit, find), host.words.lookOn);
  }

  /** Nothing is looked at: says so, and offers what the current event is about. */
  private offer(way: 1 | -1): void {
    const { host } = this;
    const frame = host.timeline.frames[this.head.index];
    const about = frame && (nameOf(frame.o) === "" ? frame.who : frame.o);
    this.stop();
    const look = about ? () => { host.look(about); this.step(way, "change"); } : undefined;
    this.tell(host.words.lookFirst, look, about && put(host.words.lookAt, { what: about }));
  }

  private tellNone(unit: Unit, way: 1 | -1): void {
    const { words, about } = this.host;
    if (unit === "event" || unit === "every") return; // that is the end, and can be seen
    const what = about === "" ? words.units[unit] : `${words.units[unit]} · ${about}`;
    this.tell(put(way === 1 ? words.noneAfter : words.noneBefore, { what }));
  }

  private tell(message: string, act?: () => void, label?: string): void {
    this.told = message !== "";
    this.host.say(message, act, label);
  }

  /** Does something at a moment of the display, at once or when the rest of the recording is there. */
  private once(isThere: boolean, ms: number | undefined, act: () => void): void {
    this.halt();
    if (!isThere && this.lacks) {
      this.rest.want(ms, act);
      return this.host.draw();
    }
    this.rest.drop();
    act();
  }

  private start(): void {
    if (this.loop) return;
    this.before = performance.now();
    this.loop = requestAnimationFrame((t) => this.frame(t));
  }

  private frame(time: number): void {
    const { head, host } = this;
    const { branch, timeline } = host;
    this.loop = 0;
    const played = head.playing;
    const passed = Math.min(100, Math.max(0, time - this.before));
    this.before = time;
    if (played && branch && this.isHeld(branch, passed)) return;
    head.tick(passed, prefersStill());
    if (played && branch?.goesOn && timeline.end - head.ms < aheadMs * head.speed) {
      this.waiting = !head.playing;
      void branch.more().then((came) => came && this.goOn());
    } else if (played && !head.playing && this.lacks) {
      this.waiting = true;
      this.rest.want(undefined, () => this.goOn());
    }
    host.draw();
    if (head.moving || this.waiting) this.loop = requestAnimationFrame((t) => this.frame(t));
    else if (!played) host.arrived();
  }

  /** Where a live run has nothing left to show, playing rests; and it waits there for a while until that is known. */
  private isHeld(branch: Source, passed: number): boolean {
    const { head, host, idle } = this;
    const { frames } = host.timeline;
    const outlook = idle.after(frames, head.index, branch.until);
    if (outlook === "goesOn") this.unsure = 0;
    if (outlook === "goesOn" || !(prefersStill() || idle.hasSettled(frames, head.now, host.stays))) return false;
    const silence = Math.min(branch.until - head.now, ahead);
    const isLong = outlook === "over" || (this.unsure >= waitsMs && silence >= leastSilence);
    if (!isLong && (!branch.goesOn || this.unsure >= waitsMs)) return false;
    this.unsure += passed;
    if (isLong) {
      idle.rest();
      if (prefersStill()) head.seek(Math.max(head.index, idle.settled(frames, host.stays)));
      this.pause();
      this.tell(put(host.words.nothingNow, { n: Math.floor(silence / 1e6) }), () => this.play(), host.words.playOn);
      return true;
    }
    void branch.more();
    host.draw();
    this.loop = requestAnimationFrame((t) => this.frame(t));
    return true;
  }

  /** What playing waited for is there. */
  private goOn(): void {
    if (!this.waiting) return;
    this.waiting = false;
    this.head.play();
    this.start();
  }
}

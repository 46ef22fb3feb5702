// What moves the moment that is shown: play, steps, the scrubber, and the page's
// animation loop. It waits where frames are still being loaded or made.

import { ahead, IdleDetector } from "./idle";
import { nameOf } from "./phrases";
import type { FrameSource, PlayerState } from "./playerstate";
import { Rest, type RestWords } from "./rest";
import type { RestFile } from "./recording";
import { nearest, stopsOf, type Unit } from "./stepunit";
import { put } from "../text";
import type { Words } from "../words";

/** How much of the display is kept ready ahead while a run is live, ms. */
const aheadMs = 1500;
/** How far a step looks ahead in a run that is live before it asks whether to go on, µs. */
const patience = 60_000_000;
/** For how long playing waits at most to know whether anything comes, ms of the reader's clock. */
const waitsMs = 3000;
/** How much of a silence has to be known by then for playing to rest there, µs. */
const leastSilence = 20_000_000;
/** The same where the run of a large cluster is slow to look ahead. */
export const leastSilenceOfMany = 4_000_000;
/** How long before what comes after a silence playing goes on, ms of the display; and for how long it is told what was left out, ms. */
const leadMs = 600;
const tellsMs = 5000;

type TransportWords = RestWords &
  Pick<Words, "units" | "looking" | "nothingAhead" | "noneAfter" | "noneBefore" | "lookFirst" | "lookAt" | "lookOn" | "nothingNow" | "quiet" |
    "playOn" | "silence">;

/** What the transport takes from the page that it is in. */
export interface Surroundings {
  words: TransportWords;
  /** Loads one of the recording's files. */
  load(file: string): Promise<RestFile>;
  /** Whether the reader wants no motion. */
  isStill(): boolean;
  /** How much of a silence has to be known for playing to rest there, when it is not known how long it is, µs. */
  leastSilence?: number;
}

export class Transport {
  readonly rest: Rest;
  /** What a step goes by. */
  unit: Unit = "event";
  private wish = 0; // counts what the reader did: a search that is out of date ends
  private told = false; // that a step found nothing
  private steps = false; // is on its way to where a step leads
  private readonly idle = new IdleDetector();
  private tells = 0; // for how long it is still told what was left out, ms
  private unsure = 0; // for how long it has waited to know whether anything comes, ms
  private loop = 0;
  private before = 0;

  constructor(private readonly state: PlayerState, private readonly page: Surroundings) {
    this.rest = new Rest(state, page);
  }

  /** Where the reader is or wants to be, ms of the display. */
  get ms(): number {
    return this.rest.wantedMs ?? this.state.head.ms;
  }

  /** Whether the recording goes on after what is there. */
  get lacks(): boolean {
    const { shown, timeline, recording } = this.state;
    return !shown.source && timeline.length < (recording.length ?? 0);
  }

  play(): void {
    const { state } = this;
    const { head, timeline, shown } = state;
    this.rest.drop();
    if (this.told) this.tell("");
    this.unsure = 0;
    if (head.ms >= timeline.end && head.index >= timeline.length - 1) {
      if (shown.source) shown.source.extend();
      else if (!this.lacks) head.seek(shown.first);
    }
    head.play(this.page.isStill());
    this.idle.begin(head.index);
    this.start();
  }

  pause(): void {
    this.state.shown.source?.stop?.();
    this.stop();
    this.state.draw();
    this.state.emit("told");
  }

  toggle(): void {
    if (this.state.playing || this.state.shown.source?.isWorking) this.pause();
    else this.play();
  }

  /** Ends playing and waiting, where it is. */
  stop(): void {
    this.halt();
    this.rest.drop();
  }

  /** Goes to a frame, at once or when it is there; ms is when it is shown. */
  toFrame(index: number, ms?: number): void {
    const { state } = this;
    this.once(index < state.timeline.length, ms, () => {
      state.went = index;
      state.seek(index);
      state.emit("told");
    });
  }

  /** Goes by one unit. Where the frames to come are not there yet, it waits for them. */
  step(way: 1 | -1, unit: Unit = this.unit): void {
    if (unit === "mark") return this.toMark(way);
    const { head, about, timeline, shown } = this.state;
    head.settle();
    if (unit === "change" && about === "") return this.offer(way);
    const find = () => nearest(timeline.frames, head.index, way, stopsOf(unit, about, shown.marks));
    const to = find();
    if (to < 0 && way === 1 && this.lacks) return this.once(false, undefined, () => this.step(1, unit));
    this.stop();
    if (to >= 0) this.arrive(to, way);
    else if (way === 1 && shown.source?.goesOn) void this.await(shown.source, unit, find);
    else this.tellNone(unit, way);
  }

  toMark(way: 1 | -1): void {
    const { head, shown: { marks } } = this.state;
    head.settle();
    const at = head.index;
    const mark = way === 1 ? marks.find((m) => m.frame > at) : marks.findLast((m) => m.frame < at);
    if (mark) this.toFrame(mark.frame, mark.d);
    else this.toEnd(way);
  }

  toEnd(way: 1 | -1): void {
    const { state } = this;
    if (way === -1) return this.toFrame(state.shown.first);
    this.once(false, state.recording.end, () => this.toFrame(state.timeline.length - 1));
  }

  /** Shows a frame in a moment, at once where much lies between, and waits there for what comes: whatever the reader does ends that. */
  trail(index: number, isFar: boolean): void {
    const { state } = this;
    state.waiting = true;
    if (isFar || this.page.isStill()) state.seek(index);
    else state.head.glideTo(index);
    this.start();
  }

  scrub(ms: number): void {
    const { state } = this;
    this.once(ms <= state.timeline.end, ms, () => {
      state.head.scrub(ms);
      state.draw(false);
    });
  }

  private halt(): void {
    this.wish++;
    this.steps = false;
    if (this.told) this.tell("");
    this.state.waiting = false;
    this.state.head.pause();
  }

  private arrive(to: number, way: 1 | -1): void {
    const { state } = this;
    state.went = to;
    this.steps = true;
    if (way === 1 && !this.page.isStill()) state.head.glideTo(to);
    else state.head.seek(to);
    state.draw();
    state.emit("told");
    this.start();
  }

  /** Lets a live run go on until it holds what a step looks for. */
  private async await(source: FrameSource, unit: Unit, find: () => number): Promise<void> {
    const { state, wish } = this;
    const { words } = this.page;
    const newest = () => state.timeline.frames.at(-1)?.at ?? 0;
    const from = newest();
    this.tell(words.looking);
    let to = -1;
    for (; to < 0 && source.goesOn && newest() - from < patience; to = find()) {
      if (!(await source.more()) || wish !== this.wish || state.shown.source !== source) return;
    }
    this.tell("");
    if (to >= 0) this.arrive(to, 1);
    else if (!source.goesOn) this.tellNone(unit, 1);
    else this.tell(put(words.nothingAhead, { n: Math.round((newest() - from) / 1e6) }), () => void this.await(source, unit, find), words.lookOn);
  }

  /** Nothing is looked at: says so, and offers what the current event is about. */
  private offer(way: 1 | -1): void {
    const { state } = this;
    const { words } = this.page;
    const frame = state.timeline.frames[state.head.index];
    const about = frame && (nameOf(frame.o) === "" ? frame.who : frame.o);
    this.stop();
    const look = about ? () => { state.look(about); this.step(way, "change"); } : undefined;
    this.tell(words.lookFirst, look, about && put(words.lookAt, { what: about }));
  }

  private tellNone(unit: Unit, way: 1 | -1): void {
    const { words } = this.page;
    const { about } = this.state;
    if (unit === "event" || unit === "every") return; // that is the end, and can be seen
    const what = about === "" ? words.units[unit] : `${words.units[unit]} · ${about}`;
    this.tell(put(way === 1 ? words.noneAfter : words.noneBefore, { what }));
  }

  private tell(message: string, act?: () => void, label?: string): void {
    this.told = message !== "";
    this.tells = 0;
    this.state.say(message, act, label);
  }

  /** Does something at a moment of the display, at once or when the rest of the recording is there. */
  private once(isThere: boolean, ms: number | undefined, act: () => void): void {
    this.halt();
    if (!isThere && this.lacks) {
      this.rest.want(ms, act);
      return this.state.draw();
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
    const { state } = this;
    const { head, timeline, shown: { source } } = state;
    this.loop = 0;
    const played = head.playing;
    const passed = Math.min(100, Math.max(0, time - this.before));
    this.before = time;
    if (this.tells > 0 && (this.tells -= passed) <= 0) this.tell("");
    if (played && source && this.isHeld(source, passed)) return;
    head.tick(passed, this.page.isStill());
    if (played && source?.goesOn && timeline.end - head.ms < aheadMs * head.speed) {
      state.waiting = !head.playing;
      void source.more().then((came) => came && this.goOn());
    } else if (played && !head.playing && this.lacks) {
      state.waiting = true;
      this.rest.want(undefined, () => this.goOn());
    }
    state.draw();
    if (head.moving || state.waiting) this.loop = requestAnimationFrame((t) => this.frame(t));
    else if (this.steps) {
      this.steps = false;
      state.emit("arrived");
    }
  }

  /** Where a live run has nothing left to show, playing rests; and it waits there for a while until that is known. */
  private isHeld(source: FrameSource, passed: number): boolean {
    const { state, idle } = this;
    const { head, stays, timeline: { frames } } = state;
    const isStill = this.page.isStill();
    const outlook = idle.after(frames, head.index, source.until);
    if (outlook === "goesOn") {
      this.unsure = 0;
      this.pass(source);
    }
    if (outlook === "goesOn" || !(isStill || idle.hasSettled(frames, head.now, stays))) return false;
    const silence = Math.min(source.until - head.now, ahead);
    const isOver = outlook === "over" && (silence >= ahead || !source.goesOn);
    const isLong = isOver || (this.unsure >= waitsMs && silence >= (this.page.leastSilence ?? leastSilence));
    if (!isLong && (!source.goesOn || this.unsure >= waitsMs)) return false;
    this.unsure += passed;
    if (isLong) {
      idle.rest();
      if (isStill) head.seek(Math.max(head.index, idle.settled(frames, stays)));
      this.pause();
      // How far it was looked ahead in the meantime depends on the reader's machine, so that is not told.
      const { nothingNow, quiet, playOn } = this.page.words;
      this.tell(isOver ? put(nothingNow, { n: Math.floor(silence / 1e6) }) : quiet, () => this.play(), playOn);
      return true;
    }
    void source.more();
    state.draw();
    this.loop = requestAnimationFrame((t) => this.frame(t));
    return true;
  }

  /** A silence of which it is known when it ends is left out, which is told. */
  private pass(source: FrameSource): void {
    const { state: { head, stays, timeline: { frames } }, idle, page: { words } } = this;
    if (!idle.hasSettled(frames, head.now, stays)) return;
    const next = frames[idle.coming(head.index)];
    if (!next) { // it is looked for: the reader has played on before it was known
      if (source.goesOn && source.until - head.now < ahead) void source.more();
      return;
    }
    const silence = next.at - head.now;
    if (silence < leastSilence || next.d - head.ms < 2 * leadMs) return;
    head.scrub(next.d - leadMs);
    this.tell(put(words.silence, { n: Math.round((next.at - idle.since(frames)) / 1e6) }));
    this.tells = tellsMs;
  }

  /** What playing waited for is there. */
  private goOn(): void {
    if (!this.state.waiting) return;
    this.state.waiting = false;
    this.state.head.play();
    this.start();
  }
}

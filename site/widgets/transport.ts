// What moves the moment that is shown: play, steps, the scrubber, and the page's
// animation loop. It waits where frames are still being loaded or made.

import type { Branch } from "./branch";
import { prefersStill } from "./dom";
import { Playhead } from "./playhead";
import type { Mark, Recording } from "./recording";
import { Rest, type RestHost } from "./rest";
import type { Timeline } from "./timeline";

/** How much of the display is kept ready ahead while a run is live, ms. */
const aheadMs = 1500;

export interface TransportHost extends Omit<RestHost, "missed"> {
  readonly timeline: Timeline;
  readonly marks: readonly Mark[];
  /** The frame that the demo opens at: what is before is the set-up. */
  readonly first: number;
  readonly branch: Branch | undefined;
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
  private recording!: Recording;
  private waiting = false; // it plays, and what comes next is not there yet
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
    if (head.ms >= host.timeline.end && head.index >= host.timeline.length - 1) {
      if (host.branch) host.branch.extend();
      else if (!this.lacks) head.seek(host.first);
    }
    head.play();
    this.start();
  }

  pause(): void {
    this.stop();
    this.host.draw();
    this.host.announce();
  }

  toggle(): void {
    if (this.playing) this.pause();
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
      this.head.seek(index);
      this.host.draw();
      this.host.announce();
    });
  }

  step(way: 1 | -1): void {
    const { head, host } = this;
    const { timeline } = host;
    head.settle();
    const to = way === 1 ? timeline.next(head.index) : timeline.previous(head.index);
    if (to < 0 && way === 1 && this.lacks) return this.once(false, undefined, () => this.step(1));
    this.stop();
    if (to < 0) return void (way === 1 && host.branch?.goesOn && host.branch.more());
    if (way === 1 && !prefersStill()) head.glideTo(to);
    else head.seek(to);
    host.draw();
    host.announce();
    this.start();
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
    this.waiting = false;
    this.head.pause();
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
    head.tick(Math.min(100, Math.max(0, time - this.before)));
    this.before = time;
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

  /** What playing waited for is there. */
  private goOn(): void {
    if (!this.waiting) return;
    this.waiting = false;
    this.head.play();
    this.start();
  }
}

// The state of a player: what is shown of a demo, the moment at which it stands, and
// what the reader turns to. Whoever changes it uses its methods; whoever shows it
// listens to its changes. Nothing here knows a page.

import { Events } from "./events";
import { tells } from "./idle";
import { paceAt } from "./pace";
import { say, seconds, type Phrases } from "./phrases";
import { Playhead } from "./playhead";
import type { Frame, Mark, Recording, Shape } from "./recording";
import type { Kind } from "./scenario";
import type { Timeline } from "./timeline";

/** What makes frames, a little ahead of what is shown. */
export interface FrameSource {
  /** Whether there may be more frames. */
  readonly goesOn: boolean;
  /** Up to when all that happens is known, µs. */
  readonly until: number;
  /** Lets a run that has come to its end go on. */
  extend(): void;
  /** Makes a little more. Tells whether there is more now. */
  more(): Promise<boolean>;
  /** Lets the control plane rest. */
  stop?(): void;
  /** The control plane has been at it for so long that the reader is told. */
  readonly isWorking?: boolean;
}

/** What can be shown: a world (runs/world.ts), or two that are compared (runs/comparison.ts). */
export interface Shown {
  readonly timeline: Timeline;
  /** The moments that can be gone to. */
  readonly marks: readonly Mark[];
  /** The frame that it opens at: what is before is the set-up. */
  readonly first: number;
  /** The first frame that follows from what the reader did; Infinity for what none of it is in. */
  readonly own: number;
  /** A recording has none. */
  readonly source: FrameSource | undefined;
  /** There are two pictures. */
  readonly isPair: boolean;
  /** Goes to an event, and tells the ids of all shapes that may differ from before. */
  seek(index: number): ReadonlySet<string>;
  /** Everything in the picture. */
  shapes(): Iterable<Shape>;
  /** The letter of the one of two worlds that an event is of; "" when there is one, or it is of both. */
  letterOf(index: number): string;
  /** The number that an event has in its own world, to which the reader turns. */
  turnTo(index: number): number;
  /** Where an event of that world is here. */
  place(own: number): number;
  measure(recording: Recording, lang: string): Measured;
}

/** What follows from how far the frames go. */
export interface Measured {
  /** When it ends, ms of the display, as far as that is known. */
  end: number;
  /** Moments with a caption. */
  captioned: readonly Mark[];
  /** Where two worlds part, frames. */
  parting: readonly number[];
  /** For how long playing rests at a frame, ms. */
  rests: Map<number, number>;
}

/** What a scrubber shows, ms of the display. */
export interface Extent {
  from: number;
  to: number;
  /** Up to where frames are there. */
  there: number;
  /** The author's moments. */
  marks: readonly number[];
  parting: readonly number[];
}

/** The tabs of the side panel. */
export type Panel = "act" | "log" | "lanes" | "options";

/** What is told where the reader looks, and what can be done about it. */
export interface Message {
  text: string;
  act?: (() => void) | undefined;
  /** What that is called: to try again, unless it has another name. */
  label?: string | undefined;
}

/** What changes. */
export interface Changes {
  /** The recording is there in another layout. */
  layout: undefined;
  /** The recording has its rest. */
  whole: undefined;
  /** Another world is shown, or two. */
  shown: undefined;
  /** The reader turned to the other one of two worlds. */
  turned: undefined;
  /** What is shown has more frames. */
  frames: undefined;
  /** It has fewer: the ids of shapes that may differ. */
  cut: ReadonlySet<string>;
  /** What the scrubber shows is other than before, or the author's moments are. */
  extent: undefined;
  /** It stands at another event; move tells whether things may slide to their places. */
  event: { changed: ReadonlySet<string>; move: boolean };
  /** It stands at another moment, maybe of the same event. */
  moment: undefined;
  /** The text takes the picture to another frame, or to none. */
  bound: undefined;
  /** The reader went to a moment: it is told to who does not see it. */
  told: undefined;
  /** A step has arrived. */
  arrived: undefined;
  /** The reader looks at a component or an object; at everything for "". */
  about: string;
  /** An event is opened: by key, so that it gets the focus; to see the object that it is about, or because the reader asks why; not from the log. */
  opened: { index: number; byKey?: boolean; objectFirst?: boolean; asksWhy?: boolean; isAlone?: boolean };
  /** A tab of the side panel comes into view, or none is any more. */
  panel: Panel | undefined;
  message: Message;
  /** The reader does something to the cluster. */
  acted: { kind: Kind };
  /** What the reader does has begun, or is there. */
  doing: undefined;
  /** The reader opens the editor of manifests, or closes it. */
  editing: boolean;
  /** An exercise says something in the text, which what is opened is not to cover: its goal as it begins, or that the reader has solved it. */
  exercise: undefined;
  /** The control plane is at work for the reader, or is done. */
  busy: boolean;
  /** The control plane has died. */
  stopped: undefined;
  /** Worlds came, went or grew. */
  worlds: undefined;
}

/** How long nothing happens until it is said, µs, and ms of the reader's clock. */
const quietUs = 500_000;
const quietMs = 1500;
/** A silence that is passed over is told from so long on, s; and for so long at least, ms of the reader's clock. */
const toldSilence = 10;
const tellsMs = 2000;

export class PlayerState extends Events<Changes> {
  shown!: Shown;
  head!: Playhead;
  /** The frame that the reader went to last, by a step or at once. */
  went = -1;
  /** The frame to which the text takes the picture: its caption stands already on the way. */
  bound: number | undefined;
  /** It plays, and what comes next is not there yet. */
  waiting = false;
  /** What is looked at: a component or an object; everything for "". */
  about = "";
  panel: Panel | undefined;
  /** What the reader has just done, as the event that it will be, until that is there. */
  doing: Frame | undefined;
  message: Message = { text: "" };
  extent: Extent = { from: 0, to: 1, there: 0, marks: [], parting: [] };
  captioned: readonly Mark[] = [];
  /** How long something has to stay as it is for what the reader is asked to do, µs. */
  stays = 0;
  private drawn = -1;
  private news = -1; // the last event that is not routine
  private newsTime = 0; // when it was shown, by the reader's clock, ms
  private followed = -1; // up to where it was looked for
  private readonly awaited = { from: 0, to: 0 }; // between these there is only routine
  private silence = 0; // that is passed over, s
  private silenceFrom = -1; // the event before it
  private silenceTime = 0; // since when it is told, by the reader's clock, ms
  private isEarly = false; // the scrubber shows the set-up, too
  private passing = false; // playing does not rest at captions

  constructor(public recording: Recording, private readonly given: { lang: string; phrases: Phrases }) {
    super();
  }

  get timeline(): Timeline {
    return this.shown.timeline;
  }

  get playing(): boolean {
    return this.head.playing || this.waiting;
  }

  /** The moment's event, in virtual time, µs. */
  get us(): number {
    return this.timeline.frames[this.head.index]?.at ?? 0;
  }

  /**
   * Whether nothing happens any more but heartbeats and routine work, so that what was told last is over. While it plays, for so
   * long that a reader has seen it, too: a recording passes its silences in a second.
   */
  get isQuiet(): boolean {
    const { head, went, playing, timeline: { frames } } = this;
    const last = frames[this.news];
    return last !== undefined && went !== head.index && head.now - last.at >= quietUs && (!playing || performance.now() - this.newsTime >= quietMs);
  }

  /** What comes next that is not routine, as far as it has been run; undefined when there is nothing of that kind. */
  get upcoming(): Frame | undefined {
    const { head: { index }, timeline: { frames }, awaited } = this;
    if (index < awaited.from || index >= awaited.to) [awaited.from, awaited.to] = [index, index + 1];
    while (awaited.to < frames.length && !tells(frames, awaited.to)) awaited.to++;
    return frames[awaited.to];
  }

  /** How long the silence is that is passed over, or just was, s; 0 for none. Who sees the clock leap is told why. */
  get skipped(): number {
    return this.playing && performance.now() - this.silenceTime < tellsMs ? this.silence : 0;
  }

  /** Notes that a silence is passed over; for a reader who wants no motion, it is over as soon as something happens. */
  private passOver(before: number): void {
    const { head, news, timeline: { frames } } = this;
    if (!head.playing || before < 0) return;
    const from = head.index === news && news > before ? before : news;
    const pace = paceAt(frames, from, frames[from]!.d, head.speed);
    if (pace?.kind !== "skip" || pace.seconds < toldSilence || from === this.silenceFrom) return;
    [this.silence, this.silenceFrom, this.silenceTime] = [pace.seconds, from, performance.now()];
  }

  /** Looks for the last event up to the moment that is not routine. */
  private follow(): void {
    const { head: { index }, timeline: { frames }, followed } = this;
    const from = index >= followed ? followed : -1;
    this.followed = index;
    let i = index;
    while (i > from && frames[i]?.q) i--;
    if (i <= from || i === this.news) return;
    this.news = i;
    this.newsTime = performance.now();
  }

  // —— what is shown

  /** Shows something else, standing at a frame. */
  show(shown: Shown, index = 0): void {
    const head = new Playhead(shown.timeline);
    head.speed = this.head?.speed ?? 1;
    head.seek(index);
    shown.timeline.seek(head.index);
    this.shown = shown;
    this.head = head;
    this.went = this.drawn = this.news = this.followed = this.silenceFrom = -1;
    this.silence = this.awaited.to = 0;
    this.waiting = this.isEarly = false;
    this.emit("shown");
    this.measure();
  }

  /** Takes in frames that were added to what is shown. */
  grow(): void {
    this.emit("frames");
    this.measure();
  }

  /** Takes in that what is shown has no frames any more from one on. */
  cut(from: number, changed: ReadonlySet<string>): void {
    if (this.head.index >= from) this.head.seek(from - 1);
    this.followed = -1;
    this.awaited.to = 0;
    this.emit("cut", changed);
    this.measure();
  }

  /** Whether playing passes captions, and does not rest at them: also at those of frames that are added meanwhile. */
  passes(passing: boolean): void {
    this.passing = passing;
    this.measure();
  }

  /** Takes in how long the timeline is, what moments it has, and where playing rests. */
  measure(): void {
    const { frames, end: there } = this.timeline;
    const { end, captioned, parting, rests } = this.shown.measure(this.recording, this.given.lang);
    const from = this.isEarly ? 0 : Math.floor(frames[this.shown.first]?.d ?? 0);
    this.head.rests = this.passing ? new Map<number, number>() : rests;
    this.captioned = captioned;
    this.extent = {
      from, to: Math.max(from + 1, Math.ceil(end)), there,
      marks: captioned.map((m) => frames[m.frame]?.d ?? m.d ?? 0), parting: parting.map((frame) => frames[frame]!.d),
    };
    this.emit("extent");
  }

  // —— the moment

  /** Goes to a frame at once. */
  seek(index: number): void {
    this.head.seek(index);
    this.draw();
  }

  /** The text takes the picture to a frame; it leads no more without. */
  bind(frame?: number): void {
    if (frame === this.bound) return;
    this.bound = frame;
    this.emit("bound");
  }

  /** Has the moment shown; move tells whether things may slide to their places. */
  draw(move = true): void {
    const { head, timeline, shown } = this;
    const { news } = this;
    this.follow();
    this.passOver(news);
    if (this.drawn !== head.index || timeline.index !== head.index) {
      const changed = shown.seek(head.index);
      this.drawn = head.index;
      this.emit("event", { changed, move });
    }
    if (head.index < shown.first !== this.isEarly && (!this.isEarly || move)) {
      this.isEarly = !this.isEarly;
      this.measure();
    }
    this.emit("moment");
  }

  /** An event in a sentence, with its time. */
  sentence(index: number): string {
    const frame = this.timeline.frames[index];
    const letter = this.shown.letterOf(index);
    return frame ? `${seconds(frame.at)}. ${letter && `${letter}: `}${say(this.given.phrases, frame)}` : "";
  }

  // —— what the reader turns to

  /** The reader has done something; it is there without. */
  do(frame?: Frame): void {
    this.doing = frame;
    this.silence = 0; // is no longer what the reader waits for
    this.emit("doing");
  }

  look(about: string): void {
    this.about = about;
    this.emit("about", about);
  }

  /** Brings a tab of the side panel into view; none without. */
  reveal(panel?: Panel): void {
    this.panel = panel;
    this.emit("panel", panel);
  }

  /** Says something where the reader looks; "" says nothing. */
  say(text: string, act?: () => void, label?: string): void {
    this.message = { text, act, label };
    this.emit("message", this.message);
  }
}

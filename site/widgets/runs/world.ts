// One run of a demo that a reader can look at: what was recorded, or a branch
// that they made by changing something. A demo's worlds have the frames up to
// where they part in common, and each has its own from there on.

import type { Branch } from "./branch";
import { readingMs } from "../state/pace";
import type { Measured, Shown } from "../state/playerstate";
import type { Frame, Mark, Recording, Shape } from "../state/recording";
import { Timeline } from "../state/timeline";
import type { Input } from "../state/scenario";
import { tied } from "../text";

export class World implements Shown {
  readonly isPair = false;
  timeline: Timeline;
  /** What makes its frames; the recording has none. */
  branch: Branch | undefined;
  marks: Mark[] = [];
  first = 0;
  /** The last frame that the reader has seen, and the one where they left it. */
  seen = -1;
  left = 0;
  /** What the reader calls it; "" is what was done. */
  name = "";
  /** Whether its frames were let go: they are made again when it is looked at. */
  isParked = false;
  private readonly told = new Map<Input, string>();

  /** label is a letter, "" for the recording. */
  constructor(readonly label: string, public parent: World | undefined, frames: Frame[]) {
    this.timeline = new Timeline(frames);
  }

  /** The counterfactual; "" is the real world. */
  get whatIf(): string {
    return this.branch?.whatIf ?? "";
  }

  /** It is a run that goes on elsewhere: what the reader does leaves it. */
  get isFollowed(): boolean {
    return this.branch?.limit !== undefined;
  }

  get inputs(): readonly Input[] {
    return this.branch?.inputs ?? [];
  }

  /** What was done here and not in the world that it left, in words. */
  actions(sentence: (frame: Frame) => string): string[] {
    const { inputs, timeline, parent } = this;
    const frames = timeline.outside.filter((f) => f.op === "input" && f.e > this.own);
    inputs.forEach((input, i) => { if (frames[i]) this.told.set(input, sentence(frames[i])); });
    return inputs.filter((input) => !parent?.inputs.includes(input)).map((input) => this.told.get(input) ?? sentence(eventOf(input)));
  }

  /** Lets its frames go, as far as another world does not have them too. */
  park(): void {
    this.timeline = new Timeline();
    this.isParked = true;
  }

  /** Whether something done after a frame goes on from what the reader saw last here, so that nothing of it is lost. */
  goesOnAt(index: number, at: number): boolean {
    return this.branch !== undefined && !this.isFollowed && index >= this.seen && this.inputs.every((input) => input.at / 1000 <= at);
  }

  /** The frames before a time, µs: what a branch that leaves then has in common with this. */
  before(at: number): Frame[] {
    return this.timeline.frames.slice(0, this.timeline.atVirtual(Math.floor(at) - 1) + 1);
  }

  // —— as what is shown

  get own(): number {
    return this.branch?.own ?? Infinity;
  }

  get source(): Branch | undefined {
    return this.branch;
  }

  seek(index: number): ReadonlySet<string> {
    this.seen = Math.max(this.seen, index);
    return this.timeline.seek(index);
  }

  shapes(): Iterable<Shape> {
    return this.timeline.shapes.values();
  }

  letterOf(): string {
    return "";
  }

  turnTo(index: number): number {
    return index;
  }

  place(own: number): number {
    return own;
  }

  /** In a branch, the author's moments after what the reader did are none of it. */
  measure(recording: Recording, lang: string): Measured {
    const { branch, timeline } = this;
    const length = branch ? Math.min(branch.own, timeline.length) : Math.max(timeline.length, recording.length ?? 0);
    const captioned = (this.marks = this.marks.filter((m) => m.frame < length));
    return {
      end: branch ? timeline.end : Math.max(timeline.end, recording.end ?? 0), captioned, parting: [],
      rests: new Map(captioned.map((m) => [m.frame, readingMs(captionOf(m, lang))])),
    };
  }
}

/** What the author says at a moment. */
export const captionOf = (mark: Mark, lang: string): string => tied(mark.caption[lang] ?? Object.values(mark.caption)[0] ?? "");

/** An input as the event that it will be, for as long as that is not there. */
export function eventOf(input: Input): Frame {
  const { at, kind, resource = "", namespace, name = "", args, ...rest } = input;
  const given = { kind, target: rest.component ?? rest.node ?? "", ...rest, ...(args ? { command: args.join(" ") } : {}) };
  const told = Object.entries(given).filter((pair): pair is [string, string | number] => typeof pair[1] === "string" || typeof pair[1] === "number");
  return { e: 0, at: Math.floor(at / 1000), d: 0, who: "user", op: "input", m: `input.${kind}`,
    o: `${resource} ${namespace ? `${namespace}/` : ""}${name}`, a: told.flat() };
}

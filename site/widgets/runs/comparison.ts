// Two worlds that are compared: they move together in virtual time. To the transport
// and the event log they are one timeline (mergedruns.ts), and one source of frames.
// Here is where they part, and what differs of them; compareview.ts shows it.

import type { Branch } from "./branch";
import type { World } from "./world";
import { MergedRuns, type Side } from "../state/mergedruns";
import type { FrameSource, Measured, PlayerState, Shown } from "../state/playerstate";
import type { Mark, Shape } from "../state/recording";
import type { Timeline } from "../state/timeline";

export const sides = [0, 1] as const;
/** How long playing rests where the worlds part, ms. */
const restMs = 2500;
/** What happens in the other world within that time is the same a little earlier or later, µs. */
const soonUs = 1_000_000;

export interface Compared {
  world: World;
  /** What makes its frames. */
  source: Branch;
  letter: string;
}

export class Comparison implements Shown, FrameSource {
  readonly isPair = true;
  readonly own = Infinity;
  /** The world that the controls and the inspector are about. */
  side: Side = 1;
  /** One of the worlds is no longer what it was: it waits to be compared anew. */
  isStale = false;
  /** The event with which they part; -1 as long as they don't. */
  parting = -1;
  /** The event with which one of them gets or loses an object that the other does not; -1 as long as none is. */
  stored = -1;
  /** Ids of shapes that may differ from before, of each. */
  changed: readonly [ReadonlySet<string>, ReadonlySet<string>] = [new Set(), new Set()];
  readonly merged: MergedRuns;
  private looked = 0; // how far they were looked through for where they part
  private readonly firsts: [number, number] = [0, 0]; // how far both were looked through for what happens in one only
  private making: Promise<boolean> | undefined;

  constructor(private readonly state: PlayerState, readonly compared: readonly [Compared, Compared], readonly first: number) {
    this.merged = new MergedRuns(compared[0].world.timeline.frames, compared[1].world.timeline.frames);
    this.join();
  }

  get timeline(): Timeline {
    return this.merged.timeline;
  }

  get chosen(): Compared {
    return this.compared[this.side];
  }

  has(world: World): boolean {
    return this.compared.some((one) => one.world === world);
  }

  // —— as what is shown

  get source(): this {
    return this;
  }

  /** The moments that can be gone to: where the worlds part. */
  get marks(): Mark[] {
    return [...new Set([this.parting, this.stored])].filter((frame) => frame >= 0).map((frame) => ({ id: "", frame, caption: {} }));
  }

  /** Each world goes to its own event of that moment. */
  seek(index: number): ReadonlySet<string> {
    this.changed = sides.map((side) => this.compared[side].world.seek(this.merged.own(index, side))) as unknown as typeof this.changed;
    return this.timeline.seek(index);
  }

  shapes(): Shape[] {
    return this.compared.flatMap(({ world }) => [...world.shapes()]);
  }

  letterOf(index: number): string {
    const owner = this.merged.owner(index);
    return owner === "both" ? "" : this.compared[owner].letter;
  }

  turnTo(index: number): number {
    const owner = this.merged.owner(index);
    if (owner !== "both") this.turn(owner);
    return this.merged.own(index, this.side);
  }

  place(own: number): number {
    return this.merged.place(own, this.side);
  }

  measure(): Measured {
    const parting = this.marks.map(({ frame }) => frame);
    return { end: this.timeline.end, captioned: [], parting, rests: new Map(parting.map((frame) => [frame, restMs])) };
  }

  /** Turns to one of the two. */
  turn(side: Side): void {
    if (side === this.side) return;
    this.side = side;
    this.state.emit("turned");
  }

  // —— what makes frames

  get goesOn(): boolean {
    return this.behind.goesOn;
  }

  extend(): void {
    for (const source of this.sources) if (!source.goesOn) source.extend();
  }

  /** Takes in what both have made by now. */
  takeIn(): void {
    if (this.isStale) return;
    this.join();
    if (this.state.shown === this) this.state.grow();
  }

  private join(): void {
    this.merged.extend(this.until);
    this.part();
  }

  /** Up to when all is known of both, µs. */
  get until(): number {
    return this.behind.until;
  }

  more(): Promise<boolean> {
    return (this.making ??= this.make().finally(() => (this.making = undefined)));
  }

  /** Has both there past a time, µs, which may be after the end of either: a recording's world goes on, too. */
  async reach(us: number): Promise<boolean> {
    while (this.until <= us) {
      if (!this.goesOn) this.extend();
      if (!(await this.more())) return false;
    }
    return true;
  }

  /** Goes on until the worlds part, or up to a time, µs. Tells whether it could. */
  find(us: number): Promise<boolean> {
    return this.goOn(us, () => this.parting >= 0);
  }

  /** Goes on until one world has an object alone, or up to a time, µs. */
  findStored(us: number): Promise<boolean> {
    return this.goOn(us, () => this.stored >= 0);
  }

  /** Runs both, with the least of what it takes, until something is so. */
  private async goOn(us: number, isSo: () => boolean): Promise<boolean> {
    while (!isSo() && !this.isStale && this.until < us) if (!(await this.reach(this.until))) return false;
    return true;
  }

  private get sources(): readonly [Branch, Branch] {
    return [this.compared[0].source, this.compared[1].source];
  }

  private get behind(): Branch {
    const [a, b] = this.sources;
    return a.until <= b.until ? a : b;
  }

  private async make(): Promise<boolean> {
    const { behind } = this;
    const had = behind.until;
    await behind.more();
    this.takeIn();
    return behind.until > had;
  }

  // —— where they part

  /** Whether the other world does the same a little earlier or later. */
  private happensSoon(index: number): boolean {
    const { frames } = this.timeline;
    const { at, m, o } = frames[index]!;
    const isSame = (i: number) => frames[i]!.m === m && frames[i]!.o === o && this.merged.owner(i) !== this.merged.owner(index);
    for (let i = index - 1; i >= 0 && at - frames[i]!.at < soonUs; i--) if (isSame(i)) return true;
    for (let i = index + 1; i < frames.length && frames[i]!.at - at < soonUs; i++) if (isSame(i)) return true;
    return false;
  }

  /** Looks for the first event that is not of both, and for the first object that one world gets or loses alone. */
  private part(): void {
    const { frames } = this.timeline;
    const known = this.until - soonUs;
    for (let i = this.looked; i < frames.length && this.stored < 0; i = ++this.looked) {
      if (this.merged.owner(i) === "both") continue;
      if (this.parting < 0) this.parting = i;
      if (!/^store\.commit\.(ADDED|DELETED)$/.test(frames[i]!.m)) continue;
      if (frames[i]!.at > known) return; // whether the other does the same soon is not known yet
      if (!this.happensSoon(i)) this.stored = i;
    }
  }

  /** The first event after they part that is of one world only; undefined as long as there is none. */
  firstOf(side: Side): number | undefined {
    const { merged, timeline, firsts } = this;
    for (let i = Math.max(this.parting, firsts[side]); i < timeline.length; i = ++firsts[side]) {
      if (merged.owner(i) === side) return i;
    }
    return undefined;
  }
}

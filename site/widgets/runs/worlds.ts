// The worlds of a demo that a reader has: the recording, and a branch for each
// time that they went back and did something else. They make a tree.

import { Branch } from "./branch";
import type { Engine } from "./engine";
import type { Frame, Layout, Recording } from "../state/recording";
import type { Input, Scenario } from "../state/scenario";
import { Timeline } from "../state/timeline";
import type { Words } from "../words";
import { World } from "./world";

/** How many frames branches keep of their own: about a kilobyte each. */
const mostFrames = 100_000;

export interface WorldsHost {
  words: Words;
  engine: Engine;
  scenario: Scenario;
  readonly recording: Recording;
  /** Makes a recording whole. */
  whole(recording: Recording): Promise<void>;
  /** What a world had from a frame on is no longer so. */
  cut(world: World, from: number): void;
  grew(world: World): void;
  failed(world: World, error: unknown): void;
  busy(busy: boolean): void;
  say(message: string): void;
}

/** How far a world's frames are wanted: past a time, µs, up to a moment of the display, up to a frame. */
export interface Until {
  us?: number;
  ms?: number;
  index?: number;
}

/** A branch with frames of its own making. */
export interface Made {
  timeline: Timeline;
  branch: Branch;
}

export class Worlds {
  readonly recorded = new World("", undefined, []);
  /** All of them, as the tree is told: each before those that leave it, the earlier made first. */
  readonly all: World[] = [this.recorded];
  private readonly recent = new Set<World>(); // in the order in which they were looked at
  private sequel: Branch | undefined;
  private made = 0;

  constructor(private readonly host: WorldsHost) {}

  /** Takes a recording, whose marks are the author's. Branches of another layout lose their frames. */
  use(recording: Recording): void {
    const { recorded } = this;
    const { marks, first, layout } = recording;
    this.sequel?.leave();
    this.sequel = undefined;
    recorded.timeline = new Timeline(told(recording));
    recorded.marks = (marks ?? []).toSorted((a, b) => a.frame - b.frame);
    recorded.first = first;
    for (const world of this.all) if (world.branch && world.branch.layout !== layout) world.park();
  }

  /** Takes in what the recording's first file left out. */
  complete(): void {
    const { timeline } = this.recorded;
    timeline.append(told(this.host.recording, timeline.length));
  }

  /** A world that leaves another one at a time, µs: it has nothing in common with one of another seed or of another counterfactual. */
  branchOff(parent: World, at: number, scenario = this.scenarioOf(parent), whatIf = parent.whatIf): World {
    const { host } = this;
    const isAlike = scenario.seed === this.scenarioOf(parent).seed && whatIf === parent.whatIf;
    const from = isAlike ? this.rootOf(parent, at) : parent;
    const world = new World(letters(this.made++), from, isAlike ? parent.before(at) : []);
    world.marks = parent.marks;
    world.first = parent.first;
    world.branch = this.branch(world, world.timeline, scenario, host.recording.layout, whatIf);
    if (parent.branch) world.branch.follow(parent.branch, at);
    world.left = world.timeline.length - 1;
    this.all.splice(this.all.indexOf(from) + this.below(from).length + 1, 0, world);
    host.grew(world);
    return world;
  }

  /** The first world that a branch leaves if it leaves this one at a time, µs: one in which nothing of its own was done by then is like the one that it left. */
  private rootOf(world: World, at: number): World {
    const { parent } = world;
    if (!parent || world.whatIf !== parent.whatIf || this.scenarioOf(world).seed !== this.scenarioOf(parent).seed) return world;
    const done = (of: World) => JSON.stringify(of.inputs.filter((input) => input.at / 1000 < at));
    return done(world) === done(parent) ? this.rootOf(parent, at) : world;
  }

  /** Has a world's frames there up to where they are wanted. Tells whether they are. */
  async ready(world: World, until: Until): Promise<boolean> {
    if (!world.branch) return true;
    if (world.isParked) {
      world.isParked = false; // who asks meanwhile gets the same
      this.take(world, await this.begin(world, this.host.recording));
    }
    if (!isThere(world.timeline, until) && !(await world.branch.reach(until))) return false;
    await this.adopt(world);
    return true;
  }

  /**
   * Makes a branch again in the layout of another recording, as far as it is wanted
   * by then; the world keeps what it has until it takes that. Undefined when it
   * cannot be made.
   */
  async again(world: World, recording: Recording, until: () => Until): Promise<Made | undefined> {
    const made = await this.begin(world, recording);
    const { timeline, branch } = made;
    while (!isThere(timeline, until()) && branch.goesOn) {
      if (await branch.reach(until())) continue;
      branch.leave();
      return undefined;
    }
    return made;
  }

  /** Gives a world other frames of the same numbers. */
  take(world: World, { timeline, branch }: Made): void {
    world.branch?.leave();
    world.timeline = timeline;
    world.branch = branch;
  }

  /** A branch again, up to where it leaves the recording: in another layout frames have the same numbers, and other shapes. */
  private async begin(world: World, recording: Recording): Promise<Made> {
    const old = world.branch!;
    if (old.from > recording.frames.length) await this.host.whole(recording);
    const timeline = new Timeline(told(recording).slice(0, old.from));
    const branch = this.branch(world, timeline, old.scenario, recording.layout, old.whatIf);
    branch.follow(old);
    return { timeline, branch };
  }

  /** Forgets a world; those that left it now leave the one that it left. */
  drop(world: World): void {
    const at = this.all.indexOf(world);
    if (at < 1) return;
    for (const other of this.all) if (other.parent === world) other.parent = world.parent;
    this.all.splice(at, 1);
    this.recent.delete(world);
    world.branch?.leave();
  }

  /** Lets go of frames when there are too many, of the worlds first that were looked at longest ago; those that are shown stay. */
  tidy(shown: readonly World[]): void {
    for (const world of shown) {
      this.recent.delete(world);
      this.recent.add(world);
    }
    let kept = 0;
    for (const world of [...this.recent].reverse()) {
      if (!world.branch || world.isParked) continue;
      kept += world.timeline.length - Math.min(world.branch.from, world.timeline.length);
      if (kept > mostFrames && !shown.includes(world)) world.park();
    }
  }

  /** The world in which the same was done. */
  find({ seed, inputs, whatIf = "" }: { seed: number; inputs: readonly Input[]; whatIf?: string | undefined }): World | undefined {
    const wanted = JSON.stringify(inputs);
    return this.all.find((world) => this.scenarioOf(world).seed === seed && world.whatIf === whatIf && JSON.stringify(world.inputs) === wanted);
  }

  scenarioOf(world: World): Scenario {
    return world.branch?.scenario ?? this.host.scenario;
  }

  private below(world: World): World[] {
    return this.all.filter((other) => other.parent === world).flatMap((other) => [other, ...this.below(other)]);
  }

  /** What makes a world's frames; for the recording that is what comes after its end, as long as somebody wants it. */
  sourceOf(world: World): Branch {
    if (world.branch) return world.branch;
    this.sequel ??= this.branch(world, world.timeline, this.host.scenario, this.host.recording.layout);
    return this.sequel;
  }

  /** The recording ends again where it ends. */
  endSequel(): void {
    if (!this.sequel) return;
    this.sequel.leave();
    this.sequel = undefined;
    this.recorded.timeline.truncate(this.host.recording.frames.length);
  }

  /** What makes a timeline's frames. As long as the world does not have it, it tells nobody of them. */
  private branch(world: World, timeline: Timeline, scenario: Scenario, layout: Layout, whatIf = ""): Branch {
    const { host } = this;
    const isOfWorld = () => world.timeline === timeline;
    return new Branch({
      timeline,
      words: host.words,
      cut: (from) => { if (isOfWorld()) host.cut(world, from); },
      grew: () => { if (isOfWorld()) host.grew(world); },
      busy: (busy) => host.busy(busy),
      say: (message) => host.say(message),
      failed: (error) => host.failed(world, error),
    }, host.engine, scenario, layout, whatIf);
  }

  /** With another seed than the recording's, or in a counterfactual, the author's moments are at other frames. */
  private async adopt(world: World): Promise<void> {
    const { branch } = world;
    if (!branch || (branch.scenario.seed === this.host.scenario.seed && branch.whatIf === "")) return;
    const { marks, first } = await branch.header();
    const input = branch.inputs[0];
    branch.own = input ? branch.frameAt(input.at / 1000) : Infinity;
    world.marks = marks ?? [];
    world.first = first;
    this.host.grew(world);
  }
}

/** A, B … Z, AA, AB … */
function letters(n: number): string {
  return (n >= 26 ? letters(Math.floor(n / 26) - 1) : "") + String.fromCharCode(65 + (n % 26));
}

/** A recording's frames from one on; what the author points at is never folded away. */
function told({ frames, marks }: Recording, from = 0): Frame[] {
  const out = frames.slice(from);
  for (const { frame } of marks ?? []) {
    const { q: _, ...loud } = out[frame - from] ?? {};
    if (out[frame - from]?.q) out[frame - from] = loud as Frame;
  }
  return out;
}

const isThere = ({ frames, end }: Timeline, { us = 0, ms = 0, index = 0 }: Until) =>
  frames.length > index && end >= ms && (frames.at(-1)?.at ?? -1) >= us;

// The worlds of a demo that a reader has: the recording, and a branch for each
// time that they went back and did something else. They make a tree.

import { Branch } from "./branch";
import type { Engine } from "./engine";
import type { Frame, Recording } from "./recording";
import type { Input, Scenario } from "./scenario";
import { Timeline } from "./timeline";
import type { Words } from "./words";
import { World } from "./world";

/** How many frames branches keep of their own: about a kilobyte each. */
const mostFrames = 100_000;

export interface WorldsHost {
  words: Words;
  engine: Engine;
  scenario: Scenario;
  readonly recording: Recording;
  /** The recording's frames as they are shown, from one on. */
  told(from?: number): Frame[];
  /** Makes the recording whole. */
  whole(): Promise<void>;
  /** What a world had from a frame on is no longer so. */
  cut(world: World, from: number): void;
  grew(world: World): void;
  failed(world: World, error: unknown): void;
  busy(busy: boolean): void;
  say(message: string): void;
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
  use({ marks, first, layout }: Recording): void {
    const { recorded } = this;
    this.sequel?.leave();
    this.sequel = undefined;
    recorded.timeline = new Timeline(this.host.told());
    recorded.marks = (marks ?? []).toSorted((a, b) => a.frame - b.frame);
    recorded.first = first;
    for (const world of this.all) if (world.branch && world.branch.layout !== layout) world.park();
  }

  /** A world that leaves another one at a time, µs: it has nothing in common with one of another seed or of another counterfactual. */
  branchOff(parent: World, at: number, scenario = this.scenarioOf(parent), whatIf = parent.whatIf): World {
    const { host } = this;
    const isAlike = scenario.seed === this.scenarioOf(parent).seed && whatIf === parent.whatIf;
    const world = new World(letters(this.made++), parent, isAlike ? parent.before(at) : []);
    world.marks = parent.marks;
    world.first = parent.first;
    world.branch = this.branch(world, scenario, whatIf);
    if (parent.branch) world.branch.follow(parent.branch, at);
    world.left = world.timeline.length - 1;
    this.all.splice(this.all.indexOf(parent) + this.below(parent).length + 1, 0, world);
    host.grew(world);
    return world;
  }

  /** Has a world's frames there up to where they are wanted. Tells whether they are. */
  async ready(world: World, { us = 0, ms = 0, index = 0 }: { us?: number; ms?: number; index?: number }): Promise<boolean> {
    const { host } = this;
    const old = world.branch;
    if (!old) return true;
    if (world.isParked) {
      // The same again; in another layout frames have the same numbers, and other shapes.
      world.isParked = false;
      if (old.from > host.recording.frames.length) await host.whole();
      world.timeline = new Timeline(host.told().slice(0, old.from));
      world.branch = this.branch(world, old.scenario, old.whatIf);
      world.branch.follow(old);
      old.leave();
    }
    const { branch, timeline } = world;
    const isThere = timeline.length > index && timeline.end >= ms && (timeline.frames.at(-1)?.at ?? -1) >= us;
    if (!isThere && !(await branch!.reach({ us, ms, index }))) return false;
    await this.adopt(world);
    return true;
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
    this.sequel ??= this.branch(world, this.host.scenario);
    return this.sequel;
  }

  /** The recording ends again where it ends. */
  endSequel(): void {
    if (!this.sequel) return;
    this.sequel.leave();
    this.sequel = undefined;
    this.recorded.timeline.truncate(this.host.recording.frames.length);
  }

  private branch(world: World, scenario: Scenario, whatIf = ""): Branch {
    const { host } = this;
    return new Branch({
      get timeline() { return world.timeline; },
      words: host.words,
      cut: (from) => host.cut(world, from),
      grew: () => host.grew(world),
      busy: (busy) => host.busy(busy),
      say: (message) => host.say(message),
      failed: (error) => host.failed(world, error),
    }, host.engine, scenario, host.recording.layout, whatIf);
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

// The worlds of a demo that a reader has: the recording, and a branch for each
// time that they went back and did something else. They make a tree.

import { Branch, type BranchContext, type Until } from "./branch";
import type { Comparing } from "./comparing";
import type { Comparison } from "./comparison";
import { Stopped, type Engine } from "./engine";
import { loadJson } from "./load";
import type { Given } from "../given";
import type { PlayerState } from "../state/playerstate";
import type { Details, Frame, Layout, Managers, Recording, RestFile } from "../state/recording";
import { whole } from "../state/rest";
import type { Input, Scenario } from "../state/scenario";
import { Timeline } from "../state/timeline";
import type { Transport } from "../state/transport";
import { messageOf } from "../text";
import { World } from "./world";

/** How many frames branches keep of their own: about a kilobyte each. */
const mostFrames = 100_000;

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
  /** The world that is shown, when it is one. */
  current = this.recorded;
  /** The two that are shown, when it is two; comparing is there as soon as there is more than one world. */
  comparison: Comparison | undefined;
  comparing: Comparing | undefined;
  private sequel: Branch | undefined;
  private made = 0;
  private shows = 0; // counts what was shown: who waited for a world, and meanwhile another was wanted, gives way
  private readonly context: BranchContext;

  constructor(private readonly state: PlayerState, private readonly transport: Transport, engine: Engine, private readonly given: Given) {
    this.context = { engine, state, lang: given.lang, words: given.words };
    state.on("whole", () => this.complete());
  }

  /** The world that the controls and the inspector are about. */
  get inspected(): World {
    return this.comparison?.chosen.world ?? this.current;
  }

  /** Two worlds are shown, or will be: they need the layout that has room for two. */
  get isComparing(): boolean {
    return this.comparing?.isWanted ?? false;
  }

  // —— what is shown

  /** Shows a world, standing at a frame. */
  show(world: World, index = 0): void {
    this.shows++;
    if (this.comparison) this.endComparison();
    else if (world !== this.current) this.current.left = this.state.head.index;
    this.current = world;
    this.tidy([world]);
    this.state.show(world, index);
  }

  /** Shows it at a time, µs. */
  showAt(world: World, us: number): void {
    this.transport.stop();
    this.show(world);
    this.state.seek(world.timeline.atVirtual(us));
  }

  /** Shows a world, once it has come as far as is wanted; the caller chooses the moment. */
  async visit(world: World, until: Until): Promise<boolean> {
    const wish = this.wish();
    if (!(await this.ready(world, until)) || !this.isWished(wish)) return false;
    this.show(world, until.index ?? world.left);
    return true;
  }

  /** Shows two, at an event of both. */
  showBoth(comparison: Comparison, index: number): void {
    this.comparison = comparison;
    this.tidy(this.shown);
    this.state.show(comparison);
    this.state.seek(index);
    this.state.emit("told");
  }

  private endComparison(): void {
    this.comparison = undefined;
    this.endSequel();
  }

  /** Those that are shown. */
  get shown(): readonly World[] {
    return this.comparison?.compared.map(({ world }) => world) ?? [this.current];
  }

  /** Stops, and counts that something else will be shown; isWished tells whether that is still so. */
  wish(): number {
    this.transport.stop();
    return ++this.shows;
  }

  isWished(wish: number): boolean {
    return wish === this.shows;
  }

  /** Back to the recording, and to the moment at which it was left if that is earlier than this one. */
  reset(): void {
    const { branch, timeline } = this.inspected;
    this.state.say("");
    if (branch) this.showAt(this.recorded, timeline.frames[Math.min(timeline.index, branch.own - 1)]?.at ?? 0);
  }

  // —— the tree

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

  /** Takes in what the recording's first file left out: in a branch, that is for when the reader comes back. */
  complete(): void {
    const { timeline } = this.recorded;
    timeline.append(told(this.state.recording, timeline.length));
    if (!this.comparison && this.current === this.recorded) this.state.grow();
  }

  /** Makes a recording whole. */
  whole(recording: Recording): Promise<void> {
    return whole(recording, (name) => loadJson<RestFile>(this.given.file(name)));
  }

  /** Stacks and objects of the world that the inspector is about. */
  details(): Promise<Details> {
    return this.inspected.branch?.details() ?? loadJson<Details>(this.given.file("details.json"));
  }

  /** Who manages the fields of one of its objects. */
  managers(object: string): Promise<Managers> {
    return this.inspected.branch?.managers(object) ?? loadJson<Managers>(this.given.file("managers.json"));
  }

  /** A world that leaves another one at a time, µs: it has nothing in common with one of another seed or of another counterfactual. */
  branchOff(parent: World, at: number, scenario = this.scenarioOf(parent), whatIf = parent.whatIf): World {
    const isAlike = scenario.seed === this.scenarioOf(parent).seed && whatIf === parent.whatIf;
    const from = isAlike ? this.rootOf(parent, at) : parent;
    const world = new World(letters(this.made++), from, isAlike ? parent.before(at) : []);
    world.marks = parent.marks;
    world.first = parent.first;
    world.branch = this.branch(world, world.timeline, scenario, this.state.recording.layout, whatIf);
    if (parent.branch) world.branch.follow(parent.branch, at);
    world.left = world.timeline.length - 1;
    this.all.splice(this.all.indexOf(from) + this.below(from).length + 1, 0, world);
    this.state.emit("worlds");
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
      this.take(world, await this.begin(world, this.state.recording));
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
    if (old.from > recording.frames.length) await this.whole(recording);
    const timeline = new Timeline(told(recording).slice(0, old.from));
    const branch = this.branch(world, timeline, old.scenario, recording.layout, old.whatIf);
    branch.follow(old);
    this.context.engine.sessions.handOver(old, branch);
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
    return world.branch?.scenario ?? this.given.scenario;
  }

  private below(world: World): World[] {
    return this.all.filter((other) => other.parent === world).flatMap((other) => [other, ...this.below(other)]);
  }

  /** What makes a world's frames; for the recording that is what comes after its end, as long as somebody wants it. */
  sourceOf(world: World): Branch {
    if (world.branch) return world.branch;
    this.sequel ??= this.branch(world, world.timeline, this.given.scenario, this.state.recording.layout);
    return this.sequel;
  }

  /** The recording ends again where it ends. */
  endSequel(): void {
    if (!this.sequel) return;
    this.sequel.leave();
    this.sequel = undefined;
    this.recorded.timeline.truncate(this.state.recording.frames.length);
  }

  /** What makes a timeline's frames. As long as the world does not have it, it tells nobody of them. */
  private branch(world: World, timeline: Timeline, scenario: Scenario, layout: Layout, whatIf = ""): Branch {
    const isOfWorld = () => world.timeline === timeline;
    return new Branch(this.context, {
      cut: (from) => { if (isOfWorld()) this.cut(world, from); },
      grew: () => { if (isOfWorld()) this.grew(world); },
      failed: (error) => this.fail(world, error),
    }, timeline, scenario, layout, whatIf);
  }

  // —— what becomes of their frames

  private grew(world: World): void {
    if (this.comparison?.has(world)) this.comparison.takeIn();
    else if (!this.comparison && world === this.current) this.state.grow();
    this.state.emit("worlds");
  }

  /** Drops what a world has from a frame on. */
  private cut(world: World, from: number): void {
    const changed = world.timeline.truncate(from);
    if (this.comparison?.has(world)) this.comparison.isStale = true;
    if (!this.comparison && world === this.current) this.state.cut(from, changed);
  }

  /** A world that never began is forgotten; of one that has, what is there can still be looked at. */
  private fail(world: World, error: unknown): void {
    const { state, recorded, given: { words } } = this;
    this.transport.stop();
    const isStopped = error instanceof Stopped;
    if (isStopped) state.emit("stopped");
    if (!world.branch?.hasRun) {
      const at = (world.timeline.frames.at(-1) ?? recorded.timeline.frames[recorded.left])?.at;
      this.drop(world);
      if (this.current === world) this.showAt(world.parent?.isParked ? recorded : world.parent ?? recorded, at ?? 0);
    }
    console.info(messageOf(error)); // for who writes the book
    if (!isStopped) return state.say(words.failedLive);
    if (this.all.includes(world) && world.inputs.length > 0) state.say(words.stoppedLive, () => this.undo(world), words.undoLast);
    else state.say(words.stoppedLive);
  }

  /** Goes back to the moment before what was done last in a world, which a new control plane runs again without it. */
  private undo(world: World): void {
    const last = world.inputs.at(-1);
    if (!world.branch || !last) return;
    const frame = world.branch.frameAt(last.at / 1000);
    world.branch.take(world.inputs.slice(0, -1), frame);
    this.state.say("");
    this.show(world, Math.max(0, frame - 1));
  }

  /** With another seed than the recording's, or in a counterfactual, the author's moments are at other frames. */
  private async adopt(world: World): Promise<void> {
    const { branch } = world;
    if (!branch || (branch.scenario.seed === this.given.scenario.seed && branch.whatIf === "")) return;
    const { marks, first } = await branch.header();
    const input = branch.inputs[0];
    branch.own = input ? branch.frameAt(input.at / 1000) : Infinity;
    world.marks = marks ?? [];
    world.first = first;
    this.grew(world);
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

// The way to two worlds side by side, and back: both are run until they part. It is
// loaded with the second world.

import { Comparison, type Compared } from "./comparison";
import type { World } from "./world";
import { letterOf, worldWordsOf, type WorldWords } from "./worlds.words";
import type { Worlds } from "./worlds";
import type { Given } from "../given";
import type { PlayerState } from "../state/playerstate";
import { messageOf } from "../text";

/** For how long after everything was done two worlds are run to see where they part, µs. */
const further = 60_000_000;
/** For how long after that they are run, before they are shown, to see what one has alone, µs. */
const soon = 5_000_000;

/** A wait of so long is explained, ms. */
const sayAfterMs = 400;

export class Comparing {
  /** Two worlds are shown, or will be. */
  isWanted = false;
  private readonly words: WorldWords;
  private wishes = 0; // how often two worlds were to be compared: the last one counts

  constructor(private readonly state: PlayerState, private readonly worlds: Worlds, private readonly given: Given) {
    this.words = worldWordsOf(given.lang);
  }

  /** Puts the real world beside a counterfactual of it. */
  async imagine(whatIf: string): Promise<boolean> {
    const { worlds } = this;
    const { inspected } = worlds;
    const { seed } = worlds.scenarioOf(inspected);
    const same = { seed, inputs: inspected.inputs };
    const real = worlds.find(same) ?? worlds.recorded;
    let world = worlds.find({ ...same, inputs: real.inputs, whatIf });
    if (!world) {
      world = worlds.branchOff(real, 0, worlds.scenarioOf(real), whatIf);
      world.branch!.take([...real.inputs], 0);
    }
    return this.compare(real, world);
  }

  /** Shows the real world alone again. */
  wake(): void {
    const { worlds } = this;
    const { inspected } = worlds;
    const real = worlds.shown.find((world) => world.whatIf === "") ?? worlds.find({ seed: worlds.scenarioOf(inspected).seed, inputs: inspected.inputs });
    void this.visit(real ?? worlds.recorded);
  }

  /** Shows a world at the moment that is shown. */
  async visit(world: World): Promise<void> {
    const { us } = this.state;
    if (await this.worlds.visit(world, { us })) this.alone(world, us);
  }

  /** From two worlds to the one that the reader had turned to. */
  part(): void {
    this.alone(this.worlds.inspected, this.state.us);
  }

  /** Forgets a world; of one that is shown, the one that it left takes the place. */
  drop(world: World): void {
    const { worlds } = this;
    const { us } = this.state;
    const isShown = () => worlds.shown.includes(world);
    const was = isShown();
    worlds.drop(world);
    if (!was) return this.state.emit("worlds");
    const heir = world.parent ?? worlds.recorded;
    this.isWanted = false;
    if (!heir.isParked) this.alone(heir, us);
    else void worlds.visit(heir, { us }).then((came) => (came || isShown()) && this.alone(came ? heir : worlds.recorded, us));
  }

  /** Shows one world, which has more room. */
  private alone(world: World, us: number): void {
    this.isWanted = false;
    this.worlds.showAt(world, us);
    void this.given.fit();
  }

  /** Puts two worlds side by side, at a time, µs; without one at what is shown, or where they part (see open). Where it cannot, it says why. */
  async compare(one: World, other: World, at?: number): Promise<boolean> {
    const { state, worlds, given } = this;
    const us = at ?? state.us;
    const wanted = ++this.wishes;
    worlds.wish();
    state.say("");
    this.isWanted = true;
    try {
      if (!worlds.comparison) await given.fit();
      for (;;) {
        const wish = worlds.wish();
        const { recording } = state;
        const comparison = await this.ready(one, other, us, at);
        if (comparison && worlds.isWished(wish)) return this.open(comparison, us, at);
        if (state.recording !== recording) continue; // in another layout all of it is made anew
        if (wanted === this.wishes && state.message.text === "") {
          if (worlds.isWished(wish)) state.say(this.words.notCompared, () => void this.compare(one, other, at));
          else state.say(this.words.leftComparing);
        }
        return false;
      }
    } catch (error) {
      console.info(messageOf(error));
      state.say(given.words.failedLive);
      return false;
    } finally {
      if (wanted === this.wishes) this.isWanted = worlds.comparison !== undefined;
      if (!this.isWanted) void given.fit();
    }
  }

  /** Has both worlds there up to a time, µs, and without one up to where they part; undefined when that cannot be. */
  private async ready(one: World, other: World, us: number, at: number | undefined): Promise<Comparison | undefined> {
    const { state, worlds, words } = this;
    if (state.recording.rest) {
      await worlds.whole(state.recording);
      worlds.complete();
    }
    for (const world of [one, other]) if (!(await worlds.ready(world, { us: at ?? 0 }))) return undefined;
    const [a, b] = [one, other].sort((x, y) => worlds.all.indexOf(x) - worlds.all.indexOf(y)) as [World, World];
    const compared = (world: World): Compared => ({ world, source: worlds.sourceOf(world), letter: letterOf(world, words) });
    const comparison = new Comparison(state, [compared(a), compared(b)], worlds.current.first);
    state.emit("busy", true);
    const waits = setTimeout(() => state.say(words.reaching), sayAfterMs);
    try {
      if (at === undefined) {
        const done = Math.max(us, worlds.scenarioOf(a).end / 1000, (b.inputs.at(-1)?.at ?? 0) / 1000);
        if (!(await comparison.find(done + further))) return undefined;
      }
      if (!(await comparison.reach(us))) return undefined;
      const parting = comparison.timeline.frames[comparison.parting]?.at;
      return parting === undefined || (await comparison.findStored(parting + soon)) ? comparison : undefined;
    } finally {
      clearTimeout(waits);
      if (state.message.text === words.reaching) state.say("");
      state.emit("busy", false);
    }
  }

  /** Shows two worlds at a time, µs: of what-if, and before they part, where they do. */
  private open(comparison: Comparison, us: number, at: number | undefined): boolean {
    const { timeline, parting, compared } = comparison;
    const isLater = us > (timeline.frames[parting]?.at ?? 0) && compared.every(({ world }) => world.whatIf === "");
    this.worlds.showBoth(comparison, at === undefined && parting >= 0 && !isLater ? parting : timeline.atVirtual(us));
    void this.lookOn(comparison);
    return true;
  }

  /** Looks in the background for the first object that one of two worlds has alone: it is a moment to go to. */
  private async lookOn(comparison: Comparison): Promise<void> {
    const parting = comparison.timeline.frames[comparison.parting]?.at;
    if (parting === undefined) return;
    const until = parting + further;
    for (let us = parting; us < until && comparison.stored < 0 && this.worlds.comparison === comparison; us += soon) {
      if (!(await comparison.findStored(us + soon))) return;
    }
  }
}

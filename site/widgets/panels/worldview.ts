// What a reader sees of more worlds than one: the tree of them, and two side by
// side. It is loaded when the second world is made.

import { Comparison, type Compared } from "./compare";
import type { Picture } from "../picture/draw";
import { messageOf } from "../runs/load";
import { say, seconds } from "../state/phrases";
import type { Given, Player } from "../player";
import type { Recording, RestFile } from "../state/recording";
import { whole } from "../state/rest";
import type { WhatIf } from "../state/scenario";
import { Tree } from "./tree";
import type { World } from "../runs/world";
import type { Worlds } from "../runs/worlds";
import { worldWordsOf, type WorldWords } from "../runs/worlds.words";

/** For how long after everything was done two worlds are run to see where they part, µs. */
const further = 60_000_000;
/** For how long after that they are run, before they are shown, to see what one has alone, µs. */
const soon = 5_000_000;

export interface WorldViewHost extends Pick<Given, "lang" | "level" | "title" | "words" | "phrases" | "fit"> {
  worlds: Worlds;
  whatIfs: readonly WhatIf[];
  root: HTMLElement;
  /** Where the picture is, what stands below it, and the reader's part. */
  stage: HTMLElement;
  captions: HTMLElement;
  reader: HTMLElement;
  readonly recording: Recording;
  readonly picture: Picture;
  /** The world that is shown, when it is one. */
  readonly world: World;
  /** The world that the controls are about. */
  readonly inspected: World;
  /** The moment, µs. */
  readonly us: number;
  /** What the reader looks at. */
  readonly about: string;
  load(file: string): Promise<RestFile>;
  /** The recording has become whole. */
  complete(): void;
  /** Stops, and counts that something else will be shown; isWished tells whether that is still so. */
  wish(): number;
  isWished(wish: number): boolean;
  visit(world: World, until: { us?: number }): Promise<boolean>;
  showAt(world: World, us: number): void;
  /** Two worlds are shown from now on, at an event of both. */
  stands(index: number): void;
  grew(): void;
  turned(): void;
  toFrame(index: number): void;
  /** Says something; act is what can be done about it. */
  say(message: string, act?: () => void): void;
  /** The reader has been told something, and can still read it. */
  readonly isTold: boolean;
}

export class WorldView {
  readonly tree: Tree;
  /** Two worlds are shown. */
  comparison: Comparison | undefined;
  /** Two worlds are shown, or will be: they need the layout that has room for two. */
  isComparing = false;
  private readonly words: WorldWords;
  private asked = 0; // how often two worlds were to be compared: the last one counts

  constructor(private readonly host: WorldViewHost) {
    const view = this;
    this.words = worldWordsOf(host.lang);
    this.tree = new Tree({ lang: host.lang, level: host.level, worlds: host.worlds.all,
      get shown() { return view.shown; },
      actions: (world) => [...this.switched(world), ...world.actions((frame) => `${say(host.phrases, frame)} · ${seconds(frame.at)}`)],
      visit: (world) => void this.visit(world),
      compare: (world) => void this.compare(host.inspected, world),
      drop: (world) => this.drop(world),
    });
    host.reader.after(this.tree.root); // nothing that the reader has hold of moves
  }

  /** Puts the real world beside a counterfactual of it. */
  async imagine(whatIf: string): Promise<boolean> {
    const { worlds } = this.host;
    const { inspected } = this.host;
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
    const { host } = this;
    const real = this.shown.find((world) => world.whatIf === "") ?? host.worlds.find({ seed: host.worlds.scenarioOf(host.inspected).seed, inputs: host.inspected.inputs });
    void this.visit(real ?? host.worlds.recorded);
  }

  /** Puts two worlds side by side, at a time, µs; without one where they part. Where it cannot, it says why. */
  async compare(one: World, other: World, at?: number): Promise<boolean> {
    const { host } = this;
    const us = at ?? host.us;
    const asked = ++this.asked;
    host.wish();
    host.say("");
    this.isComparing = true;
    try {
      if (!this.comparison) await host.fit();
      for (;;) {
        const wish = host.wish();
        const { recording } = host;
        const comparison = await this.ready(one, other, us, at);
        if (comparison && host.isWished(wish)) return this.open(comparison, comparison.timeline.atVirtual(us), at);
        if (host.recording !== recording) continue; // in another layout all of it is made anew
        if (asked === this.asked && !host.isTold) {
          const { words } = this;
          if (host.isWished(wish)) host.say(words.notCompared, () => void this.compare(one, other, at));
          else host.say(words.leftComparing);
        }
        return false;
      }
    } catch (error) {
      console.info(messageOf(error));
      host.say(host.words.failedLive);
      return false;
    } finally {
      if (asked === this.asked) this.isComparing = this.comparison !== undefined;
      if (!this.isComparing) void host.fit();
    }
  }

  /** Has both worlds there up to a time, µs, and without one up to where they part; undefined when that cannot be. */
  private async ready(one: World, other: World, us: number, at: number | undefined): Promise<Comparison | undefined> {
    const { host } = this;
    const { worlds } = host;
    if (host.recording.rest) {
      await whole(host.recording, (file) => host.load(file));
      host.complete();
    }
    for (const world of [one, other]) if (!(await worlds.ready(world, { us: at ?? 0 }))) return undefined;
    const [a, b] = [one, other].sort((x, y) => worlds.all.indexOf(x) - worlds.all.indexOf(y)) as [World, World];
    const comparison = this.join(a, b);
    host.root.classList.add("is-busy");
    try {
      if (at === undefined) {
        const done = Math.max(us, worlds.scenarioOf(a).end / 1000, (b.inputs.at(-1)?.at ?? 0) / 1000);
        if (!(await comparison.find(done + further))) return undefined;
      }
      if (!(await comparison.reach(us))) return undefined;
      const parting = comparison.timeline.frames[comparison.parting]?.at;
      return parting === undefined || (await comparison.findStored(parting + soon)) ? comparison : undefined;
    } finally {
      host.root.classList.remove("is-busy");
    }
  }

  /** Shows two worlds, where they part or at an event of both. */
  private open(comparison: Comparison, index: number, at: number | undefined): boolean {
    this.stand(comparison);
    this.host.stands(at === undefined && comparison.parting >= 0 ? comparison.parting : index);
    void this.lookOn(comparison);
    return true;
  }

  /** Looks in the background for the first object that one of two worlds has alone: it is a moment to go to. */
  private async lookOn(comparison: Comparison): Promise<void> {
    const parting = comparison.timeline.frames[comparison.parting]?.at;
    if (parting === undefined) return;
    const until = parting + further;
    for (let us = parting; us < until && comparison.stored < 0 && this.comparison === comparison; us += soon) {
      if (!(await comparison.findStored(us + soon))) return;
    }
  }

  /** From two worlds to the one that the reader had turned to. */
  part(): void {
    const { host } = this;
    this.isComparing = false;
    host.showAt(host.inspected, host.us);
    host.root.focus({ preventScroll: true });
    void host.fit();
  }

  /** Takes two worlds away: one is shown from now on. */
  end(): void {
    const { host } = this;
    this.takeOff();
    host.captions.hidden = false;
    host.stage.replaceChildren(host.picture.root);
    host.worlds.endSequel();
  }

  /** Takes away what stands beside the pictures of two worlds. */
  private takeOff(): void {
    this.comparison?.caption.remove();
    this.comparison?.panel.remove();
    this.comparison = undefined;
  }

  /** The world that is shown, or two. */
  get shown(): readonly World[] {
    return this.comparison?.compared.map(({ world }) => world) ?? [this.host.world];
  }

  /** By what a world is built otherwise than the one that it left. */
  private switched({ whatIf, parent }: World): string[] {
    const { lang, whatIfs } = this.host;
    const label = whatIfs.find(({ id }) => id === whatIf)?.label;
    return whatIf === "" || whatIf === parent?.whatIf ? [] : [label?.[lang] ?? label?.["en"] ?? whatIf];
  }

  private join(a: World, b: World): Comparison {
    const { host, tree } = this;
    const compared = (world: World): Compared => ({ world, source: host.worlds.sourceOf(world), letter: tree.letter(world), name: tree.name(world) });
    const comparison: Comparison = new Comparison({ lang: host.lang, title: host.title, recording: host.recording,
      phrase: (key) => host.phrases[key],
      sentence: (frame) => say(host.phrases, frame),
      grew: () => { if (this.comparison === comparison) host.grew(); },
      turned: () => host.turned(),
      toFrame: (index) => host.toFrame(index),
      leave: () => this.part(),
    }, [compared(a), compared(b)]);
    return comparison;
  }

  private stand(comparison: Comparison): void {
    const { host } = this;
    this.takeOff(); // the recording may go on in both
    this.comparison = comparison;
    host.stage.replaceChildren(comparison.stage);
    host.captions.hidden = true;
    host.captions.after(comparison.caption);
    host.reader.before(comparison.panel);
    comparison.select(host.about);
    host.worlds.tidy(this.shown);
  }

  /** Shows a world at the moment that is shown. */
  private async visit(world: World): Promise<void> {
    const { host } = this;
    const { us } = host;
    if (!(await host.visit(world, { us }))) return;
    this.isComparing = false;
    host.showAt(world, us);
    void host.fit();
  }

  private drop(world: World): void {
    const { host } = this;
    const { us } = host;
    const isShown = this.shown.includes(world);
    host.worlds.drop(world);
    if (isShown) {
      this.isComparing = false;
      const heir = world.parent ?? host.worlds.recorded;
      const show = (world: World) => {
        host.showAt(world, us);
        void host.fit();
      };
      if (!heir.isParked) show(heir);
      else void host.visit(heir, { us }).then((came) => (came || this.shown.includes(world)) && show(came ? heir : host.worlds.recorded));
    }
    this.tree.show();
  }
}

/** The view of a player's worlds. */
export function worldViewOf(player: Player): WorldView {
  const { given, worlds, panels, frameSource, attention } = player;
  return new WorldView({ ...given, worlds, whatIfs: given.scenario.whatIf ?? [],
    root: panels.root, stage: panels.stage, captions: panels.captions.root, reader: panels.reader.root,
    get recording() { return player.recording; },
    get picture() { return player.picture; },
    get world() { return player.world; },
    get inspected() { return player.inspected; },
    get us() { return player.us; },
    get about() { return attention.about; },
    load: (file) => frameSource.load(file),
    complete: () => frameSource.complete(),
    wish: () => player.wish(),
    isWished: (wish) => player.isWished(wish),
    visit: (world, until) => player.visit(world, until),
    showAt: (world, us) => player.showAt(world, us),
    stands: (index) => player.stands(index),
    grew: () => frameSource.grew(),
    turned: () => player.turned(),
    toFrame: (index) => player.transport.toFrame(index),
    say: (message, act) => player.say(message, act),
    get isTold() { return !panels.status.hidden; },
  });
}

// One demo, playing: it owns the moment and the world that is shown, and tells the
// picture, the log, the inspector and the controls about them.

import { Captions } from "./captions";
import type { Comparison } from "./compare";
import { Controls } from "./controls";
import { listen } from "./deeds";
import { bringIntoSight, h, put, setText, type Level } from "./dom";
import { Picture } from "./draw";
import { Drawer } from "./drawer";
import { engineOf, type Engine } from "./engine";
import type { Exercises } from "./exercise";
import { inPicture } from "./inpicture";
import { Inspector } from "./inspector";
import { legend } from "./legend";
import { Live } from "./live";
import { savesData } from "./spares";
import { loadJson, messageOf } from "./load";
import type { Course, Experiment } from "./link";
import { Log } from "./log";
import { paceAt } from "./pace";
import type { Playhead } from "./playhead";
import { say, type Phrases } from "./phrases";
import type { Details, Frame, Layout, Managers, Recording, RestFile } from "./recording";
import { Reader } from "./reader";
import { whole } from "./rest";
import type { Input, Scenario } from "./scenario";
import type { Timeline } from "./timeline";
import type { Share } from "./share";
import { Transport } from "./transport";
import type { Words } from "./words";
import type { World } from "./world";
import type { WhatIfs } from "./whatif";
import { Worlds } from "./worlds";
import type { WorldView } from "./worldview";

/** The trace that has every event (playground/trace, Level). */
const everything = 2;

/** What a player is given. Addresses end in a slash where they are folders. */
export interface Given {
  demo: string;
  title: string;
  lang: string;
  /** The address of one of the demo's files. */
  file(name: string): string;
  /** Takes the layout that suits the room: two pictures have less than one. */
  fit(): Promise<void>;
  worker: string;
  wasm: string;
  glue: string;
  source: string;
  words: Words;
  level: Level;
  phrases: Phrases;
  scenario: Scenario;
}

export class Player {
  readonly root: HTMLElement;
  private readonly worlds: Worlds;
  private world: World;
  private picture!: Picture;
  private recording!: Recording;
  private readonly stage: HTMLElement;
  private readonly announced: HTMLElement;
  private readonly status: HTMLElement;
  private readonly captions: Captions;
  private readonly log: Log;
  private readonly inspector: Inspector;
  private readonly controls: Controls;
  private readonly drawer: Drawer;
  private readonly reader: Reader;
  private readonly engine: Engine;
  private readonly transport: Transport;
  private isEarly = false; // the scrubber shows the set-up, too
  private drawn = -1;
  private isWarm = false; // worlds wait for what the reader does
  private exercises: Exercises | undefined; // there when the page has some
  private view: WorldView | undefined; // there once there is more than one world
  private whatIfs: WhatIfs | undefined; // there when the demo has some
  private sharing: Share | undefined; // there once it was asked for
  private shows = 0; // counts what was shown: who waited for a world, and meanwhile another was wanted, gives way
  private about = ""; // what the reader looks at

  constructor(private readonly given: Given, recording: Recording) {
    const { words, phrases, level } = given;
    const player = this; // for the getters below
    this.engine = engineOf(given);
    this.worlds = new Worlds({ words, engine: this.engine, scenario: given.scenario,
      get recording() { return player.recording; },
      told: (from) => this.told(from),
      whole: () => whole(this.recording, (file) => this.loadFile(file)),
      cut: (world, from) => this.cut(world, from),
      grew: (world) => {
        if (this.comparison?.has(world)) this.comparison.takeIn();
        else if (world === this.world) this.grew();
        this.exercises?.grew(world);
      },
      failed: (world, error) => this.fail(world, error),
      busy: (busy) => this.root.classList.toggle("is-busy", busy),
      say: (message) => this.say(message),
    });
    this.world = this.worlds.recorded;
    this.captions = new Captions(given.lang);
    this.announced = h("p", { class: "kw-announced", "aria-live": "polite" });
    this.status = h("p", { class: "kw-status", role: "status", hidden: true });
    this.stage = h("div", { class: "kw-stage" });
    const transport = (this.transport = new Transport({
      get timeline() { return player.timeline; },
      get marks() { return player.comparison?.marks ?? player.world.marks; },
      get first() { return player.world.first; },
      get branch() { return player.comparison ?? player.world.branch; },
      words,
      load: (file) => this.loadFile(file),
      came: () => this.complete(),
      get about() { return player.about; },
      look: (about) => this.look(about),
      draw: (move) => this.draw(move),
      announce: () => this.announce(),
      arrived: () => this.inspector.isOpen && this.inspect(this.head.index),
      say: (message, act, label) => this.say(message, act, label),
    }));
    this.controls = new Controls({
      words,
      toggle: () => transport.toggle(),
      step: (way) => transport.step(way),
      unit: (unit) => (transport.unit = unit),
      help: () => void this.help(),
      lanes: () => void this.drawer.toggle(),
      measured: () => this.drawer?.refresh(),
      toMark: (way) => transport.toMark(way),
      scrub: (ms) => transport.scrub(ms),
      scrubbed: () => this.announce(),
      speed: (speed) => (this.head.speed = speed),
      share: () => void this.share().then((share) => share?.toggle()),
      tell: () => this.log.sentence(this.head.target),
      pace: () => paceAt(this.timeline.frames, this.head.index, this.head.ms, this.head.speed),
    });
    this.drawer = new Drawer({
      get timeline() { return player.timeline; },
      get whole() { return player.controls.whole; },
      get marks() { return player.controls.marked; },
      lang: given.lang, level, phrases,
      scrub: (ms) => transport.scrub(ms),
      scrubbed: () => this.announce(),
      choose: (i, byKey) => this.choose(i, byKey),
      look: (about) => this.look(about),
      opened: (open) => this.controls.showLanes(open),
      say: (message, retry) => this.say(message, retry),
    });
    this.log = new Log({ get frames() { return player.timeline.frames; }, words, phrases, level,
      objects: () => this.objects(),
      choose: (i, byKey) => this.choose(i, byKey),
      look: (about) => this.look(about),
      letter: (i) => this.comparison?.letterOf(i) ?? "",
    });
    this.inspector = new Inspector({
      get frames() { return player.inspected.timeline.frames; }, words, phrases, level, sourceFolder: given.source, lang: given.lang,
      get epoch() { return player.recording.epoch; },
      details: () => this.details(),
      managers: (object) => this.inspected.branch?.managers(object) ?? loadJson<Managers>(this.given.file("managers.json")),
      jump: (i) => this.choose(this.comparison?.place(i) ?? i),
      closed: () => this.log.focus(),
      ask: () => this.choose(this.head.target),
    });
    this.reader = new Reader({ words, level, lang: given.lang, scenario: given.scenario,
      give: (input) => void this.give(input), sentence: (frame) => say(phrases, frame),
      parse: (line) => this.judge("parse", { line, manifests: given.scenario.manifests ?? {} }), judge: (text) => this.judge("profiles", { text }),
      look: (about) => this.look(about), reset: () => this.reset(), intends: () => this.warmUp() });
    this.root = h("div", { class: "kw-player", role: "group", tabindex: -1, "aria-label": put(words.player, { title: given.title }) },
      h("div", { class: "kw-title" }, h("p", {}, given.title)),
      h("div", { class: "kw-front" }, this.stage, this.captions.root),
      this.controls.root, this.drawer.root, legend(words), this.status, this.reader.root,
      h("div", { class: "kw-columns" }, this.log.root, this.inspector.root),
      this.announced);
    listen({ root: this.root, transport, controls: this.controls, log: this.log, look: (about) => this.look(about),
      help: () => void this.help(), lanes: () => void this.drawer.toggle(), breakIt: () => void this.reader.breakIt(), why: () => this.choose(this.head.target, true), walk: (way) => this.inspector.walk(way), leave: () => this.leave(),
      copyLink: () => void this.share().then((share) => share?.copyLink()) });
    this.stage.addEventListener("click", (event) => this.clicked(event));
    // A cluster so large that not all is kept of it takes seconds to replay: that begins with the first thing that the reader does here.
    if (given.scenario.cluster.trace !== everything) for (const kind of ["pointerdown", "keydown"]) this.root.addEventListener(kind, () => this.warmUp(), { once: true });
    this.use(recording);
    this.seek(recording.first);
    void this.offerExercises();
    void this.offerWhatIfs();
  }

  get layout(): Layout {
    return this.recording.layout;
  }

  get playing(): boolean {
    return this.transport.playing;
  }

  /** Two worlds are shown, or will be. */
  get isComparing(): boolean {
    return this.view?.isComparing ?? false;
  }

  get atStart(): boolean {
    return this.head.index <= this.world.first && !this.transport.rest.isWanted;
  }

  /** Loads what the recording's first file leaves out, in the background. */
  loadRest(): void {
    void this.transport.rest.fetch();
  }

  /** Takes the same demo in another layout, at the same moment. */
  async relayout(recording: Recording): Promise<void> {
    const { index, ms, now } = this.head;
    const { playing, world, comparison } = this;
    if (comparison) {
      this.use(recording);
      const [a, b] = comparison.compared;
      if (await this.view!.compare(a.world, b.world, now)) this.seek(index);
      return;
    }
    const shared = world.branch?.from ?? index + 1;
    if (Math.min(shared, index + 1) > recording.frames.length) await whole(recording, (file) => this.loadFile(file));
    this.use(recording);
    if (world.branch) await this.visit(world, { ms, index });
    this.head.scrub(ms);
    this.head.index = Math.min(index, this.timeline.length - 1);
    this.draw(false);
    if (playing) this.play();
    else if (this.transport.rest.isWanted) this.loadRest();
  }

  play(): void {
    this.transport.play();
  }

  pause(): void {
    this.transport.pause();
  }

  toMarkOf(id: string): boolean {
    const mark = this.world.marks.find((m) => m.id === id);
    if (mark) this.transport.toFrame(mark.frame, mark.d);
    return mark !== undefined;
  }

  /** Stands at the author's first moment: for readers who do not want motion. */
  standAtFirstMark(): void {
    const { marks, first } = this.world;
    const mark = marks.find((m) => m.frame >= first);
    this.transport.toFrame(mark?.frame ?? first, mark?.d);
  }

  /** Says something; act is what can be done about it: to try again, unless it has another name. */
  say(message: string, act?: () => void, label = this.given.words.retry): void {
    const again = () => {
      this.root.focus({ preventScroll: true }); // the button goes away
      act!();
    };
    if (!act) setText(this.status, message);
    else this.status.replaceChildren(`${message} `, h("button", { type: "button", class: "kw-button", click: again }, label));
    this.status.hidden = message === "";
  }

  /** Restores an experiment from a link. */
  async restore(e: Experiment): Promise<void> {
    this.transport.stop();
    this.reset();
    const ours = e.seed === this.given.scenario.seed && !e.whatIf;
    const input = e.inputs[0] && e.inputs[0].at / 1000;
    if (ours && !e.versus && this.transport.lacks && (input ?? e.at) >= (this.timeline.frames.at(-1)?.at ?? 0)) {
      return this.transport.rest.want(undefined, () => void this.restore(e));
    }
    if (e.versus) {
      const view = await this.showWorlds();
      await view.compare(this.worldOf(e, e.seed), this.worldOf(e.versus, e.seed), e.at);
      if (!this.comparison) return;
    } else if (e.inputs.length > 0 || !ours) {
      if (!(await this.visit(this.worldOf(e, e.seed), { us: e.at }))) return;
    }
    const exact = e.event !== undefined && this.timeline.frames[e.event - 1]?.at === e.at ? e.event - 1 : undefined;
    this.seek(exact ?? this.timeline.atVirtual(e.at));
  }

  /** The world of somebody's inputs: one that is there, or a new one. */
  private worldOf({ inputs, whatIf = "" }: Course, seed: number): World {
    const { worlds, given } = this;
    const there = worlds.find({ seed, inputs, whatIf });
    if (there) return there;
    const world = worlds.branchOff(worlds.recorded, (inputs[0]?.at ?? 0) / 1000, { ...given.scenario, seed }, whatIf);
    world.branch!.take(inputs, world.timeline.length);
    return world;
  }

  // —— moments

  private get timeline(): Timeline {
    return (this.comparison ?? this.world).timeline;
  }

  private get comparison(): Comparison | undefined {
    return this.view?.comparison;
  }

  /** The world that the controls and the inspector are about. */
  private get inspected(): World {
    return this.comparison?.chosen.world ?? this.world;
  }

  private get head(): Playhead {
    return this.transport.head;
  }

  private seek(index: number): void {
    this.head.seek(index);
    this.draw();
  }

  private choose(index: number, byKey = false): void {
    this.transport.stop();
    this.seek(index);
    this.inspect(index);
    this.announce();
    if (byKey) this.inspector.focus();
    bringIntoSight(this.inspector.root);
  }

  private inspect(index: number, objectFirst = false): void {
    this.inspector.open(this.comparison?.turnTo(index) ?? index, objectFirst);
  }

  /** Looks at a component or an object: its events, its mark in the picture, and how the store has it now. */
  private look(about: string): void {
    this.about = about;
    this.log.filter(about);
    this.reader.chosen(about);
    (this.comparison ?? this.picture).select(about);
    if (about === "") return;
    const { frames } = this.timeline;
    let newest = this.head.index;
    while (newest >= 0 && !(frames[newest]!.op === "store.commit" && frames[newest]!.o === about)) newest--;
    if (newest >= 0) this.inspect(newest, true);
    bringIntoSight(this.log.root.parentElement!);
  }

  /** What can be looked at in the picture, in its order. */
  private objects(): ReadonlyMap<string, string> {
    const { phrases, words } = this.given;
    return inPicture(this.comparison?.shapes() ?? this.timeline.shapes.values(), (key) => phrases[key], words);
  }

  /** One step out: of the inspector to the log, of the log to the player, and of the player. */
  private leave(): void {
    const active = document.activeElement as HTMLElement | null;
    if (this.inspector.isOpen && this.inspector.root.contains(active)) {
      this.inspector.close();
      return this.log.focus();
    }
    if (this.comparison) return this.view!.part();
    const framed = parent !== window;
    if (active !== this.root && (!framed || this.log.root.contains(active))) return this.root.focus({ preventScroll: true });
    active?.blur();
    if (framed) parent.focus();
  }

  // —— drawing

  /** Shows the recorded world, in this recording's layout. What was made in another one has to be made again. */
  private use(recording: Recording): void {
    const { given, worlds } = this;
    this.recording = recording;
    worlds.use(recording);
    this.picture = new Picture(recording, put(given.words.picture, { title: given.title }), (k) => given.phrases[k], { words: given.words, lang: given.lang, look: (about) => this.look(about) });
    this.picture.select(this.about);
    this.stage.replaceChildren(this.picture.root);
    this.show(worlds.recorded, this.head.index);
  }

  /** Shows a world, standing at a frame. */
  private show(world: World, index = 0): void {
    this.shows++;
    if (this.comparison) this.view!.end();
    else if (world !== this.world) this.world.left = this.head.index;
    this.world = world;
    this.worlds.tidy([world]);
    this.isEarly = false;
    this.transport.use(this.recording);
    this.head.seek(index);
    this.drawn = -1;
    this.timeline.seek(this.head.index);
    this.picture.replace(this.timeline.shapes);
    this.log.renew();
    this.drawer.renew();
    this.inspector.forget();
    this.reader.setLive(world.branch !== undefined);
    this.measure();
    if (this.worlds.all.length > 1) void this.showWorlds();
  }

  /** The frames from one on; what the author points at is never folded away. */
  private told(from = 0): Frame[] {
    const { frames, marks } = this.recording;
    const out = frames.slice(from);
    for (const { frame } of marks ?? []) {
      const { q: _, ...loud } = out[frame - from] ?? {};
      if (out[frame - from]?.q) out[frame - from] = loud as Frame;
    }
    return out;
  }

  /** The recording has its rest: in a branch, that is for when the reader comes back. */
  private complete(): void {
    const { recorded } = this.worlds;
    recorded.timeline.append(this.told(recorded.timeline.length));
    if (this.world === recorded) this.grew();
  }

  private grew(): void {
    this.log.refresh();
    this.measure();
    this.view?.tree.show();
    this.whatIfs?.show();
  }

  private measure(): void {
    const { timeline, recording, world, comparison } = this;
    if (comparison) {
      this.head.rests = comparison.rests;
      return this.controls.measure({ start: timeline.frames[world.first]?.d ?? 0, there: timeline.end, end: timeline.end, marks: [],
        parting: comparison.marks.map(({ frame }) => timeline.frames[frame]!.d) });
    }
    const { branch, first } = world;
    const length = branch ? Math.min(branch.own, timeline.length) : Math.max(timeline.length, recording.length ?? 0);
    const shown = (world.marks = world.marks.filter((m) => m.frame < length));
    this.captions.use(shown);
    this.head.rests = new Map(shown.map((m) => [m.frame, this.captions.readingMs(m)]));
    this.controls.measure({
      start: this.isEarly ? 0 : (timeline.frames[first]?.d ?? 0),
      there: timeline.end,
      end: branch ? timeline.end : Math.max(timeline.end, recording.end ?? 0),
      marks: shown.map((m) => timeline.frames[m.frame]?.d ?? m.d ?? 0),
    });
  }

  private draw(move = true): void {
    const { head, timeline, world, comparison } = this;
    if (this.drawn !== head.index || timeline.index !== head.index) {
      const changed = timeline.seek(head.index);
      if (comparison) comparison.show(head.index, move);
      else {
        this.picture.update(timeline.shapes, changed, move);
        this.picture.mark(timeline.frames[head.index]);
        this.captions.show(head.index, this.ownInput());
        world.seen = Math.max(world.seen, head.index);
      }
      this.showReader();
      this.log.show(head.index, true);
      this.drawn = head.index;
      this.wait();
    }
    if (head.index < world.first !== this.isEarly && (!this.isEarly || move)) {
      this.isEarly = !this.isEarly;
      this.measure();
    }
    (comparison ?? this.picture).travel(head.now);
    this.controls.show(this.transport.ms, head.now, this.playing);
    this.exercises?.show(this.inspected, head.now);
    this.drawer.show(this.transport.ms);
  }

  private showReader(): void {
    const { timeline } = this.inspected;
    this.reader.show(timeline.shapes, timeline.outside, timeline.outsideAt(timeline.index));
  }

  /** What the reader did last, in words; undefined in the author's part. */
  private ownInput(): string | undefined {
    const { outside } = this.timeline;
    const from = this.world.branch?.own ?? Infinity;
    for (let i = this.timeline.outsideAt(this.head.index); i >= 0 && outside[i]!.e > from; i--) {
      if (outside[i]!.op === "input") return say(this.given.phrases, outside[i]!);
    }
    return this.head.index >= from ? "" : undefined;
  }

  private announce(): void {
    const { target } = this.head;
    setText(this.announced, this.log.sentence(target));
    if (this.inspector.isOpen && !this.head.moving) this.inspect(target);
  }

  private clicked(event: Event): void {
    const about = (this.comparison ?? this.picture).aboutAt(event as MouseEvent);
    if (about) this.look(about);
  }

  // —— live

  /** Shows a world, once it has come as far as is wanted; the caller chooses the moment. */
  private async visit(world: World, until: { us?: number; ms?: number; index?: number }): Promise<boolean> {
    this.transport.stop();
    const wish = ++this.shows;
    if (!(await this.worlds.ready(world, until)) || wish !== this.shows) return false;
    this.show(world, until.index ?? world.left);
    return true;
  }

  /** What shows more worlds than one. */
  private async showWorlds(): Promise<WorldView> {
    const { WorldView } = await import("./worldview");
    if (!this.view) {
      const { given, worlds, root, stage, captions, status, reader } = this;
      const { lang, level, title, words, phrases } = given;
      const player = this;
      this.view = new WorldView({ lang, level, title, words, phrases, worlds, whatIfs: given.scenario.whatIf ?? [], root, stage, captions: captions.root, status, below: reader.root,
        get recording() { return player.recording; },
        get picture() { return player.picture; },
        get world() { return player.world; },
        get inspected() { return player.inspected; },
        get us() { return player.timeline.frames[player.head.index]?.at ?? 0; },
        get about() { return player.about; },
        fit: () => given.fit(),
        load: (file) => this.loadFile(file),
        complete: () => this.complete(),
        wish: () => { this.transport.stop(); return ++this.shows; },
        isWished: (wish) => wish === this.shows,
        visit: (world, until) => this.visit(world, until),
        showAt: (world, us) => this.showAt(world, us),
        stands: (index) => this.stands(index),
        grew: () => this.grew(),
        turned: () => this.turned(),
        toFrame: (index) => this.transport.toFrame(index),
        say: (message) => this.say(message),
      });
    }
    this.view.tree.show();
    this.whatIfs?.show();
    return this.view;
  }

  /** Offers the demo's counterfactuals. */
  private async offerWhatIfs(): Promise<void> {
    const { whatIf } = this.given.scenario;
    if (!whatIf?.length) return;
    const { WhatIfs } = await import("./whatif");
    this.whatIfs = new WhatIfs({ lang: this.given.lang, whatIf,
      shown: () => (this.view?.shown ?? [this.world]).map((world) => world.whatIf),
      imagine: async (id) => (await this.showWorlds()).imagine(id),
      wake: () => this.view?.wake(),
    });
    this.reader.offer(this.whatIfs.root);
  }

  /** Two worlds are shown from now on, at an event of both. */
  private stands(index: number): void {
    this.transport.use(this.recording);
    this.drawn = -1;
    this.log.renew();
    this.turned();
    this.grew();
    this.seek(index);
    this.announce();
  }

  /** The reader turned to one of two worlds. */
  private turned(): void {
    this.inspector.forget();
    this.reader.setLive(this.inspected.branch !== undefined);
    this.showReader();
  }

  /** Readies the control plane when the reader is about to need it; from then on worlds wait where they stand. */
  private warmUp(): void {
    if (savesData()) return;
    this.isWarm = true;
    this.wait();
  }

  /** Has worlds wait where the reader stands, and at the author's moment before, to which they may go back. */
  private wait(): void {
    const { world, head, timeline, given } = this;
    if (!this.isWarm || this.comparison) return;
    const { scenario = given.scenario } = world.branch ?? {};
    const back = world.marks.findLast((m) => m.frame < head.index)?.frame ?? world.first;
    this.engine.spares.follow({ scenario, layout: this.layout, whatIf: world.whatIf, inputs: world.inputs },
      timeline.frames[head.index]?.at ?? 0, timeline.frames[back]?.at ?? 0);
  }

  /** What the control plane says of something before it is done. */
  private async judge<T>(call: "parse" | "profiles", argument: object): Promise<T | undefined> {
    const { words } = this.given;
    try {
      if (!this.engine.isReady) this.say(words.loadingLive);
      const answer = await this.engine.call<T>(call, argument);
      this.say("");
      return answer;
    } catch (error) {
      this.say(put(words.failedLive, { message: messageOf(error) }));
      return undefined;
    }
  }

  private async give(what: Omit<Input, "at">): Promise<void> {
    this.transport.stop();
    const at = Live.timeOf(this.timeline.frames[this.head.index], this.head.now);
    const { inspected: before, comparison } = this;
    const world = before.goesOnAt(before.timeline.index, at) ? before : this.worlds.branchOff(before, at);
    if (comparison) {
      if (!(await world.branch!.give(what, at))) return;
      const [a, b] = comparison.compared;
      await this.view!.compare(world, comparison.side === 0 ? b.world : a.world, at);
      if (this.comparison?.has(world)) this.comparison.turnToWorld(world);
      return this.play();
    }
    if (world !== before) this.show(world, this.head.index);
    if (!(await world.branch!.give(what, at)) || this.world !== world) return;
    this.seek(world.branch!.frameAt(at)); // the input itself: nothing lies before it that was not seen
    this.play();
  }

  /** Drops what a world has from a frame on. */
  private cut(world: World, from: number): void {
    const changed = world.timeline.truncate(from);
    if (this.comparison?.has(world)) this.comparison.isStale = true;
    if (this.comparison || world !== this.world) return;
    this.picture.update(world.timeline.shapes, changed, false);
    if (this.head.index >= from) this.head.seek(from - 1);
    this.log.renew();
    this.drawer.renew();
    this.inspector.forget();
    this.measure();
  }

  /** A world that never began is forgotten; of one that has, what is there can still be looked at. */
  private fail(world: World, error: unknown): void {
    this.transport.stop();
    if (!world.branch?.hasRun) {
      const { recorded } = this.worlds;
      const at = (world.timeline.frames.at(-1) ?? recorded.timeline.frames[recorded.left])?.at;
      this.worlds.drop(world);
      if (this.world === world) this.showAt(world.parent ?? recorded, at ?? 0);
    }
    this.say(put(this.given.words.failedLive, { message: messageOf(error) }));
  }

  /** Back to the recording, and to the moment at which it was left if that is earlier than this one. */
  private reset(): void {
    const { branch } = this.inspected;
    this.say("");
    if (!branch) return;
    if (document.activeElement?.closest(".kw-reset")) this.root.focus({ preventScroll: true });
    this.showAt(this.worlds.recorded, this.inspected.timeline.frames[Math.min(this.inspected.timeline.index, branch.own - 1)]?.at ?? 0);
  }

  private showAt(world: World, us: number): void {
    this.transport.stop();
    this.show(world);
    this.seek(this.timeline.atVirtual(us));
  }

  private loadFile(name: string): Promise<RestFile> {
    return loadJson<RestFile>(this.given.file(name));
  }

  private details(): Promise<Details> {
    return this.inspected.branch ? this.inspected.branch.details() : loadJson<Details>(this.given.file("details.json"));
  }

  /** Offers the exercises that the page asks of its reader: those in its text, or all when the demo is alone. */
  private async offerExercises(): Promise<void> {
    const { given } = this;
    const { demo, scenario, lang, level, phrases } = given;
    if (!scenario.exercises?.length || !document.querySelector(`[data-alone], .exercise[data-demo="${CSS.escape(demo)}"]`)) return;
    const { Exercises } = await import("./exercise");
    const recorded = (us: number, inputs: Input[] = []) => this.restore({ demo, seed: scenario.seed, inputs, at: us });
    this.exercises = new Exercises({ demo, scenario, lang, level, player: this.root, reader: this.reader.root,
      sentence: (frame) => say(phrases, frame),
      begin: (us) => (us === undefined ? this.reset() : void recorded(us)),
      play: (inputs, us) => void recorded(us, inputs).then(() => this.play()),
    });
    this.exercises.show(this.inspected, this.head.now);
  }

  private async help(): Promise<void> {
    try {
      (await import("./help")).openHelp(this.root, this.given.lang);
    } catch (error) {
      this.say(messageOf(error), () => void this.help());
    }
  }

  /** What can be taken along. */
  private async share(): Promise<Share | undefined> {
    this.head.settle();
    const { given, controls } = this;
    try {
      const [{ Share }, view] = await Promise.all([import("./share"), this.showWorlds()]);
      const player = this;
      this.sharing ??= new Share(controls.shareButton, { ...given,
        get seed() { return player.worlds.scenarioOf(player.inspected).seed; },
        get worlds() { return view.shown; },
        get world() { return player.inspected; },
        name: (world) => view.tree.name(world),
        get at() { return player.timeline.frames[player.head.index]?.at ?? 0; },
        get event() { return player.timeline.frames[player.head.index]?.e; },
        get caption() { return player.ownInput() ?? player.captions.shownText; },
        say: (text) => controls.say(text),
      });
      return this.sharing;
    } catch (error) {
      this.say(messageOf(error), () => void this.share());
      return undefined;
    }
  }
}

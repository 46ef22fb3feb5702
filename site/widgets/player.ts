// One demo, playing: which world is shown of it, in which layout, and the way from
// one world to another. It consists of panels.ts, and of extras.ts once they are
// wanted. Frames are from framesource.ts, transport.ts moves the moment, moment.ts shows
// it, attention.ts is what the reader turns to, interaction.ts what they do to the cluster.

import { Attention } from "./input/attention";
import type { Comparison } from "./panels/compare";
import { h, prefersStill, put, setText, type Level } from "./dom/dom";
import { Picture } from "./picture/draw";
import { engineOf, type Engine } from "./runs/engine";
import { Extras } from "./extras";
import type { Experiment } from "./state/link";
import { Moment } from "./moment";
import { panelsOf, type Panels } from "./panels";
import type { Phrases } from "./state/phrases";
import type { Playhead } from "./state/playhead";
import type { Layout, Recording } from "./state/recording";
import { restore } from "./restore";
import { everything, type Scenario } from "./state/scenario";
import { FrameSource } from "./framesource";
import type { Timeline } from "./state/timeline";
import { Transport } from "./state/transport";
import { Turn } from "./input/interaction";
import type { Words } from "./words";
import type { World } from "./runs/world";
import type { Until, Worlds } from "./runs/worlds";


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
  /** Of the wasm as it is, bytes. */
  size: number;
  glue: string;
  source: string;
  words: Words;
  level: Level;
  phrases: Phrases;
  scenario: Scenario;
}

/** For how long the picture stands at most when it has come, ms: a reader sees at once that it moves. */
const soonMs = 350;

export class Player {
  readonly engine: Engine;
  readonly frameSource: FrameSource;
  readonly worlds: Worlds;
  readonly transport: Transport;
  readonly attention = new Attention(this);
  readonly moment = new Moment(this);
  readonly turn = new Turn(this);
  readonly extras = new Extras(this);
  readonly panels: Panels;
  /** The world that is shown, when it is one. */
  world: World;
  recording!: Recording;
  picture!: Picture;
  private shows = 0; // counts what was shown: who waited for a world, and meanwhile another was wanted, gives way

  constructor(readonly given: Given, recording: Recording) {
    const { words, scenario } = given;
    const { attention, moment } = this;
    const player = this; // for the getters below
    this.engine = engineOf(given);
    this.frameSource = new FrameSource(this);
    this.worlds = this.frameSource.worlds;
    this.world = this.worlds.recorded;
    this.transport = new Transport({
      get timeline() { return player.timeline; },
      get marks() { return player.comparison?.marks ?? player.world.marks; },
      get first() { return player.world.first; },
      get branch() { return player.comparison ?? player.world.branch; },
      get stays() { return player.extras.exercises?.stays ?? 0; },
      words,
      load: (file) => this.frameSource.load(file),
      came: () => this.frameSource.complete(),
      get about() { return attention.about; },
      look: (about) => attention.look(about),
      draw: (move) => moment.draw(move),
      announce: () => attention.announce(),
      arrived: () => this.panels.inspector.isOpen && attention.inspect(this.head.index),
      say: (message, act, label) => this.say(message, act, label),
    });
    this.panels = panelsOf(this);
    // A cluster so large that not all is kept of it takes seconds to replay: that begins with the first thing that the reader does here.
    if (scenario.cluster.trace !== everything) for (const kind of ["pointerdown", "keydown"]) this.root.addEventListener(kind, () => this.turn.warmUp(), { once: true });
    this.use(recording);
    this.seek(recording.first);
    this.extras.offer();
  }

  get root(): HTMLElement {
    return this.panels.root;
  }

  get layout(): Layout {
    return this.recording.layout;
  }

  get playing(): boolean {
    return this.transport.playing;
  }

  /** Two worlds are shown, or will be. */
  get isComparing(): boolean {
    return this.extras.view?.isComparing ?? false;
  }

  get atStart(): boolean {
    return this.head.index <= this.world.first && !this.transport.rest.isWanted;
  }

  get comparison(): Comparison | undefined {
    return this.extras.view?.comparison;
  }

  get timeline(): Timeline {
    return (this.comparison ?? this.world).timeline;
  }

  /** The world that the controls and the inspector are about. */
  get inspected(): World {
    return this.comparison?.chosen.world ?? this.world;
  }

  get head(): Playhead {
    return this.transport.head;
  }

  /** The moment's event, in virtual time, µs. */
  get us(): number {
    return this.timeline.frames[this.head.index]?.at ?? 0;
  }

  play(): void {
    this.transport.play();
  }

  pause(): void {
    this.transport.pause();
  }

  seek(index: number): void {
    this.head.seek(index);
    this.moment.draw();
  }

  toMarkOf(id: string): boolean {
    const mark = this.world.marks.find((m) => m.id === id);
    if (mark) this.transport.toFrame(mark.frame, mark.d);
    return mark !== undefined;
  }

  /** Stands where the page wants the demo to begin, if it wants that; for readers who do not want motion, else at the author's first moment. */
  async open(start?: string): Promise<void> {
    const { marks, first } = this.world;
    const mark = marks.find((m) => m.id === start) ?? (prefersStill() ? marks.find((m) => m.frame >= first) : undefined);
    const frame = mark?.frame ?? first;
    // Where the rest does not come it begins with what is there; who goes beyond asks for it again.
    if (frame >= this.timeline.length) await this.frameSource.whole(this.recording).then(() => this.frameSource.complete(), () => {});
    if (!this.atStart) return;
    this.seek(Math.min(frame, this.timeline.length - 1));
    if (!prefersStill()) this.head.hasten(soonMs);
  }

  /** Loads what the recording's first file leaves out, in the background. */
  loadRest(): void {
    void this.transport.rest.fetch();
  }

  /** Restores an experiment from a link. */
  restore(experiment: Experiment, then?: () => void): Promise<void> {
    return restore(this, experiment, then);
  }

  /** Says something; act is what can be done about it: to try again, unless it has another name. */
  say(message: string, act?: () => void, label = this.given.words.retry): void {
    const { status } = this.panels;
    const again = () => {
      this.root.focus({ preventScroll: true }); // the button goes away
      act!();
    };
    if (!act) setText(status, message);
    else status.replaceChildren(`${message} `, h("button", { type: "button", class: "kw-button", click: again }, label));
    status.hidden = message === "";
  }

  // —— what is shown

  /** Takes the same demo in another layout, at the same moment. */
  async relayout(recording: Recording): Promise<void> {
    return (await import("./relayout")).relayout(this, recording);
  }

  /** Takes a recording, and shows a world in its layout. What else was made in another one has to be made again. */
  use(recording: Recording, world = this.worlds.recorded): void {
    const { words, phrases, title, lang } = this.given;
    const { attention } = this;
    this.recording = recording;
    this.worlds.use(recording);
    this.picture = new Picture(recording, put(words.picture, { title }), (k) => phrases[k], { words, lang, look: (about) => attention.look(about) });
    this.picture.select(attention.about);
    this.panels.stage.replaceChildren(this.picture.root);
    this.show(world, this.head.index);
  }

  /** Shows a world, standing at a frame. */
  show(world: World, index = 0): void {
    const { extras, moment, panels } = this;
    this.shows++;
    if (this.comparison) extras.view!.end();
    else if (world !== this.world) this.world.left = this.head.index;
    this.world = world;
    this.worlds.tidy([world]);
    moment.begin();
    this.transport.use(this.recording);
    this.head.seek(index);
    this.timeline.seek(this.head.index);
    this.picture.replace(this.timeline.shapes);
    panels.log.renew();
    panels.drawer.renew();
    panels.inspector.forget();
    panels.reader.setLive(world.branch !== undefined);
    moment.measure();
    if (this.worlds.all.length > 1) void extras.showWorlds();
  }

  showAt(world: World, us: number): void {
    this.transport.stop();
    this.show(world);
    this.seek(this.timeline.atVirtual(us));
  }

  /** Shows a world, once it has come as far as is wanted; the caller chooses the moment. */
  async visit(world: World, until: Until): Promise<boolean> {
    const wish = this.wish();
    if (!(await this.worlds.ready(world, until)) || !this.isWished(wish)) return false;
    this.show(world, until.index ?? world.left);
    return true;
  }

  /** Stops, and counts that something else will be shown; isWished tells whether that is still so. */
  wish(): number {
    this.transport.stop();
    return ++this.shows;
  }

  isWished(wish: number): boolean {
    return wish === this.shows;
  }

  /** Two worlds are shown from now on, at an event of both. */
  stands(index: number): void {
    this.transport.use(this.recording);
    this.moment.forget();
    this.panels.log.renew();
    this.turned();
    this.frameSource.grew();
    this.seek(index);
    this.attention.announce();
  }

  /** The reader turned to one of two worlds. */
  turned(): void {
    this.panels.inspector.forget();
    this.panels.reader.setLive(this.inspected.branch !== undefined);
    this.moment.showReader();
  }

  /** Back to the recording, and to the moment at which it was left if that is earlier than this one. */
  reset(): void {
    const { branch, timeline } = this.inspected;
    this.say("");
    if (!branch) return;
    if (document.activeElement?.closest(".kw-reset")) this.root.focus({ preventScroll: true });
    this.showAt(this.worlds.recorded, timeline.frames[Math.min(timeline.index, branch.own - 1)]?.at ?? 0);
  }
}

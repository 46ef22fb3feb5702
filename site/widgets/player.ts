// One demo, playing: it owns the moment, and tells the picture, the log, the
// inspector and the controls about it.

import { Captions } from "./captions";
import { Controls, key } from "./controls";
import { bringIntoSight, h, prefersStill, put, setText, type Level } from "./dom";
import { Picture } from "./draw";
import { engineOf, type Engine } from "./engine";
import { Inspector } from "./inspector";
import { legend } from "./legend";
import { Live } from "./live";
import { loadJson, messageOf } from "./load";
import { print as printLink, type Experiment } from "./link";
import { Log } from "./log";
import { paceAt } from "./pace";
import { Playhead } from "./playhead";
import { say, type Phrases } from "./phrases";
import type { Details, Frame, Layout, Mark, Recording } from "./recording";
import { Reader } from "./reader";
import type { Input, Scenario } from "./scenario";
import { Timeline } from "./timeline";
import type { Words } from "./words";

/** What a player is given. Addresses end in a slash where they are folders. */
export interface Given {
  demo: string;
  title: string;
  lang: string;
  /** The address of one of the demo's files. */
  file(name: string): string;
  worker: string;
  wasm: string;
  glue: string;
  source: string;
  words: Words;
  level: Level;
  phrases: Phrases;
  scenario: Scenario;
}

/** How much of the display is kept ready ahead while a run is live, ms. */
const aheadMs = 1500;

export class Player {
  readonly root: HTMLElement;
  private timeline = new Timeline();
  private head = new Playhead(this.timeline);
  private picture!: Picture;
  private recording!: Recording;
  private marks: Mark[] = [];
  private readonly stage: HTMLElement;
  private readonly announced: HTMLElement;
  private readonly status: HTMLElement;
  private readonly captions: Captions;
  private readonly log: Log;
  private readonly inspector: Inspector;
  private readonly controls: Controls;
  private readonly reader: Reader;
  private readonly engine: Engine;
  private live: Live | undefined;
  private branch = Infinity; // the first frame that is not the recording's
  private pumping = false;
  private waiting = false; // it plays, and what comes next is being made
  private drawn = -1;
  private about = ""; // what the reader looks at
  private loop = 0;
  private before = 0;

  constructor(private readonly given: Given, recording: Recording) {
    const { words, phrases, level } = given;
    const player = this; // for the getters below
    this.engine = engineOf(given);
    this.captions = new Captions(given.lang);
    this.announced = h("p", { class: "kw-announced", "aria-live": "polite" });
    this.status = h("p", { class: "kw-status", role: "status", hidden: true });
    this.stage = h("div", { class: "kw-stage" });
    this.controls = new Controls({
      words,
      toggle: () => this.toggle(),
      step: (way) => this.step(way),
      toMark: (way) => this.toMark(way),
      scrub: (ms) => this.scrub(ms),
      scrubbed: () => this.announce(),
      speed: (speed) => (this.head.speed = speed),
      copyLink: () => this.copyLink(),
      tell: () => this.log.sentence(this.head.target),
      pace: () => paceAt(this.timeline.frames, this.head.index, this.head.ms, this.head.speed),
    });
    this.log = new Log({ get frames() { return player.timeline.frames; }, words, phrases, level,
      objects: () => this.objects(),
      choose: (i, byKey) => this.choose(i, byKey),
      look: (about) => this.look(about),
    });
    this.inspector = new Inspector({
      get frames() { return player.timeline.frames; }, words, phrases, level, sourceFolder: given.source,
      details: () => this.details(),
      jump: (i) => this.choose(i),
      closed: () => this.log.focus(),
      ask: () => this.choose(this.head.target),
    });
    this.reader = new Reader({ words, level, lang: given.lang, scenario: given.scenario, give: (input) => void this.give(input), reset: () => this.reset() });
    this.root = h("div", { class: "kw-player", role: "group", tabindex: -1, "aria-label": put(words.player, { title: given.title }) },
      h("div", { class: "kw-title" }, h("p", {}, given.title)),
      h("div", { class: "kw-front" }, this.stage, this.captions.root),
      this.controls.root, legend(words), this.status, this.reader.root,
      h("div", { class: "kw-columns" }, this.log.root, this.inspector.root),
      this.announced);
    this.root.addEventListener("keydown", (event) => {
      if (key(event, { toggle: () => this.toggle(), step: (w) => this.step(w), toEnd: (w) => this.toEnd(w), leave: () => this.leave() })) event.preventDefault();
    });
    this.stage.addEventListener("click", (event) => this.clicked(event));
    this.use(recording);
    this.seek(recording.first);
  }

  get layout(): Layout {
    return this.recording.layout;
  }

  get playing(): boolean {
    return this.head.playing || this.waiting;
  }

  get atStart(): boolean {
    return this.head.index <= this.recording.first;
  }

  /** Takes the same demo in another layout, at the same moment. */
  async relayout(recording: Recording): Promise<void> {
    const { index, ms, speed, playing } = this.head;
    const branch = Math.min(this.branch, recording.frames.length);
    const live = this.live;
    this.use(recording);
    if (live) {
      this.live = new Live(this.engine, live.scenario, recording.layout);
      this.live.set(live.inputs);
      this.cut(branch);
      await this.run(ms, index);
    }
    this.head.speed = speed;
    this.head.scrub(ms);
    this.head.index = Math.min(index, this.timeline.length - 1);
    this.draw(false);
    if (playing) this.play();
  }

  play(): void {
    if (this.head.ms >= this.timeline.end && this.head.index >= this.timeline.length - 1) {
      if (this.live) this.live.extend();
      else this.head.seek(this.recording.first);
    }
    this.head.play();
    this.start();
  }

  pause(): void {
    this.waiting = false;
    this.head.pause();
    this.draw();
    this.announce();
  }

  seek(index: number): void {
    this.head.seek(index);
    this.draw();
  }

  toMarkOf(id: string): boolean {
    const mark = this.marks.find((m) => m.id === id);
    if (mark) { this.stop(); this.seek(mark.frame); }
    return mark !== undefined;
  }

  /** Stands at the author's first moment: for readers who do not want motion. */
  standAtFirstMark(): void {
    this.seek(this.marks.find((m) => m.frame >= this.recording.first)?.frame ?? this.recording.first);
  }

  say(message: string): void {
    setText(this.status, message);
    this.status.hidden = message === "";
  }

  /** Restores an experiment from a link. */
  async restore(e: Experiment): Promise<void> {
    this.stop();
    this.reset();
    const ours = e.seed === this.given.scenario.seed;
    if (e.inputs.length > 0 || !ours) {
      this.live = new Live(this.engine, { ...this.given.scenario, seed: e.seed }, this.layout);
      this.live.set(e.inputs);
      this.cut(ours ? this.timeline.atVirtual(Math.floor((e.inputs[0]?.at ?? 0) / 1000) - 1) + 1 : 0);
      if (!(await this.run(undefined, undefined, e.at))) return;
      if (!ours) this.marks = (await this.live.header()).marks ?? [];
      this.measure();
    }
    const exact = e.event !== undefined && this.timeline.frames[e.event - 1]?.at === e.at ? e.event - 1 : undefined;
    this.seek(exact ?? this.timeline.atVirtual(e.at));
  }

  // —— moments

  private toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  private stop(): void {
    this.waiting = false;
    this.head.pause();
  }

  private step(way: 1 | -1): void {
    this.stop();
    const from = this.head.target;
    const to = way === 1 ? this.timeline.next(from) : this.timeline.previous(from);
    if (to < 0) return void (way === 1 && this.live?.goesOn && this.pump());
    if (way === 1 && !prefersStill()) this.head.glideTo(to);
    else this.head.seek(to);
    this.draw();
    this.announce();
    this.start();
  }

  private toMark(way: 1 | -1): void {
    this.stop();
    const at = this.head.index;
    const mark = way === 1 ? this.marks.find((m) => m.frame > at) : this.marks.findLast((m) => m.frame < at);
    this.seek(mark?.frame ?? (way === 1 ? this.timeline.length - 1 : this.recording.first));
    this.announce();
  }

  private toEnd(way: 1 | -1): void {
    this.stop();
    this.seek(way === 1 ? this.timeline.length - 1 : this.recording.first);
    this.announce();
  }

  private scrub(ms: number): void {
    this.stop();
    this.head.scrub(ms);
    this.draw(false);
  }

  private choose(index: number, byKey = false): void {
    this.stop();
    this.seek(index);
    this.inspector.open(index);
    this.announce();
    if (byKey) this.inspector.focus();
    bringIntoSight(this.inspector.root);
  }

  /** Looks at a component or an object: its events, its mark in the picture, and how the store has it now. */
  private look(about: string): void {
    this.about = about;
    this.log.filter(about);
    this.picture.select(about);
    if (about === "") return;
    const { frames } = this.timeline;
    let newest = this.head.index;
    while (newest >= 0 && !(frames[newest]!.op === "store.commit" && frames[newest]!.o === about)) newest--;
    if (newest >= 0) this.inspector.open(newest, true);
    bringIntoSight(this.log.root.parentElement!);
  }

  /** What can be looked at in the picture, in its order. */
  private objects(): string[] {
    const all = new Set<string>();
    for (const s of this.timeline.shapes.values()) if (s.k === "box" && s.about?.includes(" ")) all.add(s.about);
    return [...all].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  }

  /** One step out: of the inspector to the log, of the log to the player, and of the player. */
  private leave(): void {
    const active = document.activeElement as HTMLElement | null;
    if (this.inspector.isOpen && this.inspector.root.contains(active)) {
      this.inspector.close();
      return this.log.focus();
    }
    const framed = parent !== window;
    if (active !== this.root && (!framed || this.log.root.contains(active))) return this.root.focus({ preventScroll: true });
    active?.blur();
    if (framed) parent.focus();
  }

  // —— drawing

  private use(recording: Recording): void {
    const { given } = this;
    this.recording = recording;
    this.marks = (recording.marks ?? []).toSorted((a, b) => a.frame - b.frame);
    this.timeline = new Timeline(this.told(recording));
    const head = new Playhead(this.timeline);
    head.speed = this.head.speed;
    this.head = head;
    this.live = undefined;
    this.branch = Infinity;
    this.drawn = -1;
    this.picture = new Picture(recording, put(given.words.picture, { title: given.title }), (k) => given.phrases[k]);
    this.picture.select(this.about);
    this.stage.replaceChildren(this.picture.root);
    this.log.renew();
    this.inspector.forget();
    this.reader.setLive(false);
    this.measure();
  }

  /** The frames; what the author points at is never folded away. */
  private told({ frames }: Recording): Frame[] {
    const out = [...frames];
    for (const { frame } of this.marks) {
      const { q: _, ...loud } = out[frame] ?? {};
      if (out[frame]?.q) out[frame] = loud as Frame;
    }
    return out;
  }

  private measure(): void {
    const shown = this.marks.filter((m) => m.frame < Math.min(this.branch, this.timeline.length));
    this.marks = shown;
    this.captions.use(shown);
    this.head.rests = new Map(shown.map((m) => [m.frame, this.captions.readingMs(m)]));
    this.controls.measure(this.timeline.end, shown.map((m) => this.timeline.frames[m.frame]?.d ?? 0));
  }

  private draw(move = true): void {
    const { head, timeline } = this;
    if (this.drawn !== head.index || timeline.index !== head.index) {
      this.picture.update(timeline.shapes, timeline.seek(head.index), move);
      this.picture.mark(timeline.frames[head.index]);
      this.reader.show(timeline.shapes, timeline.frames, head.index);
      this.captions.show(head.index, this.ownInput());
      this.log.show(head.index, true);
      this.drawn = head.index;
    }
    this.picture.travel(head.now);
    this.controls.show(head.ms, head.now, this.playing);
  }

  /** What the reader did last, in words; undefined in the author's part. */
  private ownInput(): string | undefined {
    const { frames } = this.timeline;
    for (let i = this.head.index; i >= this.branch; i--) {
      if (frames[i]!.op === "input") return say(this.given.phrases, frames[i]!);
    }
    return this.head.index >= this.branch ? "" : undefined;
  }

  private start(): void {
    if (this.loop) return;
    this.before = performance.now();
    this.loop = requestAnimationFrame((t) => this.frame(t));
  }

  private frame(time: number): void {
    this.loop = 0;
    const stepping = !this.head.playing;
    this.head.tick(Math.min(100, Math.max(0, time - this.before)));
    this.before = time;
    if (this.live?.goesOn && this.timeline.end - this.head.ms < aheadMs * this.head.speed && !stepping) {
      this.waiting = !this.head.playing;
      void this.pump();
    }
    this.draw();
    if (this.head.moving || this.waiting) this.loop = requestAnimationFrame((t) => this.frame(t));
    else if (stepping && this.inspector.isOpen) this.inspector.open(this.head.index);
  }

  private announce(): void {
    const { target } = this.head;
    setText(this.announced, this.log.sentence(target));
    if (this.inspector.isOpen && !this.head.moving) this.inspector.open(target);
  }

  private clicked(event: Event): void {
    const about = (event.target as Element).closest("[data-about]")?.getAttribute("data-about");
    if (about) this.look(about);
  }

  // —— live

  private async give(what: Omit<Input, "at">): Promise<void> {
    this.head.settle();
    const { head, timeline } = this;
    const at = Live.timeOf(timeline.frames[head.index], head.now);
    this.live ??= new Live(this.engine, this.given.scenario, this.layout);
    this.live.give({ at: at * 1000, ...what });
    this.cut(timeline.atVirtual(at - 1) + 1);
    if (await this.run(undefined, undefined, at)) this.play();
  }

  /** Drops what the recording, or the run so far, has from a frame on. */
  private cut(from: number): void {
    this.branch = Math.min(this.branch, from);
    this.picture.update(this.timeline.shapes, this.timeline.truncate(from), false);
    if (this.head.index >= from) this.head.seek(from - 1);
    this.log.renew();
    this.inspector.forget();
    this.reader.setLive(true);
    this.measure();
  }

  /** Runs until there are frames up to a moment (ms and index, or µs); says so, and what went wrong. */
  private async run(ms: number | undefined, index: number | undefined, us = 0): Promise<boolean> {
    const { words } = this.given;
    const { live } = this;
    if (!live) return false;
    this.say(this.engine.isLoaded ? "" : words.loadingLive);
    this.engine.onProgress = (bytes) => this.say(put(words.loadingLiveBytes, { mb: (bytes / 1e6).toFixed(1) }));
    this.root.classList.add("is-busy");
    try {
      let frames;
      do {
        frames = await live.run(us, this.timeline.length);
        if (!frames || this.live !== live) return false;
        this.take(frames);
      } while (live.goesOn && (this.timeline.end < (ms ?? 0) || this.timeline.length <= (index ?? 0)));
      this.say("");
      return true;
    } catch (error) {
      if (this.live === live) this.fail(error);
      return false;
    } finally {
      this.root.classList.remove("is-busy");
    }
  }

  private take(frames: Parameters<Timeline["append"]>[0]): void {
    this.timeline.append(frames);
    this.log.refresh();
    this.measure();
  }

  /** Makes a little more of a live run than is shown. */
  private async pump(): Promise<void> {
    const { live } = this;
    if (this.pumping || !live) return;
    this.pumping = true;
    try {
      const frames = await live.run(this.timeline.frames.at(-1)?.at ?? 0, this.timeline.length);
      if (!frames || this.live !== live) return;
      this.take(frames);
      if (this.waiting) {
        this.waiting = false;
        this.head.play();
        this.start();
      }
    } catch (error) {
      if (this.live === live) this.fail(error);
    } finally {
      this.pumping = false;
    }
  }

  private fail(error: unknown): void {
    const { at = 0 } = this.timeline.frames[this.head.index] ?? {};
    this.reset();
    this.seek(this.timeline.atVirtual(at));
    this.say(put(this.given.words.failedLive, { message: messageOf(error) }));
  }

  private reset(): void {
    if (!this.live) return this.say("");
    if (document.activeElement?.closest(".kw-reset")) this.root.focus({ preventScroll: true });
    const at = Math.min(this.timeline.frames[Math.min(this.head.index, this.branch - 1)]?.at ?? 0, Infinity);
    this.waiting = false;
    this.use(this.recording);
    this.say("");
    this.seek(this.timeline.atVirtual(at));
  }

  private details(): Promise<Details> {
    return this.live ? this.live.details() : loadJson<Details>(this.given.file("details.json"));
  }

  private async copyLink(): Promise<boolean> {
    this.head.settle();
    const frame = this.timeline.frames[this.head.index];
    const experiment: Experiment = {
      demo: this.given.demo, seed: this.live?.scenario.seed ?? this.given.scenario.seed,
      inputs: this.live?.inputs ?? [], at: frame?.at ?? 0, ...(frame ? { event: frame.e } : {}),
    };
    history.replaceState(null, "", `#${printLink(experiment)}`);
    try {
      await navigator.clipboard.writeText(location.href);
      return true;
    } catch {
      return false;
    }
  }
}

// <kubewalk-demo>: a demo in a page (site/pages/demo.templ). Its children are the
// storyboard, which stays until the recording is there, and is what paper gets.

import "./picture/scene.css";
import "./player.css";
import "./panels/controls.css";
import "./panels/reader.css";
import "./panels/log.css";
import "./panels/inspector.css";
import "./picture/legend.css";
import "./panels/sidepanel.css";
import "./walk.css";
import "./alone.css";
import "./picture/hues.css";
import { learn } from "../words/language";
import { wishesOf } from "../embed/protocol";
import { h, isSlowLine, levelBelow, prefersStill, savesData } from "./dom/dom";
import { isSingleFile } from "./dom/single";
import { BadLink, demoOf, engineOf, parse } from "./state/link";
import { loadJson } from "./runs/load";
import { fileOf, layoutOf, walkOf } from "./files";
import { Frame } from "./frame";
import { isLinked, partsOf, whenNear } from "./near";
import { colourNames } from "./picture/hues";
import type { Phrases } from "./state/phrases";
import { Player } from "./player";
import { restore } from "./restore";
import { unpack, version, type Layout, type Recording, type RecordingFile } from "./state/recording";
import type { Scenario } from "./state/scenario";
import { takesOver, Walk } from "./walk";
import { wordsOf, type Words } from "./words";
import { messageOf, put } from "./text";

/** Who has had a demo in sight for so long may act on it, and sees its rest, ms. */
const stayMs = 1000;
/** The part of the picture that has to be in the window for a demo to be in sight. */
const inSightPart = 0.35;

export class KubewalkDemo extends HTMLElement {
  private player: Player | undefined;
  private reading: Walk | undefined;
  private frame: Frame | undefined;
  private readonly wishes = wishesOf(this.dataset["alone"] === undefined ? "" : location.search);
  private loading = false;
  private words!: Words;
  private message: HTMLElement | undefined;
  private readonly sizes = new ResizeObserver(() => void this.fit());
  private readonly sight = new IntersectionObserver((entries) => this.seen(entries.at(-1)!.isIntersecting), { threshold: inSightPart });
  private inSight = false;
  private staying: ReturnType<typeof setTimeout> | undefined;
  private resumes = !prefersStill() && !this.wishes.paused; // it plays when it comes into sight

  connectedCallback(): void {
    addEventListener("hashchange", this.follow);
    document.addEventListener("click", this.pressed);
    addEventListener("beforeprint", this.print);
    document.addEventListener("keydown", this.asked);
    if (this.player) {
      this.reading?.watch();
      return this.watch();
    }
    if (isLinked()) void this.mount();
    else whenNear(partsOf(this), () => void this.mount());
  }

  disconnectedCallback(): void {
    removeEventListener("hashchange", this.follow);
    document.removeEventListener("click", this.pressed);
    removeEventListener("beforeprint", this.print);
    document.removeEventListener("keydown", this.asked);
    this.reading?.unwatch();
    this.frame?.close();
    this.sizes.disconnect();
    this.sight.disconnect();
    clearTimeout(this.staying);
    this.player?.transport.pause();
  }

  private get wanted(): Layout {
    return layoutOf(this, this.player?.worlds.isComparing ? 2 : 1);
  }

  private get walk(): HTMLElement | null {
    return walkOf(this);
  }

  private file(name: string): string {
    return fileOf(this, name);
  }

  private async recording(layout: Layout): Promise<Recording> {
    const recording = await loadJson<RecordingFile>(this.file(`${layout}.json`));
    if (recording.version !== version) throw new Error(`${this.words.unsupported} (${recording.version})`);
    return unpack(recording);
  }

  private async mount(): Promise<void> {
    if (this.loading || this.player) return;
    this.loading = true;
    const d = this.dataset;
    await learn();
    this.words = wordsOf(d["lang"] ?? document.documentElement.lang);
    try {
      const [recording, scenario, phrases] = await Promise.all([
        this.recording(this.wanted),
        loadJson<Scenario>(this.file("scenario.json")),
        loadJson<Phrases>(d["phrases"] ?? ""),
      ]);
      this.player = new Player({
        demo: d["demo"] ?? "", title: d["title"] ?? "", lang: d["lang"] ?? "en", file: (name) => this.file(name), fit: () => this.fit(), savesData, isSlowLine,
        worker: d["worker"] ?? "", wasm: d["wasm"] ?? "", size: Number(d["size"]),
        isSingleFile: isSingleFile(),
        share: parent === window ? undefined : async (...addresses) => (await import("./shared")).join(...addresses),
        source: d["source"] ?? "", embed: d["embed"] ?? "", engine: d["engine"],
        words: this.words, level: levelBelow(this), phrases, scenario,
      }, recording);
      this.append(this.player.root);
      const foot = document.querySelector<HTMLElement>(".embed-foot"); // of a frame, which shows the picture
      if (foot) this.player.panels.side.take("options", foot);
      const { state, transport, worlds, panels } = this.player;
      if (this.walk) this.reading = new Walk(this.walk, d["demo"] ?? "", state, transport, worlds, panels.root, panels.captions.root);
      colourNames(this.walk?.querySelectorAll(":scope > .walk-text") ?? [], panels.root, d["lang"] ?? "en");
      this.classList.add("is-live");
      for (const kind of ["pointerdown", "click", "keydown"]) {
        this.player.root.addEventListener(kind, (event) => void (takesOver(event) && (this.resumes = false)));
      }
      const { speed = Number(d["speed"]), start = d["start"], controls, paused } = this.wishes;
      if (speed) panels.controls.setSpeed(speed);
      if (controls) this.dataset["controls"] = controls;
      if (!isLinked()) void this.sayRelease(false);
      await this.followLink();
      if (d["live"] !== undefined) {
        this.resumes = false;
        (await import("./live")).follow(this.player, d["live"], !isLinked());
      } else if (this.player.atStart) {
        await this.player.open(start, !paused);
        this.reading?.begin();
      }
      if (d["alone"] !== undefined) this.frame = new Frame(this.player, d["demo"] ?? "", this.wishes);
      this.watch();
    } catch (error) {
      this.classList.remove("is-live");
      this.classList.add("is-failed");
      console.info(messageOf(error)); // for who writes the book
      this.tell(this.words.failed, () => void this.mount());
    } finally {
      this.loading = false;
    }
  }

  private watch(): void {
    const stage = this.player!.root.querySelector(".kw-stage")!;
    this.sizes.observe(this);
    this.sight.observe(stage);
    const { top, bottom, height } = stage.getBoundingClientRect();
    if (top >= 0 && bottom <= innerHeight && height > 0) this.seen(true); // in a slow browser the observer is frames later
  }

  /** Takes the layout that suits the width. */
  private async fit(): Promise<void> {
    const layout = this.wanted;
    if (!this.player || this.loading || this.clientWidth === 0 || layout === this.player.state.recording.layout) return;
    this.loading = true;
    try {
      const [{ relayout }, recording] = await Promise.all([import("./relayout"), this.recording(layout)]);
      await relayout(this.player, recording);
      this.loading = false;
      void this.fit(); // the width may have changed meanwhile
    } catch (error) {
      this.loading = false;
      console.info(messageOf(error));
      this.player.state.say(this.words.failed, () => void this.fit());
    }
  }

  /** Plays while it is in sight, unless the reader has taken over. */
  private seen(inSight: boolean): void {
    if (inSight === this.inSight) return;
    this.inSight = inSight;
    if (!this.player) return;
    clearTimeout(this.staying);
    if (inSight && !this.resumes) void this.player.transport.rest.fetch();
    if (inSight) this.staying = setTimeout(() => this.stays(), stayMs);
    if (inSight) this.frame?.cameBack();
    if (inSight && this.resumes && !this.reading?.leads) {
      if (this.reading) this.reading.introduce();
      else this.player.transport.play();
    } else if (!inSight && this.player.state.playing) {
      this.player.transport.pause();
      this.resumes = true;
    }
  }

  /** If it plays, its first part has begun to: now there is time for what comes later. */
  private stays(): void {
    void this.player!.transport.rest.fetch();
    this.player!.actions.fetchAhead();
  }

  /** A demo that is far away, with a guest in its place, may not have been mounted when its text leads to one of its moments. */
  private readonly follow = () => void (this.player || !isLinked() && !this.isAsked() ? this.followLink() : this.mount());

  private readonly isAsked = () => location.hash.startsWith(`#demo-${this.dataset["demo"] ?? ""}-`);

  /** A link to where the address already leads leads there again: the reader may have gone on since. Who does an exercise begins when they want to. */
  private readonly pressed = ({ target }: Event) => {
    if (!(target instanceof Element)) return;
    const link = target.closest("a");
    if (link && link.hash !== "" && link.href === location.href) void this.follow();
    if (target.closest<HTMLElement>(".exercise")?.dataset["demo"] === this.dataset["demo"]) this.resumes = false;
  };

  /** Who presses ? in the page, and is in no part of it, gets the keys of the demo in sight. No other key is taken before the reader is in a demo. */
  private readonly asked = (event: KeyboardEvent) => {
    if (event.key !== "?" || event.target !== document.body || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (!this.player || !this.isSeenNow()) return;
    event.preventDefault(); // of two in sight the first answers
    this.player.root.focus({ preventScroll: true });
    void this.player.extras.help();
  };

  /** Whether the picture is in sight at this moment: the observer tells it frames after the page was scrolled. */
  private isSeenNow(): boolean {
    const { top, bottom, height } = this.player!.root.querySelector(".kw-stage")!.getBoundingClientRect();
    return height > 0 && Math.min(bottom, innerHeight) - Math.max(top, 0) >= inSightPart * height;
  }

  /** Paper gets the storyboard, whose pictures were not needed so far. */
  private readonly print = () => {
    for (const picture of this.querySelectorAll<HTMLImageElement>(".still img")) picture.loading = "eager";
  };

  /** Does what the address says: an experiment (link.ts), or a moment of the storyboard. */
  private async followLink(): Promise<void> {
    if (!this.player) return;
    try {
      const wanted = demoOf(location.hash);
      const isOurs = wanted === this.dataset["demo"];
      const isNowhere = wanted !== undefined && this.isFirst && !demosOfPage().some((e) => e.dataset["demo"] === wanted);
      const engine = engineOf(location.hash);
      const isOther = engine !== undefined && this.dataset["engine"] !== undefined && engine !== this.dataset["engine"];
      if (isOther && (isOurs || isNowhere) && await this.openThere(wanted!, engine)) return;
      if (isNowhere) this.player.state.say(put(this.words.noSuchDemo, { demo: wanted }));
      const experiment = isOurs ? parse(location.hash) : undefined;
      if (experiment) {
        this.resumes = false;
        this.reading?.leave();
        this.scrollIntoView({ block: "start" });
        await restore(this.player, experiment, () => void this.sayRelease(isOther));
      }
    } catch (error) {
      if (!(error instanceof BadLink)) throw error;
      this.player.state.say(put(this.words.badLink, { message: error.message }));
    }
    const still = this.querySelector(`.still[id="${CSS.escape(location.hash.slice(1))}"]`);
    const mark = still?.getAttribute("data-mark") ?? "";
    if (still && this.player.toMarkOf(mark)) {
      this.resumes = false;
      // Beside text the picture is in sight, and the reader where they were.
      if (this.reading) this.reading.follow(mark);
      else this.scrollIntoView({ block: "start" });
    }
  }

  /** Goes to the release that the address was made with, if the site has kept it. Tells whether it has. */
  private async openThere(demo: string, engine: string): Promise<boolean> {
    const { embed = "", lang = "en", alone } = this.dataset;
    this.resumes = false;
    try {
      const place = await (await import("./kept")).placeOf(embed, demo, engine, lang);
      if (!place) return false;
      this.player!.state.say(put(this.words.openingThere, { date: place.date }));
      location.replace(`${place.address}${alone === undefined ? "" : location.search}${location.hash}`);
      return true;
    } catch (error) {
      console.info(messageOf(error));
      return false; // as if it were not kept, which the reader is told
    }
  }

  /** Says that what is shown is another release than the link's, or, in the pages of one that is kept, which it is. */
  private async sayRelease(isOther: boolean): Promise<void> {
    const { embed = "", release } = this.dataset;
    if (isOther) return this.player!.state.say(this.words.notKept);
    if (release === undefined) return;
    try {
      const date = await (await import("./kept")).dateOf(embed);
      if (date) this.player!.state.say(put(this.words.ofRelease, { date }));
    } catch (error) {
      console.info(messageOf(error));
    }
  }

  /** What concerns no demo of the page is told by its first. */
  private get isFirst(): boolean {
    return demosOfPage()[0] === this;
  }

  private tell(text: string, retry: () => void): void {
    this.message ??= this.insertBefore(h("p", { class: "kw-failed", role: "status" }), this.firstChild);
    const again = h("button", { type: "button", class: "kw-button", click: () => {
      this.message?.remove();
      this.message = undefined;
      this.classList.remove("is-failed");
      retry();
    } }, this.words.retry);
    this.message.replaceChildren(`${text} `, again);
  }
}

const demosOfPage = () => [...document.querySelectorAll<HTMLElement>("kubewalk-demo")];

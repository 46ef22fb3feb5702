// What is inside a moment: why an event happened, and what an object is like.
// Both sides are loaded when the first of them is opened.

import { h, heading, uniqueId } from "../dom/dom";
import { icon } from "../dom/icons";
import type { Given } from "../given";
import type { Worlds } from "../runs/worlds";
import type { Attention } from "../state/attention";
import type { Frame } from "../state/recording";
import { say, seconds } from "../state/phrases";
import type { PlayerState } from "../state/playerstate";
import { messageOf } from "../text";
import type { ObjectView } from "./object";
import type { Why } from "./why";

/** What both sides know: the world that is inspected, and where an event of it is opened. */
export interface Inspected extends Pick<Given, "words" | "lang" | "level" | "phrases" | "source"> {
  worlds: Worlds;
  readonly frames: readonly Frame[];
  /** The date of virtual time 0, RFC 3339. */
  readonly epoch: string;
  jump(index: number): void;
}

type Side = "why" | "object";
const sides: readonly Side[] = ["why", "object"];

export class Inspector {
  readonly root: HTMLElement;
  private readonly title = uniqueId();
  private readonly id = uniqueId();
  private readonly panel: HTMLElement;
  private readonly instead = h("p", { class: "kw-hint kw-instead", hidden: true });
  private readonly heading: HTMLElement;
  private readonly tabs: Record<Side, HTMLButtonElement>;
  private views: Promise<{ why: Why; object: ObjectView }> | undefined;
  private there: { why: Why; object: ObjectView } | undefined;
  private side: Side = "why";
  private index = -1;
  private about = ""; // the object that a reader has just turned to
  private isAlone = false; // the reader came from elsewhere than the log

  /** closed is where the reader goes on who closes it. */
  constructor(
    private readonly given: Given, private readonly state: PlayerState, private readonly worlds: Worlds,
    private readonly attention: Attention, private readonly closed: (isAlone: boolean) => void,
  ) {
    const { words, level } = given;
    this.heading = heading(level, "", { id: this.title, tabindex: -1 });
    const tab = (side: Side, text: string) => h("button", { type: "button", role: "tab", class: "kw-tab",
      id: `${this.id}-${side}`, "aria-controls": this.id, click: () => this.turn(side) }, text);
    this.tabs = { why: tab("why", words.whyTab), object: tab("object", words.objectTab) };
    this.panel = h("div", { class: "kw-panel", role: "tabpanel", id: this.id });
    this.root = h("section", { class: "kw-inspector", role: "group", "aria-labelledby": this.title });
    this.showHint();
    state.on(["shown", "cut", "turned"], () => this.forget());
    state.on("opened", ({ index, byKey, objectFirst, asksWhy, isAlone }) => {
      if (!this.isOpen) this.isAlone = isAlone === true;
      this.inspect(index, objectFirst);
      this.offer(asksWhy ? index : -1);
      if (asksWhy && this.isOpen) this.turn("why");
      if (byKey) this.heading.focus();
    });
    state.on("told", () => { if (this.isOpen && !state.head.moving) this.inspect(state.head.target); });
    state.on("arrived", () => { if (this.isOpen) this.inspect(state.head.index); });
    state.on("about", (about) => this.look(about));
    state.on("frames", () => { if (this.isOpen && this.side === "why") this.there?.why.grow(); });
  }

  /** Opens the last version of an object: how the store has it at the moment that is shown. */
  private look(about: string): void {
    const { frames } = this.state.timeline;
    let newest = about === "" ? -1 : this.state.head.index;
    while (newest >= 0 && !(frames[newest]!.op === "store.commit" && frames[newest]!.o === about)) newest--;
    if (newest >= 0) this.inspect(newest, true);
    else if (about !== "" && this.isOpen) this.close(); // what is there is not about that
  }

  private get frames(): readonly Frame[] {
    return this.worlds.inspected.timeline.frames;
  }

  /** Opens an event of what is shown, in its world. */
  private inspect(index: number, objectFirst = false): void {
    this.open(this.state.shown.turnTo(index), objectFirst);
  }

  /** Says why it is not the moment's event that was opened, and offers that. */
  private offer(index: number): void {
    const { given: { words, phrases }, state: { head, isQuiet, timeline: { frames } } } = this;
    let now = head.index;
    while (isQuiet && now > 0 && frames[now]!.q) now--; // below the picture stands that nothing happens
    this.instead.hidden = index < 0 || now === index;
    if (this.instead.hidden) return;
    this.instead.replaceChildren(`${frames[index]!.op === "input" ? words.whyDid : words.whyLooks} `,
      h("button", { type: "button", class: "kw-link", click: () => this.attention.choose(now) },
        h("time", {}, seconds(frames[now]!.at)), h("span", {}, say(phrases, frames[now]!))));
  }

  get isOpen(): boolean {
    return this.index >= 0;
  }

  /** For when frames were replaced. */
  private forget(): void {
    this.there?.why.forget();
    this.there?.object.forget();
    if (this.isOpen) this.close();
  }

  close(): void {
    this.index = -1;
    this.showHint();
  }

  /** One link of the chain towards what began it (1), or back (-1). */
  walk(way: 1 | -1): void {
    if (!this.isOpen) return void this.attention.ask();
    this.turn("why");
    this.there?.why.walk(way);
  }

  /** Opens an event of that world; objectFirst is for a reader who wants to see what it wrote. */
  private open(index: number, objectFirst: boolean): void {
    const frame = this.frames[index];
    if (!frame || (index === this.index && !objectFirst)) return;
    const had = this.root.contains(document.activeElement);
    const was = document.activeElement;
    if (!this.isOpen) this.assemble();
    this.index = index;
    this.instead.hidden = true;
    if (objectFirst) {
      this.side = "object";
      this.about = frame.o ?? "";
    }
    this.show();
    if (had && (was === document.body || !this.root.contains(was) ||
      !document.contains(document.activeElement) || document.activeElement === document.body)) {
      this.heading.focus({ preventScroll: true }); // what had it is gone
    }
  }

  private turn(side: Side): void {
    if (side === this.side && this.there) return;
    this.side = side;
    this.show();
  }

  private assemble(): void {
    const { words } = this.given;
    this.root.classList.add("is-open");
    const list = h("div", { class: "kw-tabs", role: "tablist", "aria-label": words.inspector }, this.tabs.why, this.tabs.object);
    list.addEventListener("keydown", (event) => this.tabKey(event));
    this.root.replaceChildren(
      h("div", { class: "kw-inspector-head" }, list, this.heading,
        h("button", { type: "button", class: "kw-icon-button", "aria-label": words.close, title: words.close,
          click: () => { this.close(); this.closed(this.isAlone); } }, icon("close"))),
      this.instead, this.panel);
  }

  private tabKey(event: KeyboardEvent): void {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    this.turn(sides[1 - sides.indexOf(this.side)]!);
    this.tabs[this.side].focus();
  }

  private show(): void {
    const { words } = this.given;
    for (const side of sides) {
      this.tabs[side].setAttribute("aria-selected", String(side === this.side));
      this.tabs[side].tabIndex = side === this.side ? 0 : -1;
    }
    this.panel.setAttribute("aria-labelledby", `${this.id}-${this.side}`);
    if (this.side === "why") this.heading.textContent = titleOf(this.frames[this.index]!);
    else if (!this.there) this.heading.textContent = words.object; // its name comes with what shows it
    if (this.there) return this.fill(this.there);
    this.panel.replaceChildren(h("p", { class: "kw-hint" }, words.loadingDetails));
    this.load().then((views) => {
      this.there = views;
      if (this.isOpen) this.fill(views);
    }, (error: unknown) => {
      this.views = undefined;
      this.panel.replaceChildren(h("p", { class: "kw-error", role: "alert" }, `${words.failedDetails} (${messageOf(error)}) `,
        h("button", { type: "button", class: "kw-button", click: () => this.show() }, words.retry)));
    });
  }

  private fill({ why, object }: { why: Why; object: ObjectView }): void {
    const view = this.side === "why" ? why : object;
    const isOther = this.panel.firstElementChild !== view.root;
    if (isOther) this.panel.replaceChildren(view.root);
    if (this.side === "why" || isOther) this.root.scrollTop = 0;
    if (this.side === "why") why.show(this.index);
    else object.show(this.index, this.about);
    this.about = "";
  }

  private load(): Promise<{ why: Why; object: ObjectView }> {
    const { given: { words, lang, level, phrases, source }, state, worlds, attention } = this;
    this.views ??= Promise.all([import("./why"), import("./object")]).then(([{ Why }, { ObjectView }]) => {
      const named = (name: string) => { if (this.side === "object") this.heading.textContent = name || words.object; };
      const written = (index: number) => { this.open(index, true); this.heading.focus({ preventScroll: true }); };
      const inspected: Inspected = {
        words, lang, level, phrases, source, worlds,
        get frames() { return worlds.inspected.timeline.frames; },
        get epoch() { return state.recording.epoch; },
        jump: (index) => attention.choose(state.shown.place(index)),
      };
      return { why: new Why(inspected, written), object: new ObjectView(inspected, named) };
    });
    return this.views;
  }

  private showHint(): void {
    const { words } = this.given;
    this.root.classList.remove("is-open");
    this.root.replaceChildren(
      heading(this.given.level, words.inspector, { id: this.title }),
      h("p", { class: "kw-hint" }, words.whyHint),
      h("button", { type: "button", class: "kw-button", click: () => void this.attention.ask() }, words.why),
    );
  }
}

/** An event by its time and by who it is of. */
const titleOf = ({ at, who }: Frame) => `${seconds(at)} · ${who}`;

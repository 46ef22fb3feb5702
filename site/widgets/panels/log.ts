// The event log: the picture's equal in words. It lists the events that a reader
// follows (or all of them), one current, the later ones dimmed.
//
// A run has thousands of events, up to a hundred thousand, so the list is cut into
// chunks, and only those near what is seen have rows; the others are as tall as
// they were, or will be. Nothing looks through all events but a new filter.
// The list is one tab stop: arrow keys move inside it.

import { h, heading, setAttr, uniqueId } from "../dom/dom";
import { icon, iconOf } from "../dom/icons";
import { press, type KeyHandlers } from "../input/keys";
import { inPicture } from "../picture/inpicture";
import type { Given } from "../given";
import type { Attention } from "../state/attention";
import type { Frame } from "../state/recording";
import { say, seconds } from "../state/phrases";
import type { PlayerState } from "../state/playerstate";
import { concerns } from "../state/stepunit";
import { bound } from "../state/timeline";
import { put } from "../text";

const chunkSize = 40;
const batchSize = 64; // chunks in a box of their own: who lays out a list looks at each of its children
const rowHeight = 46; // px, about: the height of a chunk before it was ever seen
const pictureMs = 500; // by then the picture moves
const margin = 300; // px above and below what is seen that have rows, too

interface Chunk {
  element: HTMLElement;
  from: number; // index into the listed frames
  filled: boolean;
}

export class Log {
  readonly root: HTMLElement;
  private readonly list: HTMLElement;
  private readonly empty: HTMLElement;
  private readonly chip: HTMLElement;
  private readonly select: HTMLSelectElement;
  private readonly quiet: HTMLInputElement;
  private chunks: Chunk[] = [];
  private readonly filled = new Set<Chunk>();
  private readonly names = new Set<string>(); // of all who did something
  private isSoon = false; // fillNear will be called
  private isNew = true; // it was not yet
  private follows = false; // the current row will be brought into the box
  private listed: number[] = []; // indices of frames
  private about = "";
  private offered = "";
  private current = -1;
  private shown = -1; // the listed position that is marked current
  private seen = 0; // how many frames the list was made of

  constructor(private readonly given: Pick<Given, "words" | "phrases" | "level">, private readonly state: PlayerState, private readonly attention: Attention) {
    const { words, level } = given;
    const title = uniqueId();
    this.list = h("div", { class: "kw-events", role: "list", "aria-labelledby": title });
    this.empty = h("p", { class: "kw-log-empty", hidden: true }, words.noEvents);
    this.quiet = h("input", { type: "checkbox", change: () => this.rebuild() });
    this.select = h("select", {
      "aria-label": words.filter, change: () => state.look(this.select.value),
      focus: () => this.offer(), pointerdown: () => this.offer(), // what is there changes all the time
    });
    this.chip = h("button", { type: "button", class: "kw-chip", hidden: true, click: () => state.look("") });
    this.root = h(
      "section",
      { class: "kw-log", role: "group", "aria-labelledby": title }, // no landmark: a page may hold several demos
      h("div", { class: "kw-log-head" },
        heading(level, words.log, { id: title }),
        this.chip,
        this.select,
        h("label", { class: "kw-check" }, this.quiet, h("span", {}, words.showQuiet))),
      this.list,
      this.empty,
    );
    this.list.addEventListener("scroll", () => this.soon(), { passive: true });
    new ResizeObserver(() => this.soon()).observe(this.list);
    this.list.addEventListener("click", (event) => this.clicked(event));
    this.list.addEventListener("keydown", (event) => this.key(event));
    state.on("about", (about) => this.filter(about));
    state.on(["shown", "cut"], () => this.rebuild());
    state.on("frames", () => {
      const known = this.names.size;
      this.takeIn();
      if (this.names.size > known) this.offer(); // the filter may have the focus already
    });
    state.on("event", () => this.show(state.head.index, true));
    state.on("panel", (panel) => panel === "log" && this.markCurrent(true)); // it was out of sight
  }

  /** Shows only events of a component or about an object; all of them for "". */
  private filter(about: string): void {
    const had = document.activeElement === this.chip || document.activeElement === this.select;
    this.about = about;
    this.rebuild();
    if (had) (about === "" ? this.select : this.chip).focus({ preventScroll: true });
  }

  /** Gives the focus to the current event, or else to what chooses events. */
  focus(): void {
    (this.row(Math.max(0, this.shown)) ?? (this.about === "" ? this.select : this.chip)).focus({ preventScroll: true });
  }

  /** Gives the focus to what chooses events. */
  find(): void {
    (this.about === "" ? this.select : this.chip).focus();
  }

  toggleQuiet(): void {
    this.quiet.checked = !this.quiet.checked;
    this.rebuild();
  }

  /** Marks the current event, or the last one listed before it, and brings it into the box. */
  private show(index: number, follow: boolean): void {
    if (index === this.current && this.shown >= 0) return;
    this.current = index;
    const position = this.positionOf(index);
    if (position !== this.shown) {
      const before = this.row(this.shown);
      before?.removeAttribute("aria-current");
      before?.setAttribute("tabindex", "-1");
      this.dim(position);
      this.shown = position;
      if (follow || this.chunks[Math.floor(position / chunkSize)]?.filled) this.markCurrent(follow);
    }
  }

  private positionOf(index: number): number {
    return bound(this.listed, (i) => i <= index) - 1;
  }

  private rebuild(): void {
    const had = this.list.contains(document.activeElement);
    this.list.replaceChildren();
    this.chunks = [];
    this.filled.clear();
    this.listed = [];
    this.names.clear();
    this.seen = 0;
    this.shown = -1;
    this.takeIn();
    this.offer();
    this.shown = this.positionOf(this.current);
    this.markCurrent(true);
    if (had) this.focus();
  }

  private takeIn(): void {
    const { frames } = this.state.timeline;
    const first = this.listed.length;
    for (let i = this.seen; i < frames.length; i++) {
      this.names.add(frames[i]!.who);
      if (!this.lists(frames[i]!)) continue;
      const position = this.listed.push(i) - 1;
      let chunk = this.chunks.at(-1);
      if (position % chunkSize === 0) {
        chunk = { element: h("div", { class: "kw-chunk", role: "none" }), from: position, filled: false };
        if (this.chunks.push(chunk) % batchSize === 1) this.list.append(h("div", { role: "none" }));
        this.list.lastElementChild!.append(chunk.element);
      }
      if (chunk!.filled) chunk!.element.append(this.makeRow(position));
    }
    this.seen = frames.length;
    for (const chunk of this.chunks.slice(Math.floor(first / chunkSize))) {
      const rows = Math.min(chunkSize, this.listed.length - chunk.from);
      if (!chunk.filled) chunk.element.style.minBlockSize = `${rows * rowHeight}px`;
    }
    this.empty.hidden = this.listed.length > 0;
    this.list.hidden = this.listed.length === 0;
    this.soon();
  }

  private lists(frame: Frame): boolean {
    if (this.about === "") return this.quiet.checked || !frame.q;
    if (frame.q && !this.quiet.checked) return false;
    return concerns(frame, this.about);
  }

  /** Offers every component that did something, every object of the picture, and what is chosen now. */
  private offer(): void {
    const { words, phrases } = this.given;
    const names = [...this.names].sort();
    const states = inPicture(this.state.shown.shapes(), (key) => phrases[key]);
    const objects = [...states.keys()].filter((name) => !this.names.has(name));
    if (this.about && !this.names.has(this.about) && !objects.includes(this.about)) objects.push(this.about);
    const key = [...names, "", ...objects.map((name) => name + states.get(name))].join("\n");
    if (key !== this.offered) {
      this.offered = key;
      const options = (all: string[]) => all.map((name) => h("option", { value: name }, states.get(name) ? `${name} · ${states.get(name)}` : name));
      this.select.replaceChildren(
        h("option", { value: "" }, words.all),
        h("optgroup", { label: words.components }, ...options(names)),
        ...(objects.length > 0 ? [h("optgroup", { label: words.inThePicture }, ...options(objects))] : []),
      );
    }
    this.select.value = this.about;
    this.chip.hidden = this.about === "";
    this.select.hidden = this.about !== "";
    this.chip.setAttribute("aria-label", put(words.clearFilter, { what: this.about }));
    this.chip.replaceChildren(h("span", {}, this.about), icon("close"));
  }

  /**
   * Brings the current row into the box and fills what is near, at the beginning of the
   * page's next frame: there everything is laid out, and asking where it is costs nothing.
   * The first time it is not, and what comes next is the picture's: rows come after that has begun to move.
   */
  private soon(): void {
    if (this.isSoon) return;
    this.isSoon = true;
    requestAnimationFrame(() => (this.isEarly ? setTimeout(() => this.catchUp(), pictureMs) : this.catchUp()));
  }

  /** Nobody sees the list yet, and the picture has more need of the time. */
  private get isEarly(): boolean {
    return this.isNew && this.state.panel !== "log";
  }

  private catchUp(): void {
    this.isSoon = false;
    if (this.isNew) {
      this.isNew = false;
      this.markCurrent(true);
    }
    const row = this.follows && this.row(Math.max(0, this.shown));
    this.follows = false;
    if (row) this.bringIntoBox(row);
    this.fillNear();
  }

  /** Gives rows to the chunks near what is seen, and takes them from the others. */
  private fillNear(): void {
    const { scrollTop, clientHeight } = this.list;
    if (clientHeight === 0) return;
    const top = (c: Chunk) => c.element.offsetTop;
    const from = bound(this.chunks, (c) => top(c) + c.element.offsetHeight < scrollTop - margin);
    const to = bound(this.chunks, (c) => top(c) <= scrollTop + clientHeight + margin);
    const near = this.chunks.slice(from, to);
    const current = this.chunks[Math.floor(Math.max(0, this.shown) / chunkSize)]; // it has the tab stop
    const far = [...this.filled].filter((c) => c !== current && !near.includes(c) && !c.element.contains(document.activeElement));
    const heights = far.map((c) => c.element.offsetHeight);
    far.forEach((chunk, i) => {
      chunk.element.style.minBlockSize = `${heights[i]!}px`;
      chunk.element.replaceChildren();
      chunk.filled = false;
      this.filled.delete(chunk);
    });
    if (near.every((c) => c.filled)) return;
    for (const chunk of near) this.fill(chunk);
    this.soon(); // they may be less tall than was thought
  }

  private fill(chunk: Chunk): void {
    if (chunk.filled) return;
    chunk.filled = true;
    this.filled.add(chunk);
    chunk.element.style.removeProperty("min-block-size");
    const end = Math.min(chunk.from + chunkSize, this.listed.length);
    for (let i = chunk.from; i < end; i++) chunk.element.append(this.makeRow(i));
    if (this.shown >= chunk.from && this.shown < end) this.markCurrent(false);
  }

  private makeRow(position: number): HTMLElement {
    const index = this.listed[position]!;
    const frame = this.state.timeline.frames[index]!;
    const letter = this.state.shown.letterOf(index);
    return h(
      "div",
      { class: index > this.current ? "kw-row is-later" : "kw-row", role: "listitem" },
      h("button", { type: "button", class: `kw-event${frame.q ? " is-quiet" : ""}`, tabindex: -1, "data-position": position },
        h("time", {}, seconds(frame.at)),
        icon(iconOf(frame.op)),
        h("span", { class: "kw-sentence" }, letter ? h("b", { class: "kw-letter" }, letter) : undefined, say(this.given.phrases, frame)),
        h("span", { class: "kw-who" }, frame.p ? `${frame.who} · ${frame.p}` : frame.who)),
    );
  }

  private row(position: number): HTMLElement | undefined {
    const chunk = this.chunks[Math.floor(position / chunkSize)];
    if (position < 0 || !chunk?.filled) return undefined;
    return (chunk.element.children[position - chunk.from]?.firstElementChild as HTMLElement | null) ?? undefined;
  }

  /** Dims what is later than the current event, and nothing else. */
  private dim(now: number): void {
    for (const { element, from } of this.filled) {
      let position = from;
      for (const row of element.children) row.classList.toggle("is-later", position++ > now);
    }
  }

  private markCurrent(follow: boolean): void {
    const position = Math.max(0, this.shown);
    const chunk = this.chunks[Math.floor(position / chunkSize)];
    if (!chunk) return;
    if (follow && !this.isEarly) this.fill(chunk);
    const row = this.row(position);
    if (!row) return;
    setAttr(row, "tabindex", "0");
    if (this.shown >= 0) setAttr(row, "aria-current", "step");
    if (!follow) return;
    this.follows = true;
    this.soon();
  }

  /** Scrolls the box, never the page. */
  private bringIntoBox(row: HTMLElement): void {
    const box = this.list.getBoundingClientRect();
    const at = row.getBoundingClientRect();
    const room = box.height / 4;
    if (at.top < box.top + 4) this.list.scrollTop += at.top - box.top - room;
    else if (at.bottom > box.bottom - 4) this.list.scrollTop += at.bottom - box.bottom + room;
  }

  private clicked(event: Event): void {
    const row = (event.target as Element).closest("[data-position]");
    if (row) this.attention.choose(this.listed[Number(row.getAttribute("data-position"))]!, (event as MouseEvent).detail === 0);
  }

  private key(event: KeyboardEvent): void {
    const row = (event.target as Element).closest("[data-position]");
    if (!row) return;
    const handlers: KeyHandlers<"log"> = { logDown: () => this.move(row, 1), logUp: () => this.move(row, -1), logOpen: () => {} }; // the row is a button
    if (!press<"log">(event, "log", handlers)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  private move(row: Element, way: 1 | -1): void {
    const position = Math.max(0, Math.min(this.listed.length - 1, Number(row.getAttribute("data-position")) + way));
    const chunk = this.chunks[Math.floor(position / chunkSize)];
    if (chunk) this.fill(chunk);
    const next = this.row(position);
    next?.focus({ preventScroll: true });
    if (next) this.bringIntoBox(next);
  }
}

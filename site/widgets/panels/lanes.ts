// The lanes: one for each component, in the display's time, as the scrubber. The
// canvas shows reconciles, queues, back-off, conflicts and absences (tracks.ts
// knows what, lanepaint.ts how); the same can be walked with the arrow keys, thing
// by thing, each told in words, and be read as a table.

import "./lanes.css";
import { h, heading, setAttr, setText, uniqueId } from "../dom/dom";
import { icon, type Icon } from "../dom/icons";
import { press, type KeyHandlers } from "../input/keys";
import { axisHeight, band, extent, paint, type Colours, type Sight } from "./lanepaint";
import { drawSign, signNames, signsIn, type Sign } from "./lanesigns";
import { depthAt, describe, summary } from "./lanetext";
import { laneWordsOf, type LaneWords } from "./lanes.words";
import type { Given } from "../given";
import type { Attention } from "../state/attention";
import type { PlayerState } from "../state/playerstate";
import { isBar, Tracks, type Lane, type Thing } from "../state/tracks";
import type { Transport } from "../state/transport";
import { put } from "../text";
import { isWhole, pan, show, zoom, type Window } from "../state/window";

/** How near to a sign a pointer has to be, px. */
const reach = 6;

export class Lanes {
  readonly root: HTMLElement;
  private readonly words: LaneWords;
  private tracks = new Tracks();
  private readonly box: HTMLElement;
  private readonly tall = h("div", { class: "kw-lanes-tall" });
  private readonly names = h("div", { class: "kw-lanes-names" });
  private readonly plot: HTMLElement;
  private readonly canvas = h("canvas", { class: "kw-lanes-canvas" });
  private readonly now: HTMLElement;
  private readonly options = h("div", { class: "kw-lanes-options", role: "group" });
  private readonly told: HTMLElement;
  private readonly goThere: HTMLButtonElement;
  private readonly tableButton: HTMLButtonElement;
  private readonly table: HTMLElement;
  private readonly id = uniqueId();
  private window: Window = { from: 0, to: 1 };
  private all = true; // the window is the whole, and grows with it
  private lane = -1; // of the cursor
  private thing: Thing | undefined;
  private hovered: [Lane, Thing] | undefined;
  private ms = 0;
  private colours: Colours | undefined;
  private soon = 0;
  private readonly fingers = new Map<number, PointerEvent>();

  constructor(
    private readonly given: Pick<Given, "lang" | "level" | "phrases">, private readonly state: PlayerState,
    private readonly transport: Transport, private readonly attention: Attention,
  ) {
    const words = (this.words = laneWordsOf(given.lang));
    const title = uniqueId();
    const button = (name: Icon, label: string, click: () => void, cls = "") =>
      h("button", { type: "button", class: `kw-icon-button kw-hinted ${cls}`.trim(), "aria-label": label, click }, icon(name));
    this.now = h("div", { class: "kw-lanes-now" }, h("span", {}, words.now));
    this.plot = h("div", { class: "kw-lanes-plot", "aria-hidden": "true" }, this.canvas, this.now);
    this.tall.append(h("div", { class: "kw-lanes-corner" }), this.names, this.plot);
    this.box = h("div", { class: "kw-lanes-box", role: "listbox", tabindex: 0, "aria-label": words.list }, this.options, this.tall);
    this.told = h("p", { class: "kw-lanes-told" });
    this.goThere = h("button", { type: "button", class: "kw-button", hidden: true, click: () => this.open(false) }, words.open);
    this.tableButton = h("button", { type: "button", class: "kw-button kw-lanes-astable", "aria-expanded": "false",
      click: () => this.toggleTable() }, words.table);
    this.table = h("div", { class: "kw-lanes-table", hidden: true });
    this.root = h("section", { class: "kw-lanes", role: "group", "aria-labelledby": title },
      h("div", { class: "kw-lanes-head" },
        heading(given.level, words.title, { id: title }),
        button("stepBack", words.earlier, () => this.pan(-0.6)),
        button("stepForward", words.later, () => this.pan(0.6)),
        button("farther", words.zoomOut, () => this.zoom(1 / 2)),
        button("closer", words.zoomIn, () => this.zoom(2)),
        button("whole", words.all, () => this.see()),
        button("close", words.close, () => state.reveal(), "kw-lanes-close")),
      this.box,
      h("div", { class: "kw-lanes-foot" }, this.told, this.goThere),
      h("div", { class: "kw-lanes-below" }, this.signs(), this.tableButton),
      this.table);
    this.tall.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.box.addEventListener("scroll", () => this.draw(), { passive: true });
    this.box.addEventListener("keydown", (event) => {
      if (press<"lanes">(event, "lanes", this.handlers)) {
        event.preventDefault();
        event.stopPropagation();
      }
    });
    this.box.addEventListener("focus", () => this.lane < 0 && this.enter());
    this.names.addEventListener("click", (event) => this.named(event));
    this.pointer();
    this.watch();
    this.renew();
  }

  focus(): void {
    this.box.focus({ preventScroll: true });
  }

  /** Shows the moment, ms of the display. */
  show(ms: number): void {
    this.ms = ms;
    if (!this.all && this.fingers.size === 0 && (ms < this.window.from || ms > this.window.to)) this.see(show(this.window, ms, this.state.extent));
    this.placeNow();
  }

  /** Takes in frames that were added, or a range that changed. */
  refresh(): void {
    const had = this.tracks.lanes.length;
    this.tracks.take(this.state.timeline.frames);
    if (this.tracks.lanes.length !== had || this.names.childElementCount === 0) this.nameThem();
    this.see(this.all ? this.state.extent : show(this.window, Math.min(this.window.to, Math.max(this.window.from, this.ms)), this.state.extent));
    this.pickSigns();
    if (!this.table.hidden) this.fillTable();
  }

  /** Starts anew: frames were dropped or replaced. */
  renew(): void {
    const name = this.tracks.lanes[this.lane]?.id;
    this.tracks = new Tracks();
    this.thing = undefined;
    this.hovered = undefined;
    this.names.replaceChildren();
    this.refresh();
    this.lane = this.tracks.lanes.findIndex((lane) => lane.id === name);
    this.tell();
  }

  // —— the window

  private see(window: Window = this.state.extent): void {
    this.all = isWhole(window, this.state.extent);
    this.window = window.to > window.from ? window : { from: window.from, to: window.from + 1 };
    this.placeNow();
    this.draw();
  }

  private zoom(factor: number, at = this.middle()): void {
    this.see(zoom(this.window, factor, at, this.state.extent));
  }

  private pan(part: number): void {
    this.see(pan(this.window, part, this.state.extent));
  }

  /** What a zoom keeps in place: the thing of the cursor, the moment, or the middle. */
  private middle(): number {
    const { from, to } = this.window;
    const candidates = [this.thing && this.state.timeline.frames[this.thing.from]?.d, this.ms];
    return candidates.find((ms) => ms !== undefined && ms >= from && ms <= to) ?? (from + to) / 2;
  }

  // —— drawing

  private draw(): void {
    this.soon ||= requestAnimationFrame(() => {
      this.soon = 0;
      this.drawNow();
    });
  }

  private get size() {
    const isNarrow = this.root.clientWidth < 640;
    return { laneHeight: isNarrow ? 52 : 40, head: isNarrow ? 20 : 0 };
  }

  private sight(): Sight {
    const { timeline, extent: { marks } } = this.state;
    const { lane, thing } = this;
    return {
      frames: timeline.frames, lanes: this.tracks.lanes, marks, window: this.window,
      width: Math.max(1, this.plot.clientWidth), height: this.box.clientHeight, ...this.size, top: this.box.scrollTop,
      msAt: (us) => this.msAt(us),
      timeAt: (ms) => timeline.virtual(ms, Math.max(0, timeline.at(ms))),
      cursor: lane >= 0 ? { lane, thing } : undefined,
    };
  }

  private msAt(us: number): number {
    const { timeline } = this.state;
    const i = timeline.atVirtual(us);
    const [before, after] = [timeline.frames[i], timeline.frames[i + 1]];
    if (!before) return 0;
    if (!after) return us > before.at ? Math.max(this.state.extent.to, before.d) : before.d;
    return before.d + (after.at > before.at ? ((us - before.at) / (after.at - before.at)) * (after.d - before.d) : 0);
  }

  private drawNow(): void {
    if (!this.root.isConnected || this.root.hidden) return;
    const sight = this.sight();
    const scale = devicePixelRatio || 1;
    const { canvas } = this;
    const [width, height] = [Math.round(sight.width * scale), Math.round(sight.height * scale)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d")!;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    if (!this.colours) {
      this.colours = coloursOf(this.root);
      this.drawSigns();
    }
    paint(context, sight, this.colours);
  }

  private placeNow(): void {
    const part = (this.ms - this.window.from) / (this.window.to - this.window.from);
    this.now.style.insetInlineStart = `${Math.max(-1, Math.min(2, part)) * 100}%`;
    this.now.classList.toggle("is-late", part > 0.9);
  }

  /** Follows the size of the page, and its colours. */
  private watch(): void {
    const sizes = new ResizeObserver(() => {
      this.root.classList.toggle("is-narrow", this.size.head > 0);
      this.box.style.setProperty("--box", `${this.box.clientHeight}px`);
      if (this.lane >= 0) this.bringIntoBox();
      this.nameThem();
      this.drawNow();
    });
    sizes.observe(this.box);
    const recolour = () => {
      this.colours = coloursOf(this.root);
      this.draw();
      this.drawSigns();
    };
    const themes = new MutationObserver(recolour);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme", "class"] });
    const queries = [matchMedia("(prefers-color-scheme: dark)"), matchMedia("(forced-colors: active)"), matchMedia(`(resolution: ${devicePixelRatio}dppx)`)];
    for (const query of queries) query.addEventListener("change", recolour);
  }

  private nameThem(): void {
    const { lanes } = this.tracks;
    const { laneHeight } = this.size;
    this.tall.style.blockSize = `${axisHeight + lanes.length * laneHeight}px`;
    this.box.style.maxBlockSize = `calc(${this.tall.style.blockSize} + 2px)`;
    this.names.style.setProperty("--lane", `${laneHeight}px`);
    if (this.names.childElementCount === lanes.length && [...this.names.children].every((e, i) => e.getAttribute("data-lane") === lanes[i]!.id)) return;
    this.names.replaceChildren(...lanes.map((lane) =>
      h("div", { class: "kw-lanes-name", "data-lane": lane.id, title: lane.id, "aria-hidden": "true" }, h("span", {}, lane.id))));
  }

  // —— the cursor

  private readonly handlers: KeyHandlers<"lanes"> = {
    laneDown: () => this.toLane(1),
    laneUp: () => this.toLane(-1),
    laneOn: () => this.toThing(1),
    laneBack: () => this.toThing(-1),
    laneOpen: () => this.open(true),
    zoomIn: () => this.zoom(2),
    zoomOut: () => this.zoom(1 / 2),
    zoomAll: () => this.see(),
    panOn: () => this.pan(0.6),
    panBack: () => this.pan(-0.6),
    laneTable: () => this.toggleTable(),
  };

  /** The focus comes in: the lane of who acts now, and what it does. */
  private enter(): void {
    const { timeline } = this.state;
    const who = timeline.frames[Math.max(0, timeline.at(this.ms))]?.who;
    const at = this.tracks.lanes.findIndex((lane) => lane.id === who);
    this.choose(Math.max(0, at), this.ms);
  }

  private toLane(way: 1 | -1): void {
    const at = this.thing ? this.state.timeline.frames[this.thing.from]!.d : this.ms;
    this.choose(Math.max(0, Math.min(this.tracks.lanes.length - 1, this.lane + way)), at);
  }

  /** Stands in a lane, at what began last before a moment, or else at what comes next. */
  private choose(lane: number, ms: number): void {
    this.lane = lane;
    const things = this.tracks.lanes[lane]?.things ?? [];
    const at = things.findLastIndex((t) => this.state.timeline.frames[t.from]!.d <= ms);
    this.stand(things[Math.max(0, at)]);
  }

  private toThing(way: 1 | -1): void {
    const things = this.tracks.lanes[this.lane]?.things ?? [];
    if (!this.thing) return this.choose(Math.max(0, this.lane), this.ms);
    this.stand(things[things.indexOf(this.thing) + way] ?? this.thing);
  }

  private stand(thing: Thing | undefined): void {
    this.thing = thing;
    this.hovered = undefined;
    const { frames } = this.state.timeline;
    if (thing) {
      const at = frames[thing.from]!.d;
      if (at < this.window.from || at > this.window.to) this.see(show(this.window, at, this.state.extent));
    }
    this.bringIntoBox();
    this.tell();
    this.draw();
  }

  private bringIntoBox(): void {
    const { laneHeight } = this.size;
    const [top, bottom] = [this.lane * laneHeight, (this.lane + 1) * laneHeight + axisHeight];
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (bottom > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = bottom - this.box.clientHeight;
  }

  /** Says what the cursor, or the pointer, is at: in the line below, and as the option that is chosen. */
  private tell(): void {
    const lane = this.tracks.lanes[this.lane];
    const [shown, thing] = this.hovered ?? [lane, this.thing];
    const text = shown ? this.sentence(shown, thing) : this.words.hint;
    setText(this.told, text);
    this.goThere.hidden = !thing;
    if (this.hovered) return;
    const position = lane && this.thing ? lane.things.indexOf(this.thing) : -1;
    const id = `${this.id}-${this.lane}-${position}`;
    const option = lane ? this.sentence(lane, this.thing) : this.words.list;
    setAttr(this.options, "aria-label", lane?.id ?? this.words.title);
    this.options.replaceChildren(h("div", { role: "option", id, "aria-selected": "true",
      ...(position >= 0 ? { "aria-setsize": lane!.things.length, "aria-posinset": position + 1 } : {}) }, option));
    setAttr(this.box, "aria-activedescendant", id);
  }

  private sentence(lane: Lane, thing: Thing | undefined): string {
    const { words } = this;
    if (!thing) return lane.id + words.join + words.empty;
    const n = depthAt(lane, thing.from);
    const depth = n && lane.counts ? words.join + put(words.depth[lane.counts], { n }) : "";
    return describe(lane, thing, this.state.timeline.frames, words, this.given.phrases) + depth;
  }

  private open(byKey: boolean): void {
    const thing = this.hovered?.[1] ?? this.thing;
    if (thing) this.attention.choose(thing.from, byKey);
  }

  // —— pointers

  private pointer(): void {
    const { plot, fingers } = this;
    let before: { middle: number; apart: number } | undefined;
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return { middle: (a!.clientX + b!.clientX) / 2, apart: Math.max(20, Math.abs(a!.clientX - b!.clientX)) };
    };
    plot.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      fingers.set(event.pointerId, event);
      plot.setPointerCapture(event.pointerId);
      if (fingers.size === 2) before = spread();
      else if (fingers.size === 1) this.pressed(event);
    });
    plot.addEventListener("pointermove", (event) => {
      if (!fingers.has(event.pointerId)) return this.hover(event);
      fingers.set(event.pointerId, event);
      if (fingers.size === 2 && before) {
        const next = spread();
        const at = this.msOf(next.middle);
        const moved = pan(this.window, (before.middle - next.middle) / plot.clientWidth, this.state.extent);
        this.see(zoom(moved, next.apart / before.apart, at, this.state.extent));
        before = next;
      } else if (fingers.size === 1 && !before) this.transport.scrub(this.msOf(event.clientX));
    });
    const up = (event: PointerEvent, lifted: boolean) => {
      if (!fingers.delete(event.pointerId) || fingers.size > 0) return;
      if (!before && lifted) {
        this.transport.scrub(this.msOf(event.clientX));
        this.state.emit("told");
      }
      before = undefined;
    };
    plot.addEventListener("pointerup", (event) => up(event, true));
    plot.addEventListener("pointercancel", (event) => up(event, false)); // the finger scrolls the lanes
    plot.addEventListener("pointerleave", () => this.hovered && (this.hovered = undefined, this.tell()));
    plot.addEventListener("dblclick", () => this.open(false));
  }

  /** The moment goes where it was pressed (a finger may want to scroll: it shows when it moves or is lifted); what is there becomes the cursor's. */
  private pressed(event: PointerEvent): void {
    const hit = this.hit(event);
    if (hit) {
      this.lane = this.tracks.lanes.indexOf(hit[0]);
      this.thing = hit[1];
      this.hovered = undefined;
      this.tell();
      this.draw();
    }
    if (event.pointerType !== "touch") this.transport.scrub(this.msOf(event.clientX));
  }

  private hover(event: PointerEvent): void {
    const hit = event.pointerType === "mouse" ? this.hit(event) : undefined;
    if (hit?.[1] === this.hovered?.[1]) return;
    this.hovered = hit;
    this.tell();
  }

  private msOf(clientX: number): number {
    const box = this.plot.getBoundingClientRect();
    const { from, to } = this.window;
    return Math.max(from, Math.min(to, from + ((clientX - box.left) / box.width) * (to - from)));
  }

  /** What is drawn at a place; signs before stretches, short ones before long ones. */
  private hit(event: PointerEvent): [Lane, Thing] | undefined {
    const sight = this.sight();
    const box = this.plot.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const y = py - axisHeight + sight.top;
    const lane = sight.lanes[Math.floor(y / sight.laneHeight)];
    if (!lane || py < axisHeight) return undefined;
    const inLane = (y % sight.laneHeight) - sight.head;
    const x = (ms: number) => ((ms - sight.window.from) / (sight.window.to - sight.window.from)) * sight.width;
    let best: Thing | undefined;
    let bestSize = Infinity;
    for (const thing of lane.things) {
      const [a, b] = extent(thing, sight).map(x) as [number, number];
      const isSign = !isBar(thing.kind) && thing.kind !== "delay" && thing.kind !== "down";
      const [top, high] = band(thing.kind, thing.row, lane.rows, sight.laneHeight - sight.head);
      const slack = isSign ? reach : 2;
      if (px < a - slack || px > b + slack || inLane < top - 2 || inLane > top + high + 2) continue;
      const size = isSign ? 0 : b - a;
      if (size < bestSize) [best, bestSize] = [thing, size];
    }
    return best && [lane, best];
  }

  private wheel(event: WheelEvent): void {
    const step = event.deltaMode === 1 ? 24 : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      return this.zoom(Math.exp((-event.deltaY * step) / 240), this.msOf(event.clientX));
    }
    const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (Math.abs(across) <= Math.abs(event.shiftKey ? 0 : event.deltaY) || this.all) return;
    event.preventDefault();
    this.pan((across * step) / this.plot.clientWidth);
  }

  private named(event: Event): void {
    const name = (event.target as Element).closest("[data-lane]")?.getAttribute("data-lane");
    if (!name) return;
    this.choose(this.tracks.lanes.findIndex((lane) => lane.id === name), this.ms);
    if (!name.endsWith("/*")) this.state.look(name);
  }

  // —— the table, and what the signs mean

  private toggleTable(): void {
    this.table.hidden = !this.table.hidden;
    setAttr(this.tableButton, "aria-expanded", String(!this.table.hidden));
    if (!this.table.hidden) this.fillTable();
  }

  private fillTable(): void {
    this.table.replaceChildren(summary(this.tracks.lanes, this.state.timeline.frames, this.words, (id) => this.state.look(id)));
  }

  private signs(): HTMLElement {
    const { signs } = this.words;
    return h("ul", { class: "kw-lanes-signs", "aria-hidden": "true" }, // the table and the sentences say it in words
      ...signNames.map((name) => h("li", {}, h("canvas", { "data-sign": name }), signs[name])));
  }

  /** Those that occur here. */
  private pickSigns(): void {
    const there = signsIn(this.tracks.lanes, this.state.extent.marks.length > 0);
    for (const canvas of this.root.querySelectorAll<HTMLElement>("[data-sign]")) canvas.parentElement!.hidden = !there.has(canvas.dataset["sign"] as Sign);
  }

  private drawSigns(): void {
    const { colours } = this;
    if (colours) this.root.querySelectorAll<HTMLCanvasElement>("[data-sign]").forEach((canvas, i) => drawSign(canvas, signNames[i]!, colours));
  }
}

/** The page's colours as a canvas needs them. */
function coloursOf(root: HTMLElement): Colours {
  const probe = h("span", { class: "kw-lanes-plot", hidden: true }); // not a colour that the system forces
  root.append(probe);
  const read = (value: string) => {
    probe.style.color = value;
    return getComputedStyle(probe).color;
  };
  const colours: Colours = {
    surface: read("var(--p-surface)"), raised: read("var(--p-raised)"), ink: read("var(--p-ink)"), muted: read("var(--p-muted)"), line: read("var(--p-line)"),
    strong: read("var(--p-strong)"), accent: read("var(--p-accent)"), tint: read("var(--p-tint)"),
    bad: read("var(--p-bad)"), badTint: read("var(--p-bad-tint)"),
    warn: read("var(--kw-warn, light-dark(#8a5207, #e9b860))"), mono: getComputedStyle(root).getPropertyValue("--p-mono") || "monospace",
    sans: getComputedStyle(root).fontFamily,
  };
  probe.remove();
  return colours;
}

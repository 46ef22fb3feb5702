// Two worlds side by side: two pictures that move together in virtual time, where
// the worlds part, and what differs by now. To the transport and the event log it
// is one timeline (mergedruns.ts), and what makes frames for both.

import "./compare.css";
import type { Branch, Source } from "../runs/branch";
import { h, put, setAttr, setText, svgElement } from "../dom/dom";
import { Picture } from "../picture/draw";
import { icon } from "../dom/icons";
import { MergedRuns, type Side } from "../state/mergedruns";
import { figures, Outcomes, type Figure } from "../state/outcomes";
import { nameOf, seconds } from "../state/phrases";
import type { Frame, Mark, Recording, Shape } from "../state/recording";
import type { Timeline } from "../state/timeline";
import { badge } from "./tree";
import type { World } from "../runs/world";
import { worldWordsOf, type WorldWords } from "../runs/worlds.words";

const sides = [0, 1] as const;
/** How long playing rests where the worlds part, ms. */
const restMs = 2500;
/** What happens in the other world within that time is the same a little earlier or later, µs. */
const soonUs = 1_000_000;
/** How many objects of a kind of difference are named. */
const mostNamed = 8;

export interface Compared {
  world: World;
  /** What makes its frames. */
  source: Branch;
  letter: string;
  name: string;
}

export interface ComparisonHost {
  lang: string;
  title: string;
  recording: Recording;
  phrase(key: string): string | undefined;
  sentence(frame: Frame): string;
  /** There are more frames, or the worlds part at last. */
  grew(): void;
  /** The reader turned to the other world. */
  turned(): void;
  toFrame(index: number): void;
  leave(): void;
}

export class Comparison implements Source {
  /** The two pictures, and what is said below them. */
  readonly stage: HTMLElement;
  readonly caption: HTMLElement;
  readonly panel: HTMLElement;
  /** The world that the controls and the inspector are about. */
  side: Side = 1;
  /** One of the worlds is no longer what it was: it waits to be compared anew. */
  isStale = false;
  /** The event with which they part; -1 as long as they don't. */
  parting = -1;
  /** The event with which one of them gets or loses an object that the other does not; -1 as long as none is. */
  stored = -1;
  readonly merged: MergedRuns;
  private readonly words: WorldWords;
  private readonly pictures: readonly [Picture, Picture];
  private readonly signs: readonly [SVGGElement, SVGGElement];
  private readonly tabs: readonly [HTMLElement, HTMLElement];
  private readonly figures: readonly [HTMLElement, HTMLElement];
  private readonly told = h("div", { class: "kw-parting", "aria-live": "polite" });
  private readonly toParting: HTMLElement;
  private readonly toStored: HTMLElement;
  private readonly about = h("p", { class: "kw-hint" });
  private readonly now = h("div", { class: "kw-now" });
  private readonly cells = new Map<Figure, [HTMLElement, HTMLElement]>();
  private readonly outcomes = [new Outcomes(), new Outcomes()] as const;
  private readonly firsts: [number, number] = [0, 0]; // how far both were looked through for what happens in one only
  private looked = 0; // how far they were looked through for where they part
  private shownText = "";
  private listed: string | undefined;
  private index = -1;
  private made: Promise<boolean> | undefined;

  constructor(private readonly host: ComparisonHost, readonly compared: readonly [Compared, Compared]) {
    const words = (this.words = worldWordsOf(host.lang));
    this.merged = new MergedRuns(compared[0].world.timeline.frames, compared[1].world.timeline.frames);
    const each = <T>(make: (one: Compared, side: Side) => T): [T, T] => [make(compared[0], 0), make(compared[1], 1)];
    this.pictures = each(({ letter }) => new Picture(host.recording, put(words.picture, { title: host.title, world: letter }), (key) => host.phrase(key)));
    this.signs = each(() => svgElement("g", { class: "kw-differences" }));
    this.tabs = each(({ letter, name }, side) =>
      h("button", { type: "button", class: "kw-side-name", click: () => this.turn(side) }, badge(letter), h("span", {}, name)));
    this.figures = each((_, side) => {
      this.pictures[side].root.append(this.signs[side]);
      return h("div", { class: "kw-side", "data-side": side }, this.pictures[side].root);
    });
    this.stage = h("div", { class: "kw-pair", role: "group", "aria-label": put(words.comparing, { a: compared[0].letter, b: compared[1].letter }) },
      ...this.tabs, ...this.figures);
    this.toStored = h("button", { type: "button", class: "kw-button", hidden: true, click: () => host.toFrame(this.stored) }, words.toStored);
    this.toParting = h("button", { type: "button", class: "kw-button", hidden: true, click: () => host.toFrame(this.parting) }, words.toDifference);
    const leave = h("button", { type: "button", class: "kw-button kw-leave", click: () => host.leave() }, icon("close"), words.leave);
    this.caption = h("div", { class: "kw-compare" }, this.told, h("div", { class: "kw-compare-buttons" }, this.toParting, this.toStored, leave));
    this.panel = h("section", { class: "kw-differing", role: "group", "aria-label": words.now }, this.about, this.now, this.table());
    this.press();
    this.join();
  }

  get timeline(): Timeline {
    return this.merged.timeline;
  }

  get chosen(): Compared {
    return this.compared[this.side];
  }

  /** The moments that can be gone to: where the worlds part. */
  get marks(): Mark[] {
    return [...new Set([this.parting, this.stored])].filter((frame) => frame >= 0).map((frame) => ({ id: "", frame, caption: {} }));
  }

  get rests(): Map<number, number> {
    return new Map(this.marks.map((m) => [m.frame, restMs]));
  }

  has(world: World): boolean {
    return this.compared.some((one) => one.world === world);
  }

  // —— what makes frames

  get goesOn(): boolean {
    const [a, b] = this.sources;
    return a.until <= b.until ? a.goesOn : b.goesOn;
  }

  extend(): void {
    for (const source of this.sources) if (!source.goesOn) source.extend();
  }

  /** Takes in what both have made by now. */
  takeIn(): void {
    if (this.isStale) return;
    const { parting, stored } = this;
    this.join();
    if (this.index >= 0 && (parting !== this.parting || stored !== this.stored)) this.tell();
    this.host.grew();
  }

  private join(): void {
    this.merged.extend(this.until);
    this.part();
  }

  /** Up to when all is known of both, µs. */
  get until(): number {
    return Math.min(...this.sources.map((s) => s.until));
  }

  more(): Promise<boolean> {
    return (this.made ??= this.make().finally(() => (this.made = undefined)));
  }

  /** Has both there past a time, µs, which may be after the end of either: a recording's world goes on, too. */
  async reach(us: number): Promise<boolean> {
    while (this.until <= us) {
      if (!this.goesOn) this.extend();
      if (!(await this.more())) return false;
    }
    return true;
  }

  /** Goes on until the worlds part, or up to a time, µs. Tells whether it could. */
  async find(us: number): Promise<boolean> {
    return this.goOn(us, () => this.parting >= 0);
  }

  /** Goes on until one world has an object alone, or up to a time, µs. */
  async findStored(us: number): Promise<boolean> {
    return this.goOn(us, () => this.stored >= 0);
  }

  /** Runs both, with the least of what it takes, until something is so. */
  private async goOn(us: number, isSo: () => boolean): Promise<boolean> {
    while (!isSo() && !this.isStale && this.until < us) if (!(await this.reach(this.until))) return false;
    return true;
  }

  private get sources(): readonly [Branch, Branch] {
    return [this.compared[0].source, this.compared[1].source];
  }

  private async make(): Promise<boolean> {
    const [a, b] = this.sources;
    const behind = a.until <= b.until ? a : b;
    const had = behind.until;
    await behind.more();
    this.takeIn();
    return behind.until > had;
  }

  // —— the moment

  /** Shows an event of the merged timeline. */
  show(index: number, move: boolean): void {
    const isFirst = this.index < 0;
    this.index = index;
    const owner = this.merged.owner(index);
    for (const side of sides) {
      const { timeline } = this.compared[side].world;
      const own = this.merged.own(index, side);
      const picture = this.pictures[side];
      const changed = timeline.seek(own);
      if (isFirst) picture.replace(timeline.shapes);
      else picture.update(timeline.shapes, changed, move);
      this.compared[side].world.seen = Math.max(this.compared[side].world.seen, own);
      picture.mark(owner === "both" || owner === side ? timeline.frames[own] : undefined);
    }
    this.tell();
  }

  travel(now: number): void {
    for (const side of sides) {
      const { timeline } = this.compared[side].world;
      const ms = timeline.display(now);
      this.pictures[side].travel((packet) => timeline.way(packet.id, ms));
    }
  }

  select(about: string): void {
    for (const picture of this.pictures) picture.select(about);
  }

  /** What was clicked; it is looked at in its world. */
  aboutAt(event: MouseEvent): string | undefined {
    const side = (event.target as Element).closest<HTMLElement>("[data-side]")?.dataset["side"];
    if (side === undefined) return undefined;
    this.turn(Number(side) as Side);
    return this.pictures[Number(side) as Side].aboutAt(event);
  }

  /** Turns to the world that an event is of, and tells its number there. */
  turnTo(index: number): number {
    const owner = this.merged.owner(index);
    if (owner !== "both") this.turn(owner);
    return this.merged.own(index, this.side);
  }

  /** Where an event of the world that the reader has turned to is. */
  place(own: number): number {
    return this.merged.place(own, this.side);
  }

  /** The letter of the world that an event is of; "" when it is of both. */
  letterOf(index: number): string {
    const owner = this.merged.owner(index);
    return owner === "both" ? "" : this.compared[owner].letter;
  }

  /** Both worlds' shapes. */
  shapes(): Shape[] {
    return this.compared.flatMap(({ world }) => [...world.timeline.shapes.values()]);
  }

  /** Turns to one of the two. */
  turnToWorld(world: World): void {
    this.turn(this.compared[0].world === world ? 0 : 1);
  }

  private turn(side: Side): void {
    if (side === this.side) return;
    this.side = side;
    this.press();
    this.host.turned();
  }

  private press(): void {
    for (const side of sides) {
      setAttr(this.tabs[side], "aria-pressed", String(side === this.side));
      this.figures[side].classList.toggle("is-chosen", side === this.side);
    }
    setText(this.about, put(this.words.speaks, { world: this.chosen.letter }));
  }

  // —— differences

  /** Whether the other world does the same a little earlier or later. */
  private happensSoon(index: number): boolean {
    const { frames } = this.timeline;
    const { at, m, o } = frames[index]!;
    const isSame = (i: number) => frames[i]!.m === m && frames[i]!.o === o && this.merged.owner(i) !== this.merged.owner(index);
    for (let i = index - 1; i >= 0 && at - frames[i]!.at < soonUs; i--) if (isSame(i)) return true;
    for (let i = index + 1; i < frames.length && frames[i]!.at - at < soonUs; i++) if (isSame(i)) return true;
    return false;
  }

  /** Looks for the first event that is not of both, and for the first object that one world gets or loses alone. */
  private part(): void {
    const { frames } = this.timeline;
    const known = this.until - soonUs;
    for (let i = this.looked; i < frames.length && this.stored < 0; i = ++this.looked) {
      if (this.merged.owner(i) === "both") continue;
      if (this.parting < 0) this.parting = i;
      if (!/^store\.commit\.(ADDED|DELETED)$/.test(frames[i]!.m)) continue;
      if (frames[i]!.at > known) return; // whether the other does the same soon is not known yet
      if (!this.happensSoon(i)) this.stored = i;
    }
  }

  /** Says where the worlds part and what differs now. */
  private tell(): void {
    const { words, parting, stored, index, timeline } = this;
    this.toParting.hidden = parting < 0;
    this.toStored.hidden = stored < 0 || stored === parting;
    const at = timeline.frames[parting]?.at ?? 0;
    const texts = parting < 0 ? [words.alike] : [put(words.part, { at: seconds(at) }), ...sides.map((side) => this.firstOf(side, at)),
      ...(this.toStored.hidden ? [] : [put(words.store, { at: seconds(timeline.frames[stored]!.at), world: this.letterOf(stored), what: this.host.sentence(timeline.frames[stored]!) })])];
    if (texts.join("\n") !== this.shownText) {
      this.shownText = texts.join("\n");
      this.told.replaceChildren(...texts.map((text) => h("p", {}, text)));
    }
    const differing = parting >= 0 && index >= parting ? this.differing() : undefined;
    sides.forEach((side) => this.sign(side, differing));
    this.list(differing);
    for (const side of sides) {
      const { frames } = this.compared[side].world.timeline;
      const outcomes = this.outcomes[side].at(frames, this.merged.own(index, side));
      for (const [figure, cells] of this.cells) setText(cells[side], this.figure(figure, outcomes[figure]));
    }
  }

  /** What happens first in one of the worlds only. */
  private firstOf(side: Side, parting: number): string {
    const { words, merged, timeline, compared } = this;
    const world = compared[side].letter;
    for (let i = Math.max(this.parting, this.firsts[side]); i < timeline.length; i = ++this.firsts[side]) {
      if (merged.owner(i) !== side) continue;
      const frame = timeline.frames[i]!;
      const what = this.host.sentence(frame);
      return frame.at === parting ? put(words.inOne, { world, what }) : put(words.later, { world, what, at: seconds(frame.at) });
    }
    return put(words.notYet, { world });
  }

  /** The shapes that are in one world only, and those that are not alike. */
  private differing(): Differing {
    const [a, b] = [this.compared[0].world.timeline.shapes, this.compared[1].world.timeline.shapes];
    const [hostsA, hostsB] = [nodes(a), nodes(b)];
    const out: Differing = { only: [[], []], unlike: [] };
    for (const [id, shape] of a) {
      if (!isThing(shape)) continue;
      const other = b.get(id);
      if (!other) out.only[0].push(shape);
      else if (isUnlike(shape, other) || (shape.role === "pod" && on(shape, hostsA) !== on(other, hostsB))) out.unlike.push([shape, other]);
    }
    for (const [id, shape] of b) if (isThing(shape) && !a.has(id)) out.only[1].push(shape);
    return out;
  }

  /** Puts a sign at each shape of a picture that differs. */
  private sign(side: Side, differing: Differing | undefined): void {
    const layer = this.signs[side];
    const signs: [Shape, string][] = [];
    for (const shape of differing?.only[side] ?? []) signs.push([shape, "+"]);
    for (const pair of differing?.unlike ?? []) signs.push([pair[side], "≠"]);
    while (layer.childElementCount > signs.length) layer.lastElementChild!.remove();
    signs.forEach(([shape, sign], i) => {
      const element = layer.children[i] ?? layer.appendChild(svgElement("g", { class: "kw-difference" }, svgElement("circle", { r: 7 }), svgElement("text", { "text-anchor": "middle", y: 4 })));
      setAttr(element, "transform", `translate(${(shape.x ?? 0) + (shape.w ?? 0) - 3} ${(shape.y ?? 0) + 2})`);
      setText(element.lastElementChild!, sign);
    });
  }

  private list(differing: Differing | undefined): void {
    const { words, compared } = this;
    const named = (shapes: readonly Shape[]) => {
      const all = [...new Set(shapes.map((s) => nameOf(s.about) || s.about || s.t || ""))];
      const more = all.length - mostNamed;
      return all.slice(0, mostNamed).join(", ") + (more > 0 ? ` ${put(words.moreObjects, { n: more })}` : "");
    };
    const rows: [sign: string, text: string, names: string][] = differing ? [
      ...sides.map((side): [string, string, string] => ["+", put(words.only, { world: compared[side].letter }), named(differing.only[side])]),
      ["≠", words.differing, named(differing.unlike.map(([s]) => s))],
    ] : [];
    const shown = rows.filter(([, , names]) => names !== "");
    const key = JSON.stringify(shown);
    if (key === this.listed) return;
    this.listed = key;
    this.now.replaceChildren(...(shown.length === 0 ? [h("p", { class: "kw-hint" }, words.nothingNow)] :
      [h("dl", {}, ...shown.map(([sign, text, names]) => h("div", {}, h("dt", {}, h("b", { "aria-hidden": "true" }, sign), text), h("dd", {}, names))))]));
  }

  private table(): HTMLElement {
    const { words, compared } = this;
    const rows = figures.map((figure) => {
      const cells: [HTMLElement, HTMLElement] = [h("td"), h("td")];
      this.cells.set(figure, cells);
      return h("tr", {}, h("th", { scope: "row" }, words.figures[figure]), ...cells);
    });
    return h("table", { class: "kw-outcomes" },
      h("caption", {}, `${words.outcomes} (${words.soFar})`),
      h("thead", {}, h("tr", {}, h("td"), ...compared.map(({ letter }) => h("th", { scope: "col" }, badge(letter))))),
      h("tbody", {}, ...rows));
  }

  private figure(figure: Figure, value: number): string {
    if (figure !== "settled") return String(value);
    return value > 0 ? seconds(value) : this.words.notSettled;
  }
}

/** What differs of two pictures. */
interface Differing {
  only: [Shape[], Shape[]];
  unlike: [Shape, Shape][];
}

/** What a reader looks at in a picture: objects of the API, nodes and components. */
const things = new Set(["pod", "workload", "node", "controller", "scheduler", "minor", "apiserver"]);
const isThing = (shape: Shape) => shape.k === "box" && things.has(shape.role);

/** Whether a thing's state differs, or what it says of itself; where it stands does not count. */
function isUnlike(a: Shape, b: Shape): boolean {
  return a.s !== b.s || a.t !== b.t || a.d !== b.d || a.m !== b.m || a.dword !== b.dword || a.args !== b.args;
}

const nodes = (shapes: ReadonlyMap<string, Shape>) => [...shapes.values()].filter((shape) => shape.role === "node");

/** The node on which something is drawn. */
function on({ x = 0, y = 0 }: Shape, hosts: readonly Shape[]): string | undefined {
  return hosts.find((host) => x >= host.x! && x < host.x! + host.w! && y >= host.y! && y < host.y! + host.h!)?.id;
}

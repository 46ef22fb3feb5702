// Two worlds side by side, as a reader sees them: two pictures, where the worlds
// part, and what differs by now. comparison.ts knows what that is.

import "./compare.css";
import { h, setAttr, setText, svgElement } from "../dom/dom";
import { icon } from "../dom/icons";
import type { Given } from "../given";
import { Picture } from "../picture/draw";
import { sides, type Comparison } from "../runs/comparison";
import type { World } from "../runs/world";
import { worldWordsOf, type WorldWords } from "../runs/worlds.words";
import type { Side } from "../state/mergedruns";
import { figures, Outcomes, type Figure } from "../state/outcomes";
import { nameOf, say, seconds } from "../state/phrases";
import type { PlayerState } from "../state/playerstate";
import type { Shape } from "../state/recording";
import type { Transport } from "../state/transport";
import { put } from "../text";
import { badge } from "./tree";

/** A shape that is less wide and high than these has a dot instead of a sign, which would cover its name and its neighbour's. */
const signedWidth = 90;
const signedHeight = 30;
/** How many objects of a kind of difference are named until a reader asks for the others. */
const mostNamed = 8;

export class CompareView {
  /** The two pictures, and what is told below them. */
  readonly stage: HTMLElement;
  readonly caption: HTMLElement;
  readonly panel: HTMLElement;
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
  private shownText = "";
  private listed: string | undefined;
  private readonly opened = new Set<string>(); // of the kinds of difference, those of which all are named
  private index = -1;
  private parts = ""; // where they part, as it was told

  constructor(
    private readonly given: Given, private readonly state: PlayerState, transport: Transport, private readonly comparison: Comparison,
    { name, leave }: { name(world: World): string; leave(): void },
  ) {
    const words = (this.words = worldWordsOf(given.lang));
    const { compared } = comparison;
    const each = <T>(make: (letter: string, side: Side) => T): [T, T] => [make(compared[0].letter, 0), make(compared[1].letter, 1)];
    this.pictures = each((letter) => new Picture(state.recording, put(words.picture, { title: given.title, world: letter }), (key) => given.phrases[key]));
    this.signs = each(() => svgElement("g", { class: "kw-differences" }));
    this.tabs = each((letter, side) =>
      h("button", { type: "button", class: "kw-side-name", click: () => comparison.turn(side) }, badge(letter), h("span", {}, name(compared[side].world))));
    this.figures = each((_, side) => {
      this.pictures[side].root.append(this.signs[side]);
      return h("div", { class: "kw-side", click: (event) => this.clicked(event as MouseEvent, side) }, this.pictures[side].root);
    });
    this.stage = h("div", { class: "kw-pair", role: "group", "aria-label": put(words.comparing, { a: compared[0].letter, b: compared[1].letter }) },
      ...this.tabs, ...this.figures);
    this.toStored = h("button", { type: "button", class: "kw-button", hidden: true, click: () => transport.toFrame(comparison.stored) }, words.toStored);
    this.toParting = h("button", { type: "button", class: "kw-button", hidden: true, click: () => transport.toFrame(comparison.parting) }, words.toDifference);
    const leaveButton = h("button", { type: "button", class: "kw-button kw-leave", click: leave }, icon("close"),
      h("span", { class: "kw-button-text" }, words.leave));
    this.caption = h("div", { class: "kw-compare" }, this.told, h("div", { class: "kw-compare-buttons" }, this.toParting, this.toStored, leaveButton));
    this.panel = h("section", { class: "kw-differing", role: "group", "aria-label": words.now }, this.about, this.now, this.table());
    this.press();
    this.select(state.about);
  }

  /** Shows an event. */
  show(index: number, move: boolean): void {
    const { comparison: { compared, merged, changed } } = this;
    const isFirst = this.index < 0;
    this.index = index;
    const owner = merged.owner(index);
    for (const side of sides) {
      const { shapes, frames, index: own } = compared[side].world.timeline;
      const picture = this.pictures[side];
      if (isFirst) picture.replace(shapes);
      else picture.update(shapes, changed[side], move);
      picture.mark(owner === "both" || owner === side ? frames[own] : undefined);
    }
    this.tell();
  }

  /** Puts what travels where it is. */
  travel(): void {
    for (const side of sides) {
      const { timeline } = this.comparison.compared[side].world;
      const ms = timeline.display(this.state.head.now);
      this.pictures[side].travel((packet) => timeline.way(packet.id, ms));
    }
  }

  select(about: string): void {
    for (const picture of this.pictures) picture.select(about);
  }

  /** What was clicked is looked at in its world. */
  private clicked(event: MouseEvent, side: Side): void {
    this.comparison.turn(side);
    const about = this.pictures[side].aboutAt(event);
    if (about) this.state.look(about);
  }

  /** Marks the world that the reader has turned to. */
  press(): void {
    const { side: chosen, chosen: { letter } } = this.comparison;
    for (const side of sides) {
      setAttr(this.tabs[side], "aria-pressed", String(side === chosen));
      this.figures[side].classList.toggle("is-chosen", side === chosen);
    }
    setText(this.about, put(this.words.speaks, { world: letter }));
  }

  /** Takes in more frames: the worlds may part at last. */
  grow(): void {
    const { parting, stored } = this.comparison;
    if (this.index >= 0 && JSON.stringify([parting, stored]) !== this.parts) this.tell();
  }

  /** Says where the worlds part and what differs now. */
  private tell(): void {
    const { words, index, comparison } = this;
    const { compared, merged, timeline, parting, stored } = comparison;
    this.parts = JSON.stringify([parting, stored]);
    this.toParting.hidden = parting < 0;
    this.toStored.hidden = stored < 0 || stored === parting;
    const at = timeline.frames[parting]?.at ?? 0;
    const texts = parting < 0 ? [words.alike] : [put(words.part, { at: seconds(at) }), ...sides.map((side) => this.firstOf(side, at)),
      ...(this.toStored.hidden ? [] : [this.storeText(stored)])];
    if (texts.join("\n") !== this.shownText) {
      this.shownText = texts.join("\n");
      this.told.replaceChildren(...texts.map((text) => h("p", {}, text)));
    }
    const differing = parting >= 0 && index >= parting ? this.differing() : undefined;
    sides.forEach((side) => this.sign(side, differing));
    this.list(differing);
    for (const side of sides) {
      const outcomes = this.outcomes[side].at(compared[side].world.timeline.frames, merged.own(index, side));
      for (const [figure, cells] of this.cells) setText(cells[side], this.figure(figure, outcomes[figure]));
    }
  }

  private storeText(stored: number): string {
    const { words, comparison, given: { phrases } } = this;
    const frame = comparison.timeline.frames[stored]!;
    return put(words.store, { at: seconds(frame.at), world: comparison.letterOf(stored), what: say(phrases, frame) });
  }

  /** What happens first in one of the worlds only. */
  private firstOf(side: Side, parting: number): string {
    const { words, comparison } = this;
    const world = comparison.compared[side].letter;
    const frame = comparison.timeline.frames[comparison.firstOf(side) ?? -1];
    if (!frame) return put(words.notYet, { world });
    const what = say(this.given.phrases, frame);
    return frame.at === parting ? put(words.inOne, { world, what }) : put(words.later, { world, what, at: seconds(frame.at) });
  }

  /** The shapes that are in one world only, and those that are not alike. */
  private differing(): Differing {
    const [a, b] = [this.comparison.compared[0].world.timeline.shapes, this.comparison.compared[1].world.timeline.shapes];
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
      const element = layer.children[i] ?? layer.appendChild(svgElement("g", { class: "kw-difference" },
        svgElement("circle", { r: 7 }), svgElement("text", { "text-anchor": "middle", y: 4 })));
      setAttr(element, "transform", `translate(${(shape.x ?? 0) + (shape.w ?? 0) - 3} ${(shape.y ?? 0) + 2})`);
      setText(element.lastElementChild!, sign);
      element.classList.toggle("is-small", (shape.w ?? 0) < signedWidth && (shape.h ?? 0) < signedHeight);
      element.classList.toggle("is-unlike", sign === "≠");
    });
  }

  private list(differing: Differing | undefined): void {
    const { words, comparison: { compared } } = this;
    const named = (shapes: readonly Shape[]) => [...new Set(shapes.map((s) => nameOf(s.about) || s.about || s.t || ""))];
    const rows: [sign: string, text: string, names: string[]][] = differing ? [
      ...sides.map((side): [string, string, string[]] => ["+", put(words.only, { world: compared[side].letter }), named(differing.only[side])]),
      ["≠", words.differing, named(differing.unlike.map(([s]) => s))],
    ] : [];
    const shown = rows.filter(([, , names]) => names.length > 0);
    const key = JSON.stringify(shown);
    if (key === this.listed) return;
    this.listed = key;
    const names = (text: string, all: readonly string[]) => {
      const most = this.opened.has(text) ? all.length : mostNamed;
      const box = h("dd", { tabindex: -1 }, all.slice(0, most).join(", "));
      const open = () => {
        this.opened.add(text);
        box.textContent = all.join(", ");
        box.focus({ preventScroll: true }); // the button is gone
      };
      if (all.length > most) box.append(" ", h("button", { type: "button", class: "kw-more", click: open }, put(words.moreObjects, { n: all.length - most })));
      return box;
    };
    this.now.replaceChildren(...(shown.length === 0 ? [h("p", { class: "kw-hint" }, words.nothingNow)] :
      [h("dl", {}, ...shown.map(([sign, text, all]) => h("div", {}, h("dt", {}, h("b", { "aria-hidden": "true" }, sign), text), names(text, all))))]));
  }

  private table(): HTMLElement {
    const { words, comparison: { compared } } = this;
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

// Shapes too small for a text, in words: what lies under the pointer, or, with the
// keyboard, one after the other. It takes the focus once, after the picture; arrow
// keys go to what lies next in that direction.

import "./reading.css";
import { h, setText } from "../dom/dom";
import { readingWordsOf, type ReadingWords } from "./reading.words";
import type { Shape } from "../state/recording";
import * as svg from "./svg";
import type { Words } from "../words";
import { put } from "../text";

/** A place in the picture that says something, in units of the scene. */
export interface Spot {
  id: string;
  shape: Shape;
  x: number;
  y: number;
  w: number;
  h: number;
  /** Of cells: which one. */
  cell?: number;
}

/** What is read: a picture (draw.ts), which loads this only when it is needed. */
export interface Readable {
  readonly root: SVGSVGElement;
  /** What lies at a point of the page. */
  spotAt(clientX: number, clientY: number): Spot | undefined;
  /** All of them, where they are now. */
  spots(): Spot[];
  /** The name of the node in whose frame a place lies. */
  nodeAt(x: number, y: number): string | undefined;
  look(about: string): void;
  words: Words;
  lang: string;
}

/** As kubectl has them, and playground/demo/scene. */
const podWords: Record<string, string> = {
  pending: "Pending", unschedulable: "Pending", scheduled: "Scheduled", pulling: "Pulling", starting: "Creating", running: "Running", ready: "Ready",
  terminating: "Terminating", succeeded: "Succeeded", failed: "Failed", lost: "Unknown", init: "Init", waiting: "BackOff",
};

export class Reading {
  readonly root: HTMLElement;
  private readonly ring = h("div", { class: "kw-spot" });
  private readonly text = h("span");
  private readonly tip: HTMLElement;
  private readonly spoken: ReadingWords;
  private at: string | undefined; // the spot that was read last with the keyboard
  private readonly listening = new AbortController();

  constructor(private readonly picture: Readable) {
    this.spoken = readingWordsOf(picture.lang);
    this.tip = h("p", { class: "kw-tip", role: "status" }, this.text);
    this.root = h("div", { class: "kw-reading", role: "application", tabindex: 0, "aria-label": this.spoken.name }, this.ring, this.tip);
    this.hide();
    this.root.addEventListener("focus", () => {
      if (this.root.matches(":focus-visible")) this.read(this.current() ?? this.picture.spots()[0], true);
    });
    this.root.addEventListener("blur", () => this.hide());
    this.root.addEventListener("keydown", (event) => this.key(event));
    const { signal } = this.listening;
    picture.root.addEventListener("pointermove", (event) => this.hover(event), { signal });
    picture.root.addEventListener("pointerleave", () => this.hide(), { signal });
  }

  /** Takes it away. */
  remove(): void {
    this.listening.abort();
    this.root.remove();
    this.picture.root.style.cursor = "";
  }

  private hover(event: PointerEvent): void {
    if (event.pointerType === "touch") return; // a tap looks at once
    const spot = this.picture.spotAt(event.clientX, event.clientY);
    this.picture.root.style.cursor = spot?.shape.about ? "pointer" : "";
    if (spot) this.read(spot, false);
    else this.hide();
  }

  private current(): Spot | undefined {
    return this.picture.spots().find((s) => s.id === this.at);
  }

  private key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const way = ways[event.key];
    const from = this.current();
    if (event.key === "Enter" && from?.shape.about) this.picture.look(from.shape.about);
    else if (way) this.read(from ? (next(this.picture.spots(), from, way) ?? from) : this.picture.spots()[0], true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private read(spot: Spot | undefined, byKey: boolean): void {
    if (!spot) return this.hide();
    if (byKey) this.at = spot.id;
    const ctm = this.picture.root.getScreenCTM();
    const box = this.picture.root.getBoundingClientRect();
    const parent = this.root.offsetParent?.getBoundingClientRect();
    if (!ctm || !parent) return;
    const px = (n: number) => `${n}px`;
    Object.assign(this.root.style, { insetInlineStart: px(box.left - parent.left), insetBlockStart: px(box.top - parent.top),
      inlineSize: px(box.width), blockSize: px(box.height) });
    const [left, top] = [spot.x * ctm.a + ctm.e - box.left, spot.y * ctm.d + ctm.f - box.top];
    const [width, height] = [spot.w * ctm.a, spot.h * ctm.d];
    Object.assign(this.ring.style, { insetInlineStart: px(left - 3), insetBlockStart: px(top - 3), inlineSize: px(width + 6), blockSize: px(height + 6) });
    this.ring.classList.toggle("is-keys", byKey);
    this.ring.hidden = this.tip.hidden = false;
    setText(this.text, this.sentence(spot));
    const wide = this.tip.offsetWidth;
    const above = top > this.tip.offsetHeight + 12;
    Object.assign(this.tip.style, {
      insetInlineStart: px(Math.max(0, Math.min(left + width / 2 - wide / 2, box.width - wide))),
      insetBlockEnd: above ? px(box.height - top + 6) : "auto", insetBlockStart: above ? "auto" : px(top + height + 6),
    });
  }

  private hide(): void {
    this.ring.hidden = this.tip.hidden = true;
  }

  /** A node of many: its letter is explained at playground/demo/scene/cells.go. */
  private cell(shape: Shape, at: number): string {
    const { spoken } = this;
    const letter = svg.cellLetter(shape, at);
    const node = shape.t ? numberedOn(shape.t, at) : put(spoken.nth, { n: at + 1 });
    if (letter === "x") return put(spoken.cell, { node, state: "NotReady" });
    if (letter === "s") return put(spoken.cell, { node, state: "Ready,SchedulingDisabled" });
    const isBusy = letter < "a";
    const eighths = letter.charCodeAt(0) - (isBusy ? "A" : "a").charCodeAt(0);
    const most = Number(shape.args ?? 0);
    const from = eighths === 0 ? 0 : Math.floor(((eighths - 1) * most) / 8) + 1;
    const to = Math.floor((eighths * most) / 8);
    const pods = most > 0 ? put(from === to ? spoken.exactly : spoken.pods, { from, to, most }) : "";
    return put(spoken.cell, { node, state: ["Ready", pods, isBusy ? spoken.some : ""].filter(Boolean).join(spoken.comma) });
  }

  private sentence(spot: Spot): string {
    const { spoken, picture } = this;
    const { shape } = spot;
    const { s = "", role, about = "" } = shape;
    const signs: Record<string, string> = picture.words.signs;
    if (spot.cell !== undefined) return this.cell(shape, spot.cell);
    const what = about.replace(/^pods /, "");
    if (role === "pod") {
      const is = put(spoken.is, { what, state: podWords[s] ?? s });
      const node = picture.nodeAt(spot.x, spot.y);
      return node ? put(spoken.on, { what: is, node }) : is;
    }
    if (shape.k === "packet") return [shape.t, signs[s === "error" ? "refused" : role]].filter(Boolean).join(": ");
    return put(spoken.is, { what: about, state: signs[s] ?? s });
  }
}

/** "hollow-a-7" and 3: "hollow-a-10". */
function numberedOn(first: string, by: number): string {
  const [, prefix = "", number = ""] = /^(.*?)(\d+)$/.exec(first) ?? [];
  return prefix + (Number(number) + by);
}

/** The nearest in a direction: what is aside counts three times. */
function next(spots: readonly Spot[], from: Spot, [dx, dy]: readonly [number, number]): Spot | undefined {
  let best: Spot | undefined;
  let least = Infinity;
  const [x, y] = [from.x + from.w / 2, from.y + from.h / 2];
  for (const spot of spots) {
    const [sx, sy] = [spot.x + spot.w / 2 - x, spot.y + spot.h / 2 - y];
    const ahead = sx * dx + sy * dy;
    const aside = Math.abs(sx * dy) + Math.abs(sy * dx);
    if (ahead < 0.5 || ahead + 3 * aside >= least) continue;
    [best, least] = [spot, ahead + 3 * aside];
  }
  return best;
}

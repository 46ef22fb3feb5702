// The living picture: keeps one SVG element for each shape, by id, and changes
// only those that differ. What moved slides, what is new fades in, what is gone
// fades out. Without motion (the reader's wish, or a scrub) states change at
// once, and a packet rests where it will arrive. Where hundreds of shapes are too
// small for a text, canvaslayer.ts draws these, and what travels.

import { prefersStill, setAttr, svgElement } from "../dom/dom";
import type { CanvasLayer } from "./canvaslayer";
import { nameOf } from "../state/phrases";
import type { Readable, Reading, Spot } from "./reading";
import type { Frame, Header, Shape } from "../state/recording";
import * as svg from "./svg";

const easing = "cubic-bezier(.3,.1,.2,1)";
const slideMs = 260;
const fadeMs = 180;

/** Above this many changed shapes nothing slides: a jump is a cut. A picture that goes to another view changes fewer
 * (playground/demo/recording/film_test.go). On a canvas more may. */
const mostSlides = 120;
const mostSlidesOnCanvas = 1200;

/** From how many shapes without a text on they are drawn on a canvas, and until how few. */
const canvasFrom = 120;
const canvasUntil = 60;

interface Drawn {
  shape: Shape;
  element: SVGGElement | SVGPathElement;
  /** What the element's insides were made of. */
  inside: string;
  slide?: Animation;
}

export class Picture {
  readonly root: SVGSVGElement;
  private readonly layers: SVGGElement[];
  private readonly drawn = new Map<string, Drawn>();
  private readonly packets = new Map<string, Drawn>();
  private readonly lines = new Map<string, svg.Polyline>();
  private fresh = new Set<string>();
  private selected = "";
  private readonly bare = new Set<string>();
  private readonly cells = new Map<string, Shape>();
  private canvas: CanvasLayer | undefined;
  private way: svg.Way = () => 1;
  private reading: Reading | undefined;
  private reads = false;

  /** reader is for whom shapes too small for a text are read out; isPlain draws nothing on a canvas, whose own loop goes by a clock. */
  constructor(header: Header, name: string, private readonly say: svg.Words, private readonly reader?: Pick<Readable, "look" | "words" | "lang">,
    private readonly isPlain = false) {
    this.layers = svg.layers.map((z) => svgElement("g", { class: `kw-layer kw-z${z}` }));
    this.root = svgElement(
      "svg",
      { class: `kw-scene kw-live kw-${header.layout}`, viewBox: `0 0 ${header.width} ${header.height}`, role: "img", "aria-label": name },
      ...this.layers,
    );
  }

  /** Draws the shapes whose ids changed. */
  update(shapes: ReadonlyMap<string, Shape>, changed: Iterable<string>, move: boolean): void {
    const ids = [...changed];
    const moves = move && !prefersStill();
    const motion = moves && ids.length <= mostSlides;
    for (const id of ids) {
      const shape = shapes.get(id);
      if (shape && svg.isBare(shape)) this.bare.add(id);
      else this.bare.delete(id);
      if (shape?.k === "cells") this.cells.set(id, shape);
      else this.cells.delete(id);
      const drawn = this.drawn.get(id);
      if (this.canvas && shape && goesOnCanvas(shape)) {
        if (drawn) this.remove(drawn, false);
        this.canvas.set(shape, moves && ids.length <= mostSlidesOnCanvas);
        continue;
      }
      this.canvas?.delete(id, motion && !shape);
      if (!shape) {
        if (drawn) this.remove(drawn, motion);
      } else if (drawn && drawn.shape.k === shape.k) {
        if (drawn.shape !== shape) this.change(drawn, shape, motion);
      } else {
        if (drawn) this.remove(drawn, false);
        this.add(shape, motion);
      }
    }
    if (this.canvas ? this.bare.size < canvasUntil : this.bare.size > canvasFrom && !this.isPlain) void this.changeSides();
    void this.readOut();
  }

  /** Lets shapes too small for a text be read, as long as there are some. */
  private async readOut(): Promise<void> {
    const { reader, root } = this;
    const small = () => this.canvas !== undefined || this.cells.size > 0;
    if (!reader || small() === this.reads) return;
    this.reads = !this.reads;
    if (!this.reads) this.reading?.remove();
    this.reading = undefined;
    if (!this.reads) return;
    const { Reading } = await import("./reading");
    if (!small() || this.reading || !root.isConnected) return;
    this.reading = new Reading({
      root, ...reader, spotAt: (x, y) => this.spotAt(x, y), spots: () => this.spots(), nodeAt: (x, y) => this.nodeAt(x, y),
    });
    root.parentElement!.append(this.reading.root);
  }

  /** Gives the small shapes to the canvas, or takes them back when they are few again. */
  private async changeSides(): Promise<void> {
    if (this.canvas) {
      const shapes = [...this.canvas.shapes()];
      this.canvas.remove();
      this.canvas = undefined;
      for (const shape of shapes) this.add(shape, false);
    } else {
      const { CanvasLayer } = await import("./canvaslayer");
      if (this.canvas || this.bare.size <= canvasFrom || !this.root.isConnected) return;
      this.canvas = new CanvasLayer({ root: this.root, line: (id) => this.lines.get(id) });
      for (const drawn of [...this.drawn.values()]) {
        if (!goesOnCanvas(drawn.shape)) continue;
        this.remove(drawn, false);
        this.canvas.set(drawn.shape, false);
      }
      this.canvas.select(this.selected);
    }
    this.travel(this.way);
    void this.readOut();
  }

  /** What is too small for a text at a point of the page. */
  spotAt(clientX: number, clientY: number): Spot | undefined {
    const small = this.canvas?.at(clientX, clientY);
    if (small) return this.canvas!.spotOf(small);
    const ctm = this.root.getScreenCTM();
    if (!ctm || this.cells.size === 0) return undefined;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(ctm.inverse());
    for (const shape of this.cells.values()) {
      const spot = svg.cellAt(shape, x, y);
      if (spot) return spot;
    }
    return undefined;
  }

  /** All that is too small for a text, where it is now. */
  spots(): Spot[] {
    return [...(this.canvas?.spots() ?? []), ...[...this.cells.values()].flatMap((shape) => svg.cellSpots(shape))];
  }

  /** The node in whose frame a place of the scene lies. */
  nodeAt(x: number, y: number): string | undefined {
    for (const { shape: s } of this.drawn.values()) {
      if (s.role === "node" && x >= s.x! && y >= s.y! && x <= s.x! + s.w! && y <= s.y! + s.h!) return s.about?.replace(/^nodes /, "");
    }
    return undefined;
  }

  /** What is shown at a point of the page where something happened: a component or an object. */
  aboutAt({ clientX, clientY, target }: MouseEvent): string | undefined {
    return this.canvas?.at(clientX, clientY)?.about ?? (target as Element).closest("[data-about]")?.getAttribute("data-about") ?? undefined;
  }

  /** Draws other shapes in place of all that is there. */
  replace(shapes: ReadonlyMap<string, Shape>): void {
    const onCanvas = [...(this.canvas?.shapes() ?? [])].map((s) => s.id);
    this.update(shapes, [...new Set([...this.drawn.keys(), ...onCanvas, ...shapes.keys()])], false);
  }

  /** Puts what travels where it is. For readers who want no motion that is where it arrives. */
  travel(way: svg.Way): void {
    this.way = prefersStill() ? () => 1 : way;
    this.canvas?.travel(this.way);
    for (const { shape, element } of this.packets.values()) {
      setAttr(element, "transform", svg.packetPlace(shape, this.lines.get(shape.on ?? ""), svg.onPath(shape, Math.trunc(this.way(shape) * 1e6))));
    }
  }

  /** Marks what a frame is about: the same rule as Stage.fresh in playground/demo/scene. */
  mark(frame: Frame | undefined): void {
    if (frame?.q) return;
    const fresh = new Set<string>();
    const about = nameOf(frame?.o) === "" ? undefined : frame?.o;
    const revision = frame?.op === "store.commit" ? `revision/${String(frame.a?.[frame.a.indexOf("revision") + 1] ?? "")}` : "";
    const holds = (shape: Shape) => frame !== undefined && isFresh(shape, frame.who, about, revision);
    for (const [id, { shape }] of this.drawn) if (holds(shape)) fresh.add(id);
    this.canvas?.mark(holds);
    for (const id of this.fresh) if (!fresh.has(id)) this.drawn.get(id)?.element.classList.remove("is-fresh");
    for (const id of fresh) this.drawn.get(id)?.element.classList.add("is-fresh");
    this.fresh = fresh;
  }

  /** Marks what the reader looks at: a component or an object; nothing for "". */
  select(about: string): void {
    this.selected = about;
    this.canvas?.select(about);
    for (const { shape, element } of this.drawn.values()) element.classList.toggle("is-selected", this.isSelected(shape));
  }

  private isSelected(shape: Shape): boolean {
    return this.selected !== "" && shape.k === "box" && shape.about === this.selected && ["frame", "chip", "panel", "tile", "pill"].includes(svg.formOf(shape));
  }

  private add(shape: Shape, motion: boolean): void {
    const element = svgElement(shape.k === "line" ? "path" : "g");
    const drawn: Drawn = { shape, element, inside: "" };
    this.drawn.set(shape.id, drawn);
    this.dress(drawn);
    this.layers[shape.z ?? 0]?.append(element);
    if (shape.k === "packet") this.packets.set(shape.id, drawn);
    else if (shape.k === "box" || shape.k === "cells") {
      element.setAttribute("transform", svg.boxPlace(shape));
      if (motion) element.animate({ opacity: [0, 1] }, { duration: fadeMs, easing });
    }
  }

  private change(drawn: Drawn, shape: Shape, motion: boolean): void {
    const before = drawn.shape;
    drawn.shape = shape;
    this.dress(drawn);
    if ((before.z ?? 0) !== (shape.z ?? 0)) this.layers[shape.z ?? 0]?.append(drawn.element);
    if (shape.k !== "box") return;
    if (motion) grow(drawn.element, before, shape);
    if (svg.boxPlace(before) === svg.boxPlace(shape)) return;
    const from = drawn.slide?.playState === "running" ? getComputedStyle(drawn.element).transform : translate(before);
    drawn.slide?.cancel();
    drawn.element.setAttribute("transform", svg.boxPlace(shape));
    if (motion) drawn.slide = drawn.element.animate({ transform: [from, translate(shape)] }, { duration: slideMs, easing });
  }

  /** Gives an element the classes and the insides of its shape. */
  private dress({ shape, element }: Drawn): void {
    const drawn = this.drawn.get(shape.id)!;
    for (const [name, value] of svg.common(shape)) {
      setAttr(element, name, name === "class" ? value + (this.fresh.has(shape.id) ? " is-fresh" : "") + (this.isSelected(shape) ? " is-selected" : "") : value);
    }
    if (!shape.about) element.removeAttribute("data-about");
    if (shape.k === "line") {
      this.lines.set(shape.id, svg.polyline(shape.path ?? ""));
      setAttr(element, "d", shape.path ?? "");
      return;
    }
    const inside = svg.content(shape, this.say);
    const key = JSON.stringify(inside);
    if (key === drawn.inside) return;
    drawn.inside = key;
    fill(element, inside);
  }

  private remove(drawn: Drawn, motion: boolean): void {
    const { shape, element } = drawn;
    this.drawn.delete(shape.id);
    this.packets.delete(shape.id);
    this.fresh.delete(shape.id);
    if (shape.k === "line") this.lines.delete(shape.id);
    if (!motion || shape.k === "line") return element.remove();
    element.classList.add("is-leaving");
    const fade = element.animate({ opacity: [1, 0] }, { duration: fadeMs, easing, fill: "forwards" });
    fade.onfinish = fade.oncancel = () => element.remove();
  }
}

/** Children of an element, reusing those whose tag is the same, so that sizes and colours can change gently. */
function fill(element: SVGElement, nodes: svg.Node[]): void {
  const old = [...element.children];
  let at = 0;
  for (const node of nodes) {
    let child = old[at];
    if (child && child.tagName === node.tag) at++;
    else {
      child = svgElement(node.tag as "g");
      element.insertBefore(child, old[at] ?? null);
    }
    const wanted = new Map(node.attrs);
    for (const { name } of [...child.attributes]) if (!wanted.has(name)) child.removeAttribute(name);
    for (const [name, value] of wanted) setAttr(child, name, value);
    if (node.text !== undefined && child.textContent !== node.text) child.textContent = node.text;
  }
  for (const child of old.slice(at)) child.remove();
}

/** Lets a box become larger or smaller. */
function grow(element: Element, from: Shape, to: Shape): void {
  if (from.w === to.w && from.h === to.h) return;
  const sizes = (a = 0, b = 0) => [`${a}px`, `${b}px`];
  element.querySelector(":scope > rect")?.animate({ width: sizes(from.w, to.w), height: sizes(from.h, to.h) }, { duration: slideMs, easing });
}

const goesOnCanvas = (s: Shape) => (s.k === "packet" && s.f !== "pill") || svg.isBare(s);

const translate = (s: Shape) => `translate(${s.x ?? 0}px, ${s.y ?? 0}px)`;

function isFresh(shape: Shape, who: string, about: string | undefined, revision: string): boolean {
  if (shape.k !== "box") return false;
  if (shape.role === "revision") return shape.id === revision;
  if (about !== undefined) return shape.about === about;
  return shape.about === who && !["chip", "tile", "pill"].includes(svg.formOf(shape));
}

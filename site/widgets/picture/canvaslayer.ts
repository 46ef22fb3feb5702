// The canvas layer: where a picture has hundreds of shapes too small for a text, these and
// all that travels are drawn on a canvas over the SVG, because an element each
// costs a browser more than the whole of our script. It is loaded when it is needed.
//
// The look is scene.css alone: what a class of shape looks like is read off a
// hidden element of that class (probe.ts), so light and dark, forced colours and a
// page's own tokens are as in the SVG. Shapes that rest lie on one canvas, of
// which only the places that changed are painted again; on the other is what moves.

import { prefersStill } from "../dom/dom";
import { Labels } from "./labels";
import { watchLooks, Looks, type Look } from "./probe";
import type { Spot } from "./reading";
import type { Shape } from "../state/recording";
import * as svg from "./svg";

const slideMs = 260;
const fadeMs = 180;
const ringMs = 700; // around what has just become fresh
/** From here on everything is painted again rather than place by place. */
const mostPlaces = 300;
/** Side of the squares of the map of what lies where, in units of the scene. */
const square = 32;
/** How far a stroke may reach beyond its shape, units. */
const reach = 3;

interface Item {
  shape: Shape;
  /** Where it slides from, and since when; resting without. */
  slide?: { x: number; y: number; since: number };
  /** Since when it fades in; or out, and then it is no longer there to be found. */
  appears?: number;
  leaves?: number;
}

type Rect = [x: number, y: number, w: number, h: number];

/** What the canvas has to know of its picture. */
export interface Scenery {
  readonly root: SVGSVGElement;
  line(id: string): svg.Polyline | undefined;
}

export class CanvasLayer {
  private readonly resting = canvas();
  private readonly moving = canvas();
  private readonly looks: Looks;
  private readonly labels = new Labels();
  private readonly items = new Map<string, Item>();
  private readonly packets = new Map<string, Shape>();
  private readonly inMotion = new Set<Item>();
  private readonly squares = new Map<number, Set<Item>>();
  private readonly rings = new Map<string, number>();
  private places: Rect[] = [];
  private isWhole = true; // everything has to be painted
  private isMovingEmpty = true;
  private fresh: ReadonlySet<string> = new Set();
  private selected = "";
  private way: svg.Way = () => 1;
  private loop = 0;
  private left = 0; // of the scene's origin in the canvas, CSS px
  private top = 0;
  private scale = 1; // CSS px in a unit
  private readonly sizes = new ResizeObserver(() => this.measure());

  constructor(private readonly scenery: Scenery) {
    this.looks = new Looks(scenery.root);
    scenery.root.after(this.resting, this.moving);
    this.sizes.observe(scenery.root);
    watchLooks(this.resting, () => {
      this.looks.forget();
      this.labels.forget();
      this.isWhole = true;
      this.soon();
    });
    this.measure();
  }

  /** Takes the canvas away. */
  remove(): void {
    cancelAnimationFrame(this.loop);
    this.sizes.disconnect();
    this.resting.remove();
    this.moving.remove();
  }

  /** What is drawn here, by id. */
  *shapes(): Iterable<Shape> {
    for (const { shape } of this.items.values()) yield shape;
    yield* this.packets.values();
  }

  get(id: string): Shape | undefined {
    return this.items.get(id)?.shape ?? this.packets.get(id);
  }

  /** Draws a shape, in the place of the one with its id; motion lets it slide or fade in. */
  set(shape: Shape, motion: boolean): void {
    if (shape.k === "packet") return void this.packets.set(shape.id, shape);
    const before = this.items.get(shape.id);
    const item: Item = before ?? { shape };
    if (before) {
      if (svg.boxPlace(before.shape) !== svg.boxPlace(shape)) {
        const [x, y] = placeOf(before, performance.now());
        this.lift(before);
        delete item.slide;
        if (motion) item.slide = { x, y, since: performance.now() };
      } else this.spoil(before);
    } else if (motion) item.appears = performance.now();
    item.shape = shape;
    this.items.set(shape.id, item);
    if (item.slide || item.appears) this.inMotion.add(item);
    else this.lay(item);
  }

  delete(id: string, motion: boolean): void {
    this.packets.delete(id);
    const item = this.items.get(id);
    if (!item) return;
    this.items.delete(id);
    this.rings.delete(id);
    this.lift(item);
    this.inMotion.delete(item);
    if (!motion) return;
    item.leaves = performance.now();
    this.inMotion.add(item);
  }

  /** Marks those for which a rule holds. */
  mark(isFresh: (shape: Shape) => boolean): void {
    const fresh = new Set<string>();
    for (const [id, { shape }] of this.items) if (isFresh(shape)) fresh.add(id);
    for (const id of new Set([...this.fresh, ...fresh])) {
      const item = this.items.get(id);
      if (!item || this.fresh.has(id) === fresh.has(id)) continue;
      this.spoil(item);
      if (fresh.has(id) && !prefersStill()) this.rings.set(id, performance.now());
    }
    this.fresh = fresh;
  }

  select(about: string): void {
    this.selected = about;
    this.isWhole = true;
    this.soon();
  }

  /** Shows everything as it is now, with what travels where it is. */
  travel(way: svg.Way): void {
    this.way = way;
    this.paint();
  }

  /** What is drawn here and where it is now, in units of the scene. */
  spots(): Spot[] {
    return [...this.shapes()].map((shape) => this.spotOf(shape));
  }

  spotOf(shape: Shape): Spot {
    const { id, w = 0, h = 0 } = shape;
    if (shape.k === "packet") {
      const [x, y] = this.placeOfPacket(shape);
      return { id, shape, x: x - 6, y: y - 6, w: 12, h: 12 };
    }
    return { id, shape, x: shape.x ?? 0, y: shape.y ?? 0, w, h };
  }

  /** What lies at a point of the page; what is nearest where nothing does, within a few px. */
  at(clientX: number, clientY: number): Shape | undefined {
    const box = this.resting.getBoundingClientRect();
    const [x, y] = [(clientX - box.left - this.left) / this.scale, (clientY - box.top - this.top) / this.scale];
    const slack = 3 / this.scale;
    for (const packet of this.packets.values()) {
      const [px, py] = this.placeOfPacket(packet);
      if (Math.hypot(px - x, py - y) <= 7 + slack) return packet;
    }
    let best: Shape | undefined;
    let least = slack;
    for (const { shape } of this.around([x - slack, y - slack, 2 * slack, 2 * slack])) {
      const { x: sx = 0, y: sy = 0, w = 0, h = 0 } = shape;
      const far = Math.max(sx - x, x - sx - w, sy - y, y - sy - h, 0);
      if (far <= least) [best, least] = [shape, far];
    }
    return best;
  }

  // —— what lies where

  private *around([x, y, w, h]: Rect): Iterable<Item> {
    const seen = new Set<Item>();
    for (const key of squaresOf([x, y, w, h])) {
      for (const item of this.squares.get(key) ?? []) {
        if (seen.has(item)) continue;
        seen.add(item);
        yield item;
      }
    }
  }

  private lay(item: Item): void {
    for (const key of squaresOf(rectOf(item.shape))) {
      const there = this.squares.get(key);
      if (there) there.add(item);
      else this.squares.set(key, new Set([item]));
    }
    this.spoil(item);
  }

  private lift(item: Item): void {
    for (const key of squaresOf(rectOf(item.shape))) this.squares.get(key)?.delete(item);
    this.spoil(item);
  }

  /** The place of a shape has to be painted again. */
  private spoil({ shape }: Item): void {
    if (!this.isWhole) this.places.push(rectOf(shape));
    if (this.places.length > mostPlaces) this.isWhole = true;
  }

  // —— painting

  private measure(): void {
    const { root } = this.scenery;
    const ctm = root.getScreenCTM();
    const box = root.getBoundingClientRect();
    if (!ctm || box.width === 0) return;
    const parent = (this.resting.offsetParent ?? document.body).getBoundingClientRect();
    const density = devicePixelRatio;
    [this.left, this.top, this.scale] = [ctm.e - box.left, ctm.f - box.top, ctm.a];
    for (const each of [this.resting, this.moving]) {
      each.width = Math.round(box.width * density);
      each.height = Math.round(box.height * density);
      Object.assign(each.style, { insetInlineStart: `${box.left - parent.left}px`, insetBlockStart: `${box.top - parent.top}px`,
        inlineSize: `${box.width}px`, blockSize: `${box.height}px` });
      each.getContext("2d")?.setTransform(this.scale * density, 0, 0, this.scale * density, this.left * density, this.top * density);
    }
    this.labels.forget();
    this.isWhole = true;
    this.paint();
  }

  private soon(): void {
    this.loop ||= requestAnimationFrame(() => {
      this.loop = 0;
      this.paint();
    });
  }

  private paint(): void {
    const time = performance.now();
    for (const item of this.inMotion) {
      const { slide, appears, leaves } = item;
      if (leaves ? time - leaves < fadeMs : slide ? time - slide.since < slideMs : time - (appears ?? 0) < fadeMs) continue;
      this.inMotion.delete(item);
      delete item.slide;
      delete item.appears;
      if (!leaves) this.lay(item);
    }
    this.paintResting();
    this.paintMoving(time);
    if (this.inMotion.size > 0 || this.rings.size > 0) this.soon();
  }

  private paintResting(): void {
    const context = this.resting.getContext("2d");
    if (!context || (!this.isWhole && this.places.length === 0)) return;
    context.save();
    let items: Iterable<Item>;
    if (this.isWhole) {
      wipe(context);
      items = [...this.items.values()].filter((item) => !this.inMotion.has(item));
    } else {
      const near = new Set<Item>();
      const transform = context.getTransform();
      context.resetTransform(); // whole pixels: half of one would be seen as a seam
      const pixels = this.places.map((place) => whole(place, transform));
      context.beginPath();
      for (const [x, y, w, h] of pixels) context.rect(x, y, w, h);
      context.clip();
      for (const [x, y, w, h] of pixels) context.clearRect(x, y, w, h);
      context.setTransform(transform);
      for (const place of this.places) for (const item of this.around(place)) near.add(item);
      items = near;
    }
    this.drawBoxes(context, items);
    context.restore();
    this.places = [];
    this.isWhole = false;
  }

  /**
   * Draws boxes look by look, one path for all that look the same; in an order that
   * depends on nothing else, since edges of neighbours may touch.
   */
  private drawBoxes(context: CanvasRenderingContext2D, items: Iterable<Item>): void {
    const by = new Map<Look, Shape[]>();
    for (const { shape } of items) {
      const look = this.lookOf(shape);
      const same = by.get(look);
      if (same) same.push(shape);
      else by.set(look, [shape]);
    }
    for (const [look, shapes] of [...by].sort(([a], [b]) => (a.cls < b.cls ? -1 : 1))) {
      context.beginPath();
      for (const shape of shapes) context.roundRect(shape.x ?? 0, shape.y ?? 0, shape.w ?? 0, shape.h ?? 0, svg.cornerOf(shape));
      stroke(context, look);
    }
  }

  private lookOf(shape: Shape): Look {
    const [, cls] = svg.common(shape)[0]!;
    const isSelected = this.selected !== "" && shape.about === this.selected;
    return this.looks.of(shape.k, cls + (this.fresh.has(shape.id) ? " is-fresh" : "") + (isSelected ? " is-selected" : ""), shape.role);
  }

  private paintMoving(time: number): void {
    const context = this.moving.getContext("2d");
    const isEmpty = this.inMotion.size + this.packets.size + this.rings.size === 0;
    if (!context || (isEmpty && this.isMovingEmpty)) return;
    this.isMovingEmpty = isEmpty;
    wipe(context);
    for (const item of this.inMotion) {
      const { shape, appears, leaves } = item;
      context.globalAlpha = leaves ? Math.max(0, 1 - (time - leaves) / fadeMs) : appears ? Math.min(1, (time - appears) / fadeMs) : 1;
      const [x, y] = placeOf(item, time);
      this.drawBoxes(context, [{ shape: { ...shape, x, y } }]);
    }
    for (const [id, since] of this.rings) {
      const item = this.items.get(id);
      const part = (time - since) / ringMs;
      if (!item || part >= 1) this.rings.delete(id);
      else this.drawRing(context, item, part, time);
    }
    const place = (p: Shape) => this.placeOfPacket(p);
    for (const packet of this.packets.values()) drawPacket(context, packet, place(packet), this.lookOf(packet), this.labels);
    context.globalAlpha = 1;
  }

  /** As kw-ring in player.css. */
  private drawRing(context: CanvasRenderingContext2D, item: Item, part: number, time: number): void {
    const { w = 0, h = 0 } = item.shape;
    const [x, y] = placeOf(item, time);
    const rest = (1 - part) ** 3;
    context.beginPath();
    context.roundRect(x, y, w, h, svg.cornerOf(item.shape));
    context.globalAlpha = 0.55 + 0.45 * part;
    context.setLineDash([]);
    context.lineWidth = 2.25 + 4.75 * rest;
    context.strokeStyle = this.lookOf(item.shape).stroke;
    context.stroke();
    context.globalAlpha = 1;
  }

  private placeOfPacket(p: Shape): [x: number, y: number] {
    const line = this.scenery.line(p.on ?? "");
    const [x, y] = line ? svg.along(line, svg.onPath(p, Math.trunc(this.way(p) * 1e6))) : [0, 0];
    return [x / 10 + (p.x ?? 0), y / 10 + (p.y ?? 0)];
  }
}

function canvas(): HTMLCanvasElement {
  const element = document.createElement("canvas");
  element.className = "kw-canvaslayer";
  element.setAttribute("aria-hidden", "true"); // the log and the reading say it in words
  return element;
}

function rectOf({ x = 0, y = 0, w = 0, h = 0 }: Shape): Rect {
  return [x - reach, y - reach, w + 2 * reach, h + 2 * reach];
}

/** A place of the scene in whole pixels of a canvas. */
function whole([x, y, w, h]: Rect, { a, e, f }: DOMMatrix): Rect {
  const [left, top] = [Math.floor(x * a + e), Math.floor(y * a + f)];
  return [left, top, Math.ceil((x + w) * a + e) - left, Math.ceil((y + h) * a + f) - top];
}

function* squaresOf([x, y, w, h]: Rect): Iterable<number> {
  for (let i = Math.floor(x / square); i <= Math.floor((x + w) / square); i++) {
    for (let j = Math.floor(y / square); j <= Math.floor((y + h) / square); j++) yield i * 4096 + j;
  }
}

/** Where a box is at a time of the page: on its way, or where it belongs. */
function placeOf({ shape, slide }: Item, time: number): [x: number, y: number] {
  const { x = 0, y = 0 } = shape;
  if (!slide) return [x, y];
  const rest = (1 - Math.min(1, (time - slide.since) / slideMs)) ** 3;
  return [x + (slide.x - x) * rest, y + (slide.y - y) * rest];
}

function wipe(context: CanvasRenderingContext2D): void {
  context.save();
  context.resetTransform();
  context.clearRect(0, 0, context.canvas.width, context.canvas.height);
  context.restore();
}

/** Fills and strokes the path that is there. */
function stroke(context: CanvasRenderingContext2D, look: Look): void {
  const { globalAlpha } = context;
  context.globalAlpha = globalAlpha * look.opacity;
  if (look.fill) {
    context.fillStyle = look.fill;
    context.fill();
  }
  if (look.stroke && look.width > 0) {
    context.strokeStyle = look.stroke;
    context.lineWidth = look.width;
    context.setLineDash(look.dash);
    context.stroke();
  }
  context.globalAlpha = globalAlpha;
}

function drawPacket(context: CanvasRenderingContext2D, packet: Shape, [x, y]: [number, number], look: Look, labels: Labels): void {
  context.beginPath();
  if (packet.role === "reply") context.roundRect(x - 5, y - 5, 10, 10, 2);
  else if (packet.role === "watch") {
    context.moveTo(x, y - 7);
    context.lineTo(x + 7, y);
    context.lineTo(x, y + 7);
    context.lineTo(x - 7, y);
    context.closePath();
  } else context.arc(x, y, 5, 0, 2 * Math.PI);
  stroke(context, look);
  if (!packet.t || !look.text) return;
  const isLeft = (packet.x ?? 0) < 0;
  context.globalAlpha = look.opacity;
  labels.draw(context, packet.t, look.text, x + (isLeft ? -11 : 11), y + 4, isLeft);
  context.globalAlpha = 1;
}

// From shape to SVG: the mapping of playground/demo/scene/doc.go, whose reference is
// playground/demo/scene/svg.go. It is pure: draw.ts makes elements of it, print makes
// text, and playground/demo/scene/testdata/fixture.json holds both sides to the same.

import { fill } from "../state/phrases";
import type { Spot } from "./reading";
import type { Form, Layout, Shape } from "../state/recording";

/** An element to be: a tag, attributes in order, and children or a text. */
export interface Node {
  tag: string;
  attrs: [name: string, value: string][];
  children: Node[];
  text?: string;
}

export type Words = (key: string) => string | undefined;

const frames = new Set(["apiserver", "store", "user", "controller", "scheduler", "node"]);

export function formOf({ f, role }: Pick<Shape, "f" | "role">): Form {
  if (f) return f;
  if (frames.has(role)) return "frame";
  if (role === "label") return "label";
  if (role === "meter" || role === "meter-fill") return "bar";
  return "chip";
}

/** A Pod without room for a text: where there are many, they are drawn on a canvas (canvaslayer.ts). */
export const isBare = (s: Shape): boolean =>
  s.k === "box" && (s.role === "pod" || s.role === "ghost") && s.about !== undefined && (s.w ?? 0) < 30 && !s.m && !s.t && !s.d && !s.word && !s.dword;

/** How round the corners of such a Pod are. */
export const cornerOf = ({ h = 0, f }: Shape): number => Math.min(f === "tile" ? 7 : 5, Math.floor(h / 2));

const node = (tag: string, attrs: [string, string | number][], children: Node[] = []): Node => ({
  tag,
  attrs: attrs.map(([k, v]) => [k, String(v)]),
  children,
});

function words(cls: string, x: number, y: number, anchor: "" | "middle" | "end", text: string | undefined): Node[] {
  if (!text) return [];
  const n = node("text", [["class", cls], ["x", x], ["y", y]]);
  if (anchor) n.attrs.push(["text-anchor", anchor]);
  n.text = text;
  return [n];
}

/** What every shape's element carries. */
export function common(s: Shape): [string, string][] {
  let cls = `kw-${s.k} role-${s.role}`;
  if (s.s) cls += ` state-${s.s}`;
  if (s.f) cls += ` form-${s.f}`;
  if (s.fresh) cls += " is-fresh";
  const out: [string, string][] = [["class", cls], ["data-id", s.id]];
  if (s.about) out.push(["data-about", s.about]);
  return out;
}

/** A phrase with the parts of its arguments in the place of {1}, {2} … */
export function phrase(key: string | undefined, args: string | undefined, say: Words | undefined): string | undefined {
  const template = key && say?.(key);
  return template && args ? fill(template, Object.fromEntries(args.split("|").map((a, i) => [String(i + 1), a]))) : template;
}

/** A box's insides. */
export function boxContent(s: Shape, say?: Words): Node[] {
  const { w = 0, h = 0, m } = s;
  const title = phrase(s.word, s.args, say) || s.t;
  const d = phrase(s.dword, s.args, say) || s.d;
  const form = formOf(s);
  const half = Math.floor(h / 2);
  const out: Node[] = [];
  if (form !== "label" && form !== "text" && form !== "number") {
    const radius = radii[form]?.(half) ?? Math.min(5, half);
    out.push(node("rect", [["width", w], ["height", h], ["rx", radius]]));
  }
  const after = (x: number, mark: number) => (m ? x + mark : x);
  const line = (side: number, y: number, mark: number) =>
    out.push(...words("mark", side, y, "", m), ...words("title", after(side, mark), y, "", title), ...words("detail", w - side, y, "end", d));
  if (form === "frame") line(12, 20, 16);
  else if (form === "label") line(0, h - 4, 14);
  else if (form === "chip" && h >= 30 && d) {
    out.push(...words("mark", 7, half - 3, "", m), ...words("title", after(7, 13), half - 3, "", title), ...words("detail", after(7, 13), half + 12, "", d));
  } else if (form === "chip") line(7, half + 4, 13);
  else if (form === "panel") line(14, 25, 20);
  else if (form === "text") line(0, h - 5, 18);
  else if (form === "tile" && m) line(8, half + 5, 17);
  else if (form === "number") out.push(...words("detail", 0, 14, "", d), ...words("title", 0, h - 4, "", title));
  else if (form === "pill" || form === "tile") out.push(...words("title", Math.floor(w / 2), half + 5, "middle", title));
  return out;
}

const radii: Partial<Record<Form, (half: number) => number>> = {
  frame: () => 10, bar: (half) => half, pill: (half) => half, panel: () => 14, tile: (half) => Math.min(7, half),
};

/** A packet's insides. */
export function packetContent(s: Shape): Node[] {
  const { w = 0, h = 0 } = s;
  if (formOf(s) === "pill") {
    const [x, y] = [-Math.floor(w / 2), -Math.floor(h / 2)];
    return [node("rect", [["x", x], ["y", y], ["width", w], ["height", h], ["rx", Math.floor(h / 2)]]), ...words("title", 0, 5, "middle", s.t)];
  }
  const sign =
    s.role === "reply" ? node("rect", [["x", -5], ["y", -5], ["width", 10], ["height", 10], ["rx", 2]])
    : s.role === "watch" ? node("path", [["d", "M0 -7L7 0L0 7L-7 0Z"]])
    : node("circle", [["r", 5]]);
  return [sign, ...((s.x ?? 0) < 0 ? words("title", -11, 4, "end", s.t) : words("title", 11, 4, "", s.t))];
}

/** Runs of cells, broken at the ends of rows. */
export function eachRun(s: Shape, f: (at: number, n: number, cell: string) => void): void {
  const { cols = 1, runs = "" } = s;
  let at = 0;
  for (const [, count, cell] of runs.matchAll(/(\d*)(\D)/g)) {
    for (let left = Number(count || 1); left > 0; ) {
      const n = Math.min(left, cols - (at % cols));
      f(at, n, cell!);
      at += n;
      left -= n;
    }
  }
}

/** What a cell is drawn with besides its square: part, height and middle in tenths of units. */
export function cellPart(cell: string, side: number): [part: string, high: number, middle: number] | undefined {
  const level = (part: string, eighths: number): [string, number, number] => {
    const high = Math.floor((side * 10 * eighths) / 8);
    return [part, high, side * 10 - Math.floor(high / 2)];
  };
  const code = cell.charCodeAt(0);
  if (cell > "a" && cell <= "i") return level("fill", code - 97);
  if (cell >= "A" && cell <= "I") return level("busy", Math.max(code - 65, 1));
  if (cell === "s") return ["lid", 20, 10];
  if (cell === "x") return ["lost", 20, side * 5];
  return undefined;
}

const cellParts = ["cell", "fill", "busy", "lid", "lost"];

/** The insides of cells: a dashed line for every part and height. */
export function cellsContent(s: Shape): Node[] {
  const { cols = 1, pitch = 2 } = s;
  const side = pitch - 1;
  const paths = new Map<number, string>(); // by part and height
  const line = (part: string, high: number, at: number, n: number, middle: number) => {
    const key = cellParts.indexOf(part) * 1e4 + high;
    const row = Math.floor(at / cols);
    paths.set(key, `${paths.get(key) ?? ""}M${(at % cols) * pitch} ${(row * pitch * 10 + middle) / 10}h${n * pitch - 1}`);
  };
  eachRun(s, (at, n, cell) => {
    if (cell === ".") return;
    line("cell", side * 10, at, n, side * 5);
    const part = cellPart(cell, side);
    if (part && part[1] > 0) line(part[0], part[1], at, n, part[2]);
  });
  return [...paths.keys()].sort((a, b) => a - b).map((key) =>
    node("path", [["class", cellParts[Math.floor(key / 1e4)]!], ["stroke-width", (key % 1e4) / 10], ["stroke-dasharray", `${side} 1`], ["d", paths.get(key)!]]),
  );
}

/** The cell of a shape of cells at a point of the scene. */
export function cellAt(s: Shape, x: number, y: number): Spot | undefined {
  const { cols = 1, pitch = 2 } = s;
  const [col, row] = [Math.floor((x - (s.x ?? 0)) / pitch), Math.floor((y - (s.y ?? 0)) / pitch)];
  if (col < 0 || col >= cols || row < 0) return undefined;
  return cellSpots(s).find((spot) => spot.cell === row * cols + col);
}

/** The letter of a cell; "." when there is none. */
export function cellLetter(s: Shape, at: number): string {
  let letter = ".";
  eachRun(s, (from, n, cell) => {
    if (at >= from && at < from + n) letter = cell;
  });
  return letter;
}

/** All cells of a shape, as places. */
export function cellSpots(s: Shape): Spot[] {
  const { cols = 1, pitch = 2 } = s;
  const out: Spot[] = [];
  eachRun(s, (from, n, cell) => {
    for (let i = from; cell !== "." && i < from + n; i++) {
      out.push({ id: `${s.id}#${i}`, shape: s, cell: i,
        x: (s.x ?? 0) + (i % cols) * pitch, y: (s.y ?? 0) + Math.floor(i / cols) * pitch, w: pitch - 1, h: pitch - 1 });
    }
  });
  return out;
}

/** What is inside a shape's group. */
export const content = (s: Shape, say?: Words): Node[] => (s.k === "packet" ? packetContent(s) : s.k === "cells" ? cellsContent(s) : boxContent(s, say));

/** How far a packet has come at a virtual time, µs, in millionths of its path. */
export function progress(s: Shape, now: number): number {
  const { from = 0, to = 0 } = s;
  const done = to <= from ? 1e6 : Math.trunc(((now - from) * 1e6) / (to - from));
  return onPath(s, Math.max(0, Math.min(1e6, done)));
}

/** How much of its way a packet has behind it, 0 to 1. */
export type Way = (packet: Shape) => number;

/** Where on its path a packet is that has so much of its way behind it, both in millionths. */
export const onPath = (s: Shape, done: number): number => (s.back ? 1e6 - done : done);

/** A polyline, "M x y L x y …", read once. */
export interface Polyline {
  xs: number[];
  ys: number[];
  total: number;
}

export function polyline(path: string): Polyline {
  const fields = path.split(/\s+/);
  const xs: number[] = [];
  const ys: number[] = [];
  for (let i = 0; i + 2 < fields.length; i += 3) {
    xs.push(Number(fields[i + 1]));
    ys.push(Number(fields[i + 2]));
  }
  let total = 0;
  for (let i = 1; i < xs.length; i++) total += Math.abs(xs[i]! - xs[i - 1]!) + Math.abs(ys[i]! - ys[i - 1]!);
  return { xs, ys, total };
}

/** a/b in tenths, rounded half up; neither is negative. */
const tenthsOf = (a: number, b: number) => Math.floor((a * 20 + b) / (2 * b));

/** The point of a polyline at so many millionths of its length, in tenths of units. */
export function along(line: Polyline, millionths: number): [x: number, y: number] {
  const { xs, ys, total } = line;
  if (xs.length === 0) return [0, 0];
  let left = total * millionths;
  for (let i = 1; i < xs.length; i++) {
    const dx = xs[i]! - xs[i - 1]!;
    const dy = ys[i]! - ys[i - 1]!;
    const piece = Math.abs(dx) + Math.abs(dy);
    if (left <= piece * 1e6 && piece > 0) {
      return [
        tenthsOf(xs[i - 1]! * 1e6 * piece + dx * left, piece * 1e6),
        tenthsOf(ys[i - 1]! * 1e6 * piece + dy * left, piece * 1e6),
      ];
    }
    left -= piece * 1e6;
  }
  return [xs.at(-1)! * 10, ys.at(-1)! * 10];
}

/** How far a pill reaches over the boxes at its path's ends, units. */
const lap = 4;

/** Where on its path a pill is, both in millionths: from beside the one box to beside the other. */
function between(s: Shape, total: number, millionths: number): number {
  if (formOf(s) !== "pill" || total === 0) return millionths;
  const off = Math.min(Math.floor(((Math.floor((s.h ?? 0) / 2) - lap) * 1e6) / total), 500_000);
  return off + Math.floor((millionths * (1e6 - 2 * off)) / 1e6);
}

/** Where a packet is that has come so far, in millionths: the value of its transform attribute. */
export function packetPlace(s: Shape, line: Polyline | undefined, millionths: number): string {
  const [x, y] = line ? along(line, between(s, line.total, millionths)) : [0, 0];
  return `translate(${(x + (s.x ?? 0) * 10) / 10} ${(y + (s.y ?? 0) * 10) / 10})`;
}

export const boxPlace = (s: Shape): string => `translate(${s.x ?? 0} ${s.y ?? 0})`;

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };
const escape = (text: string) => text.replace(/[&<>"']/g, (c) => escapes[c]!);

function printNode(n: Node): string {
  const open = `<${n.tag}${n.attrs.map(([k, v]) => ` ${k}="${escape(v)}"`).join("")}`;
  const inside = (n.text === undefined ? "" : escape(n.text)) + n.children.map(printNode).join("");
  return inside ? `${open}>${inside}</${n.tag}>` : `${open}/>`;
}

export interface Still {
  name: string;
  now: number; // µs
  words?: Words;
  layout: Layout;
}

export const layers = [0, 1, 2, 3, 4] as const;

/** Prints a scene as the build does. */
export function print(scene: { width: number; height: number; shapes: Shape[] }, still: Still): string {
  const paths = new Map(scene.shapes.filter((s) => s.k === "line").map((s) => [s.id, polyline(s.path ?? "")]));
  const shape = (s: Shape): string => {
    if (s.k === "line") return printNode(node("path", [...common(s), ["d", s.path ?? ""]]));
    const place = s.k === "packet" ? packetPlace(s, paths.get(s.on ?? ""), progress(s, still.now)) : boxPlace(s);
    const inside = content(s, still.words);
    const open = node("g", [...common(s), ["transform", place]], inside);
    return inside.length > 0 ? printNode(open) : printNode(open).replace(/\/>$/, "></g>");
  };
  const inLayer = (z: number) => scene.shapes.filter((s) => (s.z ?? 0) === z).map(shape).join("");
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="kw-scene kw-${escape(still.layout)}" ` +
    `viewBox="0 0 ${scene.width} ${scene.height}" role="img" aria-label="${escape(still.name)}">` +
    layers.map((z) => `<g class="kw-layer kw-z${z}">${inLayer(z)}</g>`).join("") +
    "</svg>"
  );
}

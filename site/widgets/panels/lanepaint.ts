// Draws the lanes on a canvas: only those that are seen, and of what is too close
// together for the eye one thing for each pixel.

import { seconds } from "../state/phrases";
import type { Frame } from "../state/recording";
import { isBar, mostRows, type End, type Kind, type Lane, type Thing } from "../state/tracks";
import type { Window } from "../state/window";

export const axisHeight = 38;

export interface Colours {
  surface: string;
  raised: string;
  ink: string;
  muted: string;
  line: string;
  strong: string;
  accent: string;
  tint: string;
  bad: string;
  badTint: string;
  warn: string;
  mono: string;
  sans: string;
}

export interface Sight {
  frames: readonly Frame[];
  lanes: readonly Lane[];
  /** Of the author's moments, ms. */
  marks: readonly number[];
  window: Window;
  width: number;
  height: number;
  laneHeight: number;
  /** What stands above each lane's drawing: a name, where there is no room beside it. */
  head: number;
  /** How far the lanes are scrolled down. */
  top: number;
  /** When the display shows a virtual time, ms. */
  msAt(us: number): number;
  /** The virtual time at a moment of the display, µs. */
  timeAt(ms: number): number;
  cursor: { lane: number; thing: Thing | undefined } | undefined;
}

/** Where a thing begins and ends, ms. */
export function extent(thing: Thing, { frames, msAt, window }: Pick<Sight, "frames" | "msAt" | "window">): [from: number, to: number] {
  const from = frames[thing.from]?.d ?? 0;
  if (thing.due !== undefined) return [from, Math.max(from, msAt(thing.due))];
  if (thing.to === Infinity) return [from, Math.max(window.to, frames.at(-1)?.d ?? from)];
  return [from, frames[thing.to]?.d ?? from];
}

/** Where a thing is drawn inside its lane: y and height. */
export function band(kind: Kind, row: number, rows: number, room: number): [y: number, height: number] {
  if (kind === "down") return [2, room - 4];
  if (kind === "delay") return [room * 0.54, 5];
  if (!isBar(kind)) return [room * 0.32 - 5, 10];
  const n = Math.min(rows, mostRows);
  const high = Math.min(14, (room * 0.5) / n);
  return [3 + row * high, Math.max(2.5, high - 1.5)];
}

export function paint(c: CanvasRenderingContext2D, sight: Sight, colours: Colours): void {
  const { width, height, laneHeight, head, lanes, top } = sight;
  c.clearRect(0, 0, width, height);
  c.save();
  c.beginPath();
  c.rect(0, axisHeight, width, height - axisHeight);
  c.clip();
  markLines(c, sight, colours);
  const first = Math.max(0, Math.floor(top / laneHeight));
  const last = Math.min(lanes.length, Math.ceil((top + height - axisHeight) / laneHeight));
  for (let i = first; i < last; i++) {
    const y = axisHeight + i * laneHeight - top;
    if (sight.cursor?.lane === i) {
      c.fillStyle = colours.tint;
      c.fillRect(0, y, width, laneHeight);
    }
    c.fillStyle = colours.line;
    c.fillRect(0, Math.round(y + laneHeight) - 1, width, 1);
    c.save();
    c.translate(0, y + head);
    lane(c, lanes[i]!, laneHeight - head, sight, colours);
    c.restore();
    if (head > 0) name(c, lanes[i]!.id, y, head, sight.cursor?.lane === i, colours);
  }
  c.restore();
  axis(c, sight, colours);
}

/** A lane's name, where it stands above what is drawn. */
function name(c: CanvasRenderingContext2D, text: string, y: number, head: number, isChosen: boolean, k: Colours): void {
  c.font = `600 14px ${k.sans}`;
  c.textAlign = "left";
  c.textBaseline = "middle";
  c.fillStyle = isChosen ? k.tint : k.surface;
  c.fillRect(0, y + 1, c.measureText(text).width + 12, head - 1);
  c.fillStyle = k.ink;
  c.fillText(text, 6, y + head / 2 + 1);
}

/** Where the author's moments are, behind all that is drawn. */
function markLines(c: CanvasRenderingContext2D, sight: Sight, k: Colours): void {
  c.strokeStyle = k.line;
  c.setLineDash([2, 4]);
  for (const at of sight.marks.map(place(sight)).map(Math.round)) {
    c.beginPath();
    c.moveTo(at + 0.5, axisHeight);
    c.lineTo(at + 0.5, sight.height);
    c.stroke();
  }
  c.setLineDash([]);
}

const place = ({ window, width }: Sight) => (ms: number) => ((ms - window.from) / (window.to - window.from)) * width;

function axis(c: CanvasRenderingContext2D, sight: Sight, k: Colours): void {
  const { window, width } = sight;
  const x = place(sight);
  c.fillStyle = k.line;
  c.fillRect(0, axisHeight - 1, width, 1);
  c.font = `12px ${k.mono}`;
  c.textBaseline = "middle";
  const times: number[] = [];
  for (let at = 6; at < width - 40; at += 104) times.push(sight.timeAt(window.from + (at / width) * (window.to - window.from)));
  for (const [i, time] of times.entries()) {
    const at = 6 + i * 104;
    const isFine = times.some((other, j) => Math.abs(i - j) === 1 && Math.abs(other - time) < 100_000);
    c.fillStyle = k.strong;
    c.fillRect(at, axisHeight - 5, 1, 4);
    c.fillStyle = k.muted;
    c.textAlign = "left";
    c.fillText(isFine ? seconds(time) : `${(time / 1e6).toFixed(1)} s`, at, axisHeight - 12);
  }
  c.textAlign = "center";
  let numbered = -99;
  sight.marks.forEach((ms, i) => {
    const at = Math.round(x(ms));
    if (at < -8 || at > width + 8) return;
    if (at - numbered < 16) return;
    mark(c, Math.max(9, Math.min(width - 9, at)), 8, i + 1, k);
    numbered = at;
  });
}

/** The author's moment, with its number. */
export function mark(c: CanvasRenderingContext2D, x: number, y: number, n: number, k: Colours): void {
  c.fillStyle = k.accent;
  c.beginPath();
  c.roundRect(x - 8, y - 7, 16, 14, 7);
  c.fill();
  c.fillStyle = k.surface;
  c.font = "600 11px system-ui, sans-serif";
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.fillText(String(n), x, y + 0.5);
}

function lane(c: CanvasRenderingContext2D, { things, ticks, depth, rows }: Lane, room: number, sight: Sight, k: Colours): void {
  const x = place(sight);
  const { window, width } = sight;
  const painted = new Map<string, number>(); // by line and kind: the pixel up to which it is painted
  const later: [Thing, number][] = [];
  for (const thing of things) if (thing.kind === "down") down(c, thing, extent(thing, sight).map(x) as [number, number], room, k);
  steps(c, depth, room, sight, k);
  density(c, ticks, room, sight, k);
  for (const thing of things) {
    const [from, to] = extent(thing, sight);
    if (thing.kind === "down" || to < window.from || from > window.to) continue;
    const [a, b] = [x(from), x(to)];
    const isChosen = sight.cursor?.thing === thing;
    if (!isBar(thing.kind) && thing.kind !== "delay") {
      later.push([thing, a]);
      continue;
    }
    const line = `${thing.kind} ${thing.row} ${thing.end === "conflict" || thing.end === "error"}`;
    if (Math.ceil(b) <= (painted.get(line) ?? -1) && !isChosen) continue;
    painted.set(line, Math.ceil(b));
    if (thing.kind === "delay") delay(c, thing, a, b, room, k);
    else bar(c, thing, Math.max(-2, a), Math.min(width + 2, b), band(thing.kind, thing.row, rows, room), k);
    if (isChosen) ring(c, a, b, band(thing.kind, thing.row, rows, room), k);
  }
  for (const [thing, at] of later) {
    const isChosen = sight.cursor?.thing === thing;
    const line = thing.kind;
    if (Math.ceil(at) <= (painted.get(line) ?? -9) + (thing.kind === "event" ? 1 : 3) && !isChosen) continue;
    painted.set(line, Math.ceil(at));
    const [y, high] = band(thing.kind, 0, rows, room);
    sign(c, thing.kind, at, y + high / 2, k);
    if (isChosen) ring(c, at - 4, at + 4, [y, high], k);
  }
}

/** How many wait: a line of steps, filled. */
export function steps(c: CanvasRenderingContext2D, depth: Lane["depth"], room: number, sight: Sight, k: Colours): void {
  if (depth.length === 0) return;
  const x = place(sight);
  const most = Math.max(3, ...depth.map((d) => d.n));
  const base = room - 4;
  const high = room * 0.34;
  const y = (n: number) => base - (n / most) * high;
  const end = sight.frames.at(-1)?.d ?? 0;
  let painted = -1;
  for (let i = 0; i < depth.length; i++) {
    const { frame, n } = depth[i]!;
    if (n === 0) continue;
    const a = x(sight.frames[frame]!.d);
    const b = Math.max(a + 1, x(depth[i + 1] ? sight.frames[depth[i + 1]!.frame]!.d : end));
    if (b < 0 || a > sight.width || (b <= painted && n < 2)) continue;
    painted = b;
    c.fillStyle = k.tint;
    c.fillRect(a, y(n), b - a, base - y(n));
    c.fillStyle = k.accent;
    c.fillRect(a, y(n), b - a, 1.5);
    c.fillRect(a, y(n), 1, Math.max(0, y(depth[i - 1]?.n ?? 0) - y(n)));
    c.fillRect(b - 1, y(n), 1, Math.max(0, y(depth[i + 1]?.n ?? n) - y(n)));
  }
}

/** The legend's sample of what density draws. */
export function strokes(c: CanvasRenderingContext2D, base: number, k: Colours): void {
  c.fillStyle = k.strong;
  for (const [x, high] of [[5, 4], [9, 4], [11, 6], [12, 9], [13, 7], [19, 4], [26, 6], [27, 4]] as const) c.fillRect(x, base - high, 1, high);
}

/** Bursts: the more events, the taller. */
function density(c: CanvasRenderingContext2D, ticks: readonly number[], room: number, sight: Sight, k: Colours): void {
  const x = place(sight);
  const counts = new Uint16Array(sight.width + 1);
  let low = 0;
  for (let high = ticks.length; low < high; ) {
    const middle = (low + high) >> 1;
    if (sight.frames[ticks[middle]!]!.d < sight.window.from) low = middle + 1;
    else high = middle;
  }
  for (; low < ticks.length; low++) {
    const { d } = sight.frames[ticks[low]!]!;
    if (d > sight.window.to) break;
    counts[Math.floor(x(d))]!++;
  }
  c.fillStyle = k.strong;
  for (let i = 0; i < counts.length; i++) {
    if (counts[i]! > 0) c.fillRect(i, room - 2 - Math.min(6, 1.5 + Math.log2(counts[i]!)), 1, Math.min(6, 1.5 + Math.log2(counts[i]!)));
  }
}

/** What is drawn with a red end. */
export const hasFailed = (end: End) => end === "conflict" || end === "error" || end === "noFit" || end === "killed";

export function bar(c: CanvasRenderingContext2D, thing: Thing, a: number, b: number, [y, high]: [number, number], k: Colours): void {
  const wide = Math.max(1.5, b - a);
  const isOwn = thing.kind === "reconcile" || thing.kind === "cycle" || thing.kind === "sync";
  const failed = thing.end !== undefined && hasFailed(thing.end);
  if (wide < 4) {
    c.fillStyle = failed ? k.bad : isOwn ? k.accent : k.strong;
    return c.fillRect(a, y, wide, high);
  }
  c.beginPath();
  c.roundRect(a + 0.5, y + 0.5, wide - 1, high - 1, 2);
  c.fillStyle = isOwn ? k.tint : k.raised;
  c.fill();
  c.lineWidth = 1;
  c.strokeStyle = failed ? k.bad : isOwn ? k.accent : k.strong;
  c.setLineDash(thing.kind === "pull" || thing.to === Infinity ? [3, 2] : []);
  c.stroke();
  c.setLineDash([]);
  // A slanted, filled end says that it ended badly.
  if (failed) {
    c.beginPath();
    c.moveTo(b, y);
    c.lineTo(b - Math.min(7, wide), y + high);
    c.lineTo(b, y + high);
    c.fillStyle = k.bad;
    c.fill();
  }
  const text = (thing.failures > 0 ? `↻${thing.failures} ` : "") + thing.key;
  const letters = Math.floor((wide - 8) / 6.2);
  if (high < 9 || letters < Math.min(6, text.length)) return;
  c.font = `${Math.min(11, high)}px ${k.mono}`;
  c.textAlign = "left";
  c.textBaseline = "middle";
  c.fillStyle = k.ink;
  c.fillText(letters < text.length ? `${text.slice(0, letters - 1)}…` : text, Math.max(a, 0) + 4, y + high / 2 + 0.5);
}

/** From now to when it is due: dashed; after failures hatched, with their number. */
export function delay(c: CanvasRenderingContext2D, thing: Thing, a: number, b: number, room: number, k: Colours): void {
  const [y, high] = band("delay", 0, 1, room);
  const wide = Math.max(2, b - a);
  c.strokeStyle = thing.failures > 0 ? k.warn : k.strong;
  c.lineWidth = 1;
  if (thing.failures > 0) {
    c.save();
    c.beginPath();
    c.rect(a, y, wide, high);
    c.clip();
    c.beginPath();
    for (let at = Math.max(a, -20) - high; at < Math.min(b, 4000); at += 4) {
      c.moveTo(at, y + high);
      c.lineTo(at + high, y);
    }
    c.stroke();
    c.restore();
  }
  c.setLineDash([4, 3]);
  c.beginPath();
  c.moveTo(a, y + high / 2);
  c.lineTo(a + wide, y + high / 2);
  if (thing.failures > 0) c.rect(a + 0.5, y + 0.5, wide, high - 1);
  c.stroke();
  c.setLineDash([]);
  c.fillStyle = c.strokeStyle;
  c.fillRect(a + wide - 1, y - 2, 2, high + 4); // when it is due
  if (thing.failures === 0 || wide < 26) return;
  c.font = `600 10px ${k.mono}`;
  c.textAlign = "left";
  c.textBaseline = "bottom";
  c.fillText(`×${thing.failures}`, Math.max(0, a) + 2, y - 0.5);
}

export function down(c: CanvasRenderingContext2D, thing: Thing, [a, b]: [number, number], room: number, k: Colours): void {
  const [y, high] = band("down", 0, 1, room);
  c.fillStyle = k.badTint;
  c.fillRect(a, y, b - a, high);
  c.save();
  c.beginPath();
  c.rect(a, y, b - a, high);
  c.clip();
  c.strokeStyle = k.bad;
  c.globalAlpha = 0.28;
  c.beginPath();
  for (let at = Math.max(a, -high) - high; at < Math.min(b, 6000); at += 9) {
    c.moveTo(at, y + high);
    c.lineTo(at + high, y);
  }
  c.stroke();
  c.globalAlpha = 1;
  c.restore();
  c.strokeStyle = k.bad;
  c.setLineDash([5, 3]);
  c.strokeRect(a + 0.5, y + 0.5, b - a - 1, high - 1);
  c.setLineDash([]);
  if (b - Math.max(0, a) < 60) return;
  c.font = "600 11px system-ui, sans-serif";
  c.textAlign = "left";
  c.textBaseline = "middle";
  c.lineWidth = 3;
  c.strokeStyle = k.badTint;
  const text = (thing.text ?? "").slice(0, Math.floor((b - Math.max(0, a)) / 6));
  c.strokeText(text, Math.max(0, a) + 8, y + high / 2);
  c.fillStyle = k.bad;
  c.fillText(text, Math.max(0, a) + 8, y + high / 2);
  c.lineWidth = 1;
}

function ring(c: CanvasRenderingContext2D, a: number, b: number, [y, high]: [number, number], k: Colours): void {
  c.strokeStyle = k.ink;
  c.lineWidth = 2;
  c.beginPath();
  c.roundRect(a - 3, y - 3, Math.max(2, b - a) + 6, high + 6, 4);
  c.stroke();
  c.lineWidth = 1;
}

/** A moment's sign, each with a shape of its own: a cross, a triangle, a bolt, a dot. */
export function sign(c: CanvasRenderingContext2D, kind: Kind, x: number, y: number, k: Colours): void {
  const draw = (width: number, colour: string) => {
    c.lineWidth = width;
    c.strokeStyle = colour;
    c.lineCap = c.lineJoin = "round";
    c.beginPath();
    if (kind === "conflict") {
      c.moveTo(x - 4, y - 4);
      c.lineTo(x + 4, y + 4);
      c.moveTo(x + 4, y - 4);
      c.lineTo(x - 4, y + 4);
    } else if (kind === "error") {
      c.moveTo(x, y - 5);
      c.lineTo(x + 5, y + 4);
      c.lineTo(x - 5, y + 4);
      c.closePath();
    } else if (kind === "break") {
      c.moveTo(x + 2, y - 6);
      c.lineTo(x - 3, y + 1);
      c.lineTo(x + 3, y);
      c.lineTo(x - 2, y + 6);
    } else c.arc(x, y, 2, 0, 7);
    c.stroke();
  };
  draw(kind === "event" ? 3 : 6, k.surface);
  draw(2, kind === "event" ? k.accent : k.bad);
  if (kind === "error" || kind === "event") {
    c.fillStyle = kind === "error" ? k.badTint : k.accent;
    c.fill();
  }
  c.lineWidth = 1;
  c.lineCap = "butt";
  c.lineJoin = "miter";
}

// The JSON that a page plays: playground/demo/recording/recording.go and
// playground/demo/scene/shape.go, word for word.

export const version = 1;

export type Layout = "wide" | "narrow";

export type Form = "frame" | "label" | "chip" | "bar" | "panel" | "text" | "number" | "tile" | "pill";

export interface Shape {
  id: string;
  k: "box" | "line" | "packet" | "cells";
  role: string;
  f?: Form; // how it is drawn, unless as its role
  s?: string; // state
  x?: number;
  y?: number;
  w?: number;
  h?: number;
  z?: number; // layer, 0 … 4
  m?: string; // mark
  t?: string; // title
  d?: string; // detail
  word?: string; // key of a phrase that stands in the title's place
  dword?: string; // the same for the detail
  args?: string; // what fills {1}, {2} … of both, "|" in between
  path?: string; // line
  on?: string; // packet: id of its line
  back?: boolean;
  from?: number; // µs of virtual time
  to?: number;
  cols?: number; // cells: how many in a row
  pitch?: number; // cells: from one to the next, a unit of it empty
  runs?: string; // cells: a letter for each, run by run: "120c2xB" (playground/demo/scene/cells.go)
  about?: string;
  fresh?: boolean;
}

export type Value = string | number | boolean;

/** One event, and what it changes in the picture. Frame i is event i+1. */
export interface Frame {
  e: number; // the event's number
  c?: number; // of the event that led to it
  at: number; // virtual time, µs since the epoch
  d: number; // ms since the start at which it is shown, at speed 1
  who: string;
  p?: string; // process
  op: string;
  o?: string; // object: "pods default/web-x2k9p"
  m: string; // phrase
  a?: Value[]; // key, value, key, value …
  s?: number; // stack
  q?: boolean; // quiet
  /** The sentence that begins here while it plays: how many events back is the one that it tells, and how many like it are summed up. */
  l?: { b: number; n: number };
  set?: Shape[];
  gone?: string[];
}

export interface Mark {
  id: string;
  frame: number;
  d?: number; // the frame's, in a file
  caption: Record<string, string>;
}

export interface Header {
  version: number;
  demo: string;
  seed: number;
  epoch: string;
  layout: Layout;
  width: number;
  height: number;
  marks: Mark[] | null;
  first: number;
  /** How many frames the whole recording has, and when the last is shown, ms: in a file. */
  length?: number;
  end?: number;
  /** The file that holds the frames after these, as long as they are not there. */
  rest?: string;
}

export interface Recording extends Header {
  frames: Frame[];
}

/** Frames as a file holds them, by field: playground/demo/recording/pack.go, where each column is explained. */
export interface Packed {
  form: number;
  texts: string[];
  kinds: Record<"who" | "process" | "op" | "phrase" | "stack" | "quiet" | "keys" | "key", number[]>;
  looks: string[][];
  kind: number[];
  cause: number[];
  at: number[];
  display: number[];
  object: number[];
  values: (number | boolean | [added: number] | [number: number, counts: 0])[][];
  line: number[];
  sets: number[];
  shape: number[];
  look: number[];
  fields: Record<string, number[]>;
  gone: number[];
}

/** A recording's first file. */
export interface RecordingFile extends Header {
  frames?: Frame[]; // once it is unpacked
  packed?: Packed; // until then
}

/** The file that continues a recording. */
export interface RestFile {
  version: number;
  demo: string;
  packed: Packed;
}

/** Turns a file into the recording that is played, in place, once. */
export function unpack(file: RecordingFile): Recording {
  if (file.packed) {
    if (file.packed.form !== form) throw new Error(`recording of "${file.demo}": frames are in form ${file.packed.form}`);
    file.frames = framesOf(undefined, file.packed);
    delete file.packed;
  }
  return file as Recording;
}

/** Adds the frames of the file that rest names, in place, once. */
export function complete(recording: Recording, { version: v, demo, packed }: RestFile): void {
  if (recording.rest === undefined) return;
  const { frames, length } = recording;
  if (v !== version || packed.form !== form || demo !== recording.demo || frames.length + packed.kind.length !== length) {
    throw new Error(`recording of "${recording.demo}": its rest is of another one`);
  }
  delete recording.rest;
  for (const frame of framesOf(frames.at(-1), packed)) frames.push(frame);
}

const form = 4;

/** The fields of a shape that are no texts. */
const plain = new Set(["x", "y", "w", "h", "z", "from", "to", "cols", "pitch", "back", "fresh"]);

/** Reads a column one by one. */
function reader<T>(column: T[]): () => T {
  let at = 0;
  return () => column[at++]!;
}

/** Reads a column of places, in which one above the highest so far is written as how far it is above, below zero. */
function newest(column: number[]): () => number {
  const next = reader(column);
  let most = 0;
  return () => {
    const written = next();
    return written < 0 ? (most -= written) : written;
  };
}

/** Reads the values of an attribute: numbers are written as what is added to the one before, if that is exact. */
function valuesOf(column: Packed["values"][number], texts: string[]): () => Value {
  const next = reader(column);
  let number = 0;
  return () => {
    const v = next();
    if (typeof v === "number") return texts[v]!;
    if (typeof v === "boolean") return v;
    return v.length > 1 ? v[0] : (number += v[0]);
  };
}

/** What frames of each kind have in common, and the places of their attributes' keys. */
function kindsOf({ kinds, texts }: Packed): { common: Partial<Frame>; keys: number[] }[] {
  const key = reader(kinds.key);
  return kinds.who.map((who, i) => {
    const common: Partial<Frame> = { who: texts[who]!, op: texts[kinds.op[i]!]!, m: texts[kinds.phrase[i]!]! };
    if (kinds.process[i]) common.p = texts[kinds.process[i]!]!;
    if (kinds.stack[i]) common.s = kinds.stack[i]!;
    if (kinds.quiet[i]) common.q = true;
    return { common, keys: Array.from({ length: kinds.keys[i]! }, key) };
  });
}

/** Reads shapes, each as it is different from what it was. */
function shapesOf(p: Packed): (at: number) => Shape {
  const [id, look] = [newest(p.shape), reader(p.look)];
  const fields = new Map(Object.entries(p.fields).map(([name, column]) => [name, plain.has(name) ? reader(column) : newest(column)]));
  const known = new Map<string, Shape>(); // as they were set last, a packet's times counted from its frame's
  return (at) => {
    const own = p.texts[id()]!;
    const now: Record<string, unknown> = { ...known.get(own), id: own };
    for (const name of p.looks[look()]!) {
      const v = fields.get(name)!();
      if (v === 0) delete now[name];
      else now[name] = !plain.has(name) ? p.texts[v] : name === "back" || name === "fresh" ? true : v;
    }
    const set = now as unknown as Shape;
    known.set(own, set);
    return set.k === "packet" ? { ...set, from: (set.from ?? 0) + at, to: (set.to ?? 0) + at } : set;
  };
}

function framesOf(before: Frame | undefined, p: Packed): Frame[] {
  let { e, at, d } = before ?? { e: 0, at: 0, d: 0 };
  const [kinds, shape, kind, object, gone] = [kindsOf(p), shapesOf(p), newest(p.kind), newest(p.object), newest(p.gone)];
  const values = new Map<number, () => Value>(); // by key, in the order in which frames have them
  const value = (key: number): Value => {
    let column = values.get(key);
    if (!column) values.set(key, (column = valuesOf(p.values[values.size]!, p.texts)));
    return column();
  };
  const line = reader(p.line);
  let next = line() - 1; // the next frame at which a sentence begins
  return p.kind.map((_, i) => {
    const { common, keys } = kinds[kind()]!;
    at += p.at[i]!;
    d += p.display[i]!;
    const frame = { e: ++e, at, d, ...common } as Frame;
    if (p.cause[i]) frame.c = e - p.cause[i]!;
    const o = object();
    if (o) frame.o = p.texts[o]!;
    if (keys.length > 0) frame.a = keys.flatMap((key) => [p.texts[key]!, value(key)]);
    if (i === next) {
      frame.l = { b: line(), n: line() };
      next += line();
    }
    if (p.sets[i]) frame.set = Array.from({ length: p.sets[i]! }, () => shape(at));
    for (let id = gone(); id; id = gone()) (frame.gone ??= []).push(p.texts[id]!);
    return frame;
  });
}

/** A call: file, line, function. */
export type Call = [file: string, line: number, name: string];

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** What a page loads when a reader opens an event. */
export interface Details {
  stacks: (Call[] | null)[];
  /** By event; one that base names is a JSON merge patch on that event's object. */
  objects: Record<string, Json>;
  base?: Record<string, number> | null;
}

/** Who manages the fields of objects: what a page loads when a reader looks at one. */
export interface Managers {
  /** Sets of fields, each once, in the form of fieldsV1. */
  sets: Json[];
  /** After a commit, by event: manager, operation, apiVersion, time, subresource, index of the set. */
  events: Record<string, [string, string, string, string, string, number][]>;
}

/** What an event carries, as pairs. */
export function attrs(frame: Frame): [key: string, value: Value][] {
  const pairs: [string, Value][] = [];
  const list = frame.a ?? [];
  for (let i = 0; i + 1 < list.length; i += 2) pairs.push([String(list[i]), list[i + 1] as Value]);
  return pairs;
}

/** The value of the first attribute of that name. */
export function attr(frame: Frame, key: string): Value | undefined {
  const list = frame.a ?? [];
  for (let i = 0; i + 1 < list.length; i += 2) if (list[i] === key) return list[i + 1];
  return undefined;
}

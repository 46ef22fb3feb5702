// The JSON that a page plays: playground/demo/recording/recording.go and
// playground/demo/scene/shape.go, word for word.

export const version = 1;

export type Layout = "wide" | "narrow";

export interface Shape {
  id: string;
  k: "box" | "line" | "packet" | "cells";
  role: string;
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
  kinds: number[][];
  looks: string[][];
  kind: number[];
  cause: number[];
  at: number[];
  display: number[];
  object: number[];
  values: (number | boolean | [number])[];
  sets: number[];
  shapes: number[];
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

const form = 2;

/** The fields of a shape that are numbers; of the others, a column has the place of their text. */
const numbers = new Set(["x", "y", "w", "h", "z", "from", "to", "cols", "pitch"]);

function framesOf(before: Frame | undefined, p: Packed): Frame[] {
  const text = (i: number | undefined) => p.texts[i!]!;
  let { e, at, d } = before ?? { e: 0, at: 0, d: 0 };
  let [value, next, gone] = [0, 0, 0]; // what was read of the columns that frames have shares of
  const shapes = new Map<string, Shape>(); // as they were set last, a packet's times counted from its frame's
  const shape = (): Shape => {
    const id = text(p.shapes[next++]);
    const now: Record<string, unknown> = { ...shapes.get(id), id };
    for (const name of p.looks[p.shapes[next++]!]!) {
      const v = p.shapes[next++]!;
      if (v === 0) delete now[name];
      else now[name] = numbers.has(name) ? v : name === "back" || name === "fresh" ? true : text(v);
    }
    const set = now as unknown as Shape;
    shapes.set(id, set);
    return set.k === "packet" ? { ...set, from: (set.from ?? 0) + at, to: (set.to ?? 0) + at } : set;
  };
  const kinds = p.kinds.map(([who, process, op, phrase, stack, quiet, ...keys]) => {
    const common: Partial<Frame> = { who: text(who), op: text(op), m: text(phrase) };
    if (process) common.p = text(process);
    if (stack) common.s = stack;
    if (quiet) common.q = true;
    return { common, keys: keys.map(text) };
  });
  return p.kind.map((kind, i) => {
    const { common, keys } = kinds[kind]!;
    at += p.at[i]!;
    d += p.display[i]!;
    const frame = { e: ++e, at, d, ...common } as Frame;
    if (p.cause[i]) frame.c = e - p.cause[i]!;
    if (p.object[i]) frame.o = text(p.object[i]);
    if (keys.length > 0) {
      frame.a = [];
      for (const key of keys) {
        const v = p.values[value++]!;
        frame.a.push(key, typeof v === "number" ? text(v) : typeof v === "boolean" ? v : v[0]);
      }
    }
    if (p.sets[i]) frame.set = Array.from({ length: p.sets[i]! }, shape);
    const from = gone;
    while (p.gone[gone]) gone++;
    if (gone > from) frame.gone = p.gone.slice(from, gone).map(text);
    gone++;
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

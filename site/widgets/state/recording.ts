// The JSON that a page plays: the types are playground/demo/recording's and playground/demo/scene's. What it comes in
// is unpacked here, as playground/demo/recording/pack.go does.

import { packed as form, version, type Columns, type Frame, type Header, type PackedFile, type PackedRest } from "../generated/recording";
import type { Shape } from "../generated/scene";
import type { Op } from "../generated/trace";

export { version };
export type { Call, Columns as Packed, Details, Frame, Header, Managers, Mark, PackedRest as RestFile } from "../generated/recording";
export type { Form, Layout, Role, Shape } from "../generated/scene";
export type { Json } from "../generated/json";
export type { Op } from "../generated/trace";

export type Value = NonNullable<Frame["a"]>[number];

export interface Recording extends Header {
  frames: Frame[];
}

/** A recording's first file: packed until it is unpacked. */
export type RecordingFile = Header & Partial<Pick<PackedFile, "packed">> & { frames?: Frame[] };

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
export function complete(recording: Recording, { version: v, demo, packed }: PackedRest): void {
  if (recording.rest === undefined) return;
  const { frames, length } = recording;
  if (v !== version || packed.form !== form || demo !== recording.demo || frames.length + packed.kind.length !== length) {
    throw new Error(`recording of "${recording.demo}": its rest is of another one`);
  }
  delete recording.rest;
  for (const frame of framesOf(frames.at(-1), packed)) frames.push(frame);
}

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
function valuesOf(column: Columns["values"][number], texts: string[]): () => Value {
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
function kindsOf({ kinds, texts }: Columns): { common: Partial<Frame>; keys: number[] }[] {
  const key = reader(kinds.key);
  return kinds.who.map((who, i) => {
    const common: Partial<Frame> = { who: texts[who]!, op: texts[kinds.op[i]!] as Op, m: texts[kinds.phrase[i]!]! };
    if (kinds.process[i]) common.p = texts[kinds.process[i]!]!;
    if (kinds.stack[i]) common.s = kinds.stack[i]!;
    if (kinds.quiet[i]) common.q = true;
    return { common, keys: Array.from({ length: kinds.keys[i]! }, key) };
  });
}

/** Reads shapes, each as it is different from what it was. */
function shapesOf(p: Columns): (at: number) => Shape {
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

function framesOf(before: Frame | undefined, p: Columns): Frame[] {
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

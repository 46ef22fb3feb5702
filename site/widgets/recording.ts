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
  /** The form in which a file's frames are written: see unpack. */
  packed?: number;
}

/** The file that continues a recording. */
export interface RestFile {
  version: number;
  demo: string;
  packed: number;
  frames: Frame[];
}

/**
 * Turns the frames of a file into those that are played, in place, once: numbers
 * that grow with every frame are written as differences (playground/demo/recording/pack.go).
 */
export function unpack(recording: Recording): Recording {
  if (recording.packed === undefined) return recording;
  if (recording.packed !== form) throw new Error(`recording of "${recording.demo}": frames are in form ${recording.packed}`);
  add(undefined, recording.frames);
  delete recording.packed;
  return recording;
}

/** Adds the frames of the file that rest names, in place, once. */
export function complete(recording: Recording, rest: RestFile): void {
  if (recording.rest === undefined) return;
  const { demo, frames, length } = recording;
  if (rest.version !== version || rest.packed !== form || rest.demo !== demo || frames.length + rest.frames.length !== length) {
    throw new Error(`recording of "${demo}": its rest is of another one`);
  }
  delete recording.rest;
  add(frames.at(-1), rest.frames);
  for (const frame of rest.frames) frames.push(frame);
}

const form = 1;

function add(before: Frame | undefined, frames: Frame[]): void {
  let { e, at, d } = before ?? { e: 0, at: 0, d: 0 };
  for (const frame of frames) {
    frame.e = ++e;
    frame.at = at += frame.at ?? 0;
    frame.d = d += frame.d ?? 0;
    if (frame.c) frame.c = frame.e - frame.c;
    for (const shape of frame.set ?? []) {
      if (shape.k !== "packet") continue;
      shape.from = (shape.from ?? 0) + at;
      shape.to = (shape.to ?? 0) + at;
    }
  }
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

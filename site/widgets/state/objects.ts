// Objects as commits wrote them: put together from patches, and printed with
// what changed since the version before.

import type { Details, Json } from "./recording";

type Tree = { [key: string]: Json };

const isTree = (v: Json | undefined): v is Tree => typeof v === "object" && v !== null && !Array.isArray(v);

/** The object that an event wrote, whole; undefined when it wrote none. */
export function objectOf(details: Details, event: number): Json | undefined {
  const chain: Json[] = [];
  let at: number | undefined = event;
  while (at !== undefined) {
    const value: Json | undefined = details.objects[at];
    if (value === undefined) return undefined;
    chain.push(value);
    at = details.base?.[at];
  }
  return chain.reverse().reduce((object, patch) => merge(object, patch));
}

/** The version before the one that an event wrote. */
export function objectBefore(details: Details, event: number): Json | undefined {
  const base = details.base?.[event];
  return base === undefined ? undefined : objectOf(details, base);
}

/** Applies a JSON merge patch (RFC 7386). */
export function merge(target: Json, patch: Json): Json {
  if (!isTree(patch)) return patch;
  const out: Tree = isTree(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete out[key];
    else out[key] = merge(out[key] ?? null, value);
  }
  return out;
}

export interface Line {
  text: string;
  change: "" | "added" | "removed";
}

/** An object as JSON, one line at a time; before is undefined for the first version. */
export function lines(value: Json, before: Json | undefined): Line[] {
  const out: Line[] = [];
  if (before === undefined) whole(out, value, "", 0, "", "");
  else compare(out, value, before, "", 0, "");
  return out;
}

const pad = (depth: number) => "  ".repeat(depth);

/** Prints a value all of whose lines have the same fate. */
function whole(out: Line[], value: Json, label: string, depth: number, comma: string, change: Line["change"]): void {
  const text = JSON.stringify(value, null, 2).split("\n");
  text.forEach((line, i) => {
    out.push({ text: pad(depth) + (i === 0 ? label : "") + line + (i === text.length - 1 ? comma : ""), change });
  });
}

function compare(out: Line[], now: Json, before: Json, label: string, depth: number, comma: string): void {
  if (JSON.stringify(now) === JSON.stringify(before)) return whole(out, now, label, depth, comma, "");
  const bothTrees = isTree(now) && isTree(before);
  const bothLists = Array.isArray(now) && Array.isArray(before);
  if (!bothTrees && !bothLists) {
    whole(out, before, label, depth, comma, "removed");
    whole(out, now, label, depth, comma, "added");
    return;
  }
  const [open, close] = bothLists ? "[]" : "{}";
  out.push({ text: pad(depth) + label + open, change: "" });
  const a = before as Tree;
  const b = now as Tree;
  const keys = Object.keys(b);
  const name = (key: string) => (bothLists ? "" : `${JSON.stringify(key)}: `);
  for (const key of Object.keys(a)) if (!(key in b)) whole(out, a[key]!, name(key), depth + 1, ",", "removed");
  keys.forEach((key, i) => {
    const end = i < keys.length - 1 ? "," : "";
    if (key in a) compare(out, b[key]!, a[key]!, name(key), depth + 1, end);
    else whole(out, b[key]!, name(key), depth + 1, end, "added");
  });
  out.push({ text: pad(depth) + close + comma, change: "" });
}

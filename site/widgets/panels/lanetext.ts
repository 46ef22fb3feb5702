// The lanes in words: what the canvas shows, said.

import {  } from "../dom/dom";
import { say, seconds, type Phrases } from "../state/phrases";
import type { Frame } from "../state/recording";
import type { Lane, Thing } from "../state/tracks";
import type { LaneWords } from "./lanes.words";
import { put } from "../text";

/** "replicaset-controller, reconcile of default/web, 12.301 s to 12.340 s, 3 requests, ended with a conflict". */
export function describe(lane: Lane, thing: Thing, frames: readonly Frame[], words: LaneWords, phrases: Phrases): string {
  const first = frames[thing.from]!;
  const text = thing.kind === "event" ? say(phrases, first).replace(/[.。]$/, "") : (thing.text ?? "");
  const parts = [first.who === lane.id || lane.id.endsWith("/*") ? first.who : lane.id,
    put(words.things[thing.kind], { key: thing.key, text }).trim(), when(thing, first, frames, words)];
  if (thing.kind === "delay" && thing.failures > 0) parts.push(put(words.failed, { n: thing.failures }));
  else if (thing.failures > 0) parts.push(put(words.retry, { n: thing.failures }));
  if (thing.kind !== "request" && thing.requests > 0) parts.push(thing.requests === 1 ? words.one : put(words.requests, { n: thing.requests }));
  if (thing.kind === "request" && thing.text) parts.push(thing.text);
  else if (thing.end && words.ends[thing.end]) parts.push(words.ends[thing.end]);
  return parts.filter(Boolean).join(words.join);
}

function when(thing: Thing, first: Frame, frames: readonly Frame[], words: LaneWords): string {
  const from = seconds(first.at);
  if (thing.due !== undefined) return `${from}${words.join}${put(words.due, { due: seconds(thing.due) })}`;
  if (thing.to === Infinity) return put(words.since, { from });
  const to = frames[thing.to]?.at ?? first.at;
  return to === first.at ? put(words.at, { from }) : put(words.span, { from, to: seconds(to) });
}

/** How many wait in a lane at a frame; undefined where nothing ever waits. */
export function depthAt(lane: Lane, frame: number): number | undefined {
  if (!lane.counts) return undefined;
  let low = 0;
  let high = lane.depth.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lane.depth[middle]!.frame <= frame) low = middle + 1;
    else high = middle;
  }
  return lane.depth[low - 1]?.n ?? 0;
}

// The lanes in words, and as a table: what the canvas shows.

import { h } from "../dom/dom";
import { say, seconds, type Phrases } from "../state/phrases";
import type { Frame } from "../state/recording";
import type { Lane, Sums, Thing } from "../state/tracks";
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

/** The table; a component's name leads to looking at it. */
export function summary(lanes: readonly Lane[], frames: readonly Frame[], words: LaneWords, look: (about: string) => void): HTMLElement {
  const columns = Object.keys(words.sums) as (keyof Sums)[];
  const until = frames.at(-1)?.at ?? 0;
  return h("div", { class: "kw-lanes-scroll", role: "region", tabindex: 0, "aria-label": words.table },
    h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.component), ...columns.map((c) => h("th", { scope: "col" }, words.sums[c])))),
      h("tbody", {}, ...lanes.map((lane) =>
        h("tr", {},
          h("th", { scope: "row" }, lane.id.endsWith("/*") ? lane.id
            : h("button", { type: "button", class: "kw-lanes-look", click: () => look(lane.id) }, lane.id)),
          ...columns.map((c) => h("td", {}, cell(c, lane, frames, until))))))));
}

function cell(column: keyof Sums, { sums, things }: Lane, frames: readonly Frame[], until: number): string {
  if (column !== "away") return sums[column] === 0 ? "–" : String(sums[column]);
  const still = things.filter((t) => t.kind === "down" && t.to === Infinity).reduce((sum, t) => sum + until - frames[t.from]!.at, 0);
  return sums.away + still === 0 ? "–" : seconds(sums.away + still);
}

// The lanes as a table: what each component did, in numbers.

import { h } from "../dom/dom";
import { seconds } from "../state/phrases";
import type { Frame } from "../state/recording";
import type { Lane, Sums } from "../state/tracks";
import type { LaneWords } from "./lanes.words";

/** The table; a component's name leads to looking at it. */
export function summary(lanes: readonly Lane[], frames: readonly Frame[], words: LaneWords, look: (about: string) => void): HTMLElement {
  const columns = Object.keys(words.sums) as (keyof Sums)[];
  const until = frames.at(-1)?.at ?? 0;
  return h("div", { class: "kw-lanes-scroll", role: "region", tabindex: 0, "aria-label": words.table },
    h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.component), ...columns.map((c) => h("th", { scope: "col" }, words.sums[c])))),
      h("tbody", {}, ...lanes.map((lane) =>
        h("tr", {},
          h("th", { scope: "row" }, lane.id.endsWith("/*") ? lane.id : h("button", { type: "button", class: "kw-lanes-look", click: () => look(lane.id) }, lane.id)),
          ...columns.map((c) => h("td", {}, cell(c, lane, frames, until))))))));
}

function cell(column: keyof Sums, { sums, things }: Lane, frames: readonly Frame[], until: number): string {
  if (column !== "away") return sums[column] === 0 ? "–" : String(sums[column]);
  const still = things.filter((t) => t.kind === "down" && t.to === Infinity).reduce((sum, t) => sum + until - frames[t.from]!.at, 0);
  return sums.away + still === 0 ? "–" : seconds(sums.away + still);
}

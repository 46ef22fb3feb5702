// What stands in the picture at a moment, in words: of each object its state as its
// boxes show it. The event log tells what happened; this is where it has led.

import type { Shape } from "../state/recording";
import { phrase, type Words as Say } from "./svg";

const natural = new Intl.Collator("en", { numeric: true });

/** By object, in their order, "Ready"; "" for what shows no state. */
export function inPicture(shapes: Iterable<Shape>, say: Say): Map<string, string> {
  const states = new Map<string, string[]>();
  for (const s of shapes) {
    if (s.k !== "box" || !s.about?.includes(" ")) continue;
    let parts = states.get(s.about);
    if (!parts) states.set(s.about, (parts = []));
    if (s.role === "pod" || s.role === "node" || s.role === "workload" || s.role === "ghost") {
      const state = phrase(s.dword, s.args, say) || s.d || (s.role === "pod" ? s.s : "");
      if (state) parts.unshift(state);
    }
  }
  return new Map([...states].sort(([a], [b]) => natural.compare(a, b)).map(([about, parts]) => [about, parts.join(", ")]));
}

// What the signs of the lanes mean: each drawn by what draws it in the lanes.

import { bar, delay, down, hasFailed, mark, sign, steps, strokes, type Colours, type Sight } from "./lanepaint";
import type { Frame } from "../state/recording";
import type { Kind, Lane, Thing } from "../state/tracks";

export const signNames = ["turn", "request", "failed", "event", "strokes", "depth", "delay", "backoff", "conflict", "error", "break", "down", "mark"] as const;
export type Sign = (typeof signNames)[number];

const signOf: Record<Kind, Sign> = {
  reconcile: "turn", cycle: "turn", sync: "turn", binding: "request", request: "request", pull: "request", delay: "delay", down: "down",
  conflict: "conflict", error: "error", break: "break", event: "event",
};

/** The signs that occur in some lanes, with numbered moments or without. */
export function signsIn(lanes: readonly Lane[], hasMarks: boolean): ReadonlySet<Sign> {
  const out = new Set<Sign>(hasMarks ? ["mark"] : []);
  for (const { things, ticks, depth } of lanes) {
    if (ticks.length > 0) out.add("strokes");
    if (depth.length > 0) out.add("depth");
    for (const { kind, failures, end } of things) {
      out.add(kind === "delay" && failures > 0 ? "backoff" : signOf[kind]);
      if (end && hasFailed(end)) out.add("failed");
    }
  }
  return out;
}

const [width, height] = [34, 18];

const thing = (kind: Kind, more: Partial<Thing> = {}): Thing => ({ kind, from: 0, to: 0, key: "", requests: 0, failures: 0, row: 0, ...more });

/** Draws a sign alone. */
export function drawSign(canvas: HTMLCanvasElement, name: Sign, colours: Colours): void {
  const scale = devicePixelRatio || 1;
  [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  const c = canvas.getContext("2d")!;
  c.scale(scale, scale);
  switch (name) {
    case "turn": return bar(c, thing("reconcile"), 2, 32, [3, 12], colours);
    case "request": return bar(c, thing("request"), 2, 32, [3, 12], colours);
    case "failed": return bar(c, thing("reconcile", { end: "error" }), 2, 32, [3, 12], colours);
    case "strokes": return strokes(c, 15, colours);
    case "delay": return delay(c, thing("delay"), 2, 31, height, colours);
    case "backoff": return delay(c, thing("delay", { failures: 2 }), 2, 31, height + 8, colours);
    case "down": return down(c, thing("down"), [1, 33], height, colours);
    case "mark": return mark(c, 17, 9, 1, colours);
    case "depth": {
      const frames = [0, 6, 12, 18, 26, 34].map((d): Frame => ({ e: 0, at: 0, d, who: "", op: "log", m: "" }));
      const sight = { frames, window: { from: 0, to: width }, width } as unknown as Sight;
      return steps(c, [{ frame: 0, n: 1 }, { frame: 1, n: 2 }, { frame: 2, n: 3 }, { frame: 3, n: 1 }, { frame: 4, n: 0 }], 2.2 * height - 20, sight, colours);
    }
    default: return sign(c, name, width / 2, height / 2, colours);
  }
}

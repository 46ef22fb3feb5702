// What the signs of the lanes mean: each drawn by what draws it in the lanes.

import { bar, delay, down, mark, sign, steps, type Colours, type Sight } from "./lanepaint";
import type { Frame } from "../state/recording";
import type { Kind, Thing } from "../state/tracks";

export const signNames = ["turn", "delay", "backoff", "depth", "conflict", "error", "break", "down", "mark"] as const;
export type Sign = (typeof signNames)[number];

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

// What one scheduling cycle thought of each node, as far as it has come at a
// frame: who turned it down and why, and what every plugin gave it.

import { attr, attrs, type Frame } from "../state/recording";

export interface Score {
  /** What it counts: weight × normalised. */
  weighted: number;
  weight: number;
  /** 0 … 100. */
  normalised: number;
  /** What the plugin said before that was brought to 0 … 100. */
  raw: number;
}

export interface Verdict {
  node: string;
  /** The plugin that turned the node down, and its words. */
  rejected?: { plugin: string; reason: string };
  scores: Map<string, Score>;
  total?: number;
}

export interface Cycle {
  pod: string; // "pods default/web"
  nodes: Verdict[];
  /** In the order in which they score. */
  plugins: string[];
  chosen?: string;
}

const ofCycle = new Set(["node.filter", "node.score", "pod.assume", "pod.forget"]);

/** The cycle that an event belongs to; undefined when there is none. */
export function cycleAt(frames: readonly Frame[], index: number): Cycle | undefined {
  const frame = frames[index];
  const pod = frame && podOf(frame);
  if (!pod) return undefined;
  let from = index;
  while (from >= 0 && !(frames[from]!.op === "scheduling.pop" && frames[from]!.o === pod)) from--;
  if (from < 0) return undefined;
  const nodes = new Map<string, Verdict>();
  const plugins: string[] = [];
  const cycle: Cycle = { pod, nodes: [], plugins };
  for (let i = from; i <= index; i++) {
    const f = frames[i]!;
    if (f.o !== pod || !ofCycle.has(f.op)) continue;
    const node = String(attr(f, "node") ?? "");
    if (f.op === "pod.assume") cycle.chosen = node;
    if (f.op === "pod.forget") delete cycle.chosen;
    if (f.op !== "node.filter" && f.op !== "node.score") continue;
    let verdict = nodes.get(node);
    if (!verdict) nodes.set(node, (verdict = { node, scores: new Map() }));
    if (f.op === "node.filter") {
      delete verdict.rejected;
      if (attr(f, "fits") === false) verdict.rejected = { plugin: String(attr(f, "plugin")), reason: String(attr(f, "reason")) };
      continue;
    }
    verdict.total = Number(attr(f, "score"));
    for (const [plugin, value] of attrs(f)) {
      const score = parseScore(String(value));
      if (!score) continue;
      verdict.scores.set(plugin, score);
      if (!plugins.includes(plugin)) plugins.push(plugin);
    }
  }
  cycle.nodes = [...nodes.values()];
  return cycle.nodes.length > 0 ? cycle : undefined;
}

/** The Pod that an event of the scheduler is about. */
function podOf(frame: Frame): string | undefined {
  if (!frame.who.startsWith("kube-scheduler")) return undefined;
  if (ofCycle.has(frame.op)) return frame.o;
  const pod = frame.op === "log" ? attr(frame, "pod") : undefined;
  return pod === undefined ? undefined : `pods ${pod}`;
}

/** "300 = 3 × 100 (0)": weighted = weight × normalised (raw, when it is another). */
export function parseScore(text: string): Score | undefined {
  const m = /^(-?\d+) = (\d+) × (-?\d+)(?: \((-?\d+)\))?$/.exec(text);
  if (!m) return undefined;
  const normalised = Number(m[3]);
  return { weighted: Number(m[1]), weight: Number(m[2]), normalised, raw: m[4] === undefined ? normalised : Number(m[4]) };
}

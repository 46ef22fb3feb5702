// What is in a work queue at a frame, by the rules of client-go's queue: an item
// is dirty when it has to be processed, processing while a worker has it, and
// due later when it was put off. And the scheduler's queues, which have other rules.

import { attr, type Frame } from "../state/recording";

export interface Item {
  key: string;
  /** How often in a row it was rate-limited. */
  failures: number;
  /** When it will be added, µs; for those that are put off. */
  due?: number;
  worker?: string;
}

export interface Queue {
  name: string;
  dirty: Item[]; // in order: those that wait, then those that wait for their worker to be done
  processing: Item[];
  due: Item[]; // by time
}

/** The queue that an event is about, right after it. */
export function queueAt(frames: readonly Frame[], index: number): Queue | undefined {
  const name = frames[index]?.op.startsWith("queue.") ? String(attr(frames[index]!, "queue")) : "";
  if (name === "") return undefined;
  const who = frames[index]!.who;
  const dirty = new Set<string>();
  const processing = new Map<string, string>();
  const due = new Map<string, number>();
  const failures = new Map<string, number>();
  for (let i = 0; i <= index; i++) {
    const f = frames[i]!;
    if (f.op === "component.stop" && f.who === who) for (const set of [dirty, processing, due, failures]) set.clear();
    if (!f.op.startsWith("queue.") || attr(f, "queue") !== name) continue;
    const key = String(attr(f, "key"));
    const failed = attr(f, "failures");
    if (failed !== undefined) failures.set(key, Number(failed));
    switch (f.op) {
      case "queue.add":
        dirty.add(key);
        if ((due.get(key) ?? Infinity) <= f.at) due.delete(key);
        break;
      case "queue.get":
        dirty.delete(key);
        processing.set(key, f.p ?? "");
        if (failed === undefined) failures.delete(key);
        break;
      case "queue.done":
        processing.delete(key);
        if (!due.has(key)) failures.delete(key); // it went well
        break;
      case "queue.delay":
        if (attr(f, "outcome") !== "merged") due.set(key, f.at + micros(String(attr(f, "after"))));
    }
  }
  const item = (key: string): Item => ({ key, failures: failures.get(key) ?? 0 });
  return {
    name,
    dirty: [...dirty].map(item),
    processing: [...processing].map(([key, worker]) => ({ ...item(key), worker })),
    due: [...due].sort((a, b) => a[1] - b[1]).map(([key, at]) => ({ ...item(key), due: at })),
  };
}

const units: Record<string, number> = { h: 3_600_000_000, m: 60_000_000, s: 1_000_000, ms: 1000, "µs": 1, us: 1, ns: 0.001 };

/** A duration as Go prints it, "1m0.5s", in µs. */
export function micros(text: string): number {
  let sum = 0;
  for (const [, n, unit] of text.matchAll(/([\d.]+)(h|ms|m|s|µs|us|ns)/g)) sum += Number(n) * units[unit!]!;
  return Math.round(sum);
}

export const places = ["activeQ", "backoffQ", "unschedulablePods", "inFlight"] as const;
export type Place = (typeof places)[number];

export interface Waiting {
  pod: string;
  /** What moved it there. */
  event: string;
  /** Of the plugin whose hint did. */
  plugin?: string;
  hint?: string;
  rejectors?: string;
  /** When its back-off ends, µs. */
  until?: number;
}

/** Where the scheduler's Pods are, right after an event of its queues. */
export function schedulingAt(frames: readonly Frame[], index: number): Record<Place, Waiting[]> | undefined {
  const last = frames[index];
  if (last?.op !== "scheduling.queue" && last?.op !== "scheduling.pop") return undefined;
  const pods = new Map<string, { place: Place; waiting: Waiting }>();
  for (let i = 0; i <= index; i++) {
    const f = frames[i]!;
    if (f.op === "component.stop" && f.who === last.who) pods.clear();
    if (f.op !== "scheduling.queue" && f.op !== "scheduling.pop") continue;
    const pod = (f.o ?? "").replace(/^pods /, "");
    pods.delete(pod);
    if (f.op === "scheduling.pop") {
      pods.set(pod, { place: "inFlight", waiting: { pod, event: String(attr(f, "attempts")) } });
      continue;
    }
    const to = attr(f, "to");
    if (!to) continue;
    const text = (key: string) => attr(f, key)?.toString();
    const [plugin, hint, rejectors, until] = [text("plugin"), text("hint"), text("rejectors"), text("until")];
    pods.set(pod, { place: to as Place, waiting: { pod, event: String(attr(f, "event")),
      ...(plugin ? { plugin } : {}), ...(hint ? { hint } : {}), ...(rejectors ? { rejectors } : {}), ...(until ? { until: micros(until) } : {}) } });
  }
  const out: Record<Place, Waiting[]> = { activeQ: [], backoffQ: [], unschedulablePods: [], inFlight: [] };
  for (const { place, waiting } of pods.values()) out[place]?.push(waiting);
  return out;
}

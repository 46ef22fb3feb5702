// What the lanes show, made of frames alone: for each component its reconciles,
// cycles and syncs as stretches of time, how long its queue was, what was put off,
// what was refused, which watches broke, and when it was away.
//
// Frames are taken in as they come, each once.

import { attr, type Frame } from "./recording";
import { isNoFit, isSync } from "./stepunit";
import { nameOf } from "./phrases";

export type Kind =
  /** Stretches */
  | "reconcile" // a worker has a key
  | "cycle" // the scheduler looks for a node
  | "binding" // it tells the API server of the node
  | "sync" // a kubelet makes a Pod what it should be
  | "request" // on its way or being answered, outside all of these
  | "pull" // of an image
  | "delay" // a key is put off: back-off when it has failures
  | "down" // the component is away
  /** Moments */
  | "conflict" // an answer 409 Conflict
  | "error" // another answer that refuses, or an error that was logged
  | "break" // a watch is lost
  | "event"; // anything else that counts in a lane

export type End = "done" | "again" | "conflict" | "error" | "noFit" | "killed";

export interface Thing {
  kind: Kind;
  /** Frames: the first, and the last; Infinity while it goes on. Moments have one. */
  from: number;
  to: number;
  /** The key, Pod, request or image that it is about. */
  key: string;
  end?: End;
  /** What was answered, or logged. */
  text?: string;
  /** How many requests it made. */
  requests: number;
  /** How often in a row its key has failed before; of a delay, with this time. */
  failures: number;
  /** When a delay is over, µs; the frame of its end is not known. */
  due?: number;
  /** For those that overlap: the line it is drawn on. */
  row: number;
}

/** What the depth of a lane counts. */
export type Depth = "queue" | "pending" | "requests";

export interface Lane {
  /** A component; one that stands for those of many nodes ends in "/*". */
  id: string;
  things: Thing[];
  /** Frames that a reader follows. */
  ticks: number[];
  /** How many wait, from a frame on. */
  depth: { frame: number; n: number }[];
  counts: Depth | undefined;
  rows: number;
  sums: Sums;
}

/** A lane in numbers. */
export interface Sums {
  events: number;
  requests: number;
  turns: number; // reconciles, cycles and syncs
  deepest: number;
  retries: number;
  conflicts: number;
  errors: number;
  breaks: number;
  away: number; // µs
}

/** From this many nodes on, the components of all nodes share a lane. */
const mostNodes = 12;
/** Overlapping things are drawn on this many lines; the last is shared by those that are more. */
export const mostRows = 4;

/** A lane while it is made. */
class Making implements Lane {
  readonly things: Thing[] = [];
  readonly ticks: number[] = [];
  readonly depth: { frame: number; n: number }[] = [];
  counts: Depth | undefined;
  rows = 1;
  readonly sums: Sums = { events: 0, requests: 0, turns: 0, deepest: 0, retries: 0, conflicts: 0, errors: 0, breaks: 0, away: 0 };
  /** What goes on, by what its end is known by. */
  readonly open = new Map<string, Thing>();
  readonly waiting = new Set<string>();
  readonly failures = new Map<string, number>();
  private readonly busy: number[] = []; // by row: the frame up to which it is taken

  constructor(readonly id: string) {}

  /** Adds a thing; a stretch that is open is known by a name until it ends. */
  add(kind: Kind, from: number, key: string, known?: string, more: Partial<Thing> = {}): Thing {
    const thing: Thing = { kind, from, to: known === undefined ? from : Infinity, key, requests: 0, failures: 0, row: 0, ...more };
    if (isBar(kind)) {
      while (thing.row < mostRows - 1 && (this.busy[thing.row] ?? -1) >= from) thing.row++;
      this.busy[thing.row] = thing.to;
      this.rows = Math.max(this.rows, thing.row + 1);
    }
    this.things.push(thing);
    if (known !== undefined) this.open.set(known, thing);
    return thing;
  }

  end(known: string, to: number, end?: End): Thing | undefined {
    const thing = this.open.get(known);
    if (!thing) return undefined;
    this.open.delete(known);
    this.reach(thing, to);
    if (end) thing.end ??= end;
    return thing;
  }

  reach(thing: Thing, to: number): void {
    thing.to = to;
    if (isBar(thing.kind)) this.busy[thing.row] = to;
  }

  deepen(frame: number, counts: Depth): void {
    const n = this.waiting.size;
    this.counts = counts;
    if (n === (this.depth.at(-1)?.n ?? 0)) return;
    if (this.depth.at(-1)?.frame === frame) this.depth.at(-1)!.n = n;
    else this.depth.push({ frame, n });
    this.sums.deepest = Math.max(this.sums.deepest, n);
  }
}

export const isBar = (kind: Kind) => kind !== "delay" && kind !== "down" && kind !== "conflict" && kind !== "error" && kind !== "break" && kind !== "event";
export const isTurn = (kind: Kind) => kind === "reconcile" || kind === "cycle" || kind === "sync";

export class Tracks {
  private readonly byId = new Map<string, Making>();
  private readonly nodes = new Set<string>();
  private readonly within = new Map<number, Thing>(); // by frame: the stretch that it belongs to
  private grouped = false;
  private seen = 0;
  private sorted: Lane[] = [];

  /** In the order in which they are shown: from who asks, by way of the store, to who runs. */
  get lanes(): readonly Lane[] {
    if (this.sorted.length !== this.byId.size) this.sorted = [...this.byId.values()].sort((a, b) => order(a.id, b.id));
    return this.sorted;
  }

  /** Takes in the frames that it has not seen. */
  take(frames: readonly Frame[]): void {
    for (; this.seen < frames.length; this.seen++) {
      const node = nodeOf(frames[this.seen]!.who);
      if (!this.grouped && node && this.nodes.add(node).size > mostNodes) {
        this.grouped = true;
        this.byId.clear();
        this.within.clear();
        this.seen = -1;
        continue;
      }
      this.frame(frames[this.seen]!, this.seen, frames);
    }
  }

  private lane(who: string): Making {
    const id = this.grouped && nodeOf(who) ? `${who.slice(0, who.indexOf("/"))}/*` : who;
    let lane = this.byId.get(id);
    if (!lane) this.byId.set(id, (lane = new Making(id)));
    return lane;
  }

  private frame(f: Frame, i: number, frames: readonly Frame[]): void {
    const lane = this.lane(f.who);
    if (!f.q) {
      lane.ticks.push(i);
      lane.sums.events++;
    }
    const process = `${f.who} ${f.p ?? ""}`;
    const inside = f.p?.startsWith("pod-worker/") ? this.syncing(lane, f, i, process) : (lane.open.get(process) ?? this.inherited(f, frames));
    if (inside) this.within.set(i, inside);
    const text = (key: string) => String(attr(f, key) ?? "");
    switch (f.op) {
      case "queue.add":
        if (attr(f, "outcome") === "queued") this.wait(lane, `${text("queue")} ${text("key")}`, i, true);
        break;
      case "queue.get": {
        const key = `${text("queue")} ${text("key")}`;
        this.wait(lane, key, i, false);
        const thing = lane.add("reconcile", i, text("key"), process, { failures: lane.failures.get(key) ?? 0 });
        this.within.set(i, thing);
        lane.sums.turns++;
        if (thing.failures > 0) lane.sums.retries++;
        lane.failures.delete(key);
        break;
      }
      case "queue.done": {
        lane.end(process, i, attr(f, "again") === true ? "again" : "done");
        if (attr(f, "again") === true) this.wait(lane, `${text("queue")} ${text("key")}`, i, true);
        break;
      }
      case "queue.delay": {
        const failures = Number(attr(f, "failures") ?? 0);
        lane.add("delay", i, text("key"), undefined, { failures, due: f.at + microseconds(text("after")), text: text("after") });
        if (failures === 0) break;
        lane.failures.set(`${text("queue")} ${text("key")}`, failures);
        if (inside) inside.end ??= "error";
        break;
      }
      case "scheduling.queue": this.schedulingQueue(lane, f, i); break;
      case "scheduling.pop": {
        this.wait(lane, nameIn(f), i, false, "pending");
        lane.end(`backoff ${nameIn(f)}`, i);
        const attempts = Number(attr(f, "attempts") ?? 1);
        this.within.set(i, lane.add("cycle", i, nameIn(f), process, { failures: attempts - 1 }));
        lane.sums.turns++;
        if (attempts > 1) lane.sums.retries++;
        break;
      }
      case "pod.assume": {
        const cycle = lane.end(process, i, "done");
        if (cycle) cycle.text = text("node");
        lane.add("binding", i, nameIn(f), `${f.who} binding/${nameIn(f)}`, { text: text("node") });
        break;
      }
      case "pod.forget": lane.end(`${f.who} binding/${nameIn(f)}`, i, "error"); break;
      case "request.send": this.send(lane, f, i, inside); break;
      case "request.receive":
        if (f.q) break;
        lane.add("request", i, asked(f), `request ${text("request")}`);
        lane.sums.requests++;
        this.wait(lane, text("request"), i, true, "requests");
        break;
      case "request.reply": {
        const thing = lane.end(`request ${text("request")}`, i, outcome(f));
        if (!thing) break;
        thing.text = answered(f);
        this.wait(lane, text("request"), i, false, "requests");
        break;
      }
      case "request.done": this.answer(lane, f, i, inside); break;
      case "watch.close": this.watchClosed(f, i); break;
      case "component.stop":
        for (const known of [...lane.open.keys()]) if (!this.grouped || known.startsWith(`${f.who} `)) lane.end(known, i, "killed");
        if (!this.grouped || !nodeOf(f.who)) {
          lane.waiting.clear();
          lane.failures.clear();
          if (lane.counts) lane.deepen(i, lane.counts);
        }
        lane.add("down", i, f.who, `down ${f.who}`, { text: text("reason") });
        break;
      case "component.start": {
        const down = lane.end(`down ${f.who}`, i);
        if (down) lane.sums.away += f.at - frames[down.from]!.at;
        break;
      }
      case "image.pull": lane.add("pull", i, text("image"), `${f.who} pull ${text("image")}`); break;
      case "image.pulled": lane.end(`${f.who} pull ${text("image")}`, i, "done"); break;
      case "log":
        if (attr(f, "error") !== undefined && !f.q) {
          if (inside) inside.end ??= "error";
          else this.mark(lane, "error", i, text("error"), text("message"));
        }
        break;
      default:
        if (!f.q && isEvent(f.op)) lane.add("event", i, nameOf(f.o));
    }
  }

  /**
   * A frame of another process, as those that create Pods in batches, belongs to
   * what its cause belongs to; what a node's runtime does, to the kubelet's sync.
   */
  private inherited(f: Frame, frames: readonly Frame[]): Thing | undefined {
    const thing = f.c ? this.within.get(f.c - 1) : undefined;
    if (thing?.kind === "sync") return nodeOf(f.who) === nodeOf(frames[thing.from]!.who) ? thing : undefined;
    return thing?.to === Infinity && frames[f.c! - 1]!.who === f.who ? thing : undefined;
  }

  /** A kubelet's worker of a Pod says when it begins, not when it ends: a sync lasts as long as one thing leads to the next. */
  private syncing(lane: Making, f: Frame, i: number, process: string): Thing {
    const open = lane.open.get(process);
    if (open && !isSync(f) && this.within.get((f.c ?? 0) - 1) === open) {
      lane.reach(open, i);
      return open;
    }
    lane.sums.turns++;
    const thing = lane.add("sync", i, f.p!.slice("pod-worker/".length), process);
    lane.reach(thing, i);
    return thing;
  }

  private wait(lane: Making, key: string, i: number, waits: boolean, counts: Depth = "queue"): void {
    if (waits) lane.waiting.add(key);
    else lane.waiting.delete(key);
    lane.deepen(i, counts);
  }

  private schedulingQueue(lane: Making, f: Frame, i: number): void {
    const [from, to, pod] = [attr(f, "from"), String(attr(f, "to") ?? ""), nameIn(f)];
    if (isNoFit(f)) lane.end(`${f.who} ${f.p ?? ""}`, i, "noFit");
    if (from === "backoffQ") lane.end(`backoff ${pod}`, i);
    if (to === "backoffQ") lane.add("delay", i, pod, `backoff ${pod}`, { failures: 1 });
    this.wait(lane, pod, i, to !== "" && to !== "inFlight", "pending");
  }

  private send(lane: Making, f: Frame, i: number, inside: Thing | undefined): void {
    if (f.q) return;
    lane.sums.requests++;
    if (inside) inside.requests++;
    else lane.add("request", i, asked(f), `request ${String(attr(f, "request"))}`, { requests: 1 });
  }

  private answer(lane: Making, f: Frame, i: number, inside: Thing | undefined): void {
    const end = outcome(f);
    const own = lane.end(`request ${String(attr(f, "request"))}`, i, end);
    if (own) own.text = answered(f);
    const binding = lane.open.get(`${f.who} ${f.p ?? ""}`);
    if (binding?.kind === "binding") lane.end(`${f.who} ${f.p ?? ""}`, i, end);
    if (end === "done" || f.q) return;
    if (inside && end === "conflict") inside.end = end;
    else if (inside) inside.text = answered(f);
    this.mark(lane, end === "conflict" ? "conflict" : "error", i, asked(f), answered(f));
  }

  private watchClosed(f: Frame, i: number): void {
    const reason = String(attr(f, "reason") ?? "");
    if (reason === "client is gone" || reason === "client stopped it") return;
    this.mark(this.lane(String(attr(f, "client") ?? f.who)), "break", i, String(attr(f, "resource") ?? ""), reason);
  }

  private mark(lane: Making, kind: "conflict" | "error" | "break", i: number, key: string, text: string): void {
    lane.add(kind, i, key, undefined, { text });
    if (kind === "conflict") lane.sums.conflicts++;
    else if (kind === "error") lane.sums.errors++;
    else lane.sums.breaks++;
  }
}

/** What counts in a lane and is no part of something longer. */
function isEvent(op: string): boolean {
  return op === "input" || op === "store.commit" || op === "net.request" || op === "net.done" || op === "net.drop" ||
    op.startsWith("container.") || op.startsWith("sandbox.");
}

const nameIn = (f: Frame) => f.o?.slice(f.o.indexOf(" ") + 1) ?? "";

/** "update deployments/status default/web". */
function asked(f: Frame): string {
  const path = String(attr(f, "path") ?? "");
  const part = /\/(status|scale|binding|eviction|finalize|log)$/.exec(path)?.[0] ?? "";
  const [resource = "", name = ""] = (f.o ?? "").split(" ");
  return [String(attr(f, "verb") ?? ""), resource + part, name].filter(Boolean).join(" ");
}

const answered = (f: Frame) => [attr(f, "code"), attr(f, "reason")].filter(Boolean).join(" ");

function outcome(f: Frame): End {
  const code = Number(attr(f, "code") ?? 0);
  if (code === 409 && attr(f, "reason") === "Conflict") return "conflict";
  if (code === 404 && attr(f, "verb") === "get") return "done"; // that is what was asked
  return code >= 200 && code < 400 ? "done" : "error";
}

/** A duration as Go prints it: "5ms", "1m30s", "1.5s". */
export function microseconds(text: string): number {
  let sum = 0;
  for (const [, n, unit] of text.matchAll(/([\d.]+)(ns|µs|us|ms|h|m|s)/g)) sum += Number(n) * units[unit!]!;
  return Math.round(sum);
}
const units: Record<string, number> = { ns: 1e-3, "µs": 1, us: 1, ms: 1e3, s: 1e6, m: 6e7, h: 36e8 };

const nodeOf = (who: string) => (/^[^/]+\/./.test(who) ? who.slice(who.indexOf("/") + 1) : "");

const natural = new Intl.Collator("en", { numeric: true });
const first = ["user", "kubectl", "kube-apiserver", "etcd"];
const ofNode = ["kubelet", "containerd", "kube-proxy", "netfilter"];

function order(a: string, b: string): number {
  return rank(a) - rank(b) || natural.compare(nodeOf(a), nodeOf(b)) ||
    ofNode.indexOf(a.split("/")[0]!) - ofNode.indexOf(b.split("/")[0]!) || natural.compare(a, b);
}

function rank(id: string): number {
  const at = first.indexOf(id);
  if (at >= 0) return at;
  if (nodeOf(id)) return 20;
  return id === "kube-scheduler" ? 11 : /controller|provisioner/.test(id) ? 10 : 12;
}


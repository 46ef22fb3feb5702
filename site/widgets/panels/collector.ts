// The garbage collector's graph at a frame, as it logged what it made of every
// object: who owns whom, who waits, who is gone.

import { attr, type Frame } from "../state/recording";
import type { Edge, Graph, Vertex } from "./graph";

interface Node {
  uid: string;
  kind: string;
  name: string;
  owners: { uid: string; kind: string; name: string; blocks: boolean }[];
  virtual: boolean;
  beingDeleted: boolean;
  deletingDependents: boolean;
}

const collector = "generic-garbage-collector";
/** "[apps/v1/Deployment, namespace: default, name: web, uid: …]" */
const identity = /^\[(?:.*\/)?([^/,]+), namespace: (.*), name: (.*), uid: (.*)\]$/;

const parse = (text: unknown) => {
  const m = identity.exec(String(text ?? ""));
  return m ? { kind: m[1]!, name: m[3]!, uid: m[4]! } : undefined;
};

/** The object that a line of the collector is about. */
function itemOf(frame: Frame) {
  if (frame.op !== "log" || !frame.who.startsWith(collector)) return undefined;
  return parse(attr(frame, "item") ?? attr(frame, "object") ?? attr(frame, "identity"));
}

const yes = (frame: Frame, key: string) => attr(frame, key) === true;

/** What is around the item that an event is about: its owners, and what depends on it. */
export function graphAt(frames: readonly Frame[], index: number,
  words: { virtual: string; beingDeleted: string; deletingDependents: string; absent: string }): Graph | undefined {
  const last = frames[index];
  const item = last && itemOf(last);
  if (!item) return undefined;
  const nodes = new Map<string, Node>();
  const fates = new Map<string, string>(); // of the item's owners: solid, dangling, waiting
  for (let i = 0; i <= index; i++) {
    const f = frames[i]!;
    if (!f.who.startsWith(collector)) continue;
    if (f.op === "component.stop") nodes.clear();
    if (f.op !== "log") continue;
    const message = attr(f, "message");
    const about = itemOf(f);
    if (!about) continue;
    if (message === "add virtual item") nodes.set(about.uid, { ...about, owners: [], virtual: true, beingDeleted: false, deletingDependents: false });
    if (message === "classify item's references" && about.uid === item.uid) {
      fates.clear();
      for (const [fate, key] of [["solid", "solid"], ["dangling", "dangling"], ["waiting", "waitingForDependentsDeletion"]]) {
        for (const name of String(attr(f, key!)).slice(1, -1).split(", ")) if (name) fates.set(name, fate!);
      }
    }
    if (message !== "GraphBuilder process object") continue;
    if (attr(f, "eventType") === "delete" && i < index) {
      nodes.delete(about.uid);
      continue;
    }
    nodes.set(about.uid, { ...about, owners: ownersOf(String(attr(f, "owners"))), virtual: yes(f, "virtual"),
      beingDeleted: yes(f, "beingDeleted"), deletingDependents: yes(f, "deletingDependents") });
  }
  const around = new Map<string, Vertex>();
  const edges: Edge[] = [];
  const absent = (uid: string): Node => ({ ...(named(nodes, uid) ?? { kind: "?", name: uid }), uid, owners: [],
    virtual: false, beingDeleted: false, deletingDependents: false });
  const put = (uid: string) => {
    if (around.has(uid)) return;
    const known = nodes.get(uid);
    const node = known ?? (uid === item.uid ? { ...absent(uid), ...item } : absent(uid));
    const signs = [known ? "" : words.absent, node.virtual ? words.virtual : "",
      node.deletingDependents ? words.deletingDependents : node.beingDeleted ? words.beingDeleted : ""];
    around.set(uid, { id: uid, kind: node.kind, name: node.name, detail: signs.filter(Boolean).join(", "), isHere: uid === item.uid, isGone: !known });
    for (const owner of node.owners) {
      put(owner.uid);
      const fate = uid === item.uid ? fates.get(`${owner.kind} ${owner.name}`) : undefined;
      edges.push({ from: owner.uid, to: uid, label: [owner.blocks ? "blocks" : "", fate ?? ""].filter(Boolean).join(", "),
        isLoose: fate === "dangling" || !nodes.has(owner.uid) });
    }
  };
  put(item.uid);
  for (let grew = true; grew; ) { // dependents of dependents
    grew = false;
    for (const node of nodes.values()) {
      if (around.has(node.uid) || !node.owners.some((o) => o.uid === item.uid || (around.has(o.uid) && isBelow(nodes, o.uid, item.uid)))) continue;
      put(node.uid);
      grew = true;
    }
  }
  return { vertices: [...around.values()], edges };
}

function isBelow(nodes: Map<string, Node>, uid: string, top: string, depth = 0): boolean {
  return uid === top || (depth < 8 && (nodes.get(uid)?.owners.some((o) => isBelow(nodes, o.uid, top, depth + 1)) ?? false));
}

/** What references call an object that is not in the graph. */
function named(nodes: Map<string, Node>, uid: string) {
  for (const node of nodes.values()) {
    const ref = node.owners.find((o) => o.uid === uid);
    if (ref) return { kind: ref.kind, name: ref.name };
  }
  return undefined;
}

/** "ReplicaSet web c5f0… (blocks), …" */
function ownersOf(text: string): Node["owners"] {
  if (text === "") return [];
  return text.split(", ").map((one) => {
    const [kind = "", name = "", uid = "", blocks] = one.split(" ");
    return { kind, name, uid, blocks: blocks !== undefined };
  });
}

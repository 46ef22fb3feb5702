import assert from "node:assert/strict";
import { test } from "node:test";
import { graphAt } from "./collector";
import { expectationsAt } from "./expectations";
import { rows } from "./graph";
import { klog } from "./klog";
import { managersAt, pathsOf } from "./managers";
import { micros, queueAt, schedulingAt } from "./queues";
import type { Details, Frame, Op, Value } from "../state/recording";
import { cycleAt, parseScore } from "./verdicts";
import { Identities, Versions } from "./versions";

/** Frames of short forms: who, op, attributes, object. */
function frames(...all: [who: string, op: Op, attrs?: Record<string, Value>, object?: string | undefined, at?: number][]): Frame[] {
  return all.map(([who, op, a = {}, o, at], i) =>
    ({ e: i + 1, at: at ?? i * 1000, d: i, who, p: "worker-1", op, m: op, a: Object.entries(a).flat(), ...(o ? { o } : {}) }));
}

test("log lines are those of klog", () => {
  const epoch = "2026-01-15T09:00:00Z";
  const [line, error, score] = frames(
    ["replicaset-controller", "log", { message: "Too few replicas", v: 2, replicaSet: "default/web", need: 3, ready: true }, undefined, 13_007_203],
    ["x", "log", { message: "Error syncing", v: 0, error: 'say "no"', text: "a\nb" }],
    ["kube-scheduler", "node.score", { node: "node-1", score: 371, TaintToleration: "300 = 3 × 100 (0)", NodeResourcesFit: "71 = 1 × 71" }, "pods default/web"],
  );
  assert.deepEqual(klog(line!, epoch, ["playground/controlplane/controller/replicaset/replicas.go", 39, ""]),
    ['I0115 09:00:13.007203       1 replicas.go:39] "Too few replicas" replicaSet="default/web" need=3 ready=true']);
  assert.deepEqual(klog(error!, epoch), ['E0115 09:00:00.001000       1 ???:1] "Error syncing" err="say \\"no\\"" text=<\n\ta\n\tb\n >']);
  assert.deepEqual(klog(score!, epoch).map((l) => l.replace(/^.*\] /, "")), [
    '"Plugin scored node for pod" pod="default/web" plugin="TaintToleration" node="node-1" score=300',
    '"Plugin scored node for pod" pod="default/web" plugin="NodeResourcesFit" node="node-1" score=71',
    '"Calculated node\'s final score for pod" pod="default/web" node="node-1" score=371']);
});

test("a cycle is what was thought since the Pod was popped, up to the moment", () => {
  const all = frames(
    ["kube-scheduler", "scheduling.pop", { attempts: 1 }, "pods default/web"],
    ["kube-scheduler", "node.filter", { node: "node-1", fits: false, plugin: "NodeName", reason: "old" }, "pods default/web"],
    ["kube-scheduler", "scheduling.pop", { attempts: 2 }, "pods default/web"],
    ["kube-scheduler", "node.filter", { node: "node-1", fits: true }, "pods default/web"],
    ["kube-scheduler", "node.filter", { node: "node-2", fits: false, plugin: "NodeAffinity", reason: "no match" }, "pods default/web"],
    ["kube-scheduler", "node.filter", { node: "node-9", fits: true }, "pods default/other"],
    ["kube-scheduler", "node.score", { node: "node-1", score: 300, TaintToleration: "300 = 3 × 100 (0)" }, "pods default/web"],
    ["kube-scheduler", "pod.assume", { node: "node-1" }, "pods default/web"],
  );
  const cycle = cycleAt(all, 7)!;
  assert.deepEqual(cycle.nodes.map((n) => [n.node, n.total, n.rejected?.plugin]), [["node-1", 300, undefined], ["node-2", undefined, "NodeAffinity"]]);
  assert.deepEqual([cycle.plugins, cycle.chosen], [["TaintToleration"], "node-1"]);
  assert.equal(cycleAt(all, 6)!.chosen, undefined);
  assert.equal(cycleAt(all, 1)!.nodes[0]!.rejected?.reason, "old");
  assert.deepEqual(parseScore("37 = 1 × 37"), { weighted: 37, weight: 1, normalised: 37, raw: 37 });
  assert.equal(parseScore("node-1"), undefined);
});

test("a queue's sets follow client-go's rules", () => {
  const q = { queue: "replicaset", key: "default/web" };
  const all = frames(
    ["c", "queue.add", { ...q, outcome: "queued" }],
    ["c", "queue.get", q],
    ["c", "queue.add", { ...q, outcome: "dirty" }],
    ["c", "queue.delay", { ...q, after: "5ms", failures: 1 }],
    ["c", "queue.add", { queue: "other", key: "x", outcome: "queued" }],
    ["c", "queue.done", { ...q, again: true }],
    ["c", "queue.get", { ...q, failures: 1 }, undefined, 6000],
    ["c", "queue.add", { ...q, outcome: "dirty" }, undefined, 8000],
    ["c", "component.stop", {}],
    ["c", "queue.add", { queue: "replicaset", key: "default/b", outcome: "queued" }],
  );
  const keys = (i: number) => {
    const { dirty, processing, due } = queueAt(all, i)!;
    return [dirty, processing, due].map((set) =>
      set.map((item) => `${item.key}${item.due === undefined ? "" : `@${item.due}`}${item.failures ? `!${item.failures}` : ""}`).join());
  };
  assert.deepEqual(keys(0), ["default/web", "", ""]);
  assert.deepEqual(keys(1), ["", "default/web", ""]);
  assert.deepEqual(keys(3), ["default/web!1", "default/web!1", "default/web@8000!1"]);
  assert.deepEqual(keys(5), ["default/web!1", "", "default/web@8000!1"]);
  assert.deepEqual(keys(7), ["default/web!1", "default/web!1", ""], "it was due, and was added");
  assert.deepEqual(keys(9), ["default/b", "", ""], "a component's memory dies with it");
  assert.equal(micros("1m0.5s"), 60_500_000);
  assert.equal(micros("5ms"), 5000);
});

test("the scheduler's queues say why a Pod is where it is", () => {
  const all = frames(
    ["kube-scheduler", "scheduling.queue", { from: "", to: "activeQ", event: "UnscheduledPodAdd" }, "pods default/a"],
    ["kube-scheduler", "scheduling.pop", { attempts: 1 }, "pods default/a"],
    ["kube-scheduler", "scheduling.queue",
      { from: "inFlight", to: "unschedulablePods", event: "ScheduleAttemptFailure", rejectors: "NodeAffinity" }, "pods default/a"],
    ["kube-scheduler", "scheduling.queue",
      { from: "unschedulablePods", to: "backoffQ", event: "NodeUpdate", hint: "QueueAfterBackoff", plugin: "NodeAffinity", until: "2s", failures: 1 },
      "pods default/a"],
  );
  assert.deepEqual(schedulingAt(all, 1)!.inFlight.map((w) => w.event), ["1"]);
  assert.equal(schedulingAt(all, 2)!.unschedulablePods[0]!.rejectors, "NodeAffinity");
  assert.deepEqual(schedulingAt(all, 3), { activeQ: [], inFlight: [], unschedulablePods: [],
    backoffQ: [{ pod: "default/a", event: "NodeUpdate", plugin: "NodeAffinity", hint: "QueueAfterBackoff", until: 2_000_000 }] });
});

test("expectations go back to the line that set them, for one key", () => {
  const line = (message: string, more: Record<string, Value>) => ["rs", "log", { message, v: 4, ...more }] as [string, Op, Record<string, Value>];
  const all = frames(
    line("Lowered expectations", { expectations: "add 9, del 0, key default/web" }),
    line("Setting expectations", { expectations: "add 3, del 0, key default/web" }),
    line("Setting expectations", { expectations: "add 1, del 0, key default/other" }),
    line("Slow-start batch", { batchSize: 1, remaining: 3 }),
    line("Lowered expectations", { expectations: "add 2, del 0, key default/web" }),
  );
  const { key, lines } = expectationsAt(all, 4)!;
  assert.equal(key, "default/web");
  assert.deepEqual(lines.map((l) => l.batch ?? l.add), [3, 1, 2]);
  assert.equal(expectationsAt(all, 3)!.lines.length, 2);
});

test("the collector's graph: who owns whom, who waits, who is not there", () => {
  const gc = "generic-garbage-collector";
  const id = (kind: string, name: string, uid: string) => `[apps/v1/${kind}, namespace: default, name: ${name}, uid: ${uid}]`;
  const node = (object: string, owners: string, more: Record<string, Value> = {}) =>
    [gc, "log", { message: "GraphBuilder process object", v: 5, eventType: "add",
      object, virtual: false, owners, ...more }] as [string, Op, Record<string, Value>];
  const all = frames(
    node(id("Deployment", "web", "d"), "", { deletingDependents: true }),
    node(id("ReplicaSet", "web-1", "r"), "Deployment web d (blocks), Deployment old o"),
    node(id("Pod", "web-1-a", "p"), "ReplicaSet web-1 r (blocks)"),
    node(id("Pod", "alone", "x"), ""),
    [gc, "log", { message: "classify item's references", v: 5, item: id("ReplicaSet", "web-1", "r"),
      solid: "[]", dangling: "[Deployment old]", waitingForDependentsDeletion: "[Deployment web]" }],
  );
  const graph = graphAt(all, 4, { virtual: "virtual", beingDeleted: "deleted", deletingDependents: "waits", absent: "absent" })!;
  assert.deepEqual(graph.vertices.map((v) => [v.id, v.detail, v.isHere]).sort(),
    [["d", "waits", false], ["o", "absent", false], ["p", "", false], ["r", "", true]]);
  assert.deepEqual(graph.edges.map((e) => `${e.from}-${e.to} ${e.label}`).sort(), ["d-r blocks, waiting", "o-r dangling", "r-p blocks"]);
  assert.deepEqual(rows(graph, String).map((r) => `${" ".repeat(r.depth)}${r.vertex.id}`), ["d", " r", "  p", "o"]);
});

test("a graph of a thousand is counted, not drawn", () => {
  const vertices = Array.from({ length: 1001 }, (_, i) => ({ id: String(i), kind: "Pod", name: String(i), detail: "", isHere: i === 900, isGone: false }));
  const edges = vertices.slice(1).map((v) => ({ from: "0", to: v.id, label: "" }));
  const drawn = rows({ vertices, edges }, (n) => `${n} more`);
  assert.equal(drawn.length, 14);
  assert.ok(drawn.some((r) => r.vertex.isHere));
  assert.equal(drawn.at(-1)!.vertex.name, "988 more");
  assert.equal(drawn.at(-1)!.vertex.open, undefined);
});

test("the row that counts opens all of its owner's", () => {
  const vertices = Array.from({ length: 41 }, (_, i) => ({ id: String(i), kind: "Pod", name: String(i), detail: "", isHere: false, isGone: false }));
  const edges = vertices.slice(1).map((v) => ({ from: "0", to: v.id, label: "" }));
  const opened = new Set<string>();
  let first = "";
  const open = (owner: string, next: string) => void (opened.add(owner), (first = next));
  const drawn = () => rows({ vertices, edges }, (n) => `${n} more`, opened, open);
  drawn().at(-1)!.vertex.open!();
  assert.equal(first, "13", "the first of those that were counted");
  assert.deepEqual(drawn().map((r) => r.vertex.id), vertices.map((v) => v.id));
});

test("versions, who is there, and who owns whom without putting whole objects together", () => {
  const commit = (object: string, type: string) =>
    ["kube-apiserver", "store.commit", { revision: 1, type }, object] as [string, Op, Record<string, Value>, string];
  const all = frames(commit("pods default/a", "ADDED"), commit("pods default/b", "ADDED"),
    commit("pods default/a", "MODIFIED"), commit("pods default/a", "DELETED"));
  const versions = new Versions(() => all);
  assert.deepEqual([versions.at("pods default/a", 1), versions.at("pods default/a", 2), versions.at("pods default/b", 0)], [0, 2, -1]);
  assert.deepEqual(versions.objects(3), { there: ["pods default/b"], gone: ["pods default/a"] });
  const details: Details = { stacks: [], base: { 3: 1, 4: 3 }, objects: {
    1: { kind: "Pod", metadata: { uid: "u", ownerReferences: [{ kind: "ReplicaSet", name: "web", uid: "r" }] } },
    3: { status: { phase: "Running" } }, 4: { metadata: { ownerReferences: null } } } };
  const identities = new Identities(details);
  assert.equal(identities.of(3)!.owners[0]!.uid, "r");
  assert.deepEqual(identities.of(4), { uid: "u", kind: "Pod", owners: [] });
});

test("managers are those of the last commit that changed them", () => {
  const managers = {
    sets: [{ "f:spec": { "f:replicas": {}, "f:containers": { 'k:{"name":"app"}': { ".": {}, "f:image": {} } } } }],
    events: { 3: [["kubectl", "Update", "apps/v1", "t", "", 0] as [string, string, string, string, string, number]] } };
  assert.deepEqual(managersAt(managers, [1]), []);
  assert.equal(managersAt(managers, [1, 3, 7])[0]!.name, "kubectl");
  assert.deepEqual(pathsOf(managers.sets[0]!), [".spec.replicas", ".spec.containers[name=app].image"]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, Op, Value } from "./recording";
import { describe } from "../panels/lanetext";
import { laneWordsOf } from "../panels/lanes.words";
import { microseconds, Tracks, type Lane, type Thing } from "./tracks";

type Row = [who: string, op: Op, attrs?: Record<string, Value>, more?: Partial<Frame>];

/** Frames a millisecond apart. */
const film = (rows: Row[]): Frame[] => rows.map(([who, op, attrs, more], i) =>
  ({ e: i + 1, at: i * 1000, d: i * 50, who, op, m: op, a: Object.entries(attrs ?? {}).flat(), ...more }));

const lanesOf = (frames: Frame[]) => {
  const tracks = new Tracks();
  tracks.take(frames);
  return tracks.lanes;
};
const laneOf = (frames: Frame[], id: string): Lane => lanesOf(frames).find((lane) => lane.id === id)!;
const brief = (t: Thing) => [t.kind, t.from, t.to, t.end ?? ""];

const dc = "deployment-controller";
const key = { queue: "deployment", key: "default/web" };
const worker = { p: "worker-1" };
const conflict: Frame[] = film([
  [dc, "queue.add", { ...key, outcome: "queued" }], // 0
  [dc, "queue.get", key, worker], // 1
  [dc, "queue.add", { ...key, outcome: "dirty" }], // 2
  [dc, "request.send", { request: 7, verb: "update", path: "/apis/apps/v1/namespaces/default/deployments/web/status" }, { ...worker, o: "deployments default/web", c: 2 }], // 3
  ["kube-apiserver", "request.receive", { request: 7, verb: "update", path: "/apis/apps/v1/namespaces/default/deployments/web/status" }, { o: "deployments default/web" }], // 4
  ["kube-apiserver", "request.reply", { request: 7, verb: "update", path: "", code: 409, reason: "Conflict" }, { o: "deployments default/web" }], // 5
  [dc, "request.done", { request: 7, verb: "update", path: "/x/status", code: 409, reason: "Conflict" }, { ...worker, o: "deployments default/web" }], // 6
  [dc, "queue.delay", { ...key, after: "5ms", failures: 1 }, worker], // 7
  [dc, "queue.done", { ...key, again: true }, worker], // 8
  [dc, "queue.get", key, { p: "worker-2" }], // 9
  [dc, "queue.done", { ...key, again: false }, { p: "worker-2" }], // 10
]);

test("a reconcile lasts from get to done, with its requests, and ends as they did", () => {
  const lane = laneOf(conflict, dc);
  assert.deepEqual(lane.things.map(brief), [["reconcile", 1, 8, "conflict"], ["conflict", 6, 6, ""], ["delay", 7, 7, ""], ["reconcile", 9, 10, "done"]]);
  assert.equal(lane.things[0]!.requests, 1);
  assert.equal(lane.things[3]!.failures, 1, "the second one is not known as a retry");
  assert.equal(lane.things[2]!.due, 12_000);
  assert.deepEqual({ ...lane.sums }, { events: 9, requests: 1, turns: 2, deepest: 1, retries: 1, conflicts: 1, errors: 0, breaks: 0, away: 0 });
});

test("a queue is as deep as keys wait in it: one that a worker has does not", () => {
  assert.deepEqual(laneOf(conflict, dc).depth, [{ frame: 0, n: 1 }, { frame: 1, n: 0 }, { frame: 8, n: 1 }, { frame: 9, n: 0 }]);
  assert.deepEqual(laneOf(conflict, "kube-apiserver").depth, [{ frame: 4, n: 1 }, { frame: 5, n: 0 }]);
});

test("the sentence says who, what, when, how much, and how it ended", () => {
  const lane = laneOf(conflict, dc);
  assert.equal(describe(lane, lane.things[0]!, conflict, laneWordsOf("en"), {}), "deployment-controller, reconcile of default/web, 0.001 s to 0.008 s, 1 request, ended with a conflict");
  assert.equal(describe(lane, lane.things[2]!, conflict, laneWordsOf("en"), {}), "deployment-controller, default/web delayed by 5ms, 0.007 s, until 0.012 s, failures in a row: 1");
  assert.equal(describe(lane, lane.things[3]!, conflict, laneWordsOf("en"), {}), "deployment-controller, reconcile of default/web, 0.009 s to 0.010 s, retry no. 1");
  assert.match(describe(lane, lane.things[0]!, conflict, laneWordsOf("ja"), {}), /default\/web の Reconcile、0\.001 s から 0\.008 s、リクエスト 1 件、競合/);
});

test("taking frames in one by one makes what taking them at once makes", () => {
  const tracks = new Tracks();
  for (let n = 0; n <= conflict.length; n++) tracks.take(conflict.slice(0, n));
  assert.deepEqual(JSON.parse(JSON.stringify(tracks.lanes.map((l) => [l.id, l.things, l.depth, l.ticks, l.sums]))),
    JSON.parse(JSON.stringify(lanesOf(conflict).map((l) => [l.id, l.things, l.depth, l.ticks, l.sums]))));
});

test("who goes down takes the queue and what went on along, and is away until the start", () => {
  const frames = film([
    [dc, "queue.add", { ...key, outcome: "queued" }],
    [dc, "queue.add", { queue: "deployment", key: "default/b", outcome: "queued" }],
    [dc, "queue.get", key, worker],
    [dc, "component.stop", { reason: "killed" }],
    ["kube-apiserver", "watch.close", { client: dc, resource: "pods", reason: "client is gone" }],
    ["etcd", "log", {}],
    [dc, "component.start", {}],
    ["kube-apiserver", "watch.close", { client: dc, resource: "pods", reason: "connection is lost" }],
  ]);
  const lane = laneOf(frames, dc);
  assert.deepEqual(lane.things.map(brief), [["reconcile", 2, 3, "killed"], ["down", 3, 6, ""], ["break", 7, 7, ""]]);
  assert.deepEqual(lane.depth.at(-1), { frame: 3, n: 0 });
  assert.equal(lane.sums.away, 3000);
  assert.equal(lane.sums.breaks, 1, "a watch that closes with its client is no lost one");
});

test("a scheduling cycle ends with a node or without one; binding goes on beside the next", () => {
  const pod = (name: string, more: Partial<Frame> = {}) => ({ p: "main", o: `pods default/${name}`, ...more });
  const frames = film([
    ["kube-scheduler", "scheduling.queue", { from: "", to: "activeQ" }, pod("a", { p: "handler/pods" })],
    ["kube-scheduler", "scheduling.pop", { attempts: 1 }, pod("a")],
    ["kube-scheduler", "pod.assume", { node: "node-1" }, pod("a")],
    ["kube-scheduler", "scheduling.queue", { from: "", to: "activeQ" }, pod("b", { p: "handler/pods" })],
    ["kube-scheduler", "scheduling.pop", { attempts: 2 }, pod("b")],
    ["kube-scheduler", "request.send", { request: 1, verb: "create", path: "/b/binding" }, pod("a", { p: "binding/default/a" })],
    ["kube-scheduler", "scheduling.queue", { from: "inFlight", to: "unschedulablePods" }, pod("b")],
    ["kube-scheduler", "request.done", { request: 1, verb: "create", path: "/b/binding", code: 201 }, pod("a", { p: "binding/default/a" })],
  ]);
  const lane = laneOf(frames, "kube-scheduler");
  assert.deepEqual(lane.things.map(brief), [["cycle", 1, 2, "done"], ["binding", 2, 7, "done"], ["cycle", 4, 6, "noFit"]]);
  assert.deepEqual(lane.things.map((t) => t.row), [0, 1, 0], "what overlaps is on another line");
  assert.equal(lane.sums.retries, 1);
  assert.deepEqual(lane.depth.map((d) => d.n), [1, 0, 1, 0, 1]);
});

test("a kubelet's sync lasts as long as one thing leads to the next", () => {
  const kubelet = "kubelet/node-1";
  const enter = { message: "SyncPod enter", pod: "default/a" };
  const frames = film([
    [kubelet, "log", enter, { p: "pod-worker/default/a", q: true }],
    ["containerd/node-1", "sandbox.start", {}, { p: "RunPodSandbox", c: 1 }],
    [kubelet, "log", { message: "Created PodSandbox for pod" }, { p: "pod-worker/default/a", c: 2 }],
    [kubelet, "log", { message: "SyncLoop RECONCILE" }, { p: "main" }],
    [kubelet, "log", { message: "Pod terminating with grace period" }, { p: "pod-worker/default/a", c: 4 }],
  ]);
  assert.deepEqual(laneOf(frames, kubelet).things.map(brief), [["sync", 0, 2, ""], ["sync", 4, 4, ""]]);
});

test("many nodes share a lane for each of their components", () => {
  const nodes = Array.from({ length: 40 }, (_, i) => `kubelet/node-${i}`);
  const frames = film([...nodes.map((who): Row => [who, "component.start"]),
    ["kubelet/node-3", "component.stop", { reason: "killed" }], ["etcd", "store.commit"]]);
  const lanes = lanesOf(frames);
  assert.deepEqual(lanes.map((lane) => lane.id), ["etcd", "kubelet/*"]);
  assert.equal(lanes[1]!.sums.events, 41);
  assert.deepEqual(lanes[1]!.things.map(brief), [["down", 40, Infinity, ""]]);
});

test("lanes stand in the order of the way of a request", () => {
  const who = ["kubelet/node-10", "containerd/node-2", "kubelet/node-2", "kube-scheduler", "replicaset-controller",
    "etcd", "coredns", "kube-apiserver", "user", "kubectl"];
  assert.deepEqual(lanesOf(film(who.map((w): Row => [w, "log"]))).map((lane) => lane.id),
    ["user", "kubectl", "kube-apiserver", "etcd", "replicaset-controller", "kube-scheduler", "coredns",
      "kubelet/node-2", "containerd/node-2", "kubelet/node-10"]);
});

test("durations are read as Go prints them", () => {
  for (const [text, us] of [["5ms", 5000], ["1m30s", 90e6], ["1.5s", 1.5e6], ["250µs", 250], ["1h0m0s", 36e8], ["", 0]] as const) {
    assert.equal(microseconds(text), us, text);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "../../tests/random";
import type { Frame, Mark, Op, Value } from "./recording";
import { concerns, nearest, stopsOf, units, type Unit } from "./stepunit";

let frames: Frame[] = [];
const add = (who: string, op: Op, o = "", more: Partial<Frame> & { attrs?: Record<string, Value> } = {}) => {
  const { attrs, ...rest } = more;
  frames.push({ e: frames.length + 1, at: frames.length * 1000, d: frames.length * 50, who, op, m: op,
    ...(o ? { o } : {}), ...(attrs ? { a: Object.entries(attrs).flat() } : {}), ...rest });
};

/** A reconcile with a request, beside which others work. */
function story(): Frame[] {
  frames = [];
  const ds = "deployments default/web";
  add("user", "input"); // 0
  add("kubectl", "request.send", ds, { attrs: { request: 1 } }); // 1
  add("etcd", "store.commit", ds); // 2
  add("kubectl", "request.done", ds, { attrs: { request: 1, code: 200 } }); // 3
  add("kubelet/node-1", "request.send", "leases node-1", { q: true, attrs: { request: 2 } }); // 4
  add("deployment-controller", "queue.get", "", { p: "worker-1", attrs: { queue: "deployment", key: "default/web" } }); // 5
  add("replicaset-controller", "queue.get", "", { p: "worker-1", attrs: { queue: "replicaset", key: "default/web-1" } }); // 6
  add("deployment-controller", "request.send", ds, { p: "worker-1", attrs: { request: 3 } }); // 7
  add("kube-scheduler", "scheduling.pop", "pods default/web-x", { p: "main" }); // 8
  add("etcd", "store.commit", ds, { q: true }); // 9
  add("deployment-controller", "request.done", ds, { p: "worker-1", attrs: { request: 3, code: 409, reason: "Conflict" } }); // 10
  add("deployment-controller", "queue.done", "", { p: "worker-1", attrs: { queue: "deployment", key: "default/web", again: false } }); // 11
  add("kube-scheduler", "scheduling.queue", "pods default/web-x", { p: "main", attrs: { from: "inFlight", to: "unschedulablePods" } }); // 12
  add("kubelet/node-1", "log", "", { q: true, p: "pod-worker/default/web-x", attrs: { message: "SyncPod enter", pod: "default/web-x" } }); // 13
  add("kube-scheduler", "scheduling.queue", "pods default/web-x", { p: "binding/default/web-x", attrs: { from: "inFlight", to: "" } }); // 14
  add("replicaset-controller", "queue.done", "", { p: "worker-1", attrs: { queue: "replicaset", key: "default/web-1", again: false } }); // 15
  add("generic-garbage-collector", "queue.get", "", { q: true, p: "worker-1", attrs: { queue: "graph_changes", key: "default/web-1" } }); // 16
  add("generic-garbage-collector", "queue.done", "", { q: true, p: "worker-1", attrs: { queue: "graph_changes", key: "default/web-1", again: false } }); // 17
  return frames;
}

const marks: Mark[] = [{ id: "a", frame: 2, caption: {} }, { id: "b", frame: 9, caption: {} }];
const stops = (unit: Unit, about = "") => story().flatMap((f, i, all) => (stopsOf(unit, about, marks)(f, i) && all ? [i] : []));

const cases: [unit: Unit, about: string, want: number[]][] = [
  ["event", "", [0, 1, 2, 3, 5, 6, 7, 8, 10, 11, 12, 14, 15]],
  ["every", "", [...Array(18).keys()]],
  ["request", "", [1, 3, 7, 10]],
  ["request", "deployment-controller", [7, 10]],
  ["request", "deployments default/web", [1, 3, 7, 10]],
  ["request", "pods default/web-x", []],
  ["reconcile", "", [5, 6, 8, 11, 12, 15]],
  ["reconcile", "deployment-controller", [5, 11]],
  ["reconcile", "generic-garbage-collector", [16, 17]],
  ["reconcile", "kube-scheduler", [8, 12]],
  ["reconcile", "deployments default/web", [5, 11]],
  ["reconcile", "pods default/web-x", [8, 12, 13]],
  ["reconcile", "kubelet/node-1", [13]],
  ["reconcile", "nodes node-1", [13]],
  ["change", "", []],
  ["change", "deployments default/web", [2, 9]],
  ["change", "deployment-controller", [5, 7, 10, 11]],
  ["mark", "", [2, 9]],
];
for (const [unit, about, want] of cases) {
  test(`steps by ${unit}${about && `, looking at ${about}`}`, () => assert.deepEqual(stops(unit, about), want));
}

for (const seed of seeds()) {
  test(`a step back undoes a step on, by any unit (SEED=${seed})`, () => {
    const random = new Random(seed);
    const all = story();
    for (const unit of units) {
      const isStop = stopsOf(unit, random.pick(["", "deployment-controller", "deployments default/web"]), marks);
      const there = all.map((f, i) => (isStop(f, i) ? i : -1)).filter((i) => i >= 0);
      const walked: number[] = [];
      for (let i = -1; (i = nearest(all, i, 1, isStop)) >= 0; ) walked.push(i);
      assert.deepEqual(walked, there, `seed ${seed}, ${unit}: on`);
      for (let n = there.length - 1; n > 0; n--) assert.equal(nearest(all, there[n]!, -1, isStop), there[n - 1], `seed ${seed}, ${unit}: back`);
      assert.equal(nearest(all, there[0] ?? 0, -1, isStop), -1);
    }
  });
}

test("what happens on a node is about it", () => {
  const on = (who: string, o = "") => concerns({ e: 1, at: 0, d: 0, who, op: "log", m: "log", o }, "nodes node-1");
  assert.ok(on("kubelet/node-1") && on("containerd/node-1") && on("etcd", "nodes node-1"));
  assert.ok(!on("kubelet/node-10") && !on("etcd", "nodes node-10"));
});

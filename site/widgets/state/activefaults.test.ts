import assert from "node:assert/strict";
import { test } from "node:test";
import { parse, print } from "./link";
import type { Frame } from "./recording";
import type { Input } from "./scenario";
import { activeFaults, isTerminated } from "./activefaults";

const input = (kind: string, attrs: Record<string, string> = {}, o?: string): Frame => ({
  e: 1, at: 0, d: 0, who: "user", op: "input", m: "", a: ["kind", kind, ...Object.entries(attrs).flat()], ...(o ? { o } : {}),
});
const told = (frames: Frame[], cluster = {}) => activeFaults(frames, frames.length - 1, cluster).map((f) =>
  `${f.kind} ${f.target} ${f.value} → ${JSON.stringify(f.mend)}`);

test("what was begun is on until it is mended", () => {
  const begun = [
    input("kill-node", { node: "node-1" }), input("stop", { component: "kube-scheduler" }), input("partition", { node: "node-2", target: "node-2" }),
    input("slow", { component: "etcd", value: "2s" }), input("fail", { component: "etcd", value: "no-space" }),
    input("fill-memory", { node: "node-2", value: "7Gi" }), input("kubectl", { command: "drain node-3 --force" }), input("registry-down"),
  ];
  assert.deepEqual(told(begun), [
    'kill-node node-1  → {"kind":"start-node","node":"node-1"}',
    'stop kube-scheduler  → {"kind":"start","component":"kube-scheduler"}',
    'partition node-2  → {"kind":"heal","node":"node-2","value":"partition"}',
    'slow etcd 2s → {"kind":"heal","component":"etcd","value":"slow"}',
    'fail etcd no-space → {"kind":"heal","component":"etcd","value":"fail"}',
    'fill-memory node-2 7Gi → {"kind":"fill-memory","node":"node-2","value":"0"}',
    'cordon node-3  → {"kind":"kubectl","args":["uncordon","node-3"]}',
    'registry-down   → {"kind":"registry-up"}',
  ]);
  assert.equal(activeFaults(begun, 1, {}).length, 2, "as of a moment");
  assert.deepEqual(told([...begun, input("heal", { component: "etcd" }), input("heal", { node: "node-2" }), input("start-node", { node: "node-1" }),
    input("start", { component: "kube-scheduler" }), input("fill-memory", { node: "node-2", value: "0" }),
    input("kubectl", { command: "uncordon node-3" }), input("registry-up")]), []);
});

test("a program is down until it starts, whoever starts it", () => {
  const started = (who: string): Frame => ({ e: 1, at: 0, d: 0, who, op: "component.start", m: "", a: [] });
  const stops = ["disk-controller", "kubelet/node-1", "metrics-server"].map((component) => input("stop", { component }));
  const on = (...frames: Frame[]) => activeFaults([...stops, ...frames], 9, {}).map((f) => f.target);
  assert.deepEqual(on(started("disk-controller-2/node-1"), started("kubelet/node-2")), ["disk-controller", "kubelet/node-1", "metrics-server"]);
  assert.deepEqual(on(started("disk-controller/node-1")), ["kubelet/node-1", "metrics-server"], "its kubelet starts a container anew");
  assert.deepEqual(on(started("metrics-server"), started("kubelet/node-1")), ["disk-controller"]);
});

test("no reader mends what nobody but its Pod starts", () => {
  const of = (cluster: object) => told(["disk-controller", "shell-operator", "metrics-server", "kube-scheduler", "kubelet/node-1"].map((component) =>
    input("stop", { component })), cluster).map((line) => line.replace(/^stop (\S+) .*/, (all, name: string) => (all.endsWith("undefined") ? name : "")));
  assert.deepEqual(of({}), ["disk-controller", "shell-operator", "metrics-server", "", ""]);
  assert.deepEqual(of({ kubeadm: true }), ["disk-controller", "shell-operator", "metrics-server", "kube-scheduler", ""], "there it is in a static Pod");
  assert.match(told([input("slow", { component: "disk-controller", value: "2s" })])[0]!, /heal/, "this ends when a reader says so");
});

test("one of two faults is mended, and what is begun again is on once", () => {
  const frames = [input("slow", { component: "etcd", value: "2s" }), input("fail", { component: "etcd", value: "no-leader" }),
    input("slow", { component: "etcd", value: "5s" }), input("heal", { component: "etcd", value: "fail" })];
  assert.deepEqual(activeFaults(frames, 3, {}).map((f) => `${f.kind} ${f.value}`), ["slow 5s"]);
});

test("a terminated instance takes with it what was wrong with its machine, and cannot be mended", () => {
  const frames = [input("kill-node", { node: "node-1" }), input("partition", { node: "node-1" }),
    input("stop", { component: "kubelet/node-1" }), input("kubectl", { command: "cordon node-1" }), input("terminate-instance", { node: "node-1" })];
  assert.deepEqual(told(frames), ['cordon node-1  → {"kind":"kubectl","args":["uncordon","node-1"]}', "terminate-instance node-1  → undefined"]);
  assert.deepEqual(["node-1", "node-2"].map((node) => isTerminated(activeFaults(frames, 4, {}), node)), [true, false]);
});

test("links have the faults that go on", () => {
  const inputs: Input[] = [
    { at: 1e9, kind: "partition", node: "node-1" }, { at: 2e9, kind: "partition", component: "kubelet/node-2" },
    { at: 3e9, kind: "slow", component: "etcd", value: "2s" },
    { at: 4e9, kind: "fail", component: "kube-apiserver", value: "503 30%" }, { at: 5e9, kind: "fail", component: "kube-scheduler" },
    { at: 6e9, kind: "heal", node: "node-1", value: "partition" }, { at: 7e9, kind: "heal", component: "etcd" },
  ];
  const text = print({ demo: "a", seed: 1, inputs, at: 8e6 });
  assert.match(text, /1,partition,node-1;2,partition,,kubelet\/node-2;3,slow,etcd,2s;4,fail,kube-apiserver,503%2030%25;5,fail,kube-scheduler;6,heal,node-1,,partition;7,heal,,etcd/);
  assert.deepEqual(parse(text)!.inputs, inputs);
});

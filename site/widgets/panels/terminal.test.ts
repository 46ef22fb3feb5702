import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, Op, Value } from "../state/recording";
import { listensAt, promptAt, printedAt, printedBefore, speaks } from "./terminal";

const frame = (e: number, who: string, op: Op, a: Value[], more: Partial<Frame> = {}): Frame => ({ e, at: e * 1000, d: e, who, op, m: op, a, ...more });

const run = [
  frame(1, "user", "input", ["kind", "kubectl", "command", "get pods"]),
  frame(2, "kubectl", "request.send", ["request", 1], { c: 1, p: "kubectl get" }),
  frame(3, "kube-apiserver", "log", ["message", "not kubectl's"], { c: 2, p: "kubectl get" }),
  frame(4, "kubectl", "log", ["message", "NAME  READY\nweb-1 1/1"], { c: 3, p: "kubectl get" }),
  frame(5, "kubectl", "log", ["message", "of a command before"], { c: 3, p: "kubectl wait" }),
  frame(6, "user", "input", ["kind", "kill-node", "node", "node-1"]),
  frame(7, "user", "input", ["kind", "kubectl", "command", "delete pod web"]),
  frame(8, "kubectl", "request.send", ["request", 2], { c: 7, p: "kubectl delete" }),
  frame(9, "kubectl", "log", ["message", "Warning: careful"], { p: "kubectl delete" }),
  frame(10, "kubectl", "log", ["message", "pod \"a\" deleted"], { p: "kubectl delete" }),
  frame(11, "kubectl", "log", ["message", "kubectl delete", "error", "Warning: careful\nError from server"], { p: "kubectl delete" }),
  frame(12, "user", "input", ["kind", "request", "url", "http://web"]),
  frame(13, "user", "log", ["message", "200 web-1", "input", "request"]),
];

const at = (index: number) => {
  const printed = printedAt(run, index);
  return printed && [printed.command.e, printed.out, printed.error];
};

test("what a command printed is there from the moment at which it did", () => {
  assert.equal(printedAt(run, -1), undefined);
  assert.deepEqual(at(0), [1, "", ""]);
  assert.deepEqual(at(2), [1, "", ""]);
  assert.deepEqual(at(3), [1, "NAME  READY\nweb-1 1/1", ""]);
  assert.deepEqual(at(5), at(3), "another command's output, or a fault, changes nothing");
  assert.deepEqual(at(6), [7, "", ""]);
  assert.deepEqual(at(9), [7, "Warning: careful\npod \"a\" deleted", ""]);
  assert.deepEqual(at(10), [7, "pod \"a\" deleted", "Warning: careful\nError from server"], "a warning is said once");
  assert.deepEqual(at(12), [12, "200 web-1", ""]);
  assert.deepEqual(at(99), at(12));
});

test("what earlier commands printed is there to be read again, at each moment those that came before it", () => {
  const before = (frames: readonly Frame[], index: number) => printedBefore(frames, index).map((p) => [p.command.e, p.out, p.error, p.stays]);
  assert.deepEqual(before(run, -1), []);
  assert.deepEqual(before(run, 5), []);
  const first = [1, "NAME  READY\nweb-1 1/1", "", false];
  assert.deepEqual(before(run, 12), [first, [7, "pod \"a\" deleted", "Warning: careful\nError from server", false]]);
  assert.deepEqual(before(run, 10), [first], "the reader went back");
  const endless = [
    frame(1, "user", "input", ["kind", "kubectl", "command", "get pods -w"]),
    frame(2, "kubectl", "request.send", ["request", 1], { c: 1, p: "kubectl get" }),
    frame(3, "kubectl", "log", ["message", "kubectl get", "terminal", "runs"], { p: "kubectl get" }),
    frame(4, "user", "input", ["kind", "kubectl", "command", "get nodes"]),
    frame(5, "kubectl", "log", ["message", "kubectl get", "terminal", "over"], { p: "kubectl get" }),
  ];
  assert.deepEqual(before(endless, 4), [[1, "", "", true]], "the next command ended it");
  const many = Array.from({ length: 30 }, (_, i) => frame(i + 1, "user", "input", ["kind", "kubectl", "command", `get pods ${i}`]));
  assert.deepEqual(before(many, 29).map(([e]) => e), Array.from({ length: 20 }, (_, i) => i + 10));
});

test("a port of the terminal's machine that gives no answer has what its listener says of it", () => {
  const failing = (url: string) => printedAt([
    frame(1, "user", "input", ["kind", "request", "url", url]),
    frame(2, "kubectl", "log", ["message", "Handling connection for 8080"], { p: "kubectl port-forward" }),
    frame(3, "kubectl", "log", ["message", "kubectl port-forward", "error", "error: lost connection to pod"], { p: "kubectl port-forward" }),
    frame(4, "user", "log", ["message", "", "input", "request", "error", "Empty reply from server"], { c: 1 }),
  ], 3);
  assert.deepEqual(failing("http://localhost:8080/")?.error, "Empty reply from server\nerror: lost connection to pod");
  assert.deepEqual(failing("http://web")?.error, "Empty reply from server", "another command's failure");
});

test("a terminal is there for who may type, and for an author's commands", () => {
  const step = { at: 0, kind: "kubectl" } as const;
  assert.equal(speaks({ steps: [step] }), true);
  assert.equal(speaks({ controls: [{ kind: "request" }] }), true);
  assert.equal(speaks({ steps: [{ at: 0, kind: "apply" }], controls: [{ kind: "scale" }] }), false);
});

test("a command listens from the moment on in which it says so, until the next one", () => {
  const forward = [
    frame(1, "user", "input", ["kind", "kubectl", "command", "port-forward web 8080:80"]),
    frame(2, "kubectl", "request.send", ["request", 1], { c: 1, p: "kubectl port-forward" }),
    frame(3, "kubectl", "log", ["message", "Forwarding from 127.0.0.1:8080 -> 80"], { c: 2, p: "kubectl port-forward" }),
    frame(4, "user", "input", ["kind", "request", "url", "http://127.0.0.1:8080/"]),
    frame(5, "user", "log", ["message", "200 web", "input", "request"]),
    frame(6, "user", "input", ["kind", "scale", "replicas", 3]),
    frame(7, "user", "input", ["kind", "kubectl", "command", "proxy"]),
    frame(8, "kubectl", "log", ["message", "Starting to serve on 127.0.0.1:8001"], { c: 7, p: "kubectl proxy" }),
    frame(9, "user", "input", ["kind", "kubectl", "command", "get pods"]),
  ];
  const address = (e: number) => listensAt(forward, e - 1);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(address), [undefined, undefined, undefined, "127.0.0.1:8080", "127.0.0.1:8080", "127.0.0.1:8080",
    "127.0.0.1:8080", undefined, "127.0.0.1:8001", undefined]);
  const lost = [...forward.slice(0, 3),
    frame(4, "kubectl", "log", ["message", "kubectl port-forward", "error", "error: lost connection to pod"], { p: "kubectl port-forward" })];
  assert.equal(listensAt(lost, 3), undefined);
  const left = [...forward.slice(0, 4), frame(5, "kubectl", "log", ["message", "kubectl port-forward", "terminal", "over"], { p: "kubectl port-forward" })];
  assert.deepEqual([listensAt(left, 3), listensAt(left, 4)], ["127.0.0.1:8080", undefined]);
});

test("a command reads what is typed, and goes on, from when it says so until it says that it is over, or another is typed", () => {
  const p = "kubectl exec";
  let e = 2;
  const log = (message: string, ...more: string[]) => frame(++e, "kubectl", "log", ["message", message, ...more], { p });
  const state = (is: string) => log("kubectl exec", "terminal", is);
  const typed = (line: string) => frame(++e, "user", "input", ["kind", "type", "line", line]);
  const begin = [frame(1, "user", "input", ["kind", "kubectl", "command", "exec -it web -- sh"]),
    frame(2, "kubectl", "request.send", ["request", 1], { c: 1, p })];
  const shell = [...begin, state("reads"), state("runs"), log("/ #"), typed("sleep 3"), log("sleep 3"), log("/ #"), typed("sh"), log("sh\n/ #"),
    log("exit\n/ #"), typed("if true"), log("if true\n>"), log("then ls; fi\nbin\n/ #")];
  const prompts = (frames: readonly Frame[]) => frames.map((_, i) => promptAt(frames, i));
  assert.deepEqual(prompts(shell), [undefined, undefined, "", "", "/ #", "/ #", "", "/ #", "/ #", "/ #", "/ #", "/ #", ">", "/ #"]);
  const { out, stays } = printedAt(shell, shell.length - 1)!;
  assert.deepEqual([out, stays], ["/ # sleep 3\n/ # sh\n/ # exit\n/ # if true\n> then ls; fi\nbin\n/ #", true]);
  for (const more of [state("over"), frame(++e, "user", "input", ["kind", "kubectl", "command", "get pods"])]) {
    const frames = [...shell, more];
    assert.equal(promptAt(frames, shell.length), undefined);
    assert.equal(printedAt(frames, shell.length)!.stays, false);
  }
  const follows = [...begin, state("runs"), log("a line")]; // it goes on, and reads nothing
  assert.deepEqual([promptAt(follows, 3), printedAt(follows, 3)!.stays, printedAt(follows, 3)!.out], [undefined, true, "a line"]);
});

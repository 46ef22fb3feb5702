import assert from "node:assert/strict";
import { test } from "node:test";
import { failureOf } from "./failures";
import type { Frame } from "./recording";
import { Timeline } from "./timeline";

let events: Frame[] = [];
const frame = (who: string, op: string, c: number | undefined, ...a: unknown[]) =>
  events.push({ e: events.length + 1, at: events.length * 1000, d: events.length, who, op, m: op, ...(c ? { c } : {}), a } as unknown as Frame);
const failure = (index = events.length - 1) => failureOf(new Timeline(events), index)?.e;

test("a command that is refused, and says so, has failed: by the API server's answer", () => {
  events = [];
  frame("user", "input", undefined, "kind", "kubectl"); // 1
  frame("kubectl", "request.send", 1);
  frame("kube-apiserver", "request.reply", 2, "code", 403);
  frame("kubectl", "request.done", 3, "code", 403); // 4
  assert.equal(failure(), undefined, "it may have expected that");
  frame("kubectl", "log", 4, "message", "kubectl delete", "error", "forbidden"); // 5
  frame("etcd", "store.commit", undefined);
  assert.deepEqual([failure(), failure(3)], [3, undefined]);
  frame("user", "input", undefined, "kind", "scale"); // 7
  assert.equal(failure(), undefined, "something else was done");
});

test("a command that expects a refusal has not failed, nor has one that another's failure follows", () => {
  events = [];
  frame("user", "input", undefined, "kind", "request"); // 1
  frame("user", "input", undefined, "kind", "apply"); // 2
  frame("kube-apiserver", "request.reply", 2, "code", 404);
  frame("kubectl", "request.done", 3, "code", 404);
  frame("kubectl", "log", 4, "message", "created");
  frame("user", "log", 1, "message", "timed out", "error", "timed out");
  assert.equal(failure(), undefined);
});

test("a request that nobody answers has failed, and one of kubectl's, too", () => {
  events = [];
  frame("user", "input", undefined, "kind", "request");
  frame("user", "log", 1, "message", "timed out", "error", "timed out");
  assert.equal(failure(), 2);
  events = [];
  frame("user", "input", undefined, "kind", "kubectl");
  frame("kubectl", "request.send", 1);
  frame("kubectl", "request.done", 2, "code", 0);
  frame("kubectl", "log", 3, "message", "kubectl get", "error", "timed out");
  assert.equal(failure(), 3);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fill, nameOf, say, seconds, sum } from "./phrases";
import type { Frame } from "./recording";

const frame = (m: string, o?: string, a: Frame["a"] = []): Frame =>
  ({ e: 1, at: 0, d: 0, who: "kubelet/node-1", p: "kubelet", op: "request.send", m, a, ...(o === undefined ? {} : { o }) });

test("a sentence is filled with what the event has, and with nothing where it has nothing", () => {
  assert.equal(say({ send: "{who} asks for {name} of {object} at {verb}{nothing}." }, frame("send", "pods default/web-1", ["verb", "get"])),
    "kubelet/node-1 asks for web-1 of pods default/web-1 at get.");
  assert.equal(fill("{toString} {constructor}", {}), " ", "what every object of JavaScript has is no argument");
});

test("one of something is not several", () => {
  const said = ["1", "2", "10"].map((n) => fill("{n} {n:replica is|replicas are}", { n }));
  assert.deepEqual(said, ["1 replica is", "2 replicas are", "10 replicas are"]);
});

test("who did it is no attribute: an event cannot say that it was another", () => {
  assert.equal(say({ send: "{who} {process}" }, frame("send", undefined, ["who", "x", "process", "y"])), "kubelet/node-1 kubelet");
});

test("without a sentence of its own an event has that of its kind, or its key", () => {
  assert.equal(say({ "request.send": "a request" }, frame("request.send.get")), "a request");
  assert.equal(say({}, frame("request.send.get")), "request.send.get");
});

test("several alike are one sentence with their number", () => {
  const ready = frame("ready", "pods default/web-1");
  assert.equal(sum({ "sum.ready": "{n} {resource} report Ready" }, ready, 8), "8 pods report Ready");
  assert.equal(sum({ ready: "{name} reports Ready" }, ready, 8), "web-1 reports Ready");
});

test("what becomes of a single object is said of its kind, where that is known", () => {
  const phrases = { gone: "{thing} is gone.", "kind.pods": "Pod" };
  const said = ["pods default/web-1", "pods default/*", "pods", "websites default/web"].map((object) => say(phrases, frame("gone", object)));
  assert.deepEqual(said, ["Pod default/web-1 is gone.", "pods default/* is gone.", "pods is gone.", "websites default/web is gone."]);
});

test("names and times as readers know them", () => {
  assert.deepEqual(["pods default/web", "nodes node-1", "pods default/*", "pods", undefined].map(nameOf), ["web", "node-1", "", "", ""]);
  assert.equal(seconds(12_345_678), "12.345 s", "what has not passed yet is not told");
});

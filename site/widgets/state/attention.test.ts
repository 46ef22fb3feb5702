// node:test, as JavaScript that generator/dev/unit makes of this.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asked, Attention } from "./attention";
import type { PlayerState } from "./playerstate";
import type { Frame } from "./recording";
import type { Transport } from "./transport";

const frame = (who: string, op: string, o = "", q = false) => ({ e: 0, at: 0, d: 0, who, op, o, ...(q ? { q: 1 } : {}) }) as unknown as Frame;
const frames = [
  frame("user", "input", "deployments web"), // the author's
  frame("kubelet/node-1", "store.commit", "pods web-1"),
  frame("user", "input", "deployments web"), // the reader's
  frame("deployment-controller", "log", "deployments web"),
  frame("kubelet/node-1", "request.send", "leases node-1", true),
];
const last = frames.length - 1;
const none = { index: last, went: -1, about: "", own: Infinity };

test("who went to an event means that one", () => {
  assert.equal(asked(frames, { ...none, went: last, about: "pods web-1", own: 2 }), last);
  assert.equal(asked(frames, { ...none, went: 3 }), 3, "the newest that is not folded away: they have gone on since");
});

test("who looks at something means what happened to it last", () => {
  assert.equal(asked(frames, { ...none, about: "pods web-1", own: 2 }), 1);
  assert.equal(asked(frames, { ...none, about: "kubelet/node-1" }), 1);
  assert.equal(asked(frames, { ...none, about: "nodes node-9", own: 2 }), 2, "nothing happened to it");
});

test("who did something means that, and not what the author did", () => {
  assert.equal(asked(frames, { ...none, own: 2 }), 2);
  assert.equal(asked(frames, { ...none, index: 1, own: 2 }), 1, "before it");
});

test("what is folded away is meant only where there is nothing else", () => {
  assert.equal(asked(frames, none), 3);
  assert.equal(asked([frame("a", "log", "", true)], { ...none, index: 0 }), 0);
});

test("who looks at something after they went to an event means what they look at, and who goes on from there does not", async () => {
  const opened: number[] = [];
  let turned = () => {};
  const state = {
    head: { target: 3 }, timeline: { frames }, went: 3, about: "", shown: { own: Infinity }, panel: undefined,
    on: (kind: string, f: () => void) => { if (kind === "about") turned = f; },
    reveal: () => {}, emit: (_: string, { index }: { index: number }) => opened.push(index),
  };
  const transport = { stop: () => {}, toFrame: () => {} } as unknown as Transport;
  const attention = new Attention(state as unknown as PlayerState, transport, () => undefined);
  state.about = "pods web-1";
  turned();
  await attention.ask();
  state.head.target = state.went = 2;
  await attention.ask();
  assert.deepEqual(opened, [1, 2]);
});

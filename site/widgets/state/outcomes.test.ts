import assert from "node:assert/strict";
import { test } from "node:test";
import { Outcomes } from "./outcomes";
import type { Frame } from "./recording";

test("outcomes are counted up to any moment, wherever one was before", () => {
  const kinds: Partial<Frame>[] = [
    { op: "request.receive", m: "request.receive" },
    { op: "store.commit", m: "store.commit.ADDED", o: "pods default/a" },
    { op: "store.commit", m: "store.commit.ADDED", o: "leases kube-node-lease/a" },
    { op: "store.commit", m: "store.commit.DELETED", o: "pods default/a" },
    { op: "request.reply", m: "request.reply.error", a: ["code", 409] },
    { op: "request.reply", m: "request.reply", a: ["code", 200] },
  ];
  const frames = Array.from({ length: 3000 }, (_, i) => ({ e: i + 1, at: i * 10, d: i, who: "x", ...kinds[i % kinds.length] }) as Frame);
  const outcomes = new Outcomes();
  assert.deepEqual(outcomes.at(frames, -1), { created: 0, deleted: 0, requests: 0, conflicts: 0, settled: 0 });
  assert.deepEqual(outcomes.at(frames, 2999), { created: 500, deleted: 500, requests: 500, conflicts: 500, settled: 29970 });
  assert.deepEqual(outcomes.at(frames, 3), { created: 1, deleted: 1, requests: 1, conflicts: 0, settled: 30 });
  assert.deepEqual(outcomes.at(frames, 1535), { created: 256, deleted: 256, requests: 256, conflicts: 256, settled: 15330 });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame } from "../state/recording";
import { completed, namesAt } from "./complete";
import { Files } from "./files";

const commit = (o: string, type = "ADDED") => ({ op: "store.commit", o, a: ["type", type] }) as unknown as Frame;
const frames = [commit("pods default/web-1"), commit("pods default/web-2"), commit("pods shop/cart"), commit("nodes node-1"),
  commit("pods default/web-1", "DELETED"), commit("podsx default/no")];

test("names are those of the moment", () => {
  assert.deepEqual(namesAt(frames, 1, "pods", "default"), ["web-1", "web-2"]);
  assert.deepEqual(namesAt(frames, 5, "pods", "default"), ["web-2"]);
  assert.deepEqual(namesAt(frames, 5, "pods", "*"), ["cart", "web-2"]);
  assert.deepEqual(namesAt(frames, 5, "nodes", ""), ["node-1"]);
});

const none = new Files();

test("a word goes on as far as all agree", () => {
  const names = (resource: string, namespace: string) => namesAt(frames, 1, resource, namespace);
  assert.deepEqual(completed("ge", { from: 0, words: ["get "] }, names, none), { line: "get ", options: [] });
  assert.deepEqual(completed("rollout s", { from: 8, words: ["status ", "restart "] }, names, none), { line: "rollout status ", options: [] });
  assert.deepEqual(completed("get p", { from: 4, words: ["pods ", "podtemplates "] }, names, none), { line: "get pod", options: ["pods", "podtemplates"] });
  assert.deepEqual(completed("logs w", { from: 5, resource: "pods", namespace: "default" }, names, none), { line: "logs web-", options: ["web-1", "web-2"] });
  assert.deepEqual(completed("logs pod/web-1", { from: 5, resource: "pods", prefix: "pod/", namespace: "default" }, names, none),
    { line: "logs pod/web-1 ", options: [] });
  assert.deepEqual(completed("get x", { from: 4 }, names, none), { line: "get x", options: [] });
  const files = new Files({ "web-v1": {}, "web-v2": {}, db: {}, "app/app.env": "", "app/db": {} });
  assert.deepEqual(completed("apply -f d", { from: 9 }, names, files), { line: "apply -f db ", options: [] });
  for (const [typed, longer] of [["create secret tls s --key d", "b.yaml "], ["create cm c --from-file d", "b.yaml "], ["create cm c --from-file=d", "b.yaml "],
    ["create cm c --from-file=k=a", "pp/"], ["create cm c --from-file=db.yaml,k=app/a", "pp.env "], ["create cm c --from-env-file app/a", "pp.env "],
    ["create cm c --from-literal=d", ""], ["create cm c --from-file=db.yaml d", ""], ["apply --filename=d", "b "]] as const) {
    const from = typed.lastIndexOf(" ") + 1;
    assert.equal(completed(typed, { from }, names, files).line, typed + longer);
  }
  assert.deepEqual(completed("apply d", { from: 6 }, names, files), { line: "apply d", options: [] });
  assert.deepEqual(completed("logs -f ", { from: 8, resource: "pods", namespace: "default" }, names, files),
    { line: "logs -f web-", options: ["web-1", "web-2"] }, "there it follows");
});

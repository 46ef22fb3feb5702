import assert from "node:assert/strict";
import { test } from "node:test";
import type { Role, Shape } from "../state/recording";
import { inPicture } from "./inpicture";

test("what is seen of an object is said: its state", () => {
  const box = (id: string, role: Role, about: string, more: Partial<Shape> = {}): Shape => ({ id, k: "box", role, about, ...more });
  const shapes = [
    box("node/node-1", "node", "nodes node-1", { t: "node-1", dword: "scene.pod", args: "3" }),
    box("pod/default/a-10", "pod", "pods default/a-10", { s: "ready", d: "Ready" }),
    box("pod/default/a-9", "pod", "pods default/a-9", { s: "pending" }),
    box("revision/7", "revision", "deployments default/web", { d: "Deployment 7" }),
    box("etcd", "store", "etcd", {}),
  ];
  assert.deepEqual([...inPicture(shapes, (key) => ({ "scene.pod": "{1} Pods" })[key])], [
    ["deployments default/web", ""],
    ["nodes node-1", "3 Pods"],
    ["pods default/a-9", "pending"],
    ["pods default/a-10", "Ready"],
  ]);
});

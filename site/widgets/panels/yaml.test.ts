import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Json } from "../state/recording";
import { compare, yaml, yamlLines } from "./yaml";

test("objects are printed as kubectl prints them", () => {
  const cases = JSON.parse(readFileSync("playground/kubectl/testdata/yaml.json", "utf8")) as { value: Json; yaml: string }[];
  assert.ok(cases.length > 90);
  for (const c of cases) assert.equal(yaml(c.value), c.yaml, JSON.stringify(c.value));
});

const marks = { "": " ", added: "+", removed: "-", changed: "~" };
const diff = (now: Json, before: Json) =>
  compare(yamlLines(now), yamlLines(before)).map((l) => marks[l.change] + l.text + (l.was === undefined ? "" : ` (${l.was})`)).join("\n");

test("what changed is marked, line by line", () => {
  assert.equal(diff({ a: 1, b: { c: "x", d: [1, 2] }, e: 2 }, { a: 1, b: { c: "y", d: [2] }, z: 3 }),
    [" a: 1", " b:", "~  c: x (\"y\")", "   d:", "+  - 1", "   - 2", "+e: 2", "-z: 3"].join("\n"));
  assert.equal(diff({ a: 1 }, { a: 1 }), " a: 1");
  assert.equal(compare(yamlLines({ a: 1 }), undefined)[0]!.change, "");
});

test("every line knows who manages it", () => {
  const object = { metadata: { labels: { app: "web" }, name: "web" },
    spec: { containers: [{ image: "a", name: "app" }, { name: "other" }], finalizers: ["a", "b"], replicas: 3 } };
  const owned = [
    { name: "kubectl", fields: {
      "f:metadata": { "f:labels": { ".": {}, "f:app": {} } },
      "f:spec": { "f:containers": { 'k:{"name":"app"}': { ".": {}, "f:image": {} } }, "f:finalizers": { 'v:"b"': {} } } } },
    { name: "hpa", fields: { "f:spec": { "f:replicas": {} } } },
  ];
  const by = new Map(yamlLines(object, owned).map((l) => [l.text.trim(), l.managers.join()]));
  assert.deepEqual([...by].filter(([, who]) => who !== ""),
    [["labels:", "kubectl"], ["app: web", "kubectl"], ["- image: a", "kubectl"], ["- b", "kubectl"], ["replicas: 3", "hpa"]]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fields } from "../generated/kubectl";
import { editorWordsOf } from "./editor.words";
import { completionsAt, objectsOf, placeOf, problemsOf, type Ask } from "./manifest";

const text: Fields = { type: "string" };
const metadata: Fields = { type: "object", fields: { name: text, labels: { type: "object", items: text } } };
const ports: Fields = { type: "array", items: { type: "object", fields: { containerPort: { type: "integer" }, name: text } } };
const containers: Fields = { type: "array", items: { type: "object", required: ["name"], fields: { name: text, image: text, ports } } };
const spec: Fields = { type: "object", fields: { containers, nodeName: text, hostNetwork: { type: "boolean" } } };
const pod: Fields = { type: "object", fields: { apiVersion: text, kind: text, metadata, spec } };
const kinds = ["apps/v1 Deployment", "v1 ConfigMap", "v1 Pod"];
const ask: Ask = async (apiVersion, kind) => (apiVersion === "v1" && kind === "Pod" ? { fields: pod } : { kinds });
const words = editorWordsOf("en");

const good = `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels: {app: web}
spec:
  containers:
  - name: web
    image: web:v1
    ports:
    - containerPort: 80
`;

test("what a text says", () => {
  assert.deepEqual(objectsOf("a: 1\n---\n# nothing\n---\nb: [yes, 2001-01-01]\n"), [{ a: 1 }, { b: [true, "2001-01-01"] }]);
  assert.deepEqual(objectsOf("a: [0400, 0o17, 1:30, 12:30:45, 1_000, off]"), [{ a: [256, 15, "1:30", "12:30:45", 1000, false] }]); // as go-yaml has it
  assert.deepEqual(objectsOf(""), []);
  for (const wrong of ["a: [", "- a", "text", "a: 1\na: 2", "a: &x [*x]"]) assert.equal(objectsOf(wrong), undefined, wrong);
});

test("what is wrong with a manifest, and where", async () => {
  const problems = async (t: string) =>
    (await problemsOf(t, ask, words)).map(({ from, to, message }) => `${placeOf(t, from).line} ${t.slice(from, to)}: ${message}`);
  assert.deepEqual(await problems(good), []);
  assert.deepEqual(await problems(""), []);
  assert.deepEqual(await problems(good.replace("image", "imag")), ["9 imag: There is no field imag here. Did you mean image?"]);
  assert.deepEqual(await problems(good.replace("80", '"80"')), ['11 "80": This should be a whole number.']);
  assert.deepEqual(await problems(good.replace("- name: web", "- image: x").replace("    image: web:v1\n", "")), ["8 image: name is missing."]);
  assert.deepEqual(await problems(good.replace("v1", "apps/v1")), ["1 apps/v1: Did you mean v1, kind: Pod?"]);
  assert.deepEqual(await problems(good.replace("Pod", "pod")), ["2 pod: Did you mean v1, kind: Pod?"]);
  assert.deepEqual(await problems(good.replace("Pod", "Pot")), ["2 Pot: There is no kind Pot in this version."]);
  assert.deepEqual(await problems("apiVersion: example.com/v1\nkind: Website\nspec: {a: 1}\n"), []);
  assert.deepEqual(await problems("metadata: {}\n"), ["1 metadata: apiVersion is missing.", "1 metadata: kind is missing."]);
  assert.deepEqual(await problems("- a"), ["1 - a: A manifest is a mapping, with apiVersion and kind."]);
  assert.match((await problems("a: [1,\n"))[0]!, /^\d/);
  assert.match((await problems(`${good}---\n${good.replace("spec", "spek")}`))[0]!, /^18 spek: .*Did you mean spec/);
});

test("what may be written at a place", async () => {
  const at = async (t: string) => {
    const found = await completionsAt(t.replace("|", ""), t.indexOf("|"), ask);
    return found && [t.slice(found.from, t.indexOf("|")), ...found.options.map(({ label }) => label)].join(" ");
  };
  assert.equal(await at("ki|"), "ki apiVersion kind");
  assert.equal(await at("kind: |"), " ConfigMap Deployment Pod");
  assert.equal(await at("apiVersion: v1\nkind: P|"), "P ConfigMap Pod");
  assert.equal(await at("kind: Pod\napiVersion: |\n"), " v1");
  const head = "apiVersion: v1\nkind: Pod\n";
  assert.equal(await at(`${head}me|`), "me metadata spec");
  assert.equal(await at(`${head}metadata:\n  na|`), "na labels name");
  assert.equal(await at(`${head}metadata:\n  name: x\n  |`), " labels");
  assert.equal(await at(`${head}spec:\n  containers:\n  - |`), " image name ports");
  assert.equal(await at(`${head}spec:\n  containers:\n    - name: x\n      |`), " image ports");
  assert.equal(await at(`${head}spec:\n  containers:\n  - name: x\n  - |`), " image name ports");
  assert.equal(await at(`${head}spec:\n  containers:\n  - name: x\n    ports:\n    - containerPort: 1\n    im|`), "im image");
  assert.equal(await at(`${head}spec:\n  containers:\n  - name: x\n    ports:\n    - containerPort: 1\n      |`), " name");
  assert.equal(await at(`${head}spec:\n  containers:\n  - name: x\n  |`), " hostNetwork nodeName");
  assert.equal(await at(`a: 1\n---\n${head}|`), " metadata spec");
  assert.equal(await at(`${head}metadata:\n  name: we|`), undefined);
});

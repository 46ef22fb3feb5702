import assert from "node:assert/strict";
import { test } from "node:test";
import { Files, folderOf, isYAML, manifestName } from "./files";

test("a manifest is called as its file, without .yaml", () => {
  assert.equal(manifestName("base/web.yaml"), "base/web");
  assert.equal(manifestName(" ./base/web "), "base/web");
  assert.equal(manifestName("app.properties"), "app.properties");
  for (const wrong of ["", "../web", "a//b", "a/./b", "a b"]) assert.equal(manifestName(wrong), undefined, wrong);
});

test("files are those of the demo, changed and added to", () => {
  const files = new Files({ "base/web": { kind: "Pod" }, "app.env": "A=b" });
  files.set("base/kustomization", { resources: ["web.yaml"] });
  assert.deepEqual(files.names.map((name) => files.fileName(name)), ["base/web.yaml", "app.env", "base/kustomization.yaml"]);
  assert.deepEqual(files.manifests["base/kustomization"], { resources: ["web.yaml"] });
  files.write("base/web", "kind: Pod # as it is");
  assert.equal(files.textOf("base/web"), "kind: Pod # as it is");
  assert.equal(files.textOf("app.env"), undefined);
  assert.deepEqual(files.given("get pods"), { line: "get pods", manifests: files.manifests, texts: { "base/web.yaml": "kind: Pod # as it is" } });
  assert.equal(files.isText("app.env"), true);
  assert.equal(isYAML("a/b.env"), false);
  assert.equal(isYAML("a.b/c"), true);
});

test("a kustomization makes its folder one that is built", () => {
  assert.equal(folderOf("kustomization"), ".");
  assert.equal(folderOf("overlays/prod/kustomization"), "overlays/prod");
  assert.equal(folderOf("a/Kustomization"), "a");
  assert.equal(folderOf("a/my-kustomization"), undefined);
});

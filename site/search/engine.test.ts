import assert from "node:assert/strict";
import { test } from "node:test";

import { Engine, type Manifest } from "./engine";

const manifest: Manifest = {
  folder: "",
  parts: [["Part", "/part/", 1]],
  pages: [1],
  terms: ["control", "net", "ones", "page"],
  texts: [1],
  names: [],
  about: [],
};

const files: Record<string, unknown> = {
  "": manifest,
  "t0.json": [["control", 100, 10]],
  "t1.json": [["net", 100, 10]],
  "t2.json": [["ones", 100, 10]], // where words that begin with "on" would be, as one with a slip in "contro" might
  "t3.json": [
    ["page", 100, 10],
    ["plane", 100, 10],
  ],
  "p0.json": [["/part/page/", "Page", ["", 1, "", "The control plane, the net and the ones.", ""]]],
};

test("slips are told in the order of the question, whichever file comes first", async () => {
  for (const late of Object.keys(files)) {
    for (const question of ["contro lplane page", "contro-lplane page"]) {
      const engine = await Engine.open(async (name) => {
        await new Promise((done) => setTimeout(done, name === late ? 20 : 0));
        return files[name];
      });
      const { instead } = await engine.search(question);
      assert.deepEqual(instead, [["contro", "control"], ["lplane", "plane"]], `${question}, ${late} comes late`);
    }
  }
});

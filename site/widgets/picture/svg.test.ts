import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Layout, Shape } from "../state/recording";
import { print } from "./svg";

interface Fixture {
  layout: Layout;
  name: string;
  now: number;
  words: Record<string, string>;
  scene: { width: number; height: number; shapes: Shape[] };
  svg: string;
}

test("a scene is drawn as playground/demo/scene draws it", () => {
  const f = JSON.parse(readFileSync("playground/demo/scene/testdata/fixture.json", "utf8")) as Fixture;
  const got = print(f.scene, { name: f.name, now: f.now, layout: f.layout, words: (key) => f.words[key] });
  const lines = (svg: string) => svg.replaceAll("><", ">\n<").split("\n");
  assert.deepEqual(lines(got), lines(f.svg), "site/widgets/picture/svg.ts and playground/demo/scene/svg.go differ");
});

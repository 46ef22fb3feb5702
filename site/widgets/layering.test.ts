// Who may import whom, as data: each folder lists the folders below it. A file
// above the folders (the player and what connects its parts) may import them all.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const widgets = join(process.cwd(), "site", "widgets");

const below: Record<string, string[]> = {
  generated: [],
  dom: [],
  state: [],
  runs: ["state"],
  picture: ["state", "dom"],
  input: ["state"],
  panels: ["state", "dom", "runs", "picture", "input"],
};

/** Anyone may import these: they are values and types without a DOM. */
const common = new Set(["words.ts", "text.ts", "given.ts"]);
const isCommon = (to: string) => common.has(to) || to.startsWith("generated/");

/** What no module of a folder names: what knows no page can be tested without one. */
const unnamed: Record<string, RegExp> = {
  state: /\b(document|navigator|matchMedia|(HTML|SVG)?\w*Element)\b/,
  runs: /\b(document|navigator|matchMedia|(HTML|SVG)?\w*Element)\b/,
};

/** The modules that are no tests, with their text without comments. */
const modules = readdirSync(widgets, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.ts$/.test(name) && !/\.test\.ts$|\.d\.ts$/.test(name))
  .map((name) => ({
    name, folder: name.includes("/") ? name.split("/")[0]! : "",
    code: readFileSync(join(widgets, name), "utf8").replace(/^\s*\/\/.*$|\/\*[^]*?\*\/|\s\/\/ .*$/gm, ""),
  }));

test("every folder has its place", () => {
  assert.deepEqual([...new Set(modules.map(({ folder }) => folder))].filter((folder) => folder !== "").sort(), Object.keys(below).sort());
});

test("imports follow the layers", () => {
  const wrong: string[] = [];
  for (const { name, folder, code } of modules) {
    if (folder === "") continue;
    for (const [, spec] of code.matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      const to = `${relative(widgets, join(widgets, dirname(name), spec!))}.ts`;
      if (to.startsWith("..") || /\.(css|json)\.ts$/.test(to) || isCommon(to)) continue;
      const other = to.includes("/") ? to.split("/")[0]! : "";
      if (other !== folder && !below[folder]?.includes(other)) wrong.push(`${name} → ${to}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test("the npm package takes no more than it needs", () => {
  const npm = join(process.cwd(), "site", "npm");
  const taken = readdirSync(npm).filter((name) => name.endsWith(".ts"))
    .flatMap((name) => [...readFileSync(join(npm, name), "utf8").matchAll(/ from "\.\.\/widgets\/([^"]+)"/g)].map(([, spec]) => spec!));
  assert.ok(taken.length > 0);
  assert.deepEqual([...new Set(taken)].filter((spec) => !spec.startsWith("generated/")), ["runs/zstd"]);
});

test("no module below the top takes a player, or knows a page where it should not", () => {
  const wrong = modules.flatMap(({ name, folder, code }) => {
    if (folder === "") return [];
    const named = /\bPlayer\b/.exec(code) ?? (name === "runs/worker.ts" ? null : unnamed[folder]?.exec(code)); // a worker has a navigator, and no page
    return named ? [`${name}: ${named[0]}`] : [];
  });
  assert.deepEqual(wrong, []);
});

/** The modules that a module needs to be there before it runs: what is only a type is gone by then. */
const needs = ({ name, code }: (typeof modules)[number]) => [...code.matchAll(/^(?:import|export) (?!type )(?:[^"';]*from )?"(\.[^"]+)"/gm)]
  .map(([, spec]) => `${relative(widgets, join(widgets, dirname(name), spec!))}.ts`);

test("no module needs itself by way of others", () => {
  const graph = new Map(modules.map((module) => [module.name, needs(module)]));
  const done = new Set<string>();
  const circles: string[] = [];
  const walk = (name: string, path: string[]) => {
    const begun = path.indexOf(name);
    if (begun >= 0) return void circles.push([...path.slice(begun), name].join(" → "));
    if (done.has(name)) return;
    for (const next of graph.get(name) ?? []) walk(next, [...path, name]);
    done.add(name);
  };
  for (const name of graph.keys()) walk(name, []);
  assert.ok([...graph.values()].flat().filter((to) => graph.has(to)).length > 200, "it finds no imports");
  assert.deepEqual(circles, []);
});

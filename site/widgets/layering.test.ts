// Who may import whom, as data: each folder lists the folders below it. A file
// above the folders (the player and what connects its parts) may import them all.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { test } from "node:test";

const widgets = join(process.cwd(), "site", "widgets");

const below: Record<string, string[]> = {
  dom: [],
  state: [],
  runs: ["state"],
  picture: ["state", "dom"],
  input: ["state", "dom", "runs", "picture"],
  panels: ["state", "dom", "runs", "picture", "input"],
};

/** Imports that break the order and are to go: what stands here and is not there any more fails, too. */
const debts = new Set([
  "input/attention.ts → player.ts",
  "input/interaction.ts → player.ts",
  "input/keyhandlers.ts → panels/controls.ts",
  "input/keyhandlers.ts → panels/log.ts",
  "input/keyhandlers.ts → panels/sidepanel.ts",
  "panels/exercise.ts → player.ts",
  "panels/share.ts → player.ts",
  "panels/worldview.ts → player.ts",
  "runs/branch.ts → dom/dom.ts",
  "state/rest.ts → runs/load.ts",
  "state/transport.ts → dom/dom.ts",
  "state/transport.ts → runs/branch.ts",
]);

/** Anyone may import these: they are values and types without a DOM. */
const common = new Set(["words.ts"]);
const isCommon = (to: string) => common.has(to) || to.startsWith("generated/");

function* imports(): Generator<[from: string, to: string]> {
  for (const entry of readdirSync(widgets, { recursive: true, encoding: "utf8" })) {
    if (!/\.ts$/.test(entry) || /\.test\.ts$|\.d\.ts$/.test(entry)) continue;
    for (const [, spec] of readFileSync(join(widgets, entry), "utf8").matchAll(/(?:from |import\()"(\.[^"]+)"/g)) {
      const to = relative(widgets, join(widgets, dirname(entry), spec!));
      if (!to.startsWith("..") && !/\.(css|json)$/.test(to)) yield [entry, `${to}.ts`];
    }
  }
}

test("imports follow the layers", () => {
  const found = new Set<string>();
  const wrong: string[] = [];
  for (const [from, to] of imports()) {
    const [own, other] = [from, to].map((file) => (file.includes("/") ? file.split("/")[0]! : ""));
    if (own === "" || own === other || isCommon(to)) continue;
    const line = `${from} → ${to}`;
    if (below[own!]?.includes(other!)) continue;
    if (debts.has(line)) found.add(line);
    else wrong.push(line);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual([...debts].filter((line) => !found.has(line)), [], "debts that are paid");
});

// What axe finds in a page: barriers for those who read it with other eyes, or with none.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Demands that axe finds nothing in a page, or in what a selector is of. rules are axe's options: which of its rules are
 * tried. Of what it finds it says the rule, the elements and why; where is told with it.
 */
export async function noBarriers(page, { within, where, ...rules } = {}) {
  // Evaluated by the browser's debugger, so the page's policy does not stop it.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe);
  const found = await page.evaluate(async ([within, rules]) => {
    const { violations } = await globalThis.axe.run(within ?? document, { resultTypes: ["violations"], ...rules });
    return violations.map(({ id, help, nodes }) => `${id}: ${help}\n  ${nodes.map((n) => `${n.target.join(" ")}: ${n.failureSummary}`).join("\n  ")}`);
  }, [within, rules]);
  assert.deepEqual(found, [], where);
}

// Sentences about counterfactuals: where their figures lead.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage, openSite } from "./harness.mjs";

const slow = { timeout: 120_000 };
let site, browser;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

test("a figure of a counterfactual leads to that world beside the real one, and shows it", async () => {
  const page = await openPage(browser, site.url("/en/loop/expectations/"), {});
  try {
    const link = page.locator("a.claim[data-world]", { hasText: /^eleven$/ });
    assert.match(await link.getAttribute("title"), /^Checked by the demo, what if “Without expectations”: count pods/);
    await link.hover(); // brings the script that leads there
    await page.waitForSelector("a.claim[href*='versus-what-if=forgetful']", slow);
    await link.click();
    await page.waitForSelector(".kw-pair", slow);
    assert.match(page.url(), /#demo=expectations&seed=9&versus=&versus-what-if=forgetful&at=[\d.]+$/);
    const at = Number(/at=([\d.]+)/.exec(page.url())[1]);
    await page.waitForFunction((s) => Math.abs(parseFloat(document.querySelector(".kw-time").textContent) - s) < 0.01, at, slow);
    await page.waitForFunction(() => /Without expectations/.test(document.querySelector(".kw-side-name[aria-pressed=true]")?.textContent), null, slow);
    // Created there by then, as the sentence says.
    await page.waitForFunction(() => [...document.querySelectorAll(".kw-outcomes tr")].some((row) => /Pods created/.test(row.textContent)
      && row.lastElementChild.textContent === "11"), null, slow);
    assert.equal(await page.getAttribute(".kw-switch[aria-checked=true]", "role"), "switch");
    // The reader goes on, and comes back by the same sentence.
    await page.focus(".kw-scrubber");
    await page.keyboard.press("Home");
    await page.waitForFunction((s) => Math.abs(parseFloat(document.querySelector(".kw-time").textContent) - s) > 1, at, slow);
    await link.click();
    await page.waitForFunction((s) => Math.abs(parseFloat(document.querySelector(".kw-time").textContent) - s) < 0.01, at, slow);
    // Another world, from a sentence further down.
    await page.locator("a.claim[data-world^=killed]").first().click();
    await page.waitForFunction(() =>
      /Killed in the middle of a batch/.test(document.querySelector(".kw-side-name[aria-pressed=true]")?.textContent), null, slow);
    assert.deepEqual(page.problems, []);
  } finally {
    await page.context().close();
  }
});

test("without script it leads to the demo's storyboard", async () => {
  const page = await openPage(browser, site.url("/ja/loop/level-not-edge/"), { script: false });
  try {
    const link = page.locator("a.claim[data-world]").first();
    assert.equal(await link.getAttribute("href"), "#demo-dropped-watch");
    await link.click();
    assert.match(page.url(), /#demo-dropped-watch$/);
    assert.ok((await page.locator("#demo-dropped-watch .still").first().boundingBox()).height > 0);
  } finally {
    await page.context().close();
  }
});

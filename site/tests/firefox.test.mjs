// The essential ways through a demo in Firefox: Debian's firefox-esr, driven by
// WebDriver BiDi. What is right in Chromium (player.test.mjs, live.test.mjs) is not told again here.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBarriers } from "./barriers.mjs";
import { openFirefox, openSite } from "./harness.mjs";

const demo = "/embed/replicaset-scale/";

let site;
before(async () => {
  site = await openSite();
});
after(() => site?.close());

/** A test of one page in a Firefox; what the page complains of fails it. */
function firefox(name, options, run) {
  test(`Firefox: ${name}`, { timeout: 240_000 }, async () => {
    const browser = await openFirefox(options);
    try {
      const page = await browser.open(site.url(options.path ?? demo));
      await run(page);
      assert.deepEqual(page.problems, [], "the page complained");
    } finally {
      await browser.close();
    }
  });
}

const text = (page, selector) => page.$eval(selector, (e) => e.textContent);
const player = (page) => page.waitForSelector(".kw-player .kw-scene", { timeout: 60_000 });
const button = (label) => `.kw-controls button[aria-label="${label}"]`;
const later = (page, selector, before) =>
  page.waitForFunction((s, t) => document.querySelector(s).textContent !== t, { timeout: 60_000 }, selector, before);
/** Clicks as an element's own click: where it is scrolled to is not what is tested here. */
const click = (page, selector) => page.$eval(selector, (e) => e.click());

firefox("it plays, pauses, steps on and back, and opens the lanes", { motion: "no-preference" }, async (page) => {
  await player(page);
  const start = await text(page, ".kw-time");
  await later(page, ".kw-time", start);
  await page.waitForSelector(".kw-caption.is-shown", { timeout: 60_000 });
  await page.focus(".kw-play");
  await page.keyboard.press("k");
  await page.waitForSelector(button("Play"));
  const paused = await text(page, ".kw-event[aria-current] .kw-sentence");
  await page.keyboard.press("ArrowRight");
  await later(page, ".kw-event[aria-current] .kw-sentence", paused);
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction((t) => document.querySelector(".kw-event[aria-current] .kw-sentence").textContent === t, {}, paused);
  await page.keyboard.press("t");
  await page.waitForSelector(".kw-lanes", { timeout: 60_000 });
  await noBarriers(page, { where: "with the lanes" });
});

firefox("a reader takes the controls, breaks something, and mends it", {}, async (page) => {
  await player(page);
  for (let i = 0; i < 2; i++) await click(page, button("To the next moment"));
  await page.$eval(".kw-number", (field) => {
    field.value = "5";
    field.dispatchEvent(new Event("input"));
    field.dispatchEvent(new Event("change"));
  });
  await page.waitForSelector(".kw-badge.is-live", { timeout: 120_000 });
  await page.waitForFunction(() => document.querySelectorAll(".kw-stage .role-pod:not(.is-leaving)").length === 5, { timeout: 120_000 });
  await page.focus(".kw-play");
  await page.keyboard.press("b");
  await page.waitForSelector(".kw-break-target");
  await page.select(".kw-break-target", "nodes node-1");
  await click(page, ".kw-break-partition");
  await page.waitForSelector(".kw-broken li", { timeout: 120_000 });
  await page.waitForSelector('.kw-stage [data-id="fault/kubelet/node-1"].state-cut', { timeout: 60_000 });
  await noBarriers(page, { where: "with a fault" });
  await click(page, ".kw-mend");
  await page.waitForFunction(() => !document.querySelector(".kw-broken li"), { timeout: 120_000 });
});

firefox("an exercise can be begun", {}, async (page) => {
  await player(page);
  await page.waitForSelector(".kw-exercise button", { timeout: 60_000 });
  await click(page, ".kw-exercise button");
  await page.waitForFunction(() => /./.test(document.querySelector(".kw-exercise-head").textContent));
});

firefox("dark, narrow, in Japanese", { theme: "dark", width: 360, path: "/ja/" }, async (page) => {
  await page.waitForSelector("kubewalk-demo");
  assert.equal(await page.evaluate(() => matchMedia("(prefers-color-scheme: dark)").matches), true);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} px wide`);
  const [back] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert.ok(back < 64, "the page is dark");
  await noBarriers(page, { where: "dark" });
});

firefox("who does not want motion sees a moment that stands", {}, async (page) => {
  await player(page);
  assert.equal(await page.evaluate(() => matchMedia("(prefers-reduced-motion: reduce)").matches), true);
  const stands = await text(page, ".kw-time");
  await new Promise((done) => setTimeout(done, 1500));
  assert.equal(await text(page, ".kw-time"), stands);
  assert.equal(await page.$eval(".kw-play", (e) => e.getAttribute("aria-label")), "Play");
});

firefox("without script the storyboard is there", { script: false }, async (page) => {
  const seen = await page.$$eval("kubewalk-demo .still img", (all) => all.filter((e) => e.naturalWidth > 0 && e.getBoundingClientRect().height > 50).length);
  assert.ok(seen >= 1, "no picture of the storyboard is seen");
  assert.equal(await page.$(".kw-player"), null);
});

// A demo in a slide: it plays in a frame of a real reveal.js deck, and the
// presenter's clicker goes on moving the deck.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, openSite, root, turnTo } from "./harness.mjs";

const reveal = (file) => readFile(join(root, "node_modules/reveal.js", file), "utf8");
const demo = "/embed/replicaset-scale/";

const deck = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Deck</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/deck/reveal.css"></head><body>
<div class="reveal"><div class="slides">
<section><h2>One</h2></section>
<section><iframe title="Demo" src="${demo}" width="960" height="700" style="border:0"></iframe></section>
<section><h2>Three</h2></section>
</div></div>
<script src="/deck/reveal.js"></script>
<script>Reveal.initialize({ width: 960, height: 700, transition: "none", controls: false });</script>
</body></html>`;

let site;
let browser;
before(async () => {
  site = await openSite({
    pages: {
      "/deck/": deck,
      "/deck/reveal.css": { type: "text/css", body: await reveal("dist/reveal.css") },
      "/deck/reveal.js": { type: "text/javascript", body: await reveal("dist/reveal.js") },
    },
  });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

async function open() {
  const page = await openPage(browser, site.url("/deck/"), { width: 960, height: 700, motion: "no-preference" });
  await page.waitForFunction(() => globalThis.Reveal?.isReady());
  const slide = () => page.evaluate(() => globalThis.Reveal.getIndices().h);
  const frame = page.frame({ url: site.url(demo) });
  return { page, slide, frame };
}

test("it plays in a slide; the clicker moves the deck before and after the reader clicked into it", async () => {
  const { page, slide, frame } = await open();
  await page.keyboard.press("PageDown");
  assert.equal(await slide(), 1);
  await frame.waitForSelector(".kw-play.is-playing");
  const start = await frame.textContent(".kw-time");
  await frame.waitForFunction((t) => document.querySelector(".kw-time").textContent !== t, start);
  await page.keyboard.press("PageDown");
  assert.equal(await slide(), 2, "the demo took the deck's keys");
  await page.keyboard.press("PageUp");
  assert.equal(await slide(), 1);

  await frame.click(".kw-play"); // now the focus is inside
  const paused = await frame.textContent(".kw-time");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await frame.waitForFunction((t) =>
    document.querySelector(".kw-time").textContent !== t || document.querySelector(".kw-announced").textContent !== "", paused);
  assert.equal(await slide(), 1, "a step moved the deck");
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => globalThis.Reveal.getIndices().h === 2);
  await page.keyboard.press("PageUp");
  await page.waitForFunction(() => globalThis.Reveal.getIndices().h === 1);

  await frame.focus(".kw-play");
  await page.keyboard.press("Escape");
  assert.equal(await frame.evaluate(() => document.hasFocus()), false, "Escape keeps the focus in the frame");
  await page.keyboard.press("ArrowRight");
  assert.equal(await slide(), 2, "after Escape the deck does not have the keys again");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("in a slide of 960 by 700 the picture, the caption and the controls are there without scrolling", async () => {
  const { page, frame } = await open();
  await page.keyboard.press("PageDown");
  await frame.waitForSelector(".kw-player .kw-controls");
  await frame.waitForSelector(".kw-play.is-playing");
  const { bottom, right, picture } = await frame.evaluate(() => ({
    bottom: document.querySelector(".kw-controls").getBoundingClientRect().bottom,
    right: document.documentElement.scrollWidth,
    picture: document.querySelector(".kw-stage svg").getBoundingClientRect().height,
  }));
  assert.ok(bottom <= 700, `the controls end at ${bottom}`);
  assert.ok(right <= 960, `it is ${right} px wide`);
  assert.ok(picture > 420, `the picture is only ${picture} px tall`);
  await page.context().close();
});

test("what the reader does in a slide works there: a worker in a frame", async () => {
  const { page, frame } = await open();
  await page.keyboard.press("PageDown");
  await frame.waitForSelector(".kw-play.is-playing");
  await frame.fill(".kw-number", "5");
  await frame.press(".kw-number", "Enter");
  await frame.waitForSelector(".kw-badge.is-live", { state: "attached" });
  await frame.waitForFunction(() => document.querySelector(".kw-caption.is-own.is-shown")?.textContent.includes("5"), null, { timeout: 60_000 });
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

for (const [width, height] of [[640, 400], [960, 540], [1280, 600], [960, 700], [1280, 720], [360, 740]]) {
  // In one that lies and is too low for a picture above its controls, they stand beside it.
  const beside = width > height && height < 640;
  const wide = width > height && (!beside || (width >= 1000 && height >= 530));
  test(`a frame of ${width} by ${height}: the picture, what is said, the bar and the controls are there; what is opened leaves the picture whole`, async () => {
    const page = await openPage(browser, site.url(demo), { width, height });
    await page.waitForSelector(".kw-caption.is-shown");
    await page.waitForSelector(".kw-exercises-drawer", { state: "attached" }); // it comes last
    await page.waitForTimeout(100);
    const box = (selector) => page.$eval(selector, (e) => e.getBoundingClientRect().toJSON());
    const picture = () => page.$eval(".kw-stage .kw-scene", (e) =>
      ({ ...e.getBoundingClientRect().toJSON(), scale: e.getScreenCTM().a, wide: e.matches(".kw-wide") }));
    const dock = await box(".kw-dock");
    assert.ok(Math.abs(dock.bottom - height) < 1, `the controls end at ${dock.bottom}`);
    assert.ok(dock.height < (beside ? 210 : 130), `the controls are ${dock.height} pixels tall`);
    for (const part of [".kw-slider", ".kw-more-button", ".kw-ask"]) assert.ok((await box(part)).right <= width, `${part} is cut`);
    const before = await picture();
    assert.equal(before.wide, wide);
    const { top: end, left: side } = beside ? { top: height, left: dock.left } : { top: dock.top, left: width };
    assert.ok(before.top >= 0 && before.bottom <= end && before.right <= side, "the picture is cut");
    const [room, top] = beside ? [width - 240, height] : [width, height - dock.height];
    const most = wide ? Math.min(room / 760, top / 514) : Math.min(room / 360, top / 330);
    assert.ok(before.scale > most * 0.72, `the picture has a scale of ${before.scale}, and could have ${most}`);
    const small = await page.$$eval(".kw-player .kw-scene text", (texts) => texts.filter((text) => text.textContent && text.getBoundingClientRect().width > 0)
      .map((text) => ({ text: text.textContent, size: parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a }))
      .filter(({ size }) => size < 13.9));
    assert.deepEqual(small, [], "letters too small to read");
    const caption = await box(".kw-caption.is-shown");
    assert.ok(caption.top >= 0 && caption.bottom <= dock.top + 1 && caption.right <= width, "what is said is cut");
    await turnTo(page, "log");
    await page.waitForTimeout(100);
    const [after, panel] = [await picture(), await box(".kw-sidepanel")];
    assert.ok(after.bottom <= height && after.right <= width && after.top >= 0, "the picture went out of the frame");
    assert.ok(panel.left >= after.right - 1 || panel.top >= after.bottom - 1, "the panel lies over the picture");
    if (beside) assert.deepEqual(after, before, "the picture is another");
    assert.ok(panel.right <= width && panel.bottom <= height + 1, "the panel is cut");
    assert.ok(Math.abs((await box(".kw-dock")).bottom - height) < 1, "the controls went away");
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    assert.equal(await page.evaluate(() => document.documentElement.scrollHeight), height);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

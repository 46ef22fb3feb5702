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

/** A deck with points that come one by one, slides below each other, and an element that takes the clicker's keys. */
const vertical = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Deck</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="/deck/reveal.css"><script type="module" src="/embed.js"></script></head><body>
<div class="reveal"><div class="slides">
<section><h2>One</h2><p class="fragment">A point</p></section>
<section>
  <section><h2>Above</h2></section>
  <section><kubewalk-demo src="replicaset-scale" title="Demo" start="applied" end="too-few" theme="stage" controls="play" clicker sync="talk"></kubewalk-demo>
    <p class="fragment">Another point</p><aside class="notes">What to say</aside></section>
  <section><h2>Below</h2></section>
</section>
<section><h2>Three</h2></section>
</div></div>
<script src="/deck/reveal.js"></script><script src="/deck/notes.js"></script>
<script>Reveal.initialize({ width: 960, height: 700, transition: "none", controls: false, hash: true, plugins: [RevealNotes] });</script>
</body></html>`;

let site;
let browser;
before(async () => {
  site = await openSite({
    pages: {
      "/deck/": deck,
      "/vertical/": vertical,
      "/deck/notes.js": { type: "text/javascript", body: await reveal("dist/plugin/notes.js") },
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

/** Opens the deck with slides below each other. Where it is: across, down, and which point; and the moment of its demo. */
async function openVertical(hash = "") {
  const page = await openPage(browser, site.url(`/vertical/${hash}`), { width: 960, height: 700 });
  await page.waitForFunction(() => globalThis.Reveal?.isReady());
  const now = () => page.evaluate(() => {
    const { h, v, f = -1 } = globalThis.Reveal.getIndices();
    const { state } = document.querySelector("kubewalk-demo");
    return `${h}/${v}/${f} ${state?.moments[state.moment]?.mark ?? ""}`;
  });
  const ready = () => page.waitForFunction(() => document.querySelector("kubewalk-demo").state?.moments.length > 0, null, { timeout: 60_000 });
  const comes = async (wanted) => {
    let seen;
    for (const end = Date.now() + 30_000; Date.now() < end;) {
      if ((seen = await now()) === wanted) return;
      await page.waitForTimeout(50);
    }
    assert.equal(seen, wanted);
  };
  return { page, now, ready, comes };
}

test("in a deck with points and slides below each other, one key goes through all of it, and through the demo", async () => {
  const { page, ready, comes } = await openVertical();
  await page.keyboard.press("PageDown");
  await comes("0/0/0 ");
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  await ready();
  for (const wanted of ["applied", "queued", "too-few"]) {
    await comes(`1/1/-1 ${wanted}`);
    await page.keyboard.press("PageDown");
  }
  await comes("1/1/0 too-few"); // the point behind the demo
  await page.keyboard.press("PageDown");
  await comes("1/2/-1 too-few");
  await page.keyboard.press("PageDown");
  await comes("2/0/-1 too-few");
  for (let i = 0; i < 2; i++) await page.keyboard.press("PageUp");
  await comes("1/1/0 too-few");
  await page.keyboard.press("PageUp");
  await comes("1/1/0 queued"); // backwards the demo goes first, too
  await page.keyboard.press("PageUp");
  await comes("1/1/0 applied");
  await page.keyboard.press("PageUp");
  await comes("1/1/-1 applied");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("who has clicked into an element goes on with the same key, one slide at a time", async () => {
  const { page, ready, comes } = await openVertical("#/1/1");
  await ready();
  const frame = page.frame({ url: /embed/ });
  await frame.focus(".kw-play");
  for (const wanted of ["1/1/-1 queued", "1/1/-1 too-few", "1/1/0 too-few", "1/2/-1 too-few"]) {
    await page.keyboard.press("PageDown");
    await comes(wanted);
    await page.waitForTimeout(200);
    await comes(wanted);
  }
  await page.context().close();
});

test("the speaker view of reveal.js shows the same moment, and its notes", async () => {
  const { page, ready, comes } = await openVertical("#/1/1");
  await ready();
  await page.keyboard.press("PageDown");
  await comes("1/1/-1 queued");
  const [speaker] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("s")]);
  await speaker.waitForFunction(() => document.querySelector(".speaker-controls-notes .value").textContent === "What to say");
  const shows = async (mark) => {
    const deck = () => speaker.frames().find((f) => f.url().includes("/vertical/") && f.url().includes("postMessageEvents"));
    let seen;
    for (const end = Date.now() + 30_000; Date.now() < end;) {
      seen = await deck()?.evaluate(() => {
        const state = document.querySelector("kubewalk-demo")?.state;
        return state?.moments[state.moment]?.mark;
      }).catch(() => undefined);
      if (seen === mark) return;
      await page.waitForTimeout(50);
    }
    assert.equal(seen, mark);
  };
  await shows("queued");
  await page.keyboard.press("PageDown");
  await comes("1/1/-1 too-few");
  await shows("too-few");
  await page.context().close();
});

test("a deck that is printed has the picture of the demo's moment", async () => {
  const page = await openPage(browser, site.url("/deck/?print-pdf"), { width: 960, height: 700 });
  await page.waitForFunction(() => globalThis.Reveal?.isReady());
  const frame = await (await page.waitForSelector('iframe[title="Demo"]')).contentFrame();
  await frame.waitForSelector(".kw-caption.is-shown");
  await page.emulateMedia({ media: "print" });
  const seen = await frame.evaluate(() => {
    const box = document.querySelector(".kw-stage svg").getBoundingClientRect();
    const [visible, caption] = [".kw-stage svg", ".kw-caption.is-shown"].map((selector) => document.querySelector(selector).checkVisibility());
    return { visible, width: box.width, caption };
  });
  assert.ok(seen.visible && seen.width > 300 && seen.caption, JSON.stringify(seen));
  const pdf = (await page.pdf({ preferCSSPageSize: true, printBackground: true })).toString("latin1");
  assert.equal(pdf.match(/\/Type \/Page\b/g).length, 3);
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

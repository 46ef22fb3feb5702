// Where things of a demo are while a reader works with it, where it stands between paragraphs: what they
// have hold of stays in its place, and what they step through is said where they look. walkacts.test.mjs has those beside text.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage, openSite } from "./harness.mjs";

const slow = { timeout: 60_000 };
let site;
let browser;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** Opens a chapter at its demo, runs the test, and demands that nothing went wrong in the page. */
function inPage(name, options, run) {
  test(name, async () => {
    const page = await openPage(browser, site.url(options.path ?? "/en/components/scale/"), options);
    try {
      await page.locator("kubewalk-demo").first().scrollIntoViewIfNeeded();
      await page.waitForSelector(".kw-player .kw-scene", slow);
      await run(page);
      assert.deepEqual(page.problems, [], "the page complained");
    } finally {
      await page.context().close();
    }
  });
}

const topOf = (page, selector) => page.$eval(selector, (e) => e.getBoundingClientRect().top);
/** Waits until the page scrolls no more: it may do that smoothly. */
const settled = (page) => page.waitForFunction(async () => {
  const y = scrollY;
  await new Promise((done) => setTimeout(done, 150));
  return scrollY === y;
});
const own = (page) => page.waitForSelector(".kw-caption.is-own.is-shown", slow);
const toMiddle = (page, selector) => page.$eval(selector, (e) => e.scrollIntoView({ block: "center", behavior: "instant" }));
/** Drags the slider to a number and lets go; notes where it is in every frame from then on. */
const drag = (page, value) => page.$eval(".kw-slider", (slider, n) => {
  window.tops = new Set();
  const note = () => {
    window.tops.add(Math.round(slider.getBoundingClientRect().top));
    requestAnimationFrame(note);
  };
  note();
  slider.value = n;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.dispatchEvent(new Event("change", { bubbles: true }));
}, String(value));

for (const lang of ["en", "ja"]) {
  for (const [width, height] of [[1280, 900], [360, 740]]) {
    const path = `/${lang}/components/scale/`;
    inPage(`the slider stays under the finger when a branch is made: ${lang}, ${width} px`, { path, width, height }, async (page) => {
      await toMiddle(page, ".kw-slider");
      const before = await topOf(page, ".kw-slider");
      await drag(page, 6);
      await own(page);
      await page.waitForSelector(".kw-worlds .kw-world.is-shown", { ...slow, state: "attached" });
      const tops = [...(await page.evaluate(() => [...window.tops])), await topOf(page, ".kw-slider")];
      const worlds = await page.$eval(".kw-worlds", (e) => e.getBoundingClientRect().toJSON());
      assert.ok(worlds.height === 0 || worlds.top > before, "the branches stand over the slider"); // they are in the panel
      assert.ok(tops.every((top) => Math.abs(top - before) <= 4), `it was at ${before}, then at ${tops.join(", ")}`);
    });
  }
}

for (const path of ["/embed/anatomy/", "/embed/kubectl-debug/", "/embed/ja/kubectl-debug/"]) {
  inPage(`on a phone, too, a button that is the only thing to do says what it does: ${path}`, { path, width: 360, height: 640 }, async (page) => {
    const { text, button, bar } = await page.$eval(".kw-main > .kw-button", (button) => Object.fromEntries(
      Object.entries({ text: button.querySelector(".kw-button-text"), button, bar: button.parentElement })
        .map(([name, { scrollWidth, clientWidth, offsetWidth, offsetHeight }]) => [name, { scrollWidth, clientWidth, offsetWidth, offsetHeight }])));
    assert.ok(text.offsetWidth > 60 && text.offsetHeight <= button.offsetHeight && button.scrollWidth <= button.clientWidth, JSON.stringify({ text, button }));
    assert.ok(bar.scrollWidth <= bar.clientWidth, "the bar can be scrolled");
  });
}

for (const width of [1280, 360]) {
  inPage(`where "Back to the recording" was pressed is no other command: ${width} px`, { width, height: 740 }, async (page) => {
    await toMiddle(page, ".kw-slider");
    await drag(page, 6);
    await own(page);
    const reset = page.locator(".kw-reset").first();
    await reset.waitFor();
    const box = await reset.boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.click(x, y);
    await reset.waitFor({ state: "hidden" });
    const under = await page.evaluate(([x, y]) => document.elementFromPoint(x, y).closest("button, input, select, summary, a")?.textContent ?? "", [x, y]);
    assert.equal(under, "", "a second click would do something else");
    await page.mouse.click(x, y);
    assert.equal(await page.$$eval(".kw-worlds .kw-world", (all) => all.length), 2, "the second click made a branch");
  });
}

for (const path of ["/en/components/scale/", "/ja/components/scale/"]) {
  for (const [width, height] of [[1280, 780], [360, 740], [360, 560]]) {
    inPage(`picture, caption and controls are in one view: ${path}, ${width} by ${height}`, { path, width, height }, async (page) => {
      await page.$eval("kubewalk-demo", (e) => e.scrollIntoView({ block: "start", behavior: "instant" }));
      const seen = await page.evaluate(() => [".kw-stage .kw-scene", ".kw-captions", ".kw-play", ".kw-more-button"]
        .map((part) => document.querySelector(part).getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]));
      for (const [top, bottom] of seen) assert.ok(top >= -1 && bottom <= height, `${JSON.stringify(seen)} in ${height}`);
      assert.ok((await page.$eval(".kw-controls", (e) => e.offsetHeight)) < height / 4, "the bar takes too much of the screen");
    });
  }
}

for (const path of ["/en/components/scale/", "/ja/components/scale/", "/en/components/kubectl/", "/ja/components/kubectl/"]) {
  inPage(`in a low window letters are 14 px tall or taller, and all is in one view: ${path}`, { path, width: 1024, height: 700 }, async (page) => {
    const demos = page.locator("kubewalk-demo:not(.walk *)"); // between paragraphs
    assert.ok((await demos.count()) > 0);
    for (const demo of await demos.all()) {
      await demo.scrollIntoViewIfNeeded();
      await demo.locator(".kw-stage > .kw-scene").waitFor(slow);
      const { small, parts } = await demo.evaluate((element) => {
        element.scrollIntoView({ block: "start", behavior: "instant" });
        return {
          small: [...element.querySelectorAll(".kw-scene text")].filter((t) => t.textContent && t.getBoundingClientRect().width > 0)
            .map((t) => [t.textContent, parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a]).filter(([, size]) => size < 13.9),
          parts: [".kw-scene", ".kw-told", ".kw-play", ".kw-ask", ".kw-more-button"].map((part) => element.querySelector(part).getBoundingClientRect())
            .map(({ left, right, top, bottom }) => [left, right, top, bottom]),
        };
      });
      assert.deepEqual(small, []);
      for (const [left, right, top, bottom] of parts) assert.ok(left >= 0 && right <= 1024 && top >= 0 && bottom <= 700, JSON.stringify(parts));
    }
  });
}

for (const width of [1280, 360]) {
  inPage(`the moment's event is said beside the picture, in the same room: ${width} px`, { width, height: 740 }, async (page) => {
    const seen = () => page.evaluate(() => [".kw-statusline-who", ".kw-statusline-line > span"]
      .map((s) => document.querySelector(s).textContent).concat(document.querySelector(".kw-statusline").getBoundingClientRect().height));
    assert.equal(await page.$(".kw-statusline-line[aria-live], .kw-statusline-line [aria-live]"), null, "it would be read out twice");
    const heights = new Set();
    const sentences = new Set();
    for (let i = 0; i < 25; i++) {
      await page.click('.kw-controls button[aria-label="Step forward"]');
      const logged = await page.textContent(".kw-event[aria-current] .kw-sentence");
      await page.waitForFunction((sentence) => document.querySelector(".kw-statusline-line > span").textContent === sentence, logged);
      const [who, sentence, height] = await seen();
      const title = await page.getAttribute(".kw-statusline-line", "title");
      assert.match(title, /^\d+\.\d{3} s /);
      assert.ok(who !== "" && title.includes(sentence));
      const dock = await page.$eval(".kw-dock", (e) => e.innerText);
      assert.equal(dock.match(/\d+\.\d{3} s/g).length, 1, `the time is there more than once: ${dock}`);
      assert.ok((await page.textContent(".kw-announced")).includes(sentence), "it is not announced");
      heights.add(Math.round(height));
      sentences.add(sentence);
    }
    assert.ok(sentences.size > 10);
    assert.equal(heights.size, 1, `the line is ${[...heights].join(", ")} px tall`);
  });
}

inPage("? opens the keys of the demo in sight; before a reader is in it, no other key is taken", { height: 740 }, async (page) => {
  await page.$eval(".kw-stage", (e) => e.scrollIntoView({ block: "center", behavior: "instant" }));
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  const text = (selector) => page.textContent(selector);
  const [time, line, top] = [await text(".kw-time"), await text(".kw-statusline-line"), await page.evaluate(() => scrollY)];
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("e");
  await page.keyboard.press("Space");
  await page.waitForFunction((y) => scrollY > y, top); // Space is the page's
  await settled(page);
  assert.equal(await text(".kw-time"), time, "a key was taken from the page");
  const away = await page.evaluate(() => {
    scrollTo({ top: 0, behavior: "instant" });
    const press = () => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true, cancelable: true }));
    const isLeft = press();
    document.querySelector(".kw-stage").scrollIntoView({ block: "center", behavior: "instant" });
    return { isLeft, isTaken: !press() }; // before any observer is told
  });
  assert.deepEqual(away, { isLeft: true, isTaken: true });
  await page.waitForSelector(".kw-help[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".kw-help", { state: "detached" });
  await page.keyboard.press("ArrowRight"); // the keys are the demo's now
  await page.waitForFunction((was) => document.querySelector(".kw-statusline-line").textContent !== was, line);
});

inPage("after a click in the picture the keys are the demo's, and what was clicked stays in sight", { height: 740 }, async (page) => {
  await page.$eval(".kw-stage", (e) => e.scrollIntoView({ block: "center", behavior: "instant" }));
  const clicked = page.locator(".kw-stage .role-apiserver").first();
  await clicked.click({ position: { x: 20, y: 12 } });
  await page.waitForSelector(".kw-chip:not([hidden])", { state: "attached" });
  await settled(page);
  const { top } = await clicked.evaluate((e) => e.getBoundingClientRect());
  assert.ok(top >= 0 && top < 740, `what was clicked is at ${top}`);
  await page.keyboard.press("?");
  await page.waitForSelector(".kw-help[open]");
});

inPage("the site's own styles do not reach into the picture's signs", {}, async (page) => {
  const strokes = await page.$$eval(".kw-stage .mark", (all) => all.map((e) => getComputedStyle(e).stroke));
  assert.ok(strokes.length > 0);
  assert.deepEqual([...new Set(strokes)], ["none"], "they are drawn as blobs");
});

inPage("a page may say where a demo begins", { path: "/en/" }, async (page) => {
  const start = await page.$eval("kubewalk-demo", (e) => e.dataset.start);
  assert.ok(start, "the home page's demo begins at its beginning");
  const number = await page.$$eval(".still", (all, id) => all.findIndex((s) => s.dataset.mark === id) + 1, start);
  await page.waitForFunction((n) => document.querySelector(".kw-caption.is-shown b")?.textContent === n, String(number));
  assert.match(await page.getAttribute(".begin a", "href"), /\/en\/start\/tour\/$/);
});

inPage("the home page's picture moves by itself, without an end", { path: "/en/", motion: "no-preference", width: 1440, height: 900 }, async (page) => {
  await page.waitForSelector(".kw-stage .kw-packet");
  const time = () => page.$eval(".kw-scrubber", (e) => Number(e.value));
  const before = await time();
  await page.waitForFunction((n) => Number(document.querySelector(".kw-scrubber").value) > n, before);
  await page.waitForFunction(() => Number(document.querySelector(".kw-caption.is-shown b")?.textContent) > 1, null, { timeout: 30_000 });
  assert.equal(await page.getAttribute(".kw-play", "aria-label"), "Pause");
});

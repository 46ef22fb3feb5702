// A talk: its page on the site, and the folder for a hall without a network, with the real reveal.js. What is pressed, and what is seen then.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { generator, openBrowser, openPage, openSite, root } from "./harness.mjs";

const path = "/en/talks/controller-from-zero/";
const slides = 12;
/** The slide with a demo that the tests go through, from 0, and its moments. */
const shown = 2;
const moments = ["applied", "queued", "too-few"];

let site;
let browser;
let folder;
let file;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), "kubewalk-talk-"));
  const made = spawnSync(process.env.KUBEWALK ?? generator(), ["talk", "controller-from-zero", "--out", folder], { cwd: root, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  file = pathToFileURL(join(folder, "index.html")).href;
});
after(async () => {
  await browser?.close();
  await site?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

const open = async (url, more) => {
  const page = await openPage(browser, url, { width: 1280, height: 720, ...more });
  await page.waitForFunction(() => globalThis.Reveal?.isReady());
  return page;
};
const slide = (page) => page.evaluate(() => globalThis.Reveal.getIndices().h);
/** The mark at which the demo of the current slide is. */
const moment = (page) => page.evaluate(() => {
  const { state } = globalThis.Reveal.getCurrentSlide().querySelector("kubewalk-demo");
  return state?.moments[state.moment]?.mark;
});
const until = async (look, wanted) => {
  let now;
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if ((now = await look()) === wanted) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.equal(now, wanted);
};
/** Goes to a slide, as a link to it does, and waits for its demo. */
const goTo = async (page, index) => {
  await page.evaluate((index) => globalThis.Reveal.slide(index), index);
  await page.waitForFunction(() => globalThis.Reveal.getCurrentSlide().querySelector("kubewalk-demo")?.state?.moments.length > 0, null, { timeout: 60_000 });
};

test("the deck in the program is the one of the package", async () => {
  const files = { "reveal.min.js": "dist/reveal.js", "reveal.min.css": "dist/reveal.css", "notes.min.js": "dist/plugin/notes.js", "reveal.LICENSE": "LICENSE" };
  for (const [ours, theirs] of Object.entries(files)) {
    const [a, b] = await Promise.all([readFile(join(root, "generator/format/reveal", ours)), readFile(join(root, "node_modules/reveal.js", theirs))]);
    assert.ok(a.equals(b), `generator/format/reveal/${ours} is not node_modules/reveal.js/${theirs}: copy it, and set Version in reveal.go`);
  }
});

for (const [where, address] of [["on the site", () => site.url(path)], ["from a disk", () => file]]) {
  test(`${where}, a clicker goes through a demo's moments before it turns the slide, and back`, async () => {
    const page = await open(address());
    const asked = [];
    page.on("request", (request) => /^https?:/.test(request.url()) && asked.push(request.url()));
    await page.keyboard.press("PageDown");
    assert.equal(await slide(page), 1);
    for (let i = 0; i < 3; i++) await page.keyboard.press("PageDown"); // three points come one by one
    assert.equal(await slide(page), 1);
    await page.keyboard.press("PageDown");
    await goTo(page, shown);
    assert.equal(await slide(page), shown);
    await until(() => moment(page), moments[0]);
    for (const [i, key] of ["ArrowRight", " "].entries()) {
      await page.keyboard.press(key);
      await until(() => moment(page), moments[i + 1]);
      assert.equal(await slide(page), shown);
    }
    await page.keyboard.press("PageDown");
    assert.equal(await slide(page), shown + 1, "the demo has no moment left, and the slide stays");
    await page.keyboard.press("PageUp");
    assert.equal(await slide(page), shown);
    await page.keyboard.press("PageUp");
    await until(() => moment(page), moments[1]);
    await page.keyboard.press("ArrowLeft");
    await until(() => moment(page), moments[0]);
    await page.keyboard.press("ArrowLeft");
    await until(() => slide(page), shown - 1);
    if (address() === file) assert.deepEqual(asked, []);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

test("who has clicked into a demo goes on with the same key, one slide at a time", async () => {
  const page = await open(file);
  await goTo(page, shown);
  const frame = page.frames().find((f) => f.url().includes("sync=slide-3"));
  await frame.focus(".kw-play");
  for (const mark of moments.slice(1)) {
    await page.keyboard.press("PageDown");
    await until(() => moment(page), mark);
  }
  await page.keyboard.press("PageDown");
  await until(() => slide(page), shown + 1);
  await page.waitForTimeout(300);
  assert.equal(await slide(page), shown + 1, "one key turned two slides");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("a demo stands at its moment until it is told to play, and a reader's change runs", async () => {
  const page = await open(file, { motion: "no-preference" });
  await goTo(page, 7);
  const frame = page.frames().find((f) => f.url().includes("sync=slide-8"));
  const time = await frame.textContent(".kw-time");
  await page.waitForTimeout(1500);
  assert.equal(await frame.textContent(".kw-time"), time);
  const slider = frame.locator(".kw-dock input[type=range]:not(.kw-scrubber)").first();
  await slider.focus();
  await slider.press("ArrowRight");
  await frame.waitForSelector(".kw-caption.is-own.is-shown", { timeout: 60_000 });
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("the speaker view has the notes, joins the moment on the screen, and its keys lead the screen", async () => {
  const page = await open(file);
  await goTo(page, shown);
  await page.keyboard.press("PageDown");
  await until(() => moment(page), moments[1]);
  const [speaker] = await Promise.all([page.context().waitForEvent("page"), page.keyboard.press("s")]);
  /** What a demo of the slide says in a window. */
  const said = async (window) => {
    const frame = window.frames().find((f) => f.url().includes("sync=slide-3"));
    return frame?.evaluate(() => document.querySelector(".kw-caption.is-shown")?.textContent?.trim()).catch(() => undefined);
  };
  await until(async () => (await speaker.textContent(".speaker-controls-notes .value")).trim().startsWith("Three minutes, three moments."), true);
  await until(async () => (await said(speaker)) === (await said(page)), true);
  await speaker.locator("body").press("PageDown");
  await until(() => moment(page), moments[2]);
  assert.equal(await slide(page), shown);
  await speaker.locator("body").press("PageDown");
  await until(() => slide(page), shown + 1);
  await until(async () => (await speaker.textContent(".speaker-controls-notes .value")).includes("Slow start"), true);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("for print there is a page for each slide, with the pictures of the demos", async () => {
  const page = await open(`${file}?print-pdf`);
  await page.waitForFunction(() => {
    const pictures = [...document.querySelectorAll(".pdf-page .talk-figure img")];
    return pictures.length === 5 && pictures.every((image) => image.naturalWidth > 0 && image.checkVisibility());
  });
  assert.equal(await page.locator("iframe").count(), 0);
  const pdf = (await page.pdf({ preferCSSPageSize: true, printBackground: true })).toString("latin1");
  assert.equal(pdf.match(/\/Type \/Page\b/g).length, slides);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

for (const language of ["en", "ja"]) {
  test(`without script, and with ?read, the slides are a text (${language})`, async () => {
    const address = site.url(`/${language}/talks/controller-from-zero/`);
    for (const page of [await openPage(browser, address, { script: false }), await openPage(browser, `${address}?read`)]) {
      const read = await page.$$eval(".talk-slides > section", (all) => all.map((section) => ({
        title: section.querySelector("h1, h2")?.textContent.trim() !== "" && section.querySelector("h1, h2").checkVisibility(),
        notes: section.querySelector("aside.notes").checkVisibility(),
        points: [...section.querySelectorAll("li")].every((li) => li.checkVisibility({ opacityProperty: true, visibilityProperty: true })),
        picture: [...section.querySelectorAll(".talk-figure img")].every((image) => image.checkVisibility() && image.getBoundingClientRect().width > 300),
        link: [...section.querySelectorAll(".talk-demo")].every((demo) => demo.querySelector(".talk-open a").checkVisibility()),
      })));
      assert.deepEqual(read, Array(slides).fill({ title: true, notes: true, points: true, picture: true, link: true }));
      assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= 1280);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    }
  });
}

test("no slide is cut", async () => {
  for (const language of ["en", "ja"]) {
    const page = await open(site.url(`/${language}/talks/controller-from-zero/`));
    const cut = [];
    for (let i = 0; i < slides; i++) {
      await page.evaluate((i) => globalThis.Reveal.slide(i, 0, 99), i);
      const { bottom, name } = await page.evaluate(() => {
        const content = globalThis.Reveal.getCurrentSlide().querySelector(".talk-slide");
        const parts = [...content.children].filter((part) => part.checkVisibility());
        return { bottom: Math.max(...parts.map((part) => part.getBoundingClientRect().bottom)), name: content.querySelector("h1, h2").textContent };
      });
      if (bottom > 721) cut.push(`${name}: ${bottom}`);
    }
    assert.deepEqual(cut, []);
    await page.context().close();
  }
});

// A demo where people put it: in a sandbox, in a page that isolates itself, in a deck that is a file, as an element of
// somebody's page, and as a file that holds everything. In each it plays, and runs what its reader asks for.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { generator, openBrowser, openPage, openSite, root } from "./harness.mjs";

const demo = "/embed/replicaset-scale/";

/** A page with a frame. The demo is on another origin. */
const host = (src, attributes = "") => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title>
<link rel="icon" href="data:,"></head><body><iframe title="Demo" ${attributes} src="${src}" width="960" height="640"></iframe></body></html>`;

let site;
let other; // another server with the same files, so another origin
let browser;
let folder;
before(async () => {
  site = await openSite();
  other = await openSite({
    pages: {
      "/sandbox/": host(site.url(demo), 'sandbox="allow-scripts"'),
      "/isolated/": { headers: { "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Opener-Policy": "same-origin" }, body: host(site.url(demo)) },
      "/element/": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Element</title><link rel="icon" href="data:,">
<script type="module" src="${site.url("/embed.js")}"></script></head><body>
<kubewalk-demo src="replicaset-scale" title="Scaling" theme="stage" controls="play" clicker></kubewalk-demo></body></html>`,
      "/two/": `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Two</title><link rel="icon" href="data:,"></head><body>${
        ["speaker", "audience"].map((title) => `<iframe title="${title}" src="${site.url(demo)}?sync=talk" width="960" height="340"></iframe>`).join("")}</body></html>`,
      "/again/":
        `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Again</title><link rel="icon" href="data:,"></head><body>${
        ["keep", "reset"].map((again) => `<iframe title="${again}" src="${site.url(demo)}?again=${again}" width="960" height="340"></iframe>`).join("")
      }<p style="margin-top: 3000px">The next slide</p></body></html>`,
      "/strict/": { headers: { "Content-Security-Policy": `default-src 'none'; frame-src ${site.origin}; img-src data:` }, body: host(site.url(demo)) },
    },
  });
  folder = await mkdtemp(join(tmpdir(), "kubewalk-deck-"));
  await writeFile(join(folder, "deck.html"), host(site.url(demo)));
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await other?.close();
  await rm(folder, { recursive: true, force: true });
});

/** What goes wrong but for requests to the site, which is another origin here on purpose. */
const problemsOf = (page) => page.problems.filter((problem) => !problem.startsWith(`request leaves the site: ${site.origin}/`));

for (const [name, address] of [
  ["in a sandbox without an origin", () => other.url("/sandbox/")],
  ["in a page that isolates itself", () => other.url("/isolated/")],
  ["in a page with a strict policy", () => other.url("/strict/")],
  ["in a page that is a file", () => pathToFileURL(join(folder, "deck.html")).href],
]) {
  test(`a demo plays and answers ${name}`, async () => {
    const page = await openPage(browser, address(), { width: 1000, height: 700, motion: "no-preference" });
    await page.waitForFunction(() => frames.length === 1);
    const frame = page.frames()[1];
    await frame.waitForSelector(".kw-play.is-playing");
    const slider = frame.locator(".kw-dock input[type=range]:not(.kw-scrubber)").first();
    await slider.focus();
    await slider.press("ArrowRight");
    await frame.waitForSelector(".kw-reset:not([hidden])", { timeout: 60_000 });
    // A sandbox saves no files, so none is offered there.
    await frame.evaluate(() => document.querySelector(".kw-share-button").click());
    await frame.waitForSelector(".kw-share", { state: "attached" });
    for (const file of [".kw-share-picture", ".kw-share-video"]) assert.equal(await frame.locator(file).count(), name.includes("sandbox") ? 0 : 1, file);
    assert.deepEqual(problemsOf(page), []);
    await page.context().close();
  });
}

test("an element of embed.js shows a demo as it asks, and a clicker goes through its moments before it moves the deck", async () => {
  const page = await openPage(browser, other.url("/element/"), { width: 1280, height: 720 });
  const told = () => page.evaluate(() => document.querySelector("kubewalk-demo").state);
  await page.waitForFunction(() => document.querySelector("kubewalk-demo").state?.moments.length > 2);
  const frame = page.frames()[1];
  assert.equal(await frame.evaluate(() => document.documentElement.className.includes("is-stage") && document.documentElement.dataset.theme), "dark");
  assert.ok((await frame.evaluate(() => parseFloat(getComputedStyle(document.querySelector(".kw-caption")).fontSize))) >= 20, "a hall cannot read the caption");
  assert.equal(await frame.locator(".kw-main").isVisible(), false, "the transport alone was asked for");
  assert.ok(await frame.locator(".kw-play").isVisible());

  await page.evaluate(() => {
    globalThis.deck = 0; // turns with every key that reaches it
    addEventListener("keydown", (event) => event.key === "PageDown" && globalThis.deck++);
  });
  const { moments, moment } = await told();
  for (let i = moment + 1; i < moments.length; i++) {
    await page.keyboard.press("PageDown");
    await page.waitForFunction((i) => document.querySelector("kubewalk-demo").state.moment === i, i);
  }
  assert.equal(await page.evaluate(() => globalThis.deck), 0, "the deck moved before the demo was at its end");
  await page.keyboard.press("PageDown");
  assert.equal(await page.evaluate(() => globalThis.deck), 1);

  // The same when the reader has clicked into the demo.
  await page.evaluate(() => document.querySelector("kubewalk-demo").go(document.querySelector("kubewalk-demo").state.moments[0].mark));
  await page.waitForFunction(() => document.querySelector("kubewalk-demo").state.moment === 0);
  await frame.focus(".kw-play");
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => document.querySelector("kubewalk-demo").state.moment === 1);
  assert.equal(await page.evaluate(() => globalThis.deck), 1);
  await page.evaluate(() => document.querySelector("kubewalk-demo").go(document.querySelector("kubewalk-demo").state.moments.at(-1).mark));
  await page.waitForFunction((n) => document.querySelector("kubewalk-demo").state.moment === n - 1, moments.length);
  await frame.focus(".kw-play");
  await page.keyboard.press("PageDown");
  await page.waitForFunction(() => globalThis.deck === 2);
  assert.deepEqual(problemsOf(page), []);
  await page.context().close();
});

test("a clicker's second press goes to the moment that plays, also when the reader has clicked into the demo", async () => {
  const page = await openPage(browser, other.url("/element/"), { width: 1280, height: 720, motion: "no-preference" });
  await page.waitForFunction(() => document.querySelector("kubewalk-demo").state?.moments.length > 2);
  const frame = page.frames()[1];
  for (const where of ["outside", "inside"]) {
    await page.evaluate(() => document.querySelector("kubewalk-demo").go(document.querySelector("kubewalk-demo").state.moments[0].mark));
    await page.waitForFunction(() => document.querySelector("kubewalk-demo").state.moment === 0 && !document.querySelector("kubewalk-demo").state.playing);
    if (where === "inside") await frame.focus(".kw-play");
    // Two presses a moment: one that plays to it, and one that does not wait for that.
    for (let i = 0; i < 8; i++) await page.keyboard.press("PageDown");
    await page.waitForFunction(() => document.querySelector("kubewalk-demo").state.moment >= 4);
  }
  await page.context().close();
});

test("a demo as one file opens from a disk and from any server without loading more, and answers", async () => {
  const made = spawnSync(generator(), ["export", "demo", "replicaset-scale", "--single-file", "--language", "ja",
    "--out", folder], { cwd: root, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  const file = join(folder, "replicaset-scale-ja.html");
  const text = await readFile(file, "utf8");
  assert.match(text, /<html lang="ja"/);
  assert.doesNotMatch(text, /mediabunny/iu);
  const server = await openSite({ pages: { "/a/demo.html": text } });
  try {
    for (const address of [pathToFileURL(file).href, server.url("/a/demo.html")]) {
      const page = await openPage(browser, address, { width: 1280, height: 720, motion: "no-preference" });
      const asked = [];
      page.on("request", (request) => /^(https?|file):/.test(request.url()) && asked.push(request.url()));
      await page.waitForSelector(".kw-play.is-playing");
      const slider = page.locator(".kw-dock input[type=range]:not(.kw-scrubber)").first();
      await slider.focus();
      await slider.press("ArrowRight");
      await page.waitForSelector(".kw-reset:not([hidden])", { timeout: 60_000 });
      await page.evaluate(() => document.querySelector(".kw-share-button").click());
      await page.waitForSelector(".kw-share-picture", { state: "attached" });
      assert.equal(await page.locator(".kw-share-video").count(), 0, "what makes videos is not in the file");
      assert.equal(await page.locator(".kw-share-use").count(), 0, "there is no page to embed");
      assert.deepEqual(page.problems, []);
      assert.deepEqual(asked, []);
      await page.context().close();
    }
  } finally {
    await server.close();
  }
});

test("frames with one name show one moment, also of what the reader did", async () => {
  const page = await openPage(browser, other.url("/two/"), { width: 1000, height: 760 });
  await page.waitForFunction(() => frames.length === 2);
  const [speaker, audience] = page.frames().slice(1);
  for (const frame of [speaker, audience]) await frame.waitForSelector(".kw-caption.is-shown", { timeout: 60_000 });
  const time = (frame) => frame.textContent(".kw-time");
  const follows = async () => {
    if (await speaker.$(".kw-play.is-playing")) await speaker.click(".kw-play"); // both play by themselves, and stand at one moment
    const both = async () => [await time(speaker), await time(audience)];
    for (const end = Date.now() + 60_000; Date.now() < end && new Set(await both()).size > 1;) await page.waitForTimeout(50);
    const [wanted, shown] = await both();
    assert.equal(shown, wanted);
  };
  const begun = await time(audience);
  for (let i = 0; i < 3; i++) await speaker.click('[aria-label="Step forward"]');
  assert.notEqual(await time(speaker), begun);
  await follows();
  const slider = speaker.locator(".kw-dock input[type=range]:not(.kw-scrubber)").first();
  await slider.focus();
  await slider.press("ArrowRight");
  await speaker.waitForSelector(".kw-caption.is-own.is-shown", { timeout: 60_000 });
  await audience.waitForSelector(".kw-caption.is-own.is-shown", { timeout: 60_000 });
  assert.deepEqual(problemsOf(page), []);
  await page.context().close();
});

test("a frame whose own run is not as far waits for it, and one that comes late joins", async () => {
  const page = await openPage(browser, other.url("/two/"), { width: 1000, height: 760 });
  await page.waitForFunction(() => frames.length === 2);
  const [speaker, audience] = page.frames().slice(1);
  for (const frame of [speaker, audience]) await frame.waitForSelector(".kw-caption.is-shown", { timeout: 60_000 });
  const slider = speaker.locator(".kw-dock input[type=range]:not(.kw-scrubber)").first();
  await slider.focus();
  await slider.press("ArrowRight");
  for (const frame of [speaker, audience]) await frame.waitForSelector(".kw-caption.is-own.is-shown", { timeout: 60_000 });
  const time = (frame) => frame.textContent(".kw-time");
  const same = async (frame) => {
    let both = [];
    for (const end = Date.now() + 60_000; Date.now() < end;) {
      both = [await time(speaker), await time(frame)];
      if (both[0] === both[1]) return;
      await page.waitForTimeout(50);
    }
    assert.equal(both[1], both[0]);
  };
  const scrub = (value) => speaker.locator(".kw-scrubber").fill(String(value));
  const pause = async () => {
    if (await speaker.$(".kw-play.is-playing")) await speaker.click(".kw-play");
  };
  await pause();
  await same(audience);
  const rests = speaker.getByRole("button", { name: "Play on" }); // it does when the cluster does
  if (!(await rests.isVisible())) {
    await speaker.click(".kw-play");
    await rests.waitFor({ timeout: 90_000 });
  }
  await same(audience);
  const [first, far] = await speaker.$eval(".kw-scrubber", (input) => [Number(input.min), Number(input.value)]);
  await scrub(Math.round(first + (far - first) / 4));
  await same(audience);
  const begun = parseFloat(await time(speaker));
  // One that is opened again joins the others, and its run is only as far as that.
  await audience.evaluate(() => location.reload());
  await page.waitForTimeout(500);
  await audience.waitForSelector(".kw-caption.is-own.is-shown", { timeout: 60_000 });
  await same(audience);
  await scrub(far);
  assert.ok(parseFloat(await time(speaker)) > begun + 1, `${begun} s, then ${await time(speaker)}`);
  await same(audience);
  assert.deepEqual(problemsOf(page), []);
  await page.context().close();
});

test("who comes back finds a demo as it was left, or at its beginning, as the page wants", async () => {
  const page = await openPage(browser, other.url("/again/"), { width: 1000, height: 760 });
  await page.waitForFunction(() => frames.length === 2);
  const [keep, reset] = page.frames().slice(1);
  const begun = [];
  for (const frame of [keep, reset]) {
    await frame.waitForSelector(".kw-caption.is-shown", { timeout: 60_000 });
    begun.push(await frame.textContent(".kw-time"));
    for (let i = 0; i < 3; i++) await frame.click('[aria-label="Step forward"]');
    assert.notEqual(await frame.textContent(".kw-time"), begun.at(-1));
  }
  const left = await keep.textContent(".kw-time");
  await page.evaluate(() => scrollTo({ top: 3000, behavior: "instant" }));
  await page.waitForTimeout(500); // it is told that it is out of sight
  await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
  await reset.waitForFunction((t) => document.querySelector(".kw-time").textContent === t, begun[1]);
  assert.equal(await keep.textContent(".kw-time"), left);
  assert.deepEqual(problemsOf(page), []);
  await page.context().close();
});

// What stands around the text: contents, themes, prefetching, reading without a
// connection, and from a folder.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { generator, openBrowser, openPage, openSite, root, writeSettings } from "./harness.mjs";

let site, browser;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const chapter = "/en/components/scale/";

test("the page's contents follow the scroll, and step aside for what is wide", async () => {
  const page = await openPage(browser, site.url(chapter), { width: 1280 });
  const marked = () => page.locator("[data-here] [aria-current=location]").getAttribute("href", { timeout: 100 }).catch(() => null);
  assert.equal(await marked(), null, "a section is marked before the first one");
  const ids = await page.$$eval(".text > :is(h2, h3)[id]", (all) => all.map((e) => e.id));
  assert.ok(ids.length >= 4);
  for (const id of [ids[2], ids[1]]) {
    await page.evaluate((id) => document.getElementById(id).scrollIntoView(), id);
    await page.waitForFunction((id) => document.querySelector("[data-here] [aria-current]")?.hash === `#${id}`, id);
  }
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.waitForFunction((id) => document.querySelector("[data-here] [aria-current]")?.hash === `#${id}`, ids.at(-1));
  await page.evaluate(() => document.querySelector(".text > .demo").scrollIntoView());
  await page.waitForSelector("[data-here].is-covered", { state: "attached" });
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("on a narrow screen the contents open without script, and close with Escape", async () => {
  const page = await openPage(browser, site.url(chapter), { width: 360, height: 740, script: false });
  const list = page.locator("#contents");
  assert.ok(await list.isHidden());
  await page.click(".open-contents");
  assert.ok(await list.isVisible());
  assert.ok(await list.locator("[aria-current=page]").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(await list.isHidden());
  await page.click(".here-folded > summary");
  assert.ok(await page.locator(".here-folded a").first().isVisible());
  await page.context().close();
});

test("the address of a heading can be copied, and that is said", async () => {
  const page = await openPage(browser, site.url(chapter), { context: { permissions: ["clipboard-read", "clipboard-write"] } });
  const link = page.locator(".text > h2 > .anchor").first();
  await link.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("[role=status].hidden")?.textContent === "Link copied");
  const address = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(address, page.url());
  assert.match(address, /#.+/);
  await page.context().close();
});

test("what was visited is there without a connection, and what was not says what is", { timeout: 60_000 }, async () => {
  const home = await openSite();
  const page = await openPage(browser, home.url(chapter), { context: { serviceWorkers: "allow" } });
  await page.evaluate(async () => {
    const kept = async () => {
      for (const name of await caches.keys()) if (name.endsWith("pages") && (await (await caches.open(name)).match(location.href))) return true;
      return false;
    };
    while (!(await kept())) await new Promise((done) => setTimeout(done, 50));
  });
  assert.deepEqual(page.problems, []);
  await home.close();
  await page.reload();
  assert.match(await page.textContent("h1"), /At the limits/);
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("#contents")).position), "sticky", "the style is missing");
  // A page that was never visited: which ones are there, in the reader's language.
  await page.goto(home.url("/ja/loop/informers/"));
  assert.equal(await page.getAttribute("html", "lang"), "ja");
  await page.waitForSelector("[data-lost]:not([hidden])");
  await page.goto(home.url("/en/loop/informers/"));
  await page.waitForSelector("[data-pages] li.is-there");
  assert.deepEqual(await page.$$eval("[data-pages] li:not([hidden]) a", (all) => all.map((a) => a.pathname)), [chapter]);
  await page.context().close();
});

test("a reader keeps the book: chapters that were never opened are there, and their demos play", async () => {
  const home = await openSite();
  const page = await openPage(browser, home.url("/en/offline/"), { context: { serviceWorkers: "allow" } });
  await page.getByRole("button", { name: /Keep the book on this device \(\d+ MB\)/ }).click();
  await page.getByText("The book is on this device.").waitFor({ timeout: 120_000 });
  await home.close();
  await page.goto(home.url(chapter));
  await page.waitForSelector(".kw-player .kw-scene");
  await page.click("a[rel=next]");
  assert.notEqual(await page.textContent("h1"), "Reading offline");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("a page is fetched before it is opened: one that is pointed at, and the next one when its link is seen", { timeout: 60_000 }, async () => {
  const page = await openPage(browser, site.url(chapter));
  const debug = await page.context().newCDPSession(page);
  const fetched = new Set();
  debug.on("Preload.prefetchStatusUpdated", ({ status, prefetchUrl }) => status === "Ready" && fetched.add(prefetchUrl));
  await debug.send("Preload.enable");
  // Of the page's own part: the link to another part is gone when a script makes a list of it. And Chromium may report where its
  // pointer is by itself: a link that it was on before is not fetched again.
  let pointed;
  for (const link of (await page.$$('#contents a[href^="/en/components/"]:not([aria-current])')).slice(0, 4)) {
    pointed = await link.evaluate((a) => a.href);
    await link.hover();
    for (let i = 0; i < 50 && !fetched.has(pointed); i++) await page.waitForTimeout(100);
    if (fetched.has(pointed)) break;
  }
  assert.ok(fetched.has(pointed), "no page that is pointed at is fetched");
  const next = await page.$eval("a[rel=next]", (a) => a.pathname);
  const hint = page.locator(`link[rel=prefetch][href="${next}"]`);
  assert.equal(await hint.count(), 0, "the next page is fetched although nobody came near it");
  await page.locator("a[rel=next]").scrollIntoViewIfNeeded();
  await hint.waitFor({ state: "attached" });
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

/** Builds a small book in its portable form: two chapters in both languages, one demo. */
async function portable(t) {
  const folder = await mkdtemp(join(tmpdir(), "kubewalk-portable-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const content = join(folder, "content");
  await mkdir(join(content, "demos"), { recursive: true });
  await writeSettings(content);
  await cp(join(root, "content/demos/replicaset-scale.yaml"), join(content, "demos/replicaset-scale.yaml"));
  const page = (title, order) => `---\ntitle: ${title}\ndescription: A chapter.\norder: ${order}\n---\n\n## Why {#why}\n\n\`\`\`demo\nreplicaset-scale\n\`\`\`\n`;
  for (const language of ["en", "ja"]) {
    await mkdir(join(content, language, "start"), { recursive: true });
    await writeFile(join(content, language, "index.md"), page("Home", 1));
    await writeFile(join(content, language, "start/first.md"), page("First", 1));
    await writeFile(join(content, language, "start/second.md"), page("Second", 2));
  }
  await promisify(execFile)(generator(), ["build", "--portable", "--content", content, "--out", join(folder, "site")], { cwd: root });
  return join(folder, "site");
}

test("the portable form opens from a folder: styles, pictures and links, and nothing goes wrong", async (t) => {
  const folder = await portable(t);
  const page = await openPage(browser, pathToFileURL(join(folder, "index.html")).href);
  await page.click("main a[hreflang=en]");
  await page.click("main .chapters a");
  await page.waitForSelector(".page-chapter .foot"); // the page is there, to its end
  assert.equal(await page.evaluate(() => getComputedStyle(document.querySelector("#contents")).position), "sticky", "the style is missing");
  assert.ok(await page.locator(".storyboard-note").first().isVisible());
  assert.ok((await page.locator(".still").count()) > 1);
  assert.ok(await page.locator(".still").last().isVisible(), "only the first moment is shown");
  await page.locator(".still").last().scrollIntoViewIfNeeded();
  await page.waitForFunction(() => [...document.querySelectorAll(".still:last-of-type img")].some((i) => i.complete && i.naturalWidth > 0));
  await page.getByLabel("Theme").selectOption("dark");
  const title = await page.textContent("h1");
  await page.click("a[rel=next]");
  await page.waitForFunction((title) => document.querySelector(".foot") && document.querySelector("h1").textContent !== title, title);
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
  await page.click(".languages a");
  await page.waitForSelector("html[lang=ja] .foot");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("another part's chapters come when it is opened, and its link stays when they do not", async () => {
  const script = (await readdir(join(site.folder, "assets"))).find((name) => /^parts-\w+\.js$/.test(name));
  for (const there of [true, false]) {
    const page = await openPage(browser, "about:blank", {});
    await page.route("**/assets/contents-*.json", (route) => (there ? route.continue() : route.abort()));
    // Chromium may report where its pointer is by itself, so the script, for which the page may wait, is held back until the page was looked at.
    let looked;
    const seen = new Promise((resolve) => { looked = resolve; });
    await page.route(`**/assets/${script}`, async (route) => { await seen; await route.continue(); });
    await page.goto(site.url("/en/start/tour/"), { waitUntil: "domcontentloaded" });
    const away = page.locator(".contents-away", { has: page.locator('a[href$="#part.source"]') });
    const title = await away.textContent();
    looked();
    await page.mouse.move(300, 300);
    await page.click(".open-contents");
    await page.locator("#contents summary", { hasText: title }).click();
    const link = page.locator("#contents details[open] a", { hasText: there ? "Reading sample-controller" : title }).first();
    await link.waitFor();
    assert.equal(await link.getAttribute("href"), there ? "/en/source/sample-controller/" : "/en/#part.source");
    await page.context().close();
  }
});

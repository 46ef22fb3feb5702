// What stands around the text: contents, themes, prefetching, reading without a
// connection, and from a folder.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage, openSite } from "./harness.mjs";

let site, browser;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

const chapter = "/en/loop/replicaset/";

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
  await page.waitForFunction(() => document.querySelector("[role=status].hidden")?.textContent === "Address copied");
  const address = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(address, page.url());
  assert.match(address, /#.+/);
  await page.context().close();
});

test("what was visited is there without a connection, and what was not says what is", async () => {
  const home = await openSite();
  const page = await openPage(browser, home.url(chapter), { motion: "reduce" });
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
  assert.match(await page.textContent("h1"), /ReplicaSet/);
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

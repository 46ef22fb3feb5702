// Every page of the book, as a reader's browser has it.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openPage, openSite, root } from "./harness.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let site, browser;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** The addresses of all pages of a built site. */
async function addresses() {
  const dir = resolve(root, process.env.SITE ?? "public");
  const files = await readdir(dir, { recursive: true });
  return files
    .map((f) => f.replaceAll("\\", "/"))
    .filter((f) => f.endsWith("index.html"))
    .map((f) => `/${f.slice(0, -"index.html".length)}`)
    .sort();
}

/** Waits until demos have taken over from their storyboards, where there are any. */
async function settle(page) {
  await page.waitForFunction(() => [...document.querySelectorAll("kubewalk-demo")].every((e) => e.matches(":defined")));
  await page.waitForLoadState("networkidle");
}

const all = await addresses();

test("there are pages in both languages", () => {
  for (const path of ["/", "/en/", "/ja/", "/en/start/what-is-real/", "/ja/start/what-is-real/"]) assert.ok(all.includes(path), path);
});

for (const path of all) {
  test(`${path}: nothing is blocked, axe finds nothing in light and dark, and it fits into 360 pixels`, async () => {
    const page = await openPage(browser, site.url(path));
    await settle(page);
    // Evaluated by the browser's debugger, so the page's policy does not stop it.
    await page.evaluate(axe);
    for (const theme of ["light", "dark"]) {
      await page.emulateMedia({ colorScheme: theme });
      const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      assert.deepEqual(violations.map((v) => `${v.id}: ${v.help}\n  ${v.nodes.map((n) => n.target + " " + n.failureSummary).join("\n  ")}`), [], theme);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await settle(page);
    await fits(page);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  test(`${path} without script fits into 360 pixels`, async () => {
    const page = await openPage(browser, site.url(path), { width: 360, height: 740, script: false });
    await fits(page);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

/** Nothing sticks out to the side; the message names what does. */
async function fits(page) {
  const [over, wide] = await page.evaluate(() => [
    document.documentElement.scrollWidth - innerWidth,
    [...document.querySelectorAll("body *")]
      .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".table, .code, svg"))
      .map((e) => `${e.tagName.toLowerCase()}.${e.className}`)
      .slice(0, 5),
  ]);
  assert.ok(over <= 0, `${over} pixels too wide: ${wide.join(", ")}`);
}

test("the page that is not there is served with a policy", async () => {
  const page = await openPage(browser, site.url("/no/such/page/"));
  assert.equal(page.problems.filter((p) => !p.includes("404")).join(), "");
  assert.match(await page.textContent("main"), /There is no such page/);
  await page.context().close();
});

test("the language switch leads to the same chapter", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"));
  await page.click("nav.languages a[lang=ja]");
  await page.waitForURL("**/ja/start/what-is-real/");
  assert.equal(await page.getAttribute("html", "lang"), "ja");
  assert.match(await page.textContent("h1"), /本物/);
  await page.click("nav.languages a[lang=en]");
  await page.waitForURL("**/en/start/what-is-real/");
  await page.context().close();
});

test("the theme is kept, is there from the first frame, and follows the system again", async () => {
  const page = await openPage(browser, site.url("/en/"), { theme: "light" });
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await background();
  await page.click("[data-theme-button]");
  const dark = await background();
  assert.notEqual(dark, light);
  // Seen by a script that runs before the body is there.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      window.firstTheme = document.documentElement.dataset.theme;
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  assert.equal(await page.evaluate(() => window.firstTheme), "dark");
  assert.equal(await background(), dark);
  await page.click("[data-theme-button]");
  assert.equal(await background(), light);
  assert.equal(await page.evaluate(() => localStorage.getItem("theme")), null);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("without script every moment of a demo is there", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"), { script: false });
  const stills = page.locator(".still");
  const count = await stills.count();
  assert.ok(count >= 3, `${count} stills`);
  for (let i = 0; i < count; i++) {
    assert.ok(await stills.nth(i).locator(".still-wide svg").isVisible(), `picture ${i + 1}`);
    assert.ok((await stills.nth(i).locator("figcaption").innerText()).length > 20, `caption ${i + 1}`);
  }
  assert.ok(await page.locator("[data-theme-button]").isHidden(), "a button that does nothing is shown");
  await page.context().close();
});

test("on paper there is the storyboard and no navigation", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"), { script: false });
  await page.emulateMedia({ media: "print" });
  assert.ok(await page.locator(".still-wide svg").first().isVisible());
  for (const selector of [".sidebar", ".menu", ".banner-tools"]) assert.ok(await page.locator(selector).isHidden(), selector);
  await page.context().close();
});

test("the skip link is the first stop and leads to the text", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"));
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "text");
  await page.context().close();
});

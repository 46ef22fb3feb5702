// Diagrams and formulas on a page: on a phone and on a wide screen, by keyboard, in the dark.

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

const sizeOfType = (svg) => {
  const text = svg.querySelector("text");
  return (parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width) / svg.viewBox.baseVal.width;
};

test("a diagram is drawn for the screen that there is, in the page's colours, and told in words", async () => {
  const page = await openPage(browser, site.url("/en/loop/informers/"), { width: 360 });
  const wide = page.locator(".diagram-wide").first();
  const narrow = page.locator(".diagram-narrow").first();
  assert.equal(await wide.isVisible(), false);
  assert.equal(await narrow.isVisible(), true);
  assert.ok((await narrow.boundingBox()).width <= 360, "it fits");
  assert.ok((await narrow.evaluate(sizeOfType)) >= 14, "and can be read");
  const stroke = () => narrow.locator(".d-box").first().evaluate((e) => getComputedStyle(e).stroke);
  const light = await stroke();
  await page.emulateMedia({ colorScheme: "dark" });
  assert.notEqual(await stroke(), light);

  await page.setViewportSize({ width: 640, height: 900 }); // wider, but the wide form would be too small
  assert.equal(await wide.isVisible(), false);
  assert.equal(await narrow.isVisible(), true);
  assert.ok((await narrow.evaluate(sizeOfType)) >= 14);
  await page.locator(".diagram-picture").first().evaluate((e) => (e.style.inlineSize = "41rem")); // as in a page of text alone
  assert.equal(await wide.isVisible(), true);
  assert.equal(await narrow.isVisible(), false);
  assert.ok((await wide.evaluate(sizeOfType)) >= 9.5, String(await wide.evaluate(sizeOfType)));
  await page.locator(".diagram-picture").first().evaluate((e) => e.removeAttribute("style"));

  const words = page.locator(".diagram-words").first();
  await words.locator("summary").focus();
  await page.keyboard.press("Enter");
  assert.ok((await words.innerText()).includes("informer → indexer"));
  assert.deepEqual(page.problems, []);
});

test("a formula is mathematics to programs, and a phone scrolls it alone", async () => {
  const page = await openPage(browser, site.url("/en/loop/informers/"), { width: 320 });
  const formula = page.locator(".formula").first();
  await formula.focus();
  assert.ok(await formula.evaluate((e) => e.matches(":focus")));
  assert.equal(await formula.locator("math msup").count(), 1);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  assert.match(await formula.locator("math").getAttribute("alttext"), /^wait\(n\) = min\(5 ms ⋅ 2\^\(n − 1\), 1000 s\)$/);
});

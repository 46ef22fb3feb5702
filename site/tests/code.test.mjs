// Blocks of code and figures that demos prove, as a reader's browser has them.

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

test("code is copied by keyboard, and said to be; without script there is no button", async () => {
  const page = await openPage(browser, site.url("/en/loop/expectations/"));
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const block = page.locator(".listing", { hasText: "createPods" }).first();
  const button = block.locator("button.copy");
  await block.locator(".code").focus();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("role")), "group");
  await button.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("status").filter({ hasText: "Copied" }).waitFor({ state: "attached" });
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^func \(rsc \*ReplicaSetController\) createPods\(.*\n\tlog, key := /);
  assert.match(copied, /CreationObserved[^]*\n}$/, "what is folded is copied, too");
  assert.deepEqual(page.problems, []);
  await page.close();

  const still = await openPage(browser, site.url("/en/loop/expectations/"), { script: false });
  assert.equal(await still.locator("button.copy").count(), 0);
  const fold = still.locator(".fold").first();
  await fold.locator("summary").click();
  assert.ok(await fold.locator("code").isVisible());
  await still.close();
});

test("a figure that a demo proves leads to the moment, and a title to the line of the source", async () => {
  const page = await openPage(browser, site.url("/ja/loop/replicaset/"));
  await page.waitForSelector(".kw-stage");
  const claim = page.locator('a.claim[title*="event need"]').first();
  assert.equal(await claim.textContent(), "3\u00a0つ"); // in one line
  await claim.click();
  await page.waitForFunction(() => document.querySelector(".kw-time")?.textContent.startsWith("13.006"));
  assert.match(page.url(), /#demo-replicaset-scale-too-few$/);
  await page.locator(".listing-file").first().click();
  await page.waitForURL(/\/source\/playground\/controlplane\/controller\/replicaset\/replicas\.go\/#L\d+$/);
  const line = page.locator(":target");
  assert.match(await line.textContent(), /manageReplicas/);
  assert.deepEqual(page.problems, []);
  await page.close();
});

// The search, as a reader with a keyboard has it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBarriers } from "./barriers.mjs";
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

const first = '.search-results [role="option"]';

/** Waits for the answer to a question. */
const answered = (page, question) => page.locator(`.search-results[data-for="${question}"]`).waitFor({ state: "attached" });

/** What a screen reader hears of the list: the option that is chosen. */
const chosen = (page) =>
  page.evaluate(() => {
    const input = document.querySelector(".search-input");
    const option = document.getElementById(input.getAttribute("aria-activedescendant"));
    return option && { text: option.querySelector("b").textContent, selected: option.getAttribute("aria-selected"), focus: document.activeElement === input };
  });

async function axeFindsNothing(page) {
  for (const theme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme: theme });
    await page.evaluate(() => Promise.all(document.getAnimations().map((a) => a.finished)));
    await noBarriers(page, { where: theme });
  }
}

test("by keyboard, from / to the section; nothing is loaded before, and the question is kept", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"));
  const loaded = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await page.waitForLoadState("networkidle");
  const ofSearch = (path) => /\/search(-|\/)/.test(path);
  assert.deepEqual(await page.evaluate(() =>
    performance.getEntriesByType("resource").map((r) => new URL(r.name).pathname).filter((p) => /\/search(-|\/)/.test(p))), [], "before the search is used");

  await page.keyboard.press("/");
  await page.locator("dialog.search[open]").waitFor();
  assert.equal(loaded.filter((path) => ofSearch(path) && path.endsWith(".json.gz")).length, 0, "the index, before something is asked");
  await page.keyboard.type("work queue backoff");
  await answered(page, "work queue backoff");
  assert.match(await page.locator(".search-status").textContent(), /^\d+ results?$/);
  assert.deepEqual(await chosen(page), { text: "When a sync fails: retries and back-off", selected: "true", focus: true });
  assert.ok((await page.locator(`${first} mark`).allTextContents()).includes("back-off"));
  const json = loaded.filter((path) => /\.json(\.gz)?$/.test(path) && !/^\/demos\/|\/phrases-/.test(path)); // a demo plays behind the dialog
  assert.ok(json.length > 0 && json.every(ofSearch), String(json));

  const all = await page.locator(first).count();
  await page.keyboard.press("ArrowDown");
  const second = await chosen(page);
  assert.notEqual(second.text, "When a sync fails: retries and back-off");
  await page.keyboard.press("End");
  assert.equal(await page.locator(`${first}[aria-selected="true"]`).evaluate((o, s) => [...document.querySelectorAll(s)].indexOf(o), first), all - 1);
  await page.keyboard.press("ArrowDown"); // around
  assert.equal((await chosen(page)).text, "When a sync fails: retries and back-off");
  await page.keyboard.press("Enter");
  await page.waitForURL("**/en/loop/informers/#backoff");

  await page.keyboard.press("Control+k");
  await page.locator("dialog.search[open]").waitFor();
  await answered(page, "work queue backoff");
  assert.equal(await page.evaluate(() => getSelection().toString() ||
    document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)), "work queue backoff");
  await page.keyboard.press("Backspace");
  await answered(page, "");
  assert.equal((await chosen(page))?.text ?? "What is real", "What is real"); // read before
  assert.deepEqual(await page.locator(`${first} b`).allTextContents(), ["What is real"]);
  await page.keyboard.type("preemtion");
  await answered(page, "preemtion");
  assert.match(await page.locator(".search-status").textContent(), /“preemtion”.*“preemption”.*\d+ results?$/);
  assert.equal((await chosen(page)).text, "Preemption");
  await page.keyboard.press("Escape");
  await page.locator("dialog.search").waitFor({ state: "hidden" });
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("in Japanese: what is being composed is no question yet, and Enter belongs to the input method", async () => {
  const page = await openPage(browser, site.url("/ja/loop/expectations/"), { width: 360, height: 740 });
  await page.locator(".search-link").click();
  await page.locator("dialog.search[open]").waitFor();
  const keyboard = await page.context().newCDPSession(page);
  await keyboard.send("Input.imeSetComposition", { text: "わーくきゅー", selectionStart: 6, selectionEnd: 6 });
  await keyboard.send("Input.imeSetComposition", { text: "ワークキュー", selectionStart: 6, selectionEnd: 6 });
  await keyboard.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", windowsVirtualKeyCode: 229 });
  await page.waitForTimeout(300); // longer than an answer takes
  assert.equal(await page.locator(".search-results").getAttribute("data-for"), "");
  await keyboard.send("Input.insertText", { text: "ワークキュー" });
  await answered(page, "ワークキュー");
  assert.match(await page.locator(".search-status").textContent(), /^\d+ 件見つかりました$/);
  assert.deepEqual(await page.locator(".search-group").first().locator("mark").first().textContent(), "ワークキュー");
  assert.match(page.url(), /\/ja\/loop\/expectations\/$/);
  const sticksOut = await page.evaluate(() =>
    document.querySelector("dialog.search").scrollWidth > innerWidth || document.documentElement.scrollWidth > innerWidth);
  assert.equal(sticksOut, false);
  await axeFindsNothing(page);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("what the book calls otherwise is found by the reader's word, and said; the dialog fits a low screen", async () => {
  const page = await openPage(browser, site.url("/ja/loop/replicaset/"), { height: 420 });
  await page.keyboard.press("Control+k");
  await page.locator("dialog.search[open]").waitFor();
  const box = await page.locator("dialog.search").boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 420, JSON.stringify(box));
  const input = page.locator(".search-input");
  await input.fill("再送間隔");
  await answered(page, "再送間隔");
  assert.match(await page.locator(".search-status").textContent(), /「再送間隔」は見つからないため、「再試行」の結果/);
  assert.ok((await page.locator(`${first} mark`).allTextContents()).every((text) => text === "再試行"));
  assert.ok((await page.locator(first).evaluateAll((all) => all.map((a) => new URL(a.href).pathname))).includes("/ja/loop/informers/"));
  await input.fill("work queue");
  await answered(page, "work queue");
  assert.ok((await page.locator(`${first} mark`).allTextContents()).includes("ワークキュー"));
  await input.fill("rs");
  await answered(page, "rs");
  assert.match(await page.locator(first).first().getAttribute("href"), /^\/ja\/loop\/replicaset\//);
  assert.ok((await page.locator(".search-results").textContent()).includes("\\") === false, "what parts emphasis is no text");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("an index that does not come is said in its place, and asked for again; what is found is text", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"));
  await page.route("**/search/en.json.gz", (route) => route.abort());
  await page.keyboard.press("Control+k");
  await page.locator("dialog.search[open]").waitFor();
  const before = await page.locator("dialog.search").boundingBox();
  await page.keyboard.type("kubelet");
  const again = page.locator(".search-again");
  await again.waitFor();
  assert.match(await page.locator(".search-status").textContent(), /could not be loaded/);
  await page.unroute("**/search/en.json.gz");
  await again.click();
  await answered(page, "kubelet");
  assert.ok((await page.locator(first).count()) > 1);
  await page.locator(".search-input").fill("<img src=x onerror=alert(1)>");
  await answered(page, "<img src=x onerror=alert(1)>");
  assert.equal(await page.locator("dialog.search img").count(), 0);
  await page.locator(".search-input").fill("xyzzyquux");
  await page.getByText("No results for “xyzzyquux”").waitFor();
  assert.deepEqual(await page.locator("dialog.search").boundingBox(), before, "the dialog stays as large as it is");
  await axeFindsNothing(page);
  await page.context().close();
});

test("the page of the search, and the one that is not there", async () => {
  const page = await openPage(browser, site.url("/en/search/?q=finalizers"));
  await page.locator(first).first().waitFor();
  assert.equal(await page.locator(first).first().getAttribute("href"), "/en/loop/garbage-collector/#finalizers");
  await page.keyboard.press("End");
  await page.keyboard.type(" owner");
  await page.waitForURL("**/en/search/?q=finalizers+owner");
  await axeFindsNothing(page);
  assert.deepEqual(page.problems, []);

  for (const [lost, found] of [["/en/loop/expectatons/", "/en/loop/expectations/"], ["/ja/components/kube-schedular.html", "/ja/components/kube-scheduler/"]]) {
    await page.goto(site.url(lost));
    await page.locator(first).first().waitFor();
    const links = await page.locator(first).evaluateAll((all) => all.map((a) => a.getAttribute("href")));
    assert.ok(links[0].startsWith(found), `${lost}: ${links}`);
  }
  await axeFindsNothing(page);
  await page.context().close();

  const off = await openPage(browser, site.url("/en/start/what-is-real/"), { script: false });
  await off.locator(".search-link").click();
  await off.waitForURL("**/en/search/");
  await off.getByText("needs JavaScript").waitFor();
  await off.context().close();
});

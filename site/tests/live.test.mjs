// What a reader does to the cluster, in a real browser on the built site: the control plane comes, and a run of their own leaves the recording.

import assert from "node:assert/strict";
import { openPage } from "./harness.mjs";
import { browser, inPage, nextMark, press, scaleTo, site, time } from "./reader.mjs";

const demo = "/embed/replicaset-scale/";

/** A test in the demo by itself. */
const player = (name, options, run) => inPage(name, { path: demo, ...options }, run);

const sentence = (page) => page.textContent(".kw-event[aria-current] .kw-sentence");
const copyLink = async (page) => {
  await page.click(".kw-share-button");
  await page.click(".kw-share-item");
  await page.waitForFunction(() => location.hash.includes("&at="));
};
/** The picture, element by element, without what only shows what is new. */
const picture = (page) =>
  page.evaluate(() => {
    const clone = document.querySelector(".kw-stage svg").cloneNode(true);
    clone.querySelectorAll(".is-leaving").forEach((e) => e.remove());
    clone.querySelectorAll(".is-fresh").forEach((e) => e.classList.remove("is-fresh"));
    return [...clone.querySelectorAll("[data-id]")].map((e) => e.outerHTML).sort().join("\n");
  });
const pods = (page) => page.$$eval(".kw-stage .role-pod:not(.state-terminating, .is-leaving)", (all) => all.length);

player("the slider loads the control plane, and new Pods appear", { motion: "no-preference" }, async (page) => {
  await press(page, "Pause");
  await nextMark(page, 9);
  const had = await pods(page);
  assert.equal(had, 3);
  const seen = await page.evaluate(() => [...document.querySelectorAll(".kw-event")].map((e) => e.textContent));
  await page.focus(".kw-slider");
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  assert.equal(await page.inputValue(".kw-number"), "8");
  await page.waitForSelector(".kw-badge.is-live", { state: "attached" });
  await page.waitForFunction(() => document.querySelector(".kw-caption.is-own.is-shown")?.textContent.includes("8"), null, { timeout: 60_000 });
  await page.selectOption(".kw-speed", "4");
  await page.waitForFunction(() => document.querySelectorAll(".kw-stage .role-pod:not(.is-leaving)").length === 8, null, { timeout: 60_000 });
  assert.equal(page.workers().length, 1);
  assert.ok(seen.length > 0);
  await press(page, "Pause");
  await page.click(".kw-event[aria-current]");
  await page.waitForSelector(".kw-call, .kw-details .kw-hint");
  await page.click(".kw-reset");
  assert.equal(await page.textContent(".kw-badge"), "Recording");
  assert.ok((await pods(page)) >= 3);
});

const controlPlane = (url) => url.endsWith(".wasm.zst");
/** Waits until something was asked for. */
async function asked(page, what) {
  for (let i = 0; !page.requests.some(what); i++) {
    assert.ok(i < 600, "the control plane was not asked for");
    await page.waitForTimeout(50);
  }
}

player("the control plane is readied when the reader turns to the controls; before, it is fetched, and nothing runs", {}, async (page) => {
  await page.hover(".kw-log");
  await asked(page, (url) => /worker/.test(url)); // it is fetched after the control plane
  assert.deepEqual([page.workers().length, page.requests.filter(controlPlane).length], [0, 1]);
  await page.hover(".kw-slider");
  for (let i = 0; page.workers().length === 0; i++) {
    assert.ok(i < 600, "no worker was started");
    await page.waitForTimeout(50);
  }
  assert.equal(await page.textContent(".kw-badge"), "Recording");
  await scaleTo(page, 6);
  await page.waitForFunction(() => document.querySelector(".kw-caption.is-own.is-shown")?.textContent.includes("6"), null, { timeout: 60_000 });
  assert.equal(page.requests.filter(controlPlane).length, 1);
  assert.equal(page.workers().length, 1);
});

player("the keyboard's way to the controls readies it, too", {}, async (page) => {
  await page.focus(".kw-slider");
  await page.waitForFunction(() =>
    performance.getEntriesByType("resource").some((e) => e.name.endsWith(".js") && /worker/.test(e.name)), null, { timeout: 60_000 });
});

player("a connection that asks to save data gets the control plane when something is done, not before", {
  before: () => Object.defineProperty(navigator, "connection", { value: { saveData: true }, configurable: true }),
}, async (page) => {
  await page.hover(".kw-slider");
  await page.focus(".kw-slider");
  await page.waitForTimeout(1500);
  assert.deepEqual(page.requests.filter((url) => /\.wasm|worker/.test(url)), []);
  await scaleTo(page, 6);
  await asked(page, controlPlane);
});

player("an input after looking back makes a branch, quickly", {}, async (page) => {
  await nextMark(page, 9);
  await scaleTo(page, 5);
  await page.waitForSelector(".kw-caption.is-own.is-shown", { timeout: 60_000 });
  await press(page, "Pause");
  await press(page, "To the previous moment");
  const { ms } = await page.evaluate(async () => {
    const field = document.querySelector(".kw-number");
    field.value = "1";
    const from = performance.now();
    field.dispatchEvent(new Event("input"));
    field.dispatchEvent(new Event("change"));
    while (!document.querySelector(".kw-caption.is-own.is-shown")?.textContent.includes("1")) await new Promise(requestAnimationFrame);
    return { ms: performance.now() - from };
  });
  assert.ok(ms < 3000, `the first new frame took ${Math.round(ms)} ms`);
});

player("a link brings back the same experiment at the same moment", {}, async (page) => {
  await nextMark(page, 9);
  await scaleTo(page, 6);
  await page.waitForSelector(".kw-caption.is-own.is-shown", { timeout: 60_000 });
  await page.waitForTimeout(1500);
  await press(page, "Pause");
  for (let i = 0; i < 5; i++) await press(page, "Step forward");
  await copyLink(page);
  const url = await page.evaluate(() => location.href);
  assert.match(url, /#demo=replicaset-scale&engine=[0-9a-f]{8}&seed=\d+&inputs=[\d.]+,scale,replicasets,default,web,6&at=[\d.]+&event=\d+$/);
  const want = [await time(page), await sentence(page), await picture(page)];
  const other = await openPage(browser, url, {});
  try {
    await other.waitForSelector(".kw-badge.is-live", { state: "attached" });
    await other.waitForFunction((t) => document.querySelector(".kw-time").textContent === t, want[0], { timeout: 60_000 });
    await other.waitForFunction(() => !document.querySelector(".is-busy"));
    assert.deepEqual([await time(other), await sentence(other), await picture(other)], want);
    assert.deepEqual(other.problems, []);
  } finally {
    await other.context().close();
  }
});

player("a link without inputs only seeks; a broken one says so", {}, async (page) => {
  // By keys alone: for a pointer over the controls the control plane is readied.
  await page.focus(".kw-player");
  for (let i = 0; i < 3; i++) await page.keyboard.press("m");
  await page.keyboard.press("y");
  await page.waitForFunction(() => location.hash !== "");
  const want = [await time(page), await sentence(page)];
  const go = (hash) => page.evaluate((h) => (location.hash = h), hash);
  const hash = await page.evaluate(() => location.hash);
  await page.keyboard.press("m");
  await go(hash.replace("&event", "&x=1&event"));
  await page.waitForFunction((t) => document.querySelector(".kw-time").textContent === t, want[0]);
  assert.equal(await sentence(page), want[1]);
  assert.equal(page.workers().length, 0);
  await go("#demo=replicaset-scale&seed=1&at=never");
  await page.waitForSelector(".kw-status:not([hidden])");
  assert.match(await page.textContent(".kw-status"), /never/);
});

player("without the control plane the recording goes on working", {}, async (page) => {
  await page.route(site.url(demo), async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace(/data-wasm="[^"]*"/, 'data-wasm="/nothing.wasm"') });
  });
  await page.reload();
  await page.waitForSelector(".kw-player .kw-scene");
  await nextMark(page, 9);
  await scaleTo(page, 9);
  await page.waitForFunction(() => /could not be started here/.test(document.querySelector(".kw-status").textContent), null, { timeout: 60_000 });
  assert.equal(await page.textContent(".kw-badge"), "Recording");
  const before = await time(page);
  await press(page, "To the next moment");
  assert.notEqual(await time(page), before);
  page.problems = page.problems.filter((p) => !/nothing\.wasm|404|ERR_ABORTED/.test(p)); // what the reload broke off, too;
});

player("what can be done follows the moment: a node that lost power can only boot", {}, async (page) => {
  await nextMark(page, 9);
  await page.click('.kw-faults summary:text-is("Nodes")');
  const button = (text) => page.locator(`.kw-targets button[aria-label="${text}: node-1"]`);
  assert.equal(await button("Boot").isVisible(), false);
  await button("Cut the power").click();
  await page.waitForSelector('.kw-stage [data-id="node/node-1"].state-down', { timeout: 60_000, state: "attached" });
  assert.equal(await button("Cut the power").isVisible(), false);
  await button("Boot").click();
  await page.waitForSelector('.kw-stage [data-id="node/node-1"]:not(.state-down)', { timeout: 60_000, state: "attached" });
});

player("two demos of a page share one worker, and each keeps its run", {}, async (page) => {
  await page.evaluate(() => document.querySelector("main").append(document.querySelector("kubewalk-demo").cloneNode()));
  const [one, two] = [page.locator("kubewalk-demo").nth(0), page.locator("kubewalk-demo").nth(1)];
  await two.locator(".kw-scene").first().waitFor();
  for (const [at, n] of [[one, 5], [two, 7], [one, 4]]) {
    await at.locator(".kw-number").fill(String(n));
    await at.locator(".kw-number").press("Enter");
    await at.locator(".kw-caption.is-own.is-shown", { hasText: String(n) }).waitFor({ timeout: 60_000 });
    await at.locator(".kw-play.is-playing").click();
  }
  assert.equal(await two.locator(".kw-number").inputValue(), "7");
  assert.equal(page.workers().length, 1);
});

// What a player says once the reader has done something or chosen something, in a real browser on the built site: what they did, at
// once; why, from there; that nothing happens any more; and of what was chosen both what it is like and what can be done to it.

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

/** Opens a demo beside its text at its ninth moment, runs the test, and demands that nothing went wrong in the page. */
function atNine(name, { path = "/en/start/tour/", width = 1440, height = 780, ...options }, run) {
  test(`${name}: ${width} × ${height}`, async () => {
    const page = await openPage(browser, site.url(path), { width, height, ...options });
    page.setDefaultTimeout(slow.timeout);
    try {
      await page.waitForSelector(".walk .kw-player .kw-scene");
      await page.waitForFunction(() => document.querySelector(".kw-scrubber").style.getPropertyValue("--there") === "1");
      await page.focus(".kw-play");
      await page.keyboard.press("Home");
      for (let i = 0; i < 9; i++) await page.keyboard.press("m");
      await run(page);
      assert.deepEqual(page.problems, [], "the page complained");
    } finally {
      await page.context().close();
    }
  });
}

/** Does something, and returns as soon as it is being done. */
const scale = async (page, replicas) => {
  await page.fill(".kw-number", String(replicas));
  await page.press(".kw-number", "Enter");
  await page.waitForSelector(".is-busy, .kw-caption.is-own.is-shown");
};
/** Clicks what is about something, where its name stands. */
const choose = (page, about) => page.$eval(`.kw-stage [data-about="${about}"]`, (e) => {
  const { x, y } = e.getBoundingClientRect();
  e.dispatchEvent(new MouseEvent("click", { bubbles: true, clientX: x + 20, clientY: y + 10 }));
});
const did = "kubectl scales web to 5 replicas.";

const sizes = [{ motion: "no-preference" }, { width: 360, height: 740, theme: "dark" }];
for (const options of sizes) {
  atNine("what the reader does is said at once, and never nothing", options, async (page) => {
    await page.evaluate(() => {
      window.said = [];
      const look = () => {
        const said = document.querySelector(".kw-caption.is-shown > span")?.textContent ?? "";
        if (window.said.at(-1) !== said) window.said.push(said);
        requestAnimationFrame(look);
      };
      look();
    });
    const [before] = await page.evaluate(() => window.said);
    assert.match(before, /^The third container starts/);
    await scale(page, 5);
    await page.waitForSelector(".kw-caption.is-own.is-shown");
    assert.deepEqual(await page.evaluate(() => window.said), [before, did]);
  });

  atNine("why, right after something was done, begins at that, and shows what came of it", options, async (page) => {
    await choose(page, "replicasets default/web");
    await page.waitForSelector(".kw-inspector.is-open .kw-object");
    await scale(page, 5);
    await page.click(".kw-ask");
    await page.waitForFunction((text) => document.querySelector(".kw-inspector-sentence")?.textContent === text, did);
    // What has not happened yet comes to the list when it does.
    await page.click(".kw-play");
    const led = () => page.$$eval(".kw-inspector .is-open .kw-story span", (all) => all.map((e) => e.textContent));
    await page.waitForFunction(() => document.querySelectorAll(".kw-inspector .is-open .kw-story li").length >= 8);
    const all = (await led()).join("\n");
    assert.match(all, /^ReplicaSet default\/web/);
    assert.match(all, /Pod default\/web-\w+ is now stored/);
    assert.match(all, /scheduler assumes/);
  });
}

atNine("who has chosen something since they did something means what they chose", {}, async (page) => {
  await scale(page, 5);
  await page.waitForFunction(() => [...document.querySelectorAll(".kw-stage .role-pod")].length >= 5);
  await page.click(".kw-play");
  await choose(page, "nodes node-1");
  await page.waitForSelector(".kw-inspector.is-open .kw-object");
  await page.click(".kw-ask");
  await page.waitForSelector(".kw-inspector-sentence");
  const facts = await page.$$eval(".kw-inspector .is-open .kw-facts dd", (all) => all.map((e) => e.textContent));
  assert.ok(facts.includes("nodes node-1"), facts.join("; "));
});

atNine("a part of the picture that is chosen after Why? shows its log", {}, async (page) => {
  await scale(page, 5);
  await page.click(".kw-ask");
  await page.waitForSelector(".kw-inspector.is-open .kw-inspector-sentence");
  await choose(page, "replicaset-controller");
  await page.waitForFunction(() => !document.querySelector(".kw-inspector.is-open"));
  assert.ok(await page.isVisible(".kw-log"));
});

const silences = [["en", /^(Nothing happens now but|\d+ s with only) heartbeats and routine work/],
  ["ja", /^(いまは、ハートビートと定期的な処理のほかには|ハートビートと定期的な処理だけの \d+ 秒間を)/]];
for (const [lang, silence] of silences) {
  atNine(`what happened last is not told for ever: ${lang}`, { path: `/${lang}/start/tour/`, motion: "no-preference" }, async (page) => {
    const line = () => page.textContent(".kw-statusline-line > span");
    await scale(page, 5);
    await page.waitForSelector(".kw-status:not([hidden]) > .kw-button", { timeout: 120_000 }); // it rests
    assert.match(await line(), silence);
    assert.ok(!(await page.isVisible(".kw-statusline-who")));
    await page.click(".kw-status > .kw-button");
    const before = await page.evaluate(() => { // what was told before the silence does not come back after it
      window.told = [];
      new MutationObserver(() => window.told.push(document.querySelector(".kw-statusline-line > span").textContent))
        .observe(document.querySelector(".kw-statusline-line"), { subtree: true, childList: true, characterData: true });
      return document.querySelector(".kw-time").textContent;
    });
    await page.waitForFunction((from) => parseFloat(document.querySelector(".kw-time").textContent) > parseFloat(from) + 285, before);
    await page.waitForTimeout(2500); // for so long that the silence is told
    await page.click(".kw-play");
    const told = await page.evaluate(() => window.told);
    assert.ok(told.length > 0 && !/Ready|assumes/.test(told.join()), told.join("; "));
  });
}

for (const options of [{}, { width: 1024, height: 700 }, { width: 360, height: 740, theme: "dark" }]) {
  atNine("of a node that was chosen the actions are in sight, and what it is like", options, async (page) => {
    await choose(page, "nodes node-1");
    await page.waitForSelector(".kw-chosen:not([hidden]) .kw-break-cordon");
    await page.waitForSelector(".kw-inspector.is-open .kw-object");
    const seen = () => page.evaluate(() => {
      const [panel, act, yaml] = [".kw-sidepanel", ".kw-chosen .kw-break-act", ".kw-inspector .kw-object"]
        .map((part) => document.querySelector(part).getBoundingClientRect());
      const end = Math.min(panel.bottom, innerHeight);
      return { act: act.top >= panel.top && act.bottom <= end, lines: Math.floor((end - yaml.top) / 20), reaches: yaml.bottom <= end + 1 };
    });
    const first = await seen();
    assert.ok(first.act, "the actions are not in sight");
    assert.equal(await page.$eval(".kw-inspector .kw-object", (yaml) => yaml.scrollTop), 0, "it is not read from its beginning");
    if (options.width !== 360) assert.ok(first.lines >= (options.width ? 1 : 2), `${first.lines} lines of it are in sight`);
    await page.$eval(".kw-inspector .kw-object", (yaml) => yaml.scrollIntoView({ block: "end" }));
    assert.ok((await seen()).reaches, "its end cannot be scrolled to");
    assert.match(await page.textContent(".kw-inspector .kw-object"), /kind: Node/);
  });
}

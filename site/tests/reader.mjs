// What tests of pages with a player have in common: one site and one browser for all of a file, and what a reader does there.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage, openSite } from "./harness.mjs";

/** How long something may take that the control plane has to be loaded for, on a busy machine. */
export const slow = { timeout: 90_000 };

export let site;
export let browser;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/**
 * A test in a page of the site, which is given the page when its player is there, and demands that nothing went wrong in it.
 * What the page has asked for since is page.requests. before runs in the page ahead of its own scripts. Other options are openPage's.
 */
export function inPage(name, { path, ready = ".kw-player .kw-scene", before, ...options }, run) {
  test(name, async () => {
    const page = await openPage(browser, before ? "about:blank" : site.url(path), options);
    page.requests = [];
    page.on("request", (request) => page.requests.push(request.url()));
    try {
      if (before) {
        await page.addInitScript(before);
        await page.goto(site.url(path), { waitUntil: "load" });
      }
      await page.waitForSelector(ready, slow);
      await run(page);
      assert.deepEqual(page.problems, [], "the page complained");
    } finally {
      await page.context().close();
    }
  });
}

export const time = (page) => page.textContent(".kw-time");
/** The rest of the recording is there: else a step beyond its first part waits for it. */
export const whole = (page) => page.waitForFunction(() => document.querySelector(".kw-scrubber").style.getPropertyValue("--there") === "1", null, slow);
export const press = (page, label) => page.click(`.kw-controls button[aria-label="${label}"]`);
export const statusText = (page) => page.evaluate(() => document.querySelector(".kw-status:not([hidden])")?.textContent ?? "");

/** Goes to the next moment, so many times: with the keyboard, since a button may be below something that is open. */
export async function nextMark(page, times) {
  await whole(page);
  await page.focus(".kw-play");
  for (let i = 0; i < times; i++) await page.keyboard.press("m");
}

export async function scaleTo(page, replicas) {
  await page.fill(".kw-number", String(replicas));
  await page.press(".kw-number", "Enter");
}

/** Does something in the cluster, and stands still right after it. */
export async function scaleAndStand(page, replicas) {
  await scaleTo(page, replicas);
  await page.waitForFunction((n) => document.querySelector(".kw-caption.is-own.is-shown")?.textContent.includes(n), String(replicas), slow);
  await page.click(".kw-play.is-playing");
}

/** Scrolls a text with a demo beside it until an element's middle is at the reading line. */
export const read = (page, selector) => page.$eval(selector, (element) => {
  const player = document.querySelector(".kw-player").getBoundingClientRect();
  const isAbove = player.width > innerWidth * 0.8;
  const from = isAbove ? player.height : 0;
  const dock = isAbove ? document.querySelector(".kw-dock").offsetHeight : 0;
  const line = from + (innerHeight - dock - from) * 0.4;
  scrollBy({ top: element.getBoundingClientRect().top - line, behavior: "instant" });
});

/** A caption with a number is shown. */
export const numbered = (page, n) =>
  page.waitForFunction((wanted) => document.querySelector(".kw-caption.is-shown > b")?.textContent === wanted, String(n), slow);

/** Themes, widths and pages for one test each: every two of them are together in one, so that four do for eight. */
export const looks = (english, japanese) =>
  [["light", 1280, english], ["dark", 360, english], ["light", 360, japanese], ["dark", 1280, japanese]];

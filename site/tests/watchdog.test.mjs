// A control plane that stops answering, or dies: the page ends it, keeps what was recorded, and goes on with a new one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openBrowser, openPage, openSite, turnTo } from "./harness.mjs";

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

/** What goes before the worker's own code, so that it hears every call first. */
const spoil = (when, what) => `addEventListener("message", ({ data }) => { if (${when} && data.text?.includes("spoil-it")) { ${what} } });\n`;
const spins = spoil('data.call !== "parse"', "for (;;);"); // when the line runs
const dies = spoil('data.call === "parse"', "setTimeout(() => { throw 0 }); globalThis.kubewalk = new Proxy({}, { get: () => () => { throw new WebAssembly.RuntimeError('unreachable'); } });");

async function spoiled(code, run) {
  const page = await openPage(browser, "about:blank", { motion: "reduce" });
  try {
    await page.route(/worker.*\.js/, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, body: code + (await answer.text()) });
    });
    await page.goto(site.url("/embed/command-line/"));
    await page.waitForSelector(".kw-player .kw-scene");
    await turnTo(page, "act");
    await page.focus(".kw-play");
    await page.keyboard.press("End");
    await run(page);
  } finally {
    await page.context().close();
  }
}

const type = async (page, line) => {
  await page.fill(".kw-command", line);
  await page.press(".kw-command", "Enter");
};
const says = (page, pattern, timeout = 150_000) =>
  page.waitForFunction((p) => new RegExp(p).test(document.querySelector(".kw-player")?.textContent ?? ""), pattern, { timeout }).catch(async (error) => {
    throw new Error(`${error.message}: the player says ${await page.textContent(".kw-player")}`);
  });

for (const [name, code] of [["spins", spins], ["dies", dies]]) {
  test(`a worker that ${name} is replaced, and the reader goes on`, { timeout: 240_000 }, async () => {
    await spoiled(code, async (page) => {
      await type(page, "kubectl get pods");
      await page.waitForFunction(() => /1\/1 +Running/.test(document.querySelector(".kw-last")?.textContent ?? ""), null, { timeout: 60_000 });
      const frames = await page.textContent(".kw-last");
      await type(page, "kubectl get pods -l app=spoil-it");
      await says(page, "The control plane stopped answering, so it was shut down");
      assert.equal(await page.textContent(".kw-last").then((text) => text.includes(frames.trim().split("\n")[0])), true, "what there was is gone");
      await page.locator("button", { hasText: "Go back to before the last action" }).click();
      const before = () => /1\/1 +Running/.test(document.querySelector(".kw-last")?.textContent ?? "");
      await page.waitForFunction(before, null, { timeout: 20_000 });
      await type(page, "kubectl get nodes");
      await page.waitForFunction(() => /node-1 +Ready/.test(document.querySelector(".kw-last")?.textContent ?? ""), null, { timeout: 60_000 });
      for (let i = 0; i < 50 && page.workers().length > 1; i++) await page.waitForTimeout(200); // the browser reports the end a little later
      assert.equal(page.workers().length, 1);
    });
  });
}

for (const when of ["idle", "at work"]) {
  test(`a worker that dies without a word is missed at once: ${when}`, { timeout: 240_000 }, async () => {
    const page = await openPage(browser, "about:blank", { motion: "reduce" });
    try {
      await page.addInitScript(() => {
        const Real = window.Worker;
        window.workers = [];
        window.Worker = class extends Real { constructor(...given) { super(...given); window.workers.push(this); } };
      });
      await page.goto(site.url("/embed/command-line/"));
      await page.waitForSelector(".kw-player .kw-scene");
      await turnTo(page, "act");
      await page.focus(".kw-play");
      await page.keyboard.press("End");
      await type(page, "kubectl get pods");
      await page.waitForFunction(() => /1\/1 +Running/.test(document.querySelector(".kw-last")?.textContent ?? ""), null, { timeout: 60_000 });
      if (when === "at work") await type(page, "kubectl get pods -A");
      await page.evaluate(() => window.workers.at(-1).terminate());
      if (when === "at work") await says(page, "The control plane stopped answering, so it was shut down", 10_000);
      const back = page.locator("button", { hasText: "Go back to before the last action" });
      if (when === "at work") await back.click(); // nothing was lost otherwise
      await type(page, "kubectl get nodes");
      await page.waitForFunction(() => /node-1 +Ready/.test(document.querySelector(".kw-last")?.textContent ?? ""), null, { timeout: 60_000 });
    } finally {
      await page.context().close();
    }
  });
}

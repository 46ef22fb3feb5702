// Trusted Types: the policy that the site is served with is in force on each kind of page, nothing of ours offends it, and
// what is not ours is refused.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { generator, openBrowser, openPage, openSite, root, turnTo } from "./harness.mjs";

const slow = { timeout: 60_000 };

let site;
let browser;
let folder;
before(async () => {
  site = await openSite({ pages: {
    "/sandbox/": `<!doctype html><title>Sandbox</title><link rel="icon" href="data:,">
<iframe sandbox="allow-scripts" src="/embed/replicaset-scale/" width="960" height="640"></iframe>`,
  } });
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), "kubewalk-trusted-"));
});
after(async () => {
  await browser?.close();
  await site?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** The policy is in force: no text becomes HTML, and there is no policy but ours. */
const enforced = (frame) => frame.evaluate(() => {
  const refused = (act) => {
    try {
      act();
      return false;
    } catch (error) {
      return error instanceof TypeError;
    }
  };
  const silent = (event) => event.stopImmediatePropagation(); // for what is refused here on purpose
  addEventListener("securitypolicyviolation", silent, true);
  const out = [
    refused(() => (document.createElement("p").innerHTML = "<img src=x onerror=alert(1)>")),
    refused(() => globalThis.trustedTypes.createPolicy("mine", {})),
  ];
  return new Promise((done) => setTimeout(() => (removeEventListener("securitypolicyviolation", silent, true), done(out))));
});

/** Opens a page, does something there, and demands that no policy was offended before it is tried. */
function kind(name, path, act, { options = {}, frameOf = (page) => page.mainFrame() } = {}) {
  test(`${name} keeps to Trusted Types`, async () => {
    const url = await (typeof path === "function" ? path() : site.url(path));
    const page = await openPage(browser, url, { motion: "no-preference", ...options });
    try {
      await act(page);
      assert.deepEqual(page.problems, []);
      assert.deepEqual(await enforced(frameOf(page)), [true, true], "the policy is not in force");
    } finally {
      await page.context().close();
    }
  });
}

/** Moves the demo's slider, and waits for the reader's own run. */
async function takeOver(frame) {
  const slider = frame.locator(".kw-dock input[type=range]:not(.kw-scrubber)").first();
  await slider.focus();
  await slider.press("ArrowRight");
  await frame.waitForSelector(".kw-reset:not([hidden])", slow);
}

kind("the home page, which keeps visited pages,", "/en/", async (page) => {
  await page.evaluate(() => navigator.serviceWorker.ready);
}, { options: { context: { serviceWorkers: "allow" } } });

kind("a chapter with a demo that is taken over", "/en/start/tour/", async (page) => {
  await page.mouse.move(9, 9); // what comes with the reader's first move
  await page.locator("kubewalk-demo").first().scrollIntoViewIfNeeded();
  await page.waitForSelector(".kw-player .kw-scene", slow);
  await takeOver(page);
});

kind("the source behind an event", "/embed/replicaset-scale/", async (page) => {
  await page.waitForSelector(".kw-player .kw-scene");
  await page.focus(".kw-play");
  await page.keyboard.press("End");
  await page.keyboard.press("w");
  await page.waitForSelector(".kw-inspector-sentence");
  await page.waitForSelector(".kw-source .hl-keyword");
});

kind("the search", "/en/start/what-is-real/", async (page) => {
  await page.keyboard.press("/");
  await page.locator("dialog.search[open]").waitFor();
  await page.keyboard.type("work queue");
  await page.waitForFunction(() => /^\d+ results?$/.test(document.querySelector(".search-status")?.textContent ?? ""), null, slow);
});

kind("a demo in a sandbox", "/sandbox/", async (page) => {
  await page.waitForFunction(() => frames.length === 1);
  const [, frame] = page.frames();
  await frame.waitForSelector(".kw-play.is-playing", slow);
  await takeOver(frame);
}, { frameOf: (page) => page.frames()[1] });

kind("a comparison", "/embed/replicaset-scale/", async (page) => {
  await page.waitForSelector(".kw-player .kw-scene");
  await page.focus(".kw-player");
  await takeOver(page);
  await page.click(".kw-compare-button", slow);
  await page.waitForFunction(() => document.querySelectorAll("svg.kw-scene.kw-live").length === 2, null, slow);
});

kind("a terminal", "/embed/command-line/", async (page) => {
  await page.waitForSelector(".kw-player .kw-scene");
  await turnTo(page, "act");
  await page.fill(".kw-command", "kubectl get nodes");
  await page.press(".kw-command", "Enter");
  await page.waitForFunction(() => /node-1/.test(document.querySelector(".kw-last").textContent), null, slow);
});

kind("a talk with its list of keys", "/en/talks/controller-from-zero/", async (page) => {
  await page.waitForFunction(() => globalThis.Reveal?.isReady());
  await page.evaluate(() => globalThis.Reveal.toggleHelp(true));
  await page.waitForSelector(".r-overlay-help table");
}, { options: { width: 1280, height: 720 } });

kind("a demo as one file", () => {
  const made = spawnSync(generator(), ["export", "demo", "replicaset-scale", "--single-file", "--language", "en", "--out", folder],
    { cwd: root, encoding: "utf8" });
  assert.equal(made.status, 0, made.stderr);
  return pathToFileURL(join(folder, "replicaset-scale-en.html")).href;
}, async (page) => {
  await page.waitForSelector(".kw-play.is-playing", slow);
  await takeOver(page);
});

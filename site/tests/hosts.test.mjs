// A demo where people put it: in a sandbox, in a page that isolates itself, and in a deck that is a file. In each it
// plays, and runs what its reader asks for.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { openBrowser, openPage, openSite } from "./harness.mjs";

const demo = "/embed/replicaset-scale/";

/** A page with a frame. The demo is on another origin. */
const host = (src, attributes = "") => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title>
<link rel="icon" href="data:,"></head><body><iframe title="Demo" ${attributes} src="${src}" width="960" height="640"></iframe></body></html>`;

let site;
let other; // another server with the same files, so another origin
let browser;
let folder;
before(async () => {
  site = await openSite();
  other = await openSite({
    pages: {
      "/sandbox/": host(site.url(demo), 'sandbox="allow-scripts"'),
      "/isolated/": { headers: { "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Opener-Policy": "same-origin" }, body: host(site.url(demo)) },
      "/strict/": { headers: { "Content-Security-Policy": `default-src 'none'; frame-src ${site.origin}; img-src data:` }, body: host(site.url(demo)) },
    },
  });
  folder = await mkdtemp(join(tmpdir(), "kubewalk-deck-"));
  await writeFile(join(folder, "deck.html"), host(site.url(demo)));
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await other?.close();
  await rm(folder, { recursive: true, force: true });
});

for (const [name, address] of [
  ["in a sandbox without an origin", () => other.url("/sandbox/")],
  ["in a page that isolates itself", () => other.url("/isolated/")],
  ["in a page with a strict policy", () => other.url("/strict/")],
  ["in a page that is a file", () => pathToFileURL(join(folder, "deck.html")).href],
]) {
  test(`a demo plays and answers ${name}`, async () => {
    const page = await openPage(browser, address(), { width: 1000, height: 700, motion: "no-preference" });
    await page.waitForFunction(() => frames.length === 1);
    const frame = page.frames()[1];
    await frame.waitForSelector(".kw-play.is-playing");
    const slider = frame.locator(".kw-front input[type=range]").first();
    await slider.focus();
    await slider.press("ArrowRight");
    await frame.waitForSelector(".kw-reset:not([hidden])", { timeout: 60_000 });
    assert.deepEqual(page.problems.filter((problem) => !problem.startsWith(`request leaves the site: ${site.origin}/`)), []);
    await page.context().close();
  });
}

// An author at work: saves, mistakes and mends, seen in an open page.

import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openDevelopment, openPage, root, writeSettings } from "./harness.mjs";

const chapter = (language, title) => `---
title: ${title}
description: A chapter of a test in ${language}.
order: 1
---

## Before {#before}

The first sentence.

\`\`\`demo
replicaset-scale
\`\`\`
`;

let content, site, browser;
before(async () => {
  // A book of its own: the real site.yaml and home pages, one demo, one chapter.
  content = await mkdtemp(join(tmpdir(), "kubewalk-content-"));
  await writeSettings(content);
  await mkdir(join(content, "demos"));
  await cp(join(root, "content/demos/replicaset-scale.yaml"), join(content, "demos/replicaset-scale.yaml"));
  for (const language of ["en", "ja"]) {
    await mkdir(join(content, language, "start"), { recursive: true });
    await writeFile(join(content, language, "index.md"), chapter(language, "Home"));
    await writeFile(join(content, language, "start/first.md"), chapter(language, "First"));
  }
  site = await openDevelopment(content);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await rm(content, { recursive: true, force: true });
});

test("a save is shown; a mistake is shown over the last good page", async () => {
  const file = join(content, "en/start/first.md");
  const good = await readFile(file, "utf8");
  const page = await openPage(browser, site.url("/en/start/first/"));

  await writeFile(file, good.replace("The first sentence.", "The second sentence."));
  await page.getByText("The second sentence.").waitFor({ timeout: 20_000 });

  await writeFile(file, good.replace("replicaset-scale", "replicaset-scael"));
  const overlay = page.locator("#dev-overlay");
  await overlay.waitFor({ timeout: 20_000 });
  const told = await overlay.innerText();
  assert.match(told, /first\.md:12:1/);
  assert.match(told, /unknown demo "replicaset-scael"/);
  assert.match(told, /did you mean "replicaset-scale"\?/);
  const served = await fetch(site.url("/en/start/first/")).then((r) => r.text());
  assert.match(served, /The second sentence/);

  await writeFile(file, good);
  await overlay.waitFor({ state: "detached", timeout: 20_000 });
  await page.getByText("The first sentence.").waitFor({ timeout: 20_000 });
  // A reload ends the stream of the page that was there before.
  const problems = page.problems.filter((p) => !(p.includes("/_dev/events") && p.endsWith("ERR_ABORTED")));
  assert.deepEqual(problems, [], "the policy of production holds in development too");
  await page.context().close();
});

test("a save changes the page in place: what the reader did to it stays", async () => {
  const file = join(content, "en/start/first.md");
  const good = await readFile(file, "utf8");
  const long = Array.from({ length: 40 }, (_, i) => `Paragraph ${i} is here so that there is something to scroll.\n`).join("\n");
  const text = `${good}\n${long}`;
  await writeFile(file, text);
  const page = await openPage(browser, site.url("/en/start/first/"), { height: 700 });
  await page.getByText("Paragraph 39 is here").waitFor({ timeout: 20_000 });

  // The reader starts the demo, goes somewhere in it, and reads on below.
  await page.locator("kubewalk-demo").scrollIntoViewIfNeeded();
  await page.waitForSelector("kubewalk-demo .kw-player .kw-scrubber", { timeout: 60_000 });
  const slider = page.locator(".kw-scrubber");
  await slider.focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  const before = await page.evaluate(() => {
    document.querySelector("kubewalk-demo").mine = true;
    document.querySelector(".kw-player").mine = true;
    document.querySelector("details").open = true;
    globalThis.notReloaded = true;
    return document.querySelector(".kw-scrubber").value;
  });
  await page.getByText("Paragraph 20 is here").scrollIntoViewIfNeeded();
  const read = () => page.evaluate(() =>
    [...document.querySelectorAll("main p")].find((p) => p.textContent.startsWith("Paragraph 20 ")).getBoundingClientRect().top);
  const y = await read();

  const save = async (from, to, shown = to) => {
    await writeFile(file, text.replace(from, to));
    await page.getByText(shown.split("\n")[0], { exact: false }).first().waitFor({ state: "attached", timeout: 20_000 });
  };
  await save("The first sentence.", "The changed sentence.");
  await save("The first sentence.", "A paragraph more.\n\n- with\n- a list\n\nThe first sentence.");
  await save("Paragraph 21 is here", "Paragraph twenty-one is here");
  await save("title: First", "title: Foremost", "Foremost");
  const after = await page.evaluate(() => ({
    notReloaded: globalThis.notReloaded,
    demo: document.querySelector("kubewalk-demo").mine && document.querySelector(".kw-player").mine,
    value: document.querySelector(".kw-scrubber").value,
    open: document.querySelector("details").open,
    focus: document.activeElement.className,
    title: document.title,
    sidebar: document.querySelector("#contents [aria-current]").textContent,
  }));
  assert.equal(after.notReloaded, true, "the page was not loaded again");
  assert.ok(after.demo, "the demo's player is the same");
  assert.equal(after.value, before, "and stands where it stood");
  assert.equal(after.open, true, "what was opened is open");
  assert.match(after.focus, /kw-scrubber/);
  assert.match(after.title, /^Foremost/);
  assert.equal(after.sidebar, "Foremost");
  const now = await read();
  assert.ok(Math.abs(now - y) < 2, `what is read stays where it is: from ${y} to ${now}`);

  // The page is what a reader who comes now gets, but for what scripts did.
  const html = await page.evaluate(async () => {
    const sent = await new Promise((done) => {
      const request = Object.assign(new XMLHttpRequest(), { onload: () => done(request.response) });
      request.open("GET", location.pathname);
      request.responseType = "document";
      request.send();
    });
    const words = (d) => [...d.querySelectorAll("main > p, main > ul, main > h2")].map((e) => e.textContent.replace(/\s+/g, " "));
    return [words(sent), words(document)];
  });
  assert.deepEqual(html[1].filter(Boolean), html[0].filter(Boolean));

  // A mistake keeps the page below the overlay, with all its state; the cure removes the overlay.
  await writeFile(file, text.replace("replicaset-scale", "replicaset-scael"));
  await page.locator("#dev-overlay").waitFor({ timeout: 20_000 });
  await writeFile(file, text);
  await page.locator("#dev-overlay").waitFor({ state: "detached", timeout: 20_000 });
  assert.equal(await page.evaluate(() => globalThis.notReloaded && document.querySelector(".kw-player").mine), true);

  await writeFile(file, good);
  await page.getByText("Paragraph 39 is here").waitFor({ state: "detached", timeout: 20_000 });
  const problems = page.problems.filter((p) => !(p.includes("/_dev/events") && p.endsWith("ERR_ABORTED")));
  assert.deepEqual(problems, []);
  await page.context().close();
});

test("an exercise that comes while its page is open has its buttons, and one state, however often its demo is saved", async () => {
  const file = join(content, "en/start/first.md");
  const good = await readFile(file, "utf8");
  const yaml = join(content, "demos/replicaset-scale.yaml");
  const demo = await readFile(yaml, "utf8");
  const page = await openPage(browser, site.url("/en/start/first/"), { height: 700 });
  await page.locator("kubewalk-demo").scrollIntoViewIfNeeded();
  await page.waitForSelector("kubewalk-demo .kw-player .kw-scrubber", { timeout: 60_000 });
  assert.equal(await page.locator(".exercise").count(), 0);

  await writeFile(file, `${good}\n\`\`\`exercise\nreplicaset-scale/five\n\`\`\`\n`);
  await page.locator(".exercise").waitFor({ timeout: 20_000 });
  await page.locator("kubewalk-demo").scrollIntoViewIfNeeded();
  await page.locator(".exercise .kw-exercise-start:visible").waitFor({ timeout: 60_000 });

  for (const n of [1, 2]) {
    await writeFile(yaml, demo.replace("The API server has validated the ReplicaSet and stored it.", `Saved for the ${n}. time.`));
    await page.locator("kubewalk-demo").getByText(`Saved for the ${n}. time.`).first().waitFor({ state: "attached", timeout: 60_000 });
    await page.locator("kubewalk-demo").scrollIntoViewIfNeeded();
    await page.waitForSelector("kubewalk-demo .kw-player .kw-scrubber", { timeout: 60_000 });
    await page.waitForFunction(() => document.querySelector("kubewalk-demo .kw-exercise-hint, .exercise .kw-exercise-hint"));
    assert.deepEqual(await page.locator(".exercise-kind .exercise-state").allTextContents(), ["Not started"], `after save ${n}`);
    assert.equal(await page.locator(".exercise > .kw-exercise").count(), 1);
  }
  await writeFile(yaml, demo);
  await writeFile(file, good);
  await page.locator(".exercise").waitFor({ state: "detached", timeout: 20_000 });
  await page.context().close();
});

test("a page sends the headers that are written for production", async () => {
  const policy = async (path) => (await fetch(site.url(path))).headers.get("content-security-policy");
  assert.match(await policy("/en/"), /frame-ancestors 'none'$/);
  assert.match(await policy("/embed/replicaset-scale/"), /^(?!.*frame-ancestors)/);
  assert.doesNotMatch(await policy("/en/"), /unsafe-inline/);
});

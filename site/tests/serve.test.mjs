// An author at work: saves, mistakes and mends, seen in an open page.

import assert from "node:assert/strict";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openDevelopment, openPage, root } from "./harness.mjs";

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
  await cp(join(root, "content/site.yaml"), join(content, "site.yaml"));
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

test("a save reloads the page; a mistake is shown over the last good one", async () => {
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

test("a page sends the headers that are written for production", async () => {
  const policy = async (path) => (await fetch(site.url(path))).headers.get("content-security-policy");
  assert.match(await policy("/en/"), /frame-ancestors 'none'$/);
  assert.match(await policy("/embed/replicaset-scale/"), /frame-ancestors \*$/);
  assert.doesNotMatch(await policy("/en/"), /unsafe-inline/);
});

// An author at work: saves, mistakes and mends, seen in an open page.

import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openDevelopment, openPage, root } from "./harness.mjs";

let content, site, browser;
before(async () => {
  content = await mkdtemp(join(tmpdir(), "kubewalk-content-"));
  await cp(join(root, "content"), content, { recursive: true });
  site = await openDevelopment(content);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await rm(content, { recursive: true, force: true });
});

test("a save reloads the page; a mistake is shown over the last good one", async () => {
  const file = join(content, "en/start/what-is-real.md");
  const good = await readFile(file, "utf8");
  const page = await openPage(browser, site.url("/en/start/what-is-real/"));
  await page.waitForLoadState("networkidle").catch(() => {});

  await writeFile(file, good.replace("The control plane on these pages", "The little control plane on these pages"));
  await page.getByText("The little control plane on these pages").waitFor({ timeout: 20_000 });

  await writeFile(file, good.replace("```demo\nreplicaset-scale", "```demo\nreplicaset-scael"));
  const overlay = page.locator("#dev-overlay");
  await overlay.waitFor({ timeout: 20_000 });
  const told = await overlay.innerText();
  assert.match(told, /what-is-real\.md:\d+:1/);
  assert.match(told, /unknown demo "replicaset-scael"/);
  assert.match(told, /did you mean "replicaset-scale"\?/);
  const served = await fetch(site.url("/en/start/what-is-real/")).then((r) => r.text());
  assert.match(served, /The little control plane/);

  await writeFile(file, good);
  await overlay.waitFor({ state: "detached", timeout: 20_000 });
  await page.getByText("The control plane on these pages", { exact: false }).first().waitFor({ timeout: 20_000 });
  assert.deepEqual(page.problems, [], "the policy of production holds in development too");
  await page.context().close();
});

test("a page sends the headers that are written for production", async () => {
  const policy = async (path) => (await fetch(site.url(path))).headers.get("content-security-policy");
  assert.match(await policy("/en/"), /frame-ancestors 'none'$/);
  assert.match(await policy("/embed/replicaset-scale/"), /frame-ancestors \*$/);
  assert.doesNotMatch(await policy("/en/"), /unsafe-inline/);
});

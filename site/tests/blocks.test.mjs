// Tabs, details and terms, in a small book that has them all: with script, without
// it, on paper, and with nothing that axe finds.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { noBarriers } from "./barriers.mjs";
import { generator, openBrowser, openPage, openSite, root } from "./harness.mjs";


const chapter = `---
title: Blocks
description: Every form.
---

Press [[Ctrl+C]]. A [work queue](term:work-queue) and [a *kubelet*](term:kubelet). See [Linux](#linux), [inside](#inside).[^a]

> [!TIP] With a title
> Text.

> [!CAUTION]- Folded
> Text.

:::tabs{sync=os}
### macOS
Use brew.
### Linux {#linux}
Use apt.
### Windows
Use winget.
:::

:::tabs{sync=os}
### Linux
Tar.
### macOS
Zip.
:::

:::tabs
### One
1
### Two
2
:::

## In order

:::steps
### Write {#write}
Text.
### Apply
Text.
:::

:::details[More]
### Inside {#inside}
Text.
:::

:::cards
- [Here](#linux)
  Text, with [a second link](#write).
:::

:::figure[A table]
| a | b |
| - | - |
| 1 | 2 |
:::

Work queue
: Keys that wait.

- [x] Done
- [ ] Open

[^a]: Note.
`;

const book = {
  "site.yaml": "title: Blocks\ndescription: d\nlanguages: [{code: en, name: English}, {code: ja, name: 日本語}]\nparts: [{name: start, title: Start}]\n",
  "glossary.yaml": `terms:
  work-queue: {term: {en: work queue, ja: ワークキュー}, definition: {en: "Keys that \`wait\`.", ja: 待つキー。}, chapter: start/blocks.md#write, see: [kubelet]}
  kubelet: {term: kubelet, definition: {en: It runs Pods., ja: Pod を動かす。}}
`,
};
for (const language of ["en", "ja"]) {
  book[`${language}/index.md`] = "---\ntitle: Blocks\ndescription: d\n---\n\nText.\n";
  book[`${language}/start/blocks.md`] = chapter;
}

let folder, site, browser;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubewalk-blocks-"));
  for (const [name, text] of Object.entries(book)) {
    await mkdir(dirname(join(folder, "content", name)), { recursive: true });
    await writeFile(join(folder, "content", name), text);
  }
  await promisify(execFile)(generator(), ["build", "--content", join(folder, "content"), "--out", join(folder, "site")], { cwd: root });
  site = await openSite({ dir: join(folder, "site") });
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Opens a page, and finds at the end that nothing went wrong in it. */
function page(name, { path = "/en/start/blocks/", ...options }, check) {
  test(name, { timeout: 60_000 }, async () => {
    const page = await openPage(browser, site.url(path), options);
    try {
      await check(page);
      assert.deepEqual(page.problems, []);
    } finally {
      await page.context().close();
    }
  });
}

/** What each group of tabs shows: its chosen tab, and the text of panels that are seen. */
const shown = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".tabs")].map((group) => [
      group.querySelector("[aria-selected=true]")?.textContent,
      [...group.querySelectorAll(".tab > :not(.tab-title)")].filter((e) => e.checkVisibility({ contentVisibilityAuto: true }))
        .map((e) => e.textContent.trim()).join(),
    ]));

page("a choice counts for all groups of a set, by click and by keys, and is remembered", {}, async (page) => {
  assert.deepEqual(await shown(page), [["macOS", "Use brew."], ["macOS", "Zip."], ["One", "1"]]);
  const tab = (name, group = 0) => page.locator(".tabs").nth(group).getByRole("tab", { name });

  const second = await page.locator(".tabs").nth(1).evaluate((e) => e.getBoundingClientRect().top);
  await tab("Linux", 1).click();
  assert.deepEqual(await shown(page), [["Linux", "Use apt."], ["Linux", "Tar."], ["One", "1"]]);
  assert.ok(Math.abs(second - (await page.locator(".tabs").nth(1).evaluate((e) => e.getBoundingClientRect().top))) < 2, "what is looked at stays where it is");

  await tab("Linux").focus();
  await page.keyboard.press("ArrowRight");
  assert.deepEqual(await shown(page), [["Windows", "Use winget."], ["Linux", "Tar."], ["One", "1"]], "a group without that tab stays");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "macOS", "the last is followed by the first");
  await page.keyboard.press("End");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Windows");
  assert.equal(await page.locator(".tabs").first().locator("[role=tab][tabindex='0']").count(), 1, "one stop of the Tab key");

  await tab("Two", 2).click();
  await page.reload();
  assert.deepEqual(await shown(page), [["Windows", "Use winget."], ["Linux", "Tar."], ["One", "1"]], "only a set is remembered");
});

test("what was chosen is there before anything is drawn", { timeout: 60_000 }, async () => {
  const page = await openPage(browser, site.url("/en/start/blocks/"));
  await page.evaluate(() => localStorage.setItem("tabs:os", "linux"));
  // Each state in which the browser could draw.
  await page.addInitScript(() => {
    globalThis.seen = new Set();
    const look = () => {
      for (const panel of document.querySelectorAll(".tab")) {
        if (panel.checkVisibility({ contentVisibilityAuto: true }) && panel.textContent.includes("brew")) globalThis.seen.add(panel.hidden);
      }
      if (document.readyState !== "complete") requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.reload();
  assert.equal((await shown(page))[0][0], "Linux");
  assert.equal(await page.evaluate(() => globalThis.seen.has(false)), false, "the other panel was never drawn");
  await page.context().close();
});

page("a link into a tab or into details opens it", {}, async (page) => {
  await page.getByRole("link", { name: "Linux", exact: true }).click();
  assert.equal((await shown(page))[0][0], "Linux");
  assert.equal(await page.locator("details.details").getAttribute("open"), null);
  await page.getByRole("link", { name: "inside", exact: true }).click();
  assert.ok(await page.getByRole("heading", { name: "Inside" }).isVisible());
});

page("a page that is opened at a place in details opens them", { path: "/en/start/blocks/#inside" }, async (page) => {
  assert.ok(await page.getByRole("heading", { name: "Inside" }).isVisible());
});

page("without script all panels stand one after the other, and terms are links", { script: false }, async (page) => {
  for (const text of ["Use brew.", "Use apt.", "Use winget.", "Tar.", "Zip."]) assert.ok(await page.getByText(text).isVisible(), text);
  assert.equal(await page.locator(".tab-title:visible").count(), 7);
  assert.equal(await page.locator(".term-note:visible").count(), 0);
  await page.getByRole("link", { name: "work queue" }).click();
  assert.match(page.url(), /\/en\/glossary\/#work-queue$/);
});

page("on paper all of it is there", {}, async (page) => {
  await page.emulateMedia({ media: "print" });
  for (const text of ["Use brew.", "Use apt.", "Use winget.", "Tar.", "Zip."]) assert.ok(await page.getByText(text).isVisible(), text);
  assert.ok(await page.getByRole("heading", { name: "Inside" }).isVisible());
  assert.equal(await page.locator(".tab-row:visible").count(), 0);
});

page("what a term means shows for the keyboard and the pointer, and Escape closes it", {}, async (page) => {
  const [queue, kubelet] = [page.locator("#term-work-queue"), page.locator("#term-kubelet")];
  const term = page.locator("a.term").first();
  assert.equal(await term.getAttribute("aria-describedby"), "term-work-queue");
  assert.equal((await queue.textContent()).trim().replace(/\s+/g, " "), "work queue Keys that wait.");
  await page.keyboard.press("Tab");
  await page.evaluate(() => document.querySelector("a.term").focus());
  assert.ok(await queue.isVisible());
  await page.keyboard.press("Escape");
  assert.ok(await queue.isHidden());

  await page.locator("a.term").nth(1).hover();
  await kubelet.waitFor({ state: "visible" });
  await kubelet.hover(); // the pointer may go there
  await page.mouse.move(0, 0);
  await kubelet.waitFor({ state: "hidden" });
  await term.click();
  await page.waitForURL("**/en/glossary/#work-queue");
});

page("a first touch shows what a term means, the second follows it", { width: 360, context: { hasTouch: true } }, async (page) => {
  const [term, note] = [page.locator("a.term").first(), page.locator("#term-work-queue")];
  await term.tap();
  await note.waitFor({ state: "visible" });
  const box = await note.boundingBox();
  assert.ok(box.x >= 0 && box.x + box.width <= 360, "it is on the screen");
  await page.locator("h1").tap();
  await note.waitFor({ state: "hidden" });
  await term.tap();
  await note.waitFor({ state: "visible" });
  await term.tap();
  await page.waitForURL("**/en/glossary/#work-queue");
});

for (const [theme, width, path] of [["light", 1280, "/en/start/blocks/#inside"], ["dark", 360, "/ja/start/blocks/"], ["light", 360, "/ja/glossary/"]]) {
  page(`axe finds nothing: ${path}, ${theme}, ${width} px`, { theme, width, path }, async (page) => {
    if (path.includes("blocks")) await page.evaluate(() => document.querySelector("a.term").focus());
    await noBarriers(page);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth), false, "nothing is wider than the screen");
  });
}

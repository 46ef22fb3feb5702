// A fresh clone: the development server answers before its demos are recorded.

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openDevelopment, openPage, root, writeSettings } from "./harness.mjs";

// Demos that nobody has recorded before, in the order in which chapters show them. All take a while, so that a reader is there meanwhile. Those
// of the page stand between paragraphs: nothing in its head tells that they came.
const [others, open] = ["deployment-rollout", "thousand-pods"];
const demos = { "awaited-first": others, "awaited-second": others, "awaited-third": open, "awaited-fourth": open };
const chapters = { first: ["awaited-first"], second: ["awaited-second"], third: ["awaited-third", "awaited-fourth"] };

let content, site, browser;
before(async () => {
  browser = await openBrowser();
  content = await mkdtemp(join(tmpdir(), "kubewalk-content-"));
  await writeSettings(content);
  await mkdir(join(content, "demos"));
  for (const [name, like] of Object.entries(demos)) {
    const text = await readFile(join(root, "content/demos", `${like}.yaml`), "utf8");
    await writeFile(join(content, "demos", `${name}.yaml`), `# as of ${Date.now()}\n${text}`);
  }
  for (const language of ["en", "ja"]) {
    await mkdir(join(content, language, "start"), { recursive: true });
    const chapter = (title, order, text) => `---\ntitle: ${title}\ndescription: A chapter of a test in ${language}.\norder: ${order}\n---\n\n${text}\n`;
    await writeFile(join(content, language, "index.md"), chapter("Home", 1, "Nothing is shown here."));
    for (const [i, [name, shown]] of Object.entries(chapters).entries()) {
      const text = shown.map((demo) => `## ${demo} {#${demo}}\n\nIts text.\n\n\`\`\`demo\n${demo}\n\`\`\``).join("\n\n");
      await writeFile(join(content, language, "start", `${name}.md`), chapter(name, i + 1, text));
    }
  }
  site = await openDevelopment(content);
});
after(async () => {
  await browser?.close();
  await site?.close();
  await rm(content, { recursive: true, force: true });
});

test("a page says that its demos are being recorded, and how many are; they come by themselves, before those that nobody has open", async () => {
  const address = site.url("/en/start/third/");
  await fetch(address); // a browser takes a while to begin
  const page = await openPage(browser, address);
  const told = page.locator(".demo-pending [role=status]").getByText(/^This demo is being recorded\. Ready so far: [0-3] of 4\.$/);
  await told.first().waitFor({ timeout: 20_000 });
  assert.match(site.output(), /^recording 4 demos, those of open pages first$/m);

  // With its first demo, the page loads itself anew, for the script that looks for demos.
  await page.locator("kubewalk-demo").first().waitFor({ timeout: 60_000 });
  await page.evaluate(() => (globalThis.notReloaded = true));
  await page.locator("kubewalk-demo").first().scrollIntoViewIfNeeded();
  await page.waitForSelector("kubewalk-demo .kw-player .kw-scrubber", { timeout: 30_000 });

  // Those that follow come into the page as it is.
  await page.locator("#demo-awaited-fourth:is(kubewalk-demo)").waitFor({ timeout: 60_000 });
  await page.locator("#demo-awaited-fourth").scrollIntoViewIfNeeded();
  await page.waitForSelector("#demo-awaited-fourth .kw-player .kw-scrubber", { timeout: 30_000 });
  assert.equal(await told.count(), 0);
  assert.equal(await page.evaluate(() => globalThis.notReloaded), true, "the page was not loaded again");
  assert.match(site.output(), /^\d of 4: recorded awaited-third in /m);
  assert.doesNotMatch(site.output(), /recorded awaited-second[^]*recorded awaited-fourth/, "what a reader has open comes first");
  const problems = page.problems.filter((p) => !(p.includes("/_dev/events") && p.endsWith("ERR_ABORTED")));
  assert.deepEqual(problems, []);
  await page.context().close();
});

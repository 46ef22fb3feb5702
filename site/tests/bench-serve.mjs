// From a save to the page that is open: how long until the document in the browser
// has the new text. Prints a line of the table of make bench.
//
//	GENERATOR=FILE node site/tests/bench-serve.mjs CONTENT CHAPTER [SAVES]
//
// CONTENT is a book, CHAPTER one of it ("en/part-001/chapter-00001"). A save changes a
// word in the middle of its text, and each waits for the one before.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openBrowser, openDevelopment, openPage } from "./harness.mjs";

const [content, chapter, saves = "31"] = process.argv.slice(2);
const file = join(content, `${chapter}.md`);
const good = await readFile(file, "utf8");
const words = good.split(" ");
const at = words.findIndex((word, i) => i > words.length / 2 && /^[a-z]+$/.test(word) && /^[a-z]+$/.test(words[i - 1]));

const site = await openDevelopment(content);
const browser = await openBrowser({ asReaders: true });
try {
  const page = await openPage(browser, site.url(`/${chapter}/`));
  // The first one tells that the page listens.
  words[at] = "warmed-up";
  await writeFile(file, words.join(" "));
  await page.getByText("warmed-up").waitFor({ timeout: 60_000 });
  await page.waitForTimeout(1000);
  page.on("framenavigated", () => console.error("the page was loaded again"));
  await page.evaluate(() => {
    globalThis.seen = [];
    new MutationObserver(() => {
      const now = performance.timeOrigin + performance.now();
      const found = /save-\d+/.exec(document.querySelector("main").textContent)?.[0];
      if (found && seen.at(-1)?.word !== found) seen.push({ word: found, now });
    }).observe(document.documentElement, { subtree: true, childList: true, characterData: true });
  });
  const times = [];
  for (let i = 0; i < Number(saves); i++) {
    const word = `save-${i}`;
    words[at] = word;
    const text = words.join(" ");
    const before = performance.timeOrigin + performance.now();
    await writeFile(file, text);
    const { now } = await page.waitForFunction((word) => seen.find((s) => s.word === word), word, { timeout: 60_000 }).then((h) => h.jsonValue());
    times.push(now - before);
    await new Promise((done) => setTimeout(done, 300));
  }
  times.sort((a, b) => a - b);
  const ms = (n) => `${n.toFixed(1)} ms`;
  console.log(`save to open page\t${ms(times[times.length >> 1])}\tmedian of ${times.length}; fastest ${ms(times[0])}, slowest ${ms(times.at(-1))}`);
} catch (error) {
  console.error(site.output());
  throw error;
} finally {
  await writeFile(file, good);
  await browser.close();
  await site.close();
}

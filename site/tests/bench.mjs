// What a browser takes for the largest demos, as lines of the table of make bench
// (generator/dev/bench): WHAT, VALUE, MORE, with tabs between. It is no test: figures
// depend on the machine and on what else it does, so that is printed, too.
//
//	SITE=FOLDER node site/tests/bench.mjs [DEMO … | lighthouse | search | slow]

import { existsSync, readFileSync } from "node:fs";
import { loadavg } from "node:os";
import { findBrowser, openBrowser, openPage, openSite } from "./harness.mjs";

/** A frame of a screen that shows sixty a second, ms. */
const budget = 1000 / 60;

const row = (what, value, more = "") => console.log(`${what}\t${value}\t${more}`);
const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
const ms = (n) => `${n.toFixed(n < 10 ? 1 : 0)} ms`;

function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: at(sorted, 0.5), p95: at(sorted, 0.95), most: sorted.at(-1) ?? NaN };
}

/** In the page: how long callbacks of animation frames run, frame by frame, and when each began. */
function watchFrames() {
  const frames = (globalThis.benchFrames = new Map());
  const request = requestAnimationFrame.bind(globalThis);
  globalThis.requestAnimationFrame = (callback) => request((time) => {
    const before = performance.now();
    callback(time);
    frames.set(time, (frames.get(time) ?? 0) + performance.now() - before);
  });
  globalThis.benchTasks = [];
  try {
    new PerformanceObserver((list) => globalThis.benchTasks.push(...list.getEntries().map((e) => e.duration))).observe({ type: "longtask" });
  } catch {
    // Only Chromium tells.
  }
}

async function open(browser, site, demo) {
  const page = await openPage(browser, "about:blank", { motion: "no-preference", height: 1100 });
  await page.addInitScript(watchFrames);
  const start = Date.now();
  await page.goto(site.url(`/embed/${demo}/`), { waitUntil: "load" });
  await page.waitForSelector(".kw-player .kw-scene", { timeout: 120_000 });
  return { page, shown: Date.now() - start };
}

/** Goes to a share of the way by the scrubber; tells script time, and time until it is painted. */
const jump = (page, part) => page.evaluate(async (part) => {
  const slider = document.querySelector(".kw-scrubber");
  const before = performance.now();
  slider.value = Number(slider.min) + (Number(slider.max) - Number(slider.min)) * part;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const script = performance.now() - before;
  await new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  }));
  return [script, performance.now() - before];
}, part);

async function jumps(page, demo) {
  await jump(page, 1);
  await rested(page);
  const all = [];
  for (let i = 0; i < 60; i++) all.push(await jump(page, ((i * 0.618) % 1)));
  const script = spread(all.map(([s]) => s));
  const painted = spread(all.map(([, p]) => p));
  row(`${demo}: a jump anywhere`, `p95 ${ms(painted.p95)} until painted`, `median ${ms(painted.median)}, most ${ms(painted.most)}; script alone: median ${ms(script.median)}, p95 ${ms(script.p95)}`);
}

async function play(page, demo, speed, seconds = 8) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const metrics = async () => Object.fromEntries((await cdp.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value]));
  await jump(page, 0.25);
  await page.selectOption(".kw-speed", String(speed));
  await page.evaluate(() => {
    benchFrames.clear();
    benchTasks.length = 0;
    document.querySelector(".kw-player").focus();
  });
  await page.keyboard.press("Space");
  const from = await metrics();
  await page.waitForTimeout(seconds * 1000);
  const to = await metrics();
  const { frames, tasks } = await page.evaluate(() => ({ frames: [...benchFrames], tasks: benchTasks }));
  await page.keyboard.press("Space");
  const script = spread(frames.map(([, s]) => s));
  const per = (name) => ms(((to[name] - from[name]) * 1000) / frames.length);
  const late = frames.filter(([t], i) => i > 0 && t - frames[i - 1][0] > budget * 1.5).length;
  const ours = frames.filter(([, s]) => s > budget).length;
  row(`${demo}: playing at ${speed}×, script of a frame`, `p95 ${ms(script.p95)}`,
    `median ${ms(script.median)}, most ${ms(script.most)}; layout ${per("LayoutDuration")}, styles ${per("RecalcStyleDuration")} a frame; ` +
    `${frames.length} frames, ${late} late, ${ours} of them by our script; ${tasks.length} long tasks`);
}

/** Watches for the first frame that is the reader's own: a caption that says what they did. */
const own = (page) => page.waitForFunction(() => document.querySelector(".kw-caption.is-own.is-shown"), null, { timeout: 600_000 });

/** From an input to the first new frame, by a control of the demo that is a number; ms. */
async function branch(page, replicas) {
  await page.fill(".kw-number", String(replicas));
  const begun = Date.now();
  await page.press(".kw-number", "Enter");
  await own(page);
  return Date.now() - begun;
}

/** The control plane is not loaded, then it is, then it stands where the reader goes on. */
async function branches(browser, site, demo, part = 0.5) {
  const cold = await open(browser, site, demo);
  if (!(await cold.page.$(".kw-number"))) return void (await cold.page.context().close());
  await jump(cold.page, part);
  await rested(cold.page);
  const [min, max] = await cold.page.$eval(".kw-number", (e) => [Number(e.min), Number(e.max)]);
  const some = (share) => Math.round(min + (max - min) * share);
  const first = await branch(cold.page, some(0.3));
  await cold.page.keyboard.press("Escape");
  const parked = await branch(cold.page, some(0.6));
  await cold.page.context().close();
  const { page } = await open(browser, site, demo);
  await jump(page, part);
  await rested(page);
  await page.hover(".kw-number");
  await page.waitForTimeout(Math.max(4000, first * 2)); // it is readied meanwhile
  const warm = await branch(page, some(0.3));
  if (demo === "thousand-pods") row(`${demo}: input to first new frame, nothing loaded before`, ms(first), "the goal is 2 s");
  row(`${demo}: input to first new frame`, ms(warm), `readied; ${ms(first)} when nothing is loaded, ${ms(parked)} for another after it`);
  await page.context().close();
}

/** From the button that compares a reader's branch with the recording to both pictures, beside each other, at where they part. */
async function compares(browser, site, demo) {
  const { page } = await open(browser, site, demo);
  if (!(await page.$(".kw-number"))) return void (await page.context().close());
  await jump(page, 0.5);
  await rested(page);
  const [min, max] = await page.$eval(".kw-number", (e) => [Number(e.min), Number(e.max)]);
  await branch(page, Math.round(min + (max - min) * 0.3));
  await page.waitForSelector(".kw-compare-button", { state: "attached" });
  const took = await page.evaluate(async () => {
    const before = performance.now();
    [...document.querySelectorAll(".kw-compare-button")].at(-1).click();
    while (!document.querySelector(".kw-pair") || document.querySelector(".is-busy")) await new Promise((done) => requestAnimationFrame(done));
    return performance.now() - before;
  });
  row(`${demo}: two runs beside each other`, ms(took), "the goal is 1 s");
  await page.context().close();
}

/** In the page: when something in a picture moved first, ms since the page was asked for. */
function watchMotion() {
  const seen = new Map();
  const look = () => {
    for (const e of document.querySelectorAll("kubewalk-demo svg .kw-packet")) {
      const at = e.getAttribute("transform");
      if (seen.has(e) && seen.get(e) !== at) return void (globalThis.benchMotion = performance.now());
      seen.set(e, at);
    }
    requestAnimationFrame(look);
  };
  document.addEventListener("DOMContentLoaded", () => requestAnimationFrame(look));
}

/** The slider, moved by nobody's hand: there is no sign of it before. */
const jerk = async (page) => {
  await page.$eval(".kw-slider", (slider) => {
    slider.value = slider.max;
    for (const event of ["input", "change"]) slider.dispatchEvent(new Event(event, { bubbles: true }));
  });
};

/** A hand takes a second for it: from the picture to the slider, and along that. */
const hand = async (page) => {
  await page.$eval(".kw-slider", (slider) => slider.scrollIntoView({ block: "nearest" }));
  const middle = async (of) => {
    const { x, y, width, height } = await (await page.$(of)).boundingBox();
    return { x: x + width / 2, y: y + height / 2, end: x + width - 2 };
  };
  const [picture, slider] = [await middle(".kw-scene"), await middle(".kw-slider")];
  const glide = async (from, to, ms) => {
    for (let i = 1; i <= 10; i++) {
      await page.mouse.move(from.x + ((to.x - from.x) * i) / 10, from.y + ((to.y - from.y) * i) / 10);
      await page.waitForTimeout(ms / 10);
    }
  };
  await page.mouse.move(picture.x, picture.y);
  await glide(picture, slider, 600);
  await page.mouse.down();
  await glide(slider, { x: slider.end, y: slider.y }, 400);
  await page.mouse.up();
};

/** A slow machine on a slow line, with nothing loaded before: until something moves, and from the slider to what the reader did. */
async function slowly(browser, path, [how, act]) {
  const site = await openSite({ compressed: true });
  const page = await openPage(browser, "about:blank", { width: 1440, height: 900, motion: "no-preference" });
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", { offline: false, latency: 40, downloadThroughput: 10e6 / 8, uploadThroughput: 10e6 / 8 });
  await page.addInitScript(watchMotion);
  await page.goto(site.url(path), { waitUntil: "commit" });
  const moved = await page.waitForFunction(() => globalThis.benchMotion, null, { timeout: 60_000 }).then((handle) => handle.jsonValue());
  let begun = Date.now();
  await act(page);
  if (act === hand) begun = Date.now(); // when it lets go
  await page.waitForSelector(".kw-caption:is(.is-own, .is-doing).is-shown", { timeout: 600_000 });
  const said = Date.now() - begun;
  await own(page);
  row(`${path}: CPU 4 times slower, 10 Mbit/s, cold, ${how}`, `${ms(moved)} to first motion`,
    `from the slider: ${ms(said)} until it says what was done, ${ms(Date.now() - begun)} to the first frame of that`);
  await page.context().close();
  await site.close();
}

/** The wait for the rest of the recording is over. */
const rested = (page) => page.waitForFunction(() => document.querySelector(".kw-status").hidden, null, { timeout: 300_000 });

/** Of the largest of the browser's processes that show a page: what it holds (MB; 0 where there is no /proc), and the processor's seconds so far. */
async function largest(browser) {
  const devtools = await browser.newBrowserCDPSession();
  const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
  await devtools.detach();
  let most = { held: 0, cpu: 0 };
  for (const { type, id, cpuTime } of processInfo) {
    if (type !== "renderer") continue;
    const status = existsSync(`/proc/${id}/status`) ? readFileSync(`/proc/${id}/status`, "utf8") : "";
    const held = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1000;
    if (held >= most.held) most = { held, cpu: cpuTime };
  }
  return most;
}

/** The control plane at its largest: how long until it is live, what it holds, whether the page answers. */
async function limits(browser, site, demo) {
  const { page, shown } = await open(browser, site, demo);
  row(`${demo}: the player is there`, ms(shown));
  await jump(page, 0.2);
  await rested(page);
  await page.evaluate(() => {
    benchTasks.length = 0;
  });
  const { cpu: before } = await largest(browser);
  const live = await branch(page, 0);
  const { held, cpu } = await largest(browser);
  const tasks = await page.evaluate(() => benchTasks);
  const heap = await page.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
  row(`${demo}: input to first new frame`, ms(live), `the goal is 8 s; ${(cpu - before).toFixed(1)} s of processor; longest task of the page meanwhile ${ms(Math.max(0, ...tasks))}; page ${Math.round(heap / 1e6)} MB`);
  row(`${demo}: memory of page and control plane`, `${Math.round(held)} MB`, "resident; the goal is 1,000 MB");
  await page.context().close();
  await grows(browser, site, demo);
}

/** A thousand Pods more, asked for in a cluster that is live: until the picture counts all of them as Ready. */
async function grows(browser, site, demo) {
  const { page } = await open(browser, site, demo);
  await page.waitForSelector(".kw-number");
  const counted = (n) => page.waitForFunction((n) => [...document.querySelectorAll("kubewalk-demo svg text")].some((e) => e.textContent === n),
    n, { timeout: 300_000 });
  await branch(page, 2979);
  await counted("148,999");
  await page.fill(".kw-number", "3979");
  const begun = Date.now();
  await page.press(".kw-number", "Enter");
  await counted("149,999");
  row(`${demo}: a thousand Pods more, all of them Ready`, ms(Date.now() - begun), "the goal is 5 s");
  await page.context().close();
}

/** Lighthouse's score for speed, on its slow telephone, of a page with a demo and of one without. */
async function scores() {
  const [{ default: lighthouse }, { launch }] = await Promise.all([import("lighthouse"), import("chrome-launcher")]);
  const small = await openSite({ compressed: true });
  const chrome = await launch({ chromePath: findBrowser(), chromeFlags: ["--headless=new", "--no-sandbox"] });
  try {
    for (const path of ["/en/", "/en/loop/replicaset/", "/ja/loop/desired-and-actual/"]) {
      const { lhr } = await lighthouse(small.url(path), { port: chrome.port, logLevel: "error", onlyCategories: ["performance"] });
      const said = ["first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift", "total-byte-weight"];
      row(`${path}: Lighthouse, performance`, String(Math.round(lhr.categories.performance.score * 100)),
        said.map((id) => `${id} ${lhr.audits[id].displayValue}`).join(", "));
    }
  } finally {
    await chrome.kill();
    await small.close();
  }
}

/** The search: from a key to what it finds, when the files are there and when they are not. */
async function searches() {
  const page = await openPage(browser, site.url("/en/"));
  await page.waitForLoadState("networkidle");
  const bytes = [];
  page.on("response", async (response) => bytes.push(await response.body().then((b) => b.length, () => 0)));
  const opened = await page.evaluate(async () => {
    const start = performance.now();
    document.querySelector(".search-link").click();
    while (!document.querySelector("dialog.search[open]")) await new Promise((done) => setTimeout(done));
    return performance.now() - start;
  });
  const took = { first: [], then: [] };
  for (const question of ["work queue backoff", "why are pods pending", "manageReplicas"]) {
    for (let n = 1; n <= question.length; n++) {
      const typed = question.slice(0, n);
      const time = await page.evaluate(async (typed) => {
        const [input, list] = [document.querySelector(".search-input"), document.querySelector(".search-results")];
        const start = performance.now();
        input.value = typed;
        input.dispatchEvent(new InputEvent("input"));
        while (list.dataset.for !== typed.trim()) await new Promise((done) => requestAnimationFrame(done));
        return performance.now() - start;
      }, typed);
      (took.first.length === 0 ? took.first : took.then).push(time);
    }
  }
  const sorted = took.then.sort((a, b) => a - b);
  row("search: dialog opens", ms(opened), "its script and style were not loaded");
  row("search: first key to results", ms(took.first[0]), "manifest and shards were not loaded");
  row("search: key to results, median", ms(at(sorted, 0.5)), `95 %: ${ms(at(sorted, 0.95))}; ${sorted.length} keys, three questions`);
  row("search: loaded for three questions", `${(bytes.reduce((a, b) => a + b, 0) / 1000).toFixed(0)} kB`, `${bytes.length} files, not compressed`);
  await page.context().close();
}

const site = await openSite();
const browser = await openBrowser({ asReaders: true });
const here = async (demo) => (await fetch(site.url(`/embed/${demo}/`))).ok;
try {
  const wanted = process.argv.slice(2);
  const given = (list) => (wanted.length > 0 ? list.filter((demo) => wanted.includes(demo)) : list);
  if (wanted.length === 0 || wanted.includes("lighthouse")) await scores();
  if (wanted.length === 0 || wanted.includes("search")) await searches();
  if (wanted.length === 0 || wanted.includes("slow")) {
    for (const path of ["/en/", "/en/loop/replicaset/"]) for (const way of [["at once", jerk], ["by hand", hand]]) await slowly(browser, path, way);
  }
  row("the machine's load", loadavg()[0].toFixed(1), "waiting or running while the browser is measured");
  // From ten Pods to a hundred to a thousand: how it grows.
  const growing = wanted.length > 0 ? wanted.filter((d) => !["the-limits", "lighthouse", "search", "slow"].includes(d))
    : ["replicaset-scale", "hundred-pods", "thousand-pods"];
  for (const demo of growing) {
    if (!(await here(demo))) continue;
    const { page, shown } = await open(browser, site, demo);
    row(`${demo}: the player is there`, ms(shown));
    await jumps(page, demo);
    for (const speed of [1, 4]) await play(page, demo, speed);
    await page.context().close();
    await branches(browser, site, demo);
    await compares(browser, site, demo);
  }
  for (const demo of given(["the-limits"])) if (await here(demo)) await limits(browser, site, demo);
} finally {
  await browser.close();
  await site.close();
}

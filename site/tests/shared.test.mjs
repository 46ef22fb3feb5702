// Several demos in frames of somebody's page: one worker for all of them, each with its own runs; what happens when a frame
// goes, when the worker stops answering, and where there is none to share. And what is out of sight does nothing.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openBrowser, openFirefox, openPage, openSite } from "./harness.mjs";

/** Demos with a number of replicas, and what it is set to here. */
const wanted = { "replicaset-scale": 5, "first-steps": 8, expectations: 4, "controller-start": 2, "deployment-rollout": 6 };
const demos = Object.keys(wanted);

/** A page with demos in frames, of the site at an origin. */
const host = (at, names, style = "") => `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Host</title>
<link rel="icon" href="data:,"></head><body>${
  names.map((name) => `<iframe title="${name}" src="${at}/embed/${name}/" width="800" height="600" style="${style}"></iframe>`).join("")}</body></html>`;

/** A site whose worker has something in front of its own code, and pages of a test's own. */
async function changed(code, pages = {}) {
  const plain = await openSite();
  await plain.close();
  const read = (name) => readFile(join(plain.folder, name), "utf8");
  const [, name] = /<kubewalk-demo[^>]* data-worker="(\/assets\/[^"]+)"/.exec(await read("embed/command-line/index.html"));
  const headers = { "Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Resource-Policy": "cross-origin" };
  return openSite({ pages: Object.defineProperty(pages, name, { value: { type: "text/javascript", headers, body: `${code}\n${await read(name)}` } }) });
}

/** A control plane that does something else in every call from the first one on that has spoil-it in it. */
const spoiled = (call) => `addEventListener("connect", ({ ports: [port] }) => port.addEventListener("message", ({ data }) => {
  if (data.call === "parse" || !data.text?.includes("spoil-it")) return;
  globalThis.kubewalk = new Proxy(globalThis.kubewalk, { get: (plain, name) => (text) => { ${call} } });
}));`;

let site, other, browser, control;
before(async () => {
  site = await openSite({ pages: { "/below/": host("", demos.slice(0, 2), "display: block; margin-block-end: 3000px") } });
  other = await openSite({ pages: { "/five/": host(site.origin, demos), "/two/": host(site.origin, demos.slice(0, 2)) } });
  browser = await openBrowser();
  control = await browser.newBrowserCDPSession();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await other?.close();
});

/** The workers that there are, "shared_worker ID" or "worker ID". */
async function workers() {
  const { targetInfos } = await control.send("Target.getTargets", { filter: [{}] });
  return targetInfos.filter(({ type }) => type.endsWith("worker")).map(({ type, targetId }) => `${type} ${targetId}`);
}

async function open(t, address, { count, at = site, ...options }) {
  const page = await openPage(browser, address.replace("127.0.0.1", "localhost"), { width: 1640, height: 1900, ...options }); // another site, too
  t.after(() => page.context().close());
  await page.waitForFunction((n) => frames.length === n, count);
  const frameOf = (name) => page.frame({ url: at.url(`/embed/${name}/`) });
  const problems = () => page.problems.filter((problem) => !problem.startsWith(`request leaves the site: ${at.origin}/`));
  return { page, frameOf, problems };
}

/** Sets a demo's number of replicas, and waits until its picture tells that. */
async function scale(frame, number) {
  await frame.waitForSelector(".kw-player .kw-number", { state: "attached", timeout: 60_000 });
  await frame.$eval(".kw-number", (field, number) => { // without the focus, which only one frame has
    field.value = String(number);
    for (const type of ["input", "change"]) field.dispatchEvent(new Event(type));
  }, number);
  const told = () => frame.$$eval(".kw-caption.is-own.is-shown", ([e]) => e?.textContent ?? "");
  const end = Date.now() + 90_000;
  while (!(await told()).includes(`to ${number} replica`)) {
    assert.ok(Date.now() < end, `${frame.url()} does not scale to ${number}: ${await frame.$eval(".kw-player", (e) => e.textContent)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Types a command line into a demo that has one. */
async function type(frame, line) {
  await frame.waitForSelector(".kw-player .kw-command", { state: "attached", timeout: 60_000 });
  await frame.evaluate(() => document.querySelector('.kw-tab[id$="-act-tab"]')?.click());
  await frame.fill(".kw-command", line);
  await frame.press(".kw-command", "Enter");
}

/** Waits until a command line's output is there. */
const answers = (frame, pattern) =>
  frame.waitForFunction((p) => new RegExp(p).test(document.querySelector(".kw-last")?.textContent ?? ""), pattern.source, { timeout: 60_000 })
    .catch(async (error) => assert.fail(`${error.message}: the player says ${await frame.textContent(".kw-player")}`));

test("five demos on a page share one worker, each has its own run, and one that goes leaves it to the others", { timeout: 240_000 }, async (t) => {
  const { page, frameOf, problems } = await open(t, other.url("/five/"), { count: 5 });
  await Promise.all(demos.map((name) => scale(frameOf(name), wanted[name]))); // at once: whose turn it is decides nothing
  const [worker, ...more] = await workers();
  assert.match(worker, /^shared_worker /);
  assert.deepEqual(more, []);
  const pods = (name, n) => frameOf(name).waitForFunction((n) => {
    document.querySelector("[aria-label='Step forward']").click();
    return document.querySelectorAll(".kw-stage .role-pod:not(.is-leaving)").length === n;
  }, n, { timeout: 90_000, polling: 100 });
  for (const name of ["replicaset-scale", "expectations"]) await pods(name, wanted[name]);
  await page.evaluate(() => document.querySelector("iframe").remove());
  await scale(frameOf(demos[1]), 3);
  await scale(frameOf(demos[2]), 1);
  await page.evaluate((src) => document.body.append(Object.assign(document.createElement("iframe"), { src, width: 800, height: 600 })),
    site.url(`/embed/${demos[0]}/`));
  for (const end = Date.now() + 30_000; !frameOf(demos[0]); ) { // it has its address a little later
    assert.ok(Date.now() < end, "the new frame has no page");
    await new Promise((done) => setTimeout(done, 50));
  }
  await scale(frameOf(demos[0]), 4);
  assert.deepEqual(await workers(), [worker], "it is the one that the frame which is gone had started");
  assert.deepEqual(problems(), []);
});

for (const [name, call] of [["spins", "for (;;);"], ["dies", "throw new WebAssembly.RuntimeError('unreachable');"]]) {
  test(`a shared worker that ${name} is ended, and all its frames go on with another`, { timeout: 240_000 }, async (t) => {
    const at = await changed(spoiled(call));
    const around = await openSite({ pages: { "/": host(at.origin, ["command-line", "replicaset-scale"]) } });
    t.after(() => Promise.all([at.close(), around.close()]));
    const { page, frameOf } = await open(t, around.url("/"), { count: 2, at });
    const [one, two] = [frameOf("command-line"), frameOf("replicaset-scale")];
    const says = (text) => one.waitForFunction((t) => document.querySelector(".kw-player").textContent.includes(t), text, { timeout: 150_000 });
    await scale(two, 5);
    await type(one, "kubectl get nodes");
    await answers(one, /node-1 +Ready/);
    const [before] = await workers();
    await type(one, "kubectl get pods -l app=spoil-it");
    await says("The control plane stopped answering, so it was shut down");
    const back = one.locator("button", { hasText: "Go back to before the last action" });
    await back.click();
    await scale(two, 4);
    await type(one, "kubectl get namespaces");
    await answers(one, /kube-system +Active/);
    let left = await workers();
    for (let i = 0; i < 50 && left.length > 1; i++) {
      await page.waitForTimeout(200); // the browser ends a loop a little later
      left = await workers();
    }
    assert.equal(left.length, 1);
    assert.match(left[0], /^shared_worker /);
    assert.notEqual(left[0], before);
    await Promise.all([two.waitForNavigation(), two.evaluate(() => location.reload())]);
    await scale(frameOf("replicaset-scale"), 6);
    assert.deepEqual(await workers(), left, "one that comes later joins that one");
    });
}

test("a frame does not wait for another one's long call, and does not end it", { timeout: 240_000 }, async (t) => {
  const at = await changed(spoiled("globalThis.kubewalk = plain; for (const end = Date.now() + 15_000; Date.now() < end; ); return plain[name](text);"));
  const around = await openSite({ pages: { "/": host(at.origin, ["command-line", "replicaset-scale"]) } });
  t.after(() => Promise.all([at.close(), around.close()]));
  const { frameOf, problems } = await open(t, around.url("/"), { count: 2, at });
  const [one, two] = [frameOf("command-line"), frameOf("replicaset-scale")];
  await two.waitForSelector(".kw-player .kw-number", { state: "attached", timeout: 60_000 });
  await type(one, "kubectl get nodes");
  await answers(one, /node-1 +Ready/);
  await type(one, "kubectl get namespaces -l spoil-it!=1");
  await new Promise((done) => setTimeout(done, 500));
  await scale(two, 5);
  assert.deepEqual((await workers()).map((worker) => worker.split(" ")[0]).sort(), ["shared_worker", "worker"]);
  await answers(one, /kube-system +Active/);
  assert.deepEqual(problems(), []);
});

for (const [name, lack] of [
  ["a browser without shared workers", () => delete globalThis.SharedWorker],
  ["a browser without locks", () => delete Navigator.prototype.locks],
  ["a browser that refuses them to a frame of another site", () => {
    globalThis.SharedWorker = function () { throw new DOMException("denied", "SecurityError"); };
  }],
]) {
  test(`in ${name} each frame has a worker of its own`, { timeout: 120_000 }, async (t) => {
    const { page, frameOf, problems } = await open(t, "about:blank", { count: 0 });
    await page.addInitScript(lack);
    await page.goto(other.url("/two/"));
    await page.waitForFunction(() => frames.length === 2);
    for (const demo of demos.slice(0, 2)) await scale(frameOf(demo), wanted[demo]);
    assert.deepEqual((await workers()).map((worker) => worker.split(" ")[0]), ["worker", "worker"]);
    assert.deepEqual(problems(), []);
    });
}

test("on a page of the book the worker is the page's own", { timeout: 120_000 }, async (t) => {
  const { page } = await open(t, site.url("/embed/replicaset-scale/"), { count: 0 });
  await scale(page, 5);
  assert.deepEqual((await workers()).map((worker) => worker.split(" ")[0]), ["worker"]);
});

test("what is out of sight does nothing, not even a run of the reader's that was playing", { timeout: 120_000 }, async (t) => {
  const { page, frameOf } = await open(t, "about:blank", { count: 0, motion: "no-preference", height: 700 });
  await page.addInitScript(() => {
    globalThis.ran = [];
    for (const name of ["requestAnimationFrame", "requestIdleCallback", "setTimeout", "setInterval"]) {
      const plain = globalThis[name].bind(globalThis);
      globalThis[name] = (act, ...rest) => plain((...given) => {
        globalThis.ran.push(`${name} ${act}`.slice(0, 100));
        return act(...given);
      }, ...rest);
    }
  });
  await page.goto(site.url("/below/")); // a browser lets a hidden frame of another site draw nothing, so it would tell nothing
  const frame = await (await page.waitForSelector("iframe")).contentFrame();
  await frame.waitForSelector(".kw-play.is-playing", { timeout: 60_000 });
  const scroll = (top) => page.evaluate((top) => scrollTo({ top, behavior: "instant" }), top);
  /** What a frame does while nobody sees it. */
  const quiet = async () => {
    await scroll(1800);
    await frame.waitForSelector(".kw-play:not(.is-playing)");
    await page.waitForTimeout(1500); // what was under way comes to its end
    await frame.evaluate(() => { globalThis.ran.length = 0; });
    await page.waitForTimeout(2500);
    assert.deepEqual(await frame.evaluate(() => globalThis.ran), []);
    assert.equal(await frame.evaluate(() => document.getAnimations().filter((a) => a.playState === "running").length), 0);
  };
  await quiet();
  await scroll(0);
  await frame.waitForSelector(".kw-play.is-playing");
  await scale(frame, 5);
  await frame.waitForSelector(".kw-play.is-playing");
  await quiet();
  await scroll(0);
  await frame.waitForFunction(() => globalThis.ran.length > 10); // what runs is seen
  // One that nobody has come to has loaded nothing.
  assert.equal(await frameOf(demos[1]).$(".kw-player"), null);
});

test("Firefox: frames of a page share a worker", { timeout: 240_000 }, async (t) => {
  const asked = new Set(); // by workers
  const at = await changed('let pages = 0;\naddEventListener("connect", () => void fetch(`/connected/${++pages}`));', {
    get "/connected/1"() { return asked.add(1) && " "; },
    get "/connected/2"() { return asked.add(2) && " "; },
  });
  const around = await openSite({ pages: { "/": host(at.origin, demos.slice(0, 2)) } });
  const firefox = await openFirefox();
  t.after(() => Promise.all([firefox.close(), at.close(), around.close()]));
  const page = await firefox.open(around.url("/").replace("127.0.0.1", "localhost"));
  const frames = page.frames().filter((frame) => frame.url().includes("/embed/"));
  assert.equal(frames.length, 2);
  for (const [i, frame] of frames.entries()) await scale(frame, Object.values(wanted)[i]);
  assert.deepEqual([...asked], [1, 2], "one worker has both");
  await page.$eval("iframe", (frame) => frame.remove());
  await scale(frames[1], 3);
  assert.deepEqual(page.problems, []);
});

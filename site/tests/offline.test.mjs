// The service worker over a site's life: pages that were visited are there without a
// connection, a new version takes over without mixing with the old one, and a site
// that gives it up takes everything from the reader's device. What a reader sees of
// it on one version is in frame.test.mjs.
//
// Three versions of a small book, of which each has a colour of its own, are served one
// after the other at the same address, or none of them: then there is no connection.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, beforeEach, test } from "node:test";
import { generator, openBrowser, openFirefox, openPage, openSite, root } from "./harness.mjs";

const colours = { first: "#9a1b5a", second: "#0b57a4", last: "#4a5a00" };
const one = "/en/start/one/", two = "/en/start/two/", three = "/en/start/three/";

let folder, browser, site;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubewalk-offline-"));
  for (const [name, colour] of Object.entries(colours)) {
    const content = join(folder, name, "content");
    for (const language of ["en", "ja"]) {
      await mkdir(join(content, language, "start"), { recursive: true });
      const page = (title, order) => `---\ntitle: ${title}\ndescription: A page of a test.\norder: ${order}\n---\n\nThe ${name} version.\n`;
      await writeFile(join(content, language, "index.md"), page("Book", 1));
      for (const [at, title] of ["one", "three", "two"].entries()) await writeFile(join(content, language, `start/${title}.md`), page(title, at + 1));
    }
    await writeFile(join(content, "site.yaml"), `title: A book\ndescription: Of three chapters.\nlanguages: [{code: en, name: English}, {code: ja, name: 日本語}]\nparts:\n  - {name: start, title: Start}\n` +
      `theme: {accent: {light: "${colour}", dark: "#7fd4c8"}}\n${name === "last" ? "offline: false\n" : ""}`);
    const done = spawnSync(generator(), ["build", "--content", content, "--out", join(folder, name, "site")], { cwd: root, encoding: "utf8" });
    assert.equal(done.status, 0, `${done.stdout}${done.stderr}${done.error ?? ""}`);
  }
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => (site = await openSite({ dir: join(folder, "first/site") })));
afterEach(() => site.close());

/** Puts a version in the place of what is served. */
async function publish(version) {
  await site.close();
  site = await openSite({ dir: join(folder, version, "site"), port: site.port });
}

const fileOf = (version, name) => readFile(join(folder, version, "site", name), "utf8");
/** What the worker knows a version by, and all that it may keep of it. */
const listOf = async (version) => JSON.parse(await fileOf(version, "offline.json"));

/** What a page shows, read in it: nothing of it may be of another version, or be missing. */
const look = () => ({
  text: document.querySelector("main").textContent.match(/The (\w+) version/)?.[1],
  colour: getComputedStyle(document.documentElement).getPropertyValue("--accent").match(/#\w{6}/)?.[0],
  styles: [...document.styleSheets].every((sheet) => sheet.cssRules.length > 0) &&
    document.styleSheets.length === document.querySelectorAll("link[rel=stylesheet]").length,
  scripts: !document.querySelector("label.theme").hidden,
});
const whole = (version) => ({ text: version, colour: colours[version], styles: true, scripts: true });

// What is waited for.
const isKept = async (path) => Boolean(await caches.match(location.origin + path));
/** A new worker has got the page that it falls back to, and is at work. */
const hasTakenOver = async (fallback) => {
  const registration = await navigator.serviceWorker.getRegistration();
  const kept = await (await caches.match(`${location.origin}/en/offline/`))?.text();
  return registration?.active?.state === "activated" && !registration.installing && !registration.waiting && kept === fallback;
};
/** The worker has brought what is kept to a version. */
const isBroughtTo = async (version) => (await (await caches.match(`${location.origin}/_offline/version`))?.text()) === version;
/** Each page that is kept has all its files beside it: the browser's own cache, which would give them too, may forget. */
const isComplete = async () => {
  for (const name of await caches.keys())
    for (const request of await (await caches.open(name)).keys()) {
      if (!request.url.endsWith("/")) continue;
      const page = await (await caches.match(request)).text();
      const files = [...page.matchAll(/<(?:link rel="(?:stylesheet|icon)"|script)[^>]* (?:href|src)="([^"]+)"/g)].map(([, address]) => address);
      if (files.length < 3) return false;
      for (const file of files) if (!(await caches.match(new URL(file, location.href).href))) return false;
    }
  return true;
};
const nothingIsLeft = async () => !(await navigator.serviceWorker.getRegistration()) && (await caches.keys()).join() === "of another";
/** Addresses that are kept, without the worker's own notes. */
const keptFiles = async () => {
  const out = [];
  for (const name of await caches.keys()) out.push(...(await (await caches.open(name)).keys()).map((r) => r.url.slice(location.origin.length)));
  return out.filter((url) => !url.startsWith("/_offline/")).sort();
};

/** Waits for what a page has to ask for, in Chromium and Firefox alike. */
async function until(page, check, ...values) {
  for (const deadline = Date.now() + 30_000; !(await page.evaluate(check, ...values)); ) {
    assert.ok(Date.now() < deadline, `never: ${check}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Goes to a page, which has to be wholly of a version. A machine so slow that the worker lost patience with the network has another try. */
async function visit(page, path, version) {
  for (let tries = 1; ; tries++) {
    const start = Date.now();
    await page.goto(site.url(path), { waitUntil: "load" });
    const seen = await page.evaluate(look);
    if (seen.text !== version && Date.now() - start > 2500 && tries < 5) {
      assert.deepEqual(seen, whole(seen.text), path);
      continue;
    }
    return assert.deepEqual(seen, whole(version), path);
  }
}

/** Opens a page on which the worker may work. */
const open = (path) => openPage(browser, site.url(path), { context: { serviceWorkers: "allow" } });

test("a new version takes over, and no page ever has files of another one", async () => {
  const page = await open(one);
  const goes = async (path, version) => {
    await visit(page, path, version);
    await until(page, isComplete);
  };
  await until(page, isKept, one);
  await goes(two, "first");
  await until(page, isKept, two);

  // The new version is there, but the reader has no connection: all is old.
  await site.close();
  await goes(one, "first");

  // They have one again, for one page: it is new, what was not visited since is old.
  await publish("second");
  await goes(one, "second");
  await until(page, hasTakenOver, await fileOf("second", "en/offline/index.html"));
  await site.close();
  await goes(two, "first");
  await goes(one, "second");

  // With the next page all that is kept is brought to the new version, and the old one goes.
  await publish("second");
  await goes(one, "second");
  await until(page, isBroughtTo, (await listOf("second")).version);
  await site.close();
  await goes(two, "second");
  assert.deepEqual(page.problems, []);
  await page.goto(site.url(`/ja${three.slice(3)}`)); // one that was never asked for
  assert.deepEqual(await page.evaluate(look), { ...whole("second"), text: undefined });
  assert.equal(await page.getAttribute("html", "lang"), "ja");
  const { files } = await listOf("second");
  const there = new Set(files.map(([url]) => url));
  assert.deepEqual((await page.evaluate(keptFiles)).filter((url) => !there.has(url)), [], "files of the first version are left");
  await page.context().close();
});

test("a book that was kept whole is whole in the new version", async () => {
  const page = await open("/en/offline/");
  await page.getByRole("button", { name: /Keep the book on this device/ }).click();
  await page.getByText("The book is on this device.").waitFor();
  await publish("second");
  await page.goto(site.url(one));
  await until(page, hasTakenOver, await fileOf("second", "en/offline/index.html"));
  await page.goto(site.url(one));
  await until(page, isBroughtTo, (await listOf("second")).version);
  await site.close();
  for (const path of [three, two]) await visit(page, path, "second");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("an answer that breaks off does not take the place of the page that is kept", async () => {
  const page = await open(one);
  await until(page, isKept, one);
  await page.goto(site.url(two));
  await until(page, isKept, two);
  await site.close();
  const body = await fileOf("second", "en/start/two/index.html");
  let asked = 0;
  const broken = createServer((_, response) => {
    asked++;
    response.writeHead(200, { "Content-Type": "text/html", "Content-Length": body.length });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  });
  await new Promise((done) => broken.listen(site.port, "127.0.0.1", done));
  await page.goto(site.url(two), { waitUntil: "commit" }).catch(() => undefined); // half of it is shown, or nothing
  assert.ok(asked > 0);
  await new Promise((done) => broken.close(done).closeAllConnections());
  await visit(page, two, "first");
  await page.context().close();
});

test("a site that gives the worker up takes it and all that it kept off the device, and nothing of others", async () => {
  const page = await open(one);
  await until(page, isKept, one);
  await page.evaluate(async () => void (await (await caches.open("of another")).put("/x", new Response("x"))));
  await publish("last");
  await visit(page, one, "last");
  await until(page, async () => !(await navigator.serviceWorker.getRegistration()));
  await page.goto(site.url(two));
  await until(page, nothingIsLeft);
  assert.deepEqual(await page.evaluate(look), whole("last"));
  assert.equal(await page.evaluate(() => navigator.serviceWorker.controller), null);
  assert.deepEqual(page.problems, []);
  await site.close();
  await assert.rejects(page.goto(site.url(two)), /ERR_CONNECTION_REFUSED/);
  await page.context().close();
});

test("Firefox: visited pages, a new version, and the end of it", { timeout: 120_000 }, async () => {
  const firefox = await openFirefox();
  try {
    const page = await firefox.open(site.url(one));
    const goes = (path, version) => visit(page, path, version);
    await until(page, isKept, one);
    await site.close();
    await goes(one, "first");
    await page.goto(site.url(`/ja${three.slice(3)}`)); // one that was never asked for
    assert.deepEqual(await page.evaluate(look), { ...whole("first"), text: undefined });
    assert.equal(await page.$eval("html", (e) => e.lang), "ja");

    await publish("second");
    await goes(two, "second");
    await until(page, hasTakenOver, await fileOf("second", "en/offline/index.html"));
    await site.close();
    await goes(one, "first");
    await publish("second");
    await goes(two, "second");
    await until(page, isBroughtTo, (await listOf("second")).version);
    await site.close();
    await goes(one, "second");

    await publish("last");
    await goes(one, "last");
    await until(page, async () => !(await navigator.serviceWorker.getRegistration()));
    await goes(two, "last");
    await until(page, async () => (await caches.keys()).length === 0);
    // What it asked for in vain while there was no connection, Firefox tells with every word of its own.
    assert.deepEqual(page.problems.filter((p) => !/Failed to load .* ServiceWorker/.test(p)), [], "the page complained");
  } finally {
    await firefox.close();
  }
});

// What a reader loads with a page of the book before any of its demos is near:
// the page itself, its styles, and its scripts with all that they import at once.
// And what the whole site takes on a host.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir, readFile, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { after, before, test } from "node:test";
import { addresses, openBrowser, openSite } from "./harness.mjs";

/** gzip, bytes. */
const limit = 25_000;
/** The same where a demo stands beside the text: it is near from the beginning. */
const walkLimit = 26_500;
/** The same for a meetup with a demo for each of five talks, and what each further demo adds. */
const fiveLimit = 27_500;
const furtherDemo = 1_400;

let site, browser;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
});
after(async () => {
  await browser.close();
  await site.close();
});

/** As a host sends it. Node's own zlib finds other matches on other processors, so its sizes differ from machine to machine. */
function gzipped(text) {
  const { stdout, status, error } = spawnSync("gzip", ["-9nc"], { input: text, maxBuffer: 1 << 26 });
  if (status !== 0) throw error ?? new Error(`gzip ended with ${status}`);
  return stdout.length;
}

/** What a script loads before it does anything. */
const imported = (text) => [...text.matchAll(/(?:^|[;}\s])import\s*(?:[\w*{}\s,$]+?\s*from\s*)?"(\.\/[^"]+)"/g)].map((m) => m[1]);

async function filesOf(path) {
  const files = new Map();
  const take = async (name) => {
    if (files.has(name)) return;
    const text = await readFile(join(site.folder, name), "utf8");
    files.set(name, text);
    if (name.endsWith(".js")) for (const other of imported(text)) await take(posix.join(posix.dirname(name), other));
  };
  await take(`${path}index.html`);
  const html = files.get(`${path}index.html`);
  for (const [tag] of html.matchAll(/<(?:link|script)\b[^>]*>/g)) {
    const address = /<script/.test(tag) ? /src="([^"]+)"/.exec(tag) : /rel="(?:stylesheet|modulepreload)"/.test(tag) && /href="([^"]+)"/.exec(tag);
    if (address) await take(address[1].split("?")[0]);
  }
  return files;
}

test(`a page of the book is ${limit / 1000} kB or less until a demo is near`, async () => {
  const heavy = [];
  let most = 0;
  const known = new Map();
  const sizeOf = (text) => {
    if (!known.has(text)) known.set(text, gzipped(text));
    return known.get(text);
  };
  for (const path of (await addresses()).filter((p) => /^\/(en|ja)\//.test(p) && !p.endsWith("/book/"))) {
    const files = await filesOf(path);
    assert.ok(files.size >= 3, `${path} has ${files.size} files`);
    const sizes = [...files].map(([name, text]) => [name, sizeOf(text)]);
    const sum = sizes.reduce((all, [, size]) => all + size, 0);
    most = Math.max(most, sum);
    // A talk is a deck: reveal.js is most of it.
    const demos = Math.max(...[...files.values()].map((text) => String(text).split("<kubewalk-demo").length - 1));
    const walks = sizes.some(([name]) => /^walk-/.test(posix.basename(name)));
    const allowed = path.includes("/talks/") ? 55_000 : !walks ? limit : demos < 5 ? walkLimit : fiveLimit + (demos - 5) * furtherDemo;
    if (sum > allowed) heavy.push(`${path}: ${sum} bytes: ${sizes.map(([name, size]) => `${posix.basename(name)} ${size}`).join(", ")}`);
  }
  assert.deepEqual(heavy, [], heavy.join("\n"));
  assert.ok(most > 5000, `the heaviest has ${most} bytes`);
});

test("a browser loads no player and no recording of a demo that is far below", async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 300 } });
  const page = await context.newPage();
  const requests = [];
  page.on("request", (request) => requests.push(new URL(request.url()).pathname));
  const far = (await addresses()).find((p) => p.endsWith("/en/loop/field-guide/"));
  await page.goto(site.url(far), { waitUntil: "networkidle" });
  assert.ok(requests.length >= 3);
  assert.deepEqual(requests.filter((name) => /element|wasm|demos.*\.json\.gz$/.test(name)), []);
  await context.close();
});

/** What a host without any configuration sends for the control plane, and for the one that evaluates CEL, which few demos load. */
const wasmLimits = new Map([["kubewalk", 3_712_000], ["kubewalk-cel", 6_750_000]]);

test("the control planes are as small as they may be on any host", async () => {
  const all = await readdir(join(site.folder, "assets"));
  const wasm = new Map(all.filter((name) => name.includes(".wasm")).map((name) => [name.replace(/-[0-9A-Za-z]+\.wasm.*/, ""), name]));
  assert.deepEqual([...wasm.keys()].sort(), [...wasmLimits.keys()].sort());
  for (const [name, limit] of wasmLimits) {
    const { size } = await stat(join(site.folder, "assets", wasm.get(name)));
    assert.ok(size > 1_000_000 && size <= limit, `${name}: ${size} bytes`);
  }
});

/** All files but those of releases that are kept and the control plane that evaluates CEL, bytes. A host's disk has blocks, so that du says a fifth more. */
const siteLimit = 40_000_000;

test(`the site is ${siteLimit / 1e6} MB or less`, async () => {
  const kinds = new Map();
  let sum = 0;
  for (const file of await readdir(site.folder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const folder = file.parentPath ?? file.path;
    if (`${folder}/`.startsWith(join(site.folder, "releases/")) || file.name.startsWith("kubewalk-cel-")) continue;
    const { size } = await stat(join(folder, file.name));
    const kind = file.name.slice(file.name.indexOf("."));
    kinds.set(kind, (kinds.get(kind) ?? 0) + size);
    sum += size;
  }
  const heaviest = [...kinds].sort(([, a], [, b]) => b - a).slice(0, 8);
  const told = heaviest.map(([kind, size]) => `${kind} ${(size / 1e6).toFixed(1)}`).join(", ");
  assert.ok(sum <= siteLimit, `it is ${(sum / 1e6).toFixed(1)} MB: ${told}`);
  assert.ok(sum > 10_000_000, `it is only ${sum} bytes: not the book`);
});

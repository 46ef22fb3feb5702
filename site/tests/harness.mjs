// What browser tests share: the built site on a free port, with the headers of
// production, and a Chromium.
//
//   const site = await openSite();        // serves public/
//   const browser = await openBrowser();
//   const page = await openPage(browser, site.url("/en/"), { theme: "dark", width: 360 });
//   …
//   page.problems                         // console errors, failed requests, policy violations
//   await browser.close(); await site.close();

import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { delimiter, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

/** The project's folder. */
export const root = resolve(fileURLToPath(import.meta.url), "../../..");

const types = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".webp": "image/webp",
  ".wasm": "application/wasm",
  ".gz": "application/gzip",
  ".zst": "application/zstd",
  ".xml": "application/xml",
  ".txt": "text/plain; charset=utf-8",
};

/** Reads Netlify's _headers: [[path, [[name, value] …]] …]. */
export function parseHeaders(text) {
  const rules = [];
  for (const line of text.split("\n")) {
    if (!line.trim() || line.startsWith("#")) continue;
    if (line.startsWith("/")) rules.push([line.trim(), []]);
    else {
      const colon = line.indexOf(":");
      rules.at(-1)[1].push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()]);
    }
  }
  return rules;
}

/** The headers for a path, joined where several rules set one: hosts do that, or send the last, which comes to the same. */
export function matchHeaders(rules, path) {
  const out = {};
  for (const [pattern, headers] of rules) {
    const prefix = pattern.endsWith("*") ? pattern.slice(0, -1) : undefined;
    const matches = prefix === undefined ? path === pattern : path.startsWith(prefix) || `${path}/` === prefix;
    if (!matches) continue;
    for (const [name, value] of headers) out[name] = out[name] ? `${out[name]}, ${value}` : value;
  }
  return out;
}

/**
 * Serves a built site on a free port of 127.0.0.1. `pages` adds pages of a
 * test's own: path → HTML (or { type, headers, body }); they have no policy. `compressed`
 * answers as production does, for who counts bytes. `port` is one that a site had
 * which was closed: it is there again, or another version of it.
 */
export async function openSite({ dir = resolve(root, process.env.SITE ?? "public"), pages = {}, compressed = false, port = 0 } = {}) {
  const file = join(dir, "_headers");
  if (!existsSync(file)) throw new Error(`${dir} holds no site: run \`make build\` first`);
  const rules = parseHeaders(await readFile(file, "utf8"));
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
    const own = pages[path];
    if (own !== undefined) {
      response.writeHead(200, { "Content-Type": own.type ?? types[".html"], ...own.headers });
      response.end(own.body ?? own);
      return;
    }
    const name = path.endsWith("/") ? `${path}index.html` : path;
    const full = join(dir, name);
    const headers = matchHeaders(rules, path);
    const inside = full.startsWith(dir) && !name.startsWith("/_");
    try {
      if (!inside) throw new Error("outside");
      const body = await readFile(full);
      const type = types[extname(name)] ?? "application/octet-stream";
      if (compressed && !/image\/(png|webp)|gzip|zstd/.test(type)) headers["Content-Encoding"] = "gzip";
      response.writeHead(200, { "Content-Type": type, ...headers });
      response.end(headers["Content-Encoding"] ? gzipSync(body) : body);
    } catch {
      response.writeHead(404, { ...headers, "Content-Type": types[".html"] });
      response.end(await readFile(join(dir, "404.html")));
    }
  });
  await new Promise((done) => server.listen(port, "127.0.0.1", done));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    port: server.address().port,
    folder: dir,
    url: (path) => origin + path,
    close: () =>
      new Promise((done) => {
        server.close(done);
        server.closeAllConnections();
      }),
  };
}

/** What a compressed JSON file of a site says (generator/build/compressed). */
export async function jsonAt(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  return JSON.parse(gunzipSync(Buffer.from(await answer.arrayBuffer())).toString());
}

/** The addresses of all pages of a built site, without those of releases that are kept: those that are pages, or those that only lead to another one. */
export async function addresses({ moved = false, dir = resolve(root, process.env.SITE ?? "public") } = {}) {
  const files = (await readdir(dir, { recursive: true })).map((f) => f.replaceAll("\\", "/"))
    .filter((f) => f.endsWith("index.html") && !f.startsWith("releases/"));
  const leads = await Promise.all(files.map(async (f) => (await readFile(join(dir, f), "utf8")).includes('<meta http-equiv="refresh"')));
  return files
    .filter((_, i) => leads[i] === moved)
    .map((f) => `/${f.slice(0, -"index.html".length)}`)
    .sort();
}

/** Gives a test's book the settings of the real one, without its redirects: they lead to pages of the whole book. */
export async function writeSettings(content) {
  const settings = await readFile(join(root, "content/site.yaml"), "utf8");
  await writeFile(join(content, "site.yaml"), settings.replace(/^redirects:\n(?: .*\n)*/m, ""));
}

/** Runs the development server on a copy of the book; PORT is free. */
export async function openDevelopment(content) {
  const port = await freePort();
  const child = spawn(generator(), ["serve", "--content", content, "--addr", `127.0.0.1:${port}`], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout.on("data", (data) => (output += data));
  child.stderr.on("data", (data) => (output += data));
  const gone = new Promise((done) => child.once("exit", done));
  const origin = `http://127.0.0.1:${port}`;
  const deadline = Date.now() + 180_000;
  for (;;) {
    const up = await fetch(`${origin}/`).then((r) => r.ok, () => false);
    if (up) break;
    if (child.exitCode !== null || Date.now() > deadline) {
      child.kill();
      throw new Error(`the development server did not come up:\n${output}`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
  return {
    origin,
    url: (path) => origin + path,
    output: () => output,
    close: async () => {
      child.kill();
      await gone;
    },
  };
}

/** The generator that make compiled, or another one. */
export function generator() {
  if (process.env.GENERATOR) return process.env.GENERATOR;
  const file = join(root, ".cache", process.platform === "win32" ? "generator.exe" : "generator");
  if (!existsSync(file)) throw new Error(`${file} is missing: run the browser tests with \`make test-browser\``);
  return file;
}

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** Chromium without windows: the same engine, and a page opens in a third of the time. */
export const headlessShell = "chromium-headless-shell";

/** Where a Chromium or Chrome may be, best first. */
function candidates() {
  const names = [headlessShell, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome", "microsoft-edge"];
  const suffix = process.platform === "win32" ? ".exe" : "";
  const found = (process.env.PATH ?? "").split(delimiter).flatMap((dir) => names.map((n) => join(dir, n + suffix)));
  const programs = [process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"], process.env.LOCALAPPDATA].filter(Boolean);
  return [
    ...found,
    "/usr/bin/chromium",
    "/snap/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    ...programs.flatMap((dir) => [
      join(dir, "Google/Chrome/Application/chrome.exe"),
      join(dir, "Chromium/Application/chrome.exe"),
      join(dir, "Microsoft/Edge/Application/msedge.exe"),
    ]),
  ];
}

/** The browser to test with; CHROME_PATH comes first. */
export function findBrowser() {
  const wanted = process.env.CHROME_PATH;
  if (wanted) {
    if (!existsSync(wanted)) throw new Error(`CHROME_PATH=${wanted}: there is no such file`);
    return wanted;
  }
  const found = candidates().find((file) => existsSync(file));
  if (!found) {
    throw new Error("no Chromium or Chrome found: install one (Debian: apt-get install chromium), or set CHROME_PATH to its program");
  }
  return found;
}

/** Starts a Chromium with a profile of its own, which goes with it; `asReaders`: one that compiles as readers' browsers do, to be measured. */
export async function openBrowser({ asReaders = false } = {}) {
  const profile = await mkdtemp(join(tmpdir(), "kubewalk-browser-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findBrowser(),
    headless: true,
    args: [
      // A root user in a container has no sandbox to be in.
      ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      // A test's control plane lives for seconds: compiling it well, in the background, costs more than it gives back (a third of
      // all processor time). Readers' browsers do it as they do.
      ...(asReaders ? [] : ["--js-flags=--liftoff-only --wasm-lazy-validation"]),
    ],
  });
  const browser = context.browser();
  return {
    /** A context of its own: storage, size, theme. */
    newContext: (options) => (browser ?? context).newContext(options),
    /** Chromium's own protocol, for the whole browser. */
    newBrowserCDPSession: () => browser.newBrowserCDPSession(),
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

/** The Firefox to test with; FIREFOX_PATH comes first. */
export function findFirefox() {
  const wanted = process.env.FIREFOX_PATH;
  if (wanted) {
    if (!existsSync(wanted)) throw new Error(`FIREFOX_PATH=${wanted}: there is no such file`);
    return wanted;
  }
  const suffix = process.platform === "win32" ? ".exe" : "";
  const found = [
    ...(process.env.PATH ?? "").split(delimiter).flatMap((dir) => ["firefox-esr", "firefox"].map((n) => join(dir, n + suffix))),
    "/Applications/Firefox.app/Contents/MacOS/firefox",
    ...[process.env.PROGRAMFILES, process.env["PROGRAMFILES(X86)"]].filter(Boolean).map((dir) => join(dir, "Mozilla Firefox/firefox.exe")),
  ].find((file) => existsSync(file));
  if (!found) throw new Error("no Firefox found: install one (Debian: apt-get install firefox-esr), or set FIREFOX_PATH to its program");
  return found;
}

/**
 * Starts a Firefox with a profile of its own. What a page sees of its reader's
 * wishes is set for all of it: Firefox has no way to pretend for one page.
 */
export async function openFirefox({ theme = "light", width = 1280, height = 900, script = true, motion = "reduce" } = {}) {
  const { default: puppeteer } = await import("puppeteer-core");
  const browser = await puppeteer.launch({
    browser: "firefox",
    executablePath: findFirefox(),
    headless: true,
    timeout: 120_000, // the first start of a profile, on a busy machine
    protocolTimeout: 120_000,
    extraPrefsFirefox: {
      "layout.css.prefers-color-scheme.content-override": theme === "dark" ? 0 : 1,
      "ui.prefersReducedMotion": motion === "reduce" ? 1 : 0,
      "intl.accept_languages": "en",
    },
  });
  return {
    close: () => browser.close(),
    /** Opens a page; problems holds console errors, exceptions, failed requests and violations of the policy. */
    async open(url) {
      const page = await browser.newPage();
      await page.setViewport({ width, height }).catch((error) => {
        if (!/unknown command emulation\.setScreenOrientationOverride/.test(error.message)) throw error; // older Firefoxes lack it; the size is set
      });
      // Puppeteer's own builds a Function in the page, which the policy forbids in older Firefoxes.
      page.waitForFunction = async (look, { timeout = 30_000 } = {}, ...given) => {
        for (const deadline = Date.now() + timeout; !(await page.evaluate(look, ...given)); await new Promise((done) => setTimeout(done, 50)))
          if (Date.now() > deadline) throw new Error(`waited ${timeout} ms in vain for ${look}`);
      };
      page.problems = [];
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warn") page.problems.push(`console: ${message.text()}`);
      });
      page.on("pageerror", (error) => page.problems.push(`exception: ${error.stack ?? error}`));
      page.on("response", (response) => {
        if (response.status() >= 400) page.problems.push(`request: ${response.url()} ${response.status()}`);
      });
      if (!script) {
        // Its protocol cannot switch script off: the page's own files are not given.
        await page.setRequestInterception(true);
        page.on("request", (request) => (/\.js$/.test(new URL(request.url()).pathname)
          ? request.respond({ status: 200, contentType: "text/javascript", body: "" })
          : request.continue()));
      }
      await page.evaluateOnNewDocument(() => {
        addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} blocked ${event.blockedURI} (${event.sourceFile}:${event.lineNumber})`));
      });
      await page.goto(url, { waitUntil: "load", timeout: 120_000 });
      return page;
    },
  };
}

/**
 * Opens a page and collects what goes wrong in it: page.problems holds console
 * errors, exceptions, failed requests and violations of the policy, and page.pending
 * what is on the way to it.
 */
export async function openPage(browser, url, { theme = "light", width = 1280, height = 900, script = true, motion = "reduce", context: more = {} } = {}) {
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    javaScriptEnabled: script,
    reducedMotion: motion,
    serviceWorkers: "block", // it would answer in the place of page.route; tests of it ask for it
    ...more,
  });
  const page = await context.newPage();
  page.problems = [];
  page.pending = new Set();
  page.on("request", (request) => page.pending.add(request));
  for (const end of ["requestfinished", "requestfailed"]) page.on(end, (request) => page.pending.delete(request));
  page.on("console", (message) => {
    if (message.text() === "Service Worker registration blocked by Playwright") return;
    if (message.type() === "error" || message.type() === "warning") page.problems.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => page.problems.push(`exception: ${error.stack ?? error}`));
  page.on("request", (request) => {
    const home = /^https?:/.test(url) ? new URL(url).origin : undefined;
    if (home && /^https?:/.test(request.url()) && new URL(request.url()).origin !== home) page.problems.push(`request leaves the site: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    // A page that is left, as by a reload, drops what it was still loading. What
    // the policy or a server refuses has other words.
    const why = request.failure()?.errorText;
    if (why !== "net::ERR_ABORTED") page.problems.push(`request: ${request.url()} ${why}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) page.problems.push(`request: ${response.url()} ${response.status()}`);
  });
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} blocked ${event.blockedURI} (${event.sourceFile}:${event.lineNumber})`));
  });
  unfolding(page);
  await page.goto(url, { waitUntil: "load" });
  return page;
}

/**
 * Waits until nothing is on the way to a page of openPage's, and the page has drawn twice since, so that what it asks for next
 * is counted too. Unlike Playwright's "networkidle" it does not wait for half a second without any request.
 */
export async function quiet(page) {
  const deadline = Date.now() + 60_000;
  for (let still = 0; still < 2; still = page.pending.size === 0 ? still + 1 : 0) {
    if (Date.now() > deadline) throw new Error(`still on the way: ${[...page.pending].map((request) => request.url()).join(", ")}`);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
  }
}

/** Evaluates a function in an empty page: in one of the site's, Trusted Types let no test parse a text. */
export async function inEmptyPage(page, look, given) {
  const empty = await page.context().newPage();
  try {
    return await empty.evaluate(look, given);
  } finally {
    await empty.close();
  }
}

/** Shows a part of what a demo has folded away: "act", "log", "lanes" or "options". Of several on a page, that of the first. */
export async function turnTo(page, side) {
  const tab = page.locator(`.kw-tab[id$="-${side}-tab"]`).first();
  if (!(await tab.isVisible())) await page.locator(".kw-more-button").first().click();
  await tab.click();
}

/** Lets a page's click, fill and the like do what a reader does first: open the part of the demo's panel that has the element. */
function unfolding(page) {
  for (const act of ["click", "fill", "press", "selectOption", "hover", "focus"]) {
    const plain = page[act].bind(page);
    page[act] = async (selector, ...rest) => {
      const element = page.locator(selector).first();
      await element.waitFor({ state: "attached" });
      await element.evaluate((e) => {
        const part = e.closest(".kw-side-page");
        if (part && (part.hidden || part.closest("[hidden]"))) document.querySelector(`[aria-controls="${part.id}"]`).click();
      });
      return plain(selector, ...rest);
    };
  }
}

/** The Java that runs the W3C's checker. */
export function findJava() {
  const file = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, "bin", "java") : "java";
  if (spawnSync(file, ["-version"]).status === 0) return file;
  throw new Error("no Java: install one (Debian: default-jre-headless), or set JAVA_HOME");
}

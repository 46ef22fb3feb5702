// The service worker: what a reader has visited is there without a connection.
//
//   - A page comes from the network, so that it is the newest; without one, or when
//     the network takes too long, it is the page that was kept. Then all it loads is
//     kept, too, since files are kept under names that change with their content: a page
//     and its files are always of one version.
//   - Such files come from the cache once they are in it, for as long as a page that
//     is kept may ask for them.
//   - When the site has a new version, the pages that are kept are fetched again, and
//     then whatever no longer belongs to it is removed.
//
// generator/build/offline puts `site` in front of it.

import { partOf, storesOf, type List, type Request as Asked, type Progress } from "./stores";

declare const self: ServiceWorkerGlobalScope;
declare const site: {
  version: string; // changes with every file of the site
  base: string; // of its addresses, with a slash at the end
  fallbacks: Record<string, string>; // by language: the page that says what is there; "" is the first
  shell: string[]; // what those pages load
};

const stores = storesOf(site.base);

/** How many are kept besides a book that the reader keeps whole. */
const most = { pages: 60, files: 500 };

/** How long the network may take when the page is kept, milliseconds. */
const patience = 3000;

/** How long a page that was fetched ahead is as good as fetched now, milliseconds. */
const freshFor = 60_000;

/** The list of what can be kept, and notes of the worker's own, in the cache of pages: no page has such an address. */
const listAt = `${site.base}offline.json`;
const note = { version: `${site.base}_offline/version`, kept: `${site.base}_offline/kept` };

self.addEventListener("install", (event) => {
  event.waitUntil(
    (async () => {
      const [pages, files] = await Promise.all([stores.pages(), stores.files()]);
      await pages.addAll(Object.values(site.fallbacks).map((url) => new Request(url, { cache: "no-cache" })));
      await Promise.all(site.shell.map(async (url) => (await files.match(url)) ?? files.add(url)));
      await self.skipWaiting();
    })(),
  );
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  url.hash = ""; // names a picture in a file of several
  if (request.method !== "GET" || url.origin !== location.origin || !url.pathname.startsWith(site.base)) return;
  if (isNamedByContent(url)) event.respondWith(file(event, url));
  else if (url.pathname.endsWith("/")) event.respondWith(page(event, url));
  else if (url.pathname === listAt || url.pathname.startsWith(`${site.base}source/`) || isIndex(url)) event.respondWith(newest(event));
});

/** A hash in its name, or the version of the demo behind it: never another file. */
function isNamedByContent(url: URL): boolean {
  return url.pathname.startsWith(`${site.base}assets/`) || /-[0-9a-f]{10}\.\w+$/.test(url.pathname) || /^\?v=\w+$/.test(url.search);
}

/** What a search reads first: it names files by their content, and has none such name itself. */
function isIndex(url: URL): boolean {
  return url.pathname.startsWith(`${site.base}search/`);
}

async function file(event: FetchEvent, url: URL): Promise<Response> {
  const files = await stores.files();
  const kept = await files.match(url.href);
  if (kept) return kept;
  const answer = await fetch(event.request);
  if (answer.status === 200 && answer.type === "basic") event.waitUntil(files.put(url.href, answer.clone()));
  return answer;
}

/** From the network, or as it was kept. */
async function newest(event: FetchEvent): Promise<Response> {
  const files = await stores.files();
  try {
    const answer = await fetch(event.request);
    if (answer.status === 200) event.waitUntil(files.put(event.request.url, answer.clone()));
    return answer;
  } catch (error) {
    const kept = await files.match(event.request.url);
    if (kept) return kept;
    throw error;
  }
}

/** Pages that were fetched before the reader asked for them. */
const ahead = new Map<string, { at: number; answer: Response }>();

async function page(event: FetchEvent, url: URL): Promise<Response> {
  const address = url.origin + url.pathname;
  const opens = event.request.mode === "navigate";
  const fetched = ahead.get(address);
  ahead.delete(address);
  if (opens && fetched && Date.now() - fetched.at < freshFor) {
    event.waitUntil(keep(address, fetched.answer.clone()).then(renew));
    return fetched.answer;
  }
  const pages = await stores.pages();
  const kept = await pages.match(address);
  const network = fetch(event.request).then((answer) => {
    if (answer.status === 200 && answer.type === "basic") {
      const copy = answer.clone();
      if (opens) event.waitUntil(keep(address, copy).then(renew));
      else ahead.set(address, { at: Date.now(), answer: copy });
    }
    return answer;
  });
  event.waitUntil(network.catch(() => undefined)); // also when it comes late
  try {
    const answer = await (kept ? Promise.race([network, late()]) : network);
    return answer.status >= 500 && kept ? kept : answer;
  } catch (error) {
    const instead = kept ?? (opens ? await pages.match(fallback(url)) : undefined);
    if (instead) return instead;
    throw error;
  }
}

function late(): Promise<never> {
  return new Promise((_, fail) => setTimeout(fail, patience, new Error("late")));
}

function fallback(url: URL): string {
  const language = url.pathname.slice(site.base.length).split("/")[0] ?? "";
  return site.fallbacks[language] ?? Object.values(site.fallbacks)[0] ?? "";
}

/** Keeps a page as the last one that was read, and lets go of those read longest ago. */
async function keep(address: string, answer: Response): Promise<void> {
  await end(answer);
  const pages = await stores.pages();
  await pages.delete(address);
  await pages.put(address, answer);
  if (await pages.match(note.kept)) return;
  await trim(pages, most.pages, (url) => !url.includes("/_offline/") && !Object.values(site.fallbacks).includes(url));
  await trim(await stores.files(), most.files, (url) => !url.startsWith(`${site.base}assets/`));
}

/** Removes the oldest entries that may be removed, until there are no more than that. */
async function trim(cache: Cache, most: number, may: (path: string) => boolean): Promise<void> {
  const requests = (await cache.keys()).filter((r) => may(new URL(r.url).pathname));
  for (const request of requests.slice(0, Math.max(0, requests.length - most))) await cache.delete(request);
}

async function list(): Promise<List> {
  const answer = await fetch(listAt, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`offline.json: ${answer.status}`);
  return (await answer.json()) as List;
}

let renewing: Promise<void> | undefined;

/** Brings what is kept to this version, once. What fails is tried with the next page. */
function renew(): Promise<void> {
  renewing ??= bring().catch(() => {
    renewing = undefined;
  });
  return renewing;
}

async function bring(): Promise<void> {
  const [pages, files] = await Promise.all([stores.pages(), stores.files()]);
  if ((await (await pages.match(note.version))?.text()) === site.version) return;
  const now = await list();
  if (now.version !== site.version) return; // the next worker is on its way
  const there = new Set(now.files.map(([url]) => new URL(url, location.origin).href));
  for (const request of await pages.keys()) {
    if (new URL(request.url).pathname.startsWith(`${site.base}_offline/`)) continue;
    if (!there.has(request.url)) await pages.delete(request);
    else await add(pages, request.url);
  }
  const whole = await pages.match(note.kept);
  if (whole) {
    const { language, layout } = (await whole.json()) as { language: string; layout: string };
    await fill(now, language, layout, () => undefined);
  }
  // Now that no page asks for them: files of versions that are gone.
  for (const request of await files.keys()) {
    if (!there.has(request.url) && !request.url.includes("/source/") && !request.url.endsWith(listAt)) await files.delete(request);
    else if (isIndex(new URL(request.url))) await add(files, request.url);
  }
  await pages.put(note.version, new Response(site.version));
}

async function add(cache: Cache, url: string): Promise<void> {
  const answer = await fetch(url, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${new URL(url, location.origin).pathname}: ${answer.status}`);
  await end(answer);
  await cache.put(url, answer);
}

/** Waits for the end of an answer: what breaks off must not take the place of what is kept. */
async function end(answer: Response): Promise<void> {
  await answer.clone().arrayBuffer();
}

/** Fetches what is missing of the book, a few at a time. */
async function fill(now: List, language: string, layout: string, tell: (done: number, of: number) => void): Promise<void> {
  const [pages, files] = await Promise.all([stores.pages(), stores.files()]);
  const wanted = partOf(now, language, layout);
  let done = 0;
  const rest = wanted.values();
  const take = async () => {
    for (const [url] of rest) {
      const cache = url.endsWith("/") ? pages : files;
      if (!(await cache.match(url))) await add(cache, url);
      tell(++done, wanted.length);
    }
  };
  await Promise.all([take(), take(), take(), take()]);
}

self.addEventListener("message", (event) => {
  const asked = event.data as Asked;
  if (asked.type === "visit") event.waitUntil(visited(asked.urls).catch(() => undefined));
  if (asked.type === "keep") {
    const port = event.ports[0];
    const tell = (progress: Progress) => port?.postMessage(progress);
    event.waitUntil(
      whole(asked.language, asked.layout, (done, of) => tell({ done, of })).catch((error: unknown) =>
        tell({ failed: error instanceof Error ? error.message : String(error) }),
      ),
    );
  }
});

/** Keeps what a page loaded before the worker was there; the browser has most of it. */
async function visited(urls: string[]): Promise<void> {
  const files = await stores.files();
  for (const href of urls) {
    const url = new URL(href);
    url.hash = "";
    if (url.origin !== location.origin || !url.pathname.startsWith(site.base)) continue;
    if (isNamedByContent(url)) {
      if (!(await files.match(url.href))) await files.add(url.href);
    } else if (url.pathname.endsWith("/")) {
      const answer = await fetch(url.origin + url.pathname);
      if (answer.status === 200) await keep(url.origin + url.pathname, answer);
    }
  }
}

async function whole(language: string, layout: string, tell: (done: number, of: number) => void): Promise<void> {
  const pages = await stores.pages();
  await fill(await list(), language, layout, tell);
  await pages.put(note.kept, new Response(JSON.stringify({ language, layout })));
}

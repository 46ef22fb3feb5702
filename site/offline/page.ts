// The page about reading without a connection: which pages are there, and the
// button that gets all of them. The service worker shows it in place of a page that
// is not there.

import "./page.css";
import { partOf, storesOf, type List, type Progress, type Request as Asked } from "./stores";

const root = document.documentElement;
const base = root.dataset["base"] ?? "/";
const stores = storesOf(base);
const at = (selector: string) => document.querySelector<HTMLElement>(selector) as HTMLElement;
const box = at("[data-offline]");
const words = box.dataset;

/** Puts values into a text: "{n} of {of}". */
const fill = (text: string | undefined, values: Record<string, string | number>) =>
  (text ?? "").replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));

const megabytes = (bytes: number) => (bytes / 1e6).toLocaleString(root.lang, { maximumFractionDigits: bytes < 1e7 ? 1 : 0 });

/** Pictures of demos come for wide and for narrow places: this device's. */
const layout = innerWidth >= 1000 ? "wide" : "narrow";

/** Marks the pages that are there, and leaves only those while there is no connection. */
async function show(): Promise<void> {
  const pages = await stores.pages();
  const there = new Set((await pages.keys()).map((request) => new URL(request.url).pathname));
  let count = 0;
  for (const link of document.querySelectorAll<HTMLAnchorElement>("[data-pages] a")) {
    const has = there.has(link.pathname);
    if (has) count++;
    const item = link.closest("li") as HTMLElement;
    item.classList.toggle("is-there", has);
    item.hidden = !has;
  }
  for (const part of document.querySelectorAll<HTMLElement>("[data-pages] section")) part.hidden = !part.querySelector("li:not([hidden])");
  at("button[data-remove]").hidden = !count;
  at("[data-count]").textContent = count ? fill(words["there"], { n: count }) : (words["none"] ?? "");
  at("[data-lost]").hidden = navigator.onLine && location.pathname === words["offline"];
}

async function whole(): Promise<void> {
  const button = at("button[data-keep]") as HTMLButtonElement;
  const bar = at("progress") as HTMLProgressElement;
  const status = at("[data-status]");
  const remove = at("button[data-remove]") as HTMLButtonElement;
  status.textContent = ""; // it said that there is no script
  let files = 0;
  try {
    const list = (await (await fetch(`${base}offline.json`)).json()) as List;
    const part = partOf(list, root.lang, layout);
    files = part.reduce((sum, [, size]) => sum + size, 0);
  } catch {
    button.disabled = true; // there is no connection
  }
  button.textContent = files ? fill(words["keep"], { mb: megabytes(files) }) : (words["keepUnknown"] ?? "");
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { active } = await navigator.serviceWorker.ready;
    void navigator.storage?.persist?.();
    button.disabled = true;
    bar.hidden = false;
    bar.removeAttribute("value");
    const channel = new MessageChannel();
    channel.port1.onmessage = ({ data }: MessageEvent<Progress>) => {
      if ("failed" in data) {
        status.textContent = fill(words["failed"], { why: data.failed });
      } else {
        bar.max = data.of;
        bar.value = data.done;
        if (data.done < data.of) return;
        status.textContent = words["kept"] ?? "";
      }
      bar.hidden = true;
      button.disabled = false;
      void show();
    };
    active?.postMessage({ type: "keep", language: root.lang, layout } satisfies Asked, [channel.port2]);
  });
  remove.addEventListener("click", async () => {
    await stores.clear();
    status.textContent = words["removed"] ?? "";
    await show();
  });
}

if ("serviceWorker" in navigator && "caches" in globalThis) {
  void show();
  void whole();
  for (const type of ["online", "offline"]) addEventListener(type, () => void show());
}

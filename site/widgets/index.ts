// What every page with a demo loads. The player comes when a demo is near: its
// script and its style, which the demo's element names. Where a page begins with a
// demo, this runs as soon as it is there, and the player is fetched while the page
// is still being read.

import { keepTarget } from "./anchor";
import { isSingleFile } from "./dom/single";
import { dataOf } from "./files";
import { isLinked, partsOf, whenNear } from "./near";

let started: Promise<void> | undefined;

const demosOfPage = () => [...document.querySelectorAll<HTMLElement>("kubewalk-demo")];

/** The page has been read to its end. */
const read = new Promise<unknown>((done) => {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", done);
  else done(0);
});

/** Adds a link to the page, and waits for what it leads to. */
function link(rel: string, href: string, attributes: Partial<HTMLLinkElement> = {}): Promise<unknown> {
  return new Promise((onload, fail) => {
    document.head.append(Object.assign(document.createElement("link"), { rel, href, onload, onerror: () => fail(new Error(href)), ...attributes }));
  });
}

/** Adds a style sheet to the page, unless it is there, and waits for it. */
function style(href: string): Promise<unknown> {
  const there = [...document.querySelectorAll<HTMLElement>("link[rel=stylesheet], style")].some((e) => (e.getAttribute("href") ?? e.dataset["href"]) === href);
  return there ? Promise.resolve() : link("stylesheet", href);
}

/** Once the page has come to its first demo, and has been laid out: what asks for a width then costs nothing. */
async function firstDemo(): Promise<HTMLElement | undefined> {
  let demo: HTMLElement | undefined;
  while (!(demo = demosOfPage()[0]) && document.readyState === "loading") await Promise.race([new Promise(requestAnimationFrame), read]);
  if (demo) await new Promise((done) => new ResizeObserver((_, sizes) => done(sizes.disconnect())).observe(demo));
  return demo;
}

/** Gets the style, and sends for the data, while the script is on its way. */
async function loadRest(): Promise<void> {
  const demo = await firstDemo();
  if (!demo) return;
  if (!isLinked() && !isSingleFile()) for (const url of dataOf(demo)) link("preload", url, { as: "fetch", crossOrigin: "" }).catch(() => {}); // the player says so
  await style(demo.dataset["style"] ?? "");
}

async function load(): Promise<void> {
  const [{ KubewalkDemo }] = await Promise.all([import("./element"), loadRest(), read]);
  customElements.define("kubewalk-demo", KubewalkDemo);
}

/** Gets the player, once. Without it a demo is its storyboard, whole. */
function start(): void {
  started ??= load().catch(() => demosOfPage().forEach((demo) => demo.classList.add("is-failed")));
}

if (isLinked() || document.querySelector("script[data-near]")) start();
addEventListener("hashchange", () => isLinked() && start());
void read.then(() => {
  keepTarget();
  for (const demo of demosOfPage()) whenNear(partsOf(demo), start);
  if (document.querySelector("[data-exercises]")) void import("./panels/progress");
});

// What a player needs besides its script is sent for while that is on its way.

import { isSingleFile } from "./dom/single";
import { fileOf, layoutOf } from "./files";
import { isLinked } from "./near";

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

/** The page's first demo, once the page has come to it, and has been laid out: what asks for a width then costs nothing. */
async function firstDemo(read: Promise<unknown>): Promise<HTMLElement | null> {
  const find = () => document.querySelector<HTMLElement>("kubewalk-demo");
  while (!find() && document.readyState === "loading") await Promise.race([new Promise(requestAnimationFrame), read]);
  const demo = find();
  if (demo) await new Promise((done) => new ResizeObserver((_, sizes) => done(sizes.disconnect())).observe(demo));
  return demo;
}

/** Gets the style, and sends for the data. `read`: the page has been read to its end. */
export async function sendFor(read: Promise<unknown>): Promise<void> {
  const demo = await firstDemo(read);
  if (!demo) return;
  const data = isLinked() || isSingleFile() ? [] : [fileOf(demo, `${layoutOf(demo)}.json`), fileOf(demo, "scenario.json"), demo.dataset["phrases"] ?? ""];
  for (const url of data) link("preload", url, { as: "fetch", crossOrigin: "" }).catch(() => {}); // the player asks again, and says so
  await style(demo.dataset["style"] ?? "");
}

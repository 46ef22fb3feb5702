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

/** Gets the style that a page's first demo names, and sends for its data once it has been laid out: what asks for a width then costs nothing. */
export async function sendFor(demo: HTMLElement | undefined): Promise<void> {
  if (!demo) return;
  const laidOut = new ResizeObserver(() => { // never, while it is out of sight in a tab
    laidOut.disconnect();
    const data = [fileOf(demo, `${layoutOf(demo)}.json`), fileOf(demo, "scenario.json"), demo.dataset["phrases"] ?? ""];
    for (const url of data) link("preload", url, { as: "fetch", crossOrigin: "" }).catch(() => {}); // the player asks again, and says so
  });
  if (!isLinked() && !isSingleFile()) laidOut.observe(demo);
  await style(demo.dataset["style"] ?? "");
}

// What every page with a demo loads. The player comes when a demo is near: its
// script and its style, which the demo's element names.

import { keepTarget } from "./anchor";
import { isLinked, partsOf, whenNear } from "./near";

const demos = [...document.querySelectorAll<HTMLElement>("kubewalk-demo")];
let started: Promise<void> | undefined;

/** Adds a style sheet to the page, unless it is there, and waits for it. */
function style(href: string): Promise<void> {
  const there = [...document.querySelectorAll<HTMLElement>("link[rel=stylesheet], style")].some((e) => (e.getAttribute("href") ?? e.dataset["href"]) === href);
  if (there) return Promise.resolve();
  return new Promise((done, fail) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.onload = () => done();
    link.onerror = () => fail(new Error(href));
    document.head.append(link);
  });
}

async function load(): Promise<void> {
  if (demos[0] && !isLinked()) void import("./files").then(({ fetchEarly }) => fetchEarly(demos[0]!), () => {});
  const [{ KubewalkDemo }] = await Promise.all([import("./element"), style(demos[0]?.dataset["style"] ?? "")]);
  customElements.define("kubewalk-demo", KubewalkDemo);
}

/** Gets the player, once. Without it a demo is its storyboard, whole. */
function start(): void {
  started ??= load().catch(() => demos.forEach((demo) => demo.classList.add("is-failed")));
}

keepTarget();
if (isLinked()) start();
addEventListener("hashchange", () => isLinked() && start());
for (const demo of demos) whenNear(partsOf(demo), start);
if (document.querySelector("[data-exercises]")) void import("./panels/progress");

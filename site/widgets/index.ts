// What every page with a demo loads. The player comes when a demo is near: its
// script and its style, which the demo's element names. Where a page begins with a
// demo, that is so from the beginning: nobody has to look where the demo is.

import { keepTarget } from "./anchor";
import { isLinked, partsOf, whenNear } from "./near";

let started: Promise<void> | undefined;

const demosOfPage = () => [...document.querySelectorAll<HTMLElement>("kubewalk-demo")];

/** The page has been read to its end. */
const read = new Promise<unknown>((done) => (document.readyState === "loading" ? document.addEventListener("DOMContentLoaded", done) : done(0)));

async function load(): Promise<void> {
  const [{ KubewalkDemo }] = await Promise.all([import("./element"), import("./early").then(({ sendFor }) => sendFor(read)), read]);
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

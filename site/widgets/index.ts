// What every page with a demo loads. The player comes when a demo is near: its
// script and its style, which the demo's element names. Where a page begins with a
// demo, that is so from the beginning: nobody has to look where the demo is.

import { keepTarget } from "./anchor";
import { isLinked, partsOf, whenNear } from "./near";

const demos = [...document.querySelectorAll<HTMLElement>("kubewalk-demo")];
let started: Promise<void> | undefined;

async function load(): Promise<void> {
  const [{ KubewalkDemo }] = await Promise.all([import("./element"), import("./early").then(({ sendFor }) => sendFor(demos[0]))]);
  customElements.define("kubewalk-demo", KubewalkDemo);
}

/** Gets the player, once. Without it a demo is its storyboard, whole. */
function start(): void {
  started ??= load().catch(() => demos.forEach((demo) => demo.classList.add("is-failed")));
}

keepTarget();
if (isLinked() || document.querySelector("script[data-near]")) start();
addEventListener("hashchange", () => isLinked() && start());
for (const demo of demos) whenNear(partsOf(demo), start);
if (document.querySelector("[data-exercises]")) void import("./panels/progress");

// A demo beside another demo's text. A link or an exercise there may be about it: then it takes the place of the demo
// whose text it is, until the reader leaves that text, turns to its own demo or comes back to the guest's text. So hand and effect are in one view.

import { h } from "./dom/dom";

/** What was pressed last: a link that was followed is where the reader is. */
let pressed: Element | undefined;
document.addEventListener("click", ({ target }) => {
  pressed = target instanceof Element ? target : undefined;
  // What is done with it at home, such as scrolling to it, finds it there.
  // Its host may not have been started yet: then nobody but the guest hears of a link to it.
  const host = document.querySelector<HTMLElement>(".demo.is-host")?.dataset["demo"];
  const isHosts = host !== undefined && pressed?.closest(`.walk-text a[href^="#demo-${CSS.escape(host)}-"]`);
  if (guest && (isHosts || pressed?.closest(".walk-text")?.parentElement === guest.closest(".walk"))) leave?.();
}, { capture: true });

/** The demo that is beside another one's text, and what sends it home, if there is one. */
let guest: HTMLElement | undefined;
let leave: (() => void) | undefined;

/** Where a guest is, as properties of its style (walk.css): paper knows no place beside the text. */
const sides = ["left", "top", "width", "height"] as const;

function isInSight(text: Element): boolean {
  const { top, bottom } = text.getBoundingClientRect();
  return bottom >= 0 && top <= innerHeight;
}

/** Whether a text is being read: it reaches over the middle of what is seen of the page below a picture that ends there. */
function isRead(text: Element, below: number): boolean {
  const { top, bottom } = text.getBoundingClientRect();
  const middle = (Math.max(0, below) + innerHeight) / 2;
  return top <= middle && bottom >= middle;
}

/** Whether another demo is in this one's place. */
export const hasGuest = (demo: Element): boolean => demo.classList.contains("is-host");

/**
 * Brings a demo that is beside its own text to where the reader has just pressed something. Tells whether it is a guest
 * there. came and went are called when it comes and when it is at home again.
 */
export function comeBeside(demo: HTMLElement, came: () => void, went: () => void): boolean {
  const own = demo.closest(".walk");
  const text = pressed?.closest(".walk");
  const host = text?.querySelector<HTMLElement>(":scope > .demo:not(.demo-place)");
  if (host && demo.classList.contains("is-guest") && hasGuest(host)) return true;
  leave?.();
  if (!own || !text || !host || text === own || !isInSight(text)) return false;

  const place = h("div", { class: "demo demo-place" });
  if (demo.dataset["tall"] !== undefined) place.dataset["tall"] = "";
  const asked = pressed!.closest(".walk-text > *") ?? text;
  guest = demo;
  demo.before(place);
  demo.classList.add("is-guest");
  host.classList.add("is-host");
  host.inert = true;

  const listening = new AbortController();
  leave = () => {
    guest = leave = undefined;
    listening.abort();
    place.remove();
    demo.classList.remove("is-guest");
    for (const side of sides) demo.style.removeProperty(`--${side}`);
    host.classList.remove("is-host");
    host.inert = false;
    went();
  };
  const follow = () => {
    const isAbove = host.offsetWidth > innerWidth * 0.8;
    if (!isInSight(text) || (!isInSight(asked) && isRead(own, isAbove ? host.offsetHeight : 0))) return void leave?.();
    // Above the text its own demo is pinned once it has been loaded.
    const isPinned = isAbove && !host.classList.contains("is-live");
    const box = isPinned ? new DOMRect(0, 0, host.offsetWidth, place.offsetHeight) : host.getBoundingClientRect();
    for (const side of sides) demo.style.setProperty(`--${side}`, `${box[side]}px`);
    return isPinned ? box.bottom : 0;
  };
  for (const kind of ["scroll", "resize"]) addEventListener(kind, follow, { passive: true, signal: listening.signal });
  const below = follow() ?? 0;
  const isThere = pressed!.getClientRects().length > 0; // a button may have gone as it was pressed
  const covered = below > 0 && isThere ? below + 16 - pressed!.getBoundingClientRect().top : 0;
  if (covered > 0) scrollBy({ top: -covered, behavior: "instant" });
  came();
  return true;
}

// A demo alone in a frame. The first screen is the picture, what is said about
// it, and the bar; the style (alone.css) needs to know how tall the bar is, and
// how tall what the reader may do. A button of the bar leads to what is below.

import { h, prefersStill, setAttr } from "./dom/dom";
import { icon } from "./dom/icons";
import type { Words } from "./words";

export function standAlone(root: HTMLElement, words: Words): void {
  const bar = root.querySelector<HTMLElement>(".kw-controls")!;
  const reader = root.querySelector<HTMLElement>(".kw-reader")!;
  const columns = root.querySelector<HTMLElement>(".kw-columns")!;
  const sizes = new ResizeObserver(() => {
    root.style.setProperty("--bar", `${bar.offsetHeight}px`);
    root.style.setProperty("--reader", `${reader.offsetHeight}px`);
  });
  sizes.observe(bar);
  sizes.observe(reader);

  const isBelow = () => scrollY > 24;
  const go = () => {
    const behavior = prefersStill() ? "instant" : "smooth";
    if (isBelow()) return scrollTo({ top: 0, behavior });
    const fold = innerHeight - bar.offsetHeight;
    const first = !reader.hidden && reader.getBoundingClientRect().bottom > fold + 1 ? reader : columns;
    scrollTo({ top: first.getBoundingClientRect().top + scrollY, behavior });
  };
  const button = h("button", { type: "button", class: "kw-icon-button kw-below", click: go }, icon("below"));
  const show = () => {
    const label = isBelow() ? words.above : words.below;
    setAttr(button, "aria-label", label);
    setAttr(button, "title", label);
    button.classList.toggle("is-below", isBelow());
  };
  show();
  addEventListener("scroll", show, { passive: true });
  root.querySelector(".kw-extras")!.append(button);
}

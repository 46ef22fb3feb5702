// A list that begins with what is read at a glance. A button below it opens all of
// it, and the reader goes on at the first of what has come.

import { h } from "../dom/dom";

/** So many come in one animation frame. */
const portion = 300;

export class Fold<T> {
  readonly button = h("button", { type: "button", class: "kw-more", hidden: true, click: () => this.open() });
  private all: readonly T[] = [];
  private isOpen = false;
  private shown = 0;

  /** label says how many are not shown. */
  constructor(
    private readonly list: Element, private readonly most: number, private readonly item: (of: T) => HTMLElement,
    private readonly label: (n: number) => string,
  ) {}

  /** Shows these: what was shown before, and perhaps more after it. */
  set(all: readonly T[]): void {
    this.all = all;
    this.fill();
  }

  private open(): void {
    const before = this.list.lastElementChild;
    this.isOpen = true;
    this.fill();
    const first = before ? before.nextElementSibling : this.list.firstElementChild;
    const next = first?.querySelector<HTMLElement>("button") ?? (first as HTMLElement | null);
    if (next && next.tagName !== "BUTTON") next.tabIndex = -1;
    next?.focus({ preventScroll: true }); // it stands where the button was
  }

  private fill(): void {
    const { all, isOpen, most } = this;
    const wanted = isOpen ? all.length : Math.min(all.length, most);
    const until = Math.min(wanted, this.shown + portion);
    this.list.append(...all.slice(this.shown, until).map(this.item));
    this.shown = Math.max(this.shown, until);
    this.button.hidden = isOpen || wanted === all.length;
    this.button.textContent = this.label(all.length - wanted);
    if (until < wanted) requestAnimationFrame(() => this.fill());
  }
}

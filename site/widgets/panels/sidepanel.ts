// Everything of a demo that is neither picture nor transport, in tabs: it opens
// beside the picture or over the text, and the picture stays in sight.

import { h, setAttr, uniqueId } from "../dom/dom";
import { icon } from "../dom/icons";
import type { Words } from "../words";

export type Side = "act" | "log" | "lanes" | "options";

export interface SidePanelHost {
  words: Words;
  /** What each tab shows. */
  contents: Record<Side, readonly HTMLElement[]>;
  /** A tab came into view, or none is any more. */
  shown(side: Side | undefined): void;
}

export class SidePanel {
  readonly root: HTMLElement;
  /** Opens it, and closes it. */
  readonly button: HTMLButtonElement;
  private readonly tabs: Record<Side, HTMLButtonElement>;
  private readonly pages: Record<Side, HTMLElement>;
  private readonly sides: readonly Side[];
  private side: Side = "act";

  constructor(private readonly host: SidePanelHost) {
    const { words, contents } = host;
    const id = uniqueId();
    this.sides = (Object.keys(contents) as Side[]).filter((side) => contents[side].length > 0);
    this.side = this.sides[0]!;
    this.tabs = {} as Record<Side, HTMLButtonElement>;
    this.pages = {} as Record<Side, HTMLElement>;
    for (const side of this.sides) {
      this.tabs[side] = h("button", { type: "button", role: "tab", class: "kw-tab", id: `${id}-${side}-tab`, "aria-controls": `${id}-${side}`, click: () => this.turn(side) }, words.sides[side]);
      this.pages[side] = h("div", { class: `kw-side-page kw-side-${side}`, role: "tabpanel", id: `${id}-${side}`, "aria-labelledby": `${id}-${side}-tab` }, ...contents[side]);
    }
    const close = h("button", { type: "button", class: "kw-icon-button", "aria-label": words.close, title: words.close, click: () => this.close() }, icon("close"));
    this.root = h("section", { class: "kw-sidepanel", id, "aria-label": words.side, hidden: true },
      h("div", { class: "kw-side-head" }, h("div", { class: "kw-tabs", role: "tablist", "aria-label": words.side, keydown: (event) => this.key(event as KeyboardEvent) },
        ...this.sides.map((side) => this.tabs[side])), close),
      ...this.sides.map((side) => this.pages[side]));
    this.button = h("button", { type: "button", class: "kw-button kw-more-button", "aria-expanded": "false", "aria-controls": id, click: () => this.toggle() }, words.open);
    this.mark();
  }

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  /** The tab in view. */
  get shown(): Side | undefined {
    return this.isOpen ? this.side : undefined;
  }

  /** Takes in something more. */
  take(side: Side, part: HTMLElement): void {
    this.pages[side].append(part);
  }

  /** Shows a tab. */
  reveal(side: Side): void {
    this.side = side;
    this.mark();
    this.root.hidden = false;
    setAttr(this.button, "aria-expanded", "true");
    this.host.shown(side);
  }

  close(): void {
    if (!this.isOpen) return;
    const had = this.root.contains(document.activeElement);
    this.root.hidden = true;
    setAttr(this.button, "aria-expanded", "false");
    this.host.shown(undefined);
    if (had) this.button.focus({ preventScroll: true });
  }

  private toggle(): void {
    if (this.isOpen) return this.close();
    this.reveal(this.side);
    this.tabs[this.side].focus({ preventScroll: true });
  }

  private turn(side: Side): void {
    this.reveal(side);
    this.tabs[side].focus({ preventScroll: true });
  }

  private mark(): void {
    for (const side of this.sides) {
      const isShown = side === this.side;
      setAttr(this.tabs[side], "aria-selected", String(isShown));
      this.tabs[side].tabIndex = isShown ? 0 : -1;
      this.pages[side].hidden = !isShown;
    }
  }

  private key(event: KeyboardEvent): void {
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!way) return;
    const { sides } = this;
    this.turn(sides[(sides.indexOf(this.side) + way + sides.length) % sides.length]!);
    event.preventDefault();
    event.stopPropagation();
  }
}

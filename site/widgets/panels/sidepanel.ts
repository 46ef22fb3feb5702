// Everything of a demo that is neither picture nor transport, in tabs: it opens
// beside the picture or over the text, and the picture stays in sight.

import { h, setAttr, setText, uniqueId } from "../dom/dom";
import { icon } from "../dom/icons";
import type { Panel, PlayerState } from "../state/playerstate";
import type { Words } from "../words";

export class SidePanel {
  readonly root: HTMLElement;
  /** Opens it, and closes it. */
  readonly button: HTMLButtonElement;
  private readonly tabs: Record<Panel, HTMLButtonElement>;
  private readonly pages: Record<Panel, HTMLElement>;
  private readonly sides: readonly Panel[];
  private side: Panel = "act";
  private readonly taller: HTMLButtonElement;
  private readonly tall = new Set<Panel>();

  /** contents is what each tab shows. again is called when the tab that is shown is pressed. */
  constructor(words: Words, private readonly state: PlayerState, contents: Record<Panel, readonly HTMLElement[]>, again: (side: Panel) => void) {
    const id = uniqueId();
    this.sides = (Object.keys(contents) as Panel[]).filter((side) => contents[side].length > 0);
    this.side = this.sides[0]!;
    this.tabs = {} as Record<Panel, HTMLButtonElement>;
    this.pages = {} as Record<Panel, HTMLElement>;
    for (const side of this.sides) {
      this.tabs[side] = h("button", { type: "button", role: "tab", class: "kw-tab",
        id: `${id}-${side}-tab`, "aria-controls": `${id}-${side}`, click: () => this.press(side, again) }, words.sides[side]);
      this.pages[side] = h("div", { class: `kw-side-page kw-side-${side}`, role: "tabpanel",
        id: `${id}-${side}`, "aria-labelledby": `${id}-${side}-tab` }, ...contents[side]);
    }
    const close = h("button", { type: "button", class: "kw-button kw-side-close", click: () => state.reveal() },
      icon("close"), h("span", { class: "kw-button-text" }, words.close));
    this.taller = h("button", { type: "button", class: "kw-icon-button kw-taller", "aria-label": words.taller, title: words.taller,
      "aria-pressed": "false", click: () => this.grow() });
    this.root = h("section", { class: "kw-sidepanel", id, "aria-label": words.side, hidden: true },
      h("div", { class: "kw-side-head" },
        h("div", { class: "kw-tabs", role: "tablist", "aria-label": words.side, keydown: (event) => this.key(event as KeyboardEvent) },
          ...this.sides.map((side) => this.tabs[side])), this.taller, close),
      ...this.sides.map((side) => this.pages[side]));
    this.button = h("button", { type: "button", class: "kw-button kw-more-button", "aria-expanded": "false", "aria-controls": id,
      click: () => this.toggle() }, words.open);
    this.mark();
    state.on("panel", (panel) => this.show(panel));
    state.on("exercise", () => this.shrink()); // that is said in the text
    state.on("editing", (is) => {
      if (is) this.tall.add("act"); // a manifest is long
      else this.tall.delete("act");
      this.mark();
    });
    state.on("about", (about) => {
      this.root.classList.toggle("is-about", about !== "");
      if (this.tabs.log) setText(this.tabs.log, about === "" ? words.sides.log : words.chosen); // it tells of that then
      if (about !== "") this.read(true);
    });
    state.on("opened", () => this.root.classList.remove("is-about")); // an event is asked for
    state.on("acted", ({ kind }) => {
      this.read(false); // what comes of it is said in the caption
      if (kind !== "kubectl") this.shrink(); // what a command prints is read here
    });
  }

  /** This tab takes all the height that there is, or gives it back: beside a text it leaves the picture and what is being read. */
  private grow(): void {
    if (!this.tall.delete(this.side)) this.tall.add(this.side);
    this.mark();
  }

  /** What is here is read, rather than the caption, over which it may lie (walk.css). */
  private read(is: boolean): void {
    this.root.classList.toggle("is-read", is);
  }

  /** What was chosen in the picture stays in sight: where this lies over the picture's end, it begins below that (walk.css), or the page moves. */
  uncover(): void {
    const player = this.root.parentElement!;
    const chosen = [...player.querySelectorAll(".kw-stage .is-selected")].map((shape) => shape.getBoundingClientRect());
    if (this.root.hidden || chosen.length === 0) return;
    const end = Math.max(...chosen.map(({ bottom }) => bottom)) + 4;
    player.style.setProperty("--chosen", `${Math.ceil(end)}px`);
    const { top, right } = this.root.getBoundingClientRect();
    const isOver = right > Math.min(...chosen.map(({ left }) => left)) && !this.tall.has(this.side);
    const away = Math.min(end - top, Math.min(...chosen.map((box) => box.top)) - 4); // all of it, or as much as there is room for
    if (isOver && away > 0) scrollBy({ top: away, behavior: "instant" });
  }

  private shrink(): void {
    this.tall.clear();
    this.mark();
  }

  /** Takes in something more. */
  take(side: Panel, part: HTMLElement): void {
    this.pages[side].append(part);
  }

  private show(panel: Panel | undefined): void {
    const had = panel === undefined && this.root.contains(document.activeElement);
    if (panel) this.side = panel;
    this.mark();
    this.read(panel === "log");
    this.root.hidden = panel === undefined;
    setAttr(this.button, "aria-expanded", String(panel !== undefined));
    if (had) this.button.focus({ preventScroll: true });
  }

  private toggle(): void {
    if (this.state.panel) this.state.reveal();
    else this.turn(this.side);
  }

  private press(side: Panel, again: (side: Panel) => void): void {
    if (side === this.side) again(side);
    this.turn(side);
  }

  private turn(side: Panel): void {
    this.state.reveal(side);
    this.tabs[side].focus({ preventScroll: true });
  }

  private mark(): void {
    for (const side of this.sides) {
      const isShown = side === this.side;
      setAttr(this.tabs[side], "aria-selected", String(isShown));
      this.tabs[side].tabIndex = isShown ? 0 : -1;
      this.pages[side].hidden = !isShown;
    }
    const isTall = this.tall.has(this.side);
    this.root.classList.toggle("is-tall", isTall);
    setAttr(this.taller, "aria-pressed", String(isTall));
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

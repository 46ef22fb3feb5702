// A demo in a frame, as an element of another page: for pages elsewhere (embed.ts), and for talks (site/talk).
//
// An element with the attribute clicker takes a clicker's keys from the deck while it is in sight and has moments left;
// when it has none, the key is the deck's. What the page puts into the element is shown on paper, in the frame's place,
// and where the script does not run.

import { elementName, searchOf, toldOf, wishesOf, type Command, type State } from "./protocol";

const attributes = ["src", "lang", "start", "end", "theme", "controls", "speed", "clicker", "paused", "again", "sync", "title"] as const;

/** How high the frame is if the page does not say: as the picture with its captions is. */
const look = `:host { display: block; aspect-ratio: 16 / 10; min-block-size: 22rem; }
:host([hidden]) { display: none; }
iframe { display: block; inline-size: 100%; block-size: 100%; border: 0; }
slot { display: none; }
@media print {
  iframe { break-inside: avoid; }
  :host(:not(:empty)) iframe { display: none; }
  :host(:not(:empty)) slot { display: contents; }
}`;

export class KubewalkDemo extends HTMLElement {
  static readonly observedAttributes = attributes;
  private readonly frame = document.createElement("iframe");
  private drawing = false;
  /** What the demo told last. */
  state: State | undefined;

  constructor() {
    super();
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(look);
    const shadow = this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [sheet];
    this.frame.allow = "clipboard-write; fullscreen";
    this.frame.loading = "lazy";
    this.frame.name = elementName;
    shadow.append(this.frame, document.createElement("slot"));
  }

  connectedCallback(): void {
    addEventListener("message", this.told);
    addEventListener("keydown", this.pressed, { capture: true });
    this.draw();
  }

  disconnectedCallback(): void {
    removeEventListener("message", this.told);
    removeEventListener("keydown", this.pressed, { capture: true });
    this.state = undefined;
  }

  /** Several attributes that change at once make one frame. */
  attributeChangedCallback(): void {
    if (!this.isConnected || this.drawing) return;
    this.drawing = true;
    queueMicrotask(() => {
      this.drawing = false;
      if (this.isConnected) this.draw();
    });
  }

  play(): void { this.send({ kubewalk: "play" }); }
  pause(): void { this.send({ kubewalk: "pause" }); }
  next(): void { this.send({ kubewalk: "next" }); }
  previous(): void { this.send({ kubewalk: "previous" }); }
  /** Opens again where it opened. */
  reset(): void { this.send({ kubewalk: "reset" }); }
  /** Goes to one of the author's moments. */
  go(mark: string): void { this.send({ kubewalk: "go", mark }); }

  private draw(): void {
    const src = this.getAttribute("src");
    if (!src) return;
    const address = this.address(src);
    this.frame.title = this.getAttribute("title") ?? this.getAttribute("src") ?? "";
    if (this.frame.src !== address) this.frame.src = address;
  }

  /** A demo's name, or the address of its page on any site. */
  private address(src: string): string {
    const lang = this.getAttribute("lang");
    // A name is looked for where this script came from. A script that is no module does not know that.
    const url = /[/:]/.test(src)
      ? new URL(src, document.baseURI)
      : new URL(`embed/${lang && lang !== "en" ? `${lang}/` : ""}${src}/`, new URL(".", import.meta.url));
    const own = new URLSearchParams(url.search);
    for (const name of attributes) {
      if (name !== "src" && name !== "lang" && name !== "title" && this.hasAttribute(name)) own.set(name, this.getAttribute(name)!);
    }
    url.search = searchOf(wishesOf(own.toString()));
    return url.href;
  }

  private send(command: Command): void {
    this.frame.contentWindow?.postMessage(command, "*"); // a demo in a sandbox has no origin to name
  }

  private readonly told = (event: MessageEvent) => {
    if (event.source !== this.frame.contentWindow || !event.source) return;
    const message = toldOf(event.data);
    if (message?.kubewalk === "state") {
      this.state = message;
      this.dispatchEvent(new CustomEvent("kubewalk-state", { detail: message, bubbles: true }));
    } else if (message?.kubewalk === "passed") {
      const unhandled = this.dispatchEvent(new CustomEvent("kubewalk-passed", { detail: message, bubbles: true, cancelable: true }));
      if (unhandled) press(message.way === "next" ? "PageDown" : "PageUp");
    }
  };

  private readonly pressed = (event: KeyboardEvent) => {
    const way = { PageDown: "next", ArrowRight: "next", " ": "next", PageUp: "previous", ArrowLeft: "previous" }[event.key];
    if (!way || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !event.isTrusted) return;
    if (!this.hasAttribute("clicker") || !this.state || !this.isInSight() || isTyping(event)) return;
    if (way === "next" ? !this.state.hasNext : !this.state.hasPrevious) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    this.send({ kubewalk: way as "next" | "previous" });
  };

  private isInSight(): boolean {
    if (!this.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false;
    const box = this.getBoundingClientRect();
    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
    return x >= 0 && x < innerWidth && y >= 0 && y < innerHeight;
  }
}

const isTyping = ({ target }: Event) => target instanceof Element && target.closest("input, textarea, select, [contenteditable]") !== null;

/** A key that the demo had and did not need, for the deck. It is let go, too: Slidev takes one that is held for the same press. */
function press(key: "PageDown" | "PageUp"): void {
  const keyCode = key === "PageDown" ? 34 : 33; // reveal.js reads it
  for (const kind of ["keydown", "keyup"]) {
    document.dispatchEvent(new KeyboardEvent(kind, { key, code: key, keyCode, bubbles: true, cancelable: true } as KeyboardEventInit));
  }
}

// Makes a deck of a talk's page (site/pages/talk.templ) with reveal.js, which is loaded before this script. Without it, and with
// ?read in the address or in a narrow window, the page is the same slides as a text: each demo is the picture of its moment.
//
// The keys that turn slides go through a slide's demo first: moment by moment, then on. reveal.js is told so itself, because
// its speaker view does not press keys in the deck but calls it.

import "./talk.css";
import { KubewalkDemo } from "../embed/element";
import { policy } from "../trusted";

/** What is used of reveal.js. */
interface Deck {
  initialize(config: Record<string, unknown>): Promise<void>;
  next(): void;
  prev(): void;
  getCurrentSlide(): Element | undefined;
  on(event: string, listener: () => void): void;
  isFirstSlide(): boolean;
}
declare const Reveal: Deck;
/** reveal.js' speaker view; a page of the site has none, because the site's policy forbids what it does. */
declare const RevealNotes: (() => unknown) | undefined;

const asked = new URLSearchParams(location.search);
const page = document.documentElement;

/** Turns the slide, or goes on in its demo. */
function turn(way: "next" | "previous"): void {
  const demo = Reveal.getCurrentSlide()?.querySelector("kubewalk-demo");
  if (demo instanceof KubewalkDemo && demo.state?.[way === "next" ? "hasNext" : "hasPrevious"]) demo[way]();
  else if (way === "next") Reveal.next();
  else Reveal.prev();
}

const [next, previous] = [() => turn("next"), () => turn("previous")];
const space = (event: { shiftKey?: boolean } = {}) => turn(event.shiftKey ? "previous" : "next");

// reveal.js knows no Trusted Types: it sets innerHTML, of its buttons, of numbers and of its list of keys. Anything else is refused.
const tag = /^<\/?(?:a|br|button|div|header|p|span|table|t[dhr])(?: (?:(?:class|title|aria-[a-z]+)(?:="[^"]*")?|href="#[^"]*"))*>$/;
policy("default", {
  createHTML: (html) => {
    const wrong = html.match(/<[^>]*>?/g)?.find((part) => !tag.test(part));
    if (wrong !== undefined) throw new TypeError(`${wrong} is no markup of a deck`);
    return html;
  },
});

async function present(): Promise<void> {
  page.classList.add("is-deck");
  document.querySelector(".talk-deck")!.classList.add("reveal"); // which becomes an application: main may not
  document.querySelector(".talk-slides")!.classList.add("slides");
  // On paper a demo is its picture, which is there already.
  if (!asked.has("print-pdf")) customElements.define("kubewalk-demo", KubewalkDemo);
  await Reveal.initialize({
    width: 1280, height: 720, margin: 0, center: false, hash: true, transition: "none", backgroundTransition: "none", scrollActivationWidth: null,
    pdfSeparateFragments: false, pdfMaxPagesPerSlide: 1,
    totalTime: Number(page.dataset["minutes"] ?? 0) * 60 || null,
    keyboard: { 32: space, 33: previous, 34: next, 37: previous, 39: next },
    plugins: typeof RevealNotes === "undefined" ? [] : [RevealNotes],
  });
  const tell = () => page.classList.toggle("is-first", Reveal.isFirstSlide());
  Reveal.on("slidechanged", tell);
  tell();
}

// In a narrow window the letters of a deck would be too small: it is read as a text. Who asks for a deck's print or is the speaker view gets one.
const isNarrow = matchMedia("(width < 40rem)").matches && location.search === "";
if (!asked.has("read") && !isNarrow) void present();

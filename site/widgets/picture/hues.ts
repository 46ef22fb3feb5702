// One hue for one concept: a name in the text beside a picture, in its captions and in its log has the hue that the picture
// gives to whoever it names. They are ranges that the style sheet colours (hues.css), so the page's markup stays as it
// is, and nothing is copied or read out differently. In a browser without such ranges they are plain text: the
// hue says nothing that the name doesn't.

import table from "../../words/hues.json";
import { inLanguage } from "../../words/language";

export const hues = ["controller", "api", "scheduler", "node", "ready"] as const;
export type Hue = (typeof hues)[number];

/** The names of each concept, between "|". */
export type Names = Record<Hue, string>;

export const namesOf = (lang: string) => inLanguage<Names>("hues", table, lang);

/** Makes what finds the names. The longest comes first: "ReplicaSet controller" before "controller". */
export function pattern(names: Names): RegExp {
  const of = (hue: Hue) => {
    const all = names[hue].split("|").sort((a, b) => b.length - a.length).map((name) => name
      .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
      .replace(/^[a-z]/, (first) => `[${first}${first.toUpperCase()}]`)); // it may begin a sentence
    if (hue === "controller") all.unshift("[a-z]+(?:-[a-z]+)*-controller"); // as the log calls them
    return `(?<${hue}>${all.join("|")})`;
  };
  return new RegExp(`(?<![\\w-])(?:${hues.map(of).join("|")})(?:-\\d+)?(?![\\w-])`, "gu");
}

/** The names in a text, in their order. */
export function* find(text: string, names: RegExp): Generator<{ hue: Hue; from: number; to: number }> {
  for (const match of text.matchAll(names)) {
    const hue = hues.find((hue) => match.groups![hue] !== undefined)!;
    yield { hue, from: match.index, to: match.index + match[0].length };
  }
}

/** What has a colour of its own, or is compared letter by letter. */
const apart = "a:not(.term), code, pre, kbd, h1, h2, h3, h4, svg, button:not(.kw-event), .exercise, .kw-time, time, .is-earlier";

/** Colours the names in a demo's text, if it has one, and in what its player says, which changes all the time. */
export function colourNames(texts: Iterable<Element>, player: Element, lang: string): void {
  if (typeof Highlight === "undefined") return;
  const names = pattern(namesOf(lang));
  const ranges = new WeakMap<Element, [Highlight, StaticRange][]>();
  const colour = (place: Element) => {
    for (const [highlight, range] of ranges.get(place) ?? []) highlight.delete(range);
    const own: [Highlight, StaticRange][] = [];
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!/\S/.test(node.nodeValue!) || node.parentElement!.closest(apart)) continue;
      for (const { hue, from, to } of find(node.nodeValue!, names)) {
        const range = new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to });
        own.push([highlightOf(hue), range]);
      }
    }
    for (const [highlight, range] of own) highlight.add(range);
    ranges.set(place, own);
  };
  for (const text of texts) colour(text);
  for (const place of player.querySelectorAll(".kw-captions, .kw-statusline-line, .kw-events")) {
    let isSoon = false;
    const soon = () => {
      if (isSoon) return;
      isSoon = true;
      setTimeout(() => {
        isSoon = false;
        if (place.checkVisibility()) colour(place);
      }, 100);
    };
    new MutationObserver(soon).observe(place, { childList: true, characterData: true, subtree: true });
    soon();
  }
}

function highlightOf(hue: Hue): Highlight {
  const name = `kw-${hue}`;
  if (!CSS.highlights.has(name)) CSS.highlights.set(name, new Highlight());
  return CSS.highlights.get(name)!;
}

// The search as readers see it. It is loaded when somebody turns to it
// (site/scripts/search.ts), and loads the index when something is asked.

import "./search.css";
import { el, Finder } from "./finder";
import { learn } from "../words/language";
import { wordsIn } from "./search.words";

await learn();

/** What was asked last, in this session. */
const lastKey = "search";
/** What was read in this session; site/scripts/search.ts keeps it. */
const readKey = "read";

function stored(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? "";
  } catch {
    return ""; // storage may be off
  }
}

function recent(language: string): [url: string, title: string][] {
  try {
    const all = JSON.parse(stored(readKey) || "[]") as [url: string, title: string, language: string][];
    return all.filter(([url, , l]) => url !== location.pathname && l === language).map(([url, title]) => [url, title]);
  } catch {
    return []; // not ours
  }
}

const keep = (question: string): void => {
  try {
    sessionStorage.setItem(lastKey, question);
  } catch {
    // not kept then
  }
};

const lens = (): Element => el("span", { class: "search-sign", "aria-hidden": "true" });

let dialog: { element: HTMLDialogElement; finder: Finder } | undefined;

/** Opens the dialog; while it is open, the field is chosen. */
export function open(index: string): void {
  if (!dialog) {
    const language = document.documentElement.lang;
    const words = wordsIn(language);
    const element = el("dialog", { class: "search", "aria-label": words.search });
    const finder = new Finder({ index, language, words, recent: () => recent(language), left: () => element.close(), asked: keep });
    const close = el("button", { type: "button", class: "search-close", "aria-label": words.close, title: words.close });
    close.addEventListener("click", () => element.close());
    element.addEventListener("click", (event) => event.target === element && element.close()); // beside it
    element.append(
      el("div", { class: "search-box" },
        el("div", { class: "search-field" }, lens(), finder.input, close),
        finder.status,
        finder.list,
        el("p", { class: "search-keys", "aria-hidden": "true" },
          el("span", {}, el("kbd", {}, "↑"), el("kbd", {}, "↓"), " ", words.choose), el("span", {}, el("kbd", {}, "Enter"), " ", words.open),
          el("span", {}, el("kbd", {}, "Esc"), " ", words.close.toLowerCase()))),
    );
    document.body.append(element);
    finder.input.value = stored(lastKey);
    dialog = { element, finder };
  }
  const { element, finder } = dialog;
  if (!element.open) {
    element.showModal();
    void finder.search();
  }
  finder.input.focus();
  finder.input.select();
}

/**
 * Puts the search into a page, in place of what is there without script. On a
 * page that is not there, it asks for the words of its address.
 */
export function mount(place: HTMLElement): void {
  const language = place.lang;
  const words = wordsIn(language);
  const lost = place.dataset["lost"];
  const isLost = lost !== undefined;
  const finder = new Finder({
    index: place.dataset["index"] ?? "", language, words, recent: () => [],
    asked: (question) => {
      if (isLost) return;
      const url = new URL(location.href);
      if (question) url.searchParams.set("q", question);
      else url.searchParams.delete("q");
      history.replaceState(history.state, "", url);
    },
  });
  const field = el("div", { class: "search-field" }, lens(), finder.input);
  const box = el("div", { class: "search-inline", role: "search" }, field, finder.status, finder.list);
  if (isLost) box.prepend(el("p", {}, words.perhaps));
  place.replaceChildren(box);
  finder.input.value = isLost ? wordsOf(location.pathname, lost) : (new URL(location.href).searchParams.get("q") ?? "");
  if (!isLost) finder.input.focus();
  void finder.search();
}

/** The words of an address: of the last folder or file in it that is not the language's. */
function wordsOf(path: string, root: string): string {
  let text = path.startsWith(root) ? path.slice(root.length) : path;
  text = text.replace(/\/+(index\.html?)?$/, "").split("/").at(-1) ?? "";
  try {
    text = decodeURIComponent(text);
  } catch {
    // as it stands
  }
  return text.replace(/\.\w{1,4}$/, "").replace(/[_+-]+/g, " ").trim().slice(0, 100);
}

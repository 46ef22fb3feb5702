// How many exercises a reader has solved, where the page keeps room for it
// (site/pages/exercise.templ).

import { learn } from "../../words/language";
import { setText } from "../dom/dom";
import { exerciseWordsOf } from "./exercise.words";
import { recall, whenSolved } from "./solved";
import { put } from "../text";

export function showProgress(): void {
  const words = exerciseWordsOf(document.documentElement.lang);
  for (const place of document.querySelectorAll<HTMLElement>(".progress[data-exercises]")) {
    const names = place.dataset["exercises"]!.split(" ");
    const solved = names.filter((name) => recall(name)).length;
    const isShort = place.closest("li") !== null;
    const text = put(words.progress, { n: solved, of: names.length });
    setText(place, isShort ? `${solved}/${names.length}` : text);
    if (isShort) {
      place.setAttribute("role", "img");
      place.setAttribute("aria-label", text);
    }
    place.classList.toggle("is-whole", solved === names.length);
  }
}

await learn();
showProgress();
whenSolved(showProgress);

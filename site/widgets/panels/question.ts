// A question with options, one of which is right: the reader chooses, is told why,
// and can see it happen.

import { h, setText, uniqueId } from "../dom/dom";
import type { ExerciseWords } from "./exercise.words";
import type { Exercise } from "../state/scenario";

export interface Question {
  words: ExerciseWords;
  lang: string;
  options: NonNullable<Exercise["predict"]>;
  label: string; // id of what is asked
  /** The right one was chosen. */
  right(): void;
  see(): void;
}

export function question({ words, lang, options, label, right, see }: Question): HTMLElement {
  const name = uniqueId();
  const verdict = h("p", { class: "kw-question-verdict", role: "status" });
  const seeButton = h("button", { type: "button", class: "kw-button", hidden: true, click: see }, words.see);
  const text = (texts: Record<string, string>) => texts[lang] ?? texts["en"] ?? "";
  const fields = options.map((option, i) => {
    const field = h("input", { type: "radio", name, value: i, required: true });
    return h("label", { class: "kw-option" }, field, h("span", {}, text(option.text)));
  });
  return h("form", { class: "kw-question", "aria-labelledby": label, submit: (event) => {
    event.preventDefault();
    const chosen = Number(new FormData(event.target as HTMLFormElement).get(name));
    const option = options[chosen]!;
    verdict.className = `kw-question-verdict ${option.right ? "is-right" : "is-wrong"}`;
    setText(verdict, `${option.right ? words.right : words.wrong} ${text(option.why)}`);
    seeButton.hidden = false;
    if (option.right) right();
  } },
    h("div", { class: "kw-options", role: "radiogroup", "aria-labelledby": label }, ...fields),
    verdict,
    h("div", { class: "kw-exercise-acts" }, h("button", { type: "submit", class: "kw-button" }, words.check), seeButton));
}

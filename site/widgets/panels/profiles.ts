// A reader's own profiles of the scheduler: the author's choices, and the JSON of
// one to edit. What kube-scheduler would refuse is said before it is restarted.

import { h, uniqueId } from "../dom/dom";
import { icon } from "../dom/icons";
import type { Actions } from "../runs/actions";
import type { Control } from "../state/scenario";
import type { Words } from "../words";

/** What the control plane says of profiles before they are used. */
interface Judged {
  profiles?: unknown;
  wrong?: { at: number; message: string };
}

const printed = (profiles: unknown) => JSON.stringify(profiles, null, 2);

export function profilesEditor(words: Words, actions: Actions, control: Control, label: string): HTMLElement {
  const choices = control.profiles ?? [];
  const about = uniqueId();
  const wrong = h("div", { class: "kw-wrong", id: about, role: "alert", hidden: true });
  const text = h("textarea", {
    class: "kw-profiles-text", rows: 10, "aria-label": words.profilesText, "aria-describedby": about,
    spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", input: () => complain(),
  });
  text.value = printed(choices[0]?.profiles ?? []);
  const complain = (problem?: Judged["wrong"]) => {
    wrong.hidden = !problem;
    wrong.textContent = problem?.message ?? "";
    text.setAttribute("aria-invalid", String(!!problem));
    if (!problem) return;
    text.focus({ preventScroll: true });
    text.setSelectionRange(problem.at, problem.at + (problem.at > 0 ? 1 : 0));
  };
  const buttons = choices.map(({ name, profiles }) =>
    h("button", { type: "button", class: "kw-example", click: () => { text.value = printed(profiles); complain(); } }, name));
  let isAsking = false;
  const run = async () => {
    if (isAsking) return;
    isAsking = true;
    const judged = await actions.judge<Judged>("profiles", { text: text.value });
    isAsking = false;
    if (!judged) return;
    complain(judged.wrong);
    if (judged.profiles !== undefined) void actions.act({ kind: "reconfigure", profiles: judged.profiles });
  };
  return h("details", { class: "kw-faults" }, h("summary", {}, label),
    h("form", { class: "kw-profiles", submit: (event) => { event.preventDefault(); void run(); } },
      h("ul", { class: "kw-examples", "aria-label": words.examples }, ...buttons.map((b) => h("li", {}, b))), text, wrong,
      h("button", { type: "submit", class: "kw-button" }, icon("power"), words.reconfigure)));
}

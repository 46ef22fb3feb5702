// The help sheet: every key of a demo, by group, made from the table that the
// keys are answered by (keys.ts). It is loaded when somebody asks for it.

import "./help.css";
import { h, uniqueId } from "../dom/dom";
import { icon } from "../dom/icons";
import { groups, table } from "../input/keys";
import { keyWordsOf, type KeyWords } from "../input/keys.words";

const signs: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", "-": "−" };

/** Opens the sheet over a demo. The focus goes back to where it was when the sheet is closed. */
export function openHelp(root: HTMLElement, lang: string): void {
  if (root.querySelector(".kw-help")) return;
  const words = keyWordsOf(lang);
  const title = uniqueId();
  const sheet = h("dialog", { class: "kw-help", "aria-labelledby": title });
  const close = () => sheet.close();
  const before = document.activeElement as HTMLElement | null;
  sheet.append(
    h("div", { class: "kw-help-head" },
      h("h2", { class: "kw-heading", id: title }, words.title),
      h("button", { type: "button", class: "kw-icon-button", "aria-label": words.close, title: words.close, click: close }, icon("close"))),
    h("p", { class: "kw-hint" }, words.intro),
    h("div", { class: "kw-help-groups" }, ...groups.map((group) => {
      const name = uniqueId();
      return h("section", { role: "group", "aria-labelledby": name },
        h("h3", { class: "kw-subheading", id: name }, words.groups[group]),
        h("dl", {}, ...table.filter((row) => row.group === group).map((row) =>
          h("div", {}, h("dt", {}, ...keysOf(row.keys, words)), h("dd", {}, words.does[row.action])))));
    })));
  sheet.addEventListener("close", () => {
    sheet.remove();
    if (before?.isConnected) before.focus({ preventScroll: true });
  });
  sheet.addEventListener("click", (event) => event.target === sheet && close()); // beside it
  sheet.addEventListener("keydown", (event) => event.key === "?" && close());
  root.append(sheet);
  sheet.showModal();
}

/** "k or Space", each as a key. */
function keysOf(keys: readonly string[], words: KeyWords): (HTMLElement | string)[] {
  return keys.flatMap((key, i) => [...(i > 0 ? [` ${words.or} `] : []), ...pressed(key, words)]);
}

function pressed(key: string, words: KeyWords): (HTMLElement | string)[] {
  const isShifted = /^[A-Z]$/.test(key);
  const name = h("kbd", {}, words.names[key] ?? signs[key] ?? (isShifted ? key : key.toLowerCase()));
  return isShifted ? [h("kbd", {}, words.names["Shift"]!), " ", name] : [name];
}

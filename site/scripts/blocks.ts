// What readers open in the text: details that a link leads into, and the terms
// of the glossary. On pages that have some; without script details are the
// browser's, and a term is a link to its entry.

import { terms } from "./terms";

/** Opens whatever is closed around the place that a link leads to. */
function reveal(): void {
  let id = location.hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch {
    // as it stands
  }
  const target = document.getElementById(id);
  let opened = false;
  for (let box = target?.closest("details"); box; box = box.parentElement?.closest("details")) {
    opened ||= !box.open;
    box.open = true;
  }
  if (opened) target!.scrollIntoView();
}

reveal();
addEventListener("hashchange", reveal);

// On paper everything is open. Style sheets can't say so in all browsers.
let closed: HTMLDetailsElement[] = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll<HTMLDetailsElement>(".text details:not([open])")].filter((box) => box.matches(".details, .note"));
  for (const box of closed) box.open = true;
});
addEventListener("afterprint", () => {
  for (const box of closed) box.open = false;
});

terms();
// The development server changes a page in place.
document.addEventListener("kubewalk:changed", terms);

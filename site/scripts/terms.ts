// Terms of the glossary in a text: what one means shows under it, for the
// pointer, the keyboard's focus and the first touch; a click, Enter and the second
// touch lead to its entry. The notes are in the page (site/pages, TermNotes).

/** Milliseconds: a pointer passes by without opening; and gets from the term to its note. */
const openMs = 120;
const closeMs = 200;

let shown: { term: HTMLElement; note: HTMLElement } | undefined;
let timer = 0;

function show(term: HTMLElement, note: HTMLElement): void {
  clearTimeout(timer);
  if (shown?.term === term) return;
  hide();
  note.showPopover();
  shown = { term, note };
  // A term may be broken over two lines: the note stands at its beginning.
  const box = term.getClientRects()[0] ?? term.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = note;
  const gap = 6;
  const below = box.bottom + gap + height <= innerHeight || box.top < height + gap;
  note.style.left = Math.max(gap, Math.min(box.left, document.documentElement.clientWidth - width - gap)) + "px";
  note.style.top = (below ? box.bottom + gap : box.top - gap - height) + "px";
}

function hide(): void {
  clearTimeout(timer);
  shown?.note.hidePopover();
  shown = undefined;
}

function later(ms: number, what: () => void): void {
  clearTimeout(timer);
  timer = window.setTimeout(what, ms);
}

function noteOf(term: HTMLElement): HTMLElement | null {
  return document.getElementById("term-" + term.dataset["term"]);
}

function takeUp(term: HTMLElement): void {
  const note = noteOf(term);
  if (!note?.showPopover || term.hasAttribute("aria-describedby")) return;
  term.setAttribute("aria-describedby", note.id);
  term.addEventListener("pointerenter", (event) => {
    if (event.pointerType !== "touch") later(openMs, () => show(term, note));
  });
  const leave = (event: PointerEvent) => {
    if (event.pointerType !== "touch") later(closeMs, hide);
  };
  term.addEventListener("pointerleave", leave);
  note.addEventListener("pointerenter", () => clearTimeout(timer));
  note.addEventListener("pointerleave", leave);
  term.addEventListener("focus", () => {
    if (term.matches(":focus-visible")) show(term, note);
  });
  term.addEventListener("blur", hide);
  term.addEventListener("click", (event) => {
    if ((event as PointerEvent).pointerType !== "touch" || shown?.term === term) return;
    event.preventDefault();
    show(term, note);
  });
}

/** Takes up the page's terms; again when some are new. */
export function terms(): void {
  for (const term of document.querySelectorAll<HTMLElement>(".term")) takeUp(term);
}

addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !shown) return;
  event.stopPropagation();
  hide();
}, true);
addEventListener("pointerdown", (event) => {
  if (shown && event.target instanceof Node && !shown.note.contains(event.target) && !shown.term.contains(event.target)) hide();
});
addEventListener("scroll", hide, { passive: true });

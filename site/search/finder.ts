// A field with a list of what it finds, as a combobox: in the dialog, on the
// page of the search, and on the page that is not there. The focus stays in the
// field; arrows choose in the list, Enter opens.

import { fetchJson } from "../widgets/runs/load";
import type { Answer, Engine } from "./engine";
import type { Stretch } from "./excerpt";
import type { SearchWords } from "./search.words";

export interface Place {
  /** Address of the index's manifest. */
  index: string;
  language: string;
  words: SearchWords;
  /** What was read before, newest first. */
  recent: () => [url: string, title: string][];
  /** A link was followed. */
  left?: () => void;
  /** What is asked has changed. */
  asked?: (question: string) => void;
}

let made = 0;

/** Makes an element. Text is text, never markup. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) out.setAttribute(name, value);
  out.append(...children);
  return out;
}

const shown = (stretches: Stretch[]): (Node | string)[] => stretches.map((s) => (s.marked ? el("mark", {}, s.text) : s.text));

// What asks and what shows the answer come while the reader begins to type.
const parts = () => Promise.all([import("./engine"), import("./excerpt")]);

const engines = new Map<string, Promise<Engine>>();

/** The index at an address; one that did not come is asked for again. */
function engineAt(index: string): Promise<Engine> {
  let engine = engines.get(index);
  if (!engine) {
    const base = new URL(index, location.href);
    engine = parts().then(([{ Engine }]) => Engine.open((name) => fetchJson(new URL(name && `${name}.gz`, base).href)));
    engines.set(index, engine);
    engine.catch(() => engines.delete(index));
  }
  return engine;
}

export class Finder {
  readonly input: HTMLInputElement;
  readonly status = el("p", { class: "search-status", role: "status" });
  readonly list: HTMLElement;
  private readonly id = `search-${++made}`;
  private options: HTMLAnchorElement[] = [];
  private active = -1;
  private choosing = false; // by arrows, so that Home and End are meant for the list
  private asked = 0;

  constructor(private readonly place: Place) {
    const { words } = place;
    this.list = el("div", { class: "search-results", role: "listbox", id: this.id, "aria-label": words.results });
    this.input = el("input", {
      class: "search-input", type: "text", role: "combobox", "aria-expanded": "false", "aria-controls": this.id, "aria-autocomplete": "list",
      "aria-label": words.search, placeholder: words.ask, autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false",
      enterkeyhint: "go", inputmode: "search", maxlength: "200",
    });
    this.input.addEventListener("input", (event) => {
      // What is being composed is not a word yet.
      if (!(event as InputEvent).isComposing) void this.search();
    });
    this.input.addEventListener("compositionend", () => void this.search());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.list.addEventListener("mousemove", (event) => {
      const option = (event.target as Element).closest("a");
      if (option) this.choose(this.options.indexOf(option), false);
    });
    this.list.addEventListener("mousedown", (event) => event.preventDefault()); // the focus stays in the field
    this.list.addEventListener("click", (event) => {
      if ((event.target as Element).closest("a") && !event.ctrlKey && !event.metaKey && !event.shiftKey) place.left?.();
    });
  }

  /** Shows what answers what stands in the field. */
  async search(): Promise<void> {
    const { words } = this.place;
    const question = this.input.value.trim();
    const turn = ++this.asked;
    this.place.asked?.(question);
    if (question === "") return this.showRecent();
    const slow = setTimeout(() => turn === this.asked && (this.status.textContent = words.searching), 200);
    try {
      const engine = await engineAt(this.place.index);
      const answer = await engine.search(question, location.pathname);
      const [, show] = await parts();
      if (turn === this.asked) this.show(question, answer, show);
    } catch {
      if (turn !== this.asked) return;
      const again = el("button", { type: "button", class: "search-again" }, words.again);
      again.addEventListener("click", () => {
        this.input.focus();
        void this.search();
      });
      this.say(navigator.onLine ? words.failed : words.offline, again);
    } finally {
      clearTimeout(slow);
    }
  }

  private show(question: string, { pages, words, instead }: Answer, { excerpt, marked }: typeof import("./excerpt")): void {
    const text = this.place.words;
    let n = 0;
    this.fill(
      pages.map((page) => {
        const options = page.hits.map((hit) => {
          const [anchor, , heading] = hit.section;
          const name = anchor ? [...hit.above, heading].join(" › ") : page.title;
          n++;
          return this.option(page.url + (anchor ? `#${encodeURIComponent(anchor)}` : ""), shown(marked(name, words)), shown(excerpt(hit.section, words, name)));
        });
        // A page that is itself what was found is not named twice.
        const title = page.hits[0]?.section[0] ? page.title : "";
        return this.group([page.part, title].filter((t) => t !== "").join(" › ") || page.title, options);
      }),
    );
    this.list.dataset["for"] = question;
    if (n === 0) this.say(text.none.replace("{question}", () => question), el("p", {}, text.noneCure));
    else {
      const [asked, taken] = instead[0] ?? [];
      const found = n === 1 ? text.one : text.found.replace("{n}", String(n));
      this.status.textContent = asked && taken ? `${text.instead.replace("{taken}", taken).replace("{asked}", asked)} ${found}` : found;
      this.choose(0, false);
    }
    this.list.scrollTop = 0;
  }

  private showRecent(): void {
    const { words } = this.place;
    const recent = this.place.recent();
    this.fill(recent.length > 0 ? [this.group(words.recent, recent.map(([url, title]) => this.option(url, [title], [])))] : []);
    this.status.textContent = words.hint;
    this.list.dataset["for"] = "";
  }

  /** Says something where the results would be. */
  private say(text: string, ...more: Node[]): void {
    this.fill([]);
    this.status.replaceChildren(el("b", {}, text), ...more);
  }

  private fill(groups: HTMLElement[]): void {
    this.list.replaceChildren(...groups);
    this.options = [...this.list.querySelectorAll("a")];
    this.options.forEach((option, i) => (option.id = `${this.id}-${i}`));
    this.input.setAttribute("aria-expanded", String(this.options.length > 0));
    this.choosing = false;
    this.choose(-1, false);
  }

  private group(name: string, options: HTMLElement[]): HTMLElement {
    return el("div", { class: "search-group", role: "group", "aria-label": name }, el("p", { role: "presentation", "aria-hidden": "true" }, name), ...options);
  }

  private option(url: string, name: (Node | string)[], text: (Node | string)[]): HTMLElement {
    const option = el("a", { role: "option", "aria-selected": "false", tabindex: "-1", href: url }, el("b", {}, ...name));
    if (text.length > 0) option.append(" ", el("span", {}, ...text));
    return option;
  }

  private choose(i: number, scroll: boolean): void {
    this.options[this.active]?.setAttribute("aria-selected", "false");
    this.active = i;
    const option = this.options[i];
    option?.setAttribute("aria-selected", "true");
    if (option) this.input.setAttribute("aria-activedescendant", option.id);
    else this.input.removeAttribute("aria-activedescendant");
    if (!option || !scroll) return;
    if (i === 0) this.list.scrollTop = 0; // with what stands above it
    else option.scrollIntoView({ block: "nearest" });
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing || event.keyCode === 229) return; // the input method's
    const n = this.options.length;
    const to = {
      ArrowDown: n > 0 ? (this.active + 1) % n : undefined,
      ArrowUp: n > 0 ? (Math.max(this.active, 0) + n - 1) % n : undefined,
      Home: this.choosing ? 0 : undefined,
      End: this.choosing ? n - 1 : undefined,
    }[event.key];
    if (to !== undefined && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      this.choosing = true;
      this.choose(to, true);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const option = this.options[this.active];
      if (option && (event.ctrlKey || event.metaKey)) open(option.href, "_blank", "noopener");
      else option?.click();
    } else if (event.key !== "Control" && event.key !== "Meta") this.choosing = false;
  }
}

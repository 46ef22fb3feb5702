// One event, opened: when, who, what was known there, what led to it, the calls
// that were running and their source, what it led to, and the object that was
// written. Stacks and objects are loaded when the first event is opened.

import { h, heading, put, uniqueId, type Level } from "./dom";
import { icon } from "./icons";
import { messageOf } from "./load";
import { lines, objectBefore, objectOf } from "./objects";
import { attrs, type Call, type Details, type Frame } from "./recording";
import { say, seconds, type Phrases } from "./phrases";
import { centre, excerpt } from "./source";
import { causes, Effects } from "./story";
import type { Words } from "./words";

/** How many causes and effects are listed at once. */
const mostCauses = 3; // and the first of all
const mostEffects = 6;

export interface InspectorHost {
  readonly frames: readonly Frame[];
  words: Words;
  level: Level;
  phrases: Phrases;
  sourceFolder: string;
  details(): Promise<Details>;
  jump(index: number): void;
  closed(): void;
  /** The reader asks why, with nothing open. */
  ask(): void;
}

export class Inspector {
  readonly root: HTMLElement;
  private readonly title = uniqueId();
  private readonly effects: Effects;
  private index = -1;
  private objectFirst = false;

  constructor(private readonly host: InspectorHost) {
    this.effects = new Effects(() => host.frames);
    this.root = h("section", { class: "kw-inspector", role: "group", "aria-labelledby": this.title });
    this.showHint();
  }

  get isOpen(): boolean {
    return this.index >= 0;
  }

  /** For when frames were replaced. */
  forget(): void {
    this.effects.forget();
    if (this.isOpen) this.close();
  }

  close(): void {
    this.index = -1;
    this.showHint();
  }

  /** Gives the focus to what the open event is called. */
  focus(): void {
    this.root.querySelector<HTMLElement>(".kw-heading")?.focus();
  }

  /** Opens an event; objectFirst is for a reader who wants to see what it wrote. */
  open(index: number, objectFirst = false): void {
    const frame = this.host.frames[index];
    if (!frame || (index === this.index && objectFirst === this.objectFirst)) return;
    this.index = index;
    this.objectFirst = objectFirst;
    const { words, phrases } = this.host;
    const had = this.root.contains(document.activeElement);
    const calls = h("div", { class: "kw-details" });
    const written = h("div", { class: "kw-written" });
    this.root.classList.add("is-open");
    this.root.replaceChildren(
      h("div", { class: "kw-inspector-head" },
        heading(this.host.level, put(words.event, { n: frame.e }), { id: this.title, tabindex: -1 }),
        h("button", { type: "button", class: "kw-icon-button", "aria-label": words.close, title: words.close,
          click: () => { this.close(); this.host.closed(); } }, icon("close"))),
      h("p", { class: "kw-inspector-sentence" }, say(phrases, frame)),
      this.facts(frame),
      ...(objectFirst ? [written] : []),
      ...this.values(frame),
      ...this.causes(index),
      calls,
      ...this.effectsOf(index),
      ...(objectFirst ? [] : [written]),
    );
    this.root.scrollTop = 0;
    if (had) this.root.querySelector<HTMLElement>(".kw-heading")?.focus({ preventScroll: true }); // what had it is gone
    void this.load(frame, calls, written);
  }

  private showHint(): void {
    const { words } = this.host;
    this.root.classList.remove("is-open");
    this.root.replaceChildren(
      heading(this.host.level, words.inspector, { id: this.title }),
      h("p", { class: "kw-hint" }, words.whyHint),
      h("button", { type: "button", class: "kw-button", click: () => this.host.ask() }, words.why),
    );
  }

  private facts(frame: Frame): HTMLElement {
    const { words } = this.host;
    const list = h("dl", { class: "kw-facts" });
    const fact = (name: string, value: string) => list.append(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
    fact(words.time, seconds(frame.at));
    fact(words.component, frame.p ? `${frame.who} · ${frame.p}` : frame.who);
    if (frame.o) fact(words.object, frame.o);
    return list;
  }

  private values(frame: Frame): HTMLElement[] {
    const pairs = attrs(frame);
    if (pairs.length === 0) return [];
    return [
      this.subheading(this.host.words.values),
      h("table", { class: "kw-values" },
        h("tbody", {}, ...pairs.map(([key, value]) =>
          h("tr", {}, h("th", { scope: "row" }, key), h("td", {}, String(value)))))),
    ];
  }

  private causes(index: number): HTMLElement[] {
    const { words } = this.host;
    const all = causes(this.host.frames, index);
    const out = [this.subheading(words.causes)];
    if (all.length === 0) return [...out, h("p", { class: "kw-hint" }, words.noCause)];
    const list = h("ol", { class: "kw-story kw-causes" });
    const show = (part: number[]) => part.map((i) => this.link(i));
    if (all.length <= mostCauses + 2) list.append(...show(all));
    else {
      const middle = all.slice(mostCauses, -1);
      const more = h("button", { type: "button", class: "kw-more" }, put(words.more, { n: all.length }));
      const item = h("li", { class: "kw-more-item" }, more);
      more.addEventListener("click", () => {
        const items = show(middle);
        item.replaceWith(...items);
        items[0]?.querySelector("button")?.focus();
      });
      list.append(...show(all.slice(0, mostCauses)), item, ...show(all.slice(-1)));
    }
    return [...out, list];
  }

  private effectsOf(index: number): HTMLElement[] {
    const { words } = this.host;
    const all = this.effects.of(index);
    return [
      this.subheading(words.effects),
      all.length === 0
        ? h("p", { class: "kw-hint" }, words.noEffect)
        : h("ul", { class: "kw-story" }, ...all.slice(0, mostEffects).map((i) => this.link(i))),
    ];
  }

  private subheading(text: string): HTMLElement {
    return heading(this.host.level, text, {}, true);
  }

  private link(index: number): HTMLElement {
    const frame = this.host.frames[index]!;
    return h("li", {},
      h("button", { type: "button", class: "kw-link", click: () => this.host.jump(index) },
        h("time", {}, seconds(frame.at)),
        h("span", {}, say(this.host.phrases, frame))));
  }

  private async load(frame: Frame, into: HTMLElement, written: HTMLElement): Promise<void> {
    const { words } = this.host;
    into.replaceChildren(h("p", { class: "kw-hint" }, words.loadingDetails));
    try {
      const details = await this.host.details();
      if (this.index !== frame.e - 1) return;
      into.replaceChildren(...this.stack(details.stacks[frame.s ?? 0] ?? []));
      written.replaceChildren(...this.object(details, frame.e));
      into.querySelector<HTMLElement>(".kw-call")?.click();
    } catch (error) {
      if (this.index !== frame.e - 1) return;
      into.replaceChildren(
        h("p", { class: "kw-error", role: "alert" }, `${words.failedDetails} (${messageOf(error)}) `,
          h("button", { type: "button", class: "kw-button", click: () => void this.load(frame, into, written) }, words.retry)));
    }
  }

  private stack(calls: readonly Call[]): HTMLElement[] {
    const { words } = this.host;
    const out = [this.subheading(words.stack)];
    if (calls.length === 0) return [...out, h("p", { class: "kw-hint" }, words.noStack)];
    const code = h("div", { class: "kw-code", "aria-live": "off" });
    const list = h("ol", { class: "kw-calls" });
    for (const call of calls) {
      const button = h("button", { type: "button", class: "kw-call", "aria-pressed": "false" },
        h("b", {}, shortName(call[2])), h("span", {}, `${call[0].split("/").slice(-2).join("/")}:${call[1]}`));
      button.addEventListener("click", () => {
        list.querySelectorAll(".kw-call").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
        void this.source(call, code);
      });
      list.append(h("li", {}, button));
    }
    return [...out, list, code];
  }

  private async source([file, line]: Call, into: HTMLElement): Promise<void> {
    const { words, sourceFolder } = this.host;
    try {
      const box = await excerpt(sourceFolder, file, line, words);
      into.replaceChildren(h("p", { class: "kw-file" }, `${file}:${line}`), box);
      centre(box);
    } catch (error) {
      into.replaceChildren(h("p", { class: "kw-error", role: "alert" }, `${put(words.failedSource, { file })} (${messageOf(error)})`));
    }
  }

  private object(details: Details, event: number): HTMLElement[] {
    const { words } = this.host;
    const now = objectOf(details, event);
    if (now === undefined) return [];
    const before = objectBefore(details, event);
    const rows = lines(now, before).map((line) =>
      h(line.change === "removed" ? "del" : line.change === "added" ? "ins" : "span", { class: "kw-line" }, line.text));
    const box = h("pre", { class: "kw-object", tabindex: 0, role: "region", "aria-label": words.written }, h("code", {}, ...rows));
    requestAnimationFrame(() => {
      const first = box.querySelector<HTMLElement>("ins, del");
      if (first) box.scrollTop = first.offsetTop - box.clientHeight / 3;
    });
    return [this.subheading(words.written), ...(before === undefined ? [] : [h("p", { class: "kw-hint" }, words.changed)]), box];
  }
}

/** "kubewalk/playground/controller/replicaset.(*Controller).manageReplicas" → "(*Controller).manageReplicas". */
function shortName(name: string): string {
  const tail = name.slice(name.lastIndexOf("/") + 1);
  const dot = tail.indexOf(".");
  return dot < 0 ? tail : tail.slice(dot + 1);
}

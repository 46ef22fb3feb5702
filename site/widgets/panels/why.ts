// Why an event happened: the chain of causes from it back to what came from
// outside, as one thread. One link is open, and shows what decided there: the
// values, the log line, the code. Walking along the thread moves the picture, and
// the thread stays.

import { h, heading } from "../dom/dom";
import { Fold } from "./fold";
import { formsOf, decides } from "./forms";
import { icon } from "../dom/icons";
import { klog } from "./klog";
import { attrs, type Call, type Details, type Frame } from "../state/recording";
import { say, seconds } from "../state/phrases";
import { centre, excerpt } from "./source";
import { causes, Effects } from "../state/story";
import type { Inspected } from "./inspector";
import { whyWordsOf, type WhyWords } from "./why.words";
import { messageOf, put } from "../text";

/** How many effects are listed at once. */
const mostEffects = 6;
/** The same of what was done to the cluster: all that came of it, and not the request alone. */
const mostOutcomes = 12;
/** A chain of so many links is shown whole. */
const shortChain = 7;

export class Why {
  readonly root = h("div", { class: "kw-why" });
  private readonly why: WhyWords;
  private readonly effects: Effects;
  private readonly toCause: HTMLButtonElement;
  private readonly backUp: HTMLButtonElement;
  private readonly place = h("span", { class: "kw-chain-place" });
  private readonly asLog: HTMLInputElement;
  private readonly body = h("div", {});
  /** What ran at the open link; below the thread, so that the whole of that is seen first. */
  private readonly code = h("div", { class: "kw-details" });
  private chain: number[] = [];
  private at = 0;
  private readonly unfolded = new Set<number>(); // of links, those that a gap begins with
  private details: Details | undefined;
  private readonly outcomes = h("div", { class: "kw-details" });
  private listed: Fold<number> | undefined; // of them

  /** written shows the object that a commit wrote. */
  constructor(private readonly inspected: Inspected, private readonly written: (index: number) => void) {
    const why = (this.why = whyWordsOf(inspected.lang));
    this.effects = new Effects(() => inspected.frames);
    const step = (label: string, way: 1 | -1, sign: "stepBack" | "stepForward") => h("button",
      { type: "button", class: "kw-icon-button", "aria-label": label, title: label, click: () => this.walk(way) }, icon(sign));
    this.toCause = step(why.toCause, 1, "stepBack");
    this.backUp = step(why.backUp, -1, "stepForward");
    this.asLog = h("input", { type: "checkbox", change: () => this.draw() });
    this.root.append(
      h("div", { class: "kw-chain-bar" }, this.toCause, this.place, this.backUp,
        h("label", { class: "kw-check" }, this.asLog, h("span", {}, why.asLog))),
      this.body);
  }

  forget(): void {
    this.effects.forget();
    this.chain = [];
    this.details = undefined;
  }

  /** Opens an event. One of the chain that is shown becomes its open link. */
  show(index: number): void {
    const at = this.chain.indexOf(index);
    if (at >= 0) this.at = at;
    else {
      this.chain = [index, ...causes(this.inspected.frames, index)];
      this.at = 0;
      this.unfolded.clear();
    }
    this.draw();
  }

  /** There are more frames. */
  grow(): void {
    const index = this.chain[this.at];
    if (index !== undefined && isDone(this.inspected.frames[index])) this.listOutcomes(index);
  }

  /** Lists what came of what was done; more of it comes below what is listed. */
  private listOutcomes(index: number): void {
    const all = this.effects.all(index, isOutcome);
    if (this.listed) return this.listed.set(all);
    const { elements, fold } = this.listOf(all, mostOutcomes);
    this.listed = fold;
    this.outcomes.replaceChildren(...elements);
  }

  /** One link towards what began it (1), or back (-1). */
  walk(way: 1 | -1): void {
    const to = this.chain[this.at + way];
    if (to !== undefined) this.inspected.jump(to);
  }

  private draw(): void {
    const { why, chain, at } = this;
    if (chain.length === 0) return;
    this.place.textContent = put(why.of, { n: at + 1, all: chain.length });
    this.toCause.disabled = at === chain.length - 1;
    this.backUp.disabled = at === 0;
    const list = h("ol", { class: "kw-story kw-causes", "aria-label": why.chain });
    for (const part of this.parts()) list.append(typeof part === "number" ? this.link(part) : this.gap(part));
    const index = chain[at]!;
    this.body.replaceChildren(list, this.code, ...(isDone(this.inspected.frames[index]) ? [] : this.listOf(this.effects.of(index), mostEffects).elements));
    const open = list.querySelector<HTMLElement>(".is-open");
    if (open && at > 0) requestAnimationFrame(() => scrollInto(open));
  }

  /** The links that are shown, by their place in the chain, and the gaps between them. */
  private parts(): (number | { from: number; to: number })[] {
    const { chain, at, inspected } = this;
    const last = chain.length - 1;
    const shows = (i: number) => chain.length <= shortChain || i === 0 || i === last || Math.abs(i - at) <= 1 || decides(inspected.frames[chain[i]!]!);
    const out: (number | { from: number; to: number })[] = [];
    for (let i = 0; i <= last; ) {
      let to = i;
      while (to <= last && !shows(to)) to++;
      if (to - i > 1 && !this.unfolded.has(i)) out.push({ from: i, to });
      else for (let j = i; j < to; j++) out.push(j);
      if (to <= last) out.push(to);
      i = to + 1;
    }
    return out;
  }

  private gap({ from, to }: { from: number; to: number }): HTMLElement {
    const button = h("button", { type: "button", class: "kw-more" }, put(this.why.between, { n: to - from }));
    const item = h("li", { class: "kw-more-item" }, button);
    button.addEventListener("click", () => {
      this.unfolded.add(from);
      const items = Array.from({ length: to - from }, (_, i) => this.link(from + i));
      item.replaceWith(...items);
      items[0]?.querySelector("button")?.focus();
    });
    return item;
  }

  private link(i: number): HTMLElement {
    const { inspected, chain, why } = this;
    const index = chain[i]!;
    const frame = inspected.frames[index]!;
    if (i === this.at) return this.open(index);
    const lines = this.asLog.checked ? klog(frame, inspected.epoch, this.callOf(frame)) : [];
    const text = lines.length > 0 ? h("code", { class: "kw-klog" }, lines.join("\n")) : h("span", {}, say(inspected.phrases, frame));
    return h("li", { class: decides(frame) ? "is-decisive" : "" },
      h("button", { type: "button", class: "kw-link", click: () => inspected.jump(index) },
        h("time", {}, seconds(frame.at)), text,
        i === chain.length - 1 && i > 0 ? h("small", {}, why.began) : lines.length === 0 ? brief(frame) : undefined));
  }

  /** The open link. */
  private open(index: number): HTMLElement {
    const { inspected, why } = this;
    const { words, phrases, level } = inspected;
    const frame = inspected.frames[index]!;
    const log = h("div", {});
    const facts = h("dl", { class: "kw-facts" });
    const fact = (name: string, value: string) => facts.append(h("div", {}, h("dt", {}, name), h("dd", {}, value)));
    fact(words.time, seconds(frame.at));
    fact(words.component, frame.p ? `${frame.who} · ${frame.p}` : frame.who);
    if (frame.o) fact(words.object, frame.o);
    const showLog = () => {
      const lines = klog(frame, inspected.epoch, this.callOf(frame));
      log.replaceChildren(...(lines.length === 0 ? [] : [
        heading(level, why.logLine, {}, true),
        h("pre", { class: "kw-klog kw-log-line", tabindex: 0, role: "region", "aria-label": why.logLine }, h("code", {}, lines.join("\n")))]));
    };
    showLog();
    void this.load(frame, this.code, showLog);
    if (isDone(frame)) {
      this.listed = undefined;
      this.listOutcomes(index);
    }
    const forms = formsOf({ frames: inspected.frames, words, why, level, jump: (i) => inspected.jump(i) }, index);
    return h("li", { class: "is-open", "aria-current": "step" },
      h("p", { class: "kw-inspector-sentence" }, say(phrases, frame)),
      frame.c ? undefined : h("p", { class: "kw-hint" }, words.noCause),
      facts,
      isDone(frame) ? this.outcomes : undefined,
      frame.op === "store.commit" ? h("button", { type: "button", class: "kw-button", click: () => this.written(index) }, words.written) : undefined,
      ...(this.asLog.checked ? [log, ...forms] : [...forms, log]));
  }

  private callOf(frame: Frame): Call | undefined {
    return this.details?.stacks[frame.s ?? 0]?.[0];
  }

  /** What came of something; there is a fold as soon as there is anything. */
  private listOf(all: readonly number[], most: number): { elements: HTMLElement[]; fold?: Fold<number> } {
    const { inspected } = this;
    const { words } = inspected;
    const title = heading(inspected.level, words.effects, {}, true);
    if (all.length === 0) return { elements: [title, h("p", { class: "kw-hint" }, words.noEffect)] };
    const link = (i: number) => h("li", {}, h("button", { type: "button", class: "kw-link", click: () => inspected.jump(i) },
      h("time", {}, seconds(inspected.frames[i]!.at)), h("span", {}, say(inspected.phrases, inspected.frames[i]!))));
    const list = h("ul", { class: "kw-story kw-effects" });
    const fold = new Fold(list, most, link, (n) => put(this.why.moreOf, { n }));
    fold.set(all);
    return { elements: [title, list, fold.button], fold };
  }

  private async load(frame: Frame, into: HTMLElement, loaded: () => void): Promise<void> {
    const { words } = this.inspected;
    const known = this.details?.stacks[frame.s ?? 0];
    if (!known) into.replaceChildren(h("p", { class: "kw-hint" }, words.loadingDetails));
    try {
      if (!known) this.details = await this.inspected.worlds.details();
      loaded();
      if (frame !== this.inspected.frames[this.chain[this.at]!]) return; // another link is open by now
      into.replaceChildren(...this.stack(this.details!.stacks[frame.s ?? 0] ?? []));
    } catch (error) {
      into.replaceChildren(
        h("p", { class: "kw-error", role: "alert" }, `${words.failedDetails} (${messageOf(error)}) `,
          h("button", { type: "button", class: "kw-button", click: () => void this.load(frame, into, loaded) }, words.retry)));
    }
  }

  /** The call that matters, with its source; the others are folded. */
  private stack(calls: readonly Call[]): HTMLElement[] {
    const { words, level } = this.inspected;
    const out = [heading(level, words.stack, {}, true)];
    if (calls.length === 0) return [...out, h("p", { class: "kw-hint" }, words.noStack)];
    const code = h("div", { class: "kw-code", "aria-live": "off" });
    const list = h("ol", { class: "kw-calls" });
    const buttons = calls.map((call) => {
      const button = h("button", { type: "button", class: "kw-call", "aria-pressed": "false" },
        h("b", {}, shortName(call[2])), h("span", {}, `${call[0].split("/").slice(-2).join("/")}:${call[1]}`));
      button.addEventListener("click", () => {
        list.querySelectorAll(".kw-call").forEach((b) => b.setAttribute("aria-pressed", String(b === button)));
        void this.source(call, code);
      });
      return button;
    });
    const main = mattering(calls);
    const fold = h("button", { type: "button", class: "kw-more" }, put(this.why.otherCalls, { n: calls.length - 1 }));
    fold.addEventListener("click", () => {
      list.replaceChildren(...buttons.map((b) => h("li", {}, b)));
      buttons[main]!.focus({ preventScroll: true });
      fold.remove();
    });
    list.append(h("li", {}, buttons[main]!));
    buttons[main]!.click();
    return [...out, list, ...(calls.length > 1 ? [fold] : []), code];
  }

  private async source([file, line]: Call, into: HTMLElement): Promise<void> {
    const { words, source } = this.inspected;
    try {
      const box = await excerpt(source, file, line, words);
      into.replaceChildren(h("p", { class: "kw-file" }, `${file}:${line}`), box);
      centre(box);
    } catch (error) {
      into.replaceChildren(h("p", { class: "kw-error", role: "alert" }, `${put(words.failedSource, { file })} (${messageOf(error)})`));
    }
  }
}

/** Whether somebody did this to the cluster. */
const isDone = (frame: Frame | undefined) => frame?.op === "input";

/** What is to be told of all that came of something: what was written, decided, started or stopped. */
const isOutcome = (frame: Frame) => !frame.q && (frame.op === "store.commit" || /^(container|sandbox|component)\./.test(frame.op) ||
  (frame.op !== "log" && decides(frame)));

/** What a link's values are in one line, for those that decided. */
function brief(frame: Frame): HTMLElement | undefined {
  if (frame.op !== "log" || frame.q) return undefined;
  const pairs = attrs(frame).filter(([k, v]) => k !== "message" && k !== "v" && String(v).length <= 40);
  return pairs.length === 0 ? undefined : h("small", {}, pairs.map(([k, v]) => `${k}=${v}`).join("  "));
}

/** What every component calls in the same way says little: the call above it is the one that matters. */
const plumbing = /^playground\/(controlplane\/(workqueue|client|store|controller\/expectations\.go|controller\/pod_control\.go|scheduler\/cache)|api)(\/|$)/;

function mattering(calls: readonly Call[]): number {
  const first = calls.findIndex(([file]) => !plumbing.test(file));
  return Math.max(0, first);
}

function scrollInto(element: HTMLElement): void {
  const box = element.closest<HTMLElement>(".kw-inspector");
  if (!box) return;
  const top = element.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
  box.scrollTop = Math.max(0, top - 96);
}

/** "kubewalk/playground/controlplane/controller/replicaset.(*Controller).manageReplicas" → "(*Controller).manageReplicas". */
function shortName(name: string): string {
  const tail = name.slice(name.lastIndexOf("/") + 1);
  const dot = tail.indexOf(".");
  return dot < 0 ? tail : tail.slice(dot + 1);
}

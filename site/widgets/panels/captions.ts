// What the author says at the moments of a demo, in a strip below the picture; in
// a run of the reader's own, what the reader did last, and on phones, where no line
// of events is there for it, what came of that. A caption that is no longer what the picture
// shows steps back (state/standing.ts), and there what happens now is told with it. All captions
// lie in one place, so that the strip is as tall as the tallest and nothing jumps.

import { h, setText } from "../dom/dom";
import type { Given } from "../given";
import { captionOf } from "../runs/world";
import { say, sum } from "../state/phrases";
import { failureOf } from "../state/failures";
import type { PlayerState, Shown } from "../state/playerstate";
import type { Mark } from "../state/recording";
import { isEarlier, isYetToBeDone } from "../state/standing";
import type { Told } from "../state/timeline";
import { quietText } from "./quiet";

export class Captions {
  readonly root = h("div", { class: "kw-captions" });
  private readonly action = h("span", {});
  private readonly outcome = h("small", {});
  private readonly own = h("p", { class: "kw-caption is-own" }, h("b", { "aria-hidden": "true" }, "▸"), this.action, this.outcome);
  private marks: readonly Mark[] = [];
  private readonly texts = new Set<string>(); // all that there were: a branch has fewer moments, and the strip stays as tall
  private shown = -1;
  private readonly earlier: HTMLElement; // is in a caption that has stepped back
  private readonly coming: HTMLElement; // is in one whose picture is yet to come
  private readonly now = h("small", {});
  private readonly rest = h("div", { class: "kw-caption-rest", "aria-hidden": "true" });

  constructor(private readonly given: Pick<Given, "lang" | "phrases" | "words">, private readonly state: PlayerState) {
    this.earlier = h("span", { class: "kw-earlier" }, `${given.words.earlier} `);
    this.coming = h("span", { class: "kw-earlier" }, `${given.words.coming} `);
    state.on("shown", () => (this.root.hidden = state.shown.isPair));
    state.on("extent", () => { if (!state.shown.isPair) this.use(state.captioned); });
    state.on(["event", "bound", "doing"], () => { if (!state.shown.isPair) this.show(state.bound ?? state.head.index, this.doing ?? this.lastAction()); });
    state.on(["moment", "bound"], () => {
      this.showRest(state.head.reading);
      if (state.shown.isPair) return;
      this.age();
      if (this.own.matches(".is-own.is-shown")) this.showOutcome();
    });
  }

  /** Makes room for what is done, where there are no moments. */
  reserve(): void {
    if (this.marks.length === 0) this.root.append(this.own, this.rest);
  }

  private use(marks: readonly Mark[]): void {
    if (marks.length === this.marks.length && marks.every((m, i) => m === this.marks[i])) return;
    this.marks = marks;
    this.shown = -1;
    const now = new Set(marks.map((m) => captionOf(m, this.given.lang)));
    const before = [...this.texts].filter((text) => !now.has(text));
    for (const text of now) this.texts.add(text);
    const caption = (cls: string, sign: string, text: string) => h("p", { class: cls }, h("b", {}, sign), h("span", {}, text));
    this.root.replaceChildren(...marks.map((m, i) => caption("kw-caption", String(i + 1), captionOf(m, this.given.lang))), this.own,
      ...before.map((text) => caption("kw-caption is-room", "0", text)), this.rest);
  }

  /** Shows the caption of the last moment up to a frame, or instead of it what the reader did. */
  private show(index: number, own: string | undefined): void {
    const isDoing = this.doing !== undefined;
    this.own.classList.toggle("is-own", !isDoing);
    this.own.classList.toggle("is-doing", isDoing); // the picture will show it
    this.own.classList.toggle("is-shown", Boolean(own));
    if (own !== undefined) {
      setText(this.action, own);
      this.showOutcome(isDoing);
    }
    const at = own !== undefined ? -1 : this.marks.findLastIndex((m) => m.frame <= index);
    if (at === this.shown) return;
    this.root.children[this.shown]?.classList.remove("is-shown", "is-earlier", "is-coming");
    this.earlier.remove();
    this.coming.remove();
    this.now.remove();
    this.root.children[at]?.classList.add("is-shown");
    this.shown = at;
  }

  /** What came of what the reader did. That it was refused stays. */
  private showOutcome(isDoing = false): void {
    const { phrases } = this.given;
    const failure = isDoing ? undefined : failureOf(this.state.timeline, this.state.head.index);
    this.own.classList.toggle("is-refused", failure !== undefined);
    setText(this.outcome, failure ? say(phrases, failure) : isDoing ? "" : this.lastOutcome());
  }

  /** What the reader has just done, in words; undefined where the control plane alone knows to which object. */
  private get doing(): string | undefined {
    const { doing } = this.state;
    return doing && !doing.o?.includes("*") ? say(this.given.phrases, doing) : undefined;
  }

  /** Has the caption step back when the picture shows something else by now, and come forward again on the way back. */
  private age(): void {
    const caption = this.root.children[this.shown];
    const mark = this.marks[this.shown];
    if (!caption || !mark) return;
    const { timeline, head, bound } = this.state;
    const isAhead = bound === mark.frame && isYetToBeDone(timeline, head.index, bound);
    if (isAhead !== caption.classList.contains("is-coming")) {
      caption.classList.toggle("is-coming", isAhead);
      if (isAhead) caption.children[1]!.prepend(this.coming);
      else this.coming.remove();
    }
    const is = bound === undefined && isEarlier(timeline, mark.frame, head.index, head.ms, head.rests.get(mark.frame));
    if (is) setText(this.now, this.happening());
    if (is === caption.classList.contains("is-earlier")) return;
    caption.classList.toggle("is-earlier", is);
    if (!is) return [this.earlier, this.now].forEach((part) => part.remove());
    caption.children[1]!.prepend(this.earlier);
    caption.append(this.now);
  }

  /** Playing rests for what is to be read: so much of that is over, 0 to 1; undefined when it does not rest. */
  private showRest(part: number | undefined): void {
    this.rest.classList.toggle("is-shown", part !== undefined);
    if (part !== undefined) this.rest.style.setProperty("--part", part.toFixed(3));
  }

  /** What the author says of the moment, or what the reader did last. */
  get text(): string {
    const mark = this.marks[this.shown];
    return this.lastAction() ?? (mark ? captionOf(mark, this.given.lang) : "");
  }

  /** What it says at a frame of a world. */
  textAt(world: Shown, index: number): string {
    const { recording } = this.state;
    const mark = world.measure(recording, this.given.lang).captioned.findLast(({ frame }) => frame <= index);
    return this.lastAction(world, index) ?? (mark ? captionOf(mark, this.given.lang) : "");
  }

  /** The moment's event; while things pass, what is told of them. */
  private happening(): string {
    const { timeline, head, playing } = this.state;
    const quiet = quietText(this.given, this.state);
    if (quiet !== undefined) return quiet;
    const told = playing ? timeline.told(head.index) : undefined;
    return told ? this.sentence(told) : say(this.given.phrases, timeline.frames[head.index]!);
  }

  private sentence(told: Told): string {
    return told.n > 1 ? sum(this.given.phrases, told.frame, told.n) : say(this.given.phrases, told.frame);
  }

  /** What is told since what the reader did last. */
  private lastOutcome(): string {
    const { timeline, head } = this.state;
    const { outside } = timeline;
    const quiet = quietText(this.given, this.state);
    if (quiet !== undefined) return quiet;
    const told = timeline.told(head.index);
    let i = timeline.outsideAt(head.index);
    while (i >= 0 && outside[i]!.op !== "input") i--;
    return told && told.index >= (outside[i]?.e ?? 0) ? this.sentence(told) : "";
  }

  /** What the reader did last, in words; undefined in the author's part. */
  private lastAction({ timeline, own }: Shown = this.state.shown, index = this.state.head.index): string | undefined {
    const { outside } = timeline;
    for (let i = timeline.outsideAt(index); i >= 0 && outside[i]!.e > own; i--) {
      if (outside[i]!.op === "input") return say(this.given.phrases, outside[i]!);
    }
    return index >= own ? "" : undefined;
  }
}

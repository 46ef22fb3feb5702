// The exercises of a demo that the page asks of its reader: a box in the text for
// each (site/pages/exercise.templ), and beside the demo's controls the one that is
// being worked on. The control plane judges (attempt.ts); the page remembers (solved.ts).

import "./exercise.css";
import { answerOf, nextHint, standingAt, type Progress, type Standing } from "../state/attempt";
import { h, heading, prefersStill, setText, uniqueId } from "../dom/dom";
import { exerciseWordsOf, type ExerciseWords } from "./exercise.words";
import { say, seconds } from "../state/phrases";
import type { Given } from "../given";
import type { Worlds } from "../runs/worlds";
import type { PlayerState } from "../state/playerstate";
import { question } from "./question";
import type { Exercise, Input, Kind } from "../state/scenario";
import { forget, nameOf, recall, remember, whenSolved, type Solved } from "./solved";
import type { World } from "../runs/world";
import { put } from "../text";

/** How long it is said that an exercise is solved, ms. */
const praisedMs = 8000;

/** What exercises begin: the recording at a moment, µs; a run with these inputs. */
export interface Starts {
  begin(us: number): void;
  play(inputs: Input[], us: number): void;
}

export class Exercises {
  private readonly cards: Card[] = [];
  private drawer: HTMLDetailsElement | undefined; // of a demo alone in a frame
  private active: Card | undefined;
  private world: World | undefined;
  private isAsking = false;
  private known: { world: World; inputs: readonly Input[]; length: number; progress: Progress } | undefined;

  /** player is the whole, reader its part for the reader. */
  constructor(
    given: Given, private readonly state: PlayerState, private readonly worlds: Worlds,
    starts: Starts, private readonly player: HTMLElement, private readonly reader: HTMLElement,
  ) {
    const words = exerciseWordsOf(given.lang);
    const isAlone = player.closest("[data-alone]") !== null;
    const uncover = (answer: readonly Input[]) => void (isAlone || this.uncover(answer)); // alone in a frame, tasks are in the panel
    const boxes = [...document.querySelectorAll<HTMLElement>(".exercise[data-exercise]")].filter((box) => box.dataset["demo"] === given.demo);
    const root = h("div", { class: "kw-exercises" });
    for (const exercise of given.scenario.exercises ?? []) {
      const box = boxes.find((b) => b.dataset["exercise"] === exercise.id);
      if (!box && !isAlone) continue;
      const common = { given, starts, player, words, isAlone, uncover, chosen: (c: Card) => this.start(c),
        solved: (at: string) => this.praise(put(words.justSolved, { at })) };
      const card = new Card(common, exercise, box);
      this.cards.push(card);
      // The task is done where it is read. While a page is written, its demo may have been made anew.
      box?.querySelector(":scope > .kw-exercise")?.remove();
      if (box) box.append(card.root);
      else root.append(card.root);
    }
    if (isAlone) {
      // A frame shows the picture; what it asks of its reader is opened.
      this.drawer = h("details", { class: "kw-faults kw-exercises-drawer" }, h("summary", {}, words.exercises), root);
      (reader.querySelector(".kw-faults-row") ?? reader).append(this.drawer);
      reader.hidden = false;
    } else {
      const head = reader.querySelector(".kw-reader-head");
      if (head) head.after(root);
      else reader.prepend(root);
    }
    reader.before(...this.cards.map((card) => card.strip)); // it stays above what is typed and printed
    whenSolved(() => this.cards.forEach((card) => card.draw()));
    state.on("worlds", () => void this.ask());
    state.on("moment", () => this.show());
    this.show();
  }

  /** Shows the moment of the world that the reader has turned to. */
  private show(): void {
    const { inspected } = this.worlds;
    const isOther = inspected !== this.world;
    this.world = inspected;
    if (isOther) void this.ask();
    this.draw();
  }

  /** Says it where the reader looks, for a while: the task may be out of sight. */
  private praise(text: string): void {
    const { state } = this;
    state.say(text);
    setTimeout(() => { if (state.message.text === text) state.say(""); }, praisedMs);
  }

  private start(card: Card): void {
    if (this.drawer) this.drawer.open = true;
    this.state.look(""); // what was chosen before has nothing to do with it
    for (const other of this.cards) other.isActive = other === card;
    this.active = card;
    this.state.stays = (card.exercise.holds ?? 0) / 1000;
    this.known = undefined;
    void this.ask();
    this.draw();
  }

  /** Has the panel leave the task and the picture. It is open only where there is something in it alone that the answer takes, and that is in sight. */
  private uncover(answer: readonly Input[]): void {
    const { state, player, reader } = this;
    const away = answer.map(({ kind }) => controlFor(kind)).find((control) => !player.querySelector(`.kw-main > ${control}`));
    if (away) state.reveal("act"); // to this it opens again
    if (!away || matchMedia("(width < 60rem)").matches) return state.reveal(); // there it would lie over the task
    const control = reader.querySelector<HTMLElement>(away);
    const fold = control?.closest("details");
    if (fold) fold.open = true;
    requestAnimationFrame(() => { // a demo may come from another text for this
      state.emit("exercise");
      const page = control?.closest(".kw-side-page");
      if (page) page.scrollTop += control!.getBoundingClientRect().bottom + 8 - page.getBoundingClientRect().bottom;
    });
  }

  /** Asks how far the reader has come, as often as there may be something new. */
  private async ask(): Promise<void> {
    const { active, world } = this;
    if (!active || !world?.branch || world.inputs.length === 0 || this.isAsking) return;
    const { branch, inputs } = world;
    const length = world.timeline.length;
    if (this.isKnown(world) && this.known!.length === length) return;
    this.isAsking = true;
    try {
      const progress = await branch.ask<Progress>("exercise", { id: active.exercise.id });
      if (inputs === world.inputs && active === this.active) this.known = { world, inputs, length, progress };
    } catch {
      return; // who runs the world says what went wrong
    } finally {
      this.isAsking = false;
    }
    this.draw();
    void this.ask();
  }

  private isKnown(world: World): boolean {
    return this.known?.world === world && this.known.inputs === world.inputs;
  }

  private draw(): void {
    const { active, world } = this;
    if (!active || !world) return;
    const was = active.isSolved;
    active.show(world, standingAt(this.isKnown(world) ? this.known!.progress : undefined, this.state.head.now));
    if (active.isSolved && !was && this.state.playing) this.state.emit("exercise");
  }
}

/** What one of the author's inputs is done with. */
function controlFor(kind: Kind): string {
  if (kind === "scale" || kind === "load") return ".kw-scale";
  return kind === "kubectl" || kind === "apply" ? ".kw-prompt" : `:is(.kw-action-${kind}, .kw-fault-${kind})`;
}

/** What a demo's exercises have in common. */
interface Common {
  given: Given;
  starts: Starts;
  player: HTMLElement;
  words: ExerciseWords;
  isAlone: boolean;
  /** Has what is opened leave the task, and the picture, to who does something like this. */
  uncover(answer: readonly Input[]): void;
  /** This one is worked on from now on. */
  chosen(card: Card): void;
  /** This one was solved just now, at this time. */
  solved(at: string): void;
}

/** One exercise: beside the controls while it is worked on, and in the text. */
class Card {
  readonly root: HTMLElement;
  /** How far it has come, in the panel that may lie over the text. */
  readonly strip = h("div", { class: "kw-exercise-strip", role: "group", hidden: true });
  isActive = false;
  private readonly name: string;
  private readonly answer: Input[];
  private readonly seen = new Set<number>(); // hints
  private world: World | undefined;
  private standing: Standing = { kind: "waits", goal: [], hints: [] };
  private isAnswer = false; // it is what runs
  private isElsewhere = false; // it runs in a counterfactual
  private readonly states: HTMLElement[] = [];
  private readonly starts: HTMLButtonElement[] = [];
  private readonly results: HTMLElement[] = [];
  private readonly goal: [part: number, item: HTMLElement][] = []; // in all its places
  private readonly note = h("p", { class: "kw-exercise-note", role: "status" });
  private readonly shortNote = h("p", { class: "kw-exercise-short" });
  private readonly hints = h("ol", { class: "kw-exercise-hints" });
  private hintButton: HTMLButtonElement | undefined;
  private answerButton: HTMLButtonElement | undefined;

  constructor(private readonly common: Common, readonly exercise: Exercise, private readonly box: HTMLElement | undefined) {
    const { words, given: { demo, level } } = common;
    this.name = nameOf(demo, exercise.id, exercise.version ?? "");
    this.answer = answerOf(exercise);
    const title = uniqueId();
    this.root = h("section", { class: "kw-exercise", role: "group", "aria-labelledby": title, tabindex: -1 });
    const isQuestion = (exercise.predict?.length ?? 0) > 0;
    const head = h("div", { class: "kw-exercise-head" },
      heading(level, isQuestion ? words.question : words.exercise, {}, true), this.state());
    this.strip.setAttribute("aria-label", words.exercise);
    const task = h("p", { class: "kw-exercise-task", id: title }, this.text(exercise.task));
    this.root.append(head, task);
    if (isQuestion) this.ask(title);
    else this.work();
    this.draw();
  }

  /** Shows how the reader's run stands. */
  show(world: World, standing: Standing): void {
    this.world = world;
    const { answer } = this;
    this.standing = standing;
    this.isAnswer = answer.length > 0 && JSON.stringify(world.inputs) === JSON.stringify(answer);
    this.isElsewhere = world.whatIf !== "";
    if (this.isActive && this.isSolved && !recall(this.name)) {
      const { outside } = world.timeline;
      const last = outside.findLast((f) => f.op === "input" && f.at <= standing.at!);
      this.solve({ at: standing.at!, ...(last ? { by: say(this.common.given.phrases, last) } : {}) });
      this.common.solved(seconds(standing.at!));
    }
    this.draw();
  }

  /** Whether the run that is shown solves it, and not with the author's answer. */
  get isSolved(): boolean {
    return this.standing.kind === "solved" && !this.isAnswer && !this.isElsewhere;
  }

  /** Shows what there is to show, in all its places. */
  draw(): void {
    const { words, isAlone } = this.common;
    const { isActive, standing } = this;
    const solved = recall(this.name);
    this.root.hidden = !isActive && !isAlone;
    this.root.classList.toggle("is-active", isActive);
    const state = solved ? "solved" : isActive ? "working" : "notStarted";
    for (const place of this.states) {
      place.className = `exercise-state is-${state}`;
      setText(place, words[state]);
    }
    for (const start of this.starts) setText(start, isActive || solved ? words.again : words.start);
    for (const result of this.results) this.tell(result, solved);
    this.goal.forEach(([i, item]) => {
      const holds = standing.goal[i] === true;
      item.classList.toggle("is-held", holds);
      const known = standing.goal[i] !== undefined; // from the reader's first step on
      setText(item.querySelector(".kw-exercise-sign")!, holds ? words.holds : known ? words.lacks : "");
    });
    const kind = this.isAnswer ? "answered" : standing.kind;
    const text = this.noteText();
    for (const note of [this.note, this.shortNote]) {
      setText(note, text);
      note.dataset["kind"] = kind;
    }
    this.strip.hidden = !isActive || this.strip.childElementCount === 0;
    this.drawHelp();
  }

  private noteText(): string {
    const { words } = this.common;
    const { exercise, standing } = this;
    if (!this.isActive) return "";
    if (this.isAnswer) return words.answered;
    if (this.isElsewhere) return words.otherwise;
    const what = standing.kind === "spoilt" && this.world?.timeline.frames.find((f) => f.e === standing.event);
    if (what) return put(words.spoiltBy, { at: seconds(what.at), what: say(this.common.given.phrases, what) });
    const args = { at: seconds(standing.at ?? 0), s: ((standing.kind === "late" ? exercise.within : exercise.holds) ?? 0) / 1e9 };
    return standing.kind === "solved" ? words.solved : put(words[standing.kind], args);
  }

  private drawHelp(): void {
    const { hintButton, answerButton, exercise, standing, isSolved } = this;
    if (!hintButton || !answerButton) return;
    const left = nextHint(exercise, standing.hints, this.seen) >= 0;
    if (isSolved && [this.hints, hintButton, answerButton].some((e) => e.contains(document.activeElement))) this.root.focus({ preventScroll: true });
    this.hints.hidden = isSolved; // what they were for is done
    hintButton.hidden = !this.isActive || isSolved || (exercise.hints?.length ?? 0) === 0;
    hintButton.setAttribute("aria-disabled", String(!left));
    answerButton.hidden = !this.isActive || isSolved || left;
  }

  /** What solved it, and a way to forget that. */
  private tell(result: HTMLElement, solved: Solved | undefined): void {
    const { words, given: { lang } } = this.common;
    const key = JSON.stringify(solved ?? "");
    if (result.dataset["for"] === key) return;
    result.dataset["for"] = key;
    result.hidden = !solved;
    if (!solved) return result.replaceChildren();
    const day = new Date(solved.on).toLocaleDateString(lang, { dateStyle: "medium" });
    const mine = solved.by && solved.lang === lang && solved.at !== undefined;
    result.replaceChildren(
      h("p", {}, mine ? `${put(words.solvedAt, { at: seconds(solved.at!), by: solved.by! }).replace(/[.。]$/, "")} · ${day}` : put(words.solvedOn, { on: day })),
      h("button", { type: "button", class: "kw-button kw-forget", click: () => this.forget() }, words.forget));
  }

  private forget(): void {
    const place = document.activeElement?.closest<HTMLElement>(".kw-exercise, .exercise");
    forget(this.name);
    (place?.querySelector<HTMLElement>(".kw-exercise-start, input") ?? undefined)?.focus({ preventScroll: true });
  }

  private solve(what: Omit<Solved, "on">): void {
    remember(this.name, { on: new Date().toISOString(), ...what, lang: this.common.given.lang });
  }

  // —— a task

  private work(): void {
    const { words } = this.common;
    const { exercise, box } = this;
    const parts = (exercise.goal ?? []).map((part) => (part.text ? this.text(part.text) : ""));
    const list = () => h("ul", { class: "kw-exercise-goal", "aria-label": words.goal }, ...parts.map((text, i) => {
      const item = h("li", { hidden: text === "" }, text, " ", h("span", { class: "kw-exercise-sign" }));
      this.goal.push([i, item]);
      return item;
    }));
    if (parts.some((text) => text !== "")) {
      this.root.append(list());
      this.strip.append(list(), this.shortNote);
    }
    this.hintButton = h("button", { type: "button", class: "kw-button kw-exercise-hint", click: () => this.hint() }, words.hint);
    this.answerButton = h("button", { type: "button", class: "kw-button kw-exercise-answer", hidden: true, click: () => this.showAnswer() }, words.answer);
    this.root.append(this.note, this.hints, this.result(),
      h("div", { class: "kw-exercise-acts" }, this.startButton(), this.hintButton, this.answerButton));
    if (!box) return;
    this.stateIn(box);
    box.querySelector(".exercise-foot")!.replaceChildren(this.startButton(), this.result());
  }

  private stateIn(box: HTMLElement): void {
    box.querySelector(".exercise-kind .exercise-state")?.remove(); // of a demo that was replaced since
    box.querySelector(".exercise-kind")!.append(this.state());
  }

  private startButton(): HTMLButtonElement {
    const button = h("button", { type: "button", class: "kw-button kw-exercise-start", click: () => this.start() }, this.common.words.start);
    this.starts.push(button);
    return button;
  }

  private start(): void {
    const { common, exercise } = this;
    this.seen.clear();
    this.hints.replaceChildren();
    common.chosen(this);
    const hasPlace = (exercise.from ?? "") !== "" || (exercise.offset ?? 0) > 0;
    const begin = hasPlace ? exercise.begin : this.answer[0]?.at; // where none is given, the author's answer begins
    common.starts.begin((begin ?? 0) / 1000);
    this.comeHere(this.answer);
  }

  /** Brings the demo into sight, with the task as far as there is room, and the focus to the task. */
  private comeHere(answer: readonly Input[] = []): void {
    const { player, uncover } = this.common;
    uncover(answer);
    this.root.focus({ preventScroll: true });
    const { top, height } = player.getBoundingClientRect();
    const task = this.root.getBoundingClientRect();
    const over = task.top - 16 - (player.offsetWidth > innerWidth * 0.8 ? height : 0); // below a picture that is pinned over the text
    const below = task.bottom + 120 - innerHeight; // what it is done with stands there
    const isOpen = player.querySelector(".kw-sidepanel:not([hidden])") !== null; // it is put where the task comes to stand
    scrollBy({ top: over < 0 ? over : Math.max(top, Math.min(below, over)), behavior: prefersStill() || isOpen ? "instant" : "smooth" });
  }

  private hint(): void {
    const { exercise, standing, seen, common } = this;
    const i = nextHint(exercise, standing.hints, seen);
    if (i < 0) return setText(this.note, common.words.noHint);
    seen.add(i);
    this.hints.append(h("li", { tabindex: -1 }, this.text(exercise.hints![i]!.text)));
    this.drawHelp();
    (this.hints.lastElementChild as HTMLElement).focus({ preventScroll: true });
  }

  private showAnswer(): void {
    const { answer, common } = this;
    if (answer.length > 0) common.starts.play(answer, answer[0]!.at / 1000);
    this.root.focus({ preventScroll: true }); // the button may go
  }

  // —— a question

  private ask(title: string): void {
    const { common: { words, starts, given: { lang } }, exercise, box } = this;
    const see = () => {
      starts.play(this.answer, (this.answer[0]?.at ?? exercise.begin ?? 0) / 1000);
      this.comeHere();
    };
    const form = () => question({ words, lang, options: exercise.predict!, label: title,
      right: () => { if (!recall(this.name)) this.solve({}); }, see });
    this.root.append(form(), this.result());
    if (!box) return;
    this.stateIn(box);
    box.querySelector(".exercise-options, .kw-question")!.replaceWith(form());
    box.querySelector(".exercise-foot")!.replaceChildren(this.result());
  }

  // —— pieces

  private state(): HTMLElement {
    const place = h("span", { class: "exercise-state" });
    this.states.push(place);
    return place;
  }

  private result(): HTMLElement {
    const place = h("div", { class: "kw-exercise-result", hidden: true });
    this.results.push(place);
    return place;
  }

  private text(texts: Record<string, string>): string {
    return texts[this.common.given.lang] ?? texts["en"] ?? "";
  }
}

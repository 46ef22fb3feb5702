// What a reader can break, whatever the author offers: a component, a node or a Pod
// is chosen, here or by looking at it, and a menu has what can be done to it now.
// Below stand the faults that are on, each with what mends it.

import "./faults.css";
import { inPicture } from "../picture/inpicture";
import { BreakMenu, isTarget, shortName, targetOf, targetsOf, type Targets } from "./breakmenu";
import { h, heading, setAttr, setText, uniqueId } from "../dom/dom";
import { faultWordsOf, type FaultWords } from "./faults.words";
import { icon } from "../dom/icons";
import type { Config } from "../generated/cluster";
import type { Frame, Shape } from "../state/recording";
import type { Given } from "../given";
import type { Actions } from "../runs/actions";
import { activeFaults, type Fault } from "../state/activefaults";
import type { PlayerState } from "../state/playerstate";
import { put } from "../text";

type Shapes = ReadonlyMap<string, Shape>;

export class Faults {
  readonly root: HTMLElement;
  private readonly words: FaultWords;
  private readonly select: HTMLSelectElement;
  private readonly menu: BreakMenu;
  private readonly list = h("ul", { class: "kw-broken" });
  private readonly none: HTMLElement;
  private about = "";
  private targets: Targets = { control: [], node: [], pod: [] };
  private drawn = { targets: "", list: "" };
  private on: Fault[] = [];
  private shapes: Shapes = new Map();
  private readonly cluster: Config;

  constructor({ lang, level, scenario }: Pick<Given, "lang" | "level" | "scenario">, state: PlayerState, private readonly actions: Actions) {
    this.cluster = scenario.cluster;
    const words = (this.words = faultWordsOf(lang));
    const title = uniqueId();
    this.select = h("select", { class: "kw-break-target", "aria-label": words.target, change: () => state.look(this.select.value) });
    this.none = h("p", { class: "kw-hint" }, words.none);
    this.menu = new BreakMenu(words, actions, this.cluster);
    this.root = h("div", { class: "kw-break" },
      h("div", { class: "kw-break-choice" }, this.select, h("span", { class: "kw-hint" }, words.hint)),
      this.menu.root,
      h("section", { role: "group", "aria-labelledby": title }, heading(level, words.on, { id: title }, true), this.none, this.list));
  }

  /** What the reader looks at; what cannot be broken is not taken. */
  choose(about: string): void {
    const name = targetOf(about);
    if (name !== "" && !isTarget(this.targets, name)) return;
    this.about = name;
    this.draw();
  }

  focus(): void {
    if (!this.menu.focus()) this.select.focus();
  }

  /** Shows a moment; frames are those of what came from outside (Timeline.outside). */
  show(shapes: Shapes, frames: readonly Frame[], index: number): void {
    this.shapes = shapes;
    this.on = activeFaults(frames, index, this.cluster);
    this.targets = targetsOf(shapes);
    this.draw();
  }

  private draw(): void {
    this.drawTargets();
    this.menu.show(this.about, this.shapes, this.on);
    this.drawList();
  }

  private drawTargets(): void {
    const { words, targets } = this;
    if (this.about !== "" && !isTarget(targets, this.about)) this.about = ""; // it is gone
    const key = JSON.stringify(targets);
    if (key !== this.drawn.targets && document.activeElement !== this.select) {
      this.drawn.targets = key;
      this.select.replaceChildren(h("option", { value: "" }, words.choose),
        ...(["control", "node", "pod"] as const).filter((g) => targets[g].length > 0).map((group) => {
          const options = h("optgroup", { label: words.groups[group] });
          options.append(...targets[group].map((about) => h("option", { value: about }, shortName(about))));
          return options;
        }));
    }
    if (this.select.value !== this.about) this.select.value = this.about;
  }

  private drawList(): void {
    const { words, list } = this;
    const key = JSON.stringify(this.on);
    if (key === this.drawn.list) return;
    this.drawn.list = key;
    const focused = list.contains(document.activeElement);
    list.replaceChildren(...this.on.map((fault) => {
      const isLoop = fault.kind === "fail" && (fault.value === "" || fault.value === "crash");
      const what = put(words.is[isLoop ? "crash" : fault.kind] ?? fault.kind, { name: fault.target, value: words.modes[fault.value] ?? fault.value });
      const { mend } = fault;
      return h("li", {}, h("span", {}, what), mend && h("button", { type: "button", class: "kw-button kw-mend", "aria-label": put(words.mendIt, { what }),
        click: () => void this.actions.act(mend) }, icon("power"), words.mend),
        fault.kind === "stop" && !mend ? h("p", { class: "kw-hint" }, words.byPod.down) : undefined);
    }));
    this.none.hidden = this.on.length > 0;
    list.hidden = this.on.length === 0;
    if (focused) (list.querySelector<HTMLElement>("button") ?? this.select).focus();
  }
}

/** What a reader has chosen in the picture, by its name, and what can be done to it now: a row of that, and the rest when it is asked for. */
export class Chosen {
  private readonly menu: BreakMenu;
  private readonly name: HTMLElement;
  private readonly how = h("p", { class: "kw-chosen-how" });
  private readonly words: FaultWords;
  private readonly rest: HTMLButtonElement;
  private about = "";
  private readonly cluster: Config;
  private readonly phrases: Given["phrases"];

  constructor(
    private readonly root: HTMLElement, { lang, level, scenario, phrases }: Pick<Given, "lang" | "level" | "scenario" | "phrases">, actions: Actions,
  ) {
    this.cluster = scenario.cluster;
    this.phrases = phrases;
    this.words = faultWordsOf(lang);
    this.menu = new BreakMenu(this.words, actions, this.cluster);
    this.name = heading(level, "", { class: "kw-chosen-name" });
    this.rest = h("button", { type: "button", class: "kw-button kw-chosen-rest", "aria-expanded": "false", hidden: true,
      click: () => this.unfold(!root.classList.contains("is-unfolded")) });
    root.append(h("div", { class: "kw-chosen-head" }, this.name, this.how, this.rest), this.menu.root);
    new ResizeObserver(() => this.count()).observe(this.menu.root);
    this.menu.root.addEventListener("focusin", ({ target }) => this.below.some((item) => item.contains(target as Node)) && this.unfold(true));
  }

  /** What is not in the row. */
  private get below(): HTMLElement[] {
    const items = [...this.menu.root.children] as HTMLElement[];
    return items.filter((item) => item.offsetTop > items[0]!.offsetTop + items[0]!.offsetHeight / 2);
  }

  private unfold(is: boolean): void {
    this.root.classList.toggle("is-unfolded", is);
    setAttr(this.rest, "aria-expanded", String(is));
    this.count();
  }

  /** Says how many there are beside the row. */
  private count(): void {
    const n = this.below.length;
    const isUnfolded = this.root.classList.contains("is-unfolded");
    setText(this.rest, isUnfolded ? this.words.fewer : put(this.words.others, { n }));
    this.rest.hidden = n === 0;
  }

  /** Shows it as of a moment; hides all when nothing can be done to it. */
  show(about: string, shapes: Shapes, frames: readonly Frame[], index: number): void {
    const name = targetOf(about);
    this.root.hidden = name === "" || !isTarget(targetsOf(shapes), name);
    if (this.root.hidden) return;
    if (name !== this.about) this.unfold(false);
    this.about = name;
    setText(this.name, shortName(name));
    setText(this.how, inPicture(shapes.values(), (key) => this.phrases[key]).get(name) ?? "");
    this.menu.show(name, shapes, activeFaults(frames, index, this.cluster));
    this.count();
  }
}

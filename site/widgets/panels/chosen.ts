// What a reader has chosen in the picture, by its name, and what can be done to it now.

import "./faults.css";
import { h, heading, setText } from "../dom/dom";
import { BreakMenu, isTarget, shortName, targetOf, targetsOf } from "./breakmenu";
import { faultWordsOf } from "./faults.words";
import type { Given } from "../given";
import type { Actions } from "../runs/actions";
import { activeFaults } from "../state/activefaults";
import type { Frame, Shape } from "../state/recording";

export class Chosen {
  private readonly menu: BreakMenu;
  private readonly name: HTMLElement;

  constructor(private readonly root: HTMLElement, { lang, level }: Pick<Given, "lang" | "level">, actions: Actions) {
    this.menu = new BreakMenu(faultWordsOf(lang), actions);
    this.name = heading(level, "", { class: "kw-chosen-name" });
    root.append(h("div", {}, this.name), this.menu.root);
  }

  /** Shows it as of a moment; hides all when nothing can be done to it. */
  show(about: string, shapes: ReadonlyMap<string, Shape>, frames: readonly Frame[], index: number): void {
    const name = targetOf(about);
    this.root.hidden = name === "" || !isTarget(targetsOf(shapes), name);
    if (this.root.hidden) return;
    setText(this.name, shortName(name));
    this.menu.show(name, shapes, activeFaults(frames, index));
  }
}

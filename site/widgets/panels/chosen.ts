// What a reader has chosen in the picture, by its name, and what can be done to it now.

import "./faults.css";
import { h, heading, setText, type Level } from "../dom/dom";
import { BreakMenu, isTarget, shortName, targetOf, targetsOf } from "./breakmenu";
import { faultWordsOf } from "./faults.words";
import { activeFaults, type FaultInput } from "../state/activefaults";
import type { Frame, Shape } from "../state/recording";

export interface ChosenHost {
  lang: string;
  level: Level;
  give(input: FaultInput): void;
}

export class Chosen {
  private readonly menu: BreakMenu;
  private readonly name: HTMLElement;

  constructor(private readonly root: HTMLElement, host: ChosenHost) {
    this.menu = new BreakMenu(faultWordsOf(host.lang), (input) => host.give(input));
    this.name = heading(host.level, "", { class: "kw-chosen-name" });
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

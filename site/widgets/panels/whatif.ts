// Counterfactuals: the same inputs in a world that is built otherwise, laid beside
// the real one where they part. Each is a switch.

import "./whatif.css";
import { h, setAttr, setText, uniqueId } from "../dom/dom";
import type { Given } from "../given";
import type { Comparing } from "../runs/comparing";
import type { Worlds } from "../runs/worlds";
import type { PlayerState } from "../state/playerstate";
import type { WhatIf } from "../state/scenario";
import { worldWordsOf } from "../runs/worlds.words";

export class WhatIfs {
  readonly root: HTMLElement;
  private readonly switches = new Map<string, HTMLElement>();

  /** comparing is there as soon as it is needed. */
  constructor(private readonly given: Given, state: PlayerState, private readonly worlds: Worlds, private readonly comparing: () => Promise<Comparing>) {
    const words = worldWordsOf(given.lang);
    this.root = h("details", { class: "kw-faults kw-what-ifs" }, h("summary", {}, words.whatIf),
      h("ul", { class: "kw-what-if-list" }, ...given.scenario.whatIf!.map((one) => this.item(one))));
    state.on(["shown", "worlds"], () => this.show());
  }

  /** Shows which are on. */
  private show(): void {
    const shown = this.worlds.shown.map((world) => world.whatIf);
    for (const [id, button] of this.switches) setAttr(button, "aria-checked", String(shown.includes(id)));
  }

  private item({ id, label, text }: WhatIf): HTMLElement {
    const { lang } = this.given;
    const of = (all: Record<string, string> | null | undefined) => all?.[lang] ?? all?.["en"] ?? id;
    const about = uniqueId();
    const words = worldWordsOf(lang);
    const status = h("span", { class: "kw-what-if-status", role: "status" });
    const button = h("button", { type: "button", class: "kw-switch", role: "switch", "aria-checked": "false", "aria-describedby": about },
      h("i", { "aria-hidden": "true" }), of(label));
    button.addEventListener("click", async () => {
      if (button.getAttribute("aria-checked") === "true") return (await this.comparing()).wake();
      setText(status, words.running);
      const done = await (await this.comparing()).imagine(id);
      setText(status, done ? "" : words.cannotRun);
    });
    this.switches.set(id, button);
    return h("li", {}, button, status, h("p", { id: about }, of(text)));
  }
}

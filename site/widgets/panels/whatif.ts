// Counterfactuals: the same inputs in a world that is built otherwise, laid beside
// the real one where they part. Each is a switch.

import "./whatif.css";
import { h, setAttr, setText, uniqueId } from "../dom/dom";
import type { WhatIf } from "../state/scenario";
import { worldWordsOf } from "../runs/worlds.words";

export interface WhatIfHost {
  lang: string;
  whatIf: readonly WhatIf[];
  /** The counterfactuals that are shown. */
  shown(): readonly string[];
  /** Shows the real world beside one. Tells whether that could be done. */
  imagine(id: string): Promise<boolean>;
  /** Shows the real world alone again. */
  wake(): void;
}

export class WhatIfs {
  readonly root: HTMLElement;
  private readonly switches = new Map<string, HTMLElement>();

  constructor(private readonly host: WhatIfHost) {
    const words = worldWordsOf(host.lang);
    this.root = h("details", { class: "kw-faults kw-what-ifs" }, h("summary", {}, words.whatIf),
      h("ul", { class: "kw-what-if-list" }, ...host.whatIf.map((one) => this.item(one))));
  }

  /** Shows which are on. */
  show(): void {
    const shown = this.host.shown();
    for (const [id, button] of this.switches) setAttr(button, "aria-checked", String(shown.includes(id)));
  }

  private item({ id, label, text }: WhatIf): HTMLElement {
    const { lang } = this.host;
    const of = (all: Record<string, string> | null | undefined) => all?.[lang] ?? all?.["en"] ?? id;
    const about = uniqueId();
    const words = worldWordsOf(lang);
    const status = h("span", { class: "kw-what-if-status", role: "status" });
    const button = h("button", { type: "button", class: "kw-switch", role: "switch", "aria-checked": "false", "aria-describedby": about }, h("i", { "aria-hidden": "true" }), of(label));
    button.addEventListener("click", async () => {
      if (button.getAttribute("aria-checked") === "true") return this.host.wake();
      setText(status, words.running);
      const done = await this.host.imagine(id);
      setText(status, done ? "" : words.cannotRun);
    });
    this.switches.set(id, button);
    return h("li", {}, button, status, h("p", { id: about }, of(text)));
  }
}

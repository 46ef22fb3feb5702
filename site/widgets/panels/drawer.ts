// The place of the lanes in a demo: they are loaded when they are opened for the
// first time, and cost nothing until then.

import { h } from "../dom/dom";
import type { Given } from "../given";
import type { Attention } from "../state/attention";
import type { PlayerState } from "../state/playerstate";
import type { Transport } from "../state/transport";
import { messageOf } from "../text";
import type { Lanes } from "./lanes";

export class Drawer {
  readonly root = h("div", { class: "kw-drawer", hidden: true });
  private lanes: Lanes | undefined;
  private before: HTMLElement | null = null; // had the focus when they were opened

  constructor(private readonly given: Given, private readonly state: PlayerState, private readonly transport: Transport, private readonly attention: Attention) {
    const open = () => (this.root.hidden ? undefined : this.lanes);
    state.on("panel", (panel) => {
      if ((panel === "lanes") === this.root.hidden) void (panel === "lanes" ? this.open() : this.close());
    });
    state.on("moment", () => open()?.show(transport.ms));
    state.on("extent", () => open()?.refresh());
    state.on(["shown", "cut"], () => open()?.renew());
  }

  private async open(): Promise<void> {
    const { state } = this;
    this.before = document.activeElement as HTMLElement | null;
    try {
      const { Lanes } = await import("./lanes");
      if (state.panel !== "lanes" || !this.root.hidden) return; // closed meanwhile, or opened twice
      if (this.lanes) this.lanes.renew();
      else this.root.append((this.lanes = new Lanes(this.given, state, this.transport, this.attention)).root);
      this.root.hidden = false;
      this.lanes.show(this.transport.ms);
      this.lanes.focus();
    } catch (error) {
      state.say(messageOf(error), () => void this.open());
    }
  }

  /** Closing the side panel gives the focus back itself. */
  private close(): void {
    const had = this.root.contains(document.activeElement);
    this.root.hidden = true;
    if (had && this.state.panel) this.before?.focus({ preventScroll: true });
  }
}

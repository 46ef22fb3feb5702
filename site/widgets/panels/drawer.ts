// The place of the lanes in a demo: they are loaded when they are opened for the
// first time, and cost nothing until then.

import { h } from "../dom/dom";
import type { Lanes, LanesHost } from "./lanes";
import { messageOf } from "../runs/load";

export interface DrawerHost extends Omit<LanesHost, "closed"> {
  /** They are open now, or not. */
  opened(open: boolean): void;
  say(message: string, retry?: () => void): void;
}

export class Drawer {
  readonly root = h("div", { class: "kw-drawer", hidden: true });
  private lanes: Lanes | undefined;
  private loading = false;
  private ms = 0;
  private before: HTMLElement | null = null; // had the focus when they were opened

  constructor(private readonly host: DrawerHost) {}

  get isOpen(): boolean {
    return !this.root.hidden;
  }

  async toggle(): Promise<void> {
    if (this.isOpen) return this.close();
    if (this.loading) return;
    this.loading = true;
    this.before = document.activeElement as HTMLElement | null;
    try {
      if (!this.lanes) {
        const { Lanes } = await import("./lanes");
        this.lanes = new Lanes(Object.create(this.host, { closed: { value: () => this.close() } }) as LanesHost);
        this.root.append(this.lanes.root);
      } else this.lanes.renew();
      this.root.hidden = false;
      this.host.opened(true);
      this.lanes.show(this.ms);
      this.lanes.focus();
    } catch (error) {
      this.host.say(messageOf(error), () => void this.toggle());
    } finally {
      this.loading = false;
    }
  }

  private close(): void {
    const had = this.root.contains(document.activeElement);
    this.root.hidden = true;
    this.host.opened(false);
    if (had) this.before?.focus({ preventScroll: true });
  }

  /** Shows the moment, ms of the display. */
  show(ms: number): void {
    this.ms = ms;
    if (this.isOpen) this.lanes?.show(ms);
  }

  /** Frames were added, or the part that is shown has changed. */
  refresh(): void {
    if (this.isOpen) this.lanes?.refresh();
  }

  /** Frames were dropped or replaced. */
  renew(): void {
    if (this.isOpen) this.lanes?.renew();
  }
}

// The place of the picture: of one world, as the state has it. Two beside each other
// are put here by compareview.ts.

import { h } from "../dom/dom";
import type { Given } from "../given";
import type { PlayerState } from "../state/playerstate";
import { put } from "../text";
import { Picture } from "./draw";

export class Stage {
  readonly root: HTMLElement;
  private picture!: Picture;

  constructor(private readonly given: Given, private readonly state: PlayerState) {
    this.root = h("div", { class: "kw-stage", click: (event) => this.clicked(event as MouseEvent) });
    state.on("layout", () => this.draw());
    state.on("shown", () => {
      if (state.shown.isPair) return;
      if (this.picture.root.parentNode !== this.root) this.root.replaceChildren(this.picture.root);
      this.picture.replace(state.timeline.shapes);
    });
    state.on("cut", (changed) => this.picture.update(state.timeline.shapes, changed, false));
    state.on("event", ({ changed, move }) => {
      if (state.shown.isPair) return;
      this.picture.update(state.timeline.shapes, changed, move);
      this.picture.mark(state.timeline.frames[state.head.index]);
    });
    state.on("moment", () => {
      const { timeline, head, shown } = state;
      if (!shown.isPair) this.picture.travel((packet) => timeline.way(packet.id, head.ms));
    });
    state.on("about", (about) => this.picture.select(about));
    this.draw();
  }

  /** A picture of its own for each layout. */
  private draw(): void {
    const { given: { words, phrases, title, lang }, state } = this;
    this.picture = new Picture(state.recording, put(words.picture, { title }), (key) => phrases[key], { words, lang, look: (about) => state.look(about) });
    this.picture.select(state.about);
    this.root.replaceChildren(this.picture.root);
  }

  private clicked(event: MouseEvent): void {
    const about = this.state.shown.isPair ? undefined : this.picture.aboutAt(event);
    if (about) this.state.look(about);
  }
}

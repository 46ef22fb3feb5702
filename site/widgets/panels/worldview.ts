// What a reader sees of more worlds than one: the tree of them, and two side by
// side. It is loaded when the second world is made.

import type { Given } from "../given";
import { Comparing } from "../runs/comparing";
import type { Worlds } from "../runs/worlds";
import type { PlayerState } from "../state/playerstate";
import type { Transport } from "../state/transport";
import { CompareView } from "./compareview";
import { Tree } from "./tree";

/** Where it is put: around what a player has of one world. */
interface Places {
  root: HTMLElement;
  stage: HTMLElement;
  captions: HTMLElement;
  reader: HTMLElement;
}

export class WorldView {
  readonly tree: Tree;
  private pair: CompareView | undefined;

  constructor(
    private readonly given: Given, private readonly state: PlayerState, private readonly worlds: Worlds,
    private readonly transport: Transport, private readonly places: Places,
  ) {
    const comparing = (worlds.comparing = new Comparing(state, worlds, given));
    this.tree = new Tree(given, state, worlds, comparing);
    places.reader.after(this.tree.root); // nothing that the reader has hold of moves
    state.on("shown", () => this.place());
    state.on("event", ({ move }) => this.pair?.show(state.head.index, move));
    state.on("moment", () => this.pair?.travel());
    state.on("about", (about) => this.pair?.select(about));
    state.on("turned", () => this.pair?.press());
    state.on("frames", () => this.pair?.grow());
    state.on(["extent", "worlds"], () => this.tree.show());
  }

  /** Puts two worlds beside each other in the picture's place, or takes them away. */
  private place(): void {
    const { given, state, transport, worlds: { comparison, comparing }, places, tree } = this;
    this.pair?.caption.remove();
    this.pair?.panel.remove();
    this.pair = undefined;
    if (!comparison) return;
    this.pair = new CompareView(given, state, transport, comparison, {
      name: (world) => tree.name(world),
      leave: () => {
        comparing!.part();
        places.root.focus({ preventScroll: true });
      },
    });
    places.stage.replaceChildren(this.pair.stage);
    places.captions.after(this.pair.caption);
    places.reader.before(this.pair.panel);
  }
}

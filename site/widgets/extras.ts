// What of a player is loaded only where it is wanted: the view of several worlds,
// counterfactuals, exercises, what can be taken along, and the sheet of keys.

import type { Share } from "./panels/share";
import type { WorldView } from "./panels/worldview";
import type { Player } from "./player";
import { restore } from "./restore";
import type { Comparing } from "./runs/comparing";
import { messageOf } from "./text";
import type { Input } from "./state/scenario";

export class Extras {
  private view: WorldView | undefined; // there once there is more than one world
  private sharing: Share | undefined; // there once it was asked for

  constructor(private readonly player: Player) {
    const { state, worlds } = player;
    state.on("shown", () => worlds.all.length > 1 && void this.comparing());
  }

  /** Offers what this demo has. */
  offer(): void {
    void this.offerExercises();
    void this.offerWhatIfs();
  }

  private async worldView(): Promise<WorldView> {
    const { WorldView } = await import("./panels/worldview");
    const { given, state, worlds, transport, panels: { root, stage, captions, reader } } = this.player;
    this.view ??= new WorldView(given, state, worlds, transport, { root, stage: stage.root, captions: captions.root, reader: reader.root });
    return this.view;
  }

  /** What shows two worlds. */
  async comparing(): Promise<Comparing> {
    await this.worldView();
    return this.player.worlds.comparing!;
  }

  /** Offers the demo's counterfactuals. */
  private async offerWhatIfs(): Promise<void> {
    const { given, state, worlds, panels } = this.player;
    if (!given.scenario.whatIf?.length) return;
    const { WhatIfs } = await import("./panels/whatif");
    panels.reader.offer(new WhatIfs(given, state, worlds, () => this.comparing()).root);
  }

  /** Offers the exercises that the page asks of its reader: those in its text, or all when the demo is alone. */
  private async offerExercises(): Promise<void> {
    const { player } = this;
    const { given, state, worlds, transport, panels } = player;
    const { demo, scenario } = given;
    if (!scenario.exercises?.length || !document.querySelector(`[data-alone], .exercise[data-demo="${CSS.escape(demo)}"]`)) return;
    const { Exercises } = await import("./panels/exercise");
    const recorded = (us: number, inputs: Input[] = [], then?: () => void) => void restore(player, { demo, seed: scenario.seed, inputs, at: us }, then);
    new Exercises(given, state, worlds, {
      begin: (us) => recorded(us),
      play: (inputs, us) => recorded(us, inputs, () => transport.play()),
    }, panels.root, panels.reader.root);
  }

  /** What the keys do. */
  async help(): Promise<void> {
    const { root, given, state } = this.player;
    try {
      (await import("./panels/help")).openHelp(root, given.lang);
    } catch (error) {
      state.say(messageOf(error), () => void this.help());
    }
  }

  /** What can be taken along. */
  async share(): Promise<Share | undefined> {
    const { given, state, worlds, panels: { controls, captions } } = this.player;
    state.head.settle();
    try {
      const [{ Share }, { tree }] = await Promise.all([import("./panels/share"), this.worldView()]);
      return (this.sharing ??= new Share(given, state, worlds, controls, captions, tree));
    } catch (error) {
      state.say(messageOf(error), () => void this.share());
      return undefined;
    }
  }
}

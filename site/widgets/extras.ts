// What of a player is loaded only where it is wanted: the view of several worlds,
// counterfactuals, exercises, what can be taken along, and the sheet of keys.

import type { Exercises } from "./panels/exercise";
import { messageOf } from "./runs/load";
import type { Player } from "./player";
import type { Share } from "./panels/share";
import type { WhatIfs } from "./panels/whatif";
import type { WorldView } from "./panels/worldview";

export class Extras {
  /** There once there is more than one world. */
  view: WorldView | undefined;
  /** There when the page has some. */
  exercises: Exercises | undefined;
  private whatIfs: WhatIfs | undefined; // there when the demo has some
  private sharing: Share | undefined; // there once it was asked for

  constructor(private readonly player: Player) {}

  /** Offers what this demo has. */
  offer(): void {
    void this.offerExercises();
    void this.offerWhatIfs();
  }

  /** Worlds came, went or grew. */
  show(): void {
    this.view?.tree.show();
    this.whatIfs?.show();
  }

  /** What shows more worlds than one. */
  async showWorlds(): Promise<WorldView> {
    const { worldViewOf } = await import("./panels/worldview");
    this.view ??= worldViewOf(this.player);
    this.show();
    return this.view;
  }

  /** Offers the demo's counterfactuals. */
  private async offerWhatIfs(): Promise<void> {
    const { player } = this;
    const { lang, scenario } = player.given;
    if (!scenario.whatIf?.length) return;
    const { WhatIfs } = await import("./panels/whatif");
    this.whatIfs = new WhatIfs({ lang, whatIf: scenario.whatIf,
      shown: () => (this.view?.shown ?? [player.world]).map((world) => world.whatIf),
      imagine: async (id) => (await this.showWorlds()).imagine(id),
      wake: () => this.view?.wake(),
    });
    player.panels.reader.offer(this.whatIfs.root);
  }

  /** Offers the exercises that the page asks of its reader: those in its text, or all when the demo is alone. */
  private async offerExercises(): Promise<void> {
    const { player } = this;
    const { demo, scenario } = player.given;
    if (!scenario.exercises?.length || !document.querySelector(`[data-alone], .exercise[data-demo="${CSS.escape(demo)}"]`)) return;
    const { exercisesOf } = await import("./panels/exercise");
    this.exercises = exercisesOf(player);
    this.exercises.show(player.inspected, player.head.now);
  }

  /** What the keys do. */
  async help(): Promise<void> {
    const { player } = this;
    try {
      (await import("./panels/help")).openHelp(player.root, player.given.lang);
    } catch (error) {
      player.say(messageOf(error), () => void this.help());
    }
  }

  /** What can be taken along. */
  async share(): Promise<Share | undefined> {
    const { player } = this;
    player.head.settle();
    try {
      const [{ shareOf }, view] = await Promise.all([import("./panels/share"), this.showWorlds()]);
      this.sharing ??= shareOf(player, view);
      return this.sharing;
    } catch (error) {
      player.say(messageOf(error), () => void this.share());
      return undefined;
    }
  }
}

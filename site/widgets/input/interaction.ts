// The reader's turn: what they do to the cluster, what the control plane says of
// that before, and worlds that wait for it.

import { Stopped } from "../runs/engine";
import { Live } from "../runs/live";
import { messageOf } from "../runs/load";
import type { Player } from "../player";
import type { Input } from "../state/scenario";
import { savesData } from "../runs/prewarm";

export class Turn {
  /** What the reader did last, until its first frames are there. */
  giving: Promise<boolean> | undefined;
  private isWarm = false; // worlds wait for what the reader does

  constructor(private readonly player: Player) {}

  /** Readies the control plane when the reader is about to need it; from then on worlds wait where they stand. */
  warmUp(): void {
    if (savesData()) return;
    this.isWarm = true;
    this.wait();
  }

  /** No world waits any more, until the reader is about to do something again. */
  rest(): void {
    this.isWarm = false;
  }

  /** Has worlds wait where the reader stands, and at the author's moment before, to which they may go back. */
  wait(): void {
    const { world, head, timeline, given, engine, layout, comparison } = this.player;
    if (!this.isWarm || comparison) return;
    const { scenario = given.scenario } = world.branch ?? {};
    const back = world.marks.findLast((m) => m.frame < head.index)?.frame ?? world.first;
    engine.prewarm.follow({ scenario, layout, whatIf: world.whatIf, inputs: world.inputs },
      timeline.frames[head.index]?.at ?? 0, timeline.frames[back]?.at ?? 0);
  }

  /** What the control plane says of something before it is done. */
  async judge<T>(call: "parse" | "profiles", argument: object): Promise<T | undefined> {
    const { player } = this;
    const { words } = player.given;
    try {
      if (!player.engine.isReady) player.say(words.loadingLive);
      const answer = await player.engine.call<T>(call, argument);
      player.say("");
      return answer;
    } catch (error) {
      const isStopped = error instanceof Stopped;
      if (isStopped) this.rest();
      console.info(messageOf(error));
      player.say(isStopped ? words.stoppedLive : words.failedLive);
      return undefined;
    }
  }

  /** Does something in the world that the controls are about: it goes on from there, or another one leaves it. */
  async give(what: Omit<Input, "at">): Promise<void> {
    const { player } = this;
    player.transport.stop();
    const { head, timeline, inspected: before, comparison, worlds } = player;
    const at = Live.timeOf(timeline.frames[head.index], head.now);
    const world = before.goesOnAt(before.timeline.index, at) ? before : worlds.branchOff(before, at);
    if (comparison) {
      if (!(await (this.giving = world.branch!.give(what, at))) || !player.comparison) return;
      const [a, b] = comparison.compared;
      if (!(await player.extras.view!.compare(world, comparison.side === 0 ? b.world : a.world, at))) return;
      if (player.comparison?.has(world)) player.comparison.turnToWorld(world);
      return player.play();
    }
    if (world !== before) player.show(world, head.index);
    if (!(await (this.giving = world.branch!.give(what, at))) || player.world !== world) return;
    player.seek(world.branch!.frameAt(at)); // the input itself: nothing lies before it that was not seen
    player.play();
  }
}

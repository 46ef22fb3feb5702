// What a reader does to the cluster, what the control plane says of it before, and
// sessions that wait for it.

import { Stopped, type Engine } from "./engine";
import { eventOf } from "./world";
import type { Worlds } from "./worlds";
import type { Given } from "../given";
import type { PlayerState } from "../state/playerstate";
import type { Frame } from "../state/recording";
import { everything, totals, type Input } from "../state/scenario";
import type { Transport } from "../state/transport";
import { messageOf, put } from "../text";

/** What is done, without the moment. */
export type Action = Omit<Input, "at">;

export class Actions {
  /** What the reader did last, until its first frames are there. */
  acting: Promise<boolean> | undefined;
  private turn: Promise<void> | undefined; // until the moment is at what was done last
  private isWarm = false; // sessions wait for what the reader does

  constructor(
    private readonly state: PlayerState, private readonly transport: Transport, private readonly worlds: Worlds,
    private readonly engine: Engine, private readonly given: Given,
  ) {
    state.on("stopped", () => (this.isWarm = false));
    state.on("event", () => {
      const { head, timeline, recording } = state;
      // Who has read a demo to its end may want to do something next.
      if (worlds.current === worlds.recorded && head.index >= (recording.length ?? timeline.length) - 1) this.warmUp();
      else this.wait();
    });
  }

  /** A cluster so large that not all is kept of it takes seconds to replay: that begins with the first thing that the reader does. */
  get isSlow(): boolean {
    return this.given.scenario.cluster.trace !== everything;
  }

  /**
   * A cluster of which the trace keeps totals would have to be replayed for half a minute, because it has run on for a
   * second or two after the moment that is shown. What the reader does there happens where it has come to.
   */
  private get isCounted(): boolean {
    return this.given.scenario.cluster.trace === totals;
  }

  /** Gets what will be needed if the reader acts, on a line that has room for it. */
  fetchAhead(): void {
    const { given, engine } = this;
    if (given.scenario.controls?.length && !given.savesData() && !given.isSlowLine()) engine.fetchAhead();
  }

  /** Readies the control plane when the reader is about to need it; from then on sessions wait where they stand. */
  warmUp(): void {
    if (this.given.savesData()) return;
    this.isWarm = true;
    this.wait();
  }

  /** Has sessions wait where the reader stands, and at the author's moment before, to which they may go back. */
  private wait(): void {
    const { state: { head, timeline, recording }, worlds: { current, comparison }, engine, given } = this;
    if (!this.isWarm || comparison || current.isFollowed) return; // where others act, nothing stands for long
    const { scenario = given.scenario } = current.branch ?? {};
    const back = current.marks.findLast((m) => m.frame < head.index)?.frame ?? current.first;
    engine.prewarm.follow({ scenario, layout: recording.layout, whatIf: current.whatIf, inputs: current.inputs },
      timeline.frames[head.index]?.at ?? 0, timeline.frames[back]?.at ?? 0);
  }

  /** What the control plane says of something before it is done; undefined when it cannot, which has been told. */
  async judge<T>(call: "parse" | "complete" | "profiles" | "fields", argument: object): Promise<T | undefined> {
    const { state, engine, given: { words } } = this;
    const telling = () => {
      state.say(words.loadingLive);
      engine.onProgress = (percent) => state.say(put(words.loadingLivePart, { percent }));
    };
    try {
      if (!engine.isReady) telling();
      const answer = await engine.judge<T>(call, argument, telling);
      state.say("");
      return answer;
    } catch (error) {
      const isStopped = error instanceof Stopped;
      if (isStopped) state.emit("stopped");
      console.info(messageOf(error));
      state.say(isStopped ? words.stoppedLive : words.failedLive);
      return undefined;
    } finally {
      engine.onProgress = () => {};
    }
  }

  /** Who takes hold of a control acts on what they see: what plays waits for the hand. Returns how it goes on if nothing is done. */
  hold(): () => void {
    if (!this.state.playing) return () => {};
    this.transport.stop();
    return () => this.transport.play();
  }

  /** Does something in the world that the controls are about: it goes on from there, or another one leaves it. One thing is done after the other. */
  async act(what: Action): Promise<void> {
    while (this.turn) await this.turn.catch(() => {});
    const turn = (this.turn = this.perform(what));
    try {
      await turn;
    } finally {
      this.turn = undefined;
    }
  }

  private async perform(what: Action): Promise<void> {
    const { state, transport, worlds } = this;
    transport.stop();
    state.do(eventOf({ at: 0, ...what }));
    state.emit("acted", what);
    const { head, timeline } = state;
    const { inspected: before, comparison } = worlds;
    const now = timeOf(timeline.frames[head.index], head.now);
    const goesOn = before.goesOnAt(before.timeline.index, now);
    const at = goesOn && this.isCounted ? Math.max(now, await before.branch!.front()) : now;
    const world = goesOn ? before : worlds.branchOff(before, at);
    if (!comparison && world !== before) worlds.show(world, head.index);
    const acting = (this.acting = world.branch!.act(what, at));
    const isDone = await acting;
    if (acting === this.acting) {
      this.acting = undefined;
      state.do();
    }
    if (!isDone) return;
    if (comparison) {
      if (!worlds.comparison) return;
      const [a, b] = comparison.compared;
      if (!(await worlds.comparing!.compare(world, comparison.side === 0 ? b.world : a.world, at))) return;
      const shown = worlds.comparison as typeof comparison | undefined;
      if (shown?.has(world)) shown.turn(shown.compared[0].world === world ? 0 : 1);
    } else {
      if (worlds.current !== world) return;
      state.seek(world.branch!.frameAt(at)); // the input itself: nothing lies before it that was not seen
    }
    transport.play();
  }
}

/**
 * The time at which something is done when a reader does it at a frame, µs:
 * after everything the reader has seen, so that nothing of it is undone.
 */
export function timeOf(frame: Frame | undefined, now: number): number {
  return Math.max(Math.floor(now), (frame?.at ?? 0) + 1);
}

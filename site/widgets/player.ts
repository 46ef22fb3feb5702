// One demo, playing. What is shown of it and where it stands is state (playerstate.ts),
// which all else reads, changes and listens to:
//
//	transport  moves the moment: play, steps, the scrubber
//	worlds     the recording and the reader's branches; which of them is shown
//	actions    what the reader does to the cluster
//	attention  the event that they turn to
//	panels     what is to be seen (panels.ts), and what is loaded when it is wanted (extras.ts)

import { prefersStill } from "./dom/dom";
import { Extras } from "./extras";
import type { Given } from "./given";
import { panelsOf, type Panels } from "./panels";
import { Actions } from "./runs/actions";
import { engineOf } from "./runs/engine";
import { loadJson } from "./runs/load";
import type { World } from "./runs/world";
import { Worlds } from "./runs/worlds";
import { Attention } from "./state/attention";
import { PlayerState } from "./state/playerstate";
import type { Recording, RestFile } from "./state/recording";
import { everything } from "./state/scenario";
import { leastSilenceOfMany, Transport } from "./state/transport";

/** For how long the picture stands when it has come, ms: a reader sees at once that it moves. */
const soonMs = 50;

export class Player {
  readonly state: PlayerState;
  readonly transport: Transport;
  readonly worlds: Worlds;
  readonly actions: Actions;
  readonly attention: Attention;
  readonly panels: Panels;
  readonly extras: Extras;

  constructor(readonly given: Given, recording: Recording) {
    const engine = engineOf({ ...given, locks: navigator.locks });
    const state = (this.state = new PlayerState(recording, given));
    this.transport = new Transport(state, { words: given.words, load: (file) => loadJson<RestFile>(given.file(file)), isStill: prefersStill,
      ...(given.scenario.cluster.trace === everything ? {} : { leastSilence: leastSilenceOfMany }) });
    this.worlds = new Worlds(state, this.transport, engine, given);
    this.actions = new Actions(state, this.transport, this.worlds, engine, given);
    this.attention = new Attention(state, this.transport, () => this.actions.acting);
    this.worlds.use(recording);
    state.show(this.worlds.recorded); // which the panels find
    this.extras = new Extras(this);
    this.panels = panelsOf(this);
    state.show(this.worlds.recorded, recording.first); // which they are told
    state.draw();
    this.extras.offer();
  }

  get root(): HTMLElement {
    return this.panels.root;
  }

  get atStart(): boolean {
    return this.state.head.index <= this.state.shown.first && !this.transport.rest.isWanted;
  }

  toMarkOf(id: string): boolean {
    const { worlds } = this;
    const find = () => worlds.current.marks.find((m) => m.id === id);
    if (!find() && worlds.recorded.marks.some((m) => m.id === id)) worlds.reset(); // a run of the reader's own has not got that moment
    const mark = find();
    if (mark) this.transport.toFrame(mark.frame, mark.d);
    return mark !== undefined;
  }

  /**
   * Stands where the page wants the demo to begin, if it wants that; for readers who do not want motion, else at the author's first moment.
   * What will play does not stand there for long.
   */
  async open(start?: string, plays = true): Promise<void> {
    const { state, worlds } = this;
    const { marks, first } = worlds.current;
    const mark = marks.find((m) => m.id === start) ?? (prefersStill() ? marks.find((m) => m.frame >= first) : undefined);
    const frame = mark?.frame ?? first;
    // Where the rest does not come it begins with what is there; who goes beyond asks for it again.
    if (frame >= state.timeline.length) await worlds.whole(state.recording).then(() => worlds.complete(), () => {});
    if (!this.atStart) return;
    state.seek(Math.min(frame, state.timeline.length - 1));
    if (plays && !prefersStill()) state.head.hasten(soonMs);
  }

  /** Takes a recording in another layout, and shows a world in it. What else was made in the other one has to be made again. */
  use(recording: Recording, world: World): void {
    const { state, worlds } = this;
    const { index } = state.head;
    state.recording = recording;
    worlds.use(recording);
    state.emit("layout");
    worlds.show(world, index);
  }
}

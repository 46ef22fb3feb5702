// Where a player's frames come from: the recording's files, and what the control
// plane makes for its worlds; and what the player does when frames come, go, or
// cannot be had.

import { Stopped } from "./runs/engine";
import { loadJson, messageOf } from "./runs/load";
import type { Player } from "./player";
import type { Details, Managers, Recording, RestFile } from "./state/recording";
import { whole } from "./state/rest";
import type { World } from "./runs/world";
import { Worlds } from "./runs/worlds";

export class FrameSource {
  readonly worlds: Worlds;

  constructor(private readonly player: Player) {
    const { given, engine, extras } = player;
    this.worlds = new Worlds({ words: given.words, scenario: given.scenario, engine,
      get recording() { return player.recording; },
      whole: (recording) => this.whole(recording),
      cut: (world, from) => this.cut(world, from),
      grew: (world) => {
        if (player.comparison?.has(world)) player.comparison.takeIn();
        else if (world === player.world) this.grew();
        extras.exercises?.grew(world);
      },
      failed: (world, error) => this.fail(world, error),
      busy: (busy) => player.root.classList.toggle("is-busy", busy),
      say: (message) => player.say(message),
    });
  }

  load(name: string): Promise<RestFile> {
    return loadJson<RestFile>(this.player.given.file(name));
  }

  whole(recording: Recording): Promise<void> {
    return whole(recording, (file) => this.load(file));
  }

  /** Stacks and objects of the world that the inspector is about. */
  details(): Promise<Details> {
    const { inspected, given } = this.player;
    return inspected.branch?.details() ?? loadJson<Details>(given.file("details.json"));
  }

  /** Who manages the fields of one of its objects. */
  managers(object: string): Promise<Managers> {
    const { inspected, given } = this.player;
    return inspected.branch?.managers(object) ?? loadJson<Managers>(given.file("managers.json"));
  }

  /** The recording has its rest: in a branch, that is for when the reader comes back. */
  complete(): void {
    this.worlds.complete();
    if (this.player.world === this.worlds.recorded) this.grew();
  }

  /** What is shown has more frames. */
  grew(): void {
    const { panels, moment, extras } = this.player;
    panels.log.refresh();
    moment.measure();
    extras.show();
  }

  /** Drops what a world has from a frame on. */
  private cut(world: World, from: number): void {
    const { panels, head, comparison, picture, moment } = this.player;
    const changed = world.timeline.truncate(from);
    if (comparison?.has(world)) comparison.isStale = true;
    if (comparison || world !== this.player.world) return;
    picture.update(world.timeline.shapes, changed, false);
    if (head.index >= from) head.seek(from - 1);
    panels.log.renew();
    panels.drawer.renew();
    panels.inspector.forget();
    moment.measure();
  }

  /** A world that never began is forgotten; of one that has, what is there can still be looked at. */
  private fail(world: World, error: unknown): void {
    const { player, worlds } = this;
    const { words } = player.given;
    player.transport.stop();
    const isStopped = error instanceof Stopped;
    if (isStopped) player.turn.rest();
    if (!world.branch?.hasRun) {
      const { recorded } = worlds;
      const at = (world.timeline.frames.at(-1) ?? recorded.timeline.frames[recorded.left])?.at;
      worlds.drop(world);
      if (player.world === world) player.showAt(world.parent?.isParked ? recorded : world.parent ?? recorded, at ?? 0);
    }
    console.info(messageOf(error)); // for who writes the book
    if (!isStopped) return player.say(words.failedLive);
    if (worlds.all.includes(world) && world.inputs.length > 0) player.say(words.stoppedLive, () => this.undo(world), words.undoLast);
    else player.say(words.stoppedLive);
  }

  /** Goes back to the moment before what was done last in a world, which a new control plane runs again without it. */
  private undo(world: World): void {
    const { player } = this;
    const last = world.inputs.at(-1);
    if (!world.branch || !last) return;
    const frame = world.branch.frameAt(last.at / 1000);
    world.branch.take(world.inputs.slice(0, -1), frame);
    player.say("");
    player.show(world, Math.max(0, frame - 1));
  }
}

// Shows the moment at which a player stands: in the picture or in two, in the
// caption, the log, the controls and whatever else is there.

import type { Player } from "./player";
import { say } from "./state/phrases";

export class Moment {
  private drawn = -1;
  private isEarly = false; // the scrubber shows the set-up, too

  constructor(private readonly player: Player) {}

  /** Another world, or two, will be shown: what was drawn is nothing of it. */
  forget(): void {
    this.drawn = -1;
  }

  /** One world is shown from now on, after its set-up. */
  begin(): void {
    this.forget();
    this.isEarly = false;
  }

  /** Draws it; move tells whether things may slide to their places. */
  draw(move = true): void {
    const { head, timeline, world, worlds, recording, comparison, panels, picture, transport, extras } = this.player;
    if (this.drawn !== head.index || timeline.index !== head.index) {
      const changed = timeline.seek(head.index);
      if (comparison) comparison.show(head.index, move);
      else {
        picture.update(timeline.shapes, changed, move);
        picture.mark(timeline.frames[head.index]);
        panels.captions.show(head.index, this.ownInput());
        world.seen = Math.max(world.seen, head.index);
      }
      this.showReader();
      panels.log.show(head.index, true);
      this.drawn = head.index;
      // Who has read a demo to its end may want to do something next.
      if (world === worlds.recorded && head.index >= (recording.length ?? timeline.length) - 1) this.player.turn.warmUp();
      else this.player.turn.wait();
    }
    if (head.index < world.first !== this.isEarly && (!this.isEarly || move)) {
      this.isEarly = !this.isEarly;
      this.measure();
    }
    const told = transport.playing ? timeline.told(head.index) : undefined;
    panels.statusLine.show(timeline.frames[head.index], comparison?.letterOf(told?.index ?? head.index) ?? "", transport.playing, told);
    panels.captions.showRest(head.reading);
    if (comparison) comparison.travel(head.now);
    else picture.travel((packet) => timeline.way(packet.id, head.ms));
    panels.controls.show(transport.ms, head.now, transport.playing);
    extras.exercises?.show(this.player.inspected, head.now);
    panels.drawer.show(transport.ms);
  }

  /** Takes in how long the timeline is, and what moments it has. */
  measure(): void {
    const { timeline, recording, world, comparison, head, panels } = this.player;
    if (comparison) {
      head.rests = comparison.rests;
      return panels.controls.measure({ start: timeline.frames[world.first]?.d ?? 0, there: timeline.end, end: timeline.end, marks: [],
        parting: comparison.marks.map(({ frame }) => timeline.frames[frame]!.d) });
    }
    const { branch, first } = world;
    const length = branch ? Math.min(branch.own, timeline.length) : Math.max(timeline.length, recording.length ?? 0);
    const shown = (world.marks = world.marks.filter((m) => m.frame < length));
    panels.captions.use(shown);
    head.rests = new Map(shown.map((m) => [m.frame, panels.captions.readingMs(m)]));
    panels.controls.measure({
      start: this.isEarly ? 0 : (timeline.frames[first]?.d ?? 0),
      there: timeline.end,
      end: branch ? timeline.end : Math.max(timeline.end, recording.end ?? 0),
      marks: shown.map((m) => timeline.frames[m.frame]?.d ?? m.d ?? 0),
    });
  }

  showReader(): void {
    const { timeline } = this.player.inspected;
    this.player.panels.reader.show(timeline.shapes, timeline.outside, timeline.outsideAt(timeline.index));
  }

  /** What the reader did last, in words; undefined in the author's part. */
  ownInput(): string | undefined {
    const { timeline, world, head, given } = this.player;
    const { outside } = timeline;
    const from = world.branch?.own ?? Infinity;
    for (let i = timeline.outsideAt(head.index); i >= 0 && outside[i]!.e > from; i--) {
      if (outside[i]!.op === "input") return say(given.phrases, outside[i]!);
    }
    return head.index >= from ? "" : undefined;
  }
}

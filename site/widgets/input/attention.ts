// What a reader turns to in a player: an event, or a component or an object.

import { setText } from "../dom/dom";
import { inPicture } from "../picture/inpicture";
import type { Player } from "../player";
import { asked } from "../state/asked";

export class Attention {
  /** What is looked at; everything for "". */
  about = "";

  constructor(private readonly player: Player) {}

  /** Looks at a component or an object: its events, its mark in the picture, and how the store has it now. */
  look(about: string): void {
    const { player } = this;
    const { log, reader, side } = player.panels;
    this.about = about;
    log.filter(about);
    reader.chosen(about);
    (player.comparison ?? player.picture).select(about);
    if (about === "") return;
    const { frames } = player.timeline;
    let newest = player.head.index;
    while (newest >= 0 && !(frames[newest]!.op === "store.commit" && frames[newest]!.o === about)) newest--;
    if (newest >= 0) this.inspect(newest, true);
    // Who is about to break something chooses what, here or in the picture.
    if (!(side.shown === "act" && reader.isBreaking)) side.reveal("log");
  }

  /** Goes to an event, and opens it. */
  choose(index: number, byKey = false): void {
    const { inspector } = this.player.panels;
    this.player.transport.stop();
    this.player.transport.went = index;
    this.player.seek(index);
    this.inspect(index);
    this.announce();
    this.player.panels.side.reveal("log");
    if (byKey) inspector.focus();
  }

  /** Opens why what the reader did, or turned to, happened. The picture stays at its moment. */
  ask(byKey = false): void {
    const { head, transport, comparison, timeline, world, panels } = this.player;
    const own = comparison ? Infinity : world.branch?.own ?? Infinity;
    const index = asked(timeline.frames, { index: head.target, went: transport.went, about: this.about, own });
    if (index === head.target) return this.choose(index, byKey);
    transport.stop();
    this.inspect(index);
    if (byKey) panels.inspector.focus();
    panels.side.reveal("log");
  }

  inspect(index: number, objectFirst = false): void {
    this.player.panels.inspector.open(this.player.comparison?.turnTo(index) ?? index, objectFirst);
  }

  /** Tells the moment, for who does not see it. */
  announce(): void {
    const { head, panels } = this.player;
    setText(panels.announced, panels.log.sentence(head.target));
    if (panels.inspector.isOpen && !head.moving) this.inspect(head.target);
  }

  /** What can be looked at in the picture, in its order. */
  objects(): ReadonlyMap<string, string> {
    const { given, comparison, timeline } = this.player;
    return inPicture(comparison?.shapes() ?? timeline.shapes.values(), (key) => given.phrases[key]);
  }

  clicked(event: MouseEvent): void {
    const about = (this.player.comparison ?? this.player.picture).aboutAt(event);
    if (about) this.look(about);
  }

  /** One step out: of the inspector to the log, of the log to the player, and of the player. */
  leave(): void {
    const { panels, comparison, extras } = this.player;
    const { root, log, inspector } = panels;
    const active = document.activeElement as HTMLElement | null;
    if (inspector.isOpen && inspector.root.contains(active)) {
      inspector.close();
      return log.focus();
    }
    if (comparison) return extras.view!.part();
    if (panels.side.isOpen) return panels.side.close();
    const framed = parent !== window;
    if (active !== root && (!framed || log.root.contains(active))) return root.focus({ preventScroll: true });
    active?.blur();
    if (framed) parent.focus();
  }
}

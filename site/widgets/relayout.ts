// The same demo in another layout, at the same moment: the room that it has, has
// become wider or narrower.

import type { Player } from "./player";
import type { Recording } from "./state/recording";
import type { World } from "./runs/world";
import type { Made } from "./runs/worlds";

/** Takes a recording in another layout. A branch is shown as it is until it is there in that layout, too; if it cannot be, the recording is shown. */
export async function relayout(player: Player, recording: Recording): Promise<void> {
  await player.turn.giving; // the moment goes on to what comes of that
  const { worlds, transport, comparison, playing } = player;
  const shown = comparison?.compared.map(({ world }) => world) ?? [player.world];
  const inputs = shown.map(({ branch }) => branch?.inputs);
  const made = new Map<World, Made>();
  for (const world of shown) {
    if (world.branch) {
      transport.stop();
      const again = await worlds.again(world, recording, () => (comparison ? { us: player.head.now } : player.head));
      if (again) made.set(world, again);
    } else while (recording.rest !== undefined && player.head.index >= recording.frames.length) await player.frameSource.whole(recording);
  }
  await player.turn.giving;
  const { head, inspected } = player;
  if (player.comparison !== comparison || !shown.includes(inspected) || shown.some(({ branch }, i) => branch?.inputs !== inputs[i])) {
    for (const { branch } of made.values()) branch.leave();
    return relayout(player, recording); // the reader went on meanwhile
  }
  const { index, ms, now } = head;
  const goesOn = playing || player.playing;
  for (const [world, again] of made) worlds.take(world, again);
  player.use(recording, made.has(inspected) ? inspected : worlds.recorded);
  if (comparison) {
    const [a, b] = comparison.compared;
    if (await player.extras.view!.compare(a.world, b.world, now)) player.seek(index);
    return;
  }
  player.head.scrub(ms);
  player.head.index = Math.min(index, player.timeline.length - 1);
  player.moment.draw(false);
  if (goesOn) player.play();
  else if (transport.rest.isWanted) player.loadRest();
}

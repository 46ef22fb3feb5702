// The same demo in another layout, at the same moment: the room that it has, has
// become wider or narrower.

import type { Player } from "./player";
import type { Recording } from "./state/recording";
import type { World } from "./runs/world";
import type { Made } from "./runs/worlds";

/** Takes a recording in another layout. A branch is shown as it is until it is there in that layout, too; if it cannot be, the recording is shown. */
export async function relayout(player: Player, recording: Recording): Promise<void> {
  const { state, transport, worlds, actions } = player;
  await actions.acting; // the moment goes on to what comes of that
  const { comparison, shown } = worlds;
  const { playing } = state;
  const inputs = shown.map(({ branch }) => branch?.inputs);
  const made = new Map<World, Made>();
  for (const world of shown) {
    if (world.branch) {
      transport.stop();
      const again = await worlds.again(world, recording, () => (comparison ? { us: state.head.now } : state.head));
      if (again) made.set(world, again);
    } else while (recording.rest !== undefined && state.head.index >= recording.frames.length) await worlds.whole(recording);
  }
  await actions.acting;
  const { inspected } = worlds;
  if (worlds.comparison !== comparison || !shown.includes(inspected) || shown.some(({ branch }, i) => branch?.inputs !== inputs[i])) {
    for (const { branch } of made.values()) branch.leave();
    return relayout(player, recording); // the reader went on meanwhile
  }
  const { index, ms, now } = state.head;
  const goesOn = playing || state.playing;
  for (const [world, again] of made) worlds.take(world, again);
  player.use(recording, made.has(inspected) ? inspected : worlds.recorded);
  if (comparison) {
    const [a, b] = comparison.compared;
    if (await worlds.comparing!.compare(a.world, b.world, now)) state.seek(index);
    return;
  }
  state.head.scrub(ms);
  state.head.index = Math.min(index, state.timeline.length - 1);
  state.draw(false);
  if (goesOn) transport.play();
  else if (transport.rest.isWanted) void transport.rest.fetch();
}

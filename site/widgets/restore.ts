// Brings back what a link holds: what was done, in which world, or in which two,
// and the moment.

import type { Course, Experiment } from "./state/link";
import type { Player } from "./player";
import type { World } from "./runs/world";

/** Calls then when it is there, which may be after the rest of the recording has come. */
export async function restore(player: Player, e: Experiment, then?: () => void): Promise<void> {
  const { transport, given } = player;
  transport.stop();
  player.reset();
  const ours = e.seed === given.scenario.seed && !e.whatIf;
  const input = e.inputs[0] && e.inputs[0].at / 1000;
  if (ours && !e.versus && transport.lacks && (input ?? e.at) >= (player.timeline.frames.at(-1)?.at ?? 0)) {
    return transport.rest.want(undefined, () => void restore(player, e, then));
  }
  // Up to what was done it is the recording: that is shown until the rest of it is there.
  if (ours || e.versus) player.seek(player.timeline.atVirtual(Math.min(e.at, input ?? e.at)));
  if (e.versus) {
    const view = await player.extras.showWorlds();
    await view.compare(worldOf(player, e, e.seed), worldOf(player, e.versus, e.seed), e.at);
    if (!player.comparison) return;
  } else if (e.inputs.length > 0 || !ours) {
    if (!(await player.visit(worldOf(player, e, e.seed), { us: e.at }))) return;
  }
  const { timeline } = player;
  const exact = e.event !== undefined && timeline.frames[e.event - 1]?.at === e.at ? e.event - 1 : undefined;
  player.seek(exact ?? timeline.atVirtual(e.at));
  if (exact !== undefined) player.transport.went = exact;
  then?.();
}

/** The world of somebody's inputs: one that is there, or a new one. */
function worldOf({ worlds, given }: Player, { inputs, whatIf = "" }: Course, seed: number): World {
  const there = worlds.find({ seed, inputs, whatIf });
  if (there) return there;
  const world = worlds.branchOff(worlds.recorded, (inputs[0]?.at ?? 0) / 1000, { ...given.scenario, seed }, whatIf);
  world.branch!.take(inputs, world.timeline.length);
  return world;
}

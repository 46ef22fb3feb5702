// Brings back what a link holds: what was done, in which world, or in which two,
// and the moment.

import type { Course, Experiment } from "./state/link";
import type { Player } from "./player";
import type { World } from "./runs/world";
import type { Worlds } from "./runs/worlds";

/** Calls then when it is there, which may be after the rest of the recording has come. */
export async function restore(player: Player, e: Experiment, then?: () => void): Promise<void> {
  const { state, transport, worlds, extras, given: { scenario } } = player;
  transport.stop();
  worlds.reset();
  const ours = e.seed === scenario.seed && !e.whatIf;
  const input = e.inputs[0] && e.inputs[0].at / 1000;
  if (ours && !e.versus && transport.lacks && (input ?? e.at) >= (state.timeline.frames.at(-1)?.at ?? 0)) {
    return transport.rest.want(undefined, () => void restore(player, e, then));
  }
  // Up to what was done it is the recording: that is shown until the rest of it is there.
  if (ours || e.versus) state.seek(state.timeline.atVirtual(Math.min(e.at, input ?? e.at)));
  const worldOf = ({ inputs, whatIf = "" }: Course) => find(worlds, { inputs, whatIf, scenario: { ...scenario, seed: e.seed } });
  if (e.versus) {
    const comparing = await extras.comparing();
    await comparing.compare(worldOf(e), worldOf(e.versus), e.at);
    if (!worlds.comparison) return;
  } else if (e.inputs.length > 0 || !ours) {
    if (!(await worlds.visit(worldOf(e), { us: e.at }))) return;
  }
  const { timeline } = state;
  const exact = e.event !== undefined && timeline.frames[e.event - 1]?.at === e.at ? e.event - 1 : undefined;
  state.seek(exact ?? timeline.atVirtual(e.at));
  if (exact !== undefined) state.went = exact;
  then?.();
}

/** The world of somebody's inputs: one that is there, or a new one. */
function find(worlds: Worlds, { inputs, whatIf, scenario }: Pick<World["branch"] & object, "inputs" | "whatIf" | "scenario">): World {
  const there = worlds.find({ seed: scenario.seed, inputs, whatIf });
  if (there) return there;
  const world = worlds.branchOff(worlds.recorded, (inputs[0]?.at ?? 0) / 1000, scenario, whatIf);
  world.branch!.take(inputs, world.timeline.length);
  return world;
}

// A stretch of a demo as a row of pictures: how it plays from one moment to another.

import { Playhead } from "./playhead";
import type { Timeline } from "./timeline";

/** Pictures in a second. */
export const perSecond = 25;
/** How long a stretch takes at least and at most, s. */
const least = 2;
const most = 20;

/** What is shown at a time: a frame of the timeline, and the moment of the display, ms. */
export type Shot = Pick<Playhead, "index" | "ms">;

/** How it plays on: as a playhead with that speed and these rests does. */
type Playing = Shot & Pick<Playhead, "speed" | "rests">;

/**
 * The pictures from a moment to where a frame is reached, or to the end. A stretch that is too short plays on, and at
 * the end its last picture stays; one that is too long is cut. still is for readers who want no motion.
 */
export function stretch(timeline: Timeline, { index, ms, speed, rests }: Playing, to = Infinity, still = false): Shot[] {
  const head = Object.assign(new Playhead(timeline), { index, ms, speed, rests });
  const shots: Shot[] = [{ index, ms }];
  head.play();
  while (shots.length < most * perSecond && (shots.length < least * perSecond || (head.playing && head.index < to))) {
    head.tick(1000 / perSecond, still);
    shots.push({ index: head.index, ms: head.ms });
  }
  return shots;
}

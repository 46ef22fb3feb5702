// How long what is said of a moment is true of the picture: the picture goes on, and a
// sentence that stayed as it is would claim what is long over.

import type { Timeline } from "./timeline";

/** For how long what is said of a moment stands at least, unless an input follows it, ms of the display. */
export const standsMs = 4000;

/**
 * Whether what was said of a frame is earlier than what the picture shows at a moment of the display, ms, that lies after frames[index]: an input
 * has followed; or it has stood, and could be read (readMs), and something else is told by now that the frame's own event did not bring about at once.
 */
export function isEarlier(timeline: Timeline, of: number, index: number, ms: number, readMs = 0): boolean {
  const event = timeline.frames[of];
  if (!event || index <= of) return false;
  const { outside } = timeline;
  for (let i = timeline.outsideAt(index); i >= 0 && outside[i]!.e > event.e; i--) if (outside[i]!.op === "input") return true;
  if (ms - event.d < Math.max(standsMs, readMs)) return false;
  const told = timeline.told(index);
  return told !== undefined && told.index > of && told.frame.c !== event.e;
}

/** Whether what is said of a frame follows from something that the picture has not shown being done: an input lies between. */
export function isYetToBeDone({ outside }: Timeline, index: number, of: number): boolean {
  return outside.some(({ op, e }) => op === "input" && e - 1 > index && e - 1 <= of);
}

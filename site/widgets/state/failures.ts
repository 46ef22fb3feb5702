// That what was done to the cluster failed: a command that was refused, or a request
// that nobody answered.

import { attr, type Frame } from "./recording";
import { causes } from "./story";
import type { Timeline } from "./timeline";

/**
 * The event that says why what was done last failed, up to a frame; undefined when it did not, or nobody knows yet. A command of kubectl's fails when
 * it says so: some of the answers that it gets are refusals that it expects, as that there is no object which it is about to create.
 */
export function failureOf(timeline: Timeline, index: number): Frame | undefined {
  const { frames, outside } = timeline;
  let last = timeline.outsideAt(index);
  let input = last;
  while (input >= 0 && outside[input]!.op !== "input") input--;
  if (input < 0) return undefined;
  const isOf = (frame: Frame) => causes(frames, frame.e - 1).includes(outside[input]!.e - 1);
  while (last > input && !(says(outside[last]!) && isOf(outside[last]!))) last--;
  if (last <= input) return undefined;
  if (outside[last]!.who === "user") return outside[last];
  const done = outside.slice(input, last).findLast((frame) => frame.op === "request.done" && isRefused(frame) && isOf(frame));
  const reply = done?.c === undefined ? undefined : frames[done.c - 1];
  return reply?.op === "request.reply" ? reply : done;
}

/** Whether who does something outside says that it failed. */
const says = (frame: Frame) => frame.op === "log" && Boolean(attr(frame, "error"));

/** Whether a request was refused, or lost. */
function isRefused(frame: Frame): boolean {
  const code = Number(attr(frame, "code") ?? 0);
  return code === 0 || code >= 400;
}

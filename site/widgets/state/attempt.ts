// What the control plane says of an attempt at an exercise (playground/demo/scenario/attempt.go),
// as of the moment that is shown: the run is ahead of it, and a reader steps back.

import type { Exercise, Input, Step } from "./scenario";
import type { Progress } from "../generated/scenario";

export type { Progress };

/** How an attempt is at a moment. */
export interface Standing {
  kind: "waits" | "watches" | "keeps" | "solved" | "spoilt" | "late";
  at?: number; // of what was decided, µs
  event?: number;
  goal: readonly boolean[];
  hints: readonly boolean[];
}

/** How far ahead a hint looks, µs: who asks for one has just done something, and it is under way. */
const ahead = 1_000_000;

export function standingAt(progress: Progress | undefined, now: number): Standing {
  const none: Standing = { kind: "waits", goal: [], hints: [] };
  if (!progress || progress.since < 0) return none;
  const at = (time: number) => progress.changes.findLast((c) => c.at <= time);
  const goal = at(now)?.goal ?? [];
  const hints = at(now + ahead)?.hints ?? [];
  for (const kind of ["solved", "spoilt", "late"] as const) {
    const moment = progress[kind];
    if (moment && moment.at <= now) return { kind, at: moment.at, event: moment.event, goal, hints };
  }
  if (now < progress.since) return none;
  return { kind: goal.length > 0 && goal.every(Boolean) ? "keeps" : "watches", goal, hints };
}

/** The hint that helps next: one that is for what there is now, or else the next that is for anything; -1 for none. */
export function nextHint(exercise: Pick<Exercise, "hints">, fits: readonly boolean[], seen: ReadonlySet<number>): number {
  const hints = exercise.hints ?? [];
  const left = hints.map((_, i) => i).filter((i) => !seen.has(i));
  const isFor = (i: number) => (hints[i]!.when?.length ?? 0) > 0;
  return left.find((i) => isFor(i) && fits[i]) ?? left.find((i) => !isFor(i)) ?? -1;
}

/** The author's answer as a reader's inputs. */
export function answerOf({ answer, begin = 0 }: Exercise): Input[] {
  return (answer ?? []).map(({ id: _, fails: __, prints: ___, ...input }: Step) => ({ ...input, at: input.at + begin }));
}

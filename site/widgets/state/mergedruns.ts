// Two runs of a demo as one, for looking at them side by side: their events in the
// order of virtual time, with what both have only once, and a film that is never
// faster than either run's own. To the transport and the event log it is a
// timeline like any other. Nothing here knows a page.

import { attrs, type Frame } from "./recording";
import { Timeline } from "./timeline";

/** Which of two worlds; "both" is for an event that is in either, at the same time. */
export type Side = 0 | 1;
export type Owner = Side | "both";

/** Where a run is in its own film. */
interface Walk {
  readonly frames: readonly Frame[];
  /** How many of its events are in. */
  next: number;
  /** The moment of its film, ms. */
  d: number;
}

export class MergedRuns {
  readonly timeline = new Timeline();
  private readonly walks: readonly [Walk, Walk];
  private readonly owners: Owner[] = [];
  /** For each event here, the number of the run's events that have happened by then. */
  private readonly done: readonly [number[], number[]] = [[], []];
  /** For each event of a run, its place here. */
  private readonly places: readonly [number[], number[]] = [[], []];

  constructor(a: readonly Frame[], b: readonly Frame[]) {
    this.walks = [{ frames: a, next: 0, d: 0 }, { frames: b, next: 0, d: 0 }];
  }

  /** Takes in what happened before a time, µs: both runs must have come as far. */
  extend(until: number): void {
    const [a, b] = this.walks;
    const out: Frame[] = [];
    for (;;) {
      const at = Math.min(a.frames[a.next]?.at ?? Infinity, b.frames[b.next]?.at ?? Infinity);
      if (at >= until || at === Infinity) break;
      this.takeIn(at, out);
    }
    this.timeline.append(out);
  }

  /** Whose event it is. */
  owner(index: number): Owner {
    return this.owners[index] ?? "both";
  }

  /** The last event of a run that has happened by one here; -1 when none has. */
  own(index: number, side: Side): number {
    return (this.done[side][Math.min(index, this.owners.length - 1)] ?? 0) - 1;
  }

  /** Where an event of a run is here; -1 when it is not in yet. */
  place(own: number, side: Side): number {
    return this.places[side][own] ?? -1;
  }

  /** Everything that happens at one time: what is alike in both goes together, the rest of the first before that of the second. */
  private takeIn(at: number, out: Frame[]): void {
    const [a, b] = this.walks;
    const [alikeA, alikeB] = pairs(a, b, at);
    while (a.frames[a.next]?.at === at || b.frames[b.next]?.at === at) {
      const hasA = a.frames[a.next]?.at === at;
      const hasB = b.frames[b.next]?.at === at;
      const [isA, isB] = [hasA && alikeA.has(a.next), hasB && alikeB.has(b.next)];
      if (isA && isB) this.add("both", out);
      else if (hasA && !isA) this.add(0, out);
      else this.add(1, out);
    }
  }

  private add(owner: Owner, out: Frame[]): void {
    const { walks, owners, done, places } = this;
    const mine = owner === "both" ? walks : [walks[owner]];
    const frame = mine[0]!.frames[mine[0]!.next]!;
    const d = (out.at(-1) ?? this.timeline.frames.at(-1))?.d ?? 0;
    let passed = 0;
    for (const walk of walks) {
      const to = mine.includes(walk) ? walk.frames[walk.next]!.d : filmAt(walk, frame.at);
      passed = Math.max(passed, to - walk.d);
      walk.d = Math.max(walk.d, to);
    }
    const index = owners.push(owner) - 1;
    const side = owner === "both" ? 0 : owner;
    for (const walk of mine) places[walks.indexOf(walk) as Side][walk.next++] = index;
    done[0].push(walks[0].next);
    done[1].push(walks[1].next);
    const { set: _, gone: __, c, l, ...rest } = frame;
    const cause = c === undefined ? undefined : places[side][c - 1];
    const told = l && places[side][frame.e - 1 - l.b];
    out.push({
      ...rest, e: index + 1, d: d + passed,
      ...(cause === undefined ? {} : { c: cause + 1 }), ...(told === undefined ? {} : { l: { b: index - told, n: l!.n } }),
    });
  }
}

/** Where a run's film is at a virtual time, by which none of its events that are not in yet has happened. */
function filmAt({ frames, next, d }: Walk, at: number): number {
  const [before, after] = [frames[next - 1], frames[next]];
  if (!after || after.at <= (before?.at ?? 0)) return d;
  const from = before ?? { at: 0, d: 0 };
  return from.d + ((after.d - from.d) * (at - from.at)) / (after.at - from.at);
}

/** The events of a time that are alike in both runs, in an order that both have. */
function pairs(a: Walk, b: Walk, at: number): [Set<number>, Set<number>] {
  const alike: [Set<number>, Set<number>] = [new Set(), new Set()];
  let from = b.next;
  for (let i = a.next; a.frames[i]?.at === at; i++) {
    for (let j = from; b.frames[j]?.at === at; j++) {
      if (!isAlike(a.frames[i]!, b.frames[j]!)) continue;
      alike[0].add(i);
      alike[1].add(j);
      from = j + 1;
      break;
    }
  }
  return alike;
}

/** What numbers a run gives as it goes, and so differs by everything that came before. */
const counted = new Set(["revision", "request", "uid", "resourceVersion"]);

/** Whether two events say the same of two worlds. */
function isAlike(a: Frame, b: Frame): boolean {
  if (a === b) return true;
  if (a.op !== b.op || a.who !== b.who || a.o !== b.o || a.m !== b.m) return false;
  const [one, two] = [attrs(a), attrs(b)];
  return one.length === two.length && one.every(([key, value], i) => key === two[i]![0] && (value === two[i]![1] || counted.has(key)));
}

// How the display's time relates to the cluster's: a recording stretches what is
// short and shortens what is silent (playground/demo/score).

import type { Frame } from "./recording";

export type Pace =
  | { kind: "slow"; times: number }
  | { kind: "fast"; times: number }
  | { kind: "even" }
  /** A silence is being jumped; so long is it, s. */
  | { kind: "skip"; seconds: number };

/** A silence from here on is told as one, µs. */
const silence = 2_000_000;
/** How much of the display is looked at on either side, ms. */
const around = 500;

/** The pace at a moment of the display, ms, that lies after frames[index]; speed is the reader's. */
export function paceAt(frames: readonly Frame[], index: number, ms: number, speed: number): Pace | undefined {
  let first = index;
  while (first > 0 && frames[first]?.q) first--;
  let last = index + 1;
  while (last < frames.length && frames[last]!.q) last++;
  const from = frames[first];
  const to = frames[last];
  if (!from || !to) return undefined;
  if (silent(from, to)) return { kind: "skip", seconds: Math.round((to.at - from.at) / 1e6) };
  // A stretch without silence, about a second long.
  let [a, b] = [from, to];
  for (let i = first - 1; i >= 0 && ms - a.d < around; i--) {
    const frame = frames[i]!;
    if (frame.q) continue;
    if (silent(frame, a)) break;
    a = frame;
  }
  for (let i = last + 1; i < frames.length && b.d - ms < around; i++) {
    const frame = frames[i]!;
    if (frame.q) continue;
    if (silent(b, frame)) break;
    b = frame;
  }
  const shown = b.d - a.d;
  const passed = (b.at - a.at) / 1000;
  if (shown <= 0 || passed <= 0) return undefined;
  const times = shown / passed / speed;
  if (times >= 1.5) return { kind: "slow", times: round(times) };
  if (times <= 1 / 1.5) return { kind: "fast", times: round(1 / times) };
  return { kind: "even" };
}

/** Whether what lies between two frames is jumped rather than shown. */
const silent = (a: Frame, b: Frame) => b.at - a.at >= silence && (b.at - a.at) / 1000 > 1.5 * (b.d - a.d);

/** To 1, 2 or 5 with noughts: a number that stays for a while. */
function round(n: number): number {
  const unit = 10 ** Math.floor(Math.log10(n));
  const lead = n / unit;
  return Math.round((lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * unit);
}

/** How long it takes to read a caption, ms: about 20 letters a second, 9 of Japanese. */
export function readingMs(text: string): number {
  const wide = text.match(/[\u3040-\u9fff]/g)?.length ?? 0;
  return Math.min(6000, 900 + (text.length - wide) * 42 + wide * 95);
}

// What a controller waits to see, as it logged that: from the line that set the
// expectations to the frame, and the batches in which it asked.

import { attr, type Frame } from "../state/recording";

export interface Expected {
  index: number;
  at: number;
  message: string;
  /** Creations and deletions that are outstanding after this line. */
  add?: number;
  del?: number;
  batch?: number;
  remaining?: number;
}

const counts = /^add (-?\d+), del (-?\d+), key (.*)$/;
/** Attributes that name whose expectations a line is about. */
const owners = ["replicaSet", "job", "daemonset", "controller"];
const asked = /^(Too (few|many) |Slow-start batch|Ranked pods|Nodes needing daemon pods)/;

/** The key whose expectations an event is about; undefined when it is about none. */
export function keyOf(frame: Frame): string | undefined {
  if (frame.op !== "log") return undefined;
  const text = attr(frame, "expectations");
  if (text !== undefined) return counts.exec(String(text))?.[3];
  if (!asked.test(String(attr(frame, "message")))) return undefined;
  for (const name of owners) if (attr(frame, name) !== undefined) return String(attr(frame, name));
  return "";
}

/** The lines about one wait, up to an event. */
export function expectationsAt(frames: readonly Frame[], index: number): { key: string; lines: Expected[] } | undefined {
  const last = frames[index];
  let key = last && keyOf(last);
  if (key === undefined) return undefined;
  const lines: Expected[] = [];
  for (let i = index; i >= 0; i--) {
    const f = frames[i]!;
    if (f.who !== last!.who || f.op !== "log") continue;
    const message = String(attr(f, "message"));
    if (message === "Slow-start batch") {
      if (f.p === last!.p || i < index) {
        lines.push({ index: i, at: f.at, message, batch: Number(attr(f, "batchSize")), remaining: Number(attr(f, "remaining")) });
      }
      continue;
    }
    const found = counts.exec(String(attr(f, "expectations") ?? ""));
    if (!found) continue;
    key ||= found[3]!;
    if (found[3] !== key) continue;
    lines.push({ index: i, at: f.at, message, add: Number(found[1]), del: Number(found[2]) });
    if (message === "Setting expectations") break;
    if (lines.length > 400) break;
  }
  return key === "" || lines.length === 0 ? undefined : { key, lines: lines.reverse() };
}

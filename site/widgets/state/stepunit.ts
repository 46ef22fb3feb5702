// How far a step goes. A reader steps by events, or by something larger whose
// ends are events again, so that a step on and a step back lead to the same
// moments whatever lies between:
//
//	event      what a reader follows: every frame that is not quiet
//	every      every frame, heartbeats and chatter included
//	request    where a request is sent, and where its answer has come: the question,
//	           then what became of it; heartbeats are left out
//	reconcile  where a worker takes a key, and where it is done with it; for the
//	           scheduler, where a Pod's scheduling cycle begins and ends; of all
//	           components, those of which the log tells
//	change     what the reader looks at changes: an object in the store; of a
//	           component, whatever it does
//	mark       the moments that the author points at
//
// Requests and reconciles are those of what the reader looks at, when that is
// something. A kubelet's syncs are many and mostly find nothing to do: they are
// stepped to when the reader looks at the kubelet or at the Pod.

import { attr, type Frame, type Mark } from "./recording";
import { nameOf } from "./phrases";

export const units = ["event", "every", "request", "reconcile", "change", "mark"] as const;
export type Unit = (typeof units)[number];

/** Which frames a step by a unit may end at. */
export function stopsOf(unit: Unit, about: string, marks: readonly Mark[]): (frame: Frame, index: number) => boolean {
  switch (unit) {
    case "event": return (f) => !f.q;
    case "every": return () => true;
    case "request": return (f) => !f.q && isRequest(f) && (about === "" || concerns(f, about));
    case "reconcile": return (f) => isReconcile(f, about);
    case "change": return (f) => about !== "" && changes(f, about);
    case "mark": {
      const at = new Set(marks.map((m) => m.frame));
      return (_, index) => at.has(index);
    }
  }
}

/** The nearest frame after or before one that a step may end at; -1 when there is none. */
export function nearest(frames: readonly Frame[], index: number, way: 1 | -1, stops: (frame: Frame, index: number) => boolean): number {
  for (let i = index + way; i >= 0 && i < frames.length; i += way) if (stops(frames[i]!, i)) return i;
  return -1;
}

/** Whether a frame is of a component, or about an object. Whatever happens on a node is about it. */
export function concerns(frame: Frame, about: string): boolean {
  return frame.who === about || frame.o === about || frame.who.startsWith(`${about}/`) ||
    (about.startsWith("nodes ") && frame.who.endsWith(`/${about.slice(6)}`));
}

/** Objects have a resource and a name, components do not. */
export const isObject = (about: string): boolean => about.includes(" ");

const isRequest = (f: Frame) => f.op === "request.send" || f.op === "request.done";

function changes(f: Frame, about: string): boolean {
  return isObject(about) ? f.op === "store.commit" && f.o === about : !f.q && concerns(f, about);
}

function isReconcile(f: Frame, about: string): boolean {
  if (about === "") return !f.q && (isTurn(f) || isCycle(f));
  if (concerns(f, about)) return isTurn(f) || isCycle(f) || isSync(f);
  if (!isObject(about)) return false;
  const name = about.slice(about.indexOf(" ") + 1);
  return isTurn(f) ? attr(f, "key") === name : isSync(f) && about === `pods ${name}` && attr(f, "pod") === name;
}

/** A worker takes a key, or is done with it. */
const isTurn = (f: Frame) => f.op === "queue.get" || f.op === "queue.done";

/** A scheduling cycle begins or ends: its end is a node, or that there is none. */
export function isCycle(f: Frame): boolean {
  return f.op === "scheduling.pop" || f.op === "pod.assume" || isNoFit(f);
}

/** The scheduler gives a Pod up for now. */
export const isNoFit = (f: Frame) => f.op === "scheduling.queue" && attr(f, "from") === "inFlight" && attr(f, "to") !== "" && nameOf(f.o) !== "";

/** A kubelet begins to make a Pod what it should be. */
export const isSync = (f: Frame) => f.op === "log" && attr(f, "message") === "SyncPod enter";

// What Tab makes of a command line: the control plane knows commands, flags and kinds, the picture's moment the objects.

import type { CompleteAnswer } from "../generated/session";
import { attr, type Frame } from "../state/recording";
import type { Files } from "./files";

/** How a line goes on, and what it could be in the end when that is not one thing. */
export interface Completed {
  line: string;
  options: string[];
}

/** The names of a resource's objects at a frame. */
export function namesAt(frames: readonly Frame[], index: number, resource: string, namespace: string): string[] {
  const there = new Map<string, boolean>();
  for (const { op, o, ...frame } of frames.slice(0, index + 1)) {
    if (op === "store.commit" && o?.startsWith(`${resource} `)) there.set(o.slice(resource.length + 1), attr(frame as Frame, "type") !== "DELETED");
  }
  return [...there].flatMap(([object, is]) => {
    const [name, of = ""] = object.split("/").reverse() as [string, string?];
    return is && (namespace === "*" || of === namespace) ? name : [];
  }).sort();
}

/** Behind which a file is named: all that stands before its name. */
const fileFlag = / (-f|--(?:filename|cert|key|from-file|from-env-file))(?: +|=)(?:[^ ]*[=,])?(?=[^ =,]*$)/;

/** The line with its last word completed as far as it can be. files are those that the value of -f, or of another flag with a file, may name. */
export function completed(line: string, { from, words = [], resource, prefix = "", namespace = "" }: CompleteAnswer,
  names: (resource: string, namespace: string) => string[], files: Pick<Files, "names" | "fileName">): Completed {
  const flag = resource ? null : fileFlag.exec(line);
  const start = flag ? flag.index + flag[0].length : from;
  const last = line.slice(start);
  const isManifest = /^(-f|--filename)$/.test(flag?.[1] ?? "");
  const named = resource ? names(resource, namespace).map((name) => prefix + name)
    : flag ? files.names.map((name) => isManifest ? name : files.fileName(name)) : [];
  const options = [...words, ...named.map((name) => `${name} `)].filter((w) => w.startsWith(last));
  if (options.length === 0) return { line, options };
  let common = options[0]!;
  for (const option of options) while (!option.startsWith(common)) common = common.slice(0, -1);
  return { line: line.slice(0, start) + common, options: options.length > 1 ? options.map((o) => o.trim()) : [] };
}

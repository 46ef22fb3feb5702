// Events in words. The sentences come from playground/demo/phrase as JSON; they are
// filled here as phrase.Fill and phrase.Args fill them in Go.

import { attrs, type Frame } from "./recording";

export type Phrases = Record<string, string>;

/** Replaces every {name} by its argument; by nothing when there is none. Of {name:Pod|Pods} it takes the first when the argument is 1. */
export function fill(template: string, args: Record<string, string>): string {
  return template.replace(/\{([^}:]*)(?::([^}|]*)\|([^}]*))?\}/g, (_, name: string, one?: string, more?: string) => {
    const value = Object.hasOwn(args, name) ? args[name]! : "";
    return one === undefined ? value : value === "1" ? one : more!;
  });
}

/** The name in "pods default/web-x2k9p"; "" in "pods default/*" and "pods", which mean no single one. */
export function nameOf(object: string | undefined): string {
  const name = object?.match(/^\S+ (?:.*\/)?(.*)$/)?.[1] ?? "";
  return name === "*" ? "" : name;
}

/** A single object where a sentence says what becomes of it: "Pod default/web-x2k9p" (phrase.Thing). */
function thingOf(phrases: Phrases, object: string): string {
  const resource = object.split(" ", 1)[0]!;
  const kind = phrases[`kind.${resource}`];
  return kind === undefined || nameOf(object) === "" ? object : kind + object.slice(resource.length);
}

export function argsOf(phrases: Phrases, frame: Frame): Record<string, string> {
  const object = frame.o ?? "";
  const args: Record<string, string> = {
    who: frame.who,
    process: frame.p ?? "",
    object,
    thing: thingOf(phrases, object),
    name: nameOf(object),
  };
  for (const [key, value] of attrs(frame)) if (key !== "who" && key !== "process") args[key] = String(value);
  return args;
}

/** An event's sentence; its key when there is no sentence for it. */
export function say(phrases: Phrases, frame: Frame): string {
  const template = phrases[frame.m] ?? phrases[frame.op];
  return template === undefined ? frame.m : fill(template, argsOf(phrases, frame));
}

/** The sentence for several events like one. */
export function sum(phrases: Phrases, frame: Frame, n: number): string {
  const template = phrases[`sum.${frame.m}`];
  return template === undefined ? say(phrases, frame) : fill(template, { ...argsOf(phrases, frame), n: String(n), resource: frame.o?.split(" ")[0] ?? "" });
}

/** Virtual time as readers see it: 12345678 µs → "12.345 s". */
export function seconds(us: number): string {
  return `${(Math.floor(us / 1000) / 1000).toFixed(3)} s`;
}

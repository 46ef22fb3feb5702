// The messages between a demo in a frame and the page around it. Both are plain objects with a
// field kubewalk, sent by postMessage; docs/embedding.md describes them for people who write pages.

/** What a page asks of a demo. */
export type Command =
  | { kubewalk: "play" | "pause" | "next" | "previous" | "reset" | "state" }
  | { kubewalk: "go"; mark: string };

/** A moment of the author's. */
export interface Moment {
  mark: string;
  caption: string;
}

/** What a demo tells the page, after each change and when it is asked. */
export interface State {
  kubewalk: "state";
  demo: string;
  /** The author's moments that belong to what the page shows, in order. */
  moments: Moment[];
  /** The last of them that has been, or -1. */
  moment: number;
  playing: boolean;
  /** Whether next and previous lead anywhere in the demo. */
  hasNext: boolean;
  hasPrevious: boolean;
  /** The cluster's time, s. */
  time: number;
  /** What the reader did is shown, not the recording. */
  isReader: boolean;
}

/** The demo had the key, and it is at its end: the deck goes on. */
export interface Passed {
  kubewalk: "passed";
  way: "next" | "previous";
}

/** The name of a frame that is an element's. The element turns the deck's slides; in a frame of its own, a demo asks reveal.js itself. */
export const elementName = "kubewalk-demo";

/** How an address or an element asks for a demo; what is absent is as the author wrote it. */
export interface Wishes {
  /** The moments at which it opens and ends. */
  start?: string;
  end?: string;
  theme?: "light" | "dark" | "stage";
  /** none: picture and caption; play: with the transport bar; all: with what a reader can do. */
  controls?: "none" | "play" | "all";
  speed?: number;
  /** A clicker's keys go through the demo's moments before they move the deck. */
  clicker?: boolean;
  /** It stands still until it is told to play. */
  paused?: boolean;
  /** When it comes into sight again it is as it was, or at its beginning. */
  again?: "keep" | "reset";
  /** Frames with one name show one moment, as a speaker's view and the screen do. */
  sync?: string;
}

const themes = ["light", "dark", "stage"] as const;
const controls = ["none", "play", "all"] as const;
const agains = ["keep", "reset"] as const;

const oneOf = <T extends string>(names: readonly T[], value: string | null): T | undefined => names.find((name) => name === value);

/** Reads wishes from an address's parameters; what is not understood counts as absent. */
export function wishesOf(search: string): Wishes {
  const given = new URLSearchParams(search);
  const speed = Number(given.get("speed"));
  const wishes: Wishes = {};
  const set = <K extends keyof Wishes>(key: K, value: Wishes[K] | null) => {
    if (value !== undefined && value !== null && value !== "") wishes[key] = value;
  };
  set("start", given.get("start"));
  set("end", given.get("end"));
  set("theme", oneOf(themes, given.get("theme")));
  set("controls", oneOf(controls, given.get("controls")));
  if (speed >= 0.25 && speed <= 4) wishes.speed = speed;
  for (const name of ["clicker", "paused"] as const) if (given.has(name) && given.get(name) !== "false") wishes[name] = true;
  set("again", oneOf(agains, given.get("again")));
  set("sync", given.get("sync"));
  return wishes;
}

/** Writes wishes as an address's parameters: "?start=…", or "". */
export function searchOf(wishes: Wishes): string {
  const out = new URLSearchParams();
  for (const [key, value] of Object.entries(wishes)) if (value !== undefined && value !== false) out.set(key, value === true ? "" : String(value));
  const text = out.toString();
  return text && `?${text}`;
}

/** The message as a command, or undefined for anything else that comes to a window. */
export function commandOf(data: unknown): Command | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { kubewalk, mark } = data as { kubewalk?: unknown; mark?: unknown };
  switch (kubewalk) {
    case "play": case "pause": case "next": case "previous": case "reset": case "state": return { kubewalk };
    case "go": return typeof mark === "string" ? { kubewalk, mark } : undefined;
  }
  return undefined;
}

/** What a demo tells, or undefined for anything else. */
export function toldOf(data: unknown): State | Passed | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const message = data as State | Passed;
  return message.kubewalk === "state" || message.kubewalk === "passed" ? message : undefined;
}

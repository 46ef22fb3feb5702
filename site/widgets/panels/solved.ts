// What the page remembers of exercises: which are solved, and by what. It stays in
// the reader's browser; where that keeps nothing, it lasts as long as the page.

/** What was done, and when. */
export interface Solved {
  /** The day, as ISO 8601. */
  on: string;
  /** Virtual time since the epoch, µs; a question has none. */
  at?: number;
  /** What did it, in words of a language. */
  by?: string;
  lang?: string;
}

const prefix = "kubewalk.exercise.";
const kept = new Map<string, string | null>(); // what the browser does not keep
const told = new EventTarget();

/** An exercise's name: what counts is part of it, so that another goal is to be reached anew. */
export const nameOf = (demo: string, id: string, version: string) => `${demo}/${id}.${version}`;

export function recall(name: string): Solved | undefined {
  try {
    const text = kept.has(name) ? kept.get(name) : localStorage.getItem(prefix + name);
    const solved = text ? (JSON.parse(text) as Solved) : undefined;
    return typeof solved?.on === "string" ? solved : undefined;
  } catch {
    return undefined; // there is no storage, or somebody else wrote this
  }
}

export function remember(name: string, solved: Solved): void {
  keep(name, JSON.stringify(solved));
}

export function forget(name: string): void {
  keep(name, null);
}

function keep(name: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, text);
    kept.delete(name);
  } catch {
    kept.set(name, text);
  }
  told.dispatchEvent(new Event("change"));
}

/** Calls back when something is remembered or forgotten, in this window or in another. */
export function whenSolved(changed: () => void): void {
  told.addEventListener("change", changed);
  addEventListener("storage", (event) => {
    if (event.key === null || event.key.startsWith(prefix)) changed();
  });
}

// Every key of a demo, in one table: what happens when it is pressed (actionOf)
// and what the help sheet says (help.ts, with the words of keys.words.ts) are
// both made from it, so that the sheet says what is so.
//
// A new key is a line here, a line of words in each language, and what it does
// in the player's handlers (or in the part whose group it is in): without one of
// these it does not compile. An upper-case letter is that letter with Shift.

/** Groups in the order of the sheet. Keys of "log" and "lanes" work where the focus is in those; all others anywhere in the demo. */
export const groups = ["play", "step", "show", "log", "lanes"] as const;
export type KeyGroup = (typeof groups)[number];

interface Row {
  group: KeyGroup;
  keys: readonly string[];
}

const rows = {
  toggle: { group: "play", keys: ["k", " "] },
  slower: { group: "play", keys: ["<"] },
  faster: { group: "play", keys: [">"] },
  toStart: { group: "play", keys: ["Home"] },
  toEnd: { group: "play", keys: ["End"] },

  stepOn: { group: "step", keys: ["ArrowRight", "."] },
  stepBack: { group: "step", keys: ["ArrowLeft", ","] },
  nextEvent: { group: "step", keys: ["e"] },
  previousEvent: { group: "step", keys: ["E"] },
  nextQuiet: { group: "step", keys: ["q"] },
  previousQuiet: { group: "step", keys: ["Q"] },
  nextRequest: { group: "step", keys: ["a"] },
  previousRequest: { group: "step", keys: ["A"] },
  nextReconcile: { group: "step", keys: ["r"] },
  previousReconcile: { group: "step", keys: ["R"] },
  nextChange: { group: "step", keys: ["o"] },
  previousChange: { group: "step", keys: ["O"] },
  unit: { group: "step", keys: ["u"] },
  nextMark: { group: "step", keys: ["m"] },
  previousMark: { group: "step", keys: ["M"] },

  help: { group: "show", keys: ["?"] },
  lanes: { group: "show", keys: ["t"] },
  why: { group: "show", keys: ["w"] },
  cause: { group: "show", keys: ["c"] },
  effect: { group: "show", keys: ["C"] },
  find: { group: "show", keys: ["f"] },
  everything: { group: "show", keys: ["x"] },
  quiet: { group: "show", keys: ["h"] },
  legend: { group: "show", keys: ["g"] },
  breakIt: { group: "show", keys: ["b"] },
  commandLine: { group: "show", keys: ["/"] },
  recording: { group: "show", keys: ["z"] },
  copyLink: { group: "show", keys: ["y"] },
  leave: { group: "show", keys: ["Escape"] },

  logDown: { group: "log", keys: ["ArrowDown"] },
  logUp: { group: "log", keys: ["ArrowUp"] },
  logOpen: { group: "log", keys: ["Enter"] },

  laneDown: { group: "lanes", keys: ["ArrowDown"] },
  laneUp: { group: "lanes", keys: ["ArrowUp"] },
  laneOn: { group: "lanes", keys: ["ArrowRight"] },
  laneBack: { group: "lanes", keys: ["ArrowLeft"] },
  laneOpen: { group: "lanes", keys: ["Enter"] },
  zoomIn: { group: "lanes", keys: ["+", "="] },
  zoomOut: { group: "lanes", keys: ["-"] },
  zoomAll: { group: "lanes", keys: ["0"] },
  panOn: { group: "lanes", keys: ["]"] },
  panBack: { group: "lanes", keys: ["["] },
  laneTable: { group: "lanes", keys: ["v"] },
} as const satisfies Record<string, Row>;

export type Action = keyof typeof rows;

type In<G extends KeyGroup> = { [A in Action]: (typeof rows)[A]["group"] extends G ? A : never }[Action];
/** What a part does at its keys: all of them, or it does not compile. */
export type KeyHandlers<G extends KeyGroup> = Record<In<G>, () => void>;
/** The groups whose keys the player itself answers. */
export type PlayerGroup = Exclude<KeyGroup, "log" | "lanes">;

export const table: readonly { action: Action; group: KeyGroup; keys: readonly string[] }[] =
  (Object.keys(rows) as Action[]).map((action) => ({ action, ...rows[action] }));

/** Where a group's keys work. */
export const placeOf = (group: KeyGroup): "player" | "log" | "lanes" => (group === "log" || group === "lanes" ? group : "player");

/**
 * Does what a pressed key is for, and tells whether it did. What a field, a
 * button or a box that scrolls does with a key itself is left alone. PageUp and
 * PageDown are never taken: they are what a clicker sends.
 */
export function press<G extends KeyGroup>(event: KeyboardEvent, place: "player" | "log" | "lanes", handlers: KeyHandlers<G>): boolean {
  if (event.altKey || event.ctrlKey || event.metaKey || event.isComposing || event.defaultPrevented) return false;
  const action = actionOf(event.key, event.shiftKey, place);
  if (!action || !isFree(action, event.key, event.target as HTMLElement)) return false;
  (handlers as Partial<Record<Action, () => void>>)[action]?.();
  return true;
}

/** What a key is for in a place; Caps Lock is not Shift. */
export function actionOf(key: string, shift: boolean, place: "player" | "log" | "lanes"): Action | undefined {
  const pressed = /^[a-z]$/i.test(key) ? (shift ? key.toUpperCase() : key.toLowerCase()) : key;
  return table.find((row) => placeOf(row.group) === place && row.keys.includes(pressed))?.action;
}

function isFree(action: Action, key: string, target: HTMLElement): boolean {
  if (target.closest("dialog")) return false; // it has keys of its own
  if (action === "leave") return true;
  if (target.matches("input:not(.kw-scrubber, [type=checkbox]), select, textarea, [contenteditable]")) return false;
  if (target.closest("button, summary, input[type=checkbox], a") && (key === " " || key === "Enter")) return false;
  const scrolls = target.matches("pre[tabindex], [role=region][tabindex]");
  return !scrolls || !(key === " " || key.startsWith("Arrow") || key === "Home" || key === "End");
}

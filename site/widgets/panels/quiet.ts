// What is said while nothing happens but heartbeats and routine work: that it is so, until when, and what comes then.

import type { Given } from "../given";
import { say, seconds } from "../state/phrases";
import type { PlayerState } from "../state/playerstate";
import { put } from "../text";

/** The words for it; undefined when something happens. */
export function quietText({ words, phrases }: Pick<Given, "phrases" | "words">, state: PlayerState): string | undefined {
  if (state.skipped > 0) return put(words.silence, { n: state.skipped });
  if (!state.isQuiet) return undefined;
  const next = state.upcoming;
  return next ? put(words.quietUntil, { at: seconds(next.at), what: say(phrases, next) }) : words.quiet;
}

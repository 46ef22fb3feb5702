// How the picture follows the text.

/** For how long the way to a moment plays at most, ms of the display. */
const longestMs = 5000;

/** The last of the links, by where their lines begin, that has come up to the reading line; -1 before the first. */
export function current(tops: readonly number[], line: number): number {
  let found = -1;
  tops.forEach((top, i) => {
    if (top <= line) found = i;
  });
  return found;
}

/**
 * The way from one moment of the display to another, ms: "there" when it is gone at
 * once, for what lies behind has been seen; undefined when it plays from where the
 * picture is; else the moment from which it plays, for what is far ahead.
 */
export function approach(from: number, to: number): "there" | number | undefined {
  if (to <= from) return "there";
  return to - from > longestMs ? to - longestMs : undefined;
}

// How the picture follows the text.

/** For how long the way to the next moment plays at most, and to one behind others that the reader has passed, ms of the reader's clock. */
const longestMs = 4000;
const passingMs = 1200;

/** The last of the links, by where their lines begin, that has come up to the reading line; -1 before the first. */
export function current(tops: readonly number[], line: number): number {
  let found = -1;
  tops.forEach((top, i) => {
    if (top <= line) found = i;
  });
  return found;
}

/** A link of the text: the paragraph that it is in, and the moment that it leads to. */
interface Stop {
  block: unknown;
  mark: string;
}

/**
 * The next link on the way from one to the one at the reading line. Of a paragraph's moments none is left out, and each is
 * gone to once; those of paragraphs that are passed are left out, and back is at once.
 */
export function towards(links: readonly Stop[], from: number, to: number): number {
  if (to <= from) return to;
  const block = links[to]!.block;
  const first = links.findIndex((link) => link.block === block);
  let next = Math.max(first, from + 1);
  while (next < to && next - 1 >= first && links[next]!.mark === links[next - 1]!.mark) next++;
  return next;
}

/**
 * The way from one moment of the display to another, ms: "there" when it is gone at
 * once, for what lies behind has been seen; undefined when it plays from where the
 * picture is; else the moment from which it plays, for what is far ahead. passes tells
 * whether other moments lie between.
 */
export function approach(from: number, to: number, passes: boolean, speed = 1): "there" | number | undefined {
  if (to <= from) return "there";
  const longest = (passes ? passingMs : longestMs) * speed;
  return to - from > longest ? to - longest : undefined;
}

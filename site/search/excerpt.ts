// The words around what was found, and which of them were asked for. What
// comes out is text: whoever shows it makes text nodes of it.

import type { SectionText } from "./engine";
import type { Word } from "./query";
import { fold, japanese, lower, pieces, split } from "./terms";

/** A stretch of text. */
export interface Stretch {
  text: string;
  marked: boolean;
}

type Range = [from: number, to: number, word: number];

/** Where the words of a question stand in a text. */
export function marks(original: string, words: readonly Word[]): Range[] {
  const { text, at } = fold(original);
  const out: Range[] = [];
  const mark = (from: number, to: number, word: number): void => {
    out.push([at?.[from] ?? from, at?.[to] ?? to, word]);
  };
  const plain = lower(text);
  // What the book calls a word is that word.
  const all = words.flatMap((word, w) => [word, ...word.others].map((one) => [one, w] as const));
  all.forEach(([word, w]) => {
    if (!word.japanese) return;
    const whole = lower(word.loose ? (word.terms[0] ?? "") : word.text);
    const sought = plain.includes(whole) ? [whole] : word.loose ? [lower(word.loose)] : word.others.length > 0 ? [] : word.terms;
    for (const part of sought) {
      for (let i = plain.indexOf(part); part && i >= 0; i = plain.indexOf(part, i + part.length)) {
        // With the long vowel that was dropped.
        const end = i + part.length;
        mark(i, !word.loose && plain[end] === "ー" && japanese(part + "ー") === part ? end + 1 : end, w);
      }
    }
  });
  const latin = pieces(text).filter((p) => !p.japanese).map((p) => ({ ...p, ...split(p.text) }));
  all.forEach(([word, w]) => {
    if (word.japanese) return;
    // Where an identifier stands as a whole, its parts elsewhere are not what was asked for.
    const whole = latin.filter((p) => word.wholes.has(lower(p.text)) || p.joined.some((term) => word.wholes.has(term)));
    for (const p of whole) mark(p.from, p.from + p.text.length, w);
    if (whole.length > 0) return;
    for (const p of latin) {
      if (p.joined.some((term) => word.forms.has(term))) mark(p.from, p.from + p.text.length, w);
      for (const part of p.parts) if (word.forms.has(part.text)) mark(p.from + part.from, p.from + part.from + part.text.length, w);
    }
  });
  return out.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
}

/** All of a text, with the words marked. */
export function marked(text: string, words: readonly Word[], from = 0, to = text.length, ranges = marks(text, words)): Stretch[] {
  const out: Stretch[] = [];
  let done = from;
  for (const [start, end] of ranges) {
    if (end <= done || start < from || end > to) continue;
    const begin = Math.max(start, done);
    if (begin > done) out.push({ text: text.slice(done, begin), marked: false });
    out.push({ text: text.slice(begin, end), marked: true });
    done = end;
  }
  if (done < to) out.push({ text: text.slice(done, to), marked: false });
  return out;
}

/**
 * The place of a section in which most of the words stand, some two lines long. A
 * section whose heading says what it is about is told from its beginning.
 */
export function excerpt([, , , text, code]: SectionText, words: readonly Word[], heading: string): Stretch[] {
  const isAbout = new Set(marks(heading, words).map(([, , word]) => word)).size === words.length;
  const inText = marks(text, words);
  const inCode = inText.length > 0 ? [] : marks(code, words);
  const [source, ranges] = inCode.length > 0 ? [code, inCode] : [text, inText];
  // Japanese says as much in half the room.
  const room = /[\u3040-\u30ff]/.test(source) ? 90 : 170;
  let [best, most] = [0, -1];
  for (let i = 0; i < ranges.length && !(isAbout && source === text); i++) {
    const [from] = ranges[i] as Range;
    const near = ranges.filter(([start, end]) => start >= from && end <= from + room - 30);
    const count = 4 * new Set(near.map((r) => r[2])).size + Math.min(3, near.length);
    if (count > most) [best, most] = [from, count];
  }
  // Back to where the line or the sentence begins, if that is not far.
  let from = Math.max(0, best - Math.floor(room / 4));
  if (from > 0) {
    const before = source.slice(from, best);
    const stop = Math.max(before.lastIndexOf("\n"), before.lastIndexOf("。"), before.search(/[.:!?] /) + 1 || -1);
    const space = before.indexOf(" ");
    if (stop >= 0) from += stop + 1;
    else if (space >= 0) from += space + 1;
  }
  let to = Math.min(source.length, from + room);
  if (to < source.length) {
    const space = source.lastIndexOf(" ", to);
    if (space > to - 20) to = space;
  }
  const cut = marked(source, words, from, to, ranges);
  const out = cut.map((s) => ({ ...s, text: s.text.replace(/([。、」）])\n/g, "$1").replace(/\s*\n\s*/g, " ") }));
  const [first, last] = [out[0], out.at(-1)];
  if (first) first.text = first.text.trimStart();
  if (from > 0 && source[from - 1] !== "\n" && source[from - 1] !== "。") out.unshift({ text: "… ", marked: false });
  if (last && to < source.length) out.push({ text: "\u00a0…", marked: false });
  return out;
}

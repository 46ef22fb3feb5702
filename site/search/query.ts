// What a reader asks, as words to look up.

import { askingWords, fold, japanese, lower, pieces, split, stem, stopWords } from "./terms";

/** A word of a question. */
export interface Word {
  /** As it is shown and marked, folded. */
  text: string;
  /** All of them have to stand in a section. */
  terms: string[];
  /** Stands for all of them: an identifier as a whole. */
  whole?: string;
  /** What its terms may only begin with, too. */
  loose?: string;
  /** The reader may not have typed its end yet. */
  open: boolean;
  japanese: boolean;
  /** Terms of the index that answered for its terms, and for the whole. */
  forms: Set<string>;
  wholes: Set<string>;
  /** Words that the book has for it, which are looked up as well. */
  others: Word[];
}

/** A text as phrases are compared. */
export function plain(text: string): string {
  return lower(japanese(fold(text).text)).replace(/\s+/g, " ").trim();
}

/** The words of a question, without those that only make it one. */
export function parse(question: string): Word[] {
  const { text } = fold(question);
  const words: Word[] = [];
  for (const p of pieces(text)) {
    const open = p.from + p.text.length === text.length;
    if (p.japanese) {
      words.push(...runs(p.text, open));
      continue;
    }
    const { parts, joined } = split(p.text);
    const terms = parts.map((part) => part.text).filter((term) => !stopWords.has(term));
    const whole = joined.at(-1);
    if (terms.length === 0 && whole === undefined) continue;
    words.push({
      text: lower(p.text), terms: terms.length ? terms : [whole ?? ""], ...(whole ? { whole } : {}), open,
      japanese: false, forms: new Set(), wholes: new Set(), others: [],
    });
  }
  const telling = words.filter((w) => w.japanese || !askingWords.has(w.text));
  return telling.length > 0 ? telling : words;
}

const script = /([\p{sc=Kana}ー]+)|(\p{sc=Hira}+)|([^\p{sc=Kana}ー\p{sc=Hira}]+)/gu;

/** Kanji and katakana carry the meaning; hiragana between them is grammar. */
function runs(run: string, open: boolean): Word[] {
  const dropped = japanese(run);
  const out: Word[] = [];
  for (const m of dropped.matchAll(script)) {
    const all = [...m[0]];
    const next = [...dropped.slice(m.index + m[0].length)][0] ?? "";
    const grammar = m[2] !== undefined;
    if (grammar && m[0] !== dropped) continue;
    const word = { text: m[0], open, japanese: true, forms: new Set<string>(), wholes: new Set<string>(), others: [] as Word[] };
    if (all.length > 1) out.push({ ...word, terms: all.slice(1).map((c, i) => (all[i] ?? "") + c) });
    // A single kanji is known better by what follows it: 落ちる.
    else out.push({ ...word, terms: [m[0] + next], loose: m[0] });
  }
  return out;
}

/** What words are known by, whatever their form: a name that the book has another one for. */
export function nameOf(words: readonly Word[]): string {
  return words.map((w) => (w.japanese ? lower(w.text) : w.terms.map(stem).join(" "))).join(" ");
}

/** The name of several words is as long as this at most. */
const longestName = 4;

/** Words of a question, of which names says what the book calls them; the longest first. */
export function renamed(words: readonly Word[], names: ReadonlyMap<string, string>): { words: Word[]; name: string }[] {
  const out: { words: Word[]; name: string }[] = [];
  for (let i = 0; i < words.length; i++) {
    for (let n = Math.min(longestName, words.length - i); n > 0; n--) {
      const some = words.slice(i, i + n);
      const name = names.get(nameOf(some)) ?? (n === 1 ? within(some[0] as Word, names) : undefined);
      if (name === undefined) continue;
      out.push({ words: some, name });
      i += n - 1;
      break;
    }
  }
  return out;
}

/** Japanese has no spaces: a name may be a part of what was typed as one word (再送間隔). The longest is taken. */
function within(word: Word, names: ReadonlyMap<string, string>): string | undefined {
  if (!word.japanese || word.loose) return undefined;
  let best = "";
  for (const name of names.keys()) {
    if (name.length > best.length && name.length > 1 && /^[\p{sc=Han}\p{sc=Kana}ー]+$/u.test(name) && lower(word.text).includes(name)) best = name;
  }
  return names.get(best);
}

/** What all terms that a word's term may lead to begin with. */
export function range(term: string, word: Word): string {
  if (word.loose) return word.loose;
  let root = stem(term);
  if (root.length > 3) root = root.replace(/i$/, "");
  let n = 0;
  while (n < root.length && root[n] === term[n]) n++;
  return term.slice(0, n);
}

/** How well a term of the index answers one that was asked for, of 100; 0 is not at all. One that is open may go on. */
export function fit(found: string, term: string, word: Word, open: boolean): number {
  if (found === term) return 100;
  if (word.loose) return 60;
  if (stem(found) === stem(term)) return 90;
  if (!open || word.japanese || term.length < 2 || !found.startsWith(term)) return 0;
  return Math.max(30, 66 - 4 * (found.length - term.length));
}

/** Whether one letter is wrong, missing, too many, or two are swapped. */
export function oneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1 || a === b) return false;
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  const [restA, restB] = [a.slice(i), b.slice(i)];
  return (
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    restA.slice(1) === restB.slice(1) ||
    (restA.length > 1 && restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}

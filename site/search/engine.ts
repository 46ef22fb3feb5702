// The search: it reads the index that generator/search writes, as much of it as
// a question needs, and ranks. It counts in whole numbers, so that every
// platform ranks alike; generator/search/reference_test.go does the same in Go.
//
// First, sections and pages are ranked by their terms alone. Then the texts of
// the best pages are read: they tell whether the words stand together.

import { fit, nameOf, oneSlip, parse, plain, range, renamed, type Word } from "./query";

export interface Manifest {
  folder: string;
  parts: [title: string, prefix: string, pages: number][];
  pages: number[];
  terms: string[];
  texts: number[];
  names: [asked: string, name: string][];
  about: [name: string, page: number][];
}

type Entry = [term: string, rarity: number, ...postings: number[]];
export type SectionText = [anchor: string, level: number, heading: string, text: string, code: string];
export type PageText = [url: string, title: string, ...sections: SectionText[]];

/** Reads a JSON file of the index, by its address as seen from the manifest; "" is the manifest. */
export type Read = (name: string) => Promise<unknown>;

export interface Hit {
  section: SectionText;
  /** Headings above it, in its page. */
  above: string[];
  score: number;
}

export interface PageHit {
  url: string;
  title: string;
  part: string;
  score: number;
  hits: Hit[];
}

export interface Answer {
  pages: PageHit[];
  /** Terms that were found, for marking. */
  words: Word[];
  /** Words that nobody wrote, and what was taken instead: a slip put right, or the book's name for it. */
  instead: [asked: string, taken: string][];
}

const bestPages = 8;
const bestSections = 3;

export class Engine {
  /** What the book calls what others call otherwise, by nameOf. */
  private readonly names = new Map<string, string>();
  /** The page that explains what the book calls by a name, by nameOf. */
  private readonly about = new Map<string, number>();
  private readonly plains = new WeakMap<SectionText, { heading: string; text: string }>();

  private constructor(
    private readonly read: Read,
    private readonly manifest: Manifest,
  ) {
    for (const [asked, name] of manifest.names) {
      const words = parse(asked);
      // A single kanji stands for too many words.
      if (words.length > 0 && !words.some((w) => w.loose)) this.names.set(nameOf(words), name);
    }
    for (const [name, page] of manifest.about) this.about.set(nameOf(parse(name)), page);
  }

  static async open(read: Read): Promise<Engine> {
    const kept = new Map<string, Promise<unknown>>();
    const once: Read = (name) => {
      let file = kept.get(name);
      if (!file) {
        file = read(name);
        kept.set(name, file);
        file.catch(() => kept.delete(name)); // it may come the next time
      }
      return file;
    };
    return new Engine(once, (await once("")) as Manifest);
  }

  /** Answers a question that is asked on the page of that path. */
  async search(question: string, here = ""): Promise<Answer> {
    const words = parse(question);
    const others = renamed(words, this.names);
    const explains = this.about.get(others[0]?.words.length === words.length ? nameOf(parse(others[0].name)) : nameOf(words));
    const known = new Set(others.flatMap((o) => o.words));
    // Each word has a list of its own, since files come in any order: slips are told as the question has them.
    const slips = words.map((): Answer["instead"] => []);
    const looked = await Promise.all(words.map((w, i) => this.lookUp(w, known.has(w) ? undefined : slips[i])));
    const instead = slips.flat();
    for (const other of others) await this.rename(other.words, other.name, looked, instead);
    const found = looked.filter((f) => f.sections.size > 0);
    const candidates = this.rank(found, here, explains);
    const phrase = instead.reduce((text, [asked, taken]) => text.replace(asked, plain(taken)), plain(question));
    const pages = await Promise.all(candidates.map((c) => this.reread(c, found, phrase, words.length, here)));
    pages.sort((a, b) => b.hit.score - a.hit.score || a.page - b.page);
    return { pages: pages.map((p) => p.hit).filter((p) => p.hits.length > 0), words: found.map((f) => f.word), instead };
  }

  /**
   * Adds the sections in which the book has another name for what was asked. They
   * count half, so that they come after those that have the reader's own word; where
   * nothing has it, they are the answer.
   */
  private async rename(words: Word[], name: string, looked: Found[], instead: Answer["instead"]): Promise<void> {
    const others = parse(name);
    for (const other of others) other.open = false;
    const lists = await Promise.all(others.map((w) => this.lookUp(w)));
    const sections = new Map<number, number>();
    for (const section of lists[0]?.sections.keys() ?? []) {
      if (lists.every((l) => l.sections.has(section) && !l.partly)) {
        sections.set(section, Math.floor(lists.reduce((sum, l) => sum + (l.sections.get(section) as number), 0) / lists.length));
      }
    }
    if (sections.size === 0) return;
    const own = looked.filter((f) => words.includes(f.word));
    const unknown = own.every((f) => f.partly || f.sections.size === 0);
    if (unknown) instead.push([words.map((w) => w.text).join(" "), name]);
    for (const f of own) {
      if (unknown) f.sections.clear();
      f.word.others = others;
      f.rarity = Math.max(unknown ? 0 : f.rarity, ...lists.map((l) => l.rarity));
      for (const [section, score] of sections) f.sections.set(section, Math.max(f.sections.get(section) ?? 0, unknown ? score : Math.floor(score / 2)));
    }
  }

  /** The sections that a word stands in. With instead, a slip of the finger is one. */
  private async lookUp(word: Word, instead?: Answer["instead"]): Promise<Found> {
    const last = word.terms.length - 1;
    const [whole, ...lists] = await Promise.all([
      word.whole ? this.term(word.whole, word, word.open) : none,
      ...word.terms.map((t, i) => this.term(t, word, word.open && i === last)),
    ]);
    // A word with a slip of the finger: what is there instead.
    if (instead && !word.japanese && whole.values.size === 0) {
      const nears = await Promise.all(lists.map((list, i) => (list.values.size > 0 ? undefined : this.nearest(word.terms[i] ?? ""))));
      for (const [i, near] of nears.entries()) {
        if (!near) continue;
        instead.push([word.terms[i] ?? "", near]);
        word.terms[i] = near;
        lists[i] = await this.term(near, word, false);
      }
    }
    const out: Found = { word, rarity: 0, partly: false, sections: new Map() };
    for (let need = lists.length; need > 0 && out.sections.size === 0; need = need === lists.length && need > 1 ? Math.ceil(need / 2) : 0) {
      const counts = new Map<number, [count: number, sum: number]>();
      for (const list of lists) {
        for (const [section, value] of list.values) {
          const c = counts.get(section);
          if (c) {
            c[0]++;
            c[1] += value;
          } else counts.set(section, [1, value]);
        }
      }
      out.rarity = Math.max(0, ...lists.map((l) => l.rarity));
      out.partly = need < lists.length;
      for (const [section, [count, sum]] of counts) {
        if (count < need) continue;
        let score = Math.floor((sum * out.rarity) / lists.length);
        if (word.whole) score = Math.floor((score * 7) / 10);
        if (need < lists.length) score = Math.floor((score * count) / (2 * lists.length));
        out.sections.set(section, score);
      }
    }
    if (whole.values.size > 0) {
      out.partly = false;
      out.rarity = Math.max(out.rarity, whole.rarity);
      for (const [section, value] of whole.values) out.sections.set(section, Math.max(out.sections.get(section) ?? 0, value * whole.rarity));
    }
    return out;
  }

  /** The sections that a term or one that answers for it stands in, with 100 times the weight. */
  private async term(term: string, word: Word, open: boolean): Promise<List> {
    const root = range(term, word);
    const out: List = { rarity: 0, values: new Map() };
    const rarities = { good: Infinity, any: Infinity };
    for (const file of await this.files(root, term)) {
      for (let i = lowerBound(file, root); i < file.length; i++) {
        const [found, rarity, ...postings] = file[i] as Entry;
        if (!found.startsWith(root)) break;
        const fits = fit(found, term, word, open);
        if (fits === 0) continue;
        (term === word.whole ? word.wholes : word.forms).add(found);
        rarities.any = Math.min(rarities.any, rarity);
        if (fits >= 90) rarities.good = Math.min(rarities.good, rarity);
        let section = 0;
        for (const p of postings) {
          section += p >>> 5;
          const value = (p & 31) * fits;
          if (value > (out.values.get(section) ?? 0)) out.values.set(section, value);
        }
      }
    }
    if (out.values.size > 0) out.rarity = rarities.good < Infinity ? rarities.good : rarities.any;
    return out;
  }

  /** The files of terms in which those that begin so are: three at most, from where the term itself is. */
  private async files(root: string, term: string): Promise<Entry[][]> {
    const firsts = this.manifest.terms;
    if (firsts.length === 0) return [];
    const holds = (t: string): number => Math.max(0, firsts.findLastIndex((first) => first <= t));
    let [from, to] = [holds(root), holds(root + "\uffff")];
    if (to - from > 2) from = Math.max(from, Math.min(holds(term), to - 2));
    to = Math.min(to, from + 2);
    const numbers = Array.from({ length: to - from + 1 }, (_, i) => from + i);
    return Promise.all(numbers.map((n) => this.read(`${this.manifest.folder}t${n}.json`) as Promise<Entry[]>));
  }

  /** The most frequent word that is one slip away from what was typed, if that is long enough to tell. */
  private async nearest(term: string): Promise<string | undefined> {
    if (term.length < 4) return undefined;
    let best: Entry | undefined;
    const swapped = (term[1] ?? "") + (term[0] ?? "") + term.slice(2);
    const starts = [...new Set([term.slice(0, 2), swapped.slice(0, 2), term.slice(1, 3)])];
    for (const start of starts) {
      for (const file of await this.files(start, term.startsWith(start) ? term : start)) {
        for (const entry of file) {
          const better = !best || entry[1] < best[1] || (entry[1] === best[1] && entry[0] < best[0]);
          if (better && oneSlip(term, entry[0]) && /^\p{L}+$/u.test(entry[0])) best = entry;
        }
      }
    }
    return best?.[0];
  }

  /** The best pages by their terms, with their sections. */
  private rank(found: Found[], here: string, explains: number | undefined): Candidate[] {
    const total = found.reduce((sum, f) => sum + f.rarity, 0);
    if (total === 0) return [];
    const sections = [...new Set(found.flatMap((f) => [...f.sections.keys()]))].sort((a, b) => a - b);
    const out: Candidate[] = [];
    const partHere = this.partOf(here);
    let [page, first] = [0, 0];
    for (let i = 0; i < sections.length; ) {
      while ((sections[i] as number) >= first + (this.manifest.pages[page] as number)) first += this.manifest.pages[page++] as number;
      const end = first + (this.manifest.pages[page] as number);
      const own: Candidate["sections"] = [];
      const best = found.map(() => 0);
      for (; i < sections.length && (sections[i] as number) < end; i++) {
        const section = sections[i] as number;
        const scores = found.map((f) => f.sections.get(section) ?? 0);
        scores.forEach((s, w) => (best[w] = Math.max(best[w] as number, s)));
        own.push({ index: section - first, scores, score: scoreOf(scores, found, total) });
      }
      own.sort((a, b) => b.score - a.score || a.index - b.index);
      const part = this.partAt(page);
      let score = (own[0] as { score: number }).score + Math.floor(scoreOf(best, found, total) / 2);
      if (part === partHere) score += Math.floor((score * 8) / 100);
      // The whole question is a name, and this page explains it.
      if (page === explains) score *= 2;
      // A page outside the parts, as the glossary, names everything and explains little of it.
      if (this.isOutside(part)) score = Math.floor((score * 6) / 10);
      out.push({ page, part, sections: own.slice(0, bestSections + 1), score, covered: coverage(best, found, total) });
    }
    out.sort((a, b) => b.score - a.score || a.page - b.page);
    const [most, top] = [Math.max(...out.map((c) => c.covered)), out[0]?.score ?? 0];
    return out.filter((c) => 2 * c.covered >= most && 8 * c.score >= top).slice(0, bestPages);
  }

  /** Reads a page, and sees whether the words stand together. */
  private async reread(c: Candidate, found: Found[], phrase: string, asked: number, here: string): Promise<{ page: number; hit: PageHit }> {
    const [url, title, ...sections] = await this.page(c.page);
    const total = found.reduce((sum, f) => sum + f.rarity, 0);
    const several = asked > 1 || found.some((f) => f.word.japanese);
    const hits: (Hit & { index: number })[] = [];
    let best = 0;
    for (const s of c.sections) {
      const section = sections[s.index] as SectionText;
      const { heading, text } = this.plainOf(section, s.index === 0 ? title : section[2]);
      const scores = s.scores.map((score, w) => {
        const word = (found[w] as Found).word;
        return score > 0 && [word, ...word.others].every((w) => apart(w, text, heading)) ? Math.floor(score / 5) : score;
      });
      let score = scoreOf(scores, found, total);
      if (heading === phrase) score *= 2;
      else if (phrase.length > 2 && heading.includes(phrase)) score = Math.floor((score * 3) / 2);
      else if (several && text.includes(phrase)) score = Math.floor((score * 14) / 10);
      best = Math.max(best, score);
      hits.push({ section, above: above(sections, s.index), score, index: s.index });
    }
    const before = (c.sections[0] as { score: number }).score;
    const gain = best - before;
    let score = Math.max(0, c.score + (this.isOutside(c.part) ? Math.trunc((gain * 6) / 10) : gain));
    const name = plain(title);
    if (name === phrase) score *= 2;
    else if (phrase.length > 2 && name.includes(phrase)) score = Math.floor((score * 14) / 10);
    if (url === here) score = Math.floor((score * 13) / 10);
    hits.sort((a, b) => b.score - a.score || a.index - b.index);
    const kept = hits.filter((h) => h.score > 0 && 10 * h.score >= 4 * best).slice(0, bestSections);
    return { page: c.page, hit: { url, title, part: this.manifest.parts[c.part]?.[0] ?? "", score, hits: kept } };
  }

  /** A section as phrases are compared, made once. */
  private plainOf(section: SectionText, heading: string): { heading: string; text: string } {
    let made = this.plains.get(section);
    if (!made) this.plains.set(section, (made = { heading: plain(heading), text: plain(section.slice(2).join("\n")) }));
    return made;
  }

  private async page(n: number): Promise<PageText> {
    let [file, first] = [0, 0];
    while (n >= first + (this.manifest.texts[file] as number)) first += this.manifest.texts[file++] as number;
    const pages = (await this.read(`${this.manifest.folder}p${file}.json`)) as PageText[];
    return pages[n - first] as PageText;
  }

  private partAt(page: number): number {
    let [part, end] = [0, 0];
    for (const [, , pages] of this.manifest.parts) {
      end += pages;
      if (page < end) break;
      part++;
    }
    return part;
  }

  private isOutside(part: number): boolean {
    return this.manifest.parts[part]?.[0] === "";
  }

  /** The part of the book that a path is in, the closest. */
  private partOf(path: string): number {
    let best = -1;
    this.manifest.parts.forEach(([, prefix], i) => {
      if (path.startsWith(prefix) && prefix.length > (this.manifest.parts[best]?.[1].length ?? 0)) best = i;
    });
    return best;
  }
}

interface List {
  rarity: number;
  values: Map<number, number>;
}

const none: List = { rarity: 0, values: new Map() };

interface Found {
  word: Word;
  rarity: number;
  /** No section has all of it. */
  partly: boolean;
  sections: Map<number, number>;
}

interface Candidate {
  page: number;
  part: number;
  sections: { index: number; scores: number[]; score: number }[];
  score: number;
  covered: number;
}

/** Pairs of characters that stand apart are not the word. */
function apart(word: Word, text: string, heading: string): boolean {
  return word.japanese && !word.loose && !text.includes(plain(word.text)) && !heading.includes(plain(word.text));
}

/** How much of what was asked is there, of 100. */
function coverage(scores: number[], found: Found[], total: number): number {
  return Math.floor((100 * scores.reduce((sum, s, w) => sum + (s > 0 ? (found[w] as Found).rarity : 0), 0)) / total);
}

/** Scores of all words, less where words are missing. */
function scoreOf(scores: number[], found: Found[], total: number): number {
  const covered = coverage(scores, found, total);
  return Math.floor((scores.reduce((sum, s) => sum + s, 0) * (2000 + 8 * Math.floor((covered * covered) / 10))) / 10000);
}

function lowerBound(file: Entry[], term: string): number {
  let [from, to] = [0, file.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((file[middle] as Entry)[0] < term) from = middle + 1;
    else to = middle;
  }
  return from;
}

function above(sections: SectionText[], index: number): string[] {
  const out: string[] = [];
  let level = sections[index]?.[1] ?? 0;
  for (let i = index - 1; i > 0 && level > 2; i--) {
    const [, l, heading] = sections[i] as SectionText;
    if (l >= level) continue;
    if (heading.length > 1) out.unshift(heading); // and not a glossary's letter
    level = l;
  }
  return out;
}

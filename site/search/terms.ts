// A text's terms, as generator/search/terms.go makes them: both are held to
// generator/search/testdata/terms.json, and what they are is explained there.

/** A text in ordinary letters, and where each of them stood. */
export interface Folded {
  text: string;
  /** Offset in the original of each code unit and of the end; undefined when nothing was moved. */
  at: number[] | undefined;
}

/** Letters that are as they should be; or one character, with the marks behind it. */
const clusters = /([\x00-\x7f\u3041-\u3096\u30a1-\u30f6\u4e00-\u9fff]+(?![\p{M}ﾞﾟ]))|[^][\p{M}ﾞﾟ]*/gu;

export function fold(original: string): Folded {
  const text = original.replaceAll("’", "'");
  if (text === text.normalize("NFKC")) return { text, at: undefined };
  let out = "";
  const at: number[] = [];
  for (const { 0: cluster, 1: ordinary, index } of text.matchAll(clusters)) {
    const plain = ordinary ?? cluster.normalize("NFKC");
    for (let i = 0; i < plain.length; i++) at.push(ordinary ? index + i : index);
    out += plain;
  }
  at.push(text.length);
  return { text: out, at };
}

/** Lower case, one character at a time, so that all platforms agree. */
export function lower(text: string): string {
  return text.replace(/\p{Lu}|\p{Lt}/gu, (c) => [...c.toLowerCase()][0] ?? c);
}

/** A word with what joins its parts, or a run of Japanese. */
export interface Piece {
  text: string;
  japanese: boolean;
  from: number;
}

const japaneseLetter = "[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}ー]";
const letter = `(?!${japaneseLetter})[\\p{L}\\p{N}\\p{M}]`;
const letters = `(?:\\d,(?=\\d{3}(?!\\d))|${letter})+`; // 5,000 is one word
const piece = new RegExp(`(${japaneseLetter}+)|(${letters}(?:[._/-]${letters})*)(?:'(?:${letter}){1,2}(?!${letter}))?`, "gu");

export function pieces(text: string): Piece[] {
  return [...text.matchAll(piece)].map((m) => ({ text: m[1] ?? m[2] ?? "", japanese: m[1] !== undefined, from: m.index }));
}

export interface Part {
  text: string;
  from: number; // in the word
}

/** An identifier's parts in lower case, and what several of them are together: the whole last. */
export function split(word: string): { parts: Part[]; joined: string[] } {
  const parts: Part[] = [];
  const joined: string[] = [];
  let whole = "";
  let from = 0;
  const chunks = word.split(/[._/,-]/);
  for (const chunk of chunks) {
    const low = lower(chunk);
    const own = humps(chunk).map((p) => ({ text: lower(p.text), from: from + p.from }));
    own.forEach((p, i) => {
      const before = own[i - 1];
      if (before && own.length > 2) joined.push(before.text + p.text);
    });
    if (own.length > 1 && chunks.length > 1) joined.push(low);
    if (/\d$/.test(whole) && /^\d/.test(low) && word[from - 1] !== ",") whole += ".";
    whole += low;
    parts.push(...own);
    from += chunk.length + 1;
  }
  if (parts.length > 1) joined.push(whole);
  return { parts, joined };
}

/** Splits at a change of case and between letters and digits: HTTPServer2 is HTTP, Server, 2; CPUs is one, IPv6 is IPv, 6. */
function humps(text: string): Part[] {
  const runes = [...text];
  const kind = runes.map((r) => (/\p{N}/u.test(r) ? "0" : /\p{Lu}/u.test(r) ? "A" : "a"));
  const out: Part[] = [];
  let start = 0;
  let from = 0;
  const cut = (i: number): void => {
    if (i <= start) return;
    const part = runes.slice(start, i).join("");
    out.push({ text: part, from });
    start = i;
    from += part.length;
  };
  for (let i = 1; i < runes.length; i++) {
    if (kind[i - 1] === "A" && kind[i] === "a") {
      const ends = (runes[i] === "s" || runes[i] === "v") && kind[i + 1] !== "a";
      if (i - start > 1 && !ends) cut(i - 1);
    } else if (kind[i - 1] !== kind[i]) cut(i);
  }
  cut(runes.length);
  return out;
}

/** A text without the long vowel at the end of each katakana word of three characters or more. */
export function japanese(text: string): string {
  return text.replace(/([\p{sc=Kana}ー]{2,}?)ー+(?![\p{sc=Kana}ー])/gu, "$1");
}

/** Terms calls emit for each term of a text, stop words left out. */
export function terms(text: string, emit: (term: string) => void): void {
  for (const p of pieces(fold(text).text)) {
    if (p.japanese) {
      const run = [...japanese(p.text)];
      run.forEach((c, i) => emit(c + (run[i + 1] ?? "")));
      continue;
    }
    const { parts, joined } = split(p.text);
    for (const part of parts) if (!stopWords.has(part.text)) emit(part.text);
    joined.forEach(emit);
  }
}

/** What the forms of an English word have in common; see generator/search/stem.go. */
export function stem(word: string): string {
  let w = word;
  if (w.length < 4 || /[^a-z]/.test(w)) return w;
  if (/.{2}ies$/.test(w)) w = w.slice(0, -3) + "y";
  else if (/s$/.test(w) && !/(ss|is)$/.test(w) && !(/us$/.test(w) && w.length > 4)) w = w.slice(0, -1);
  const cut = /.{2}ied$/.test(w) ? 0 : /[aeiouy].*ing$/.test(w) ? 3 : /[aeiouy].*ed$/.test(w) && !/eed$/.test(w) ? 2 : undefined;
  if (cut === 0) w = w.slice(0, -3) + "y";
  else if (cut) {
    w = w.slice(0, -cut);
    if (w.length === 2) w += "e";
  }
  if (w.length > 3) w = w.replace(/e$/, "");
  if (w.length > 3) w = w.replace(/(.)\1$/, "$1");
  if (w.length > 3) w = w.replace(/y$/, "i");
  return w;
}

const set = (words: string): Set<string> => new Set(words.split(" "));

/** They are in every text, and say nothing about it. */
export const stopWords = set("a an the of to in is are was be been and or it its that this these those as at by for on with from");

/** They stand in questions, and count where they are all that is asked. */
export const askingWords = set(
  "how why what when where who which do does did can could should would will i my me you your we our there has have had not no if then so than but about into",
);

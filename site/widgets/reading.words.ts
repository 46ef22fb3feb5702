// What the page says of shapes that are too small for a text.

export interface ReadingWords {
  name: string; // of what takes the keyboard's focus
  hint: string;
  on: string; // {what}, {node}
  inCache: string; // {what}, {state}
  unwatched: string;
  is: string; // {what}, {state}
}

const en: ReadingWords = {
  name: "Small shapes of the picture, one by one",
  hint: "Arrow keys read the next one, Enter looks at it.",
  on: "{what}, on {node}",
  inCache: "{what} in the cache: {state}",
  unwatched: "if it changed, nobody would tell the cache",
  is: "{what}: {state}",
};

const ja: ReadingWords = {
  name: "図の小さな記号を 1 つずつ読む",
  hint: "矢印キーで隣を読み、Enter でそれに注目します。",
  on: "{what}（{node}）",
  inCache: "キャッシュの {what}: {state}",
  unwatched: "変わってもキャッシュには知らされない",
  is: "{what}: {state}",
};

export const readingWords: Record<string, ReadingWords> = { en, ja };

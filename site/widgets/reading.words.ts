// What the page says of shapes that are too small for a text.

export interface ReadingWords {
  name: string; // of what takes the keyboard's focus
  hint: string;
  on: string; // {what}, {node}
  inCache: string; // {what}, {state}
  unwatched: string;
  is: string; // {what}, {state}
  cell: string; // {node}, {state}
  pods: string; // {from}, {to}, {most}
  exactly: string; // {to}, {most}
  comma: string; // between two things that are said of a node
  some: string; // of its Pods are not settled
  nth: string; // {n}: a node without a name
}

const en: ReadingWords = {
  name: "Small shapes of the picture, one by one",
  hint: "Arrow keys read the next one, Enter looks at it.",
  on: "{what}, on {node}",
  inCache: "{what} in the cache: {state}",
  unwatched: "if it changed, nobody would tell the cache",
  is: "{what}: {state}",
  cell: "{node}: {state}",
  pods: "{from} to {to} of {most} Pods",
  exactly: "{to} of {most} Pods",
  comma: ", ",
  some: "some of them are starting or ending",
  nth: "node {n} of this row",
};

const ja: ReadingWords = {
  name: "図の小さな記号を 1 つずつ読む",
  hint: "矢印キーで次を読み、Enter で注目します。",
  on: "{what}（{node}）",
  inCache: "キャッシュの {what}: {state}",
  unwatched: "変わってもキャッシュには知らされない",
  is: "{what}: {state}",
  cell: "{node}: {state}",
  pods: "Pod {from}〜{to} 個（定員 {most}）",
  exactly: "Pod {to} 個（定員 {most}）",
  comma: "、",
  some: "起動中か終了中のものがある",
  nth: "この行の {n} 番目のノード",
};

export const readingWords: Record<string, ReadingWords> = { en, ja };

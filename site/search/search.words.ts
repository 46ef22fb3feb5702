// What the search says.

export interface SearchWords {
  search: string;
  ask: string; // in the empty field
  close: string;
  results: string; // name of the list
  found: (n: number) => string;
  none: string; // {question}
  noneCure: string;
  instead: string; // {taken} {asked}
  searching: string;
  recent: string;
  hint: string;
  choose: string;
  open: string;
  failed: string;
  offline: string;
  again: string;
  perhaps: string; // on the page that is not there
}

const en: SearchWords = {
  search: "Search",
  ask: "Search the book",
  close: "Close",
  results: "Results",
  found: (n) => (n === 1 ? "1 result" : `${n} results`),
  none: "Nothing found for “{question}”",
  noneCure: "Try another word, the name of a function, or fewer words.",
  instead: "Nothing has “{asked}”. These have “{taken}”:",
  searching: "Searching …",
  recent: "Read before",
  hint: "Words, a question, or a name from the source, such as manageReplicas.",
  choose: "choose",
  open: "open",
  failed: "The search index could not be loaded.",
  offline: "You are offline, and this part of the search index was not loaded before.",
  again: "Try again",
  perhaps: "Perhaps one of these pages?",
};

const ja: SearchWords = {
  search: "検索",
  ask: "この本を検索",
  close: "閉じる",
  results: "検索結果",
  found: (n) => `${n} 件見つかりました`,
  none: "「{question}」は見つかりませんでした",
  noneCure: "別の言葉、関数の名前、またはもっと短い言葉で試してください。",
  instead: "「{asked}」は見つからないため、「{taken}」の結果を表示しています。",
  searching: "検索しています…",
  recent: "最近読んだページ",
  hint: "言葉や質問のほか、manageReplicas のようなソースコードの名前でも探せます。",
  choose: "選ぶ",
  open: "開く",
  failed: "検索の索引を読み込めませんでした。",
  offline: "オフラインのため、まだ読み込んでいない索引を使えません。",
  again: "もう一度試す",
  perhaps: "お探しのページは、こちらでしょうか。",
};

export function wordsIn(language: string): SearchWords {
  return language.startsWith("ja") ? ja : en;
}

// What the page says of worlds: the tree of branches, and two of them side by side.

export interface WorldWords {
  branches: string;
  recording: string;
  letter: string; // of the recording; branches have A, B …
  more: string; // {n} that were done after
  parked: string;
  compareWith: string; // {world}
  rename: string; // {world}
  renamed: string; // a field's name
  drop: string; // {world}
  comparing: string; // {a}, {b}
  leave: string;
  alike: string; // {at}
  part: string; // {at}
  inOne: string; // {world}, {what}
  notYet: string; // {world}
  later: string; // {world}, {at}, {what}
  toDifference: string;
  store: string; // {at}, {world}, {what}
  toStored: string;
  picture: string; // {title}, {world}
  speaks: string; // {world}: the world that the controls and the inspector are about
  now: string;
  nothingNow: string;
  only: string; // {world}
  differing: string;
  moreObjects: string; // {n}
  outcomes: string;
  soFar: string;
  figures: Record<Figure, string>;
  notSettled: string;
  whatIf: string;
  running: string;
  cannotRun: string;
}

export type Figure = "created" | "deleted" | "requests" | "conflicts" | "settled";

const en: WorldWords = {
  branches: "Your branches",
  recording: "Recording",
  letter: "R",
  more: "and {n} more",
  parked: "Its events were let go to save memory; it runs again when you look at it.",
  compareWith: "Compare with {world}",
  rename: "Rename {world}",
  renamed: "Name of the branch",
  drop: "Drop {world}",
  comparing: "{a} and {b}, side by side",
  leave: "Leave the comparison",
  alike: "So far both worlds are the same.",
  part: "At {at} the worlds part.",
  inOne: "In {world}: {what}",
  notYet: "In {world}: nothing that does not happen in the other.",
  later: "In {world}, only at {at}: {what}",
  toDifference: "To the first difference",
  store: "From {at} on an object is in one world only. In {world}: {what}",
  toStored: "To the first object of one only",
  picture: "{title}: the cluster in {world}",
  speaks: "Controls, inspector and what was printed are about {world}.",
  now: "What differs now",
  nothingNow: "Nothing that is in the picture.",
  only: "Only in {world}",
  differing: "In both, and not alike",
  moreObjects: "and {n} more",
  outcomes: "What came of it",
  soFar: "up to this moment",
  figures: { created: "Pods created", deleted: "Pods deleted", requests: "API requests", conflicts: "Conflicts", settled: "Last change of a Pod" },
  notSettled: "none",
  whatIf: "What if …?",
  running: "Running that world …",
  cannotRun: "That world could not be run.",
};

const ja: WorldWords = {
  branches: "あなたの分岐",
  recording: "記録",
  letter: "記",
  more: "ほか {n} 件",
  parked: "メモリを節約するため、イベントは残していません。表示するときに実行し直します。",
  compareWith: "{world} と比べる",
  rename: "{world} の名前を変える",
  renamed: "分岐の名前",
  drop: "{world} を破棄する",
  comparing: "{a} と {b} の比較",
  leave: "比較をやめる",
  alike: "ここまでは、どちらの世界も同じです。",
  part: "{at} で 2 つの世界が分かれます。",
  inOne: "{world}: {what}",
  notYet: "{world}: こちらだけで起きることは、まだありません。",
  later: "{world}（{at} になって初めて）: {what}",
  toDifference: "最初の違いへ",
  store: "{at} からは、片方の世界にしかないオブジェクトがあります。{world}: {what}",
  toStored: "片方にしかない最初のオブジェクトへ",
  picture: "{title}: {world} のクラスター",
  speaks: "操作、イベントの中身、コマンドの出力は {world} のものです。",
  now: "いま違うところ",
  nothingNow: "図の中に違いはありません。",
  only: "{world} だけにある",
  differing: "両方にあるが、状態が違う",
  moreObjects: "ほか {n} 件",
  outcomes: "結果",
  soFar: "この瞬間まで",
  figures: { created: "作られた Pod", deleted: "削除された Pod", requests: "API リクエスト", conflicts: "競合（Conflict）", settled: "Pod の最後の変化" },
  notSettled: "なし",
  whatIf: "もしも…",
  running: "その世界を実行しています…",
  cannotRun: "その世界は実行できませんでした。",
};

const tables: Record<string, WorldWords> = { en, ja };

export function worldWordsOf(lang: string): WorldWords {
  return tables[lang] ?? tables[lang.split("-")[0]!] ?? en;
}

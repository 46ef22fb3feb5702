// The words of the inspector's two sides: why an event happened, and what an
// object is like.

import type { Place } from "./queues";

export interface WhyWords {
  chain: string;
  toCause: string;
  backUp: string;
  of: string; // {n}, {all}
  asLog: string;
  logLine: string;
  between: string; // {n}
  began: string;
  more: string; // {n}
  expectations: string; // {key}
  line: string;
  creations: string;
  deletions: string;
  batch: string; // {n}, {left}
  matrix: string; // {pod}
  plugin: string;
  total: string;
  chosen: string;
  part: string; // {weight}, {score}
  raw: string; // {raw}
  filtered: string;
  fits: string;
  notScored: string;
  otherNodes: string; // {n}
  queue: string; // {name}
  dirty: string;
  processing: string;
  due: string;
  dueAt: string; // {at}
  failures: string; // {n}
  nobody: string;
  schedulerQueues: string;
  places: Record<Place, string>;
  attempt: string; // {n}
  hinted: string; // {plugin}, {hint}
  rejectedBy: string; // {plugins}
  until: string; // {at}
  collector: string;
  virtual: string;
  beingDeleted: string;
  deletingDependents: string;
  absent: string;
  graph: string;
  ownedBy: string; // {name}
  here: string;
  moreOf: string; // {n}
  otherCalls: string; // {n}

  choose: string;
  gone: string;
  none: string;
  yaml: string; // {name}
  version: string;
  versionOf: string; // {version}, {at}, {who}, {type}
  older: string;
  newer: string;
  goThere: string;
  wroteIt: string; // {who}
  writtenAt: string; // {at}, {who}
  isOlder: string;
  isLater: string;
  isGone: string; // {at}
  since: string;
  sincePrevious: string;
  sinceStep: string;
  same: string;
  first: string;
  was: string; // {value}
  signs: string;
  managers: string;
  manager: string;
  operation: string;
  fields: string;
  beside: string;
  unmanaged: string;
  noManagers: string;
  owners: string;
  controller: string;
  alone: string;
}

const en: WhyWords = {
  chain: "From here back to what began it",
  toCause: "To its cause",
  backUp: "Back up the chain",
  of: "{n} of {all}",
  asLog: "As the real log",
  logLine: "The log says",
  between: "{n} steps in between",
  began: "this began it",
  more: "Show all {n}",
  expectations: "What {key} waits to see",
  line: "Log line",
  creations: "creations",
  deletions: "deletions",
  batch: "asks for {n} at once; {left} were left",
  matrix: "What the scheduler made of each node for {pod}",
  plugin: "Plugin",
  total: "Total",
  chosen: "chosen",
  part: "{weight} × {score}",
  raw: "from {raw}",
  filtered: "Turned down",
  fits: "Fits",
  notScored: "One node fits, so none is scored.",
  otherNodes: "and {n} more with lower totals",
  queue: "Work queue {name}, after this",
  dirty: "Dirty: to be processed",
  processing: "Processing",
  due: "Due later",
  dueAt: "at {at}",
  failures: "{n} failures in a row",
  nobody: "nothing",
  schedulerQueues: "The scheduler's queues, after this",
  places: { activeQ: "activeQ: next to be tried", backoffQ: "backoffQ: waits for its back-off", unschedulablePods: "unschedulablePods: waits for an event", inFlight: "in flight: being tried" },
  attempt: "attempt {n}",
  hinted: "the hint of {plugin}: {hint}",
  rejectedBy: "turned down by {plugins}",
  until: "until {at}",
  collector: "The collector's graph",
  virtual: "known from references only",
  beingDeleted: "being deleted",
  deletingDependents: "waits for its dependents to go",
  absent: "not in the graph",
  graph: "Owners, and what they own",
  ownedBy: "owned by {name}",
  here: "this one",
  moreOf: "and {n} more",
  otherCalls: "{n} calls around it",
  choose: "Object",
  gone: "no longer there",
  none: "Nothing is in the store yet.",
  yaml: "{name} as YAML",
  version: "Version",
  versionOf: "{version} · {at} · {who} · {type}",
  older: "Older version",
  newer: "Newer version",
  goThere: "Go to this moment",
  wroteIt: "written by {who}",
  writtenAt: "Written at {at} by {who}",
  isOlder: "An older version: at the moment of the picture there is a newer one.",
  isLater: "A later version: at the moment of the picture it is not there yet.",
  isGone: "Deleted at {at}. This is its last version.",
  since: "Marked",
  sincePrevious: "what this version changed",
  sinceStep: "what changed since the last step",
  same: "Nothing is different.",
  first: "This is its first version.",
  was: "was {value}",
  signs: "+ new, ~ changed, − gone",
  managers: "Who manages which field",
  manager: "Manager",
  operation: "By",
  fields: "Fields",
  beside: "Managers beside the lines",
  unmanaged: "nobody",
  noManagers: "No managers are known.",
  owners: "Owners",
  controller: "controller",
  alone: "Nothing owns it, and it owns nothing.",
};

const ja: WhyWords = {
  chain: "ここから発端までのきっかけ",
  toCause: "きっかけへ",
  backUp: "結果のほうへ戻る",
  of: "{n} / {all}",
  asLog: "本物のログの形で表示",
  logLine: "ログの行",
  between: "間に {n} 件",
  began: "これが発端",
  more: "{n} 件すべてを表示",
  expectations: "{key} が待っていること（expectations）",
  line: "ログ",
  creations: "作成",
  deletions: "削除",
  batch: "残り {left} 個のうち {n} 個を同時に依頼",
  matrix: "{pod} に対するスケジューラーの各ノードの評価",
  plugin: "プラグイン",
  total: "合計",
  chosen: "選ばれた",
  part: "{weight} × {score}",
  raw: "元の値 {raw}",
  filtered: "置けない",
  fits: "置ける",
  notScored: "置けるノードが 1 台だけなので、採点はしません。",
  otherNodes: "ほか {n} 台（合計点はこれより低い）",
  queue: "ワークキュー {name}（このイベントの直後）",
  dirty: "dirty: 処理が必要",
  processing: "processing: 処理中",
  due: "延期: あとで追加される",
  dueAt: "{at} に追加",
  failures: "{n} 回連続で失敗",
  nobody: "なし",
  schedulerQueues: "スケジューラーのキュー（このイベントの直後）",
  places: { activeQ: "activeQ: 次に試す", backoffQ: "backoffQ: バックオフ待ち", unschedulablePods: "unschedulablePods: イベント待ち", inFlight: "in flight: スケジューリング中" },
  attempt: "{n} 回目の試行",
  hinted: "{plugin} のヒント: {hint}",
  rejectedBy: "置けないと判定: {plugins}",
  until: "{at} まで",
  collector: "ガベージコレクターのグラフ",
  virtual: "参照からのみ把握",
  beingDeleted: "削除中",
  deletingDependents: "従属オブジェクトの削除待ち",
  absent: "グラフにない",
  graph: "所有者と、所有されているもの",
  ownedBy: "所有者: {name}",
  here: "これ",
  moreOf: "ほか {n} 個",
  otherCalls: "前後の呼び出し {n} 件",
  choose: "オブジェクト",
  gone: "もう存在しない",
  none: "ストアにはまだ何もありません。",
  yaml: "{name} の YAML",
  version: "バージョン",
  versionOf: "{version} · {at} · {who} · {type}",
  older: "古いバージョン",
  newer: "新しいバージョン",
  goThere: "この時点へ移動",
  wroteIt: "{who} が書き込み",
  writtenAt: "{at} に {who} が書き込み",
  isOlder: "古いバージョンです。図の時点では、もっと新しいバージョンがあります。",
  isLater: "あとのバージョンです。図の時点では、まだありません。",
  isGone: "{at} に削除されました。これは最後のバージョンです。",
  since: "印を付けるもの",
  sincePrevious: "このバージョンで変わったところ",
  sinceStep: "直前のステップから変わったところ",
  same: "違いはありません。",
  first: "最初のバージョンです。",
  was: "以前は {value}",
  signs: "+ 追加、~ 変更、− 削除",
  managers: "フィールドの管理者（managedFields）",
  manager: "管理者",
  operation: "操作",
  fields: "フィールド",
  beside: "管理者を各行の横に表示",
  unmanaged: "なし",
  noManagers: "管理者は記録されていません。",
  owners: "所有者",
  controller: "controller",
  alone: "所有者も、所有しているものもありません。",
};

export const whyWords: Record<string, WhyWords> = { en, ja };

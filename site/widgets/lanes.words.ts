// The words of the lanes.

import type { Sign } from "./lanesigns";
import type { Depth, End, Kind, Sums } from "./tracks";

export interface LaneWords {
  title: string;
  /** What a screen reader calls the lanes. */
  list: string;
  zoomIn: string;
  zoomOut: string;
  all: string;
  earlier: string;
  later: string;
  close: string;
  table: string;
  open: string;
  hint: string;
  things: Record<Kind, string>; // {key}, {text}
  ends: Record<End, string>; // {text}
  at: string; // {from}
  span: string; // {from}, {to}
  since: string; // {from}
  due: string; // {due}
  one: string; // request
  many: string; // {n} requests
  failed: string; // {n}
  retry: string; // {n}
  depth: Record<Depth, string>; // {n}
  empty: string;
  component: string;
  sums: Record<keyof Sums, string>;
  signs: Record<Sign, string>;
  join: string;
}

const en: LaneWords = {
  title: "Lanes",
  list: "Lanes: up and down choose a component, left and right what it did",
  zoomIn: "Closer",
  zoomOut: "Farther",
  all: "See all",
  earlier: "Earlier part",
  later: "Later part",
  close: "Close the lanes",
  table: "As a table",
  open: "Go there",
  hint: "Drag to move the moment. Ctrl + wheel, or two fingers, to come closer. Arrow keys go from thing to thing.",
  things: {
    reconcile: "reconcile of {key}",
    cycle: "scheduling cycle of {key}",
    binding: "binding of {key} to {text}",
    sync: "sync of {key}",
    request: "{key}",
    pull: "pull of {key}",
    delay: "{key} put off for {text}",
    down: "away: {text}",
    conflict: "conflict: {key}",
    error: "error: {key} {text}",
    break: "its watch of {key} broke: {text}",
    event: "{text}",
  },
  ends: {
    done: "",
    again: "the key changed meanwhile and waits again",
    conflict: "ended with a conflict",
    error: "ended with an error",
    noFit: "no node fits",
    killed: "cut short: the component went down",
  },
  at: "{from}",
  span: "{from} to {to}",
  since: "since {from}",
  due: "until {due}",
  one: "1 request",
  many: "{n} requests",
  failed: "failures in a row: {n}",
  retry: "retry no. {n}",
  depth: { queue: "queue of {n}", pending: "{n} Pods wait for a node", requests: "{n} requests at work" },
  empty: "nothing that stands out",
  component: "Component",
  sums: { events: "Events", requests: "Requests", turns: "Reconciles, cycles, syncs", deepest: "Most that waited", retries: "Retries", conflicts: "Conflicts", errors: "Other errors", breaks: "Lost watches", away: "Away" },
  signs: {
    turn: "reconcile, cycle, sync", delay: "put off", backoff: "back-off after failures", depth: "how many wait, or are at work",
    conflict: "conflict", error: "other error", break: "lost watch", down: "away", mark: "a moment of the author",
  },
  join: ", ",
};

const ja: LaneWords = {
  title: "レーン",
  list: "レーン: 上下キーでコンポーネント、左右キーでその動作を選びます",
  zoomIn: "拡大",
  zoomOut: "縮小",
  all: "全体を表示",
  earlier: "前の部分へ",
  later: "後の部分へ",
  close: "レーンを閉じる",
  table: "表で見る",
  open: "ここへ移動",
  hint: "ドラッグで再生位置を動かせます。Ctrl + ホイールか 2 本指で拡大・縮小し、矢印キーで 1 つずつたどれます。",
  things: {
    reconcile: "{key} の Reconcile",
    cycle: "{key} のスケジューリングサイクル",
    binding: "{key} を {text} にバインド",
    sync: "{key} の同期",
    request: "{key}",
    pull: "イメージ {key} の取得",
    delay: "{key} を {text} 延期",
    down: "停止: {text}",
    conflict: "競合: {key}",
    error: "エラー: {key} {text}",
    break: "{key} の watch が切れた: {text}",
    event: "{text}",
  },
  ends: {
    done: "",
    again: "処理中に変わったため、キーは再び待機",
    conflict: "競合（Conflict）で終了",
    error: "エラーで終了",
    noFit: "置けるノードなし",
    killed: "コンポーネントの停止で中断",
  },
  at: "{from}",
  span: "{from} から {to}",
  since: "{from} から継続中",
  due: "{due} まで",
  one: "リクエスト 1 件",
  many: "リクエスト {n} 件",
  failed: "{n} 回続けて失敗",
  retry: "再試行 {n} 回目",
  depth: { queue: "待機中のキー {n} 個", pending: "ノードを待つ Pod {n} 個", requests: "処理中のリクエスト {n} 件" },
  empty: "目立った動作なし",
  component: "コンポーネント",
  sums: { events: "イベント", requests: "リクエスト", turns: "Reconcile・サイクル・同期", deepest: "待ちの最大数", retries: "再試行", conflicts: "競合", errors: "その他のエラー", breaks: "watch の切断", away: "停止時間" },
  signs: {
    turn: "Reconcile・サイクル・同期", delay: "延期", backoff: "失敗後のバックオフ", depth: "待機中・処理中の数",
    conflict: "競合", error: "その他のエラー", break: "watch の切断", down: "停止中", mark: "作者が示す場面",
  },
  join: "、",
};

export const laneWords: Record<string, LaneWords> = { en, ja };

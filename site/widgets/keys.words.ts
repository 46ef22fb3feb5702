// What the help sheet says of the keys. A key without words does not compile.

import type { Action, KeyGroup } from "./keys";

export interface KeyWords {
  title: string;
  intro: string;
  close: string;
  or: string; // between two keys for one thing
  groups: Record<KeyGroup, string>;
  /** Keys that have no letter; "Shift" too. */
  names: Record<string, string>;
  does: Record<Action, string>;
}

const en: KeyWords = {
  title: "Keys",
  intro: "They work while the focus is in the demo, and never while you type.",
  close: "Close",
  or: "or",
  groups: { play: "Play", step: "Step (with Shift: back)", show: "Show and find", log: "In the event log", lanes: "In the lanes" },
  names: { " ": "Space", Shift: "Shift", Escape: "Esc", Home: "Home", End: "End", Enter: "Enter" },
  does: {
    toggle: "Play or pause",
    slower: "Slower",
    faster: "Faster",
    toStart: "To the start",
    toEnd: "To the end",
    stepOn: "Step on, by the chosen unit",
    stepBack: "Step back, by the chosen unit",
    nextEvent: "Next event",
    previousEvent: "Event before",
    nextQuiet: "Next event, heartbeats and chatter included",
    previousQuiet: "Event before, heartbeats and chatter included",
    nextRequest: "Next API request: where it is sent, then where it is answered",
    previousRequest: "API request before",
    nextReconcile: "Next reconcile: where it begins, then where it ends",
    previousReconcile: "Reconcile before",
    nextChange: "The next time that what you look at changes",
    previousChange: "The time before that it changed",
    nextMark: "Next moment",
    previousMark: "Moment before",
    help: "This sheet",
    lanes: "Open or close the lanes: the timeline of each component",
    why: "Open the current event: why it happened",
    find: "Choose what to look at",
    everything: "Show everything again",
    quiet: "Show or hide heartbeats and chatter in the log",
    legend: "What the signs mean",
    commandLine: "To the command line, where there is one",
    copyLink: "Copy a link to this moment",
    leave: "One step out: from an open event to the log, to the demo, to the page",
    logDown: "Next row",
    logUp: "Row before",
    logOpen: "Open the event",
    laneDown: "Next lane",
    laneUp: "Lane before",
    laneOn: "Next thing in the lane",
    laneBack: "Thing before in the lane",
    laneOpen: "Go there, and open it",
    zoomIn: "Closer",
    zoomOut: "Farther",
    zoomAll: "See all",
    panOn: "Later part",
    panBack: "Earlier part",
  },
};

const ja: KeyWords = {
  title: "キー操作",
  intro: "フォーカスがデモの中にあるときに使えます。入力中は働きません。",
  close: "閉じる",
  or: "または",
  groups: { play: "再生", step: "ステップ（Shift を押すと逆向き）", show: "表示と検索", log: "イベントログの中", lanes: "レーンの中" },
  names: { " ": "スペース", Shift: "Shift", Escape: "Esc", Home: "Home", End: "End", Enter: "Enter" },
  does: {
    toggle: "再生・一時停止",
    slower: "遅くする",
    faster: "速くする",
    toStart: "最初へ",
    toEnd: "最後へ",
    stepOn: "選んだ単位で進む",
    stepBack: "選んだ単位で戻る",
    nextEvent: "次のイベント",
    previousEvent: "前のイベント",
    nextQuiet: "次のイベント（ハートビートなども含む）",
    previousQuiet: "前のイベント（ハートビートなども含む）",
    nextRequest: "次の API リクエスト（送信、次に応答）",
    previousRequest: "前の API リクエスト",
    nextReconcile: "次の Reconcile（開始、次に終了）",
    previousReconcile: "前の Reconcile",
    nextChange: "注目しているものが次に変わるとき",
    previousChange: "注目しているものが前に変わったとき",
    nextMark: "次の場面",
    previousMark: "前の場面",
    help: "このキー一覧",
    lanes: "レーン（コンポーネントごとのタイムライン）を開く・閉じる",
    why: "現在のイベントを開く（なぜ起きたのか）",
    find: "注目するものを選ぶ",
    everything: "すべての表示に戻す",
    quiet: "ログのハートビートなどの表示を切り替える",
    legend: "記号の意味",
    commandLine: "コマンドラインへ（ある場合）",
    copyLink: "この瞬間へのリンクをコピー",
    leave: "1 つ外へ（開いたイベント → ログ → デモ → ページ）",
    logDown: "次の行",
    logUp: "前の行",
    logOpen: "イベントを開く",
    laneDown: "次のレーン",
    laneUp: "前のレーン",
    laneOn: "レーンの中の次のもの",
    laneBack: "レーンの中の前のもの",
    laneOpen: "そこへ移動して開く",
    zoomIn: "拡大",
    zoomOut: "縮小",
    zoomAll: "全体を表示",
    panOn: "後の部分へ",
    panBack: "前の部分へ",
  },
};

export const keyWords: Record<string, KeyWords> = { en, ja };

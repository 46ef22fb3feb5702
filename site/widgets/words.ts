// The player's own words. A language that lacks one does not compile.

import type { Sign, SignGroup } from "./legend";
import type { Kind } from "./scenario";
import type { Unit } from "./stride";

export interface Words {
  player: string; // what a screen reader calls the whole
  play: string;
  pause: string;
  stepBack: string;
  stepForward: string;
  previousMark: string;
  nextMark: string;
  stepBy: string;
  units: Record<Unit, string>;
  looking: string;
  nothingAhead: string; // {n} s
  noneAfter: string; // {what}
  noneBefore: string; // {what}
  lookFirst: string;
  lookAt: string; // {what}
  lookOn: string;
  keys: string;
  lanes: string;
  speed: string;
  position: string;
  paceSlow: string; // {n}
  paceFast: string; // {n}
  paceEven: string;
  paceSkip: string; // {n} s
  picture: string; // {title}
  log: string;
  showQuiet: string;
  all: string; // of the filter
  filter: string;
  inThePicture: string; // objects that can be looked at
  clearFilter: string; // {what}
  noEvents: string;
  event: string; // {n}
  why: string;
  inspector: string;
  whyHint: string;
  whyTab: string;
  objectTab: string;
  close: string;
  time: string;
  component: string;
  object: string;
  values: string;
  causes: string;
  noCause: string;
  more: string; // {n}
  effects: string;
  noEffect: string;
  stack: string;
  noStack: string;
  written: string;
  changed: string;
  loadingDetails: string;
  failedDetails: string;
  failedSource: string; // {file}
  sourceOf: string; // {file}
  retry: string;
  yourTurn: string;
  scale: string; // {name}
  remove: string; // {name}
  killNode: string; // {node}
  startNode: string;
  stop: string; // {component}
  start: string;
  dropWatch: string;
  deeds: Partial<Record<Kind, string>>; // {name}, {node}, {value}, {url}, {from}
  load: string; // {name}
  profiles: string;
  profilesText: string;
  reconfigure: string;
  commandLine: string;
  run: string;
  examples: string;
  printed: string; // a box's name
  nothingPrinted: string;
  exit: string;
  didYouMean: string; // {word}
  nodes: string;
  components: string;
  watches: string;
  breaks: string;
  live: string; // badge
  recorded: string;
  loadingLive: string;
  loadingLiveBytes: string; // {mb}
  working: string; // {n}, {at}, {mb}
  atWork: string;
  starting: string;
  loadingRest: string;
  failedRest: string; // {message}
  failedLive: string; // {message}
  reset: string;
  share: string;
  legend: string;
  signGroups: Record<SignGroup, string>;
  signs: Record<Sign, string>;
  below: string; // leads there, in a frame
  above: string;
  badLink: string; // {message}
  noSuchDemo: string; // {demo}
  failed: string; // {message}
  unsupported: string;
}

const en: Words = {
  player: "Demo: {title}",
  play: "Play",
  pause: "Pause",
  stepBack: "Step back",
  stepForward: "Step forward",
  previousMark: "To the moment before",
  nextMark: "To the next moment",
  stepBy: "Step by",
  units: { event: "event", every: "every event", request: "API request", reconcile: "reconcile", change: "change of what you look at", mark: "moment" },
  looking: "Looking ahead …",
  nothingAhead: "Not in the next {n} s.",
  noneAfter: "There is none after this: {what}.",
  noneBefore: "There is none before this: {what}.",
  lookFirst: "Choose what to look at first: click it in the picture, or choose it at the event log.",
  lookAt: "Look at {what}",
  lookOn: "Look further",
  keys: "Keys",
  lanes: "Lanes: the timeline of each component",
  speed: "Speed",
  position: "Position",
  paceSlow: "slowed {n}×",
  paceFast: "sped up {n}×",
  paceEven: "as fast as real",
  paceSkip: "skipping {n} s",
  picture: "{title}: the cluster. The event log says the same in words.",
  log: "Event log",
  showQuiet: "Heartbeats and chatter",
  all: "Everything",
  filter: "Look at",
  inThePicture: "In the picture now",
  clearFilter: "Show everything again, not only {what}",
  noEvents: "No events here.",
  event: "Event {n}",
  why: "Why did this happen?",
  inspector: "Inside an event",
  whyTab: "Why",
  objectTab: "Object",
  whyHint: "Choose an event: what led to it, what the component knew, and the line of Go that did it.",
  close: "Close",
  time: "Time",
  component: "Component",
  object: "Object",
  values: "What was known here",
  causes: "Because",
  noCause: "Nothing inside led to it: it came from outside, or from a start-up.",
  more: "Show all {n}",
  effects: "Led to",
  noEffect: "Nothing yet.",
  stack: "Code that ran",
  noStack: "No code of a component: it came from outside.",
  written: "What was written",
  changed: "Changed lines are marked.",
  loadingDetails: "Loading …",
  failedDetails: "The details did not load.",
  failedSource: "{file} did not load.",
  sourceOf: "Source of {file}",
  retry: "Try again",
  yourTurn: "Your turn",
  scale: "Replicas of {name}",
  remove: "Delete a Pod",
  killNode: "Cut the power",
  startNode: "Boot",
  stop: "Crash",
  start: "Start",
  dropWatch: "Break its watches",
  deeds: {
    "crash-container": "Crash a container of {name}",
    "use-memory": "Let {name} use {value} of memory",
    "registry-down": "Switch the image registry off",
    "registry-up": "Switch the image registry on",
    "lose-image": "Lose the image {name}",
    "restore-image": "Bring the image {name} back",
    "fill-memory": "Fill {value} of memory on {node}",
    "fill-disk": "Fill {value} of disk on {node}",
    "slow-kubelet": "Slow the kubelet of {node} by {value}",
    "set-metric": "Set {metric} to {value}",
    request: "Send a request to {url}",
  },
  load: "Load on {name}, in thousandths of a CPU",
  profiles: "The scheduler's profiles",
  profilesText: "Profiles of the scheduler, as JSON",
  reconfigure: "Restart the scheduler with these",
  commandLine: "Command line for kubectl",
  run: "Run",
  examples: "Examples",
  printed: "What was typed, and the answer",
  nothingPrinted: "Nothing has been typed so far.",
  exit: "(exit status 1)",
  didYouMean: "Did you mean {word}?",
  nodes: "Nodes",
  components: "Components",
  watches: "Watches",
  breaks: "Break something",
  live: "Live",
  recorded: "Recording",
  loadingLive: "Loading the control plane …",
  loadingLiveBytes: "Loading the control plane … {mb} MB",
  atWork: "The control plane is getting ready …",
  working: "The control plane is working: {at}, {n} events a second, {mb} MB of memory",
  starting: "Running up to this moment …",
  loadingRest: "Loading the rest of the recording …",
  failedRest: "The rest of the recording did not load: {message}. What is here goes on working.",
  failedLive: "The control plane cannot run here: {message}. The recording goes on working.",
  reset: "Back to the recording",
  share: "Share",
  legend: "What the signs mean",
  signGroups: { travels: "What travels", pods: "Pods", store: "The store's revisions", controllers: "A controller's cache and work queue", cells: "Nodes where there are thousands", others: "And" },
  signs: {
    request: "a request",
    reply: "its answer",
    watch: "a watch event: the API server tells of a change",
    refused: "red: an answer that refuses",
    heartbeat: "faint: heartbeats and chatter",
    pending: "stored, with no node yet",
    scheduled: "bound to a node",
    starting: "image pulled, container starting",
    init: "its init containers run first",
    waiting: "a container failed, and waits to be tried again",
    running: "running, not ready yet",
    ready: "ready",
    terminating: "deleted, and stopping",
    assumed: "dotted: only the scheduler counts it here so far",
    added: "an object was created",
    modified: "an object was changed",
    deleted: "an object was removed",
    cached: "as the cache knows it",
    stale: "the cache is behind the store",
    gone: "the cache has it, the store no longer",
    queued: "a key that waits for a worker",
    processing: "filled: a worker has it",
    dirty: "changed meanwhile: it will come again",
    delayed: "dashed: put off until later",
    fresh: "bold and blue: what this event touched",
    fits: "the scheduler finds that the node fits",
    rejected: "the node does not fit",
    down: "dashed: not ready, or down",
    filled: "a node each, filled as far as Pods take its room",
    changing: "some of its Pods are starting or ending",
    cordoned: "cordoned: no new Pods come",
    lost: "not ready, or nobody knows",
    broken: "a connection that is cut",
    cut: "cut off: no packet gets through", failing: "it fails, or answers with errors", slow: "it is slow",
  },
  below: "Down to what you can do and the event log",
  above: "Back to the picture",
  badLink: "The link could not be followed: {message}. This is the recording.",
  noSuchDemo: "The link leads to a demo called \"{demo}\", and there is none of that name on this page.",
  failed: "This demo did not load: {message}. Its moments are below.",
  unsupported: "The recording is of another version",
};

const ja: Words = {
  player: "デモ: {title}",
  play: "再生",
  pause: "一時停止",
  stepBack: "1 つ戻る",
  stepForward: "1 つ進む",
  previousMark: "前の場面へ",
  nextMark: "次の場面へ",
  stepBy: "ステップの単位",
  units: { event: "イベント", every: "すべてのイベント", request: "API リクエスト", reconcile: "Reconcile", change: "注目しているものの変化", mark: "場面" },
  looking: "先を探しています…",
  nothingAhead: "この先 {n} 秒の間にはありません。",
  noneAfter: "これより後にはありません: {what}",
  noneBefore: "これより前にはありません: {what}",
  lookFirst: "先に、注目するものを選んでください。図の中をクリックするか、イベントログの上のメニューで選べます。",
  lookAt: "{what} に注目する",
  lookOn: "さらに先を探す",
  keys: "キー操作",
  lanes: "レーン: コンポーネントごとのタイムライン",
  speed: "速さ",
  position: "再生位置",
  paceSlow: "実際の 1/{n} の速さ",
  paceFast: "実際の {n} 倍の速さ",
  paceEven: "実際と同じ速さ",
  paceSkip: "{n} 秒を省略",
  picture: "{title}: クラスターの図。同じ内容を、イベントログでは文章で読めます。",
  log: "イベントログ",
  showQuiet: "ハートビートなども表示",
  all: "すべて",
  filter: "注目するもの",
  inThePicture: "いま図にあるもの",
  clearFilter: "{what} だけの表示をやめて、すべて表示する",
  noEvents: "ここにイベントはありません。",
  event: "イベント {n}",
  why: "なぜ起きたのか",
  inspector: "イベントの中身",
  whyTab: "理由",
  objectTab: "オブジェクト",
  whyHint: "イベントを選ぶと、きっかけ、そのとき分かっていたこと、実行された Go のコードを見られます。",
  close: "閉じる",
  time: "時刻",
  component: "コンポーネント",
  object: "オブジェクト",
  values: "ここで分かっていたこと",
  causes: "きっかけ",
  noCause: "クラスターの中にきっかけはありません。外からの操作か、起動によるものです。",
  more: "{n} 件すべてを表示",
  effects: "ここから起きたこと",
  noEffect: "まだ何もありません。",
  stack: "実行されたコード",
  noStack: "動いたコードはありません。外から来たものです。",
  written: "書き込まれたもの",
  changed: "変わった行に印が付いています。",
  loadingDetails: "読み込んでいます…",
  failedDetails: "詳細を読み込めませんでした。",
  failedSource: "{file} を読み込めませんでした。",
  sourceOf: "{file} のソースコード",
  retry: "再試行",
  yourTurn: "あなたの番",
  scale: "{name} のレプリカ数",
  remove: "Pod を 1 つ削除する",
  killNode: "電源を切る",
  startNode: "起動する",
  stop: "クラッシュさせる",
  start: "起動する",
  dropWatch: "watch を切断する",
  deeds: {
    "crash-container": "{name} のコンテナをクラッシュさせる",
    "use-memory": "{name} にメモリを {value} 使わせる",
    "registry-down": "イメージレジストリを止める",
    "registry-up": "イメージレジストリを動かす",
    "lose-image": "イメージ {name} をなくす",
    "restore-image": "イメージ {name} を元に戻す",
    "fill-memory": "{node} のメモリを {value} 埋める",
    "fill-disk": "{node} のディスクを {value} 埋める",
    "slow-kubelet": "{node} の kubelet を {value} 遅くする",
    "set-metric": "{metric} を {value} にする",
    request: "{url} にリクエストを送る",
  },
  load: "{name} の負荷（CPU の 1/1000 単位）",
  profiles: "スケジューラーのプロファイル",
  profilesText: "スケジューラーのプロファイル（JSON）",
  reconfigure: "このプロファイルで起動し直す",
  commandLine: "kubectl のコマンドライン",
  run: "実行",
  examples: "例",
  printed: "入力したコマンドとその結果",
  nothingPrinted: "まだ何も入力されていません。",
  exit: "（終了ステータス 1）",
  didYouMean: "{word} のことですか？",
  nodes: "ノード",
  components: "コンポーネント",
  watches: "watch",
  breaks: "何かを壊す",
  live: "ライブ",
  recorded: "記録",
  loadingLive: "コントロールプレーンを読み込んでいます…",
  loadingLiveBytes: "コントロールプレーンを読み込んでいます… {mb} MB",
  atWork: "コントロールプレーンを準備しています…",
  working: "コントロールプレーンを実行しています。{at}、毎秒 {n} イベント、メモリ {mb} MB",
  starting: "この時点まで実行しています…",
  loadingRest: "記録の続きを読み込んでいます…",
  failedRest: "記録の続きを読み込めませんでした: {message}。読み込み済みの部分は引き続き使えます。",
  failedLive: "ここではコントロールプレーンを実行できません: {message}。記録は引き続き使えます。",
  reset: "記録に戻る",
  share: "共有",
  legend: "記号の意味",
  signGroups: { travels: "移動するもの", pods: "Pod", store: "ストアのリビジョン", controllers: "コントローラーのキャッシュとワークキュー", cells: "ノードが何千台もあるとき", others: "そのほか" },
  signs: {
    request: "リクエスト",
    reply: "その応答",
    watch: "watch イベント。API サーバーが変更を知らせる",
    refused: "赤: 拒否の応答",
    heartbeat: "薄い色: ハートビートなど",
    pending: "保存済み。ノードは未定",
    scheduled: "ノードが決まった",
    starting: "イメージの取得、コンテナの起動中",
    init: "init コンテナを実行中",
    waiting: "コンテナが失敗し、再試行を待っている",
    running: "実行中。まだ Ready ではない",
    ready: "Ready",
    terminating: "削除され、停止を待っている",
    assumed: "点線: ここにあると数えているのはスケジューラーだけ",
    added: "オブジェクトが作られた",
    modified: "オブジェクトが変わった",
    deleted: "オブジェクトが消えた",
    cached: "キャッシュにある内容",
    stale: "キャッシュがストアより古い",
    gone: "キャッシュにはあるが、ストアにはもうない",
    queued: "ワーカーを待つキー",
    processing: "塗りつぶし: ワーカーが処理中",
    dirty: "処理中に変わった。もう一度処理される",
    delayed: "破線: あとで処理される",
    fresh: "青い太枠: このイベントで変わったもの",
    fits: "スケジューラーの判定: 置ける",
    rejected: "スケジューラーの判定: 置けない",
    down: "破線: NotReady、または停止中",
    filled: "1 つが 1 台のノード。Pod が定員を埋めた分だけ塗られる",
    changing: "起動中か終了中の Pod がある",
    cordoned: "cordon 済み。新しい Pod は来ない",
    lost: "Ready でない、または状態不明",
    broken: "切れた接続",
    cut: "切り離されている: パケットが届かない", failing: "障害がある: エラーを返す", slow: "遅くなっている",
  },
  below: "下の操作とイベントログへ",
  above: "図に戻る",
  badLink: "リンクの内容を再現できませんでした: {message}。表示しているのは記録です。",
  noSuchDemo: "リンク先のデモ「{demo}」は、このページにありません。",
  failed: "このデモを読み込めませんでした: {message}。各場面は下にあります。",
  unsupported: "記録のバージョンが違います",
};

const tables: Record<string, Words> = { en, ja };

/** What a table has for a language: for its main part ("ja-JP" is "ja"), or for English. */
export function inLanguage<T>(table: Record<string, T>, lang: string): T {
  return table[lang] ?? table[lang.split("-")[0]!] ?? table["en"]!;
}

export function wordsOf(lang: string): Words {
  return inLanguage(tables, lang);
}

// What the part says in which a reader breaks things. Kinds are those of faults.ts.

export interface FaultWords {
  target: string; // what a choice is about
  choose: string; // the choice, as long as nothing is chosen
  groups: { control: string; node: string; pod: string };
  /** What can be done; {name} is who it befalls. */
  does: Record<string, string>;
  how: Record<string, string>; // what a choice beside a button is about
  modes: Record<string, string>; // what is chosen there, where it says nothing itself
  on: string; // heading of the faults that are on
  none: string;
  is: Record<string, string>; // {name}, {value}
  mend: string;
  mendIt: string; // {what}, {name}
  hint: string;
}

const en: FaultWords = {
  target: "What",
  choose: "Choose, or click it in the picture",
  groups: { control: "Control plane", node: "Nodes", pod: "Pods" },
  does: {
    "kill-node": "Cut the power", "start-node": "Switch on", cordon: "Cordon", drain: "Drain", uncordon: "Uncordon",
    partition: "Cut off from the network", "fill-memory": "Fill its memory", "fill-disk": "Fill its disk",
    "slow-kubelet": "Slow its Pods' syncs", "stop-kubelet": "Crash its kubelet", "start-kubelet": "Start its kubelet",
    stop: "Crash", start: "Start", "drop-watch": "Break its watches", slow: "Slow down", fail: "Let it fail", crash: "Crash it again and again",
    "cut-component": "Cut off from the API server",
    delete: "Delete", "crash-container": "Crash a container", "use-memory": "Use more memory", "use-cpu": "Use more CPU",
  },
  how: { slow: "By how much", fail: "How", "slow-kubelet": "By how much", "fill-memory": "How much", "fill-disk": "How much", "use-memory": "How much", "use-cpu": "How much" },
  modes: { "no-leader": "no leader", "no-space": "no space left", "500 50%": "500, half of the time", "503 50%": "503, half of the time", "429 50%": "429, half of the time", "503 100%": "503, always" },
  on: "Broken now",
  none: "Nothing is broken.",
  is: {
    "kill-node": "{name} has no power", stop: "{name} is down", partition: "{name} is cut off", slow: "{name} is slow: {value}", fail: "{name} fails: {value}",
    crash: "{name} crashes again and again", "registry-down": "The image registry is down", "lose-image": "The image {name} is lost",
    "fill-memory": "The memory of {name} is filled: {value}", "fill-disk": "The disk of {name} is filled: {value}",
    "slow-kubelet": "The kubelet of {name} is slow: {value}", cordon: "{name} is cordoned",
  },
  mend: "Mend",
  mendIt: "Mend: {what}",
  hint: "What you look at in the picture or in the log is chosen here, too.",
};

const ja: FaultWords = {
  target: "対象",
  choose: "ここで選ぶか、図の中でクリック",
  groups: { control: "コントロールプレーン", node: "ノード", pod: "Pod" },
  does: {
    "kill-node": "電源を切る", "start-node": "電源を入れる", cordon: "Cordon する", drain: "Drain する", uncordon: "Uncordon する",
    partition: "ネットワークから切り離す", "fill-memory": "メモリを埋める", "fill-disk": "ディスクを埋める",
    "slow-kubelet": "Pod の同期を遅くする", "stop-kubelet": "kubelet をクラッシュさせる", "start-kubelet": "kubelet を起動する",
    stop: "クラッシュさせる", start: "起動する", "drop-watch": "watch を切断する", slow: "遅くする", fail: "障害を起こす", crash: "クラッシュを繰り返させる",
    "cut-component": "API サーバーから切り離す",
    delete: "削除する", "crash-container": "コンテナをクラッシュさせる", "use-memory": "メモリを使わせる", "use-cpu": "CPU を使わせる",
  },
  how: { slow: "どれだけ", fail: "どのように", "slow-kubelet": "どれだけ", "fill-memory": "どれだけ", "fill-disk": "どれだけ", "use-memory": "どれだけ", "use-cpu": "どれだけ" },
  modes: { "no-leader": "リーダー不在", "no-space": "空き容量なし", "500 50%": "半数に 500 を返す", "503 50%": "半数に 503 を返す", "429 50%": "半数に 429 を返す", "503 100%": "すべてに 503 を返す" },
  on: "現在の障害",
  none: "障害はありません。",
  is: {
    "kill-node": "{name} は電源が切れています", stop: "{name} は停止しています", partition: "{name} は切り離されています", slow: "{name} は遅くなっています: {value}",
    fail: "{name} に障害があります: {value}", crash: "{name} はクラッシュを繰り返しています", "registry-down": "イメージレジストリが停止しています",
    "lose-image": "イメージ {name} が失われています", "fill-memory": "{name} のメモリが埋まっています: {value}", "fill-disk": "{name} のディスクが埋まっています: {value}",
    "slow-kubelet": "{name} の kubelet は遅くなっています: {value}", cordon: "{name} は cordon されています",
  },
  mend: "復旧",
  mendIt: "復旧: {what}",
  hint: "図やログで注目したものが、ここでも選ばれます。",
};

export const faultWords: Record<string, FaultWords> = { en, ja };

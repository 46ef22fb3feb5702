// What the page says of exercises.

export interface ExerciseWords {
  exercise: string;
  question: string;
  progress: string; // {n}, {of}
  start: string;
  again: string;
  notStarted: string;
  working: string;
  solved: string;
  solvedAt: string; // {at}, {by}
  solvedOn: string; // {on}
  right: string;
  wrong: string;
  see: string;
  check: string;
  goal: string;
  holds: string;
  lacks: string;
  waits: string; // until the reader does something
  watches: string;
  keeps: string; // {s}: how long it has to stay so
  answered: string;
  spoilt: string; // {at}
  late: string; // {s}
  hint: string;
  noHint: string;
  answer: string;
  forget: string;
  otherwise: string; // in a counterfactual
}

const en: ExerciseWords = {
  exercise: "Exercise",
  question: "Question",
  progress: "{n} of {of} exercises solved",
  start: "Start",
  again: "Start again",
  notStarted: "Not started",
  working: "Working on it",
  solved: "Solved",
  solvedAt: "Solved at {at}: {by}",
  solvedOn: "Solved on {on}",
  right: "Right.",
  wrong: "No.",
  see: "See it happen",
  check: "Check",
  goal: "What has to hold",
  holds: "holds",
  lacks: "does not hold yet",
  waits: "Do something to the cluster. The page watches for what comes of it.",
  watches: "The page watches what comes of it. Let it play.",
  keeps: "All of it holds. It has to stay so for {s} s.",
  answered: "This is the author’s answer. Start again, and do it yourself.",
  spoilt: "Not this way: at {at} something was so that must not be. Step back and do something else, or start again.",
  late: "Too late: it has to be so within {s} s of your first change. Start again.",
  hint: "Hint",
  noHint: "No other hint is for what there is now.",
  answer: "Show the answer",
  forget: "Forget",
  otherwise: "In a counterfactual it does not count: go back to the real world.",
};

const ja: ExerciseWords = {
  exercise: "練習問題",
  question: "問題",
  progress: "練習問題 {of} 問中 {n} 問を解決",
  start: "始める",
  again: "もう一度",
  notStarted: "未着手",
  working: "挑戦中",
  solved: "解決",
  solvedAt: "{at} に解決: {by}",
  solvedOn: "{on} に解決",
  right: "正解です。",
  wrong: "違います。",
  see: "実際の動きを見る",
  check: "答え合わせ",
  goal: "成り立つべきこと",
  holds: "成り立っている",
  lacks: "まだ成り立っていない",
  waits: "クラスターを操作してください。その結果をページが見守ります。",
  watches: "操作の結果をページが見守っています。再生を続けてください。",
  keeps: "すべて成り立っています。このまま {s} 秒続く必要があります。",
  answered: "これは作者の解答です。「もう一度」を押して、自分でやってみてください。",
  spoilt: "この方法ではいけません。{at} に、起きてはならないことが起きました。戻って別の操作をするか、もう一度始めてください。",
  late: "時間切れです。最初の操作から {s} 秒以内に成り立つ必要があります。もう一度始めてください。",
  hint: "ヒント",
  noHint: "今の状態に合うヒントは、ほかにありません。",
  answer: "解答を見る",
  forget: "記録を消す",
  otherwise: "反事実の世界では解決になりません。現実の世界に戻ってください。",
};

export const exerciseWords: Record<string, ExerciseWords> = { en, ja };

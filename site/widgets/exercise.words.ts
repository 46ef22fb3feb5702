// What the page says of exercises.

export interface ExerciseWords {
  exercise: string;
  exercises: string;
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
  exercises: "Exercises",
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
  exercises: "練習問題",
  question: "問題",
  progress: "練習問題 {of} 問中 {n} 問を達成",
  start: "始める",
  again: "もう一度",
  notStarted: "未着手",
  working: "挑戦中",
  solved: "達成",
  solvedAt: "{at} に達成: {by}",
  solvedOn: "{on} に達成",
  right: "正解です。",
  wrong: "不正解です。",
  see: "実際の動きを見る",
  check: "答え合わせ",
  goal: "達成条件",
  holds: "満たしている",
  lacks: "まだ満たしていない",
  waits: "クラスターを操作してください。その結果を、ページが判定します。",
  watches: "ページが結果を判定しています。再生を続けてください。",
  keeps: "条件がすべてそろいました。このまま {s} 秒間続く必要があります。",
  answered: "これは作者の解答です。「もう一度」を押して、自分でやってみてください。",
  spoilt: "この方法では達成できません。{at} に、起きてはならない状態になりました。前に戻って別の操作をするか、もう一度始めてください。",
  late: "時間切れです。最初の操作から {s} 秒以内に条件を満たす必要があります。もう一度始めてください。",
  hint: "ヒント",
  noHint: "今の状態に合うヒントは、ほかにありません。",
  answer: "解答を見る",
  forget: "達成を取り消す",
  otherwise: "「もしも…」の世界では達成になりません。元の世界に戻ってください。",
};

export const exerciseWords: Record<string, ExerciseWords> = { en, ja };

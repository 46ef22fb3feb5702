// What the page says of taking something along.

export interface ShareWords {
  share: string;
  link: string;
  linkAbout: string;
  script: string;
  scriptAbout: string;
  moment: string;
  momentAbout: string;
  copied: string;
  inAddressBar: string;
  byHand: string;
  scriptTitle: string; // {title}, {world}, {at}, {seed}
  none: string;
  noNode: string;
}

const en: ShareWords = {
  share: "Share",
  link: "Copy link to this moment",
  linkAbout: "with all that you did, and what you compare",
  script: "Copy as kubectl",
  scriptAbout: "what was done so far, as a script for a real cluster",
  moment: "Copy this moment as text",
  momentAbout: "what happens, and what is where",
  copied: "Copied",
  inAddressBar: "The link is in the address bar.",
  byHand: "This page may not copy. Here it is:",
  scriptTitle: "{title}\n{world}, up to {at}; seed {seed}",
  none: "nothing",
  noNode: "on no node",
};

const ja: ShareWords = {
  share: "共有",
  link: "この瞬間へのリンクをコピー",
  linkAbout: "操作した内容や比較も含みます",
  script: "kubectl コマンドとしてコピー",
  scriptAbout: "ここまでの操作を、実際のクラスターで使えるスクリプトに",
  moment: "この瞬間を文章でコピー",
  momentAbout: "起きていることと、何がどこにあるか",
  copied: "コピーしました",
  inAddressBar: "リンクはアドレスバーにあります。",
  byHand: "このページにはコピーの許可がありません。次の内容を手でコピーしてください:",
  scriptTitle: "{title}\n{world}、{at} まで。シード {seed}",
  none: "なし",
  noNode: "ノードなし",
};

const tables: Record<string, ShareWords> = { en, ja };

export function shareWordsOf(lang: string): ShareWords {
  return tables[lang] ?? tables[lang.split("-")[0]!] ?? en;
}

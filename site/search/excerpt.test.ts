import assert from "node:assert/strict";
import { test } from "node:test";

import type { SectionText } from "./engine";
import { excerpt, marked, type Stretch } from "./excerpt";
import { parse, type Word } from "./query";

/** A question's words, for which the index had these terms. */
function words(question: string, ...terms: string[]): Word[] {
  const out = parse(question);
  for (const word of out) {
    for (const term of [...word.terms, ...terms]) word.forms.add(term);
    if (word.whole) word.wholes.add(word.whole);
  }
  return out;
}

const show = (stretches: Stretch[]): string => stretches.map((s) => (s.marked ? `[${s.text}]` : s.text)).join("");

const section = (text: string, code = ""): SectionText => ["a", 2, "Heading", text, code];

test("what was asked for is marked where it stands", () => {
  for (const [question, text, want] of [
    ["replicas", "so manageReplicas subtracts", "so manage[Replicas] subtracts"],
    ["manageReplicas", "syncReplicaSet, manageReplicas and replicas", "syncReplicaSet, [manageReplicas] and replicas"],
    ["nodename", "by spec.nodeName, empty", "by [spec.nodeName], empty"],
    ["5000 nodes", "up to 5,000 nodes", "up to [5,000] [nodes]"],
    ["work queue", "a work queue", "a [work] [queue]"],
    ["調整ループ", "この調整ループは調整です", "この[調整][ループ]は[調整]です"],
    ["コントローラ", "コントローラーは", "[コントローラー]は"],
    ["ﾊﾞｯｸｵﾌ", "間のバックオフです", "間の[バックオフ]です"],
    ["バックオフ", "間のﾊﾞｯｸｵﾌです", "間の[ﾊﾞｯｸｵﾌ]です"],
    ["落ちる", "電源が落ち、落とし", "電源が[落ち]、落とし"],
    ["<b>", "a <b>&amp;</b>", "a <[b]>&amp;</[b]>"],
  ] as const) {
    assert.equal(show(marked(text, words(question))), want, question);
  }
});

test("an excerpt begins near what was asked for, and says what it left out", () => {
  const long = "Nothing of it stands here, for quite a while. ".repeat(8);
  const shown = show(excerpt(section(`${long}Here are the expectations of a controller. ${long}`), words("expectations"), "Heading"));
  assert.match(shown, /^… Here are the \[expectations\] of a controller\. .*\u00a0…$/u);
  const whole = show(excerpt(section("Short: expectations."), words("expectations"), "Heading"));
  assert.equal(whole, "Short: [expectations].");
});

test("a section that is about it is told from its beginning, and code when only that has it", () => {
  const long = "It is a note that a controller makes. ".repeat(9);
  assert.match(show(excerpt(section(`${long}expectations`), words("expectations"), "Expectations")), /^It is a note/);
  assert.equal(show(excerpt(section("Text without it.", "func main() {\n\tfoo(bar)\n}"), words("foo"), "Heading")), "func main() { [foo](bar) }");
});

test("no text and no words give no excerpt and no exception", () => {
  assert.equal(show(excerpt(section(""), words("x"), "")), "");
  assert.equal(show(marked("", words(""))), "");
});

test("what the book calls a word is marked as that word", () => {
  const [asked] = words("再送");
  assert.ok(asked);
  asked.others = words("再試行");
  assert.equal(show(marked("早い再試行を再び", [asked])), "早い[再試行]を再び");
  assert.equal(show(marked("再送も再試行も", [asked])), "[再送]も[再試行]も");
  assert.equal(show(excerpt(section("First, this. Then 再試行です。"), [asked], "再試行とバックオフ")), "First, this. Then [再試行]です。");
});

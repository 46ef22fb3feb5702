import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fold, stem, terms } from "./terms";

const fixture = JSON.parse(readFileSync("generator/search/testdata/terms.json", "utf8")) as {
  terms: string[][];
  stems: Record<string, string>;
};

test("terms are those of the index", () => {
  for (const [text = "", ...want] of fixture.terms) {
    const got: string[] = [];
    terms(text, (term) => got.push(term));
    assert.deepEqual(got, want, text);
  }
});

test("stems are those of the index", () => {
  for (const [word, want] of Object.entries(fixture.stems)) assert.equal(stem(word), want, word);
});

test("a folded text knows where its letters stood", () => {
  const { text, at } = fold("a ﾊﾞｯｸ ①c");
  assert.equal(text, "a バック 1c");
  assert.deepEqual(at, [0, 1, 2, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(fold("調整’s"), { text: "調整's", at: undefined });
});

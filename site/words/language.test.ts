import assert from "node:assert/strict";
import { test } from "node:test";
import { inLanguage, learn } from "./language";

const table = { en: { yes: "yes" }, ja: { yes: "はい" } };
const said = (lang: string) => inLanguage<{ yes: string }>("player", table, lang).yes;

/** A page in a language, and what comes when it asks for its words. */
function page(lang: string, words: string | undefined, answer: () => Promise<Response>): void {
  Object.assign(globalThis, { document: { documentElement: { lang, dataset: words === undefined ? {} : { words } } }, fetch: answer });
}

test("what a page does not name is not asked for, and is English", async () => {
  page("fr", undefined, () => assert.fail("it asks for a file"));
  await learn();
  assert.deepEqual(["en", "ja", "ja-JP", "fr", "fr-CA"].map(said), ["yes", "はい", "はい", "yes", "yes"]);
});

test("a file that does not come leaves it English, and is asked for again", async () => {
  page("fr", "/words-fr.json", () => Promise.reject(new TypeError("offline")));
  await learn();
  assert.equal(said("fr"), "yes");
});

test("what the page names is said in its language, and in no other", async () => {
  page("fr", "/words-fr.json", () => Promise.resolve(Response.json({ player: { yes: "oui" } })));
  await learn();
  assert.deepEqual(["en", "ja", "fr", "de"].map(said), ["yes", "はい", "oui", "yes"]);
  assert.equal(inLanguage<{ yes: string }>("exercise", table, "fr").yes, "yes", "a part without words");
});

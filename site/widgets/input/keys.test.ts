import assert from "node:assert/strict";
import { test } from "node:test";
import keyWords from "../../words/keys.json";
import { actionOf, groups, placeOf, press, table, type KeyHandlers, type PlayerGroup } from "./keys";

test("no key is for two things in one place", () => {
  const seen = new Map<string, string>();
  for (const { action, group, keys } of table) {
    assert.ok(keys.length > 0, `${action} has no key`);
    for (const key of keys) {
      const where = `${key} in ${placeOf(group)}`;
      assert.equal(seen.get(where), undefined, `${where}: ${seen.get(where)} and ${action}`);
      seen.set(where, action);
    }
  }
});

test("every key has words in every language, and every group has keys", () => {
  for (const [lang, words] of Object.entries(keyWords)) {
    for (const { action, group } of table) {
      assert.ok(words.does[action]?.trim(), `${lang}: nothing is said of ${action}`);
      assert.ok(words.groups[group]?.trim(), `${lang}: group ${group} has no name`);
    }
    const texts = table.map(({ action }) => words.does[action]);
    assert.equal(new Set(texts).size, texts.length, `${lang}: two keys are said to do the same`);
  }
  for (const group of groups) assert.ok(table.some((row) => row.group === group), `group ${group} is empty`);
  assert.deepEqual(Object.keys(keyWords), ["en", "ja"]);
});

test("what a clicker, the browser and a screen reader send is left alone", () => {
  for (const key of ["PageUp", "PageDown", "Tab", "F5", "Backspace"]) {
    for (const place of ["player", "log", "lanes"] as const) assert.equal(actionOf(key, false, place), undefined, key);
  }
});

test("Shift makes the other key of a letter, Caps Lock does not", () => {
  assert.equal(actionOf("e", false, "player"), "nextEvent");
  assert.equal(actionOf("E", true, "player"), "previousEvent");
  assert.equal(actionOf("E", false, "player"), "nextEvent");
  assert.equal(actionOf("e", true, "player"), "previousEvent");
  assert.equal(actionOf("?", true, "player"), "help");
});

/** What of the handlers is done when a key is pressed on an element that matches these. */
function pressedOn(key: string, matching: string[], more: Partial<KeyboardEvent> = {}): string[] {
  const done: string[] = [];
  const handlers = Object.fromEntries(table.map(({ action }) => [action, () => done.push(action)])) as unknown as KeyHandlers<PlayerGroup>;
  const matches = (selectors: string) => selectors.split(/, (?![^(]*\))/).some((s) => matching.includes(s));
  const target = { matches, closest: (s: string) => (matches(s) ? target : null) } as unknown as HTMLElement;
  press<PlayerGroup>({ key, shiftKey: false, target, ...more } as unknown as KeyboardEvent, "player", handlers);
  return done;
}

test("nothing happens while somebody types, except that Escape leads out", () => {
  const field = ["input:not(.kw-scrubber, [type=checkbox])"];
  for (const { keys, group } of table) {
    if (placeOf(group) !== "player" || keys.includes("Escape")) continue;
    for (const key of keys) assert.deepEqual(pressedOn(key, field, { shiftKey: /^[A-Z]$/.test(key) }), [], `${key} in a field`);
  }
  assert.deepEqual(pressedOn("Escape", field), ["leave"]);
  assert.deepEqual(pressedOn("e", ["textarea"]), []);
  assert.deepEqual(pressedOn("e", [], { isComposing: true }), []);
  assert.deepEqual(pressedOn("e", [], { ctrlKey: true }), []);
  assert.deepEqual(pressedOn("e", ["dialog"]), []);
});

test("a button is pressed by its own keys, and a box scrolls by its own", () => {
  assert.deepEqual(pressedOn(" ", ["button"]), []);
  assert.deepEqual(pressedOn("k", ["button"]), ["toggle"]);
  assert.deepEqual(pressedOn("ArrowRight", ["button"]), ["stepOn"]);
  assert.deepEqual(pressedOn("ArrowRight", ["pre[tabindex]"]), []);
  assert.deepEqual(pressedOn("k", ["pre[tabindex]"]), ["toggle"]);
});

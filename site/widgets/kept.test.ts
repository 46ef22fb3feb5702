import assert from "node:assert/strict";
import { test } from "node:test";
import { find, topOf, type Release } from "./kept";

const all: Release[] = [
  { id: "22222222", date: "2027-01-02", languages: ["en", "ja"], engines: { scale: "aaaaaaaa", loop: "cccccccc" } },
  { id: "11111111", date: "2026-11-25", languages: ["ja", "en"], engines: { scale: "aaaaaaaa", loop: "bbbbbbbb" } },
];

test("a link leads to the newest release that has its engine", () => {
  assert.deepEqual(find(all, "scale", "aaaaaaaa", "en"), { date: "2027-01-02", page: "releases/22222222/embed/scale/" });
  assert.deepEqual(find(all, "loop", "bbbbbbbb", "en"), { date: "2026-11-25", page: "releases/11111111/embed/en/loop/" });
});

test("an engine that none has, and an engine of another demo, lead nowhere", () => {
  assert.equal(find(all, "scale", "bbbbbbbb", "en"), undefined);
  assert.equal(find(all, "other", "aaaaaaaa", "en"), undefined);
  assert.equal(find(all, "toString", "aaaaaaaa", "en"), undefined);
  assert.equal(find([], "scale", "aaaaaaaa", "en"), undefined);
});

test("a language that the release lacks is its first", () => {
  assert.equal(find(all, "loop", "cccccccc", "ja")!.page, "releases/22222222/embed/ja/loop/");
  assert.equal(find(all, "loop", "cccccccc", "fr")!.page, "releases/22222222/embed/loop/");
});

test("the site's top is the same for its own pages and for those of a release", () => {
  for (const [path, top] of [["/embed/ja/scale/", "/"], ["/book/embed/scale/", "/book/"], ["/releases/11111111/embed/scale/", "/"],
    ["/book/releases/11111111/embed/ja/scale/", "/book/"]] as const) assert.equal(topOf(path), top, path);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { approach, current, towards } from "./following";

test("the link at the reading line is the last one above it", () => {
  assert.equal(current([100, 300, 900], 400), 1);
  assert.equal(current([100, 300, 900], 300), 1);
  assert.equal(current([500], 400), -1);
  assert.equal(current([], 400), -1);
});

test("the picture plays forwards, and goes back at once", () => {
  assert.equal(approach(4000, 3000, false), "there");
  assert.equal(approach(3000, 3000, false), "there");
  assert.equal(approach(1000, 4000, false), undefined);
  assert.equal(approach(1000, 20_000, false), 16_000, "what is far ahead is not played whole");
});

test("behind moments that the reader has passed only the end of the way plays", () => {
  assert.equal(approach(1000, 20_000, true), 18_800);
  assert.equal(approach(1000, 2000, true), undefined);
  assert.equal(approach(1000, 2000, true, 0.25), 1700, "it takes no longer at a lower speed");
});

test("a paragraph's moments come one after another; those of paragraphs that are passed do not, and back is at once", () => {
  const links = ["a one", "b two", "b three", "b three", "b four", "c five"].map((text) => {
    const [block, mark] = text.split(" ") as [string, string];
    return { block, mark };
  });
  const way = (from: number, to: number) => {
    const out: number[] = [];
    for (let at = from; at !== to; out.push(at)) at = towards(links, at, to);
    return out;
  };
  assert.deepEqual(way(0, 4), [1, 2, 4]);
  assert.deepEqual(way(-1, 4), [1, 2, 4], "it begins with the paragraph");
  assert.deepEqual(way(1, 5), [5], "what is left behind is left out");
  assert.deepEqual(way(4, 1), [1]);
  assert.deepEqual(way(2, -1), [-1]);
  assert.deepEqual(way(-1, 0), [0]);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { commandOf, searchOf, toldOf, wishesOf } from "./protocol";

test("an address says how a demo is shown, and the other way round", () => {
  const wishes = { start: "scaled", end: "all ready", theme: "stage", controls: "none", speed: 0.5, clicker: true, paused: true, again: "reset",
    sync: "talk" } as const;
  assert.deepEqual(wishesOf(searchOf(wishes)), wishes);
  assert.equal(searchOf({}), "");
  assert.deepEqual(wishesOf(""), {});
});

test("what an address asks for and nobody knows counts as absent", () => {
  assert.deepEqual(wishesOf("?theme=pink&controls=few&speed=1000&again=never&start=&clicker=false&paused=false"), {});
  assert.deepEqual(wishesOf("?speed=x"), {});
});

test("a window gets all kinds of messages, and takes only its own", () => {
  assert.deepEqual(commandOf({ kubewalk: "next" }), { kubewalk: "next" });
  assert.deepEqual(commandOf({ kubewalk: "go", mark: "scaled", more: 1 }), { kubewalk: "go", mark: "scaled" });
  const others = [null, undefined, "next", 7, {}, { kubewalk: "explode" }, { kubewalk: "go" }, { kubewalk: "go", mark: 3 }, JSON.stringify({ method: "next" })];
  for (const other of others) assert.equal(commandOf(other), undefined);
  assert.equal(toldOf({ kubewalk: "next" }), undefined);
  assert.equal(toldOf('{"namespace":"reveal"}'), undefined);
  assert.deepEqual(toldOf({ kubewalk: "passed", way: "next" }), { kubewalk: "passed", way: "next" });
});

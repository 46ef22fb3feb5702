import assert from "node:assert/strict";
import { test } from "node:test";
import { Events } from "./events";

interface Changes {
  moved: number;
  ended: undefined;
  left: undefined;
}

test("who listens is told in the order in which they came, of what they listen to", () => {
  const told: string[] = [];
  const events = new Events<Changes>();
  events.on("moved", (to) => told.push(`a ${to}`));
  events.on(["ended", "left"], () => told.push("over"));
  events.on("moved", (to) => told.push(`b ${to}`));
  events.emit("moved", 3);
  events.emit("ended");
  events.emit("left");
  assert.deepEqual(told, ["a 3", "b 3", "over", "over"]);
});

test("a listener may change something itself: what it changes is told before the others hear of the first", () => {
  const told: string[] = [];
  const events = new Events<Changes>();
  events.on("ended", () => events.emit("moved", 0));
  events.on("moved", (to) => told.push(`moved ${to}`));
  events.on("ended", () => told.push("ended"));
  events.emit("ended");
  assert.deepEqual(told, ["moved 0", "ended"]);
});

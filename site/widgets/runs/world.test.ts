import assert from "node:assert/strict";
import { test } from "node:test";
import type { Branch } from "./branch";
import { captionOf, World } from "./world";
import type { Frame, Recording } from "../state/recording";
import type { Input } from "../state/scenario";

const frame = (e: number, op: Frame["op"] = "store.commit"): Frame =>
  ({ e, at: e * 1e6, d: e * 100, who: op === "input" ? "user" : "etcd", op, m: op, o: `e${e} default/web` });
const scale = (seconds: number, replicas: number): Input =>
  ({ at: seconds * 1e9, kind: "scale", resource: "deployments", namespace: "default", name: "web", replicas });
const sentence = ({ o, a }: Frame) => `${o ?? ""} ${a?.[a.indexOf("replicas") + 1] ?? ""}`.trim();

function branched(own: number, inputs: Input[], frames: Frame[]): World {
  const world = new World("A", new World("", undefined, []), frames);
  world.branch = { own, inputs, whatIf: "" } as unknown as Branch;
  return world;
}

test("what was done is told by its event; until that is there, and after its frames were let go, by what was asked", () => {
  const world = branched(2, [scale(3, 8)], [frame(1), frame(2)]);
  assert.deepEqual(world.actions(sentence), ["deployments default/web 8"]);
  world.timeline.append([frame(3, "input")]);
  assert.deepEqual(world.actions(sentence), ["e3 default/web"]);
  world.park();
  assert.deepEqual(world.actions(sentence), ["e3 default/web"], "it is remembered");
});

test("what the world that it left has done, too, is not told again", () => {
  const inputs = [scale(1, 4)];
  const world = branched(0, [...inputs, scale(3, 8)], []);
  world.parent = branched(0, inputs, []);
  assert.deepEqual(world.actions(sentence), ["deployments default/web 8"]);
});

test("a world goes on where the reader has seen all that it has, and nowhere else", () => {
  const world = branched(1, [scale(2, 8)], [1, 2, 3, 4].map((e) => frame(e)));
  world.seek(2);
  assert.equal(world.goesOnAt(2, 3.5e6), true);
  assert.equal(world.goesOnAt(1, 2.5e6), false, "they went back");
  assert.equal(world.goesOnAt(2, 1.5e6), false, "what was done comes later");
  assert.equal(new World("", undefined, [frame(1)]).goesOnAt(0, 1e6), false, "a recording never");
  assert.equal(world.before(3e6).length, 2, "an event at that time is none of what a branch has in common");
});

test("a recording is as long as its header says; a branch as what is there, with the author's moments up to what the reader did", () => {
  const recording = { length: 9, end: 1500 } as Recording;
  const marks = [{ id: "a", frame: 1, caption: { en: "One.", ja: "一" } }, { id: "b", frame: 7, caption: { en: "Two." } }];
  const frames = [1, 2, 3, 4].map((e) => frame(e));
  const recorded = new World("", undefined, frames);
  recorded.marks = marks;
  assert.deepEqual([recorded.measure(recording, "en").end, recorded.marks.length], [1500, 2]);
  const world = branched(3, [], frames);
  world.marks = marks;
  const { end, captioned, rests } = world.measure(recording, "en");
  assert.deepEqual([end, captioned.map((m) => m.id), [...rests.keys()]], [400, ["a"], [1]]);
  assert.equal(captionOf({ ...marks[0]!, caption: { ja: "3 つの Pod が 3 Pod" } }, "ja"), "3\u00a0つの Pod が 3 Pod", "a number and its counter are one");
  assert.deepEqual([captionOf(marks[0]!, "ja"), captionOf(marks[1]!, "ja")], ["一", "Two."]);
});

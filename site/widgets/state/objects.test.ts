import assert from "node:assert/strict";
import { test } from "node:test";
import { lines, objectBefore, objectOf } from "./objects";
import type { Details, Frame } from "./recording";
import { causes, Effects } from "./story";
import { fill } from "./phrases";

const details: Details = {
  stacks: [],
  objects: { 3: { kind: "Pod", spec: { a: 1, list: [1, 2] }, gone: "x" }, 7: { spec: { b: 2 } }, 9: { gone: null, spec: { list: [1] } } },
  base: { 7: 3, 9: 7 },
};

test("an object is put together from its patches", () => {
  assert.deepEqual(objectOf(details, 9), { kind: "Pod", spec: { a: 1, list: [1], b: 2 } });
  assert.deepEqual(objectBefore(details, 9), objectOf(details, 7));
  assert.equal(objectBefore(details, 3), undefined);
  assert.equal(objectOf(details, 4), undefined);
});

test("what changed is marked, line by line", () => {
  const marks = { "": " ", added: "+", removed: "-" };
  const text = lines(objectOf(details, 9)!, objectBefore(details, 9)).map((l) => marks[l.change] + l.text).join("\n");
  assert.equal(text, [
    " {", '-  "gone": "x",', '   "kind": "Pod",', '   "spec": {', '     "a": 1,', '     "list": [',
    "-      2,", "       1", "     ],", '     "b": 2', "   }", " }",
  ].join("\n"));
  const whole = lines({ a: [1] }, undefined);
  assert.ok(whole.every((l) => l.change === ""));
  assert.deepEqual(JSON.parse(whole.map((l) => l.text).join("\n")), { a: [1] });
});

test("causes lead back to an input, effects forward", () => {
  const frames: Frame[] = [undefined, 1, 2, 1, 3].map((c, i) => ({ e: i + 1, at: 0, d: 0, who: "w", op: "log", m: "log", ...(c ? { c } : {}) }));
  assert.deepEqual(causes(frames, 4), [2, 1, 0]);
  assert.deepEqual(causes(frames, 0), []);
  const effects = new Effects(() => frames);
  assert.deepEqual(effects.of(0), [1, 3]);
  frames.push({ e: 6, at: 0, d: 0, who: "w", op: "log", m: "log", c: 1 });
  assert.deepEqual(effects.of(0), [1, 3, 5]);
});

test("sentences are filled as in Go", () => {
  assert.equal(fill("{who} needs {need}, {none}.", { who: "a", need: "{who}" }), "a needs {who}, .");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Random, seeds } from "../../tests/random";
import { isWhole, narrowest, pan, show, zoom, type Window } from "./window";

const whole = { from: 1000, to: 61_000 };
const near = (a: number, b: number) => Math.abs(a - b) < 1e-6;

test("zooming keeps what lies under the pointer, panning keeps the width", () => {
  const closer = zoom(whole, 4, 31_000, whole);
  assert.deepEqual(closer, { from: 23_500, to: 38_500 });
  assert.deepEqual(pan(closer, 1, whole), { from: 38_500, to: 53_500 });
  assert.deepEqual(pan(closer, -9, whole), { from: 1000, to: 16_000 });
  assert.ok(isWhole(zoom(closer, 1 / 100, 0, whole), whole));
});

test("showing a moment moves no more than it must", () => {
  const window = { from: 10_000, to: 20_000 };
  assert.deepEqual(show(window, 15_000, whole), window);
  for (const at of [1000, 5000, 21_000, 61_000]) {
    const moved = show(window, at, whole);
    assert.ok(moved.from <= at && at <= moved.to, `${at} is not in ${JSON.stringify(moved)}`);
    assert.ok(near(moved.to - moved.from, 10_000));
  }
});

for (const seed of seeds()) {
  test(`a window stays inside the whole (SEED=${seed})`, () => {
    const random = new Random(seed);
    let window: Window = whole;
    for (let i = 0; i < 300; i++) {
      const at = window.from + ((window.to - window.from) * random.below(101)) / 100;
      window = random.pick([() => zoom(window, 1 + random.below(40) / 10, at, whole), () => zoom(window, 1 / (1 + random.below(20) / 10), at, whole),
        () => pan(window, (random.below(40) - 20) / 10, whole), () => show(window, random.below(70_000), whole)])();
      assert.ok(window.from >= whole.from - 1e-6 && window.to <= whole.to + 1e-6, `seed ${seed}, ${i}: ${JSON.stringify(window)}`);
      assert.ok(window.to - window.from >= narrowest - 1e-6, `seed ${seed}, ${i}: too narrow`);
    }
  });
}

import assert from "node:assert/strict";
import { test } from "node:test";
import { quietText } from "./quiet";
import type { Given } from "../given";
import type { PlayerState } from "../state/playerstate";

const words = { quiet: "nothing", quietUntil: "until {at}: {what}", silence: "{n} s skipped" };
const given = { words, phrases: { log: "{who} writes {m}" } } as unknown as Given;
const state = (parts: Partial<PlayerState>) => ({ skipped: 0, isQuiet: true, upcoming: undefined, ...parts }) as PlayerState;

test("a silence is told with its end and with what comes then, as far as that is known", () => {
  const next = { e: 1, at: 313e6, d: 0, who: "taint-eviction-controller", op: "log", m: "evicts" } as unknown as PlayerState["upcoming"];
  assert.equal(quietText(given, state({ isQuiet: false, upcoming: next })), undefined);
  assert.equal(quietText(given, state({})), "nothing");
  assert.match(quietText(given, state({ upcoming: next }))!, /^until 313\.000 s: ./);
  assert.equal(quietText(given, state({ skipped: 12, upcoming: next })), "12 s skipped");
});

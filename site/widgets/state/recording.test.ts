import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { unpack, type Frame, type RecordingFile } from "./recording";

test("what Go has packed is unpacked as the frames that it was", () => {
  const { file, frames } = JSON.parse(readFileSync("playground/demo/recording/testdata/packed.json", "utf8")) as { file: RecordingFile; frames: Frame[] };
  assert.ok(frames.length > 40 && frames.some((f) => f.gone) && frames.some((f) => f.set) && frames.some((f) => f.a?.includes(true)));
  assert.deepEqual(unpack(file).frames, frames);
});

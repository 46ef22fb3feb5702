// Runs the browser tests, one after the other. A page's timing is not ours alone: what
// fails is run once more, alone, and passes if it passes then; it is named as flaky,
// which is to be mended all the same.
//
//	SITE=FOLDER KUBEWALK=FILE node site/tests/run.mjs [FILE …]

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { run } from "node:test";
import { spec, tap } from "node:test/reporters";
import { root } from "./harness.mjs";

const folder = join(root, "site", "tests");
const given = process.argv.slice(2);
const files = given.length > 0 ? given : (await readdir(folder)).filter((name) => name.endsWith(".test.mjs")).sort().map((name) => join(folder, name));

/** Runs tests, and returns the names of those that fail, by file, and of those that pass. A file that fails as a whole has its own name. */
async function outcome(files, names) {
  const failed = new Map();
  const passed = new Set();
  const testNamePatterns = names?.map((name) => new RegExp(`^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`, "u"));
  const stream = run({ files, concurrency: 1, ...(testNamePatterns && { testNamePatterns }) });
  stream.on("test:fail", ({ name, nesting, file }) => nesting === 0 && failed.set(file, [...(failed.get(file) ?? []), name]));
  stream.on("test:pass", ({ name, nesting, skip }) => nesting === 0 && skip === undefined && passed.add(name));
  for await (const text of stream.compose(process.stdout.isTTY ? new spec() : tap)) process.stdout.write(text);
  return { failed, passed };
}

const { failed } = await outcome(files);
const flaky = [];
const broken = [];
for (const [file, names] of failed) {
  console.log(`# once more: ${names.join("; ")}`);
  const whole = names.some((name) => file.endsWith(name)); // the file, not a test in it
  const again = await outcome([file], whole ? undefined : names);
  const good = (name) => (whole ? again.failed.size === 0 && again.passed.size > 0 : again.passed.has(name));
  for (const name of names) (good(name) ? flaky : broken).push(name);
}
if (flaky.length > 0) console.log(`# flaky, passed the second time: ${flaky.join("; ")}`);
if (broken.length > 0) console.log(`# failed twice: ${broken.join("; ")}`);
process.exitCode = broken.length > 0 ? 1 : 0;

// Runs the browser tests, two files at a time, those that take longest first. A page's timing is not ours alone: what
// fails is run once more, alone, and passes if it passes then; it is named as flaky,
// which is to be mended all the same. At the end stand the files that took longest.
//
//	SITE=FOLDER KUBEWALK=FILE node site/tests/run.mjs [FILE …]

import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { run } from "node:test";
import { spec, tap } from "node:test/reporters";
import { root } from "./harness.mjs";

const folder = join(root, "site", "tests");
const given = process.argv.slice(2);
const files = given.length > 0 ? given : (await readdir(folder)).filter((name) => name.endsWith(".test.mjs")).sort().map((name) => join(folder, name));

/** The files that take longest, in this order, come first, so that both processors are busy to the end. */
const longest = ["pages", "player", "compare", "time", "proved", "scale", "exercise"];
const rank = (file) => (longest.indexOf(basename(file, ".test.mjs")) + longest.length + 1) % (longest.length + 1);

/** How long each file took, in milliseconds. */
const took = new Map();

/** Runs tests, so many files at once, and returns the names of those that fail, by file, and of those that pass. A file that fails as a whole has its own name. */
async function outcome(files, { names, concurrency = 1 } = {}) {
  const failed = new Map();
  const passed = new Set();
  const testNamePatterns = names?.map((name) => new RegExp(`^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$`, "u"));
  const stream = run({ files, concurrency, ...(testNamePatterns && { testNamePatterns }) });
  // A group fails with the tests in it, which are named themselves.
  stream.on("test:fail", ({ name, file, details }) => details.error?.failureType !== "subtestsFailed" && failed.set(file, [...(failed.get(file) ?? []), name]));
  stream.on("test:pass", ({ name, details, skip }) => details.type !== "suite" && skip === undefined && passed.add(name));
  const count = ({ nesting, file, details }) => nesting === 0 && took.set(file, (took.get(file) ?? 0) + details.duration_ms);
  stream.on("test:fail", count);
  stream.on("test:pass", count);
  for await (const text of stream.compose(process.stdout.isTTY ? new spec() : tap)) process.stdout.write(text);
  return { failed, passed };
}

files.sort((a, b) => rank(a) - rank(b));
const { failed } = await outcome(files, { concurrency: 2 });
const flaky = [];
const broken = [];
for (const [file, names] of failed) {
  console.log(`# once more: ${names.join("; ")}`);
  const whole = names.some((name) => file.endsWith(name)); // the file, not a test in it
  const again = await outcome([file], whole ? {} : { names });
  const good = (name) => (whole ? again.failed.size === 0 && again.passed.size > 0 : again.passed.has(name));
  for (const name of names) (good(name) ? flaky : broken).push(name);
}
for (const [file, ms] of [...took].sort((a, b) => b[1] - a[1]).slice(0, 10)) console.log(`# ${basename(file)}: ${Math.round(ms / 1000)} s`);
if (flaky.length > 0) console.log(`# flaky, passed the second time: ${flaky.join("; ")}`);
if (broken.length > 0) console.log(`# failed twice: ${broken.join("; ")}`);
process.exitCode = broken.length > 0 ? 1 : 0;

// Runs the browser tests, two files at a time, those that take longest first. A page's timing is not ours alone: what
// fails is run once more, alone, and passes if it passes then; it is named as flaky,
// which is to be mended all the same. A file that says nothing for long is stopped, so that nothing waits for ever.
// At the end stand the files that took longest.
//
// Each file is a process of its own, which reports by itself: the runner of node:test reads its files' reports in a way that
// goes round in circles for ever when one ends in the middle of a message.
//
//	SITE=FOLDER KUBEWALK=FILE node site/tests/run.mjs [FILE …]

import { spawn } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const given = process.argv.slice(2);
const files = given.length > 0 ? given : (await readdir(here)).filter((name) => name.endsWith(".test.mjs")).sort().map((name) => join(here, name));

/** How long a file may print nothing, in milliseconds: it prints as each of its tests ends. */
const silence = Number(process.env.SILENCE ?? 420_000);

/** The files that take longest, in this order, come first, so that both processors are busy to the end. */
const longest = ["pages", "walkacts", "player", "live", "compare", "time", "proved", "scale", "exercise"];
const rank = (file) => (longest.indexOf(basename(file, ".test.mjs")) + longest.length + 1) % (longest.length + 1);

/** How long each file took, in milliseconds. */
const took = new Map();

const folder = await mkdtemp(join(tmpdir(), "kubewalk-results-"));
let runs = 0;

/**
 * Runs a file's tests, or those of these names, prints what they print when all have ended, and returns which failed and which
 * passed. A file that fails as a whole, as when it cannot be loaded or is stopped, has its own name among those that failed.
 */
async function outcome(file, names = []) {
  const report = join(folder, `${++runs}.jsonl`);
  const pattern = (name) => `/^${name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}$/u`;
  const child = spawn(process.execPath, [
    ...names.map((name) => `--test-name-pattern=${pattern(name)}`),
    "--test-reporter=tap", "--test-reporter-destination=stdout",
    `--test-reporter=${pathToFileURL(join(here, "results.mjs"))}`, `--test-reporter-destination=${report}`,
    file,
  ], { stdio: ["ignore", "pipe", "pipe"] });
  let text = `# ${basename(file)}\n`;
  let stopped = false;
  const stop = () => {
    stopped = true;
    child.kill(); // Playwright closes its browsers then
    setTimeout(() => child.kill("SIGKILL"), 15_000).unref();
  };
  let alarm = setTimeout(stop, silence);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (data) => {
      text += data;
      clearTimeout(alarm);
      if (!stopped) alarm = setTimeout(stop, silence);
    });
  }
  const code = await new Promise((done) => child.once("exit", done)); // a browser that is left over may hold the streams
  clearTimeout(alarm);
  child.stdout.destroy();
  child.stderr.destroy();
  const lines = (await readFile(report, "utf8").catch(() => "")).split("\n").slice(0, -1).map((line) => JSON.parse(line));
  const results = lines.filter(({ began }) => began === undefined);
  const open = lines.map(({ began }) => began).filter((began) => began !== undefined && !results.some(({ name }) => name === began));
  if (stopped) text += `# ${basename(file)} was stopped: it printed nothing for ${silence / 1000} s${open.map((name) => `; not ended: ${name}`).join("")}\n`;
  process.stdout.write(text);
  took.set(file, results.reduce((sum, { top, ms }) => (top ? sum + ms : sum), took.get(file) ?? 0));
  const failed = results.filter(({ passed }) => !passed).map(({ name }) => name);
  const passed = new Set(results.filter(({ passed, group }) => passed && !group).map(({ name }) => name));
  if (stopped || (code !== 0 && failed.length === 0) || passed.size + failed.length === 0) failed.push(basename(file));
  return { failed, passed };
}

files.sort((a, b) => rank(a) - rank(b));
const failures = [];
const waiting = [...files];
const work = async () => {
  for (let file; (file = waiting.shift()); ) {
    const { failed } = await outcome(file);
    if (failed.length > 0) failures.push([file, failed]);
  }
};
await Promise.all([work(), work()]);

const flaky = [];
const broken = [];
for (const [file, names] of failures) {
  console.log(`# once more: ${names.join("; ")}`);
  const whole = names.includes(basename(file));
  const again = await outcome(file, whole ? [] : names);
  const good = (name) => (name === basename(file) ? again.failed.length === 0 : again.passed.has(name));
  for (const name of names) (good(name) ? flaky : broken).push(name);
}
await rm(folder, { recursive: true, force: true });
for (const [file, ms] of [...took].sort((a, b) => b[1] - a[1]).slice(0, 10)) console.log(`# ${basename(file)}: ${Math.round(ms / 1000)} s`);
if (flaky.length > 0) console.log(`# flaky, passed the second time: ${flaky.join("; ")}`);
if (broken.length > 0) console.log(`# failed twice: ${broken.join("; ")}`);
process.exit(broken.length > 0 ? 1 : 0); // a browser that is left over does not keep this

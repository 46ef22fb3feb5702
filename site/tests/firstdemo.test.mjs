// The tutorial, docs/first-demo.md, as a new author follows it: every file is written and every command is run, in order,
// by the installed program alone, and what the text says that the program prints is what it prints.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { root } from "./harness.mjs";

const program = resolve(root, process.env.KUBEWALK ?? "bin/kubewalk");
let home, environment;

before(async () => {
  if (!existsSync(program)) throw new Error(`${program} is missing: make it with \`make kubewalk\``);
  home = await mkdtemp(join(tmpdir(), "kubewalk-first-demo-"));
  environment = { HOME: home, PATH: join(home, "nothing") };
});
after(() => rm(home, { recursive: true, force: true }));

/** The fenced blocks of a Markdown text: the language, the text, the sentence before it, and the line of its first fence. */
function blocks(markdown) {
  const found = [];
  let said = "";
  let open;
  for (const [i, line] of markdown.split("\n").entries()) {
    const fence = /^(`{3,})(\w*)$/.exec(line);
    if (open && line === open.fence) {
      found.push(open);
      open = undefined;
      said = "";
    } else if (open) open.text += `${line}\n`;
    else if (fence) open = { fence: fence[1], language: fence[2], text: "", said, line: i + 1 };
    else if (line !== "") said = line;
  }
  assert.equal(open, undefined, "a block without an end");
  return found;
}

/** The commands of a block of console, each with the lines that it prints. */
function commands(text) {
  const found = [];
  for (const line of text.trimEnd().split("\n")) {
    if (line.startsWith("$ ")) found.push({ command: line.slice(2), prints: [] });
    else found.at(-1).prints.push(line);
  }
  return found;
}

/** Whether these are the lines that were printed: a line of … is any number of them, and a line that ends in … goes on. */
function same(expected, printed) {
  if (expected.length === 0) return printed.length === 0;
  const [line, ...rest] = expected;
  if (line === "…") return same(rest, printed) || (printed.length > 0 && same(expected, printed.slice(1)));
  const begins = /^(.*?) ?…$/.exec(line)?.[1];
  return printed.length > 0 && (begins === undefined ? printed[0] === line : printed[0].startsWith(begins)) && same(rest, printed.slice(1));
}

/** What the program prints: both streams, as a terminal shows them. */
async function run(cwd, ...args) {
  if (args[0] === "serve") return serve(cwd);
  const { stdout, stderr } = await promisify(execFile)(program, args, { cwd, env: environment }).catch((error) => error);
  return stdout + stderr;
}

/** What `serve` prints first, on a port that is free. */
async function serve(cwd) {
  const child = spawn(program, ["serve", "--addr", "127.0.0.1:0"], { cwd, env: environment });
  const ended = once(child, "exit");
  const [address] = await once(child.stdout, "data");
  child.kill();
  await ended;
  return address.toString().replace(/:\d+/, ":8080");
}

/** Replaces the lines of a file that begin with - by those with +. Each is there, once. */
function patched(text, diff) {
  const lines = (sign) => diff.split("\n").filter((line) => line.startsWith(sign)).map((line) => `${line.slice(1)}\n`).join("");
  assert.equal(text.split(lines("-")).length, 2, `once in the file: ${lines("-")}`);
  return text.replace(lines("-"), () => lines("+"));
}

test("the tutorial's files and commands do what it says", async () => {
  let cwd = home;
  let file;
  const ran = [];
  for (const { language, text, said, line } of blocks(await readFile(join(root, "docs/first-demo.md"), "utf8"))) {
    const at = `docs/first-demo.md:${line}`;
    if (language === "console") {
      for (const { command, prints } of commands(text)) {
        const [name, ...args] = command.split(" ");
        ran.push(args[0]);
        if (name === "cd") {
          cwd = join(cwd, args[0]);
          continue;
        }
        assert.equal(name, "kubewalk", `${at}: ${command}`);
        const printed = await run(cwd, ...args);
        assert.ok(same(prints, printed === "" ? [] : printed.trimEnd().split("\n")), `${at}: ${command} prints\n${printed.slice(0, 4000)}`);
      }
      continue;
    }
    file = /`(content\/[^`]+)`/.exec(said)?.[1] ?? file;
    assert.ok(file && /:$/.test(said), `${at}: the sentence before a file ends in a colon, and a file is named by then`);
    const path = join(cwd, file);
    const is = existsSync(path) ? await readFile(path, "utf8") : "";
    await mkdir(dirname(path), { recursive: true });
    if (language === "diff") await writeFile(path, patched(is, text));
    else if (said.includes("at the end of")) await writeFile(path, is + text);
    else await writeFile(path, text);
  }
  for (const command of ["new", "serve", "trace", "check", "export", "build"]) assert.ok(ran.includes(command), `the tutorial runs ${command}`);
});

test("a line that the program does not print is noticed", () => {
  const printed = ["one 1", "two 2", "three 3"];
  for (const right of [printed, ["…"], ["one …", "…"], ["…", "two 2", "…"], ["one 1", "two 2", "three…"]]) assert.ok(same(right, printed), right.join("|"));
  for (const wrong of [[], ["one 1", "two 2"], ["one", "…"], ["…", "four", "…"], ["…", "two 2"], [...printed, "four 4"]]) {
    assert.ok(!same(wrong, printed), wrong.join("|"));
  }
  assert.ok(!same([], ["content/en/index.md:1:1: wrong"]));
  assert.ok(!same(["wrong"], []));
});

// What make release hands out, of a book of three chapters: EPUBs, PDFs, the site as a zip.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { inflateSync } from "node:zlib";
import { destinations, pageCount } from "../release/destinations.mjs";
import { root } from "./harness.mjs";

const chapter = (title, order, text) => `---\ntitle: ${title}\ndescription: A chapter of a test.\norder: ${order}\n---\n\n${text}\n`;
const sentence = { en: "Three Pods are wanted, none is there.", ja: "三つの Pod が必要ですが、一つもありません。" };

let content, out;
before(async () => {
  content = await mkdtemp(join(tmpdir(), "kubewalk-content-"));
  out = await mkdtemp(join(tmpdir(), "kubewalk-release-"));
  await writeFile(join(content, "site.yaml"), "title: A book\ndescription: Of three chapters.\nlanguages: [{code: en, name: English}, {code: ja, name: 日本語}]\nparts:\n  - {name: start, title: Start}\n");
  await mkdir(join(content, "demos"));
  await cp(join(root, "content/demos/replicaset-scale.yaml"), join(content, "demos/replicaset-scale.yaml"));
  for (const language of ["en", "ja"]) {
    await mkdir(join(content, language, "start"), { recursive: true });
    await writeFile(join(content, language, "index.md"), chapter("A book", 1, "[Second](start/second.md#why)"));
    await writeFile(join(content, language, "start/first.md"), chapter("First chapter", 1, `## Why {#why}\n\n${sentence[language]} $x^2$`));
    await writeFile(join(content, language, "start/second.md"),
      chapter("Second chapter", 2, "## Why {#why}\n\n```demo\nreplicaset-scale\n```\n\n[First](first.md#why)"));
    await writeFile(join(content, language, "start/third.md"), chapter("Third chapter", 3, "Text."));
  }
  const generator = join(root, ".cache", process.platform === "win32" ? "generator.exe" : "generator");
  run(generator, ["release", "--content", content, "--out", out], { SOURCE_DATE_EPOCH: "1777777777" });
  run(process.execPath, ["site/release/pdf.mjs", ".cache/release", out]);
});
after(async () => {
  for (const folder of [content, out]) await rm(folder, { recursive: true, force: true });
});

/** Runs a program in the project's folder; what it says is in the failure. */
function run(program, args, env = {}) {
  const done = spawnSync(program, args, { cwd: root, encoding: "utf8", env: { ...process.env, ...env } });
  assert.equal(done.status, 0, `${program} ${args.join(" ")}\n${done.stdout}${done.stderr}${done.error ?? ""}`);
}

test("a release is a PDF and an EPUB for each language, and the site", async () => {
  assert.deepEqual((await readdir(out)).sort(), ["a-book-en.epub", "a-book-en.pdf", "a-book-ja.epub", "a-book-ja.pdf", "a-book-site.zip"]);
  // The generator checks its EPUBs by the rules of EPUB 3.3 before it writes them (generator/format/epub).
  for (const language of ["en", "ja"]) {
    const epub = await readFile(join(out, `a-book-${language}.epub`));
    assert.equal(epub.subarray(30, 58).toString("latin1"), "mimetypeapplication/epub+zip");
  }
});

test("there is a video of each stretch between the moments of a demo", async () => {
  const videos = await mkdtemp(join(tmpdir(), "kubewalk-videos-"));
  run(process.execPath, ["site/release/videos.mjs", process.env.SITE ?? "public", videos, "ja/log-line"]);
  const files = await readdir(videos);
  assert.ok(files.length > 1 && files.every((name) => /^log-line-ja-[a-z-]+\.(mp4|webm)$/.test(name)), String(files));
  for (const name of files) {
    const head = (await readFile(join(videos, name))).subarray(0, 12).toString("latin1");
    assert.match(head, name.endsWith(".mp4") ? /^....ftyp/s : /^\x1aE\xdf\xa3/, name);
  }
  await rm(videos, { recursive: true });
});

for (const language of ["en", "ja"]) {
  test(`the PDF in ${language} has tags, an outline, its text, and every chapter on a page of its own`, async () => {
    const pdf = await readFile(join(out, `a-book-${language}.pdf`));
    const text = pdf.toString("latin1");
    assert.match(text, /\/StructTreeRoot \d+ 0 R/, "no tags");
    assert.match(text, /\/Marked true/, "not marked as tagged");
    assert.match(text, /\/Outlines \d+ 0 R/, "no outline");
    assert.ok(text.includes(`/Lang (${language})`), "no language");
    for (const title of ["First chapter", "Second chapter", "Third chapter"]) assert.ok(text.includes(`/Title (${title})`), `${title} is not in the outline`);
    const places = destinations(pdf);
    const pages = ["start.first", "start.second", "start.third"].map((name) => places[name]);
    assert.ok(pages[0] >= 4 && pages[0] < pages[1] && pages[1] < pages[2] && pages[2] === pageCount(pdf), `chapters begin on ${pages} of ${pageCount(pdf)}`);
    const letters = readable(pdf);
    const missing = [...sentence[language]].filter((letter) => letter !== " " && !letters.has(letter));
    assert.deepEqual(missing, [], "letters that are there as shapes only, or not at all");
  });
}

/** The characters that a PDF's fonts say they show: what can be searched and read out. */
function readable(pdf) {
  const letters = new Set();
  const text = pdf.toString("latin1");
  for (const { index, 0: head, 1: length } of text.matchAll(/\/Length (\d+)>> stream\r?\n/g)) {
    const from = index + head.length;
    let data;
    try {
      data = inflateSync(pdf.subarray(from, from + Number(length))).toString("latin1");
    } catch {
      continue; // a picture, which is packed otherwise
    }
    if (!data.includes("beginbfchar") && !data.includes("beginbfrange")) continue;
    const decode = (hex) => Buffer.from(hex, "hex").swap16().toString("utf16le");
    for (const [, body] of data.matchAll(/beginbfchar([\s\S]*?)endbfchar/g)) {
      // 一 may be said by its radical, which looks the same and is found the same.
      for (const [, to] of body.matchAll(/<[0-9A-Fa-f]+> <([0-9A-Fa-f]+)>/g)) for (const letter of decode(to)) letters.add(letter.normalize("NFKC"));
    }
    for (const [, body] of data.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
      for (const [, first, last, to] of body.matchAll(/<([0-9A-Fa-f]+)> <([0-9A-Fa-f]+)> <([0-9A-Fa-f]+)>/g)) {
        for (let i = 0; i <= parseInt(last, 16) - parseInt(first, 16); i++) letters.add(String.fromCodePoint(decode(to).codePointAt(0) + i).normalize("NFKC"));
      }
    }
  }
  return letters;
}

// The search under Node, for generator/search/golden_test.go: questions come as
// JSON on standard input, answers go to standard output.
//
//   node ask.mjs FOLDER-OF-THE-MANIFEST < questions.json

import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

import { Engine } from "../../../site/search/engine";

const folder = process.argv[2] ?? ".";
const engines = new Map<string, Engine>();
const answers = [];
for (const { language, question, here } of JSON.parse(await text(process.stdin)) as { language: string; question: string; here: string }[]) {
  let engine = engines.get(language);
  if (!engine) {
    engine = await Engine.open(async (name) => {
      const file = await readFile(`${folder}/${name || `${language}.json`}`, "utf8");
      return JSON.parse(file) as unknown;
    });
    engines.set(language, engine);
  }
  const { pages, instead } = await engine.search(question, here);
  answers.push({
    found: pages.flatMap((p) => p.hits.map((h) => `${p.url}${h.section[0] ? `#${h.section[0]}` : ""} ${p.score} ${h.score}`)),
    instead: instead.map(([asked, taken]) => `${asked}\t${taken}`),
  });
}
process.stdout.write(JSON.stringify(answers));

// What others' checkers say of the built site: the W3C's HTML checker of every
// page, Lighthouse of three kinds of page, Netlify's own readers of its settings and
// of the site's. Feeds and sitemaps: feeds.test.mjs.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { addresses, findBrowser, findJava, openSite, root } from "./harness.mjs";

const vnu = createRequire(import.meta.url).resolve("vnu-jar/build/dist/vnu.jar");

let site;
before(async () => (site = await openSite()));
after(() => site?.close());

/** What the checker says of files of the site; a file may be large, and so its stack. */
async function check(...what) {
  const checker = spawn(findJava(), ["-Xss4m", "-jar", vnu, "--format", "json", ...what], { cwd: site.folder, stdio: ["ignore", "ignore", "pipe"] });
  const answer = await text(checker.stderr);
  assert.ok(answer.startsWith("{"), answer);
  return JSON.parse(answer).messages.map((m) => `${m.url}:${m.lastLine}:${m.firstColumn ?? 1}: ${m.message}: ${m.extract ?? ""}`);
}

test("the W3C's HTML checker finds nothing on any page", async () => {
  const files = [...(await addresses()).map((path) => `${path.slice(1)}index.html`), "404.html"];
  // The page for what is not there carries its policy, and a file has no origin that this could allow.
  const said = (await check(...files)).filter((m) => !/404\.html:.*violates Content Security Policy \(meta tag\): external/.test(m));
  assert.deepEqual(said.slice(0, 20), [], `${said.length} messages about ${files.length} pages`);
});

test("Netlify reads its settings, and so does its header parser", async () => {
  const { resolveConfig } = await import("@netlify/config");
  const { config } = await resolveConfig({ cwd: root, offline: true, logs: true, mode: "cli" });
  assert.equal(config.build.publish, join(root, "public"));
  assert.ok(config.build.command.includes("make build"), config.build.command);
  const { parseAllHeaders } = await import("@netlify/headers-parser");
  const parsed = await parseAllHeaders({ headersFiles: [join(site.folder, "_headers")], configHeaders: [], minimal: false });
  assert.deepEqual(parsed.errors, []);
  assert.ok(parsed.headers.some((h) => /default-src/.test(h.values["Content-Security-Policy"] ?? "")), "no policy among the headers");
});

test("Lighthouse gives 100 for accessibility, best practices and SEO", async () => {
  const [{ default: lighthouse }, { launch }] = await Promise.all([import("lighthouse"), import("chrome-launcher")]);
  const chrome = await launch({ chromePath: findBrowser(), chromeFlags: ["--headless=new", "--no-sandbox"] });
  try {
    for (const path of ["/", "/en/", "/ja/loop/replicaset/"]) {
      const { lhr } = await lighthouse(site.url(path), { port: chrome.port, logLevel: "error", onlyCategories: ["accessibility", "best-practices", "seo"] });
      const low = Object.values(lhr.categories).filter((c) => c.score !== 1).flatMap((c) =>
        c.auditRefs.filter((ref) => ref.weight > 0 && (lhr.audits[ref.id].score ?? 1) < 1)
          .map((ref) => `${c.id} ${c.score}: ${ref.id}: ${lhr.audits[ref.id].title} ${JSON.stringify(lhr.audits[ref.id].details?.items ?? []).slice(0, 600)}`));
      assert.deepEqual(low, [], path);
      for (const c of Object.values(lhr.categories)) assert.equal(c.score, 1, `${path}: ${c.id}`);
    }
  } finally {
    await chrome.kill();
  }
});

// Links that last: a book keeps its demos as a release, then changes one, and a link that was made before shows the run of then.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { generator, openBrowser, openDevelopment, openPage, openSite, root } from "./harness.mjs";

const slow = { timeout: 60_000 };
const chapter = (title) => `---\ntitle: ${title}\ndescription: A chapter of a test.\norder: 1\n---\n\n\`\`\`demo\nscale\n\`\`\`\n`;
/** A ReplicaSet whose number of Pods is what the demo's author changes. */
const demo = (replicas) => `title: {en: Scale, ja: スケール}
seed: 1
cluster: {nodes: 2, controllers: [replicaset-controller]}
setup: 5s
end: 20s
manifests:
  web:
    apiVersion: apps/v1
    kind: ReplicaSet
    metadata: {name: web}
    spec:
      replicas: ${replicas}
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec: {containers: [{name: web, image: nginx:1.27}]}
steps:
  - {id: apply, at: 6s, apply: web}
controls:
  - delete: {pod: web-*}
`;

let home, content, site, browser, engine, id;
before(async () => {
  home = await mkdtemp(join(tmpdir(), "kubewalk-kept-"));
  content = join(home, "content");
  for (const language of ["en", "ja"]) {
    await mkdir(join(content, language, "start"), { recursive: true });
    await writeFile(join(content, language, "index.md"), chapter("A book"));
    await writeFile(join(content, language, "start/first.md"), chapter("First"));
  }
  await mkdir(join(content, "demos"));
  await writeFile(join(content, "site.yaml"),
    "title: A book\ndescription: Of one demo.\nlanguages: [{code: en, name: English}, {code: ja, name: 日本語}]\nparts:\n  - {name: start, title: Start}\n");
  await writeFile(join(content, "demos/scale.yaml"), demo(2));
  const said = run("keep", "--base-url", "https://book.example/sub"); // where the site is later is another address
  assert.match(said, /content\/releases\/2026-11-25-[0-9a-f]{8}\.zip \(\d+\.\d MB; on a site \d+ files, \d+\.\d MB\)\n$/);
  assert.match(run("keep"), /2026-11-25-[0-9a-f]{8}\.zip is this release already\n$/);
  const [archive, ...more] = await readdir(join(content, "releases"));
  assert.deepEqual(more, []);
  id = archive.slice(-12, -4);
  await writeFile(join(content, "demos/scale.yaml"), demo(3));
  run("build", "--out", join(home, "site"));
  site = await openSite({ dir: join(home, "site") });
  const [release] = JSON.parse(await readFile(join(site.folder, "releases.json"), "utf8"));
  assert.equal(release.id, id);
  engine = release.engines.scale;
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await rm(home, { recursive: true, force: true });
});

/** Runs the generator in the project's folder; what it says is in the failure. */
function run(command, ...args) {
  const done = spawnSync(generator(), [command, "--content", content, ...args],
    { cwd: root, encoding: "utf8", env: { ...process.env, SOURCE_DATE_EPOCH: String(Date.UTC(2026, 10, 25) / 1000) } });
  assert.equal(done.status, 0, `${command} ${args.join(" ")}\n${done.stdout}${done.stderr}${done.error ?? ""}`);
  return done.stdout;
}

/** A reader deleted a Pod at 15 s; at 19 s there are as many as the ReplicaSet wants. */
const link = (made) => `#demo=scale${made ? `&engine=${made}` : ""}&seed=1&inputs=15,delete,pods,default,web-*&at=19`;

const said = (page, text) => page.waitForFunction((t) => document.querySelector(".kw-status:not([hidden])")?.textContent.includes(t), text, slow);

async function pods(page, n) {
  await page.waitForFunction((wanted) => document.querySelectorAll(".kw-stage .role-pod.state-ready").length === wanted &&
    document.querySelector(".kw-badge.is-live") !== null, n, slow);
}

for (const [path, of, opened, sentence] of [
  ["/en/start/first/", "", "/releases/ID/embed/scale/", "This is an earlier release of this book, of 2026-11-25."],
  ["/embed/ja/scale/", "?theme=dark", "/releases/ID/embed/ja/scale/?theme=dark",
    "表示しているのは、この本の以前のリリース（2026-11-25）です。"],
]) {
  test(`a link of a release that is kept shows that one's run: ${path}`, async () => {
    const page = await openPage(browser, site.url(path + of + link(engine)));
    await page.waitForURL(site.url(opened.replace("ID", id)) + link(engine), slow);
    await pods(page, 2);
    await said(page, sentence);
    // What is shared there names that engine, at that address; the way to the book of today is there, too.
    await page.click(".kw-share-button");
    await page.click(".kw-share-item");
    await page.waitForFunction((made) => location.hash.startsWith(`#demo=scale&engine=${made}&seed=1&inputs=15,delete`), engine);
    assert.equal(await page.evaluate(() => document.querySelector(".embed-foot a").pathname), path.includes("ja") ? "/ja/start/first/" : "/en/start/first/");
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

test("a link of a release that is not kept is opened with today's, and the reader is told", async () => {
  const page = await openPage(browser, site.url(`/en/start/first/${link("0badc0de")}`));
  await pods(page, 3);
  await said(page, "This link was made with another release of this book, which this site has not kept.");
  assert.equal(new URL(page.url()).pathname, "/en/start/first/");
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("today's links, and links without an engine, are opened as they are, and load no index", async () => {
  const asked = [];
  const page = await openPage(browser, site.url("/en/start/first/"));
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const today = await page.getAttribute("kubewalk-demo", "data-engine");
  assert.notEqual(today, engine);
  for (const made of [today, ""]) {
    await page.goto("about:blank");
    await page.goto(site.url(`/en/start/first/${link(made)}`));
    await pods(page, 3);
    assert.equal(await page.textContent(".kw-status"), "");
  }
  assert.deepEqual(asked.filter((path) => /releases|kept/.test(path)), []);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("a link to a demo that the book has no more finds it in the release", async () => {
  const index = await readFile(join(site.folder, "releases.json"), "utf8");
  const gone = await openSite({ dir: site.folder, pages: { "/releases.json": { type: "application/json", body: index.replace('"scale"', '"older"') } } });
  const page = await openPage(browser, gone.url("/en/start/first/"));
  await page.route("**/embed/older/", (route) => route.fulfill({ contentType: "text/html", body: "<title>older</title>" }));
  await page.goto("about:blank");
  await page.goto(gone.url(`/en/start/first/#demo=older&engine=${engine}&seed=1&at=15`));
  await page.waitForURL(gone.url(`/releases/${id}/embed/older/#demo=older&engine=${engine}&seed=1&at=15`), slow);
  await page.context().close();
  await gone.close();
});

for (const [name, path, fragment, wanted] of [
  ["of a release that is kept", "/en/start/gone/", () => link(engine), "/releases/ID/embed/scale/"],
  ["of a release that is kept, in the second language", "/ja/start/gone/", () => link(engine), "/releases/ID/embed/ja/scale/"],
  ["of a release that is not kept", "/ja/start/gone/", () => link("0badc0de"), "/embed/ja/scale/"],
  ["of today", "/elsewhere/", () => link(), "/embed/scale/"],
  ["that is nowhere", "/en/start/gone/", () => "#demo=other&seed=1", undefined],
  ["whose name is a path", "/en/start/gone/", () => "#demo=..&seed=1", undefined],
  ["of which it says nothing", "/en/start/gone/", () => "#part", undefined],
]) {
  test(`from a chapter that is gone a link leads to the demo ${name}`, async () => {
    const page = await openPage(browser, site.url(path + fragment()));
    const way = page.locator(`li[lang=${path.startsWith("/ja") ? "ja" : "en"}] [data-gone]`);
    if (wanted) {
      await way.waitFor(slow);
      await way.locator("a").click();
      await page.waitForURL(site.url(wanted.replace("ID", id)) + fragment(), slow);
      await pods(page, wanted.includes("releases") ? 2 : 3);
    } else {
      await page.waitForLoadState("networkidle");
      assert.equal(await way.isVisible(), false);
    }
    await page.context().close();
  });
}

test("the development server has releases, too", async () => {
  const server = await openDevelopment(content);
  try {
    const answer = await fetch(server.url(`/releases/${id}/embed/scale/`));
    assert.equal(answer.status, 200);
    assert.match(await answer.text(), new RegExp(`data-engine="${engine}"`));
    assert.equal(answer.headers.get("cross-origin-resource-policy"), "cross-origin");
  } finally {
    await server.close();
  }
});

// Somebody else's book: the installed program alone, in an empty folder, on a
// machine without Go, Node or this project.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { noBarriers } from "./barriers.mjs";
import { openBrowser, openPage, openSite, root } from "./harness.mjs";

const program = resolve(root, process.env.KUBEWALK ?? "bin/kubewalk");
let home, book, site, browser;

/** Runs the program where nothing else can be run. */
async function kubewalk(cwd, ...args) {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env: { HOME: home, PATH: join(home, "nothing") } });
    return { code: 0, said: stdout };
  } catch (error) {
    return { code: error.code, said: `${error.stdout}${error.stderr}` };
  }
}

before(async () => {
  if (!existsSync(program)) throw new Error(`${program} is missing: make it with \`make kubewalk\``);
  home = await mkdtemp(join(tmpdir(), "kubewalk-elsewhere-"));
  book = join(home, "mybook");
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
  await rm(home, { recursive: true, force: true });
});

test("new, check and build need nothing but the program", async () => {
  assert.match((await kubewalk(home, "version")).said, /carries its theme/);
  const made = await kubewalk(home, "new", "mybook", "--languages", "en,ja", "--title", "Loops of mine");
  assert.equal(made.code, 0, made.said);
  assert.deepEqual((await readdir(book)).sort(), [".github", ".gitignore", ".kubewalk", "README.md", "content", "netlify.toml"]);
  const site = join(book, "content/site.yaml");
  const text = await readFile(site, "utf8");

  // Colours of its own, which are looked at before anybody has to read them.
  await writeFile(site, text.replace("#0b6b5f", "#7fd4c8"));
  const weak = await kubewalk(book, "check");
  assert.equal(weak.code, 1);
  assert.match(weak.said, /^content\/site\.yaml:\d+:\d+: accent "#7fd4c8" has a contrast of 1\.\d\d on light pages, where text needs 4\.5 \(the nearest colour that has it is "#[0-9a-f]{6}"\)/m);

  await writeFile(site, text.replace("#0b6b5f", "#9a1b5a").concat('footer: "Text: CC BY 4.0."\n'));
  const checked = await kubewalk(book, "check");
  assert.equal(checked.code, 0, checked.said);
  const built = await kubewalk(book, "build", "--base-url", "https://example.org");
  assert.equal(built.code, 0, built.said);
  const files = await readdir(join(book, "public"), { recursive: true });
  const has = (pattern) => assert.ok(files.some((file) => pattern.test(file)), `there is a file ${pattern}`);
  for (const page of ["en", "ja", "en/start/first-loop", "ja/start/first-loop", "embed/first-loop"]) has(new RegExp(`^${page}/index\\.html$`));
  has(/^assets\/kubewalk-[0-9a-f]+\.wasm\.zst$/);
  has(/^demos\/first-loop\/wide\.json\.gz$/);
  has(/^source\/playground\/controlplane\/store\/.*\.json\.gz$/);
  has(/^sitemap\.xml$/);
});

test("the program brings its manuals, and shows what happens in a demo", async () => {
  assert.match((await kubewalk(home, "help", "authoring")).said, /^# Writing a book\n/);
  assert.match((await kubewalk(home, "help", "demo")).said, /^# The form of a demo\n[^]*\n\| `crash-container` \| /);
  const readme = await readFile(join(book, "README.md"), "utf8");
  for (const named of ["kubewalk help authoring", "kubewalk help demo", "kubewalk trace"]) assert.ok(readme.includes(named), named);
  const traced = await kubewalk(book, "trace", "content/demos/first-loop.yaml");
  assert.equal(traced.code, 0, traced.said.slice(-400));
  assert.match(traced.said, /replicaset-controller.*Too few replicas/);
  const wrong = await kubewalk(book, "build", "--base-ulr", "https://example.org");
  assert.deepEqual(wrong, { code: 2, said: 'build has no flag --base-ulr (did you mean "--base-url"?; see kubewalk help build)\n' });
  const nowhere = await kubewalk(home, "serve", "--addr", "127.0.0.1:0");
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.said, /^content\/site\.yaml: file is missing, so there is no book to serve \(run this in the folder of a book/);
});

test("a chapter grows in the first language, and the build stays green", async () => {
  const own = join(home, "growing");
  assert.equal((await kubewalk(home, "new", "growing", "--languages", "en,ja")).code, 0);
  assert.equal((await kubewalk(own, "new", "chapter", "start/second")).code, 0);
  assert.equal((await kubewalk(own, "new", "demo", "second")).code, 0);
  assert.match((await kubewalk(own, "new", "demo", "second")).said, /^demo "second" is there already: change content\/demos\/second\.yaml, or choose another name$/m);
  const chapter = join(own, "content/en/start/second.md");
  await writeFile(chapter, `${await readFile(chapter, "utf8")}
\`\`\`demo
second
\`\`\`

There are [no](<demo:second@too-few count pods -l app=web>) Pods in [moment 1](demo:second@too-few).
`);
  const built = await kubewalk(own, "build");
  assert.equal(built.code, 0, built.said);
  assert.match(built.said, /^warning: content\/ja\/start\/second\.md:5:8: chapter start\/second is a draft in "ja" \(translate it and remove the line draft: true/m);
  const shown = await readFile(join(own, "public/ja/start/second/index.html"), "utf8");
  assert.match(shown, /まだ翻訳されていません/);
  assert.match(shown, /data-demo="second"|<kubewalk-demo/);

  // What authors get wrong first has its place and its cure.
  const demo = join(own, "content/demos/second.yaml");
  const text = await readFile(demo, "utf8");
  assert.match(text, /^# yaml-language-server: \$schema=\.\.\/\.\.\/\.kubewalk\/demo\.schema\.json\n/);
  for (const [from, to, said] of [
    ["      replicas: 2", "      replcas: 2", /^content\/demos\/second\.yaml:\d+:7: .* unknown field "spec\.replcas" \(did you mean "replicas"\?\) \[\d more [^\n]*\]\n$/],
    ["scale: {replicaset: web", "scale: {replicaset: wbe", /^content\/demos\/second\.yaml:\d+:5: there is never a replicaset "wbe" for the control \(did you mean "web"\?\)\n$/],
    ["  nodes: 2", "  nodes: 2\n network: true", /^content\/demos\/second\.yaml:\d+:2: this line is indented by 1, which matches no line above it \(begin it in column 1 or 3\)\n$/],
  ]) {
    assert.ok(text.includes(from), from);
    await writeFile(demo, text.replace(from, to));
    const checked = await kubewalk(own, "check");
    assert.equal(checked.code, 1);
    assert.match(checked.said.replace(/^warning: .*\n/gm, ""), said);
  }
});

test("a meetup is begun in one line, and the zone's rules come with the program", async () => {
  const own = join(home, "gathering");
  assert.equal((await kubewalk(home, "new", "gathering", "--languages", "en,ja")).code, 0);
  const begun = await kubewalk(own, "new", "meetup", "tokyo-1");
  assert.equal(begun.said, "content/site.yaml\ncontent/en/meetups/tokyo-1.md\ncontent/ja/meetups/tokyo-1.md\n");
  const chapter = join(own, "content/en/meetups/tokyo-1.md");
  const text = await readFile(chapter, "utf8");
  await writeFile(chapter, text.replace(/  date: .*\n/, "  date: 2019-09-27T19:00\n  zone: Asia/Tokyo\n"));
  const built = await kubewalk(own, "build", "--base-url", "https://example.org");
  assert.equal(built.code, 0, built.said);
  const read = (file) => readFile(join(own, "public", file), "utf8");
  assert.match(await read("en/meetups/index.html"), /<time datetime="2019-09-27T19:00\+09:00">/);
  assert.match(await read("ja/meetups/tokyo-1/index.html"), /<script type="application\/ld\+json">\{"@context":"https:\/\/schema\.org","@type":"Event"/);
  assert.match(await read("en/meetups/tokyo-1/tokyo-1.ics"), /\r\nDTSTART:20190927T100000Z\r\n/);

  await writeFile(chapter, text.replace(/  date: .*\n/, "  date: 2019-09-27\n  zone: Asia/Tokio\n"));
  const wrong = await kubewalk(own, "check");
  assert.equal(wrong.code, 1);
  assert.equal(wrong.said.replace(/^warning: .*\n/gm, ""), 'content/en/meetups/tokyo-1.md:7:9: time zone "Asia/Tokio" is unknown (did you mean "Asia/Tokyo"?)\n');
});

test("a post is begun in one line, with a list, its tags and a feed, below an image of the book's name; axe finds nothing on their pages, on a phone either", async () => {
  const own = join(home, "journal");
  assert.equal((await kubewalk(home, "new", "journal", "--languages", "en,ja")).code, 0);
  const begun = await kubewalk(own, "new", "post", "hello");
  assert.equal(begun.said, "content/site.yaml\ncontent/en/blog/hello.md\ncontent/ja/blog/hello.md\n");
  assert.match(await readFile(join(own, "content/site.yaml"), "utf8"), /^ {2}- \{name: blog, title: \{en: Blog, ja: ブログ\}, posts: true\}$/m);
  const settings = join(own, "content/site.yaml");
  await writeFile(settings, `wordmark: name.svg\n${await readFile(settings, "utf8")}`);
  const name = (colour) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 60" width="600" height="60"><path fill="${colour}" d="M0 0h600v60H0z"/></svg>`;
  await writeFile(join(own, "content/name.svg"), name("#111"));
  await writeFile(join(own, "content/name.dark.svg"), name("#eee"));
  const post = join(own, "content/en/blog/hello.md");
  const text = await readFile(post, "utf8");
  await writeFile(post, text.replace(/^date: .*$/m, "date: 2026-01-31\nauthors: [A Name]\ntags: [first-steps]"));
  await writeFile(join(own, "content/ja/blog/hello.md"), "---\ntitle: こんにちは\ndescription: 最初の記事。\n---\n文。\n");
  const built = await kubewalk(own, "build", "--base-url", "https://example.org");
  assert.equal(built.code, 0, built.said);
  assert.match(await readFile(join(own, "public/en/blog/atom.xml"), "utf8"), /<published>2026-01-31T00:00:00Z<\/published>/);

  const journal = await openSite({ dir: join(own, "public") });
  try {
    for (const [path, width, theme, said] of [
      ["/en/blog/", 1440, "light", "31 January 2026 · A Name"], ["/ja/blog/", 360, "dark", "2026年1月31日 · A Name"],
      ["/en/blog/hello/", 360, "light", "31 January 2026 · A Name · 1 min read"], ["/ja/blog/hello/", 1440, "dark", "2026年1月31日 · A Name"],
      ["/en/blog/tags/first-steps/", 1440, "dark", "31 January 2026"], ["/ja/blog/tags/first-steps/", 360, "light", "2026年1月31日"],
    ]) {
      const page = await openPage(browser, journal.url(path), { width, theme });
      assert.ok((await page.locator("main").innerText()).includes(said), `${path}: ${await page.locator("main").innerText()}`);
      await noBarriers(page, { where: path });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${path} fits`);
      // The book's name is an image, that of the page's theme, in its own proportions and in the line of the buttons.
      assert.equal((await page.locator(".banner .brand").innerText()).trim(), "");
      const mark = page.locator(".banner .wordmark:visible");
      assert.equal(await mark.count(), 1, path);
      assert.match(await mark.getAttribute("class"), theme === "dark" ? /on-dark/ : /on-light/);
      assert.equal(await mark.getAttribute("alt"), "Journal");
      const box = await mark.boundingBox();
      assert.ok(box.width >= 90 && box.width <= 256 && Math.abs(box.width / box.height - 10) < 0.2, `${path}: ${JSON.stringify(box)}`);
      const button = await page.locator(".banner .search-link").boundingBox();
      assert.ok(box.y < button.y + button.height && button.y < box.y + box.height && box.x + box.width < button.x, `${path}: ${JSON.stringify([box, button])}`);
      assert.deepEqual(page.problems, []);
      await page.close();
    }
  } finally {
    await journal.close();
  }

  await writeFile(post, text.replace(/^date: .*\n/m, "date: 2026-02-30\n"));
  const wrong = await kubewalk(own, "check");
  assert.equal(wrong.code, 1);
  assert.equal(wrong.said, 'content/en/blog/hello.md:4:7: date "2026-02-30" is not in the calendar (check the day and the month: a date is written YYYY-MM-DD)\n');
});

test("a language that the theme does not speak has its author's words, in pages and players", async () => {
  const french = join(home, "livre");
  assert.equal((await kubewalk(home, "new", "livre", "--languages", "en,fr")).code, 0);
  const begun = await kubewalk(french, "new", "words", "fr");
  assert.equal(begun.said.trim(), "content/words/fr.yaml");
  const file = join(french, "content/words/fr.yaml");
  const words = await readFile(file, "utf8");
  const translated = (pairs) => Object.entries(pairs).reduce((text, [name, word]) => {
    assert.ok(text.includes(`\n${name}: "`), `nobody is asked for ${name}`);
    return text.replace(new RegExp(`\n${name.replaceAll(".", "\\.")}: .*`), word === null ? "" : `\n${name}: ${JSON.stringify(word)}`);
  }, words);

  await writeFile(file, translated({ "player.play": "Lire", "lanes.one": null, "worlds.comparing": "{a}", "phrase.input.scale": "{name} à {n}" })
    .concat("player.paly: Lire\n"));
  const wrong = await kubewalk(french, "check");
  assert.equal(wrong.code, 1);
  assert.match(wrong.said, /^content\/words\/fr\.yaml:\d+:1: unknown word "player\.paly" \(did you mean "player\.play"\?\)/m);
  assert.match(wrong.said, /^content\/words\/fr\.yaml:\d+:1: word "worlds\.comparing" lacks \{b\} \(it is replaced, as in "/m);
  assert.match(wrong.said, /^content\/words\/fr\.yaml:\d+:1: word "phrase\.input\.scale" has \{n\}, which is not one of its placeholders \(known: name, replicas\)/m);

  await writeFile(file, translated({ search: "Chercher", "player.play": "Lire", "player.pause": "Pause ici", "player.yourTurn": "À vous",
    "player.units.event": "événement", "player.share": null,
    "phrase.input.scale": "Vous réglez {name} à {replicas} répliques.", "phrase.scene.api": "Magasin", "phrase.control.range": "de {min} à {max}",
    "keys.title": "Touches", "search.ask": "Chercher dans le livre", "copy.copy": "Copier" }));
  const built = await kubewalk(french, "build");
  assert.equal(built.code, 0, built.said);
  assert.match(built.said, /content\/words\/fr\.yaml: 1 of \d+ words are missing: player\.share \(they are in English until then/);
  const there = await openSite({ dir: join(french, "public") });
  const asked = [];
  const page = await openPage(browser, there.url("/fr/start/first-loop/"));
  try {
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.locator("kubewalk-demo").scrollIntoViewIfNeeded();
    const player = page.locator(".kw-player");
    await player.locator('.kw-play[aria-label="Lire"]').waitFor({ timeout: 60_000 });
    assert.equal(await player.locator(".kw-unit option").first().textContent(), "événement");
    assert.match(await player.locator(".kw-reader").textContent(), /À vous/);
    assert.match(await page.textContent(".kw-stage"), /Magasin/);
    assert.match(await page.textContent(".storyboard-controls"), /de 0 à \d+/, "the build tells of the demo in other words");
    assert.equal(await player.locator(".kw-share-button").getAttribute("aria-label"), "Share", "what the file lacks is English");
    await page.fill(".kw-number", "5");
    await page.press(".kw-number", "Enter");
    await page.waitForFunction(() =>
      /^Vous réglez \S+ à 5 répliques\.$/.test(document.querySelector(".kw-event[aria-current] .kw-sentence")?.textContent ?? ""), null, { timeout: 120_000 });
    // Parts that are loaded later speak it, too.
    await page.focus(".kw-play");
    await page.keyboard.press("?");
    await page.waitForSelector('.kw-help[open]:has-text("Touches")');
    await page.keyboard.press("Escape");
    await page.locator("a[data-search]:visible").first().click();
    await page.waitForSelector('.search input[placeholder="Chercher dans le livre"]');
    assert.ok(asked.some((path) => /words-fr-.*\.json$/.test(path)));
    assert.deepEqual(page.problems, []);

    // In the theme's own languages no page asks for such a file.
    asked.length = 0;
    await page.goto(there.url("/en/start/first-loop/"));
    await page.locator("kubewalk-demo").scrollIntoViewIfNeeded();
    await page.locator('.kw-play[aria-label="Play"]').waitFor({ timeout: 60_000 });
    assert.deepEqual(asked.filter((path) => /words-/.test(path)), []);
  } finally {
    await page.context().close();
    await there.close();
  }
});

test("the book is the author's: title, colours, footer", async () => {
  site = await openSite({ dir: join(book, "public") });
  const page = await openPage(browser, site.url("/en/start/first-loop/"));
  assert.equal(await page.title(), "A first loop – Loops of mine");
  assert.equal((await page.locator(".brand").first().innerText()).trim(), "Loops of mine");
  const colour = await page.locator(".crumbs a").first().evaluate((link) => getComputedStyle(link).color);
  assert.equal(colour, "rgb(154, 27, 90)");
  const foot = await page.locator("footer.foot").innerText();
  assert.match(foot, /Text: CC BY 4\.0\./);
  assert.match(foot, /Made with Kubewalk/);
  assert.doesNotMatch(foot, /Apache/);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("its demo plays, and goes live where a reader changes something", async () => {
  const page = await openPage(browser, site.url("/ja/start/first-loop/"));
  const demo = page.locator("kubewalk-demo");
  await demo.scrollIntoViewIfNeeded();
  const player = demo.locator(".kw-player");
  await player.waitFor({ timeout: 60_000 });
  await player.locator(".kw-play").click();
  await page.fill(".kw-number", "5");
  await page.press(".kw-number", "Enter");
  // The control plane that the program brought along runs in the page's worker.
  await player.locator(".kw-badge.is-live").waitFor({ state: "attached", timeout: 120_000 });
  await page.selectOption(".kw-speed", "4");
  await page.waitForFunction(() => document.querySelectorAll(".kw-stage .role-pod:not(.is-leaving)").length === 5, null, { timeout: 60_000 });
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

// What programs follow the book by, as published schemas judge it: Atom by the RELAX
// NG of RFC 4287, with jing; the sitemap by the XSD of sitemaps.org, with xmllint;
// _redirects by Netlify's own parser. The schemas, their sources and licences are in
// schemas/. RSS has no schema of its makers': generator/format/feed holds it to their text,
// and here it has to say what Atom says.
//
// All this is there when the site's address is known, and dates come from git. So the
// book is built once more, from a repository with two commits of its own.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { validateXML } from "xmllint-wasm";
import { findJava, generator, root } from "./harness.mjs";

const base = "https://example.org/book";
const first = "2026-02-03T04:05:06Z", second = "2026-05-06T07:08:09Z";
const changed = "loop/replicaset";
/** Chapters about meetups, which are published on the day of the meetup. */
const meetups = { "meetups/kubernetes-meetup-tokyo-23": "2019-09-27T00:00:00Z", "meetups/kubernetes-novice-tokyo-27": "2023-09-12T00:00:00Z" };
/** Posts, which are published on their day whatever git says. */
const posts = { "news/second": "2026-05-07T00:00:00Z", "news/first": "2026-01-31T00:00:00Z" };
const schemas = join(root, "site/tests/schemas");
const vnu = createRequire(import.meta.url).resolve("vnu-jar/build/dist/vnu.jar");

let folder, site, files;
const read = (name) => readFile(join(site, name), "utf8");

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubewalk-feeds-"));
  site = join(folder, "site");
  const content = join(folder, "content");
  await cp(join(root, "content"), content, { recursive: true });
  const settings = join(content, "site.yaml");
  const more = `redirects:\n  /en/old/: /en/${changed}/\n  /en/older/*: /en/loop/*\n  /ja/旧/: https://example.org/elsewhere/`;
  const part = "\n  - {name: news, title: {en: News & more, ja: お知らせ}, posts: true}\nauthors: {us: {name: {en: A & B, ja: 甲と乙}, url: 'https://example.org/?a=1&b=2'}}\n";
  await writeFile(settings, (await readFile(settings, "utf8")).replace(/^redirects:$/m, more).replace(/(\nparts:\n(?:  .*\n)*  .*)\n/, `$1${part}`));
  for (const language of ["en", "ja"]) {
    await mkdir(join(content, language, "news"));
    for (const [name, date] of Object.entries(posts)) {
      await writeFile(join(content, language, `${name}.md`),
        `---\ntitle: ${name} <in> ${language}\ndescription: d\ndate: ${date.slice(0, 10)}\nauthors: [us]\ntags: [talks]\n---\nText.\n`);
    }
  }
  const commit = (date) => {
    run("git", ["add", "-A"], { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date });
    run("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "x"],
      { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date });
  };
  run("git", ["init", "-q"]);
  commit(first);
  for (const language of ["en", "ja"]) await appendFile(join(content, language, `${changed}.md`), "\n<!-- later -->\n");
  commit(second);
  run(generator(), ["build", "--content", content, "--base-url", base, "--out", site], {}, root);
  files = (await readdir(site, { recursive: true })).map((f) => f.replaceAll("\\", "/"));

  function run(program, args, env = {}, cwd = content) {
    const done = spawnSync(program, args, { cwd, encoding: "utf8", env: { ...process.env, GIT_CONFIG_GLOBAL: join(folder, "none"), ...env } });
    assert.equal(done.status, 0, `${program} ${args.join(" ")}\n${done.stdout}${done.stderr}${done.error ?? ""}`);
  }
});
after(() => rm(folder, { recursive: true, force: true }));

/** What jing says of files by the grammar of Atom, a line for each problem. */
function jing(...paths) {
  const done = spawnSync(findJava(), ["-cp", vnu, "nu.validator.vendor.thaiopensource.relaxng.util.Driver",
    "-c", join(schemas, "atom.rnc"), ...paths], { encoding: "utf8" });
  assert.ok(done.status === 0 || done.stdout, done.stderr || `${done.error}`);
  return done.stdout.split("\n").filter(Boolean);
}

/** What xmllint says of a sitemap. */
async function xmllint(text) {
  const file = async (name) => ({ fileName: name, contents: await readFile(join(schemas, name), "utf8") });
  const { errors } = await validateXML({
    xml: [{ fileName: "sitemap.xml", contents: text }],
    schema: [(await file("site.xsd")).contents],
    preload: [await file("sitemap.xsd"), await file("alternates.xsd")],
  });
  return errors.map((e) => e.rawMessage);
}

/** Texts of elements, in order. */
const all = (xml, name) => [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, "g"))].map((m) => m[1]);

test("every Atom feed is valid by the grammar of RFC 4287, and what is not is refused", async () => {
  const feeds = files.filter((f) => /(^|\/)atom\.xml$/.test(f));
  assert.deepEqual(feeds.sort(), ["en/atom.xml", "en/news/atom.xml", "ja/atom.xml", "ja/news/atom.xml"]);
  assert.deepEqual(jing(...feeds.map((f) => join(site, f))), []);

  const good = await read("en/atom.xml");
  const broken = {
    "a date": good.replace(/<updated>2026/, "<updated>May 2026"),
    "no id": good.replace(/<id>.*<\/id>/, ""),
    "no title": good.replace(/(<entry>[^]*?)<title>.*<\/title>/, "$1"),
    "two times": good.replace(/<published>.*<\/published>/, "$&$&"),
    "an element of RSS": good.replace("<summary>", "<pubDate>x</pubDate><summary>"),
    "another namespace": good.replace("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#"),
    "not XML": good.replace("</feed>", ""),
  };
  const paths = [];
  for (const [name, text] of Object.entries(broken)) {
    assert.notEqual(text, good, name);
    paths.push(join(folder, `${name.replaceAll(" ", "-")}.xml`));
    await writeFile(paths.at(-1), text);
  }
  const said = jing(...paths);
  for (const name of Object.keys(broken)) {
    assert.ok(said.some((line) => line.includes(`/${name.replaceAll(" ", "-")}.xml:`)), `${name} is not seen:\n${said.join("\n")}`);
  }
});

test("feeds have every chapter, with its first and its last commit or its meetup's day, and both forms say the same", async () => {
  for (const language of ["en", "ja"]) {
    const [atom, rss] = [await read(`${language}/atom.xml`), await read(`${language}/feed.xml`)];
    const entries = atom.split("<entry>").slice(1);
    const ids = entries.map((e) => all(e, "id")[0]);
    const chapters = (await readdir(join(root, "content", language), { recursive: true }))
      .filter((f) => f.endsWith(".md") && f !== "index.md" && !f.startsWith("talks"));
    assert.deepEqual([...ids].sort(), chapters.map((f) => `${base}/${language}/${f.replaceAll("\\", "/").slice(0, -".md".length)}/`).sort());
    const published = (id) => meetups[id.slice(`${base}/${language}/`.length, -1)] ?? first;
    for (const meetup of Object.keys(meetups)) assert.ok(ids.includes(`${base}/${language}/${meetup}/`), meetup);
    for (const entry of entries) {
      assert.deepEqual(all(entry, "published"), [published(all(entry, "id")[0])]);
      assert.deepEqual(all(entry, "updated"), [all(entry, "id")[0] === `${base}/${language}/${changed}/` ? second : first]);
    }
    assert.equal(all(atom, "updated")[0], second);
    assert.equal(ids[0], `${base}/${language}/${changed}/`, "published together: what changed later comes first");
    assert.deepEqual(all(rss, "guid"), ids);
    assert.deepEqual(all(rss, "pubDate").map((t) => new Date(t).toISOString().replace(".000", "")), ids.map(published));
    assert.deepEqual(all(rss, "atom:updated"), entries.map((e) => all(e, "updated")[0]));
    const page = await read(`${language}/${changed}/index.html`);
    for (const [type, name] of [["atom", "atom.xml"], ["rss", "feed.xml"]]) {
      assert.match(page, new RegExp(`type="application/${type}\\+xml"[^>]*href="/book/${language}/${name}"`));
    }
  }
});

test("the feed of posts has their days, authors and tags, the newest first, and both forms say the same", async () => {
  for (const [language, author, title] of [["en", "A &amp; B", "News &amp; more"], ["ja", "甲と乙", "お知らせ"]]) {
    const [atom, rss] = [await read(`${language}/news/atom.xml`), await read(`${language}/news/feed.xml`)];
    const entries = atom.split("<entry>").slice(1);
    const ids = Object.keys(posts).map((name) => `${base}/${language}/${name}/`);
    assert.deepEqual(entries.map((e) => all(e, "id")[0]), ids);
    assert.deepEqual(entries.map((e) => all(e, "published")[0]), Object.values(posts));
    assert.deepEqual(entries.map((e) => all(e, "updated")[0]), [posts["news/second"], first], "git says when it was changed, if that was later");
    for (const entry of entries) {
      assert.deepEqual([...all(entry, "name"), ...all(entry, "uri")], [author, "https://example.org/?a=1&amp;b=2"]);
      assert.match(entry, /<category term="talks"\/>/);
    }
    assert.ok(all(atom, "title")[0].endsWith(` – ${title}`), all(atom, "title")[0]);
    assert.deepEqual(all(rss, "guid"), ids);
    assert.deepEqual(all(rss, "pubDate").map((t) => new Date(t).toISOString().replace(".000", "")), Object.values(posts));
    assert.deepEqual(all(rss, "atom:updated"), entries.map((e) => all(e, "updated")[0]));
    assert.deepEqual([...all(rss, "category"), ...all(rss, "dc:creator")], ["talks", "talks", author, author]);
    for (const path of ["news/first", "news", "news/tags/talks", changed, ""]) {
      const page = await read(join(language, path, "index.html"));
      for (const name of ["atom.xml", "feed.xml"]) {
        assert.ok(page.includes(`title="Kubewalk – ${title}" href="/book/${language}/news/${name}"`), path);
        assert.ok(page.includes(`title="Kubewalk" href="/book/${language}/${name}"`), path);
      }
    }
  }
});

test("the sitemap is valid by its schema, and what is not is refused", async () => {
  assert.deepEqual(files.filter((f) => /sitemap.*\.xml$/.test(f)), ["sitemap.xml"]);
  const good = await read("sitemap.xml");
  assert.deepEqual(await xmllint(good), []);
  assert.ok(all(good, "loc").length > 20 && all(good, "lastmod").includes(second) && good.includes("<xhtml:link "));
  const broken = {
    "a date": good.replace(first, "3.2.2026"),
    "no address": good.replace(/<loc>[^<]*<\/loc>/, ""),
    "order": good.replace(/(<loc>[^<]*<\/loc>)(<lastmod>[^<]*<\/lastmod>)/, "$2$1"),
    "an unknown element": good.replace("<lastmod>", "<modified/><lastmod>"),
    "another namespace": good.replace("schemas/sitemap/0.9", "schemas/sitemap/0.84"),
    "a link without a language": good.replace(/ hreflang="ja"/, ""),
    "a relative link": good.replace(/href="https:[^"]*"/, 'href="/ja/"'),
    "a language": good.replace('hreflang="ja"', 'hreflang="japanese!"'),
    "no pages": good.replace(/<url>[^]*<\/url>/, ""),
    "not XML": good.replace("</urlset>", ""),
  };
  for (const [name, text] of Object.entries(broken)) {
    assert.notEqual(text, good, name);
    assert.ok((await xmllint(text)).length > 0, `${name} is not seen`);
  }
});

test("Netlify reads the redirects: old paths from the top of the folder, new ones as readers see them", async () => {
  const { parseAllRedirects } = await import("@netlify/redirect-parser");
  const { redirects, errors } = await parseAllRedirects({ redirectsFiles: [join(site, "_redirects")], configRedirects: [], minimal: true });
  assert.deepEqual(errors, []);
  const moved = [...(await read("../content/site.yaml")).matchAll(/^ {2}(\/\S*)\*: (\/\S*)\*$/gm)].map(([, from, to]) => [from, to])
    .sort(([a], [b]) => b.length - a.length || (a < b ? -1 : 1));
  assert.ok(moved.length > 1);
  assert.deepEqual(redirects.map(({ from, to, status, force }) => ({ from: decodeURI(from), to, status, force })), [
    { from: "/en/old/", to: `/book/en/${changed}/`, status: 301, force: true },
    { from: "/ja/旧/", to: "https://example.org/elsewhere/", status: 301, force: true },
    ...moved.map(([from, to]) => ({ from: `${from}*`, to: `/book${to}:splat`, status: 301, force: true })),
  ]);
  const page = await read("en/older/replicaset/index.html");
  assert.match(page, /content="0; url=\/book\/en\/loop\/replicaset\/"/);
});

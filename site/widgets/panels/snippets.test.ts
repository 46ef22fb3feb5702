import assert from "node:assert/strict";
import { test } from "node:test";
import { snippets, type Place, type Shown } from "./snippets";

const shown: Shown = {
  url: "https://book.example/embed/replicaset-scale/?start=running", script: "https://book.example/embed.js", title: `"Scaling" <a> [ReplicaSet] & Pods`,
};

test("a deck shows the stage's theme and the transport alone, at the same moment", () => {
  const text = snippets.reveal(shown).replaceAll("&amp;", "&");
  assert.ok(text.includes("https://book.example/embed/replicaset-scale/?start=running&theme=stage&controls=play"), text);
  for (const place of ["slidev", "marp"] as const) {
    const text = snippets[place](shown);
    assert.match(text, /src="https:\/\/book\.example\/embed\/replicaset-scale\/" .* start="running" theme="stage" controls="play" clicker paused /);
  }
  assert.ok(snippets.slidev(shown).startsWith('---\nlayout: none\n---\n\n<script setup>\nimport("https://book.example/embed.js")\n</script>\n\n<kubewalk-demo '));
});

test("Marp gets the moment's picture for paper, where there is one", () => {
  const picture = { url: "https://book.example/demos/replicaset-scale/running-en-wide.svg", caption: 'All "3" run' };
  assert.ok(snippets.marp({ ...shown, picture }).includes(`paused style="position: absolute; inset: 0; width: 100%; height: 100%">` +
    `<img src="${picture.url}" alt="All &quot;3&quot; run" style="width: 100%; height: 100%; object-fit: contain"></kubewalk-demo>`));
  assert.ok(snippets.marp(shown).endsWith("></kubewalk-demo>"));
});

test("the element has its moment as an attribute", () => {
  const [script, element] = snippets.element(shown).split("\n");
  assert.equal(script, '<script type="module" src="https://book.example/embed.js"></script>');
  assert.match(element!, /^<kubewalk-demo src="https:\/\/book\.example\/embed\/replicaset-scale\/" .* start="running"><\/kubewalk-demo>$/);
});

test("what a reader did stays in the address", () => {
  const url = "https://book.example/embed/replicaset-scale/#at=1&do=a";
  assert.match(snippets.reveal({ ...shown, url }), /\/replicaset-scale\/\?theme=stage&amp;controls=play#at=1&amp;do=a"/);
  assert.equal(snippets.notion({ ...shown, url }), `/embed ${url}`);
});

test("a title is text wherever it is put", () => {
  for (const place of Object.keys(snippets) as Place[]) {
    const text = snippets[place](shown);
    if (!["hugo", "docusaurus", "qiita"].includes(place)) assert.ok(!text.includes("<a>"), `${place}: ${text}`);
  }
  assert.match(snippets.qiita(shown), /^\["Scaling" <a> \\\[ReplicaSet\\\] & Pods\]\(/);
});

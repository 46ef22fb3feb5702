// The inspector in a real browser: the chain of causes with what decided at each
// link, and objects as YAML with their versions, managers and owners.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { noBarriers } from "./barriers.mjs";
import { jsonAt, openBrowser, openPage, openSite } from "./harness.mjs";


let site;
let browser;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/** What stands over an event: its time, and who it is of. */
const heading = ({ at, who }) => `${(Math.floor(at / 1000) / 1000).toFixed(3)} s · ${who}`;

/** A demo's frames, unpacked as far as they are asked about here, and its objects. */
async function recording(demo) {
  const file = (name) => jsonAt(site.url(`/demos/${demo}/${name}.gz`));
  const head = await file("wide.json");
  let [e, at] = [0, 0];
  const places = (column, most = 0) => column.map((written) => (written < 0 ? (most -= written) : written));
  const read = ({ packed: { texts, kinds, values, ...columns } }) => {
    const [object, known] = [places(columns.object), new Map()];
    const value = (key) => {
      if (!known.has(key)) known.set(key, { column: values[known.size], number: 0 });
      const of = known.get(key);
      const v = of.column.shift();
      return typeof v === "number" ? texts[v] : typeof v === "boolean" ? v : v.length > 1 ? v[0] : (of.number += v[0]);
    };
    const first = kinds.keys.map((_, k) => kinds.keys.slice(0, k).reduce((sum, n) => sum + n, 0));
    return places(columns.kind).map((kind, i) => {
      const keys = kinds.key.slice(first[kind], first[kind] + kinds.keys[kind]);
      const a = keys.flatMap((key) => [texts[key], value(key)]);
      return { e: ++e, c: columns.cause[i] && e - columns.cause[i], at: (at += columns.at[i]), who: texts[kinds.who[kind]], p: texts[kinds.process[kind]],
        op: texts[kinds.op[kind]], o: texts[object[i]], a };
    });
  };
  const frames = [...read(head), ...(head.rest ? read(await file(head.rest)) : [])];
  return { frames, seed: head.seed, details: await file("details.json"), managers: await file("managers.json") };
}
const attr = (frame, key) => {
  const at = (frame.a ?? []).findIndex((k, i) => i % 2 === 0 && k === key);
  return at < 0 ? undefined : frame.a[at + 1];
};

/** Opens a demo at the last event that is wanted, with the inspector open. */
function inspect(name, demo, wanted, run, options = {}) {
  test(name, async () => {
    const data = await recording(demo);
    const frame = data.frames.findLast(wanted);
    assert.ok(frame, "the demo has no such event");
    const page = await openPage(browser, site.url(`/embed/${demo}/#demo=${demo}&seed=${data.seed}&at=${frame.at / 1e6}&event=${frame.e}`), options);
    try {
      await page.waitForSelector(".kw-player .kw-scene");
      const time = `${(Math.floor(frame.at / 1000) / 1000).toFixed(3)} s`;
      await page.waitForFunction((t) => document.querySelector(".kw-time").textContent === t && document.querySelector(".kw-status").hidden, time);
      await page.focus(".kw-play");
      await page.keyboard.press("w");
      await page.waitForSelector(".kw-inspector-sentence");
      assert.equal(await page.textContent(".kw-inspector .kw-heading"), heading(frame));
      await run(page, frame, data);
      assert.deepEqual(page.problems, [], "the page complained");
    } finally {
      await page.context().close();
    }
  });
}

const clean = (page, what) => noBarriers(page, { within: ".kw-inspector", where: what });

inspect("the scheduler's matrix has the scores of the trace, and says in words who was chosen", "scheduler-cycle",
  (f) => f.op === "pod.assume" && f.o === "pods default/loose", async (page, frame, { frames }) => {
    const scores = frames.filter((f) => f.op === "node.score" && f.o === frame.o);
    assert.ok(scores.length >= 3);
    const table = await page.$$eval(".kw-matrix tr", (rows) => rows.map((r) => [...r.children].map((c) => c.firstChild.data ?? c.firstChild.textContent)));
    const nodes = table[0].slice(1);
    for (const score of scores) {
      const column = 1 + nodes.indexOf(attr(score, "node"));
      assert.ok(column > 0, `${attr(score, "node")} is not in the matrix`);
      for (const row of table.slice(1, -1)) assert.equal(row[column], attr(score, row[0]).split(" ")[0], row[0]);
      assert.equal(table.at(-1)[column], String(attr(score, "score")));
    }
    const chosen = await page.$eval(".kw-matrix thead .is-chosen", (c) => c.textContent);
    assert.match(chosen, new RegExp(`^${attr(frame, "node")}✓ chosen$`));
    await clean(page, "matrix");
  });

inspect("who was turned down stands with the plugin and its words", "scheduler-cycle",
  (f) => f.op === "node.filter" && attr(f, "fits") === false, async (page, frame) => {
    const rows = await page.$$eval(".kw-rejected tr", (all) => all.map((r) => r.textContent));
    assert.ok(rows.includes(`${attr(frame, "node")}${attr(frame, "plugin")} ${attr(frame, "reason")}`), rows.join("; "));
  });

inspect("the chain ends in what came from outside; keys walk along it, and the picture follows", "replicaset-scale",
  (f) => f.op === "log" && attr(f, "message") === "Too many replicas", async (page, frame) => {
    await page.waitForSelector(".kw-source .is-here");
    assert.match(await page.textContent(".kw-source .is-here"), /Too many replicas/, "the line that is shown is another");
    assert.match(await page.textContent("pre.kw-klog"), new RegExp(`^I\\d{4} \\d\\d:\\d\\d:\\d\\d\\.\\d{6} {7}1 replicas\\.go:\\d+\\] "Too many replicas" replicaSet="default/web" need=${attr(frame, "need")} deleting=${attr(frame, "deleting")}$`));
    const [, all] = (await page.textContent(".kw-chain-place")).match(/^1 of (\d+)$/);
    const start = await page.textContent(".kw-time");
    await page.focus(".kw-play");
    for (let i = 1; i < Number(all); i++) await page.keyboard.press("c");
    assert.equal(await page.textContent(".kw-chain-place"), `${all} of ${all}`);
    assert.match(await page.textContent(".kw-inspector-sentence"), /^kubectl scales web/);
    assert.notEqual(await page.textContent(".kw-time"), start, "the picture stayed");
    assert.ok(await page.$eval(".kw-causes", (list) => list.lastElementChild.classList.contains("is-open")));
    for (let i = 1; i < Number(all); i++) await page.keyboard.press("Shift+C");
    assert.equal(await page.textContent(".kw-time"), start);
    assert.equal(await page.textContent(".kw-inspector .kw-heading"), heading(frame));
    await page.click(".kw-chain-bar input");
    assert.ok((await page.$$(".kw-link .kw-klog")).length > 0, "no link is shown as a line of the log");
    await clean(page, "chain");
  });

inspect("expectations are a table from the line that set them", "replicaset-scale",
  (f) => f.op === "log" && attr(f, "message") === "Lowered expectations", async (page, frame) => {
    const rows = await page.$$eval(".kw-expected tbody tr", (all) => all.map((r) => [...r.children].map((c) => c.textContent)));
    assert.match(rows[0][0], /Setting expectations$/);
    const [, add, del] = attr(frame, "expectations").match(/^add (-?\d+), del (-?\d+)/);
    assert.deepEqual(rows.at(-1).slice(1), [add, del]);
    const deletions = rows.filter((r) => r.length === 3).map((r) => Number(r[2]));
    assert.deepEqual(deletions, [...deletions].sort((a, b) => b - a), "they do not fall");
  });

inspect("a queue is three sets", "work-queue", (f) => f.op === "queue.delay" && attr(f, "failures") > 1, async (page, frame) => {
  const sets = await page.$$eval(".kw-sets section", (all) => all.map((s) => s.textContent));
  assert.equal(sets.length, 3);
  assert.match(sets[1], new RegExp(`${attr(frame, "key")}${frame.p}`), "the worker that has it is not named");
  assert.match(sets[2], new RegExp(`${attr(frame, "key")}at .* s${attr(frame, "failures")} failures in a row`));
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the screen");
}, { width: 360 });

inspect("the collector's graph says who waits", "garbage-collector",
  (f) => attr(f, "message") === "classify item's references" && attr(f, "waitingForDependentsDeletion") !== "[]", async (page, frame) => {
    const item = attr(frame, "item").match(/name: ([^,]+)/)[1];
    const nodes = await page.$$eval(".kw-graph-node", (all) => all.map((n) => n.textContent));
    assert.ok(nodes.some((n) => n.includes(item) && n.includes("waiting") && n.includes("this one")), nodes.join("; "));
    assert.ok(nodes.some((n) => n.includes("waiting for its dependents to be deleted")), nodes.join("; "));
    await clean(page, "graph");
  });

inspect("an object is YAML, with versions, managers and owners; the owners can be walked with keys", "garbage-collector",
  (f) => f.op === "store.commit" && f.o?.startsWith("replicasets ") && attr(f, "type") === "MODIFIED", async (page, frame, { details, managers, frames }) => {
    await page.click(".kw-inspector .kw-button:text('What was written')");
    await page.waitForSelector(".kw-object");
    assert.equal(await page.textContent(".kw-inspector .kw-heading"), frame.o);
    const text = () => page.$$eval(".kw-object .kw-line:not(del)", (lines) => lines.map((l) => l.firstChild.data).join("\n"));
    const merge = (a, b) => {
      if (typeof b !== "object" || b === null || Array.isArray(b)) return b;
      const out = { ...(typeof a === "object" && !Array.isArray(a) ? a : {}) };
      for (const [k, v] of Object.entries(b)) v === null ? delete out[k] : (out[k] = merge(out[k], v));
      return out;
    };
    const whole = (e) => (details.base[e] ? merge(whole(details.base[e]), details.objects[e]) : details.objects[e]);
    const object = whole(frame.e);
    const yaml = await text();
    for (const [path, value] of [
      ["  resourceVersion", `"${object.metadata.resourceVersion}"`], ["  uid", object.metadata.uid],
      ["  replicas", object.spec.replicas], ["kind", object.kind],
    ]) {
      assert.match(yaml, new RegExp(`^${path}: ${value}$`, "m"));
    }
    assert.deepEqual(yaml.match(/^\w+(?=:)/gm), Object.keys(object).sort());

    // What this version changed is marked with a sign.
    assert.match(await page.$eval(".kw-object ins.is-changed", (l) => getComputedStyle(l, "::before").content), /~/);

    // Who manages it, at this version.
    await page.waitForSelector(".kw-manager-entry");
    const at = Object.keys(managers.events).map(Number).filter((e) => frames[e - 1].o === frame.o && e <= frame.e).at(-1);
    assert.deepEqual(await page.$$eval(".kw-manager-entry b", (all) => all.map((b) => b.textContent)), managers.events[at].map((m) => m[0]));
    await page.click(".kw-object-bar input");
    await page.waitForSelector(".kw-object .kw-manager");

    // An older version, and back to its moment.
    await page.click('.kw-versions button[aria-label="Older version"]');
    await page.waitForFunction((v) => !document.querySelector(".kw-object").textContent.includes(`resourceVersion: "${v}"`), object.metadata.resourceVersion);
    assert.match(await page.textContent(".kw-object-state"), /older version/);
    await clean(page, "object");
    const before = await page.textContent(".kw-time");
    await page.click(".kw-versions .kw-button");
    await page.waitForFunction((t) => document.querySelector(".kw-time").textContent !== t, before);

    // Along the owners with keys alone.
    await page.focus(".kw-graph button");
    const name = await page.evaluate(() => document.activeElement.querySelector("b").textContent);
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await page.evaluate(() => document.activeElement.querySelector("b").textContent), name);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await page.waitForFunction((n) => document.querySelector(".kw-inspector .kw-heading").textContent.endsWith(n), name);
  });

inspect("what came of an act is listed to its end for whoever asks, with the keyboard, too", "replicaset-scale", (f) => f.op === "input",
  async (page, frame, { frames }) => {
    const led = new Set([frame.e]);
    const all = frames.filter((f) => led.has(f.c) && led.add(f.e));
    const told = all.filter((f) => f.op === "store.commit" && f.o.startsWith("pods "));
    assert.ok(told.length > 12, "so little comes of it");
    const times = () => page.$$eval(".kw-effects time", (list) => list.map((e) => e.textContent));
    const few = await times();
    assert.equal(few.length, 12);
    const more = page.locator(".kw-effects + .kw-more");
    const n = Number((await more.textContent()).match(/^and (\d+) more$/)[1]);
    await more.focus();
    await page.keyboard.press("Enter");
    const many = await times();
    assert.equal(many.length, 12 + n);
    assert.deepEqual(many.slice(0, 12), few);
    for (const { at } of told) assert.ok(many.includes(`${(Math.floor(at / 1000) / 1000).toFixed(3)} s`), `what was written at ${at} µs is left out`);
    assert.equal(await more.isVisible(), false);
    const isThirteenth = () => page.evaluate(() => document.activeElement === document.querySelectorAll(".kw-effects button")[12]);
    assert.ok(await isThirteenth(), "who went on by keyboard is somewhere else");
    await clean(page, "effects");
  });

inspect("tabs are chosen with arrow keys", "scheduler-cycle", (f) => f.op === "pod.assume", async (page) => {
  await page.focus(".kw-inspector .kw-tab[aria-selected=true]");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".kw-object");
  assert.equal(await page.textContent(".kw-inspector .kw-tab[aria-selected=true]"), "Object");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Object");
  await clean(page, "tabs");
}, { width: 360, theme: "dark" });

const ofTheOwner = (f) => f.op === "store.commit" && f.o === "replicasets default/web";
inspect("all that an owner has is there for whoever asks", "thousand-pods", ofTheOwner, async (page) => {
  await page.focus(".kw-inspector .kw-tab[aria-selected=true]");
  await page.keyboard.press("ArrowRight");
  await page.waitForSelector(".kw-graph");
  const more = page.locator(".kw-graph-node:has-text('more')");
  const before = await page.locator(".kw-graph-node").count();
  const n = Number((await more.textContent()).match(/^and (\d+) more/)[1]);
  assert.ok(n > 900, `${n} more`);
  const id = await more.getAttribute("data-id");
  await more.focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction((all) => document.querySelectorAll(".kw-graph-node").length === all, before - 1 + n);
  assert.equal(await page.locator(`[data-id="${id}"]`).count(), 0);
  const at = await page.evaluate(() => [...document.querySelectorAll(".kw-graph-node")].indexOf(document.activeElement));
  assert.ok(at > 10 && at < before + 1, `who went on by keyboard is at row ${at}`);
});

/** A demo's page in which the cluster has more nodes than the author gave it, with room for one Pod each, and more Pods: with another seed, it runs there. */
async function larger(page, demo, { nodes, replicas, seconds }) {
  await page.route(`**/${demo}/scenario.json.gz*`, async (route) => {
    const scenario = JSON.parse(gunzipSync(await (await route.fetch()).body()).toString());
    const [node] = scenario.cluster.nodes;
    scenario.cluster.nodes = Array.from({ length: nodes }, (_, i) => ({ ...node, name: `node-${i + 1}`, pods: 1 }));
    scenario.steps[0].manifest.spec.replicas = replicas;
    await route.fulfill({ contentType: "application/json", body: JSON.stringify(scenario) });
  });
  await page.goto(site.url(`/embed/${demo}/#demo=${demo}&seed=99&at=${seconds}`), { waitUntil: "load" });
  await page.waitForSelector(".kw-player .kw-scene");
  await page.waitForFunction((t) => document.querySelector(".kw-time").textContent >= t && document.querySelector(".kw-status").hidden, `${seconds - 0.1}`,
    { timeout: 120_000 });
}
/** Goes to the first or the last event of an operation, and asks why. */
async function whyOf(page, find, op) {
  await page.$eval("kubewalk-demo", ({ player: { state } }, [find, op]) => state.seek(state.timeline.frames[find]((f) => f.op === op)), [find, op]);
  await page.focus(".kw-play");
  await page.keyboard.press("w");
  await page.waitForSelector(".kw-inspector-sentence");
}

test("all nodes that a Pod fits are there for whoever asks, and all that wait for the scheduler", async () => {
  const page = await openPage(browser, "about:blank", {});
  try {
    await larger(page, "replicaset-scale", { nodes: 10, replicas: 60, seconds: 14 });
    await whyOf(page, "findIndex", "pod.assume");
    const more = page.locator(".kw-scrolls:has(.kw-matrix) + .kw-more");
    assert.equal(await more.textContent(), "and 2 more with lower totals");
    const heads = () => page.locator(".kw-matrix thead th").allTextContents();
    const before = await heads();
    await more.press("Enter");
    const after = await heads();
    assert.deepEqual([before.length, after.length, after.slice(0, 9)], [9, 11, before]);
    assert.equal(await more.count(), 0);
    assert.ok(await page.evaluate(() => document.activeElement.matches(".kw-scrolls")), "who went on by keyboard is somewhere else");
    await clean(page, "ten nodes");

    await whyOf(page, "findLastIndex", "scheduling.queue");
    const set = page.locator(".kw-sets section", { has: page.locator(".kw-more") }).first();
    const items = async () => set.locator("li").allTextContents();
    const few = await items();
    const n = Number((await set.locator(".kw-more").textContent()).match(/^and (\d+) more$/)[1]);
    await set.locator(".kw-more").press("Enter");
    const many = await page.locator(".kw-sets section li").allTextContents();
    assert.deepEqual(few.length, 20);
    assert.ok(many.length >= 20 + n, `${many.length} of ${20 + n} wait`);
    assert.ok(await page.evaluate(() => document.activeElement.matches(".kw-sets li:nth-child(21)")), "who went on by keyboard is somewhere else");
    assert.deepEqual(page.problems, [], "the page complained");
  } finally {
    await page.context().close();
  }
});

// The log of events and the inspector, in a real browser on the built site: what happened, why, and to what.

import assert from "node:assert/strict";
import { inPage, nextMark, press, whole } from "./reader.mjs";

const demo = "/embed/replicaset-scale/";

/** A test in the demo by itself. */
const player = (name, options, run) => inPage(name, { path: demo, ...options }, run);

const sentence = (page) => page.textContent(".kw-event[aria-current] .kw-sentence");

player("an event opens: causes up to the input, the calls, and the line of Go", {}, async (page) => {
  await nextMark(page, 2);
  const want = await sentence(page);
  await page.click(".kw-event[aria-current]");
  assert.equal(await page.textContent(".kw-inspector-sentence"), want);
  await page.waitForSelector(".kw-source .is-here");
  await page.click(".kw-calls + .kw-more");
  assert.ok((await page.$$(".kw-call")).length >= 2, "no call stack");
  assert.match(await page.textContent(".kw-file"), /^playground\/\S+\.go:\d+$/);
  const place = await page.$eval(".kw-source", (box) => {
    const here = box.querySelector(".is-here").getBoundingClientRect();
    const frame = box.getBoundingClientRect();
    return here.top >= frame.top && here.bottom <= frame.bottom;
  });
  assert.ok(place, "the line is not in sight");
  assert.ok(await page.$$eval(".kw-source .kw-line", (lines) => lines.some((l) => l.textContent.startsWith("\t"))), "the source is not indented");
  assert.ok((await page.$$(".kw-values tr")).length > 0, "no values");
  await page.click(".kw-causes > li:last-child > button");
  assert.match(await page.textContent(".kw-inspector-sentence"), /^kubectl apply runs\./, "the first cause is not an input");
  await page.waitForSelector(".kw-story:not(.kw-causes) button");
  await page.click(".kw-inspector button[aria-label=Close]");
  assert.equal(await page.$(".kw-inspector.is-open"), null);
});

for (const name of ["replicaset-scale", "node-dies", "dropped-watch"]) {
  player(`every moment of ${name} is an event of the log`, { path: `/embed/${name}/` }, async (page) => {
    const moments = await page.$$eval(".kw-caption:not(.is-own)", (all) => all.length);
    assert.ok(moments >= 3);
    await whole(page);
    await page.focus(".kw-play");
    await page.keyboard.press("Home");
    for (let i = 1; i <= moments; i++) {
      await press(page, "To the next moment");
      await page.click(".kw-event[aria-current]");
      assert.equal(await page.textContent(".kw-caption.is-shown b"), String(i), "the moment is not the log's current event");
    }
  });
}

player("a commit shows the object, with what it changed", {}, async (page) => {
  await nextMark(page, 8);
  await page.selectOption(".kw-log-head select", "etcd");
  await page.click(".kw-event[aria-current]");
  await page.click(".kw-inspector .kw-button:text('What was written')");
  await page.waitForSelector(".kw-object");
  const text = await page.$$eval(".kw-object .kw-line:not(del)", (lines) => lines.map((l) => l.firstChild.data).join("\n"));
  assert.match(text, /^apiVersion: \S+\nkind: [A-Z]\w+\nmetadata:\n/);
});

player("details that do not load say so where they would be", {}, async (page) => {
  await page.route("**/details.json.gz*", (route) => route.abort());
  await page.click(".kw-event[aria-current]");
  await page.waitForSelector(".kw-details .kw-error");
  await page.unroute("**/details.json.gz*");
  await page.click(".kw-details .kw-error button");
  await page.waitForSelector(".kw-call");
  page.problems = page.problems.filter((p) => !/details\.json|ERR_FAILED/.test(p));
});

player("programs that Pods run are in the filter as soon as their events are there", { path: "/embed/csi-snapshot/" }, async (page) => {
  await whole(page);
  const offered = await page.$$eval(".kw-log-head select optgroup[label=Components] option", (all) => all.map((e) => e.value));
  for (const name of ["csi-snapshotter", "csi-provisioner", "snapshot-controller", "disk-controller"]) {
    assert.ok(offered.includes(`${name}/node-1`), `${name} is not among ${offered}`);
  }
  await page.selectOption(".kw-log-head select", "csi-snapshotter/node-1");
  await page.waitForSelector(".kw-chip:not([hidden])");
  await page.waitForFunction(() => document.querySelectorAll(".kw-event").length > 0);
  const who = await page.$$eval(".kw-event .kw-who", (all) => all.map((e) => e.textContent));
  assert.ok(who.every((w) => w.startsWith("csi-snapshotter/node-1")), String(who));
});

player("a click in the picture filters the log, and a chip takes that back", {}, async (page) => {
  await nextMark(page, 8);
  const all = await page.$$eval(".kw-event", (rows) => rows.length);
  await page.click('.kw-stage [data-id^="pod/"]');
  const about = await page.textContent(".kw-chip");
  assert.match(about, /^pods default\/web-/);
  await page.click(".kw-event[aria-current]");
  await page.click(".kw-inspector .kw-tab:first-child");
  assert.equal(await page.textContent(".kw-facts div:nth-child(3) dd"), about);
  await page.click(".kw-chip");
  assert.ok((await page.$$eval(".kw-event", (rows) => rows.length)) >= Math.min(all, 40));
});

player("what is looked at is marked in the picture, and its object is shown, with the keyboard too", {}, async (page) => {
  await nextMark(page, 8);
  const selected = () => page.$$eval(".kw-stage .is-selected", (all) => [...new Set(all.map((e) => e.getAttribute("data-about")))]);
  await page.click('.kw-stage [data-id^="pod/"]');
  const about = await page.textContent(".kw-chip");
  assert.deepEqual(await selected(), [about]);
  await page.waitForSelector(".kw-object");
  const object = await page.$$eval(".kw-object .kw-line:not(del)", (lines) => lines.map((l) => l.firstChild.data).join("\n"));
  assert.equal(`pods ${object.match(/^  namespace: (.*)$/m)[1]}/${object.match(/^  name: (.*)$/m)[1]}`, about);
  await press(page, "Step forward");
  assert.deepEqual(await selected(), [about], "a step takes the mark away");

  const on = (selector) => page.evaluate((s) => document.activeElement.matches(s), selector);
  await page.focus(".kw-chip");
  await page.keyboard.press("Enter");
  assert.ok(await on(".kw-log-head select"), "taking the filter back loses the focus");
  assert.deepEqual(await selected(), []);
  const other = await page.$$eval(".kw-log-head option", (all, not) => all.map((o) => o.value).find((v) => v.startsWith("pods ") && v !== not), about);
  assert.ok(other, "Pods cannot be chosen without a mouse");
  await page.selectOption(".kw-log-head select", other);
  assert.ok(await on(".kw-chip"), "choosing what to look at loses the focus");
  assert.deepEqual(await selected(), [other]);
  await page.click(".kw-chip");
});

player("of thousands of events only those near are in the page", {}, async (page) => {
  await page.click(".kw-check");
  for (const part of [0.2, 0.8, 0.5]) {
    await page.$eval(".kw-events", (list, p) => (list.scrollTop = list.scrollHeight * p), part);
    await page.waitForTimeout(150);
  }
  await page.waitForFunction(() => {
    const list = document.querySelector(".kw-events");
    const at = list.getBoundingClientRect();
    return document.elementFromPoint(at.left + 120, at.top + at.height / 2)?.closest(".kw-event");
  }, null, { timeout: 10_000 }).catch(() => assert.fail("where one scrolls to there is nothing"));
  assert.ok((await page.$$(".kw-event")).length < 900, "the log is not windowed");
  assert.ok((await page.$eval(".kw-events", (list) => list.scrollHeight)) > 50_000);
});

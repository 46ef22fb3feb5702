// Time in a real browser: steps by each unit, the lanes, the keys and their sheet,
// and what readers get who want no motion.

import assert from "node:assert/strict";
import { noBarriers } from "./barriers.mjs";
import { inPage, looks, press, read, statusText, time, whole } from "./reader.mjs";

const rollout = "/embed/deployment-rollout/"; // conflicts and back-off

/** A test in the demo by itself. */
const player = (name, options, run) => inPage(name, { path: rollout, ...options }, run);

const sentence = (page) => page.textContent(".kw-announced");
const on = (page, selector) => page.evaluate((s) => document.activeElement.matches(s), selector);
const picture = (page) =>
  page.evaluate(() => {
    const clone = document.querySelector(".kw-stage svg").cloneNode(true);
    clone.querySelectorAll(".is-leaving").forEach((e) => e.remove());
    clone.querySelectorAll(".is-fresh").forEach((e) => e.classList.remove("is-fresh"));
    return [...clone.querySelectorAll("[data-id]")].map((e) => e.outerHTML).sort().join("\n");
  });
const state = async (page) => [await time(page), await sentence(page), await picture(page)];

const units = { event: "e", every: "q", request: "a", reconcile: "r", change: "o", mark: "m" };
for (const [unit, key] of Object.entries(units)) {
  player(`steps by ${unit}: on and back lead to the same moments, by button and by key`, {}, async (page) => {
    await whole(page);
    await page.selectOption(".kw-unit", unit);
    await page.focus(".kw-play");
    await page.keyboard.press("m");
    if (unit === "change") {
      const about = await page.$$eval(".kw-log-head option", (all) => all.map((o) => o.value).find((v) => v.startsWith("deployments ")));
      await page.selectOption(".kw-log-head select", about ?? "deployment-controller");
    }
    await press(page, "Step forward"); // onto a stop of this unit
    const seen = [];
    for (let i = 0; i < 8; i++) {
      seen.push(await state(page));
      await press(page, "Step forward");
    }
    assert.ok(new Set(seen.map(([at, words]) => at + words)).size >= 6, "steps lead nowhere"); // two workers may take the same at once
    for (const want of seen.toReversed()) {
      await press(page, "Step back");
      assert.deepEqual(await state(page), want);
    }
    await page.focus(".kw-play");
    for (const want of seen.slice(1)) {
      await page.keyboard.press(key);
      assert.deepEqual(await state(page), want, `${key} does not go on`);
    }
    for (const want of seen.slice(0, -1).toReversed()) {
      await page.keyboard.press(`Shift+${key}`);
      assert.deepEqual(await state(page), want, `Shift ${key} does not go back`);
    }
    await page.keyboard.press("ArrowRight");
    assert.deepEqual(await state(page), seen[1]);
  });
}

player("requests and reconciles are those of what is looked at; a conflict is met on the way", {}, async (page) => {
  await whole(page);
  await page.selectOption(".kw-log-head select", "deployment-controller");
  await page.selectOption(".kw-unit", "request");
  await page.focus(".kw-play");
  const who = () => page.textContent(".kw-event[aria-current] .kw-who");
  let met = false;
  for (let i = 0; i < 30 && !met; i++) {
    await page.keyboard.press("ArrowRight");
    assert.match(await who(), /^deployment-controller/);
    met = /409|conflict/i.test(await sentence(page));
  }
  assert.ok(met, "thirty steps by request, and no conflict");
  await page.keyboard.press("r");
  assert.match(await page.textContent(".kw-event[aria-current]"), /deployment-controller · worker-/);
});

player("who steps to changes of nothing is told, and offered what is there", {}, async (page) => {
  await page.focus(".kw-play");
  await page.keyboard.press("m");
  await page.keyboard.press("o");
  assert.match(await statusText(page), /choose what to look at/);
  const label = await page.textContent(".kw-status button");
  assert.match(label, /^Look at ./);
  const before = await sentence(page);
  await page.click(".kw-status button");
  assert.equal(await page.textContent(".kw-chip"), label.replace("Look at ", ""));
  assert.notEqual(await sentence(page), before);
  await page.keyboard.press("Shift+O");
  for (let i = 0; i < 200 && (await statusText(page)) === ""; i++) await page.keyboard.press("Shift+O");
  assert.match(await statusText(page), /none before/);
  await page.keyboard.press("e");
  assert.equal(await statusText(page), "", "the message stays");
});

player("beyond the loaded part a step waits; in a live run it asks for more", { path: "/embed/replicaset-scale/" }, async (page) => {
  await whole(page);
  for (let i = 0; i < 6; i++) await press(page, "To the next moment");
  await page.fill(".kw-number", "5");
  await page.press(".kw-number", "Enter");
  await page.waitForSelector(".kw-caption.is-own.is-shown", { timeout: 60_000 });
  await press(page, "Pause");
  await page.selectOption(".kw-log-head select", "replicasets default/web");
  await page.selectOption(".kw-unit", "change");
  const moments = [];
  for (let i = 0; i < 4; i++) {
    const before = await sentence(page);
    await press(page, "Step forward");
    await page.waitForFunction((t) => document.querySelector(".kw-announced").textContent !== t, before, { timeout: 60_000 });
    moments.push(await sentence(page));
    assert.match(moments.at(-1), /web/);
  }
  for (const want of moments.slice(0, -1).toReversed()) {
    await press(page, "Step back");
    assert.equal(await sentence(page), want);
  }
  // Nothing changes it any more: that is told after a while, with a way to go on.
  for (let i = 0; i < 40 && !/Not in the next|none after/.test(await statusText(page)); i++) {
    await press(page, "Step forward");
    await page.waitForFunction(() => !/Looking ahead/.test(document.querySelector(".kw-status").textContent), null, { timeout: 60_000 });
  }
  assert.match(await statusText(page), /Not in the next \d+ s|none after/);
  await page.focus(".kw-play");
  await page.keyboard.press("e");
  assert.equal(await statusText(page), "");
});

const openLanes = async (page) => {
  await page.focus(".kw-play");
  await page.keyboard.press("t");
  await page.waitForSelector(".kw-lanes-box");
  await page.waitForFunction(() => document.activeElement.matches(".kw-lanes-box"));
};
const told = (page) => page.textContent(".kw-lanes-told");
const option = (page) => page.$eval(".kw-lanes-box", (box) => document.getElementById(box.getAttribute("aria-activedescendant"))?.textContent);
const lane = async (page) => (await told(page)).split(", ")[0];
const toLane = async (page, name) => {
  for (let i = 0; i < 40; i++) await page.keyboard.press("ArrowUp");
  for (let i = 0; i < 40 && (await lane(page)) !== name; i++) await page.keyboard.press("ArrowDown");
  assert.equal(await lane(page), name);
};

player("lanes are loaded when they are opened, and can be walked by keyboard", {}, async (page) => {
  assert.ok(!page.requests.some((url) => /lanes-/.test(url)), "they are loaded before anybody wants them");
  await whole(page);
  await openLanes(page);
  assert.equal(await page.getAttribute(".kw-lanes-button", "aria-expanded"), "true");
  await toLane(page, "deployment-controller");
  const things = [];
  for (let i = 0; i < 60; i++) {
    things.push(await told(page));
    assert.equal(await option(page), things.at(-1), "what is chosen is not what is said");
    await page.keyboard.press("ArrowRight");
  }
  assert.ok(things.some((t) => /^deployment-controller, reconcile of default\/web, [\d.]+ s to [\d.]+ s, \d+ requests?, ended with a conflict/.test(t)),
    `no reconcile with a conflict:\n${things.slice(0, 9).join("\n")}`);
  assert.ok(things.some((t) => /, conflict: update deployments\/status default\/web, /.test(t)), "no conflict by itself");
  assert.ok(things.some((t) => /delayed by 5ms, .*failures in a row: 1/.test(t)), "no back-off");
  assert.ok(things.some((t) => /retry no\. 1/.test(t)), "no retry");
  for (let i = 0; i < 60; i++) await page.keyboard.press("ArrowLeft");
  assert.equal(await told(page), things[0]);

  // Enter goes there and opens it; the lanes stay open.
  for (let i = 0; i < 60 && !/reconcile of .*conflict/.test(await told(page)); i++) await page.keyboard.press("ArrowRight");
  const from = /([\d.]+) s to/.exec(await told(page))[1];
  await page.keyboard.press("Enter");
  await page.waitForSelector(".kw-inspector.is-open");
  assert.equal(await time(page), `${from} s`);
  await page.waitForFunction(() => document.activeElement?.closest(".kw-inspector")); // opening it leads to it
  await page.focus(".kw-lanes-box");
  await page.keyboard.press("t");
  assert.ok(await page.$eval(".kw-drawer", (e) => e.hidden), "t does not close the lanes");
  assert.ok(await on(page, ".kw-more-button"), "the focus does not go back");
});

const window_ = (page) => page.$eval(".kw-lanes-now", (e) => parseFloat(e.style.insetInlineStart)); // where the moment is, %
player("lanes zoom and pan by keys, buttons and wheel, and keep the moment in sight while it moves", {}, async (page) => {
  await whole(page);
  await openLanes(page);
  await toLane(page, "replicaset-controller");
  const pixels = () => page.$eval(".kw-lanes-canvas", (c) => c.toDataURL());
  const seen = [await pixels()];
  for (let before = ""; seen[0] !== before; seen[0] = await pixels()) { // the panel may still find its size
    before = seen[0];
    await page.waitForTimeout(200);
  }
  const differs = async (what) => {
    await page.waitForFunction((last) => document.querySelector(".kw-lanes-canvas").toDataURL() !== last, seen.at(-1), { timeout: 5000 })
      .catch(() => assert.fail(`${what} changes nothing`));
    seen.push(await pixels());
  };
  for (const key of ["+", "+", "]", "[", "-", "0"]) {
    await page.keyboard.press(key);
    await differs(key);
  }
  assert.ok(seen.at(-1) === seen[0], "0 does not show all as before");
  await page.click('.kw-lanes button[aria-label="Zoom in"]');
  await differs("the button");
  await page.click('.kw-lanes button[aria-label="Show all"]');
  await differs("the other button");
  await page.hover(".kw-lanes-plot");
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -600);
  await page.keyboard.up("Control");
  await differs("the wheel");
  await page.focus(".kw-play");
  for (const key of ["m", "m", "m", "End", "Home"]) {
    await page.keyboard.press(key);
    const at = await window_(page);
    assert.ok(at >= 0 && at <= 100, `after ${key} the moment is at ${at} %`);
  }
});

player("a drag in the lanes moves the moment, and a click chooses what is there", {}, async (page) => {
  await whole(page);
  await openLanes(page);
  await page.$eval(".kw-lanes", (e) => e.scrollIntoView({ block: "center" }));
  const box = await page.locator(".kw-lanes-plot").boundingBox();
  await page.mouse.move(box.x + box.width * 0.2, box.y + 12);
  await page.mouse.down();
  const first = await time(page);
  await page.mouse.move(box.x + box.width * 0.6, box.y + 12, { steps: 4 });
  await page.mouse.up();
  assert.notEqual(await time(page), first);
  assert.ok(Math.abs((await window_(page)) - 60) < 1.5, `the line is at ${await window_(page)} %`);
  const scrubber = await page.$eval(".kw-scrubber", (s) => (s.value - s.min) / (s.max - s.min));
  assert.ok(Math.abs(scrubber - 0.6) < 0.02, "the scrubber is somewhere else");
  await page.locator('[data-lane="replicaset-controller"]').scrollIntoViewIfNeeded();
  const row = await page.locator('[data-lane="replicaset-controller"]').boundingBox();
  let hit = "";
  for (let x = 0.02; x < 0.4 && !/^replicaset-controller, reconcile/.test(hit); x += 0.004) {
    await page.mouse.move(box.x + box.width * x, row.y + 24); // its name is above
    hit = await told(page);
  }
  assert.match(hit, /^replicaset-controller, reconcile of/);
  await page.mouse.down();
  await page.mouse.up();
  assert.equal(await option(page), hit);
  await page.click(".kw-lanes-foot button");
  await page.waitForSelector(".kw-inspector.is-open");
});

player("the lanes as a table say the same in numbers", { path: "/embed/node-dies/" }, async (page) => {
  await whole(page);
  await openLanes(page);
  await page.click(".kw-lanes-astable");
  const rows = await page.$$eval(".kw-lanes-table tr", (all) => all.map((r) => [...r.children].map((c) => c.textContent)));
  const column = (name) => rows[0].indexOf(name);
  const row = (name) => rows.find((r) => r[0] === name);
  assert.equal(row("kubelet/node-2")[column("Down")], "120.000 s");
  assert.equal(row("replicaset-controller")[column("Retries")], "–");
  assert.ok(Number(row("etcd")[column("Events")]) > 20);
  await page.click(".kw-lanes-table button:text-is('etcd')");
  assert.equal(await page.textContent(".kw-chip"), "etcd");
});

player("the lanes as a table count what was put back", { path: "/embed/work-queue/" }, async (page) => {
  await whole(page);
  await openLanes(page);
  await page.click(".kw-lanes-astable");
  const rows = await page.$$eval(".kw-lanes-table tr", (all) => all.map((r) => [...r.children].map((c) => c.textContent)));
  const row = rows.find((r) => r[0] === "replicaset-controller");
  assert.ok(Number(row[rows[0].indexOf("Retries")]) > 0);
});

player("lanes follow a reader's own run", { path: "/embed/replicaset-scale/" }, async (page) => {
  await whole(page);
  for (let i = 0; i < 6; i++) await press(page, "To the next moment");
  await openLanes(page);
  const rows = () => page.$$eval(".kw-lanes-table tr", (all) =>
    Object.fromEntries(all.slice(1).map((r) => [r.children[0].textContent, Number(r.children[1].textContent)])));
  await page.click(".kw-lanes-astable");
  const before = await rows();
  await page.fill(".kw-number", "9");
  await page.press(".kw-number", "Enter");
  await page.waitForSelector(".kw-caption.is-own.is-shown", { timeout: 60_000 });
  await page.waitForFunction((n) => Number([...document.querySelectorAll(".kw-lanes-table tr")]
    .find((r) => r.children[0].textContent === "etcd").children[1].textContent) < n, before["etcd"], { timeout: 10_000 })
    .catch(() => assert.fail("the lanes still show what is no longer so"));
  const branched = await rows();
  await page.focus(".kw-lanes-box");
  await page.keyboard.press("v");
  assert.ok(await page.isHidden(".kw-lanes-table"), "v does not close the table");
  await page.keyboard.press("v");
  await page.waitForFunction((n) => Number([...document.querySelectorAll(".kw-lanes-table tr")]
    .find((r) => r.children[0].textContent === "etcd").children[1].textContent) > n, branched["etcd"], { timeout: 60_000 });
});

player("the help sheet lists every key, takes the focus and gives it back", {}, async (page) => {
  await page.focus(".kw-play");
  await page.keyboard.press("?");
  await page.waitForSelector(".kw-help[open]");
  assert.ok(await on(page, ".kw-help *"));
  const rows = await page.$$eval(".kw-help dl > div", (all) => all.map((r) => r.textContent));
  assert.ok(rows.length >= 30);
  assert.ok(rows.some((r) => /→ or \.Step forward/.test(r)), rows.slice(0, 8).join("\n"));
  const at = await time(page);
  await page.keyboard.press("e");
  assert.equal(await time(page), at, "keys go on working behind the sheet");
  await page.keyboard.press("Escape");
  await page.waitForSelector(".kw-help", { state: "detached" }); // the dialog says so in a task of its own
  assert.ok(await on(page, ".kw-play"));
  await page.click(".kw-keys-button");
  await page.waitForSelector(".kw-help[open]");
  await page.click(".kw-help button");
  assert.ok(await on(page, ".kw-keys-button"));
});

player("each key does what the sheet says", {}, async (page) => {
  await whole(page);
  await page.focus(".kw-play");
  await page.keyboard.press("m");
  await page.keyboard.press(">");
  assert.equal(await page.inputValue(".kw-speed"), "2");
  await page.keyboard.press("<");
  assert.equal(await page.inputValue(".kw-speed"), "1");
  await page.keyboard.press("w");
  await page.waitForSelector(".kw-inspector.is-open");
  await page.keyboard.press("Escape");
  await page.keyboard.press("f");
  assert.ok(await on(page, ".kw-log-head select"));
  await page.selectOption(".kw-log-head select", "etcd");
  await page.focus(".kw-play");
  await page.keyboard.press("x");
  assert.equal(await page.isVisible(".kw-chip"), false);
  await page.keyboard.press("h");
  assert.ok(await page.isChecked(".kw-check input"));
  await page.keyboard.press("g");
  assert.ok(await page.$eval(".kw-legend", (d) => d.open));
  await page.keyboard.press("u");
  assert.ok(await on(page, ".kw-unit"));
  await page.focus(".kw-play");
  await page.keyboard.press("y");
  await page.waitForFunction(() => /#demo=deployment-rollout/.test(location.hash));
  // While somebody types, nothing of this happens.
  const at = await time(page);
  await page.focus(".kw-number");
  for (const key of ["e", "m", "?", "t", "ArrowLeft"]) await page.keyboard.press(key);
  assert.equal(await time(page), at);
  await page.waitForSelector(".kw-help", { state: "detached" }); // the dialog says so in a task of its own
});

player("what the picture shows of an object can be read where it is chosen", { path: "/embed/node-dies/" }, async (page) => {
  await whole(page);
  await page.focus(".kw-play");
  for (let i = 0; i < 5; i++) await page.keyboard.press("m");
  await page.keyboard.press("f");
  const options = await page.$$eval(".kw-log-head option", (all) => all.map((o) => o.textContent));
  const shown = await page.$$eval(".kw-stage .role-pod", (all) => all.map((e) => [e.getAttribute("data-about"), e.querySelector(".detail")?.textContent]));
  assert.ok(shown.length >= 3);
  const read = shown.filter(([, state]) => state); // a small tile has no room for words
  assert.ok(read.length > 0);
  for (const [about, state] of read) {
    assert.ok(options.some((o) => o.startsWith(`${about} · ${state}`)), `${about} is ${state}: ${options.filter((o) => o.includes("pods ")).join("; ")}`);
  }
});

player("without motion, playing stands at an event, and then at another", { motion: "reduce", path: "/embed/replicaset-scale/" }, async (page) => {
  await whole(page);
  await press(page, "Play");
  await page.selectOption(".kw-speed", "4"); // where there is something to read it stands longer
  const seen = await page.evaluate(async () => {
    const scrubber = document.querySelector(".kw-scrubber");
    const stops = [];
    let animated = 0;
    for (const until = performance.now() + 20_000; performance.now() < until && stops.length < 8; ) {
      await new Promise(requestAnimationFrame);
      animated += document.getAnimations().length;
      const at = `${scrubber.value} ${document.querySelector(".kw-time").textContent} ${[...document.querySelectorAll(".kw-stage .kw-packet")].map((p) => p.getAttribute("transform"))}`;
      if (stops.at(-1)?.at !== at) stops.push({ at, since: performance.now() });
    }
    return { animated, stops };
  });
  assert.equal(seen.animated, 0, "something slides");
  assert.ok(seen.stops.length >= 8, "it does not play");
  const short = seen.stops.slice(2).map(({ since }, i) => since - seen.stops[i + 1].since).filter((ms) => ms < 330);
  assert.deepEqual(short, [], "it does not stand");
  await press(page, "Pause");
  await openLanes(page);
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("?");
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
});

for (const [theme, width, path] of looks(rollout, "/embed/ja/node-dies/")) {
  player(`axe finds nothing in lanes and help: ${theme}, ${width} px, ${path}`, { theme, width, path }, async (page) => {
    const check = () => noBarriers(page, { within: "kubewalk-demo" });
    await openLanes(page);
    await page.keyboard.press("ArrowRight");
    await page.click(".kw-lanes-astable");
    await check();
    const { wide, small } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      small: [...document.querySelectorAll(".kw-player :is(button, select, summary, input)")]
        .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.outerHTML.slice(0, 120)),
    }));
    assert.ok(wide <= 0, `the page is ${wide} px too wide`);
    assert.deepEqual(small, [], "targets of less than 24 px");
    await page.focus(".kw-play");
    await page.keyboard.press("?");
    await page.waitForSelector(".kw-help[open]");
    await check();
  });
}

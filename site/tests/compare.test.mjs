// Branches, two worlds side by side, counterfactuals, and what can be taken along,
// in a real browser, on the built site.

import assert from "node:assert/strict";
import { noBarriers } from "./barriers.mjs";
import { openPage } from "./harness.mjs";
import { browser, inPage, nextMark, press, scaleAndStand, slow, time } from "./reader.mjs";

const demo = "/embed/replicaset-scale/";

/** A test in the demo by itself. */
const player = (name, options, run) => inPage(name, { path: demo, context: { permissions: ["clipboard-read", "clipboard-write"] }, ...options }, run);

const worlds = (page) => page.$$eval(".kw-world", (all) => all.map((e) => ({
  letter: e.querySelector(".kw-letter").textContent, name: e.querySelector(".kw-world-name > span")?.textContent, shown: e.classList.contains("is-shown"),
  depth: (function depth(x) { const up = x.parentElement.closest(".kw-tree li"); return up ? 1 + depth(up) : 0; })(e.closest("li")),
})));
const names = async (page) => (await worlds(page)).map((w) => `${" ".repeat(w.depth)}${w.letter}${w.shown ? "*" : ""}`);
/** The tree is as it has to be, or becomes so. */
async function becomes(page, want) {
  for (const until = Date.now() + slow.timeout; Date.now() < until && JSON.stringify(await names(page)) !== JSON.stringify(want); ) {
    await page.waitForTimeout(50);
  }
  assert.deepEqual(await names(page), want);
}
/** From now on: which worlds the tree, the badge and the control show, whenever anything changes. */
const watch = (page) => page.evaluate(() => {
  const seen = new Set();
  const look = () => seen.add(`${document.querySelector(".kw-badge").textContent} ${[...document.querySelectorAll(".kw-world.is-shown .kw-letter")].map((e) => e.textContent)} ${document.querySelector(".kw-reset").hidden}`);
  look();
  new MutationObserver(look).observe(document.querySelector(".kw-player"), { subtree: true, childList: true, attributes: true, characterData: true });
  window.shownWorlds = () => [...seen];
});
const compareWith = async (page, letter) => {
  await page.click(`.kw-compare-button >> text=Compare with ${letter === "R" ? "the recording" : letter}`);
  await page.waitForSelector(".kw-pair", slow);
  await page.waitForFunction(() => !document.querySelector(".is-busy"), null, slow);
};
/** Plays on until something is so. */
async function playUntil(page, holds) {
  await page.selectOption(".kw-speed", "4");
  await page.click(".kw-play");
  await page.waitForFunction(holds, null, slow);
  if (await page.$(".kw-play.is-playing")) await page.click(".kw-play");
}
/** Two branches of the recording: 6 replicas, and 2. */
async function branchTwice(page) {
  await nextMark(page, 9);
  await scaleAndStand(page, 6);
  await page.click(".kw-reset");
  await press(page, "To the previous moment");
  await scaleAndStand(page, 2);
}

player("a branch from the moment of the last one holds nothing of it", {}, async (page) => {
  await nextMark(page, 9);
  await scaleAndStand(page, 7);
  await press(page, "To the previous moment");
  await scaleAndStand(page, 5);
  await becomes(page, ["R", " A", " B*"]);
  const [, first, second] = await worlds(page);
  assert.match(first.name, /7 replicas\. · 27\.\d{3} s$/);
  assert.match(second.name, /5 replicas\. · 27\.\d{3} s$/);
  await page.keyboard.press("End");
  assert.equal(await page.inputValue(".kw-number"), "5");
});

player("going back and doing something else keeps both", {}, async (page) => {
  await nextMark(page, 9);
  assert.equal(await page.$(".kw-worlds"), null, "a first-time reader sees no tree");
  await scaleAndStand(page, 6);
  await becomes(page, ["R", " A*"]);
  await scaleAndStand(page, 7); // goes on from what was seen last
  await becomes(page, ["R", " A*"]);
  for (let i = 0; i < 3; i++) await press(page, "Step back");
  await scaleAndStand(page, 4);
  await becomes(page, ["R", " A", "  B*"]);
  await page.click(".kw-reset");
  await scaleAndStand(page, 2);
  await becomes(page, ["R", " A", "  B", " C*"]);
  const all = await worlds(page);
  assert.match(all[1].name, /6 .*and 1 more$/);
  assert.match(all[2].name, /4 replicas\. · \d+\.\d{3} s$/);

  // Each is as it was left.
  await page.click(".kw-world-name >> nth=2");
  await page.waitForFunction(() => document.querySelectorAll(".kw-world")[2].classList.contains("is-shown"), null, slow);
  await page.keyboard.press("End");
  assert.equal(await page.inputValue(".kw-number"), "4");
  await page.click(".kw-world-name >> nth=0");
  await page.waitForFunction(() => document.querySelector(".kw-badge").textContent === "Recording");
  await becomes(page, ["R*", " A", "  B", " C"]);

  // Its name is the reader's; who is dropped leaves its own to its parent.
  await page.click('button[aria-label="Rename B"]');
  await page.keyboard.type("four of them");
  await page.keyboard.press("Enter");
  assert.equal((await worlds(page))[2].name, "four of them");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Bfour of them", "renaming loses the focus");
  await page.click('button[aria-label="Rename B"]');
  await page.keyboard.type("no");
  await page.keyboard.press("Escape");
  assert.equal((await worlds(page))[2].name, "four of them");
  await page.click('button[aria-label="Remove A"]');
  await becomes(page, ["R*", " B", " C"]);
});

player("two branches are compared at the moment that is shown, and from where they part", {}, async (page) => {
  await branchTwice(page);
  await becomes(page, ["R", " A", " B*"]);
  const moment = await time(page);
  await compareWith(page, "A");
  assert.equal(await time(page), moment);
  await becomes(page, ["R", " A*", " B*"]);
  assert.equal(await page.$$eval(".kw-pair svg.kw-scene", (all) => all.length), 2);

  // The first difference is what was done in one of them only.
  const told = await page.textContent(".kw-parting");
  assert.match(told, /At (\d+\.\d{3} s) the worlds diverge\./);
  assert.match(told, /In A.*6 replicas/);
  assert.match(told, /In B.*2 replicas/);
  await page.click("text=To the first difference");
  assert.equal(await time(page), /At (\d+\.\d{3} s)/.exec(told)[1]);
  const current = await page.textContent(".kw-event[aria-current] .kw-sentence");
  assert.match(current, /^[AB]kubectl scales web/);
  assert.ok(await page.$(".kw-parting-tick"), "the scrubber does not show where they part");
  const sides = () => page.$$eval(".kw-side", (all) => all.map((side) => side.querySelectorAll(".role-pod:not(.is-leaving)").length));
  await press(page, "Step back");
  assert.deepEqual((await page.textContent(".kw-event[aria-current] .kw-sentence")).match(/^[AB]You/), null, "before it they are not the same");
  assert.equal(await page.$(".kw-difference"), null);

  // One transport moves both, to the same virtual time.
  await playUntil(page, () => {
    const pods = (side) => side.querySelectorAll(".role-pod:not(.is-leaving)").length;
    return [...document.querySelectorAll(".kw-side")].map(pods).join() === "6,2";
  });
  assert.ok((await sides())[0] >= 6);
  const signs = await page.$$eval(".kw-side", (all) =>
    all.map((side) => [...side.querySelectorAll(".kw-difference text")].map((t) => t.textContent).sort().join("")));
  assert.match(signs[0], /\+/);
  const onPods = await page.$$eval(".kw-difference", (all) => all.map((e) => [e.matches(".is-small"), e.firstElementChild.getBBox().width]));
  assert.ok(onPods.some(([isSmall]) => isSmall), "no Pod is marked");
  for (const [isSmall, width] of onPods) assert.ok(!isSmall || width <= 8, `a sign covers a Pod's name: ${width}`);
  assert.match(await page.textContent(".kw-now"), /Only in A.*web-/);
  const deleted = await page.$$eval(".kw-outcomes tbody tr:nth-child(2) td", (cells) => cells.map((c) => Number(c.textContent)));
  assert.deepEqual(deleted, [2, 6], "Pods deleted");

  // The inspector is about the world that an event is of.
  await page.click("text=To the first difference");
  const letter = await page.textContent(".kw-event[aria-current] .kw-letter");
  await page.click(".kw-event[aria-current]");
  await page.waitForSelector(".kw-inspector.is-open .kw-inspector-sentence");
  assert.equal(await page.textContent(".kw-side-name[aria-pressed=true] .kw-letter"), letter);
  const sentence = (await page.textContent(".kw-event[aria-current] .kw-sentence")).slice(1);
  assert.ok((await page.textContent(".kw-inspector")).includes(sentence), "the inspector shows another event");

  await watch(page);
  await page.click("text=Leave the comparison");
  await page.waitForSelector(".kw-scene.kw-live.kw-wide", slow);
  assert.equal(await page.$(".kw-pair"), null);
  await becomes(page, letter === "A" ? ["R", " A*", " B"] : ["R", " A", " B*"]);
  const shown = await page.evaluate(() => window.shownWorlds());
  assert.deepEqual(shown.filter((one) => !/^Live (A,B|[AB]) false$/.test(one)), [], "meanwhile another world was shown");
});

player("worlds are compared after the recording's end, too", {}, async (page) => {
  await nextMark(page, 8);
  await scaleAndStand(page, 8);
  await becomes(page, ["R", " A*"]);
  // Where nothing is left to happen it rests, and plays on through the silence when it is told to.
  await page.selectOption(".kw-speed", "4");
  await page.click(".kw-play");
  await page.click(".kw-status button >> text=Play on", slow);
  await page.waitForFunction(() => parseFloat(document.querySelector(".kw-time").textContent) > 150, null, slow);
  if (await page.$(".kw-play.is-playing")) await page.click(".kw-play.is-playing");
  await compareWith(page, "R");
  await becomes(page, ["R*", " A*"]);
  assert.match(await page.textContent(".kw-parting"), /At \d+\.\d{3} s the worlds diverge\./);
  assert.equal(await page.$$eval(".kw-pair svg.kw-scene", (all) => all.length), 2);
  await page.keyboard.press("End");
  await page.waitForFunction(() => parseFloat(document.querySelector(".kw-time").textContent) > 150, null, slow);
  assert.match(await page.textContent(".kw-now"), /Only in A.*web-/, "five Pods are in one world only");
});

player("why two worlds are not compared is told, and can be tried again", {}, async (page) => {
  await nextMark(page, 8);
  await scaleAndStand(page, 8);
  // The control plane dies with the first that is asked of it for the comparison.
  await page.evaluate(() => {
    const post = Worker.prototype.postMessage;
    Worker.prototype.postMessage = function (message) {
      if (message.call === "open" || message.call === "relayout") return this.onerror(new ErrorEvent("error", { message: "out of memory" }));
      return post.call(this, message);
    };
    window.mend = () => (Worker.prototype.postMessage = post);
  });
  await page.click(".kw-compare-button");
  await page.waitForFunction(() => /stopped answering/.test(document.querySelector(".kw-status:not([hidden])")?.textContent ?? ""), null, slow);
  assert.equal(await page.$(".kw-pair"), null);
  await page.waitForFunction(() => !document.querySelector(".is-busy"), null, slow);
  await page.evaluate(() => window.mend());
  await page.click(".kw-compare-button", slow); // with A, when that could not be had in the other layout
  await page.waitForSelector(".kw-pair", slow);
});

player("a branch stays what is shown until the other layout has it", {}, async (page) => {
  await nextMark(page, 9);
  await scaleAndStand(page, 6);
  await becomes(page, ["R", " A*"]);
  const state = async () => [await time(page), await page.textContent(".kw-event[aria-current]"), await page.inputValue(".kw-number")];
  const stood = await state();
  await watch(page);
  for (const [width, layout] of [[700, "narrow"], [1280, "wide"]]) {
    await page.setViewportSize({ width, height: 900 });
    await page.waitForSelector(`.kw-scene.kw-live.kw-${layout}`, slow);
    await page.waitForFunction(() => !document.querySelector(".is-busy"), null, slow);
    assert.deepEqual(await state(), stood, layout);
  }
  assert.deepEqual(await page.evaluate(() => window.shownWorlds()), ["Live A false"], "meanwhile another world was shown");
  assert.equal(await page.textContent(".kw-status"), "");
  await press(page, "Play");
  await page.waitForFunction(() => document.querySelectorAll(".kw-stage .role-pod:not(.is-leaving)").length === 6, null, slow);
});

player("who goes on while the other layout is made is not sent back", {}, async (page) => {
  await nextMark(page, 9);
  await scaleAndStand(page, 6);
  await page.setViewportSize({ width: 700, height: 900 });
  for (let i = 0; i < 5; i++) await press(page, "Step forward");
  await page.fill(".kw-number", "7");
  await page.press(".kw-number", "Enter");
  await page.waitForFunction(() => document.querySelector(".kw-caption.is-own.is-shown")?.textContent.includes("7"), null, slow);
  await page.waitForSelector(".kw-scene.kw-live.kw-narrow", slow);
  await becomes(page, ["R", " A*"]);
  await page.waitForFunction(() => document.querySelectorAll(".kw-stage .role-pod:not(.is-leaving)").length === 7, null, slow);
});

player("all names of what only one world has are there for whoever asks", {}, async (page) => {
  await nextMark(page, 9);
  await scaleAndStand(page, 12);
  await page.click(".kw-reset");
  await press(page, "To the previous moment");
  await scaleAndStand(page, 2);
  await compareWith(page, "A");
  await playUntil(page, () => document.querySelector(".kw-now .kw-more"));
  const names = () => page.$$eval(".kw-now dd", (all) => all[0].textContent.match(/web-\w+/g));
  const before = await names();
  const n = Number((await page.textContent(".kw-now .kw-more")).match(/^and (\d+) more$/)[1]);
  await page.$eval(".kw-now .kw-more", (button) => button.click()); // the panel that it is in may be closed
  const after = await names();
  assert.deepEqual(after.slice(0, before.length), before);
  assert.equal(new Set(after).size, before.length + n);
  assert.equal(await page.locator(".kw-now .kw-more").count(), 0);
});

player("what is done while comparing is done in the world that was turned to", {}, async (page) => {
  await branchTwice(page);
  await compareWith(page, "R");
  await page.keyboard.press("End");
  await page.click(".kw-side-name >> nth=1");
  await page.fill(".kw-number", "9");
  await page.press(".kw-number", "Enter");
  await page.waitForFunction(() =>
    document.querySelector(".kw-parting") && /and 1 more/.test(document.querySelectorAll(".kw-side-name")[1].textContent), null, slow);
  await becomes(page, ["R*", " A", " B*"]);
});

player("a link brings back two worlds at the same event", {}, async (page) => {
  await branchTwice(page);
  await compareWith(page, "A");
  await page.click("text=To the first difference");
  for (let i = 0; i < 8; i++) await press(page, "Step forward");
  await page.keyboard.press("y");
  await page.waitForFunction(() => location.hash.includes("versus="), null, slow);
  const url = await page.evaluate(() => location.href);
  assert.match(url, /#demo=replicaset-scale&engine=[0-9a-f]{8}&seed=\d+&inputs=[\d.]+,scale,replicasets,default,web,6&versus=/);
  assert.match(url, /&versus=[\d.]+,scale,replicasets,default,web,2&at=[\d.]+&event=\d+$/);
  const state = async (p) => [await time(p), await p.textContent(".kw-event[aria-current]"),
    await p.textContent(".kw-parting"), await p.textContent(".kw-outcomes")];
  const want = await state(page);
  const other = await openPage(browser, url, {});
  try {
    await other.waitForSelector(".kw-pair", slow);
    // Between the picture for one world and the one for two, the event before or after may be the current one.
    await other.waitForFunction(([t, row]) => document.querySelector(".kw-time").textContent === t
      && document.querySelector(".kw-event[aria-current]")?.textContent === row, want, slow);
    assert.deepEqual(await state(other), want);
    assert.deepEqual(other.problems, []);
  } finally {
    await other.context().close();
  }
});

player("beside text two pictures end above what is said of them", { path: "/en/start/tour/", width: 1440, height: 780 }, async (page) => {
  await page.$eval('.walk-text a[href="#demo-replicaset-scale-running"]', (a) => a.click());
  await scaleAndStand(page, 6);
  await page.$$eval(".kw-compare-button", (all) => all.at(-1).click());
  await page.waitForSelector(".kw-pair", slow);
  const [told, ...ends] = await page.evaluate(() => [document.querySelector(".kw-told").getBoundingClientRect().top,
    ...[...document.querySelectorAll(".kw-pair svg.kw-scene")].map((e) => e.getBoundingClientRect().bottom)]);
  assert.equal(ends.length, 2);
  for (const end of ends) assert.ok(end <= told + 1, `a picture ends at ${end}, and ${told} is where it is told`);
});

player("a counterfactual is a switch: it opens where the worlds diverge", { path: "/embed/expectations/" }, async (page) => {
  await page.click(".kw-what-ifs > summary");
  const button = page.locator('.kw-switch:has-text("Without expectations")');
  assert.equal(await button.getAttribute("aria-checked"), "false");
  await button.click();
  await page.waitForSelector(".kw-pair", slow);
  await page.waitForFunction(() => !document.querySelector(".is-busy"), null, slow);
  assert.equal(await button.getAttribute("aria-checked"), "true");
  const parting = /At (\d+\.\d{3} s) the worlds diverge\./.exec(await page.textContent(".kw-parting"));
  assert.ok(parting, await page.textContent(".kw-parting"));
  assert.equal(await time(page), parting[1]);
  assert.match((await worlds(page))[1].name, /^Without expectations/);
  // The first object that one world has alone is a mark before anybody has played so far.
  await page.waitForSelector("button:visible >> text=To the first object that only one has", slow);
  assert.equal((await page.$$(".kw-parting-tick")).length, 2);
  await page.keyboard.press("m");
  await page.waitForFunction((parted) => document.querySelector(".kw-time").textContent !== parted, parting[1], slow);
  await page.waitForFunction(() => /Only in A.*web-/.test(document.querySelector(".kw-now").textContent), null, slow);
  await playUntil(page, () => {
    const [real, otherwise] = [...document.querySelectorAll(".kw-outcomes tbody tr:first-child td")].map((c) => Number(c.textContent));
    return otherwise > real;
  });
  await page.keyboard.press("y");
  await page.waitForFunction(() => /versus=&versus-what-if=/.test(location.hash), null, slow);
  await page.click('.kw-switch:has-text("Without expectations")');
  await page.waitForFunction(() => !document.querySelector(".kw-pair"), null, slow);
  await page.waitForSelector(".kw-switch[aria-checked=true]", { state: "detached" });
  assert.equal((await worlds(page))[0].shown, true);
});

player("a world that cannot be run is told where it was asked for", { path: "/embed/expectations/" }, async (page) => {
  await page.route("**/*.wasm.zst", (route) => route.abort());
  await page.click(".kw-what-ifs > summary");
  await page.click(".kw-switch >> nth=0");
  await page.waitForFunction(() => /could not be run/.test(document.querySelector(".kw-what-if-status").textContent), null, slow);
  await page.waitForSelector(".kw-scene.kw-live.kw-wide");
  const stood = await time(page);
  await nextMark(page, 1);
  assert.notEqual(await time(page), stood, "the recording does not go on working");
  page.problems = page.problems.filter((p) => !/wasm|ERR_FAILED/.test(p));
});

player("branching, comparing and sharing need no pointer", {}, async (page) => {
  await branchTwice(page);
  const tabTo = async (selector) => {
    for (let i = 0; i < 80; i++) {
      if (await page.evaluate((s) => document.activeElement.matches(s), selector)) return;
      await page.keyboard.press("Tab");
    }
    assert.fail(`${selector} cannot be reached`);
  };
  await page.focus(".kw-play");
  await tabTo(".kw-more-button");
  await page.keyboard.press("Enter");
  await tabTo(".kw-compare-button");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".kw-pair", slow);
  await page.waitForFunction(() => !document.querySelector(".is-busy"), null, slow);
  await tabTo(".kw-side-name[aria-pressed=false]");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-pressed")), "true");
  await page.keyboard.press("m"); // where they part is a moment like the author's
  assert.match(await page.textContent(".kw-announced"), /\d s\. [RAB]: /);
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => !document.querySelector(".kw-pair"));
  await page.focus(".kw-share-button");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement.matches(".kw-share-item"));
  await page.keyboard.press("Escape");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".kw-share-button")), "closing the menu loses the focus");
});

for (const [theme, width, path] of [["light", 1280, demo], ["dark", 360, "/embed/ja/replicaset-scale/"]]) {
  player(`axe finds nothing in a comparison: ${theme}, ${width} px, ${path}`, { theme, width, path }, async (page) => {
    await nextMark(page, 9);
    await scaleAndStand(page, 6);
    await page.click(".kw-compare-button");
    await page.waitForSelector(".kw-pair", slow);
    await page.waitForFunction(() => !document.querySelector(".is-busy"), null, slow);
    await page.focus(".kw-play");
    await page.keyboard.press("End");
    await page.click(".kw-share-button");
    await noBarriers(page, { within: "kubewalk-demo" });
    const { wide, small, pictures } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      pictures: [...document.querySelectorAll(".kw-pair svg.kw-scene")].filter((e) => e.checkVisibility()).length,
      small: [...document.querySelectorAll(".kw-player :is(button, select, summary, input:not([type=radio]))")]
        .filter((e) => e.checkVisibility() && e.getBoundingClientRect().height < 24).map((e) => e.outerHTML.slice(0, 120)),
    }));
    assert.ok(wide <= 0, `the page is ${wide} px too wide`);
    assert.deepEqual(small, [], "targets of less than 24 px");
    assert.equal(pictures, width < 600 ? 1 : 2, "pictures in sight");
  });
}

const phone = { width: 360, height: 740, context: { hasTouch: true, isMobile: true } };
for (const path of ["/en/loop/replicaset/", "/ja/loop/replicaset/", demo]) {
  inPage(`on a phone a comparison leaves the picture its size: ${path}`, { path, ...phone }, async (page) => {
    const width = () => page.$$eval(".kw-stage svg.kw-scene", (all) => {
      const picture = all.find((e) => e.checkVisibility()).querySelector(".role-apiserver > rect");
      return picture.getBoundingClientRect().width;
    });
    const second = ".walk-text > p:nth-of-type(2)";
    if (path !== demo) await page.$eval(second, (e) => e.scrollIntoView({ block: "center", behavior: "instant" }));
    await nextMark(page, 1);
    const before = await width();
    await scaleAndStand(page, 6);
    await page.$$eval(".kw-compare-button", (all) => all.at(-1).click());
    await page.waitForSelector(".kw-pair", slow);
    await page.waitForFunction(() => !document.querySelector(".is-busy"), null, slow);
    const least = path === demo ? 0.9 : 0.99; // where no text lies below, all of it takes room
    assert.ok((await width()) >= least * before, `${before} px, then ${await width()} px`);
    const covered = await page.$$eval(".kw-side-name, .kw-compare-buttons > .kw-button:not([hidden])", (all) => all.filter((e) => {
      const { left, top, width, height } = e.getBoundingClientRect();
      return !e.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    }).map((e) => e.textContent));
    assert.deepEqual(covered, [], "what a reader cannot press");
  });
}

inPage("a branch keeps its row while two of them are made ready to be compared", { path: "/en/loop/replicaset/", width: 1440, height: 780 }, async (page) => {
  for (const [marks, replicas] of [[7, 6], [2, 5]]) {
    await nextMark(page, marks);
    await scaleAndStand(page, replicas);
    if (replicas === 6) await page.click(".kw-told > .kw-reset");
  }
  await page.click(".kw-more-button");
  const row = ".kw-world:has(.kw-compare-button:text('Compare with A')) .kw-world-name > span";
  const { width: before } = await page.locator(row).boundingBox();
  await page.$$eval(".kw-world-name > span", ([, second]) => {
    const tree = second.closest(".kw-tree");
    window.widths = [];
    const note = () => {
      if (tree.isConnected) window.widths.push(tree.querySelectorAll(".kw-world-name > span")[1]?.getBoundingClientRect().width ?? 0);
      requestAnimationFrame(note);
    };
    note();
  });
  await page.click(".kw-compare-button >> text=Compare with A");
  await page.waitForSelector(".kw-pair", slow);
  const widths = (await page.evaluate(() => window.widths)).filter((width) => width > 0);
  assert.ok(widths.length > 2 && Math.min(...widths) >= before - 1, `${before} px wide, and then ${Math.min(...widths)}`);
});

// A demo beside its text, in a real browser: what is opened there and what is done from there leaves text and picture in sight.

import assert from "node:assert/strict";
import { noBarriers } from "./barriers.mjs";
import { inPage, nextMark, numbered, read, slow, time, whole } from "./reader.mjs";

const chapter = (lang) => `/${lang}/loop/replicaset/`;
/** A test in the chapter. */
const inChapter = (name, options, run) => inPage(name, { path: chapter("en"), ready: ".walk .kw-player .kw-scene", ...options }, run);

const link = (mark) => `.walk-text a[href="#demo-replicaset-scale-${mark}"]`;

const sizes = [[1440, 780], [1024, 700], [360, 740]];

for (const [width, height] of [[1440, 780], [360, 740]]) {
  inChapter(`what is opened does not push the picture away: ${width} px`, { width, height }, async (page) => {
    await read(page, link("queued"));
    await numbered(page, 2);
    const box = () => page.$eval(".kw-stage", (e) => JSON.stringify(e.getBoundingClientRect()));
    const before = await box();
    await page.click(".kw-more-button");
    for (const tab of await page.$$(".kw-side-head [role=tab]")) {
      await tab.click();
      await page.waitForTimeout(100);
      assert.equal(await box(), before);
    }
    await noBarriers(page, { within: ".kw-player" });
    await page.focus(".kw-side-head [aria-selected=true]");
    await page.keyboard.press("Escape");
    assert.equal(await page.$eval(".kw-sidepanel", (e) => e.hidden), true);
    assert.equal(await page.evaluate(() => document.activeElement.className.includes("kw-more-button")), true);
    await page.click(".kw-ask");
    await page.waitForSelector(".kw-sidepanel:not([hidden]) .kw-why-title, .kw-sidepanel:not([hidden]) .kw-inspector.is-open", slow);
    assert.equal(await box(), before);
  });
}

for (const path of [chapter("en"), "/ja/loop/replicaset/", "/embed/replicaset-scale/"]) {
  const phone = { width: 360, height: 740, context: { hasTouch: true, isMobile: true } };
  inPage(`the log of a part of the picture is readable on a phone, and the picture whole: ${path}`, { path, ...phone }, async (page) => {
    if (path.includes("loop")) await read(page, "#sync");
    await page.locator(".kw-stage .role-apiserver").first().click({ position: { x: 20, y: 12 } });
    await page.waitForSelector(".kw-chosen:not([hidden])", slow);
    const seen = await page.evaluate(() => {
      const box = (selector) => document.querySelector(selector).getBoundingClientRect();
      const [events, panel, picture] = [".kw-events", ".kw-sidepanel", ".kw-stage > .kw-scene"].map(box);
      const line = document.querySelector(".kw-event .kw-sentence");
      return { lines: (Math.min(events.bottom, panel.bottom) - events.top) / parseFloat(getComputedStyle(line).lineHeight),
        isWhole: picture.top >= -1 && picture.bottom <= panel.top + 1 };
    });
    assert.ok(seen.lines >= 8 && seen.isWhole, JSON.stringify(seen));
  });
}

for (const [path, height] of [["/en/loop/when-a-node-dies/", 740], [chapter("en"), 640], ["/ja/loop/garbage-collector/", 740]]) {
  const phone = { width: 360, height, context: { hasTouch: true, isMobile: true } };
  inPage(`what was chosen in the picture stays in sight above the panel: ${path}, 360 × ${height}`, { path, ...phone }, async (page) => {
    await page.waitForSelector(".kw-player.is-docked", slow);
    await nextMark(page, 3);
    const lowest = await page.evaluate(() => {
      const end = (shape) => shape.getBoundingClientRect().bottom;
      const shapes = [...document.querySelectorAll(".kw-player .kw-stage [data-about]")].filter((shape) => shape.getBoundingClientRect().width > 4);
      return shapes.sort((a, b) => end(b) - end(a))[0].dataset.id;
    });
    await page.locator(`.kw-stage [data-id="${lowest}"]`).first().dispatchEvent("click");
    await page.waitForSelector(".kw-sidepanel:not([hidden])");
    await page.waitForTimeout(500); // what can be done to it is loaded
    const [chosen, panel] = await Promise.all([`.kw-stage [data-id="${lowest}"]`, ".kw-sidepanel"].map((part) => page.locator(part).first().boundingBox()));
    assert.ok(chosen.y >= 0 && chosen.y + chosen.height <= panel.y, JSON.stringify({ lowest, chosen, panel }));
    assert.ok(panel.height >= 190, `the panel is ${panel.height} px tall`);
  });
}

for (const size of [{ width: 360, height: 740 }, { width: 1440, height: 780 }]) {
  inChapter(`what can be done to a node is a row of whole actions, and the rest when it is asked for: ${size.width} px`, size, async (page) => {
    await read(page, link("running"));
    await numbered(page, 9);
    await page.locator(".kw-stage .role-node.form-panel").first().click();
    const row = page.locator(".kw-chosen .kw-break-menu");
    await row.locator("button").first().waitFor(slow);
    assert.match(await page.textContent(".kw-side-head .kw-tab[aria-selected=true]"), /Details/, "the tab says what it is about");
    const parts = () => row.evaluate((menu) => {
      const { bottom, right } = menu.getBoundingClientRect();
      const boxes = [...menu.children].map((item) => item.getBoundingClientRect());
      const isIn = (box) => box.bottom <= bottom + 1 && box.right <= right + 1;
      return { all: boxes.length, whole: boxes.filter(isIn).length, cut: boxes.filter((box) => !isIn(box) && box.top < bottom - 6).length };
    });
    const folded = await parts();
    assert.equal(folded.cut, 0, `${folded.cut} of them are cut`);
    assert.equal(await page.textContent(".kw-chosen-rest"), `${folded.all - folded.whole} more`);
    await page.click(".kw-chosen-rest");
    assert.deepEqual(await parts(), { all: folded.all, whole: folded.all, cut: 0 });
    await page.click(".kw-chosen-rest");
    assert.deepEqual(await parts(), folded);
    await row.locator("button").last().focus();
    assert.equal((await parts()).whole, folded.all, "one that is not in the row comes into sight with the focus");
  });
}

inChapter("on a phone what comes of what the reader did is not cut", { width: 360, height: 740 }, async (page) => {
  await read(page, link("running"));
  await numbered(page, 9);
  await page.fill(".kw-number", "4");
  await page.press(".kw-number", "Enter");
  await page.waitForSelector(".kw-caption.is-own.is-shown", slow);
  const cut = await page.$eval(".kw-caption.is-own", ({ lastElementChild: outcome }) => {
    outcome.textContent = "The API server refuses: ReplicaSet default/web has changed since it was read (409 Conflict).";
    return outcome.scrollHeight - outcome.clientHeight;
  });
  assert.ok(cut <= 1, `${cut} px of it are cut off`);
});

inPage("between two pictures a phone shows the title of the one that comes", { path: "/en/components/kubelet/", width: 360, height: 740 }, async (page) => {
  const later = page.locator(".walk ~ .walk").first();
  await later.evaluate((walk) => scrollTo({ top: walk.getBoundingClientRect().top + scrollY - 200, behavior: "instant" }));
  await later.locator(".kw-scene").first().waitFor(slow);
  const [title, scene] = await Promise.all([".kw-title", ".kw-scene"].map((part) => later.locator(part).first().boundingBox()));
  assert.ok(title && title.y > 0 && title.y + title.height <= scene.y, JSON.stringify({ title, scene }));
  await later.evaluate((walk) => scrollTo({ top: walk.getBoundingClientRect().top + scrollY + 400, behavior: "instant" }));
  const [gone, pinned] = await Promise.all([".kw-title", ".kw-scene"].map((part) => later.locator(part).first().boundingBox()));
  assert.ok(gone.y + gone.height <= 0 && Math.abs(pinned.y) < 8, "it takes no height from the pinned picture");
});

for (const [width, height] of sizes) {
  inChapter(`what is done from the panel is seen: ${width} × ${height}`, { width, height }, async (page) => {
    await read(page, link("running"));
    await numbered(page, 9);
    await page.locator(".kw-stage .role-node.form-panel").first().click();
    await page.click(".kw-taller"); // whoever reads in it wants all of it
    await page.locator(".kw-chosen .kw-break-act").first().click();
    await page.waitForSelector(".kw-caption.is-own.is-shown", slow);
    await page.waitForSelector(".kw-stage .role-node.state-down", slow);
    const covered = await page.evaluate(() => {
      const panel = document.querySelector(".kw-sidepanel").getBoundingClientRect();
      return [".kw-stage > .kw-scene", ".kw-caption.is-own.is-shown"].filter((part) => {
        const box = document.querySelector(part).getBoundingClientRect();
        const isUnder = box.bottom > panel.top + 1 && box.top < panel.bottom && box.right > panel.left && box.left < panel.right;
        return box.top < -1 || box.bottom > innerHeight || isUnder;
      });
    });
    assert.deepEqual(covered, []);
    assert.equal(await page.getAttribute(".kw-taller", "aria-pressed"), "false");
    assert.ok(await page.locator(".kw-chosen .kw-break-act").first().isVisible(), "what can be done now is at hand");
  });
}

inChapter("on a phone it is told what comes of what the reader did, and nothing moves for it", { width: 360, height: 740 }, async (page) => {
  await read(page, link("running"));
  await numbered(page, 9);
  const box = () => page.$$eval(".kw-stage, .kw-told", (all) => JSON.stringify(all.map((e) => e.getBoundingClientRect())));
  const before = await box();
  await page.fill(".kw-number", "4");
  await page.press(".kw-number", "Enter");
  await page.waitForSelector(".kw-caption.is-own.is-shown", slow);
  const outcome = page.locator(".kw-caption.is-own.is-shown > small");
  const told = new Set();
  for (const deadline = Date.now() + 40_000; told.size < 4; ) {
    assert.ok(Date.now() < deadline, [...told].join("; "));
    assert.match(await page.textContent(".kw-caption.is-own.is-shown > span"), /kubectl scales web to 4 replicas/);
    told.add(await outcome.innerText());
    assert.equal(await box(), before);
    await page.waitForTimeout(100);
  }
});

for (const [width, height] of [[1440, 780], [1024, 700]]) {
  inChapter(`a panel leaves the paragraph that is being read, and whoever turns to the text closes it: ${width} × ${height}`, { width, height }, async (page) => {
    await read(page, link("running"));
    await numbered(page, 9);
    const block = page.locator(".walk-text > .is-now");
    const words = await block.textContent();
    const paragraph = page.locator(".walk-text > *").filter({ hasText: words }).first();
    await page.locator(".kw-stage .role-node.form-panel").first().click();
    await page.waitForSelector(".kw-sidepanel:not([hidden])");
    const [text, panel] = await Promise.all([paragraph.boundingBox(), page.locator(".kw-sidepanel").boundingBox()]);
    assert.ok(text.y + text.height <= panel.y, JSON.stringify({ text, panel }));
    assert.ok(panel.height > 250, `it is ${panel.height} px tall`);
    assert.match(await page.locator(".kw-side-close").innerText(), /Close/);
    await paragraph.click({ position: { x: 2, y: 2 } });
    await page.waitForSelector(".kw-sidepanel", { state: "hidden" });
    await page.click(".kw-more-button");
    await page.waitForSelector(".kw-sidepanel:not([hidden])");
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press("Escape"); // also when the focus is in no part of the demo
    await page.waitForSelector(".kw-sidepanel", { state: "hidden" });
  });
}

for (const [lang, width, height] of [["en", 1440, 780], ["ja", 1024, 700]]) {
  inChapter(`the answer to why is tall, and the paragraph that is being read stays above it: ${lang}, ${width} × ${height}`, { path: chapter(lang), width, height }, async (page) => {
    await page.$eval(link("queued"), (a) => scrollBy({ top: a.getBoundingClientRect().top - innerHeight * 0.44, behavior: "instant" })); // low in the window
    await numbered(page, 2);
    const block = await page.$(".walk-text > .is-now");
    await page.click(".kw-ask");
    await page.waitForSelector(".kw-sidepanel:not([hidden]) .kw-causes", slow);
    const [text, panel] = await Promise.all([block.boundingBox(), page.locator(".kw-sidepanel").boundingBox()]);
    assert.ok(text.y >= 0 && text.y + text.height <= panel.y, JSON.stringify({ text, panel }));
    assert.ok(panel.height >= height * 0.5, `it is ${panel.height} px tall`);
  });
}

inChapter("on a phone the slider's name is seen", { width: 360, height: 740 }, async (page) => {
  await read(page, link("queued"));
  await page.waitForSelector(".kw-player.is-docked", slow);
  const name = page.locator(".kw-main > .kw-scale > span");
  assert.equal(await name.innerText(), "Replicas of web");
  const [label, slider, dock] = await Promise.all([name.boundingBox(), page.locator(".kw-slider").boundingBox(), page.locator(".kw-dock").boundingBox()]);
  assert.ok(label.height >= 14 && label.width >= 80 && label.y + label.height <= slider.y + 1 && slider.height >= 24, JSON.stringify({ label, slider }));
  assert.ok(dock.height <= 98, `the controls are ${dock.height} px tall`);
});

for (const path of ["/en/components/services/", "/ja/components/services/", "/en/components/admission-webhooks/", "/en/start/tour/"]) {
  for (const [width, height] of [[1440, 780], [1024, 700], [360, 740]]) {
    inPage(`the slider has its whole name, and the bar one row: ${path}, ${width} × ${height}`, { path, width, height }, async (page) => {
      await page.waitForSelector(".kw-caption.is-shown");
      const { name, tops } = await page.$eval(".kw-player", (player) => ({
        name: (({ textContent, scrollWidth, clientWidth }) => ({ textContent, scrollWidth, clientWidth }))(player.querySelector(".kw-main > .kw-scale > span")),
        tops: [".kw-ask", ".kw-more-button"].map((button) => Math.round(player.querySelector(button).getBoundingClientRect().top)),
      }));
      assert.ok(name.scrollWidth <= name.clientWidth, JSON.stringify(name));
      assert.equal(tops[0], tops[1], "More is in a row of its own");
    });
  }
}

for (const [width, height] of [[1440, 780], [360, 740]]) {
  inChapter(`the slider's effect shows in the same view: ${width} × ${height}`, { width, height }, async (page) => {
    await read(page, link("running"));
    await numbered(page, 9);
    const box = (selector) => page.$eval(selector, (e) => e.getBoundingClientRect().toJSON());
    const before = await box(".kw-slider");
    await page.focus(".kw-slider");
    for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
    await page.waitForSelector(".kw-caption.is-own.is-shown", slow);
    await page.waitForSelector(".kw-told > .kw-reset:not([hidden])", slow);
    const [slider, picture] = [await box(".kw-slider"), await box(".kw-player .kw-scene")];
    assert.ok(Math.abs(slider.top - before.top) <= 4, "the slider stays in its place");
    assert.ok(slider.bottom <= height && picture.top >= 0 && picture.bottom <= height, `the picture ends at ${picture.bottom}, the slider at ${slider.bottom}`);
  });
}

/** The captions of all demos' moments, by language: a chapter's storyboards hold them. */
inChapter("values that the keyboard passes are one action", { width: 1440, height: 780 }, async (page) => {
  await read(page, link("running"));
  await numbered(page, 9);
  await page.focus(".kw-slider");
  for (const key of ["ArrowRight", "ArrowRight", "ArrowUp", "ArrowLeft", "ArrowRight", "ArrowRight"]) {
    await page.keyboard.press(key);
    await page.waitForTimeout(200);
  }
  await page.waitForSelector(".kw-caption.is-own.is-shown", slow);
  await page.waitForTimeout(1200);
  assert.equal(await page.inputValue(".kw-slider"), "7");
  await page.focus(".kw-play");
  await page.keyboard.press("y"); // copies the link, which holds what was done
  await page.waitForFunction(() => location.hash.includes("inputs="), undefined, slow);
  assert.match(await page.evaluate(() => location.hash), /&inputs=[\d.]+,scale,replicasets,default,web,7&/);
});

inChapter("whoever takes hold of the slider is not overtaken by the recording", { motion: "no-preference", width: 1440, height: 780 }, async (page) => {
  // From early on: on a slow machine the recording comes far until it is held, and later it moves the slider itself.
  await page.click(link("queued"));
  await numbered(page, 2);
  await page.waitForSelector(".kw-play:not(.is-playing)", slow);
  await page.click(".kw-play");
  await page.waitForSelector(".kw-play.is-playing");
  const hold = async () => {
    const { x, y, width, height } = await page.locator(".kw-slider").boundingBox();
    const to = (value) => page.mouse.move(x + 11 + (value / 12) * (width - 22), y + height / 2, { steps: 4 });
    await to(Number(await page.inputValue(".kw-slider"))); // the thumb
    await page.mouse.down();
    return to;
  };
  await hold();
  await page.waitForSelector(".kw-play:not(.is-playing)");
  await page.mouse.up();
  await page.waitForSelector(".kw-play.is-playing", slow); // nothing was changed: it goes on
  const to = await hold();
  await page.waitForSelector(".kw-play:not(.is-playing)");
  const time = await page.textContent(".kw-time");
  await page.waitForTimeout(1500);
  assert.equal(await page.textContent(".kw-time"), time);
  await to(6);
  await page.mouse.up();
  await page.waitForSelector(".kw-caption.is-own.is-shown", slow);
  assert.match(await page.textContent(".kw-caption.is-own"), /6/);
});

inChapter("what the recording has done itself is said, and where it was not done yet is a click away", { width: 1440, height: 780 }, async (page) => {
  await page.click(link("scale-up"));
  await numbered(page, 10);
  await page.fill(".kw-number", "8");
  await page.press(".kw-number", "Enter");
  const told = page.locator(".kw-status .kw-button");
  await told.waitFor(slow);
  assert.match(await page.textContent(".kw-status"), /set this to 8 itself, at 27\.0/);
  assert.equal(await page.$(".kw-caption.is-own.is-shown"), null);
  await told.click();
  await numbered(page, 9);
  assert.equal(await page.inputValue(".kw-slider"), "3");
  await page.fill(".kw-number", "8");
  await page.press(".kw-number", "Enter");
  await page.waitForSelector(".kw-caption.is-own.is-shown", slow);
});

inChapter("who asks why gets the causes, also after looking at an object", { width: 1440, height: 780 }, async (page) => {
  await page.click(link("queued"));
  await numbered(page, 2);
  await page.locator(".kw-stage .role-node.form-panel").first().click();
  await page.waitForSelector('.kw-inspector [role=tab][id$="-object"][aria-selected=true]', slow);
  await page.locator(".kw-more-button").click(); // closes the panel, which lies over the text
  await page.waitForSelector(".kw-sidepanel", { state: "hidden" });
  await page.click(link("assumed"));
  await numbered(page, 7);
  await page.click(".kw-ask");
  await page.waitForSelector('.kw-inspector [role=tab][id$="-why"][aria-selected=true]', slow);
  await page.waitForFunction(() => /assumes/.test(document.querySelector(".kw-inspector-sentence")?.textContent ?? ""), null, slow);
  assert.ok(await page.$(".kw-causes"));
});

inChapter("on a phone why something happened has the panel for itself, and one way out", { width: 360, height: 740 }, async (page) => {
  await read(page, link("running"));
  await numbered(page, 9);
  const shown = () => page.$$eval(".kw-sidepanel :is(.kw-side-head, .kw-log, .kw-inspector.is-open, button[aria-label=Close], .kw-side-close)", (all) => all
    .filter((part) => part.checkVisibility()).map((part) => part.className.split(" ")[0]));
  await page.click(".kw-ask");
  await page.waitForSelector(".kw-causes", slow);
  assert.deepEqual(await shown(), ["kw-inspector", "kw-icon-button"]);
  const { height } = await page.locator(".kw-inspector").boundingBox();
  assert.ok(height > 740 / 2, `${height} px`);
  await page.click(".kw-inspector-head > .kw-icon-button");
  assert.equal(await page.locator(".kw-sidepanel").isVisible(), false, "who did not come from the log is back at the text");
  // From the log it leads back there.
  await page.click(".kw-more-button");
  await page.click('.kw-tab[id$="-log-tab"]');
  assert.ok(await page.$eval(".kw-side-head", (head) => head.scrollWidth <= head.clientWidth), "the tabs fit");
  await page.locator(".kw-event").first().click();
  await page.waitForSelector(".kw-causes", slow);
  await page.click(".kw-inspector-head > .kw-icon-button");
  assert.ok(await page.locator(".kw-log").isVisible());
});

inChapter("all the height is for the tab that it was taken for", { width: 1440, height: 780 }, async (page) => {
  await read(page, "#sync");
  await page.click(".kw-more-button");
  const pressed = async (side) => {
    await page.click(`.kw-tab[id$="-${side}-tab"]`);
    return page.getAttribute(".kw-taller", "aria-pressed");
  };
  assert.equal(await pressed("log"), "false");
  await page.click(".kw-taller");
  assert.deepEqual([await pressed("act"), await pressed("options"), await pressed("log")], ["false", "false", "true"]);
});

for (const path of ["/en/loop/deployments/", "/en/components/kube-scheduler/"]) {
  inChapter(`on a phone a command's line is empty once it was run, and line and answer are seen: ${path}`, { path, width: 360, height: 740 }, async (page) => {
    await page.locator('.walk-text a[href^="#demo-"]').nth(3).click();
    await page.click(".kw-more-button");
    const [command, output] = [page.locator(".kw-command").first(), page.locator(".kw-last").first()];
    await command.fill("get pods");
    await command.press("Enter");
    await page.waitForFunction(() => document.querySelector(".kw-last").textContent.includes("NAME"), null, slow);
    const [panel, line, answer] = await Promise.all([page.locator(".kw-side-act").first(), command, output].map((part) => part.boundingBox()));
    assert.ok(line.y >= panel.y && answer.y >= panel.y && answer.y + 48 < panel.y + panel.height, JSON.stringify({ panel, line, answer }));
    assert.equal(await command.inputValue(), "");
  });
}

inChapter("who pauses reads the event of the moment, which the log marks, or the last one before it that the log lists", { motion: "no-preference", width: 1440, height: 780 }, async (page) => {
  const play = page.locator(".kw-play");
  for (const ms of [1200, 500, 700]) {
    await page.waitForTimeout(ms);
    await page.waitForSelector(".kw-play.is-playing", slow);
    await play.evaluate((button) => { if (button.classList.contains("is-playing")) button.click(); }); // it stops by itself at a moment
    await page.waitForSelector(".kw-play:not(.is-playing)");
    const read = (part) => page.textContent(part);
    const [line, marked, before] = await Promise.all([".kw-statusline-line > span", ".kw-event[aria-current] .kw-sentence",
      ".kw-event[aria-current] time"].map(read));
    const at = await page.getAttribute(".kw-statusline-line", "title");
    if (at === "") assert.equal(line, "Nothing happens now but heartbeats and routine work.");
    const [time, listed] = [at, before].map(Number.parseFloat);
    if (at !== "") assert.ok(time > 0 && (line === marked ? time === listed : time >= listed), `${at} ${line}, and the log marks ${before} ${marked}`);
    await play.click();
  }
});

inChapter("on a phone what is reached with the keyboard is neither below the picture nor below the controls", { width: 360, height: 740 }, async (page) => {
  await read(page, link("applied"));
  await page.focus(link("applied"));
  for (let i = 0; i < 14; i++) {
    await page.keyboard.press("Tab");
    const hidden = await page.evaluate(() => {
      const at = document.activeElement;
      if (at.closest(".kw-player") || at === document.body) return "";
      const { top, bottom } = at.getBoundingClientRect();
      const [front, dock] = [".kw-front", ".kw-dock"].map((part) => document.querySelector(part).getBoundingClientRect());
      return bottom > top && ((top >= dock.top && bottom <= dock.bottom) || (top >= front.top && bottom <= front.bottom)) ? at.outerHTML.slice(0, 120) : "";
    });
    assert.equal(hidden, "", "the focus cannot be seen");
  }
});

const sample = "/en/source/sample-controller/";
for (const isTall of [false, true]) {
  inChapter(`that an exercise is solved is not hidden by the panel through which it was: ${isTall ? "a tall one" : "beside what is read"}`, { path: sample, width: 1440, height: 800 }, async (page) => {
    const box = '.exercise[data-exercise="another-name"]';
    await page.locator(box).scrollIntoViewIfNeeded();
    await page.locator(`${box} .exercise-foot .kw-exercise-start`).click();
    await page.fill(".kw-command", `patch foo second --type=merge -p '{"spec":{"deploymentName":"second"}}'`);
    await page.press(".kw-command", "Enter");
    await page.waitForSelector(".kw-sidepanel:not([hidden])", slow);
    if (isTall) await page.click(".kw-taller");
    await page.waitForFunction((b) => document.querySelector(`${b} .exercise-state`)?.textContent === "Solved", box, slow);
    await page.waitForFunction(() => /^✓ Exercise solved, at /.test(document.querySelector(".kw-status:not([hidden])")?.textContent ?? ""), null, slow);
    await page.waitForFunction((b) => [".exercise-kind .exercise-state", ".is-active .kw-exercise-goal", ".is-active .kw-exercise-result p"].every((name) => {
      const element = document.querySelector(`${b} ${name}`);
      const { left, top, bottom, width } = element.getBoundingClientRect();
      return [top + 2, bottom - 2].every((y) => element.contains(document.elementFromPoint(left + Math.min(width / 2, 40), y)));
    }), box, { timeout: 5000 });
  });
}

inChapter("on a phone a command line says what it is, and many moments are one thing to touch", { path: sample, width: 360, height: 740, context: { hasTouch: true, isMobile: true } }, async (page) => {
  await read(page, "#informers");
  await page.waitForSelector(".kw-player.is-docked", slow);
  await whole(page); // the dots are drawn anew when it comes
  const line = page.locator(".kw-dock .kw-command");
  assert.equal(await line.getAttribute("placeholder"), "kubectl …");
  assert.notEqual(await line.evaluate((e) => getComputedStyle(e, "::placeholder").color), "rgba(0, 0, 0, 0)");
  const boxes = await page.$$eval(".kw-tick", (all) => all.map((tick) => tick.getBoundingClientRect()).map(({ left, right }) => ({ left, right })));
  assert.equal(boxes.length, 17);
  boxes.forEach(({ left }, i) => assert.ok(i === 0 || left >= boxes[i - 1].left, "they are in order"));
  for (const n of [5, 12, 17]) {
    const { x, y, width } = await page.locator(".kw-tick").nth(n - 1).boundingBox();
    const top = await page.evaluate(([x, y]) => document.elementFromPoint(x, y).className, [x + width / 2, y + 2]);
    assert.equal(top, "kw-scrubber", "a dot takes the touch");
    await page.touchscreen.tap(x + width / 2 + 1, y + 2);
    await numbered(page, n);
  }
});

const cloud = "/en/components/cloud-controller-manager/";
inChapter("a caption of four lines is read above what is opened on a phone", { path: cloud, width: 360, height: 740 }, async (page) => {
  await page.waitForSelector(".kw-player .kw-scene", slow);
  await read(page, link("pending").replace("replicaset-scale", "cloud-controller-manager"));
  await page.waitForSelector(".kw-player.is-docked", slow);
  await page.waitForSelector(".walk-text a.is-now", slow);
  await page.evaluate(() => { // the longest that there may be
    const span = document.querySelector(".kw-caption.is-shown > span");
    span.textContent = "The load balancer has an address now. ".repeat(5);
  });
  await page.click(".kw-more-button");
  await page.waitForSelector(".kw-sidepanel:not([hidden])");
  const [caption, panel] = await page.evaluate(() => [".kw-caption.is-shown > span", ".kw-sidepanel"].map((name) => {
    const { top, bottom } = document.querySelector(name).getBoundingClientRect();
    return { top, bottom };
  }));
  assert.ok(caption.bottom - caption.top > 70, `it is ${caption.bottom - caption.top} px tall`);
  assert.ok(caption.bottom <= panel.top + 1, `the caption ends at ${caption.bottom}, the panel begins at ${panel.top}`);
});

// A demo beside its text: what is in one view, how the text leads the picture, and
// that nothing that is opened pushes the picture away.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inEmptyPage, openPage } from "./harness.mjs";
import { browser, inPage, numbered, read, site, slow, time } from "./reader.mjs";

const chapter = (lang) => `/${lang}/loop/replicaset/`;
/** A test in the chapter. */
const inChapter = (name, options, run) => inPage(name, { path: chapter("en"), ready: ".walk .kw-player .kw-scene", ...options }, run);

const link = (mark) => `.walk-text a[href="#demo-replicaset-scale-${mark}"]`;
const caption = (page) => page.$eval(".kw-caption.is-shown > b", (b) => b.textContent).catch(() => "");

const sizes = [[1440, 780], [1024, 700], [360, 740]];
for (const lang of ["en", "ja"]) {
  for (const [width, height] of sizes) {
    inChapter(`picture, caption, transport and the main control are in one view: ${lang}, ${width} × ${height}`, { path: chapter(lang), width, height }, async (page) => {
      await read(page, "#sync");
      if (width < 960) await page.waitForSelector(".kw-player.is-docked", slow);
      const seen = await page.evaluate(() => ["kw-scene", "kw-captions", "kw-play", "kw-scrubber", "kw-slider", "kw-more-button"].map((name) => {
        const element = document.querySelector(`.kw-player .${name}`);
        const box = element.getBoundingClientRect();
        const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        const isOnTop = element.contains(at) || at?.contains(element) || element.closest(".kw-track")?.contains(at); // a moment's dot lies on the scrubber
        return { name, fits: box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth && box.width > 0, isOnTop };
      }));
      for (const { name, fits, isOnTop } of seen) assert.ok(fits && isOnTop, `${name}: ${JSON.stringify(seen)}`);
      const picture = await page.$eval(".kw-player .kw-scene", (svg) => svg.getBoundingClientRect().height);
      assert.ok(picture >= height * 0.3, `the picture is ${picture} px tall`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page can be scrolled sideways");
    });
  }
}

for (const lang of ["en", "ja"]) {
  const phone = { width: 360, height: 740, context: { hasTouch: true, isMobile: true } };
  for (const path of ["loop/replicaset", "loop/deployments", "components/kube-controller-manager", "components/kube-scheduler", "components/kubectl",
    "start/tour"]) {
    inChapter(`a phone's first screen has title, picture, caption and all controls: ${lang}, ${path}`, { path: `/${lang}/${path}/`, ...phone }, async (page) => {
      await page.waitForSelector(".kw-player.is-docked", slow);
      await page.waitForSelector(".kw-caption.is-shown", slow);
      const parts = ["h1", ".kw-scene", ".kw-caption.is-shown", ".kw-dock", ".opening-description"];
      const [title, scene, caption, dock, about] = await page.evaluate((parts) => parts.map((part) => {
        const { top, bottom } = document.querySelector(part).getBoundingClientRect();
        return { top, bottom };
      }), parts);
      const all = JSON.stringify({ title, scene, caption, dock, about });
      assert.equal(await page.evaluate(() => scrollY), 0);
      assert.ok(title.top > 0 && title.bottom <= scene.top && scene.bottom <= caption.top && caption.bottom <= dock.top && dock.bottom <= 740, all);
      // What else is above the text comes after the picture, before the text.
      const text = await page.$eval(".walk.is-first > .walk-text", (e) => e.getBoundingClientRect().top);
      assert.ok(about.top >= caption.bottom && about.bottom <= text, all);
      // The later pictures are between later paragraphs.
      const rectangles = (list) => list.map((e) => e.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom]);
      const blocks = await page.$$eval(".text > .walk, .text > .turn", rectangles);
      blocks.forEach(([top], i) => assert.ok(i === 0 || top >= blocks[i - 1][1] - 1, `part ${i} begins within the one before it: ${JSON.stringify(blocks)}`));
    });
  }
}

/** How tall the letters of the first picture are, px: the smallest, and the smallest of names. */
const letters = (page) => page.$$eval(".kw-player", ([player]) => [...player.querySelectorAll(".kw-scene text")]
  .filter((text) => text.textContent && text.getBoundingClientRect().width > 0)
  .map((text) => ({ text: text.textContent, size: Math.round(parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a * 10) / 10,
    isName: text.parentNode.matches(":is(.role-controller, .role-apiserver, .role-scheduler, .role-node).form-panel") && text.matches(".title") })));

for (const [width, height] of sizes) {
  for (const path of ["loop/replicaset", "loop/deployments", ...["kube-scheduler", "kubelet", "etcd", "kube-apiserver"].map((name) => `components/${name}`)]) {
    inChapter(`letters of the picture are 14 px tall or taller, names 17: ${path}, ${width} × ${height}`, { path: `/en/${path}/`, width, height }, async (page) => {
      await page.waitForSelector(".kw-caption.is-shown");
      const seen = await letters(page);
      assert.deepEqual(seen.filter(({ size }) => size < 13.9), []);
      const names = seen.filter(({ isName }) => isName);
      assert.ok(names.length > 0);
      assert.deepEqual(names.filter(({ size }) => size < 16.9), []);
    });
  }
}

inChapter("until the first picture comes, the page's contents are beside the text; then they step aside", { path: "/en/loop/workloads/", width: 1440, height: 780 }, async (page) => {
  const list = page.locator(".beside > .here");
  const [contents, title] = await Promise.all([list.boundingBox(), page.locator("h1").boundingBox()]);
  assert.ok(contents.x >= title.x + title.width && contents.y < title.y + title.height, JSON.stringify({ contents, title }));
  assert.ok(await page.locator(".here-folded").isHidden());
  await page.waitForSelector(".beside > .here:not(.is-covered)");
  await page.$eval(".walk .demo", (demo) => demo.scrollIntoView({ block: "start", behavior: "instant" }));
  await page.waitForSelector(".beside > .here.is-covered", { state: "attached", ...slow });
});

const signs = (page) => page.$$eval(".kw-legend dd", (all) => all.map((dd) => dd.textContent));
const openLegend = async (page) => {
  await page.click(".kw-more-button");
  await page.click('.kw-tab[id$="-options-tab"]');
  await page.$eval(".kw-legend > summary", (e) => e.click());
  await page.waitForSelector(".kw-legend dt", { state: "attached" });
};

for (const [name, has, lacks] of [
  ["loop/replicaset", ["role-pod.state-ready", "role-place.state-asked", "role-queue-key.state-dirty"], ["role-verdict", "role-phase", "role-history"]],
  ["components/kube-scheduler", ["role-verdict.state-rejected", "role-pod.state-unschedulable"], ["role-place", "role-queue-key", "role-phase"]],
  ["components/kube-apiserver", ["role-phase.state-refused"], ["role-place", "role-verdict"]],
  ["components/etcd", ["role-history.state-knows", "role-revision.state-modified"], ["role-place", "role-verdict"]],
  ["components/kubelet", ["role-pod.state-failed", "role-pod.state-succeeded"], ["role-ghost", "role-place"]],
  ["components/services", ["role-rule.state-chosen"], ["role-place", "role-history"]],
  ["loop/garbage-collector", ["role-graph-node.state-virtual", "role-queue-key.state-queued"], ["role-verdict"]],
]) {
  inChapter(`the legend has the signs of the picture, and no others: ${name}`, { path: `/en/${name}/` }, async (page) => {
    await openLegend(page);
    await page.waitForTimeout(300); // the rest of the recording comes
    await page.click('.kw-player [aria-label="Step forward"]');
    const all = await signs(page);
    assert.ok(all.length >= 4 && all.length <= 20 && all.every((text) => text !== ""), all.join("; "));
    assert.ok(await page.$$eval(".kw-legend > .kw-signs dd", (now) => now.length) <= 10, "more are explained at once than a reader learns");
    const found = (sign) => page.$$eval(`.kw-signs .${sign}`, (list) => list.length);
    for (const sign of has) assert.equal(await found(sign), 1, sign);
    for (const sign of lacks) assert.equal(await found(sign), 0, sign);
  });
}

/** What the picture is about: the store's history, or a controller. */
const views = (page) => page.$eval(".kw-stage > .kw-scene", (svg) => ['[data-id="history/etcd"]', '[data-id="component/replicaset-controller"].form-panel']
  .filter((shape) => svg.querySelector(`${shape}:not(.is-leaving, .is-leaving *)`)).join());

const cut = { path: "/en/loop/level-not-edge/", width: 1440, height: 780 };
inChapter("at a moment that says so the picture goes on to another view, and back; the legend goes along", cut, async (page) => {
  const go = async (mark, view, sign) => {
    await page.$eval(`.walk-text a[href="#demo-dropped-watch-${mark}"]`, (a) => a.click());
    const moments = await page.$$eval('.still[id^="demo-dropped-watch-"]', (all) => all.map((still) => still.dataset.mark));
    await numbered(page, moments.indexOf(mark) + 1);
    assert.equal(await views(page), view, mark);
    assert.match((await signs(page)).join(), sign, mark);
  };
  await openLegend(page);
  for (const mark of ["compared", "cut", "relisted", "healed", "unseen", "listed"]) {
    const isStore = ["cut", "relisted", "unseen"].includes(mark);
    const view = isStore ? '[data-id="history/etcd"]' : '[data-id="component/replicaset-controller"].form-panel';
    await go(mark, view, isStore ? /how far back they remember/ : /bound to a node/);
  }
});

for (const size of [{}, { width: 360, height: 740 }]) {
  inChapter(`while it is folded, a demo has 8 tab stops or fewer: ${size.width ?? "wide"}`, size, async (page) => {
    const stops = await page.$$eval(".kw-player :is(a[href], button, input, select, summary, [tabindex])", (all) => all
      .filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).map((e) => e.getAttribute("aria-label") || e.textContent || e.className));
    assert.ok(stops.length <= 8, `${stops.length}: ${stops.join(", ")}`);
  });
}

inChapter("on a phone, where dots are near each other, each moment has a button's press, in both directions", { width: 360, height: 740 }, async (page) => {
  await read(page, link("queued"));
  await numbered(page, 2);
  const next = page.getByRole("button", { name: "To the next moment" });
  for (const moment of [3, 4, 5, 6, 7]) {
    await next.click();
    await numbered(page, moment);
  }
  await page.getByRole("button", { name: "To the previous moment" }).click();
  await numbered(page, 6);
  const [bar, time] = await Promise.all([".kw-track", ".kw-time"].map((part) => page.locator(part).first().boundingBox()));
  assert.ok(bar.width >= 90, `the bar is ${bar.width} px wide`);
  assert.ok(time.y + time.height <= bar.y + bar.height + 1 && time.y >= bar.y + bar.height / 2 + 2, "the time is below the line");
});

for (const [width, height] of [[1440, 780], [360, 740]]) {
  inChapter(`reading on takes the picture along, forwards and back: ${width} px`, { width, height }, async (page) => {
    await read(page, link("queued"));
    await numbered(page, 2);
    assert.equal(await page.$eval(".walk-text .is-now:is(a)", (a) => a.textContent), "moment 2");
    for (const [mark, moment] of [["too-few", 3], ["first-batch", 4], ["second-batch", 5], ["expecting", 6], ["assumed", 7]]) {
      await read(page, link(mark));
      await numbered(page, moment);
    }
    await read(page, link("queued"));
    await numbered(page, 2);
  });
}

inChapter("of a paragraph's two moments the second comes when the first has left what is seen of the text", { motion: "no-preference", path: "/en/components/anatomy/", width: 360, height: 740 }, async (page) => {
  const first = '.walk-text a[href$="-scheduler"]:not([title])';
  const shown = () => page.$eval(".walk-text a.is-now", (a) => a.hash.split("-").pop());
  await read(page, first);
  await numbered(page, 2);
  assert.equal(await shown(), "scheduler");
  assert.ok(await page.$eval(first, (a) => a.closest("p").querySelector('a[href$="-pending"]') !== null), "they are in one paragraph");
  const scroll = (below) => page.$eval(first, (a, px) => {
    scrollBy({ top: a.getBoundingClientRect().bottom - document.querySelector(".kw-player").getBoundingClientRect().bottom - px, behavior: "instant" });
  }, below);
  await page.waitForTimeout(300);
  await scroll(8); // it is still to be seen
  await page.waitForTimeout(300);
  assert.equal(await shown(), "scheduler");
  const since = Date.now();
  await scroll(-90);
  await numbered(page, 3);
  assert.ok(Date.now() - since < 1500, `it takes ${Date.now() - since} ms`); // to read up to it takes four seconds or more
  assert.equal(await shown(), "pending");
});

/**
 * What is marked, told and shown, once it is painted: the moment's number by the text and under the picture, the time, and
 * whether it is under way.
 */
const together = async (page) => {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page.evaluate(() => ({
    text: document.querySelector(`.still[id="${document.querySelector(".walk-text a.is-now")?.hash.slice(1)}"] figcaption b`)?.textContent,
    told: document.querySelector(".kw-caption.is-shown > b")?.textContent,
    time: document.querySelector(".kw-time").textContent, plays: document.querySelector(".kw-play.is-playing") !== null,
  }));
};

for (const [width, height] of [[1440, 780], [360, 740]]) {
  inChapter(`who scrolls past moments is at the last one soon, and reads its caption at once: ${width} px`, { motion: "no-preference", width, height }, async (page) => {
    await read(page, link("applied"));
    await numbered(page, 1);
    const passed = [];
    for (const mark of ["queued", "too-few", "first-batch", "second-batch", "expecting", "assumed"]) {
      await read(page, link(mark));
      passed.push(await together(page));
    }
    const stopped = Date.now();
    assert.deepEqual(passed.map(({ text }) => text), ["2", "3", "4", "5", "6", "7"]);
    assert.deepEqual(passed.map(({ told }) => told), ["2", "3", "4", "5", "6", "7"]);
    await page.waitForTimeout(250); // longer than between moments that are passed: it is on its way to the last one, to none before it
    await page.waitForSelector(".kw-play.is-playing"); // it does not only jump
    await page.waitForSelector(".kw-play:not(.is-playing)", slow);
    assert.ok(Date.now() - stopped < 3500, `it took ${Date.now() - stopped} ms`);
    const arrived = await together(page);
    await page.click(link("assumed"));
    assert.deepEqual(await together(page), { ...arrived, plays: false });
    // Back is at once.
    for (const mark of ["expecting", "second-batch", "queued"]) await read(page, link(mark));
    await numbered(page, 2);
    await page.waitForTimeout(600);
    const back = await together(page);
    await page.click(link("queued"));
    assert.deepEqual(await together(page), back);
    assert.equal(back.plays, false);
  });
}

inPage("a paragraph of several moments that is flicked past leaves the picture at its last one: 360 px", {
  path: "/en/components/cloud-controller-manager/", motion: "no-preference", width: 360, height: 740,
}, async (page) => {
  /** Scrolls until a link is so far below the picture that is pinned over its text, px. */
  const to = (mark, below) => page.$eval(`.walk-text a[href="#demo-cloud-routes-${mark}"]`, (a, below) => {
    const { height } = a.closest(".walk").querySelector(".demo").getBoundingClientRect();
    scrollBy({ top: a.getBoundingClientRect().bottom - height - below, behavior: "instant" });
  }, below);
  const shows = (n, options) => page.waitForFunction((n) =>
    document.querySelector("#demo-cloud-routes .kw-caption.is-shown")?.textContent.startsWith(n), n, options);
  await to("gone", 60);
  await page.waitForSelector("#demo-cloud-routes .kw-player .kw-scene", slow);
  await to("gone", 60);
  await shows("1", slow);
  await to("answered", -20);
  await shows("7", { timeout: 15_000 }); // each of those before it would take seconds
});

inChapter("a picture that goes out of sight on its way has arrived when it comes back", { motion: "no-preference", width: 1440, height: 780 }, async (page) => {
  await read(page, link("applied"));
  await numbered(page, 1);
  await page.waitForSelector(".kw-play:not(.is-playing)", slow);
  await page.waitForTimeout(300); // longer than between moments that are passed
  await read(page, link("running"));
  await page.waitForSelector(".kw-play.is-playing");
  await page.$eval(".kw-player", (player) => (player.style.translate = "0 -9000px"));
  await page.waitForSelector(".kw-play:not(.is-playing)", slow);
  await page.$eval(".kw-player", (player) => (player.style.translate = ""));
  const came = await together(page);
  await page.click(link("running"));
  assert.deepEqual(await together(page), came);
});

/** Where a picture is, whole numbers of pixels: it fits into its element as a whole, in its middle. */
const placeOf = (element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  const pad = parseFloat(getComputedStyle(element).paddingLeft);
  const [w, h] = element.viewBox ? [element.viewBox.baseVal.width, element.viewBox.baseVal.height] : [element.naturalWidth, element.naturalHeight];
  const scale = Math.min((width - 2 * pad) / w, height / h);
  return [left + (width - w * scale) / 2, top + (height - h * scale) / 2, w * scale, h * scale].map(Math.round);
};

for (const [width, height] of [[1440, 780], [360, 740]]) {
  test(`the picture that is there before the player is where the player's will be: ${width} px`, async () => {
    const page = await openPage(browser, "about:blank", { width, height });
    let release;
    const later = new Promise((done) => (release = done));
    await page.route(/scenario\.json/, async (route) => {
      await later;
      await route.continue();
    });
    await page.goto(site.url(chapter("en")));
    const first = page.locator("kubewalk-demo .still img:visible").first();
    await first.evaluate((image) => image.decode());
    const before = await first.evaluate(placeOf);
    release();
    const after = await page.locator("kubewalk-demo .kw-stage > svg.kw-scene").first().evaluate(placeOf);
    before.forEach((n, i) => assert.ok(Math.abs(n - after[i]) <= 2, `${before} and ${after}`));
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

test("who is in the middle of the text when the player comes finds its moment", async () => {
  const page = await openPage(browser, site.url(`${chapter("en")}#expectations`), { motion: "no-preference", width: 1440, height: 780 });
  await page.waitForSelector(".walk-text a.is-now", slow);
  await page.waitForSelector(".kw-play:not(.is-playing)", slow);
  const { text, told } = await together(page);
  assert.equal(told, text);
  await page.context().close();
});

for (const [width, height] of [[1440, 780], [1024, 700]]) {
  inChapter(`a picture goes with its text, and covers no demo that comes later: ${width} px`, {
    path: "/en/components/kubectl/", width, height }, async (page) => {
    const last = page.locator("kubewalk-demo").last();
    await last.scrollIntoViewIfNeeded();
    await last.locator(".kw-scene").first().waitFor(slow);
    const covered = await last.evaluate((demo) => {
      demo.scrollIntoView({ block: "start", behavior: "instant" });
      const { left, right, top, bottom } = demo.getBoundingClientRect();
      return [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((x) => [0.2, 0.4, 0.6].map((y) => [left + x * (right - left), top + y * (bottom - top)]))
        .filter(([x, y]) => !demo.contains(document.elementFromPoint(x, y)));
    });
    assert.deepEqual(covered, []);
  });
}

inChapter("while the introduction is read, the picture plays up to its first moment, and on when the reader wants that", { motion: "no-preference", width: 1440, height: 780 }, async (page) => {
  await numbered(page, 1);
  await page.waitForSelector(".kw-play:not(.is-playing)", slow);
  const time = await page.textContent(".kw-time");
  await page.waitForTimeout(2500);
  assert.equal(await page.textContent(".kw-time"), time, "it plays on");
  await page.click(".kw-play");
  await numbered(page, 2);
});

inChapter("reading on plays the way to a moment, where motion is welcome", { motion: "no-preference", width: 1440, height: 780 }, async (page) => {
  await read(page, link("applied"));
  await numbered(page, 1);
  await page.waitForSelector(".kw-play:not(.is-playing)", slow);
  await read(page, link("queued"));
  await page.waitForSelector(".kw-play.is-playing", slow);
  await numbered(page, 2);
  await page.waitForSelector(".kw-play:not(.is-playing)", slow); // it stands there
});

inChapter("whoever takes the controls is left in peace, until they follow a link to a moment", { width: 1440, height: 780 }, async (page) => {
  await read(page, link("queued"));
  await numbered(page, 2);
  await page.click('.kw-player [aria-label="Step forward"]');
  await read(page, link("assumed"));
  await page.waitForTimeout(500);
  assert.equal(await caption(page), "2");
  assert.equal(await page.$(".walk-text .is-now"), null);
  const before = await page.evaluate(() => scrollY);
  await page.click(link("assumed"));
  await numbered(page, 7);
  assert.ok(Math.abs((await page.evaluate(() => scrollY)) - before) < 2, "the page stays where it was");
});

for (const motion of ["no-preference", "reduce"]) {
  const options = { path: "/en/components/kube-scheduler/", width: 1440, height: 780, motion };
  inChapter(`a paragraph's moments are shown one after another: ${motion}`, options, async (page) => {
    const to = (mark) => page.locator(`.walk-text a[href="#demo-preemption-${mark}"]:not([title])`).last();
    const player = 'kubewalk-demo[data-demo="preemption"]';
    const come = async (mark) => to(mark).evaluate((a) => scrollBy({ top: a.getBoundingClientRect().top - innerHeight * 0.42, behavior: "instant" }));
    await come("no-fit");
    await page.waitForSelector(`${player} .kw-scene`, slow);
    await come("no-fit"); // what has come above it may have moved it
    await page.waitForSelector('.walk-text a.is-now[href="#demo-preemption-no-fit"]', slow);
    await page.waitForSelector(`${player} .kw-play:not(.is-playing)`, slow);
    await page.evaluate(() => {
      window.marked = ["no-fit"];
      new MutationObserver(() => {
        const now = document.querySelector('.walk-text a.is-now[href^="#demo-preemption-"]')?.hash.slice("#demo-preemption-".length);
        if (now && now !== window.marked.at(-1)) window.marked.push(now);
      }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["class"] });
    });
    await come("killed"); // three moments of one paragraph come up to the reading line at once
    await page.waitForFunction(() => window.marked.at(-1) === "killed", undefined, slow);
    assert.deepEqual(await page.evaluate(() => window.marked), ["no-fit", "victim", "replacement", "killed"]);
    await page.waitForSelector(`${player} .kw-play:not(.is-playing)`, slow);
    await come("no-fit"); // back is at once
    await page.waitForFunction(() => window.marked.at(-1) === "no-fit", undefined, slow);
    assert.deepEqual(await page.evaluate(() => window.marked.slice(4)), ["no-fit"]);
  });
}

async function captions(page, lang) {
  const files = (await readdir(join(site.folder, lang), { recursive: true })).filter((name) => name.endsWith("index.html"));
  const pages = await Promise.all(files.map((name) => readFile(join(site.folder, lang, name), "utf8")));
  return inEmptyPage(page, (pages) => [...new Set(pages.flatMap((html) => [...new DOMParser().parseFromString(html, "text/html")
    .querySelectorAll(".still figcaption > span")].map((span) => span.textContent)))], pages);
}

for (const lang of ["en", "ja"]) {
  inChapter(`on a phone all of every caption can be read, and none moves the picture: ${lang}`, { path: chapter(lang), width: 360, height: 740 }, async (page) => {
    await read(page, link("queued"));
    await numbered(page, 2);
    const all = await captions(page, lang);
    assert.ok(all.length > 200, `${all.length} captions`);
    const wrong = await page.evaluate((all) => {
      const [stage, front, shown] = [".kw-stage", ".kw-front", ".kw-caption.is-shown > span"].map((part) => document.querySelector(part));
      const tall = () => `${stage.offsetHeight} ${front.offsetHeight} ${stage.getBoundingClientRect().top}`;
      const before = tall();
      return all.filter((text) => {
        shown.textContent = text;
        const words = document.createRange();
        words.selectNodeContents(shown);
        const lines = [...words.getClientRects()];
        // What is painted at each line's beginning is the caption, not the text below it.
        const isRead = lines.every(({ left, top, height }) => shown.contains(document.elementFromPoint(left + 4, top + height / 2)));
        return !isRead || new Set(lines.map(({ top }) => top)).size > 5 || tall() !== before;
      });
    }, all);
    assert.deepEqual(wrong, []);
  });
}

inChapter("a number that the demo has checked does not lead past the moment that its paragraph names", { path: "/en/start/tour/", width: 1440, height: 780 }, async (page) => {
  const numbers = page.locator('.walk-text a.claim[title][href="#demo-replicaset-scale-scale-up"]');
  assert.equal(await numbers.count(), 1);
  await read(page, '.walk-text a.claim[title][href="#demo-replicaset-scale-scale-up"]');
  await numbered(page, 9);
  await page.waitForTimeout(500);
  assert.equal(await caption(page), "9");
  assert.equal(await page.inputValue(".kw-slider"), "3");
  await numbers.click(); // it is still a link
  await numbered(page, 10);
});

for (const [width, height] of [[1440, 780], [360, 740]]) {
  inChapter(`a demo of another part comes beside the text that is about it, and goes home: ${width}`, { path: "/en/components/services/", width, height }, async (page) => {
    const shown = () => page.evaluate(() => {
      const { innerWidth: width, innerHeight: height } = window;
      const at = document.elementFromPoint(width < 960 ? width / 2 : width * 0.7, height * 0.25);
      return at?.closest("kubewalk-demo")?.dataset.demo;
    });
    const others = page.locator('.walk-text a[href="#demo-service-request-other"]').last();
    await others.scrollIntoViewIfNeeded();
    if (width > 960) await page.waitForSelector('kubewalk-demo[data-demo="service-kinds"].is-live', slow); // on a phone it is far above
    await others.click();
    await page.waitForSelector(".demo.is-guest");
    assert.equal(await shown(), "service-request");
    const own = await page.locator(".is-guest .kw-caption.is-shown > b").textContent();
    assert.equal(own, "8");
    assert.ok(await page.locator(".is-guest .kw-play").isVisible() && await page.locator(".is-guest .kw-slider").isVisible());
    await page.locator('.walk-text a[href="#demo-service-kinds-ingress"]').last().click();
    await page.waitForSelector(".demo.is-guest", { state: "detached" });
    await page.waitForSelector('kubewalk-demo[data-demo="service-kinds"].is-live', slow);
    if (width > 960) assert.equal(await shown(), "service-kinds");
    await page.locator('.exercise[data-demo="service-request"] .kw-exercise-start').first().click();
    await page.waitForSelector(".demo.is-guest");
    assert.equal(await shown(), "service-request");
    await page.evaluate(() => scrollTo({ top: 0, behavior: "instant" }));
    await page.waitForSelector(".demo.is-guest, .demo-place, .is-host", { state: "detached" });
  });
}

for (const [width, height] of [[1440, 780], [360, 740]]) {
  inChapter(`nothing is seen of a demo behind its guest, which goes home with who comes back to its own text: ${width}`, { path: "/en/components/kube-scheduler/", width, height }, async (page) => {
    const host = 'kubewalk-demo[data-demo="preemption"]';
    await page.$eval("#preemption", (heading) => heading.scrollIntoView({ block: "start", behavior: "instant" }));
    await page.waitForSelector(`${host} .kw-caption.is-shown`, slow);
    await page.locator('#try-it ~ ul a[href="#demo-scheduler-cycle-unschedulable"]').first().click();
    await page.waitForSelector(".demo.is-guest");
    const seen = await page.$$eval(`${host}.is-host :is(.kw-caption, .kw-stage, .kw-dock)`, (all) => all
      .filter((part) => part.checkVisibility({ opacityProperty: true, visibilityProperty: true })).map((part) => part.className));
    assert.deepEqual(seen, []);
    const box = page.locator('.exercise[data-demo="scheduler-cycle"]');
    await page.$eval("#exercise", (heading) => heading.scrollIntoView({ block: "start", behavior: "instant" }));
    await page.waitForSelector(".demo.is-guest, .demo-place, .is-host", { state: "detached" });
    await box.locator(".kw-exercise-start").first().click();
    await page.waitForTimeout(300);
    const isThere = await box.evaluate((exercise) => {
      const { innerWidth: width, innerHeight: height } = window;
      const at = document.elementFromPoint(width < 960 ? width / 2 : width * 0.7, height * 0.25);
      const { top, bottom } = exercise.querySelector(".kw-exercise").getBoundingClientRect();
      return at?.closest("kubewalk-demo")?.dataset.demo === exercise.dataset.demo && top < height * 0.75 && bottom > height * 0.25;
    });
    assert.ok(isThere, "the exercise and its demo are in one view");
  });
}

inChapter("who scrolls with a finger on the picture still has the text lead", { width: 360, height: 740, context: { hasTouch: true } }, async (page) => {
  const devtools = await page.context().newCDPSession(page);
  await read(page, link("queued"));
  await numbered(page, 2);
  await page.waitForSelector(".walk-text .is-now");
  const touch = (type, y) => devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: 180, y }] });
  const before = await page.evaluate(() => scrollY);
  await touch("touchStart", 200);
  for (let y = 190; y >= 60; y -= 10) await touch("touchMove", y);
  await touch("touchEnd");
  await page.waitForFunction((before) => scrollY > before + 50, before);
  await read(page, link("too-few"));
  await numbered(page, 3);
  await page.tap(".kw-play");
  await page.waitForSelector(".walk-text .is-now", { state: "detached" });
});

test("without script the storyboard stands between the paragraphs", async () => {
  const page = await openPage(browser, site.url(chapter("en")), { script: false, width: 1440, height: 900 });
  const order = await page.$$eval(".walk > *", (all) => all.map((e) => [e.className.split(" ")[0], e.getBoundingClientRect().top]));
  assert.deepEqual(order.map(([name]) => name), ["walk-text", "demo", "walk-text"]);
  assert.ok(order[0][1] < order[1][1] && order[1][1] < order[2][1], JSON.stringify(order));
  await page.context().close();
});


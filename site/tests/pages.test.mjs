// Every page of the book, as a reader's browser has it.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { noBarriers } from "./barriers.mjs";
import { addresses, openBrowser, openPage, openSite, quiet } from "./harness.mjs";

let site, browser;
before(async () => {
  site = await openSite();
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await site?.close();
});

/**
 * Waits until every demo of the book that is near the screen plays, in the layout for the page's width, and nothing is on the way to the page.
 * A demo further away is left alone (site/widgets/near.ts); half a screen is well inside of what the page calls near.
 */
async function settle(page) {
  // On a page with a long programme no demo is near: the first is scrolled to.
  const far = await page.evaluate(() => {
    const demo = document.querySelector("kubewalk-demo.demo:not(:defined)");
    return demo !== null && demo.getBoundingClientRect().top > 1.5 * innerHeight;
  });
  if (far) await page.evaluate(() => document.querySelector("kubewalk-demo.demo").scrollIntoView());
  await page.waitForFunction(() => [...document.querySelectorAll("kubewalk-demo.demo")].every((e) => {
    const { top, bottom } = e.getBoundingClientRect();
    const near = e.checkVisibility() && top < 1.5 * innerHeight && bottom > -0.5 * innerHeight;
    return e.matches(":defined") && (!near || e.matches(".is-live, .is-failed"));
  }));
  await quiet(page);
  if (far) await page.evaluate(() => scrollTo(0, 0));
  // A list that fades has other colours on the way.
  await page.waitForFunction((far) => !(far && scrollY > 0) &&
    [...document.querySelectorAll("nav")].every((nav) => nav.getAnimations({ subtree: true }).length === 0), far);
}

/** Pages for reuse, with and without script: a renderer of its own for each address would take longer than the address. */
const tabs = new Map();

/** Opens an address in the page that the one before had. */
async function visit(path, { width, height, script }) {
  let page = tabs.get(script);
  if (!page) {
    page = await openPage(browser, site.url("/"), { width, height, script });
    tabs.set(script, page);
    // Without script a browser fetches every picture of a page at once, up to 900. Their sizes are in the page, and that
    // they are there is checked when the site is built (generator/build/audit).
    if (!script) {
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("Network.enable");
      await devtools.send("Network.setBlockedURLs", { urls: ["*/demos/*"] });
    }
  }
  page.problems.length = 0;
  page.pending.clear();
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width, height });
  await page.goto(site.url(path), { waitUntil: "load" });
  return page;
}

/** All pages, those with a whole book last: there is nothing in them that a chapter has not got. */
const all = (await addresses()).sort((a, b) => Number(a.endsWith("/book/")) - Number(b.endsWith("/book/")));

test("there are pages in both languages", () => {
  for (const path of ["/", "/en/", "/ja/", "/en/start/what-is-real/", "/ja/start/what-is-real/"]) assert.ok(all.includes(path), path);
});

/**
 * In the page: what its elements are like, without what they say. An element counts with its parent, its classes, its role and
 * which attributes it has for those who do not see it; a link, a button or a heading also by whether it has any words, a heading
 * by the one before it, a field by whether it has a label. In a picture classes are states of what is drawn, and do not count.
 */
function shapes() {
  const found = new Set([`lang ${document.documentElement.lang !== ""}, title ${document.title !== ""}`]);
  let above = "";
  for (const e of document.querySelectorAll("body, body *")) {
    const classes = e.closest("svg") ? "" : [...e.classList].sort().join(".");
    const attributes = e.getAttributeNames()
      .filter((name) => /^(aria-.*|role|alt|title|tabindex|for|scope|headers|lang|hidden|open|type|name|style)$/.test(name)).sort();
    let shape = `${e.parentElement.localName} ${e.localName}.${classes} ${attributes} ${e.getAttribute("role") ?? ""}`;
    if (e.matches("a, button, summary, th, caption, label, figcaption, h1, h2, h3, h4, h5, h6") && !e.textContent.trim()) shape += " without words";
    if (e.labels && e.labels.length === 0) shape += " without a label";
    if (/^h[1-6]$/.test(e.localName)) {
      shape += ` below ${above}`;
      above = e.localName;
    }
    found.add(shape);
  }
  return [...found];
}

/** What has been looked at by axe. */
const looked = new Set();

/** Whether a page has something that no page before it had; from now on that is known. */
async function isNew(page) {
  const before = looked.size;
  for (const shape of await page.evaluate(shapes)) looked.add(shape);
  return looked.size > before;
}

describe("every page", () => {
  for (const path of all) {
    test(`${path}: nothing is blocked, it fits into 360 pixels, and axe finds nothing if it has what no page before had`, async () => {
      const page = await visit(path, { width: 360, height: 740, script: true });
      await settle(page);
      await fits(page);
      await folded(page);
      if (await isNew(page)) {
        await page.setViewportSize({ width: 1280, height: 900 });
        await settle(page);
        // Of all rules only that about contrast looks at colours, and it takes longer than all others together.
        await noBarriers(page, { where: "light" });
        await page.emulateMedia({ colorScheme: "dark" });
        await noBarriers(page, { where: "dark", runOnly: ["color-contrast"] });
      }
      assert.deepEqual(page.problems, []);
    });

    test(`${path} without script fits into 360 pixels`, async () => {
      const page = await visit(path, { width: 360, height: 740, script: false });
      await fits(page);
      assert.deepEqual(page.problems.filter((p) => !/ERR_BLOCKED_BY_CLIENT|\/demos\/.* inspector$/.test(p)), []);
    });
  }
});

/** Pictures that fall short of what holds for all others on a phone, by demo: how tall letters are in them, px, and which names are cut. */
const short = { "garbage-collector": { letters: 13.5 }, csi: { cut: ["disk-c…: 1/1"] }, "csi-snapshot": { cut: ["disk-c…: 1/1", "snapsh…: 1/1"] } };

/** While a demo is folded, it has 8 tab stops or fewer, letters of 14 px and more in its picture, and no name there is cut. */
async function folded(page) {
  const players = await page.$$eval(".kw-player", (all) => all.map((player) => {
    const letters = [...player.querySelectorAll(".kw-stage > .kw-scene text")].filter((text) => text.textContent && text.getBoundingClientRect().width > 0);
    return {
      demo: player.closest("kubewalk-demo").dataset.demo,
      stops: [...player.querySelectorAll(":is(a[href], button, input, select, summary, textarea, [tabindex])")]
        .filter((e) => e.tabIndex >= 0 && !e.disabled && e.checkVisibility({ visibilityProperty: true })).length,
      smallest: Math.min(...letters.map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)),
      cut: letters.map((text) => text.textContent).filter((text) => /\S…/.test(text)),
    };
  }));
  for (const { demo, stops, smallest, cut } of players) {
    assert.ok(stops <= 8, `${demo} has ${stops} tab stops`);
    assert.ok(smallest >= (short[demo]?.letters ?? 13.9), `${demo} has letters of ${smallest} px`);
    assert.deepEqual(cut.filter((name) => !short[demo]?.cut?.includes(name)), [], `${demo} has names that are cut`);
  }
}

/** Nothing sticks out to the side; the message names what does. */
async function fits(page) {
  const [over, wide] = await page.evaluate(() => [
    document.documentElement.scrollWidth - innerWidth,
    [...document.querySelectorAll("body *")]
      .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".table, .code, svg"))
      .map((e) => `${e.tagName.toLowerCase()}.${e.className}`)
      .slice(0, 5),
  ]);
  assert.ok(over <= 0, `${over} pixels too wide: ${wide.join(", ")}`);
}

test("an address that has moved leads on, with and without script", async () => {
  const moved = await addresses({ moved: true });
  assert.ok(moved.length > 0, "the book has redirects");
  for (const path of moved)
    for (const script of [true, false]) {
      const page = await openPage(browser, site.url(path), { script });
      await page.waitForURL((url) => url.pathname !== path);
      assert.ok(all.includes(new URL(page.url()).pathname), `${path} leads to ${page.url()}`);
      assert.deepEqual(page.problems, []);
      await page.context().close();
    }
});

test("the page that is not there is served with a policy", async () => {
  const page = await openPage(browser, site.url("/no/such/page/"));
  assert.equal(page.problems.filter((p) => !p.includes("404")).join(), "");
  assert.match(await page.textContent("main"), /Page not found/);
  await page.context().close();
});

test("the language switch leads to the same chapter", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"));
  await page.click("nav.languages a[lang=ja]");
  await page.waitForURL("**/ja/start/what-is-real/");
  assert.equal(await page.getAttribute("html", "lang"), "ja");
  assert.match(await page.textContent("h1"), /本物/);
  await page.click("nav.languages a[lang=en]");
  await page.waitForURL("**/en/start/what-is-real/");
  await page.context().close();
});

test("the theme is kept, is there from the first frame, is that of all pages, and follows the system again", async () => {
  const page = await openPage(browser, site.url("/en/"), { theme: "light" });
  const other = await page.context().newPage();
  await other.goto(site.url("/ja/"));
  const background = (of = page) => of.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const around = () => page.evaluate(() =>
    [...document.querySelectorAll("meta[name=theme-color]")].filter((m) => matchMedia(m.media).matches).map((m) => m.content));
  const light = await background();
  const list = page.getByLabel("Theme");
  assert.equal(await list.inputValue(), "system");
  await list.focus();
  await page.keyboard.press("d"); // as in any list: the first letter
  assert.equal(await list.inputValue(), "dark");
  const dark = await background();
  assert.notEqual(dark, light);
  assert.deepEqual(await around(), ["#14171d"]);
  await other.waitForFunction(() => document.documentElement.dataset.theme === "dark");
  assert.equal(await background(other), dark);
  // Seen by a script that runs before the body is there.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      if (!document.body) return;
      window.firstTheme = document.documentElement.dataset.theme;
      observer.disconnect();
    }).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  assert.equal(await page.evaluate(() => window.firstTheme), "dark");
  assert.equal(await background(), dark);
  assert.equal(await list.inputValue(), "dark");
  await page.emulateMedia({ media: "print" });
  assert.equal(await background(), light, "paper is dark");
  await page.emulateMedia({ media: "screen" });
  await list.selectOption("system");
  assert.equal(await background(), light);
  assert.deepEqual(await around(), ["#ffffff"]);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await background(), dark, "it does not follow the system");
  assert.equal(await page.evaluate(() => localStorage.getItem("theme")), null);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

test("without script every moment of a demo is there", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"), { script: false });
  const stills = page.locator(".still");
  const count = await stills.count();
  assert.ok(count >= 3, `${count} stills`);
  const seen = new Set();
  for (let i = 0; i < count; i++) {
    const picture = stills.nth(i).locator(".still-wide img");
    await picture.scrollIntoViewIfNeeded();
    assert.ok(await picture.isVisible(), `picture ${i + 1}`);
    await page.waitForFunction((img) => img.complete && img.naturalWidth > 0, await picture.elementHandle());
    seen.add((await picture.screenshot()).toString("base64"));
    assert.ok((await stills.nth(i).locator("figcaption").innerText()).length > 20, `caption ${i + 1}`);
  }
  assert.equal(seen.size, count, "two moments show the same: they are in one file, and the address says which");
  assert.ok(await page.locator("[data-theme-select]").isHidden(), "a button that does nothing is shown");
  await page.context().close();
});

test("on paper there is the storyboard and no navigation", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"), { script: false });
  await page.emulateMedia({ media: "print" });
  const stills = await page.locator(".still").evaluateAll((all) => all.map((e) => e.getBoundingClientRect().toJSON()));
  assert.ok(stills.length >= 3);
  assert.ok(stills[0].bottom <= stills[1].top, "two moments share a row");
  const drawn = await page.locator(".still").first().evaluate((e) => [".still-wide", ".still-narrow"].map((s) => e.querySelector(s).checkVisibility()));
  assert.deepEqual(drawn, [true, false], "paper has the wide picture");
  assert.ok(stills.every((s) => s.height > 250 && s.height < 980), "a moment does not fit on a sheet");
  for (const selector of ["#contents", ".here-folded", ".beside", ".turn", ".banner-tools"]) assert.ok(await page.locator(selector).isHidden(), selector);
  await page.context().close();
});

test("on paper code is as wide as the page, and a page holds two pictures", async () => {
  const mm = 96 / 25.4;
  const page = await openPage(browser, site.url("/en/loop/replicaset/"), { width: Math.floor(178 * mm), height: 900 }); // A4 without its margins
  await page.emulateMedia({ media: "print" });
  const { wide, stills } = await page.evaluate(() => ({
    wide: document.scrollingElement.scrollWidth - innerWidth,
    stills: [...document.querySelectorAll(".still")].map((still) => still.getBoundingClientRect().height),
  }));
  assert.ok(wide <= 0, `the page is ${wide} px too wide`);
  assert.ok(stills.length > 3);
  for (const height of stills) assert.ok(height + 6 * mm < 261 * mm / 2, `a picture with its sentence is ${height} px high`);
  await page.context().close();
});

test("the skip link is the first stop and leads to the text", async () => {
  const page = await openPage(browser, site.url("/en/start/what-is-real/"));
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "text");
  await page.context().close();
});

/** Opens a page whose demos take a while to come, at a section below them. */
async function openAt(path, { width = 1280, until = "load", comesAfter = 600 } = {}) {
  const page = await openPage(browser, "about:blank", { width, motion: "no-preference" });
  await page.addInitScript(() => {
    globalThis.shifted = 0;
    new PerformanceObserver((list) => list.getEntries().forEach((e) => !e.hadRecentInput && (globalThis.shifted += e.value)))
      .observe({ type: "layout-shift", buffered: true });
  });
  await page.route("**/demos/**", async (route) => {
    await new Promise((done) => setTimeout(done, comesAfter));
    await route.continue();
  });
  await page.goto(site.url(path), { waitUntil: until });
  return page;
}
const topOf = (page, selector) => page.$eval(selector, (e) => e.getBoundingClientRect().top);
/** What a page that was opened at a section has when its demo plays. */
const mounted = async (page) => {
  await page.waitForSelector(".kw-player .kw-scene");
  await page.waitForTimeout(400);
};

for (const width of [1280, 768, 360]) {
  test(`a page opened at a section is there, also once the demo above has come: ${width} pixels`, async () => {
    const page = await openAt("/en/loop/replicaset/#key", { width });
    const early = await topOf(page, "#key");
    if (!(await page.$eval("kubewalk-demo", (e) => e.getBoundingClientRect().bottom > -innerHeight))) {
      // The demo is more than a screen above: it is left alone.
      assert.ok(early >= 0 && early < 80, `the section begins at ${early}`);
      assert.equal(await page.$(".kw-player"), null);
      return void (await page.context().close());
    }
    await mounted(page);
    const late = await topOf(page, "#key");
    for (const top of [early, late]) assert.ok(top >= 0 && top < 80, `the section begins at ${top}`);
    // As when the reader's letters are larger, or a message comes: the demo grows, and the section stays.
    await page.evaluate(() => (document.querySelector("kubewalk-demo").style.paddingBottom = "300px"));
    await page.waitForTimeout(200);
    assert.ok(Math.abs((await topOf(page, "#key")) - late) < 2, "a taller demo pushes the section away");
    await page.mouse.move(width / 2, 450); // over the text: the list of chapters beside it scrolls by itself
    await page.mouse.wheel(0, -500);
    await page.waitForTimeout(500);
    const left = await topOf(page, "#key");
    await page.evaluate(() => (document.querySelector("kubewalk-demo").style.paddingBottom = "0"));
    await page.waitForTimeout(200);
    assert.notEqual(Math.round(await topOf(page, "#key")), Math.round(late), "it pulls back a reader who went elsewhere");
    assert.ok(left > late + 100);
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });

  for (const path of ["/en/loop/replicaset/", "/en/components/scale/"]) test(`${path} hardly shifts when its demo comes: ${width} pixels`, async () => {
    const page = await openAt(path, { width, until: "domcontentloaded", comesAfter: 2000 }); // what was sent for early is waited for by "load"
    // What moved while the page was read is not the demo's doing.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(globalThis.shifted = 0)))));
    const height = () => page.$eval("kubewalk-demo", (e) => e.getBoundingClientRect().height);
    const before = await height();
    assert.equal(await page.locator("kubewalk-demo").first().locator(".still:visible").count(), 1, "not just the first moment is shown");
    await page.$eval("kubewalk-demo", (e) => e.scrollIntoView());
    await mounted(page);
    const after = await height();
    assert.ok(Math.abs(after - before) < 60, `the demo was ${before} pixels tall, and is ${after}`);
    const shifted = await page.evaluate(() => globalThis.shifted);
    assert.ok(shifted < 0.05, `the page shifted by ${shifted}`);
    await page.context().close();
  });
}

test("the letters of a demo's picture are never less than 14 pixels tall, with script and without", async () => {
  const sizes = [[1440, 780], [1366, 768], [1366, 650], [1280, 900], [1280, 800], [1100, 800], [1000, 900], [900, 900], [768, 1024], [480, 900], [360, 740]];
  const without = [[1440, 780], [920, 900], [768, 900], [360, 740]].map((size) => [...size, false]);
  for (const [width, height, script = true] of [...sizes, ...without]) {
    const page = await openPage(browser, site.url("/en/loop/replicaset/"), { width, height, script });
    if (script) await page.waitForSelector(".kw-player .kw-scene");
    const smallest = (scope, selector) => scope.evaluate((selector) => {
      const picture = document.querySelector(selector);
      const scale = picture.getScreenCTM().a;
      return Math.min(...[...picture.querySelectorAll("text")].map((t) => parseFloat(getComputedStyle(t).fontSize) * scale));
    }, selector);
    let size;
    if (script) size = await smallest(page, ".kw-stage .kw-scene");
    else {
      // A still is a file of its own: the letters in it, as large as the page shows it.
      const [src, scale] = await page.$$eval(".still img", (all) => {
        const shown = all.find((e) => e.checkVisibility());
        return [shown.src, shown.getBoundingClientRect().width / Number(shown.getAttribute("width"))];
      });
      const alone = await (await browser.newContext()).newPage();
      await alone.setContent(await (await fetch(src)).text());
      size = (await smallest(alone, "svg")) * scale;
      await alone.context().close();
    }
    assert.ok(size >= 13.8, `${width} pixels, ${script ? "with" : "without"} script: ${size}`);
    await page.context().close();
  }
});

test("a link to a demo that the page does not have says so", async () => {
  const page = await openPage(browser, site.url("/en/loop/replicaset/#demo=nothing&seed=1&at=1"));
  await page.waitForSelector(".kw-status:not([hidden])");
  assert.match(await page.textContent(".kw-status"), /“nothing”.*none of that name/);
  await page.context().close();
});

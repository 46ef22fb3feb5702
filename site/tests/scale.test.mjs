// A picture with a thousand Pods, most of it on a canvas: what can be done with
// elements can be done there too. How long things take is told by bench.mjs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBarriers } from "./barriers.mjs";
import { openBrowser, openPage, openSite } from "./harness.mjs";

const demo = `/embed/${process.env.SCALE_DEMO ?? "thousand-pods"}/`;

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

/** Opens the demo where it has the most Pods, runs the test, and demands that nothing went wrong in the page. */
function many(name, options, run) {
  test(name, async () => {
    const page = await openPage(browser, site.url(demo), options);
    try {
      await page.waitForSelector(".kw-player .kw-scene");
      await goTo(page, 1);
      await page.waitForSelector(".kw-canvaslayer", { state: "attached", timeout: 60_000 });
      await page.waitForSelector(".kw-reading", { state: "attached" });
      await settled(page);
      await run(page);
      assert.deepEqual(page.problems, [], "the page complained");
    } finally {
      await page.context().close();
    }
  });
}

/** Goes to a share of the way by the scrubber, and waits until that is there. */
async function goTo(page, part) {
  const ms = await page.$eval(".kw-scrubber", (slider, part) => {
    const to = Math.round(Number(slider.min) + (Number(slider.max) - Number(slider.min)) * part);
    slider.value = String(to);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    return to;
  }, part);
  await page.waitForFunction(() => document.querySelector(".kw-status").hidden, null, { timeout: 120_000 });
  await settled(page);
  return ms;
}

/** Two frames of the page later: what was to be painted is. */
const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50)))));

/** Keeps what is on both canvases under a name; tells how many pixels of it are not empty. */
const keep = (page, name) =>
  page.evaluate((name) => {
    const all = [...document.querySelectorAll(".kw-stage .kw-canvaslayer")];
    const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    [copy.canvas.width, copy.canvas.height] = [all[0].width, all[0].height];
    for (const canvas of all) copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, copy.canvas.width, copy.canvas.height);
    (globalThis.kept ??= {})[name] = data;
    let pixels = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) pixels++;
    return pixels;
  }, name);

/** In how many pixels two that were kept differ to the eye: an edge may be a shade other where less was painted at once. */
const differ = (page, one, other) =>
  page.evaluate((names) => {
    const [a, b] = names.map((name) => globalThis.kept[name]);
    if (a.length !== b.length) return Infinity;
    let pixels = 0;
    for (let i = 0; i < a.length; i += 4) {
      if (Math.max(Math.abs(a[i] - b[i]) * Math.min(a[i + 3], b[i + 3]) / 255, Math.abs(a[i + 3] - b[i + 3])) > 64) pixels++;
    }
    return pixels;
  }, [one, other]);

/** The colours on the canvas of what rests, the most frequent first, as in CSS; transparent is left out. */
const colours = (page) =>
  page.evaluate(() => {
    const [canvas] = document.querySelectorAll(".kw-stage .kw-canvaslayer");
    const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    [copy.canvas.width, copy.canvas.height] = [canvas.width, canvas.height];
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const count = new Map();
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] !== 255) continue;
      const colour = `rgb(${data[i]}, ${data[i + 1]}, ${data[i + 2]})`;
      count.set(colour, (count.get(colour) ?? 0) + 1);
    }
    return [...count].sort((a, b) => b[1] - a[1]).map(([colour]) => colour);
  });

const tip = (page) => page.textContent(".kw-tip");
/** Reads the first Pod with the keyboard: how it is read, and where it is on the screen. */
async function readPod(page) {
  await page.focus(".kw-speed");
  for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.matches(".kw-reading"))); i++) await page.keyboard.press("Shift+Tab");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".kw-reading")), "the picture's small shapes cannot be reached with Tab");
  for (let i = 0; i < 60 && !/, on node-/.test(await tip(page)); i++) await page.keyboard.press("ArrowDown");
  const text = await tip(page);
  assert.match(text, /^\S+\/\S+: [A-Z]\w+, on node-\d+$/);
  const box = await page.$eval(".kw-spot", (e) => e.getBoundingClientRect().toJSON());
  return { text, name: text.split(":")[0], x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

many("few elements hold the picture, and what is on the canvas is read and chosen with the keyboard", {}, async (page) => {
  assert.ok((await page.$$(".kw-stage [data-id]")).length < 250, "the many are elements");
  assert.ok((await page.$$(".kw-stage .role-pod")).length < 50);
  const first = await readPod(page);
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await tip(page), first.text);
  const name = (await tip(page)).split(":")[0];
  await page.keyboard.press("Enter");
  assert.equal(await page.textContent(".kw-log .kw-chip"), `pods ${name}`);
  await page.locator(".kw-inspector", { hasText: name.split("/")[1] }).waitFor();
});

many("what is on the canvas is found under the pointer, and a click looks at it", { height: 1000 }, async (page) => {
  const { name, text, x, y } = await readPod(page);
  await page.focus(".kw-speed");
  await page.mouse.move(x, y);
  assert.equal(await tip(page), text, "under the pointer it is another than with the keyboard");
  await keep(page, "before");
  await page.mouse.click(x, y);
  assert.equal(await page.textContent(".kw-log .kw-chip"), `pods ${name}`);
  await settled(page);
  await keep(page, "after");
  assert.ok((await differ(page, "before", "after")) > 4, "what is looked at is not marked");
  await page.mouse.move(2, 2);
  assert.ok(await page.$eval(".kw-tip", (e) => e.hidden), "it is read out with the pointer elsewhere");
});

many("however one came to a moment, it is painted the same", {}, async (page) => {
  /** Stands at an event that is not quiet: a quiet one leaves the mark of what is new where it was. */
  const stand = async (part, name) => {
    await goTo(page, part);
    await page.$eval(".kw-player", (e) => e.focus());
    await page.keyboard.press("ArrowLeft");
    await settled(page);
    return keep(page, name);
  };
  for (const part of [0.7, 0.78, 0.85, 0.95]) assert.ok((await stand(part, `first ${part}`)) > 1000);
  assert.ok((await differ(page, "first 0.7", "first 0.95")) > 100, "nothing ever changes");
  for (const part of [0.95, 0.7, 0.85, 0.78, 0.7]) {
    await stand(part, "again");
    assert.equal(await differ(page, `first ${part}`, "again"), 0, `at ${part} of the way`);
  }
});

many("with steps on and back, it is painted the same", {}, async (page) => {
  await goTo(page, 0.6);
  const steps = 12;
  for (let i = 0; i < steps; i++) await page.keyboard.press(".");
  await page.$eval(".kw-player", (e) => e.focus());
  for (let i = 0; i < steps; i++) await page.keyboard.press("ArrowRight");
  await keep(page, "there");
  for (let i = 0; i < steps; i++) await page.keyboard.press("ArrowLeft");
  for (let i = 0; i < steps; i++) await page.keyboard.press("ArrowRight");
  await settled(page);
  await keep(page, "again");
  assert.equal(await differ(page, "there", "again"), 0);
});

many("colours are the style sheet's, in light and in dark, and in the colours that a reader forces", {}, async (page) => {
  /** The colour of a Pod of these classes, if it were an element. */
  const ready = () => page.evaluate(() => {
    const scene = document.querySelector(".kw-stage .kw-scene");
    const pod = document.createElementNS(scene.namespaceURI, "g");
    pod.setAttribute("class", "kw-box role-pod state-ready form-tile");
    pod.append(document.createElementNS(scene.namespaceURI, "rect"));
    scene.append(pod);
    const { fill } = getComputedStyle(pod.firstChild);
    pod.remove();
    return fill;
  });
  const light = await colours(page);
  assert.ok(light.includes(await ready()), `${await ready()} is not among ${light.slice(0, 5)}`);
  await page.emulateMedia({ colorScheme: "dark" });
  await settled(page);
  const dark = await colours(page);
  assert.ok(dark.includes(await ready()));
  assert.ok(!dark.includes(light[0]), "the canvas keeps the colours of the light picture");
  await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
  await settled(page);
  assert.ok((await colours(page)).length > 0);
});

many("the canvas is where the picture is, whatever its size", {}, async (page) => {
  for (const [width, height] of [[1280, 900], [900, 700], [1500, 1000]]) {
    await page.setViewportSize({ width, height });
    await settled(page);
    const at = await page.evaluate(() => ["svg.kw-scene", ".kw-canvaslayer"].map((s) => {
      const { x, y, width, height } = document.querySelector(`.kw-stage ${s}`).getBoundingClientRect();
      return [x, y, width, height].map(Math.round);
    }));
    assert.deepEqual(at[1], at[0], `at ${width} × ${height}`);
    assert.ok((await keep(page, "sized")) > 1000);
  }
});

many("at 360 pixels it is on a canvas, too, and fits", { width: 360, height: 800 }, async (page) => {
  assert.ok((await page.$$(".kw-stage .kw-narrow")).length === 1);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 360));
  await readPod(page);
  const tipBox = await page.$eval(".kw-tip", (e) => e.getBoundingClientRect().toJSON());
  assert.ok(tipBox.left >= 0 && tipBox.right <= 360, "what is read out is cut off");
});

for (const theme of ["light", "dark"]) {
  many(`axe finds nothing: ${theme}`, { theme }, async (page) => {
    await readPod(page);
    await noBarriers(page, { within: "kubewalk-demo" });
  });
}

many("paper gets the storyboard, not the canvas", {}, async (page) => {
  await page.emulateMedia({ media: "print" });
  assert.ok(!(await page.$eval(".kw-canvaslayer", (e) => e.checkVisibility())));
  assert.ok(await page.evaluate(() =>
    [...document.querySelectorAll(".still")].every((still) => [...still.querySelectorAll("img")].some((e) => e.checkVisibility()))));
});

many("with motion, Pods are seen moving and come to rest where they are without", { motion: "no-preference" }, async (page) => {
  await goTo(page, 0.6);
  await page.selectOption(".kw-speed", "0.25"); // looking takes long: at its end, it would begin anew
  await page.$eval(".kw-player", (e) => e.focus());
  await page.keyboard.press("Space");
  let moved = 0;
  await keep(page, "before");
  for (let i = 0; i < 60 && moved <= 3; i++) { // what happens in haste comes in beats, which are a second apart at this speed
    await page.waitForTimeout(100);
    await keep(page, "now");
    if ((await differ(page, "before", "now")) > 0) moved++;
    await keep(page, "before");
  }
  assert.ok(moved > 3, "nothing moves");
  await page.keyboard.press("Space");
  await page.waitForTimeout(1200);
  await keep(page, "rest");
  await page.waitForTimeout(400);
  await keep(page, "later");
  assert.equal(await differ(page, "rest", "later"), 0, "it does not come to rest");
});

many("of tens of thousands of events the log has rows for those near only, wherever one goes", {}, async (page) => {
  for (const part of [0, 0.5, 1, 0.25]) {
    await goTo(page, part);
    await page.waitForFunction(() => document.querySelector(".kw-event[aria-current]"));
    assert.ok((await page.$$(".kw-event")).length <= 400, `${(await page.$$(".kw-event")).length} rows`);
    const inside = await page.evaluate(() => {
      const box = document.querySelector(".kw-events").getBoundingClientRect();
      const row = document.querySelector(".kw-event[aria-current]").getBoundingClientRect();
      return row.top >= box.top - 1 && row.bottom <= box.bottom + 1;
    });
    assert.ok(inside, `at ${part} the current event is not in sight`);
  }
});

test("nodes that are cells are read one by one, and what is read is in words", async () => {
  const page = await openPage(browser, site.url("/embed/the-limits/"));
  try {
    await page.waitForSelector(".kw-reading", { state: "attached", timeout: 120_000 });
    const cells = await page.$$(".kw-stage .role-nodes");
    assert.ok(cells.length > 3 && cells.length < 250, `${cells.length} rows`);
    await cells[1].scrollIntoViewIfNeeded();
    await settled(page);
    const box = await cells[1].evaluate((e) => e.getBoundingClientRect().toJSON()); // boundingBox has the strokes' corners in it
    await page.mouse.move(box.x + 30, box.y - 200);
    await page.mouse.move(box.x + 3, box.y + box.height / 2);
    await page.waitForFunction(() => !document.querySelector(".kw-tip").hidden);
    assert.match(await tip(page), /^hollow-\S+: (Ready, \d+ (to \d+ )?of \d+ Pods|NotReady|Ready,SchedulingDisabled)/);
    await page.focus(".kw-speed");
    for (let i = 0; i < 40 && !(await page.evaluate(() => document.activeElement.matches(".kw-reading"))); i++) await page.keyboard.press("Shift+Tab");
    const first = await tip(page);
    const number = (text) => Number(/(\d+):/.exec(text)[1]);
    await page.keyboard.press("ArrowRight");
    assert.equal(number(await tip(page)), number(first) + 1, "to the right is not the next node");
    await page.keyboard.press("ArrowDown");
    assert.ok(number(await tip(page)) > number(first) + 10, "below is not the next row");
    assert.deepEqual(page.problems, []);
  } finally {
    await page.context().close();
  }
});

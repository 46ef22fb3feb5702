// Images of chapters: a reader gets one file of each, and hears of it once.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { generator, openBrowser, openPage, openSite, root } from "./harness.mjs";

const drawing = (colour) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 100"><rect width="300" height="100" fill="${colour}"/></svg>`;

let folder, site, browser;
before(async () => {
  browser = await openBrowser();
  folder = await mkdtemp(join(tmpdir(), "kubewalk-pictures-"));
  const content = join(folder, "content");
  await mkdir(join(content, "en", "start"), { recursive: true });
  const put = (name, data) => writeFile(join(content, name), data);
  await put("site.yaml", "title: B\ndescription: d\nlanguages: [{code: en, name: English}]\nparts: [{name: start, title: Start}]\n");
  await put("en/index.md", "---\ntitle: Home\ndescription: d\n---\n");
  await put("en/start/a.md", '---\ntitle: A\ndescription: d\n---\n## One {#one}\n\n![Two workers](queue.svg)\n\n![A view](view.jpg "As seen from above")\n');
  await put("en/start/queue.svg", drawing("white"));
  await put("en/start/queue.dark.svg", drawing("black"));
  // A photograph of 1200 by 600: slopes and noise.
  const painter = await openPage(browser, "data:text/html,<canvas width=1200 height=600>");
  const jpeg = await painter.evaluate(() => {
    const canvas = document.querySelector("canvas");
    const image = new ImageData(1200, 600);
    let seed = 1;
    for (let i = 0; i < image.data.length; i += 4) {
      const [x, y] = [(i / 4) % 1200, Math.floor(i / 4800)];
      seed = (seed * 1103515245 + 12345) % 2147483648;
      image.data.set([x / 6 + (seed >> 29), y / 3, (x + y) / 9, 255], i);
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    return canvas.toDataURL("image/jpeg", 0.95).split(",")[1];
  });
  await put("en/start/view.jpg", Buffer.from(jpeg, "base64"));
  await promisify(execFile)(generator(), ["build", "--content", content, "--out", join(folder, "site")], { cwd: root });
  site = await openSite({ dir: join(folder, "site") });
});
after(async () => {
  await browser?.close();
  await site?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Opens the chapter, and returns the page with the images that it asks for, by their names in the book. */
async function open(options, chosen) {
  const page = await openPage(browser, "about:blank", options);
  if (chosen) await page.addInitScript((theme) => location.protocol === "http:" && localStorage.setItem("theme", theme), chosen);
  const asked = [];
  page.on("request", (request) => {
    const [, name, ending] = /\/assets\/en-start-(.*)-[0-9a-f]{10}(\.\w+)$/.exec(request.url()) ?? [];
    if (name) asked.push(name + ending);
  });
  await page.goto(site.url("/en/start/a/"), { waitUntil: "networkidle" });
  return { page, asked };
}

/** The images that are read out. */
const heard = (page) => page.getByRole("img", { name: "Two workers" }).count();
const shown = (page) => page.locator("img.on-light, img.on-dark")
  .evaluateAll((all) => all.filter((e) => e.checkVisibility() && e.complete && e.naturalWidth > 0).map((e) => e.className));

for (const theme of ["light", "dark"]) {
  const other = theme === "light" ? "dark" : "light";
  const file = (of) => (of === "dark" ? "queue.dark.svg" : "queue.svg");

  test(`a page of a ${theme} system loads and reads out one of two drawings`, async () => {
    const { page, asked } = await open({ theme });
    assert.deepEqual(asked.filter((name) => name.startsWith("queue")), [file(theme)]);
    assert.deepEqual(await shown(page), [`on-${theme}`]);
    assert.equal(await heard(page), 1);

    // What the reader chooses counts for more than the system; the other file comes now.
    await page.locator("[data-theme-select]").selectOption(other);
    await page.waitForFunction((one) =>
      document.querySelector(`img.${one}`).checkVisibility() && document.querySelector(`img.${one}`).naturalWidth > 0, `on-${other}`);
    assert.deepEqual(await shown(page), [`on-${other}`]);
    assert.equal(await heard(page), 1);
    assert.deepEqual(asked.filter((name) => name.startsWith("queue")), [file(theme), file(other)]);

    assert.deepEqual(page.problems, []);
  });

  test(`who chose ${other} on a ${theme} system loads that one alone`, async () => {
    const { page, asked } = await open({ theme }, other);
    assert.deepEqual(asked.filter((name) => name.startsWith("queue")), [file(other)]);
    assert.deepEqual(await shown(page), [`on-${other}`]);
    assert.deepEqual(page.problems, []);
  });
}

test("of a photograph, each screen loads the smallest copy that is sharp, and none the original", async () => {
  for (const [width, deviceScaleFactor, copy] of [[360, 1, 400], [360, 2, 800], [1280, 2, 1200]]) {
    const { page, asked } = await open({ width, context: { deviceScaleFactor } });
    const image = page.getByRole("img", { name: "A view" });
    await image.scrollIntoViewIfNeeded();
    await page.waitForFunction(() => document.querySelector("picture img").naturalWidth > 0);
    assert.match(await image.evaluate((e) => e.currentSrc), /\.webp$/);
    const pixels = await image.evaluate(async (e) => (await createImageBitmap(await (await fetch(e.currentSrc)).blob())).width);
    assert.equal(pixels, copy, `${width} px, ${deviceScaleFactor} ×`);
    assert.deepEqual(asked.filter((name) => name === "view.jpg"), []);
    const box = await image.boundingBox();
    assert.ok(Math.abs(box.width / box.height - 2) < 0.02, "its shape is the photograph's");
    assert.equal(await page.locator("figcaption").innerText(), "As seen from above");
    assert.deepEqual(page.problems, []);
  }
});

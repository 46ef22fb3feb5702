// What can be taken along of a demo, in a real browser: what is pasted elsewhere, pictures, videos, scripts and text.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { inEmptyPage, openPage } from "./harness.mjs";
import { browser, inPage, nextMark, press, scaleAndStand, site, slow, time } from "./reader.mjs";

const demo = "/embed/replicaset-scale/";

/** A test in the demo by itself. */
const player = (name, options, run) => inPage(name, { path: demo, context: { permissions: ["clipboard-read", "clipboard-write"] }, ...options }, run);

player("what to paste elsewhere is shown for each place, at the author's moment or with what the reader did", {}, async (page) => {
  await nextMark(page, 9);
  const text = async (place) => {
    await page.selectOption(".kw-share-place", place);
    return page.inputValue(".kw-share-use textarea");
  };
  await page.click(".kw-share-button");
  await page.click(".kw-share-use > summary");
  const places = await page.$$eval(".kw-share-place option", (all) => all.map((e) => e.value));
  assert.ok(places.length >= 14, places.join(", "));
  for (const place of places) assert.match(await text(place), /\/embed\/replicaset-scale\//, place);
  assert.match(await text("element"), new RegExp(`src="${site.url("/embed.js")}".* start="scale-up"`, "su"));
  assert.match(await text("reveal"), /^<section>\n {2}<iframe data-src="[^"]*\?start=scale-up&amp;theme=stage&amp;controls=play"/);
  await page.keyboard.press("Escape");
  await scaleAndStand(page, 6);
  await page.click(".kw-share-button");
  const address = await text("slides");
  assert.match(address, /\/embed\/replicaset-scale\/#/);
  const other = await openPage(browser, address);
  await other.waitForFunction(() => document.querySelector(".kw-caption.is-own.is-shown")?.textContent.includes("6"), null, slow);
  await other.context().close();
});

player("the picture of the moment is saved as SVG and PNG, which need no style sheet", {}, async (page) => {
  await nextMark(page, 9);
  const saved = async (button) => {
    await page.click(".kw-share-button");
    const [download] = await Promise.all([page.waitForEvent("download", slow), page.click(`.kw-share-picture button >> text=${button}`)]);
    await page.waitForSelector(".kw-share", { state: "hidden" });
    return { name: download.suggestedFilename(), data: await readFile(await download.path()) };
  };
  const svg = await saved("SVG");
  assert.match(svg.name, /^replicaset-scale-[\d.]+s\.svg$/);
  const text = svg.data.toString();
  assert.doesNotMatch(text, /class=|var\(|style=|currentcolor|color\(|oklab/iu);
  const png = await saved("PNG");
  assert.match(png.name, /\.png$/);
  assert.equal(png.data.subarray(1, 4).toString(), "PNG");
  assert.equal(png.data.readUInt32BE(16), 1920, "pixels wide");
  // As a file of its own, it shows the same words as the page.
  const here = await page.$eval(".kw-scene.kw-live", (e) => [...e.querySelectorAll("text")].filter((t) => t.checkVisibility())
    .map((t) => t.textContent).sort());
  const { there, parts } = await inEmptyPage(page, (text) => {
    const root = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    return { there: [...root.querySelectorAll("text")].map((t) => t.textContent).sort(), parts: root.querySelectorAll("rect, path, circle").length };
  }, text);
  assert.deepEqual(there, here);
  assert.ok(parts > 20, `${parts} shapes`);
  assert.match(text, /<title>[^<]+<\/title>/u);
  assert.match(text, /stroke-opacity="0\.\d/u, "what is quiet in the page is quiet in the file");
});

player("of two pictures, that of the world that was turned to is saved", {}, async (page) => {
  await nextMark(page, 9);
  await scaleAndStand(page, 6);
  await page.$$eval(".kw-compare-button", (all) => all.at(-1).click());
  await page.waitForSelector(".kw-pair", slow);
  await page.keyboard.press("End");
  await page.waitForFunction(() => {
    const [a, b] = [...document.querySelectorAll(".kw-pair .kw-scene.kw-live")].map((e) => e.textContent);
    return a !== b;
  }, null, slow);
  const saved = [];
  for (const side of [0, 1]) {
    await page.$$eval(".kw-side-name", (all, side) => all[side].click(), side);
    const here = await page.$$eval(".kw-pair .kw-scene.kw-live", (all, side) => [...all[side].querySelectorAll("text")]
      .filter((t) => t.checkVisibility()).map((t) => t.textContent).sort(), side);
    await page.click(".kw-share-button");
    const [download] = await Promise.all([page.waitForEvent("download", slow), page.click(".kw-share-picture button >> text=SVG")]);
    const text = (await readFile(await download.path())).toString();
    assert.deepEqual(await inEmptyPage(page, (text) => [...new DOMParser().parseFromString(text, "image/svg+xml").querySelectorAll("text")]
      .map((t) => t.textContent).sort(), text), here);
    saved.push(here);
  }
  assert.notDeepEqual(saved[0], saved[1]);
});

player("a canvas over the picture is in the file where it is on the screen", { path: "/embed/thousand-pods/" }, async (page) => {
  await nextMark(page, 3);
  await page.waitForSelector("canvas.kw-canvaslayer", slow);
  await page.click(".kw-share-button");
  const [download] = await Promise.all([page.waitForEvent("download", slow), page.click(".kw-share-picture button >> text=SVG")]);
  const text = (await readFile(await download.path())).toString();
  const places = await page.$$eval("canvas.kw-canvaslayer", (all) => all.map((canvas) => {
    const { a, e, f } = document.querySelector(".kw-scene.kw-live").getScreenCTM();
    const { left, top, width } = canvas.getBoundingClientRect();
    return [(left - e) / a, (top - f) / a, width / a].map((n) => n.toFixed(2)).join(" ");
  }));
  const images = [...text.matchAll(/<image x="([^"]+)" y="([^"]+)" width="([^"]+)"[^>]* href="data:image\/png/gu)].map((m) => m.slice(1).join(" "));
  assert.ok(images.length > 0);
  assert.deepEqual(images, places);
});

player("the stretch to the next moment is saved as a video that plays, and the demo stays where it is", { motion: "no-preference" }, async (page) => {
  await nextMark(page, 9);
  const before = [await time(page), await page.textContent(".kw-caption.is-shown")];
  await page.click(".kw-share-button");
  const about = await page.textContent(".kw-share-video small");
  const begins = () => page.waitForFunction((about) => document.querySelector(".kw-share-video small").textContent !== about, about, slow);
  await page.click(".kw-share-video");
  await begins();
  await page.click(".kw-share-video");
  await page.waitForFunction((about) => document.querySelector(".kw-share-video small").textContent === about, about, slow);
  assert.equal(await page.textContent(".kw-copied"), "The video was cancelled.");
  assert.equal(await page.locator(".kw-film").count(), 0);

  const [download, announced] = await Promise.all([
    page.waitForEvent("download", slow),
    page.click(".kw-share-video").then(begins).then(() => page.textContent(".kw-share-video small")),
  ]);
  const seconds = Number(/ of ([\d.]+) s/.exec(announced)[1]);
  assert.ok(seconds >= 2 && seconds <= 20, announced);
  await page.waitForSelector(".kw-share", { state: "hidden" });
  assert.match(download.suggestedFilename(), /^replicaset-scale-[\d.]+s\.(mp4|webm)$/);
  assert.deepEqual([await time(page), await page.textContent(".kw-caption.is-shown")], before);
  assert.equal(await page.locator(".kw-film").count(), 0);
  const seen = await inEmptyPage(page, async (data) => {
    const video = document.createElement("video");
    video.muted = true;
    video.src = URL.createObjectURL(new Blob([Uint8Array.from(atob(data), (c) => c.charCodeAt(0))]));
    await new Promise((done, fail) => {
      video.onloadeddata = done;
      video.onerror = () => fail(new Error(video.error.message));
    });
    const { videoWidth: width, videoHeight: height, duration } = video;
    const context = Object.assign(document.createElement("canvas"), { width, height }).getContext("2d", { willReadFrequently: true });
    const at = async (s) => {
      video.currentTime = s;
      await new Promise((done) => (video.onseeked = done));
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); // the frame may be there a little later
      context.drawImage(video, 0, 0);
      return context.getImageData(0, 0, width, height).data;
    };
    const [first, last] = [await at(0), await at(duration - 0.02)];
    /** How many pixels of the picture or of the caption below it are clearly other ones. */
    const differ = (from, to) => {
      let n = 0;
      for (let i = from * width * 4; i < to * width * 4; i += 4) if (Math.abs(first[i] - last[i]) > 60) n++;
      return n;
    };
    await video.play();
    return { width, duration, picture: differ(0, height * 0.75), caption: differ(height * 0.85, height) };
  }, (await readFile(await download.path())).toString("base64"));
  assert.equal(seen.width, 1280);
  assert.ok(Math.abs(seen.duration - seconds) < 0.2, `${seen.duration} s rather than ${seconds}`);
  assert.ok(seen.picture > 500, `the picture changes: ${seen.picture} pixels`);
  assert.ok(seen.caption > 500, `the caption changes: ${seen.caption} pixels`);
});

player("without H.264 the video is WebM", {}, async (page) => {
  await nextMark(page, 3);
  await page.evaluate(() => {
    const before = VideoEncoder.isConfigSupported.bind(VideoEncoder);
    VideoEncoder.isConfigSupported = async (config) => (config.codec.startsWith("avc1") ? { supported: false, config } : before(config));
  });
  await page.click(".kw-share-button");
  const [download] = await Promise.all([page.waitForEvent("download", slow), page.click(".kw-share-video")]);
  assert.match(download.suggestedFilename(), /\.webm$/);
  const { width, duration } = await inEmptyPage(page, async (data) => {
    const video = Object.assign(document.createElement("video"), { src: `data:video/webm;base64,${data}`, muted: true });
    await video.play();
    return { width: video.videoWidth, duration: video.duration };
  }, (await readFile(await download.path())).toString("base64"));
  assert.equal(width, 1280);
  assert.ok(Math.abs(duration - 2) < 0.2, `${duration} s`);
});

player("a browser that encodes no videos says so in their place", {}, async (page) => {
  await page.addInitScript(() => delete globalThis.VideoEncoder);
  await page.reload();
  await page.waitForSelector(".kw-player .kw-scene");
  await page.click(".kw-share-button");
  assert.match(await page.textContent(".kw-share-no-video"), /^This browser makes no videos/);
  assert.equal(await page.locator(".kw-share-video").count(), 0);
});

player("what was done is copied as a script that a shell accepts, and the moment as text", {}, async (page) => {
  await nextMark(page, 9);
  await scaleAndStand(page, 6);
  await press(page, "Step forward");
  const copied = async (item) => {
    await page.evaluate(() => navigator.clipboard.writeText("")); // "Copied" stands for a while
    await page.click(".kw-share-button");
    await page.click(`.kw-share-item >> text=${item}`);
    await page.waitForFunction(() => document.querySelector(".kw-copied").textContent === "Copied");
    for (const end = Date.now() + slow.timeout; Date.now() < end;) { // waitForFunction does not wait for promises
      const text = await page.evaluate(() => navigator.clipboard.readText());
      if (text !== "") return text;
    }
    assert.fail("nothing was copied");
  };
  const text = await copied("Copy as kubectl");
  execFileSync("sh", ["-n"], { input: text });
  assert.match(text, /^#!\/bin\/sh\n/);
  assert.match(text, /\nkubectl apply --filename=- <<'YAML'\napiVersion: apps\/v1\nkind: ReplicaSet\n/);
  assert.match(text, /\nkubectl scale replicasets\/web --namespace=default --replicas=6\n$/);
  assert.equal(text.includes("kubectl delete"), false, "what the author does later was not done");
  const moment = await copied("Copy this moment as text");
  assert.match(moment, /6 replicas/);
  assert.match(moment, /\n- node-1: .*web-\w+ \(ready\)/);
  assert.match(moment, /\nhttp\S+#demo=replicaset-scale&engine=[0-9a-f]{8}&seed=\d+&inputs=/);
});

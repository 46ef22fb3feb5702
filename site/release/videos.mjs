// Makes a video of each stretch between two moments of demos: node site/release/videos.mjs SITE OUT DEMO …
//
// SITE is a built site; DEMO is the folder of a demo below its embed/, "replicaset-scale" or "ja/replicaset-scale". The
// pages of the demos draw the videos (site/widgets/panels/video.ts), as in the share menu. The browser encodes them, as
// H.264 in MP4 where it can, else as VP9 or VP8 in WebM.

import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { openBrowser, openPage, openSite } from "../tests/harness.mjs";

/** For how long a page may draw one, ms. */
const timeout = 300_000;

/** Saves the videos of one demo. */
async function film(browser, site, demo, out) {
  const [language, own] = demo.split("/");
  const name = own ? `${own}-${language}` : demo; // as kubewalk export names its files
  const open = (search) => openPage(browser, site.url(`/embed/${demo}/${search}`), { motion: "no-preference", width: 1280, height: 720 });
  const page = await open("");
  const marks = await page.$$eval(".still[data-mark]", (stills) => stills.map((still) => still.dataset.mark));
  await page.context().close();
  for (const mark of marks) {
    const page = await open(`?start=${mark}&paused`);
    await page.click(".kw-share-button", { timeout });
    const [download] = await Promise.all([page.waitForEvent("download", { timeout }), page.click(".kw-share-video")]);
    const file = join(out, `${name}-${mark}${extname(download.suggestedFilename())}`);
    await download.saveAs(file);
    console.log(file);
    await page.context().close();
  }
}

/** Saves the videos of demos. */
export async function filmAll(dir, out, demos) {
  for (const demo of demos) {
    if (!/^[a-z0-9-]+(\/[a-z0-9-]+)?$/.test(demo) || !existsSync(join(dir, "embed", demo, "index.html"))) {
      throw new Error(`${dir} has no demo "${demo}" (see the folders in ${join(dir, "embed")})`);
    }
  }
  await mkdir(out, { recursive: true });
  const site = await openSite({ dir: resolve(dir) });
  const browser = await openBrowser();
  try {
    for (const demo of demos) await film(browser, site, demo, out);
  } finally {
    await browser.close();
    await site.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const [site, out, ...demos] = process.argv.slice(2);
  if (demos.length === 0) {
    console.error("usage: node site/release/videos.mjs SITE OUT DEMO …");
    process.exit(2);
  }
  try {
    await filmAll(site, out, demos);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

// Prints the book in each of its languages: node site/release/pdf.mjs SITE OUT
//
// SITE is a built site with LANGUAGE/book/index.html, the whole book on one page; OUT
// holds the EPUBs of the same release, after which the PDFs are named. Chromium
// prints twice: the first time tells on which page each chapter begins, the second
// one has those numbers in the contents. The PDFs are tagged and have an outline.

import { existsSync } from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { extname, join, resolve } from "node:path";
import { openBrowser } from "../tests/harness.mjs";
import { destinations } from "./destinations.mjs";

const origin = "http://book.invalid"; // answered from the folder: nothing is asked of any server
const types = {
  ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".json": "application/json",
  ".svg": "image/svg+xml", ".png": "image/png", ".webp": "image/webp", ".jpg": "image/jpeg", ".avif": "image/avif",
};

/** Prints the page at file and returns the PDF. */
export async function print(browser, site, language) {
  const html = await readFile(join(site, language, "book", "index.html"), "utf8");
  const base = html.match(/<html[^>]* data-base="([^"]*)"/)?.[1] ?? "/";
  const context = await browser.newContext({ colorScheme: "light", reducedMotion: "reduce", viewport: { width: 1000, height: 1400 } });
  const page = await context.newPage();
  const missing = [];
  await page.route("**/*", async (route) => {
    const url = new URL(route.request().url());
    if (url.origin !== origin || !url.pathname.startsWith(base)) {
      missing.push(url.href);
      return route.abort();
    }
    let name = decodeURIComponent(url.pathname.slice(base.length));
    if (name === "" || name.endsWith("/")) name += "index.html";
    const file = join(site, name);
    if (!file.startsWith(resolve(site)) || !existsSync(file)) {
      missing.push(url.pathname);
      return route.fulfill({ status: 404, body: "" });
    }
    return route.fulfill({ status: 200, contentType: types[extname(name)] ?? "application/octet-stream", body: await readFile(file) });
  });
  await page.goto(`${origin}${base}${language}/book/`, { waitUntil: "load", timeout: 300_000 });
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  const unreadable = await page.evaluate(withoutFont);
  if (unreadable) {
    const cure = "install one (Debian: apt-get install fonts-noto-cjk)";
    throw new Error(`${language}: no font of this machine has ${unreadable}, so the PDF would show boxes: ${cure}`);
  }
  await page.evaluate(async () => {
    document.title = document.querySelector("h1").textContent.trim();
    for (const details of document.querySelectorAll("details")) details.open = true;
    const images = [...document.images].filter((image) => image.checkVisibility());
    for (const image of images) image.loading = "eager";
    await Promise.all(images.map((image) => image.decode().catch(() => {})));
    await document.fonts.ready;
  });
  const number = '<div style="width: 100%; font-size: 8pt; color: #576072; text-align: center; font-family: sans-serif"><span class="pageNumber"></span></div>';
  const options = {
    preferCSSPageSize: true, printBackground: true, tagged: true, outline: true, timeout: 600_000,
    displayHeaderFooter: true, headerTemplate: "<span></span>", footerTemplate: number,
  };
  const places = destinations(await page.pdf(options));
  await page.evaluate((places) => {
    for (const link of document.querySelectorAll(".book-contents a")) {
      const at = places[decodeURIComponent(link.hash.slice(1))];
      if (at) link.dataset.page = at;
    }
  }, places);
  const pdf = await page.pdf(options);
  await context.close();
  if (missing.length > 0) throw new Error(`${language}: the book asks for what is not there: ${missing.join(", ")}`);
  return pdf;
}

/** A few characters of the text that no font has; "" when all is well. Characters without a glyph all look the same. */
function withoutFont() {
  const text = document.querySelector("main").textContent;
  const context = new OffscreenCanvas(40, 40).getContext("2d", { willReadFrequently: true });
  context.font = `30px ${getComputedStyle(document.body).fontFamily}`;
  for (const script of ["Han", "Hiragana", "Hangul", "Cyrillic", "Arabic", "Devanagari", "Thai"]) {
    const letters = [...new Set(text.match(new RegExp(`\\p{Script=${script}}`, "gu")) ?? [])].slice(0, 4);
    const looks = new Set(
      letters.map((letter) => {
        context.clearRect(0, 0, 40, 40);
        context.fillText(letter, 4, 32);
        return String(context.getImageData(0, 0, 40, 40).data);
      }),
    );
    if (letters.length > 1 && looks.size === 1) return letters.join("");
  }
  return "";
}

/** Prints every language of a release. */
export async function printAll(site, out) {
  const books = (await readdir(out)).map((file) => file.match(/^(.*)-([a-z0-9-]+?)\.epub$/)).filter(Boolean);
  const languages = books.filter(([, , language]) => existsSync(join(site, language, "book", "index.html")));
  if (languages.length === 0) throw new Error(`${out} holds no EPUB of a book in ${site}: run make release`);
  const browser = await openBrowser();
  try {
    for (const [, name, language] of languages) {
      const pdf = await print(browser, resolve(site), language);
      const file = join(out, `${name}-${language}.pdf`);
      await writeFile(file, pdf);
      console.log(`${file} (${(pdf.length / 1e6).toFixed(1)} MB)`);
    }
  } finally {
    await browser.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const [site, out] = process.argv.slice(2);
  if (!out) {
    console.error("usage: node site/release/pdf.mjs SITE OUT");
    process.exit(2);
  }
  try {
    await printAll(site, out);
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}

// What a player tells of what happens, in a real browser on the built site: that something was refused, that time is skipped, what is yet
// to come, which event Why? is about, and the last words of a long sentence. And that its picture shows what it tells.

import assert from "node:assert/strict";
import { inPage, nextMark, numbered, read, slow, whole } from "./reader.mjs";

const wide = { width: 1440, height: 780 };
const phone = { width: 360, height: 740 };
const moves = { motion: "no-preference" };

/** Types a command of kubectl's. */
async function kubectl(page, command) {
  await page.click(".kw-more-button");
  await page.fill(".kw-prompt input", command);
  await page.keyboard.press("Enter");
}
const heightOf = (page) => page.locator(".kw-told").evaluate((e) => e.getBoundingClientRect().height);

const refusals = {
  en: "The API server refuses list pods default/*: 403 Forbidden.",
  ja: "API サーバーが list pods default/* を拒否します: 403 Forbidden",
};
for (const [lang, size] of [["en", wide], ["ja", wide], ["en", phone]]) {
  const path = `/${lang}/components/who-may-do-what/`;
  inPage(`that a command was refused stays under the picture, and moves nothing: ${lang}, ${size.width} px`, { path, ...size, ...moves }, async (page) => {
    await nextMark(page, 3);
    const before = await heightOf(page);
    await kubectl(page, "delete pods --as system:serviceaccount:default:workqueue-example -l app=web");
    await page.waitForSelector(".kw-caption.is-own.is-refused.is-shown > small", { state: "visible", ...slow });
    await page.waitForTimeout(3000); // something else happens
    assert.equal(await page.textContent(".kw-caption.is-own > small"), refusals[lang]);
    assert.equal(await heightOf(page), before);
  });
}

inPage("that nobody answers a request stays under the picture", { path: "/en/components/cloud-controller-manager/", ...wide, ...moves }, async (page) => {
  const demo = page.locator("#demo-cloud-routes");
  await demo.scrollIntoViewIfNeeded();
  await demo.locator(".kw-scene").waitFor(slow);
  await demo.locator(".kw-play").focus();
  await page.keyboard.press("Home");
  for (let i = 0; i < 3; i++) await page.keyboard.press("m");
  await demo.locator(".kw-action-request").click();
  await demo.locator(".kw-caption.is-refused > small").waitFor({ state: "visible", ...slow });
  assert.match(await demo.locator(".kw-caption.is-refused > small").textContent(), /^Result: .*timed out/);
});

for (const motion of ["no-preference", "reduce"]) {
  inPage(`time that is skipped is told where it is skipped: ${motion}`, { path: "/en/loop/when-a-node-dies/", ...wide, motion }, async (page) => {
    await nextMark(page, 1);
    await page.evaluate(() => {
      window.told = [];
      const look = () => {
        const text = document.querySelector(".kw-statusline-line > span").textContent;
        if (window.told.at(-1) !== text) window.told.push(text);
        requestAnimationFrame(look);
      };
      look();
    });
    await page.click(".kw-play");
    await page.waitForFunction(() => window.told.some((text) => text.includes("not ready")), null, slow);
    assert.match((await page.evaluate(() => window.told)).join("\n"), /\b\d\d s with only heartbeats and routine work are skipped\./);
  });
}

inPage("Why? says that it begins at what was done last, and leads to the event that is shown", { path: "/en/loop/when-a-node-dies/", ...wide, ...moves }, async (page) => {
  await nextMark(page, 1);
  await page.$eval(".kw-fault-kill-node", (button) => button.click());
  await page.waitForFunction(() => /taint/.test(document.querySelector(".kw-statusline-line > span").textContent), null, slow);
  await page.click(".kw-ask");
  await page.waitForSelector(".kw-inspector-sentence", slow);
  assert.match(await page.textContent(".kw-inspector-sentence"), /loses power/);
  assert.match(await page.textContent(".kw-instead"), /^This is what you did last\. The event shown now:/);
  const shown = await page.textContent(".kw-instead span");
  assert.equal(shown, await page.textContent(".kw-statusline-line > span"));
  await page.click(".kw-instead button");
  await page.waitForFunction((text) => document.querySelector(".kw-inspector-sentence").textContent === text, shown);
  assert.ok(await page.isHidden(".kw-instead"));
});

inPage("a caption that comes before its picture says so until what it follows from is done", { path: "/en/loop/replicaset/", ...wide, ...moves }, async (page) => {
  await whole(page);
  await read(page, '.walk-text a:text-is("moment 11")');
  await numbered(page, 11);
  await page.waitForSelector(".kw-play:not(.is-playing)", slow);
  await read(page, '.walk-text a:text-is("moment 12")');
  await page.waitForSelector(".kw-caption.is-shown.is-coming", slow);
  assert.match(await page.textContent(".kw-caption.is-coming"), /^12Coming up: Now only two Pods/);
  await page.waitForFunction(() => document.querySelector(".kw-caption.is-shown:not(.is-coming) > b")?.textContent === "12", null, slow);
  assert.match(await page.textContent(".kw-caption.is-shown"), /^12Now only two Pods/);
});

inPage("the picture shows the controller while it deletes the Node in the exercise about it", { path: "/en/components/cloud-controller-manager/", ...wide }, async (page) => {
  const player = "#demo-cloud-controller-manager";
  await page.waitForSelector('.exercise[data-exercise="off-or-gone"] .kw-exercise-start', slow);
  await page.click('.exercise[data-exercise="off-or-gone"] .kw-exercise-start');
  await page.waitForSelector(".kw-exercise.is-active");
  await page.waitForSelector(`${player} .kw-fault-terminate-instance, ${player} .kw-action-terminate-instance`, { state: "attached" });
  await page.$eval(`${player} .kw-action-terminate-instance`, (button) => button.click());
  await page.waitForFunction(() => document.querySelector(".kw-exercise.is-active .kw-exercise-note")?.dataset.kind === "solved", null, slow);
  assert.equal(await page.$(`${player} .kw-scene [data-id="slice"]`), null, "it shows a request");
  assert.ok(await page.$(`${player} .kw-scene [data-about="cloud-controller-manager"]`));
});

inPage("of a sentence that is too long the last words stay", { path: "/embed/replicaset-scale/", width: 1100, height: 700 }, async (page) => {
  const sentence = `The API server refuses delete pods default/${"a-long-name-".repeat(12)}x2k9p: 403 Forbidden.`;
  const { cut, ends } = await page.evaluate((text) => {
    const [head, tail] = document.querySelectorAll(".kw-statusline-line > span > span");
    head.textContent = text.slice(0, -30);
    tail.textContent = text.slice(-30);
    const line = document.querySelector(".kw-statusline").getBoundingClientRect();
    return { cut: head.scrollWidth > head.clientWidth, ends: tail.getBoundingClientRect().right <= line.right + 0.5 };
  }, sentence);
  assert.deepEqual([cut, ends], [true, true]);
});

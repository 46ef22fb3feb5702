// Exercises in a real browser on the built site: solved by the controls and by the
// kubectl line, hinted at, remembered, forgotten, and readable without script.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBarriers } from "./barriers.mjs";
import { openBrowser, openPage, openSite } from "./harness.mjs";


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

const tour = "/en/start/tour/";
const five = '.exercise[data-exercise="five"]';

function exercise(name, { path = tour, wait = ".exercise .exercise-state", ...options }, run) {
  test(name, async () => {
    const page = await openPage(browser, site.url(path), { motion: "reduce", ...options });
    page.setDefaultTimeout(60_000);
    try {
      await page.waitForSelector(wait);
      await run(page);
      assert.deepEqual(page.problems, [], "the page complained");
    } finally {
      await page.context().close();
    }
  });
}

const card = ".kw-exercise.is-active";
const kind = (page, wanted) =>
  page.waitForFunction((k) => document.querySelector(".kw-exercise.is-active .kw-exercise-note")?.dataset.kind === k, wanted)
    .catch(async () => assert.fail(`never came to ${wanted}: ${await page.textContent(card)}`));
const toMark = async (page, n) => {
  await page.focus(".kw-play");
  await page.keyboard.press("Home");
  for (let i = 0; i < n; i++) await page.keyboard.press("m");
};
const scale = async (page, n) => {
  await page.fill(".kw-number", String(n));
  await page.press(".kw-number", "Enter");
};
const state = (page, box = five) => page.textContent(`${box} .exercise-state`);
const start = (page, box = five) => page.click(`${box} .kw-exercise-start`);
const healthy = (page) => noBarriers(page, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] });

/** Plays four times as fast: the choice is in the panel of settings. */
const faster = async (player) => {
  const more = player.locator(".kw-more-button");
  await more.click();
  await player.locator(".kw-side-head [role=tab]").last().click();
  await player.locator(".kw-speed").selectOption("4");
  await more.click();
};

exercise("Start leads from a run of the reader's own back to where it begins, and the task is said once", {}, async (page) => {
  await toMark(page, 8);
  await scale(page, 8);
  await page.waitForSelector(".kw-caption.is-own.is-shown");
  await start(page);
  await page.waitForSelector(".kw-reset", { state: "hidden" });
  const task = await page.textContent(`${card} .kw-exercise-task`);
  const said = await page.$$eval(".exercise-task, .kw-exercise-task",
    (all, text) => all.filter((e) => e.checkVisibility() && e.textContent === text).length, task);
  assert.equal(said, 1);
});

exercise("Start leads from anywhere in the recording to where the task begins, and waits there", {}, async (page) => {
  await toMark(page, 9);
  const begin = await page.textContent(".kw-time");
  await toMark(page, 12);
  await page.click(".kw-play");
  await page.waitForSelector(".kw-play.is-playing");
  await start(page);
  await page.waitForFunction((time) => document.querySelector(".kw-time").textContent === time, begin);
  assert.equal(await page.inputValue(".kw-slider"), "3");
  await page.waitForTimeout(800);
  assert.equal(await page.textContent(".kw-time"), begin);
  assert.equal(await page.$(".kw-play.is-playing"), null);
});

const wide = { width: 1440, height: 780 };
const boxOf = (page, selector) => page.locator(selector).evaluate((e) => {
  const { top, bottom } = e.getBoundingClientRect();
  return { top, bottom };
});

for (const tab of [1, 2]) {
  exercise(`Start closes the ${["log", "lanes"][tab - 1]}, which would lie over the task`, wide, async (page) => {
    await page.locator(five).scrollIntoViewIfNeeded();
    await page.click(".kw-more-button");
    await page.locator(".kw-side-head [role=tab]").nth(tab).click();
    await page.$eval(`${five} .kw-exercise-start`, (button) => button.click()); // it may be covered
    await page.waitForSelector(card);
    await page.waitForSelector(".kw-sidepanel", { state: "hidden" });
    assert.ok(await page.isVisible(".kw-main > .kw-scale"));
    const { top, bottom } = await boxOf(page, card);
    assert.ok(top >= 0 && bottom <= wide.height, `the task is at ${top} to ${bottom}`);
  });
}

exercise("Start brings what the answer takes, where it is in the panel alone, below the task", { path: "/en/loop/deployments/", ...wide }, async (page) => {
  await start(page, '.exercise[data-exercise="rescue"]');
  const player = "#demo-deployment-rollout";
  await page.waitForSelector(`${player} .kw-sidepanel .kw-prompt`, { state: "visible" });
  await page.waitForTimeout(500);
  const [task, panel, prompt] = await Promise.all([card, `${player} .kw-sidepanel`, `${player} .kw-prompt`].map((selector) => boxOf(page, selector)));
  assert.ok(task.top >= 0 && task.bottom <= panel.top, `the task ends at ${task.bottom}, the panel begins at ${panel.top}`);
  assert.ok(prompt.top >= panel.top && prompt.bottom <= Math.min(panel.bottom, wide.height), `the prompt is at ${prompt.top} to ${prompt.bottom}`);
});

exercise("on phones, Start shows the task below the picture, and the panel is opened where the answer is typed", {
  path: "/en/loop/deployments/", width: 360, height: 740 }, async (page) => {
  // The demos above it come first: pictures take the place of storyboards, and what is below moves.
  for (let i = 0; i < 4; i++) {
    await page.$eval('.exercise[data-exercise="rescue"]', (box) => box.scrollIntoView({ block: "center", behavior: "instant" }));
    await page.waitForTimeout(700);
  }
  await start(page, '.exercise[data-exercise="rescue"]');
  await page.waitForSelector(card);
  const player = "#demo-deployment-rollout";
  await page.waitForSelector(`${player} .kw-more-button`, { state: "visible" });
  assert.ok(!(await page.isVisible(`${player} .kw-sidepanel`)));
  const [task, front] = await Promise.all([card, `${player} .kw-front`].map((selector) => boxOf(page, selector)));
  assert.ok(task.top >= front.bottom && task.top < front.bottom + 60, `the task begins at ${task.top}, the picture ends at ${front.bottom}`);
  await page.click(`${player} .kw-more-button`);
  assert.ok(await page.isVisible(`${player} .kw-side-act`));
});

for (const [width, height] of [[1440, 780], [360, 740]]) {
  exercise(`the goals stay above what a command prints: ${width} px`, { path: "/en/loop/deployments/", width, height }, async (page) => {
    await start(page, '.exercise[data-exercise="rescue"]');
    const player = page.locator("#demo-deployment-rollout");
    const panel = player.locator(".kw-sidepanel");
    if (!(await panel.isVisible())) await player.locator(".kw-more-button").click();
    await player.locator(".kw-command").fill("get pods -o yaml");
    await player.locator(".kw-command").press("Enter");
    await page.waitForFunction(() => document.querySelector("#demo-deployment-rollout .kw-last").textContent.includes("apiVersion"));
    const seen = async () => {
      await page.waitForTimeout(200);
      return panel.evaluate((side) => {
        const [goals, line, all] = [side.querySelector(".kw-exercise-strip"), side.querySelector(".kw-prompt"), side].map((e) => e.getBoundingClientRect());
        const at = document.elementFromPoint(goals.left + 40, goals.top + 12);
        return { isInSight: goals.height > 20 && goals.top >= all.top && goals.bottom <= all.bottom && at?.closest(".kw-exercise-strip") !== null,
          isLineBelow: line.top >= goals.bottom - 1 };
      });
    };
    assert.deepEqual(await seen(), { isInSight: true, isLineBelow: true });
    await panel.locator(".kw-side-act").evaluate((side) => (side.scrollTop = side.scrollHeight));
    assert.equal((await seen()).isInSight, true);
    assert.equal(await panel.locator(".kw-exercise-strip li").count(), 2);
  });
}

exercise("a wrong attempt gets the hint that fits, a right one is told, remembered, counted and forgotten", {}, async (page) => {
  assert.equal(await state(page), "Not started");
  assert.equal(await page.textContent(".progress"), "0 of 1 exercises solved");
  await start(page);
  assert.equal(await state(page), "Working on it");
  await page.waitForSelector(card);
  await toMark(page, 9);
  await faster(page.locator(".kw-player"));
  await scale(page, 6);
  await kind(page, "watches");
  await page.click(`${card} .kw-exercise-hint`);
  assert.match(await page.textContent(`${card} .kw-exercise-hints`), /more than five/);
  await scale(page, 5);
  await kind(page, "solved");
  assert.equal(await page.locator(`${card} .kw-exercise-goal li.is-held`).count(), 3);
  assert.match(await page.textContent(`${five} .kw-exercise-result`), /^Done at \d+\.\d{3} s\. Last step: kubectl scales web to 5 replicas · /);
  const said = await page.$eval(five, (box) => [...box.querySelectorAll("p, span, button")]
    .filter((e) => e.children.length === 0 && e.checkVisibility() && e.offsetWidth > 2 && /solved/i.test(e.textContent)).map((e) => e.textContent));
  assert.deepEqual(said, ["Solved", "Mark as not solved"]);
  assert.equal(await page.textContent(".progress"), "1 of 1 exercises solved");
  await healthy(page);

  // Back in time it is not solved yet; what is remembered stays.
  await page.focus(".kw-play");
  await page.keyboard.press("Home");
  await kind(page, "waits");
  assert.equal(await state(page), "Solved");

  await page.reload();
  await page.waitForSelector(`${five} .exercise-state`);
  assert.equal(await state(page), "Solved");
  await page.goto(site.url("/en/"));
  await page.waitForFunction(() => /^1 of \d+ exercises solved$/.test(document.querySelector(".chapters-head .progress")?.textContent ?? ""));
  assert.equal(await page.getAttribute('.chapters li:has(a[href$="/start/tour/"]) .progress', "aria-label"), "1 of 1 exercises solved");
  await page.goBack();
  await page.click(`${five} .kw-forget`);
  assert.equal(await state(page), "Not started");
  assert.equal(await page.textContent(".progress"), "0 of 1 exercises solved");
  assert.ok(await page.evaluate(() => document.activeElement?.matches(".kw-exercise-start")), "the focus is lost");
});

exercise("solved by the kubectl line, from where the exercise begins", { path: "/en/components/kube-scheduler/" }, async (page) => {
  const box = '.exercise[data-exercise="one-pending"]';
  await start(page, box);
  await page.waitForSelector(card);
  const player = page.locator("#demo-scheduler-cycle");
  await page.waitForFunction(() => parseFloat(document.querySelector("#demo-scheduler-cycle .kw-time").textContent) > 41);
  await faster(player);
  await player.locator(".kw-more-button").click();
  await player.locator(".kw-side-head [role=tab]").first().click();
  let before = "";
  for (let n = 1; n <= 3; n++) {
    await player.locator(".kw-command").fill("create -f crunch");
    await player.locator(".kw-command").press("Enter");
    await page.waitForFunction((before) => {
      const name = /pod\/crunch-\w+ created/.exec(document.querySelector("#demo-scheduler-cycle .kw-last").textContent)?.[0];
      return name && name !== before;
    }, before);
    before = /pod\/crunch-\w+ created/.exec(await player.locator(".kw-last").textContent())[0];
    await page.waitForTimeout(1500);
    if (n === 1) {
      await page.click(`${card} .kw-exercise-hint`);
      assert.match(await page.textContent(`${card} .kw-exercise-hints`), /This Pod found a node|crunch requests 1\.5 CPUs/);
    }
  }
  await kind(page, "solved");
  assert.match(await page.textContent(`${box} .kw-exercise-result`), /^Done at .*kubectl create -f crunch/);
});

exercise("what must not happen spoils an attempt; starting again clears it", { path: "/en/loop/replicaset/" }, async (page) => {
  const heal = '.exercise[data-exercise="heal"]';
  await start(page, heal);
  await page.waitForSelector(card);
  await scale(page, 4);
  await kind(page, "spoilt");
  assert.match(await page.textContent(`${card} .kw-exercise-note`), /Not this way\. This happened at \d+\.\d{3} s, and it must not: ReplicaSet default\/web is changed/);
  await page.click(`${card} .kw-exercise-start`);
  await kind(page, "waits");
  await page.click('.kw-main button:has-text("Delete a Pod")');
  await faster(page.locator(".kw-player"));
  await kind(page, "solved");
});

exercise("the author's answer plays, and does not count", { path: "/en/loop/replicaset/" }, async (page) => {
  const heal = '.exercise[data-exercise="heal"]';
  await start(page, heal);
  await page.waitForSelector(card);
  assert.ok(!(await page.isVisible(`${card} .kw-exercise-answer`)), "the answer comes after the hints");
  await page.click(`${card} .kw-exercise-hint`);
  await page.click(`${card} .kw-exercise-answer`);
  await kind(page, "answered");
  await page.waitForFunction(() => document.querySelector(".kw-play.is-playing"));
  await page.focus(".kw-play");
  assert.equal(await state(page, heal), "Working on it");
});

exercise("a question is answered, told why, and seen", { path: "/en/loop/replicaset/" }, async (page) => {
  const box = '.exercise[data-exercise="which-two"]';
  assert.ok(!(await page.isVisible(`${box} button:has-text("See it happen")`)), "first comes the choice");
  await page.click(`${box} .kw-option:has-text("How full their nodes are")`);
  await page.click(`${box} button[type="submit"]`);
  assert.match(await page.textContent(`${box} .kw-question-verdict`), /^No\. In a Deployment, that would come first/);
  assert.equal(await state(page, box), "Not started");
  await page.click(`${box} .kw-option:has-text("How long they have been ready")`);
  await page.click(`${box} button[type="submit"]`);
  assert.match(await page.textContent(`${box} .kw-question-verdict`), /^Right\./);
  assert.equal(await state(page, box), "Solved");
  await healthy(page);
  await page.click(`${box} button:has-text("See it happen")`);
  await page.waitForFunction(() => parseFloat(document.querySelector(".kw-time").textContent) > 40);
  const from = await page.evaluate(() => parseFloat(document.querySelector(".kw-time").textContent));
  await page.waitForFunction((at) => parseFloat(document.querySelector(".kw-time").textContent) > at, from); // it plays by itself
});

exercise("with the keyboard alone", {}, async (page) => {
  await page.focus(`${five} .kw-exercise-start`);
  await page.keyboard.press("Enter");
  await page.waitForFunction((c) => document.activeElement === document.querySelector(c), card);
  await page.keyboard.press("Tab");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".kw-exercise-start")));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".kw-exercise-hints li")), "the hint has the focus, so that it is read");
});

exercise("where nothing is kept it lasts as long as the page", {}, async (page) => {
  await page.context().addInitScript(() => {
    Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } });
  });
  await page.goto(site.url("/en/loop/replicaset/"));
  const box = '.exercise[data-exercise="which-two"]';
  await page.click(`${box} .kw-option:has-text("How long they have been ready")`);
  await page.click(`${box} button[type="submit"]`);
  assert.equal(await state(page, box), "Solved");
  await page.click(`${box} .kw-forget`);
  assert.equal(await state(page, box), "Not started");
});

exercise("without script it can be read", { script: false, wait: five }, async (page) => {
  assert.match(await page.textContent(five), /Have exactly five Pods/);
  assert.equal(await page.locator(`${five} details`).count(), 2);
  await page.click(`${five} summary:has-text("Answer")`);
  assert.match(await page.textContent(`${five} details[open]`), /\+1\.000 s kubectl scales web to 5 replicas\./);
  assert.equal(await page.textContent(".progress"), "");
});

exercise("a demo alone shows its exercises beside its controls", { path: "/embed/replicaset-scale/", wait: ".kw-more-button" }, async (page) => {
  await page.waitForSelector(".kw-exercises-drawer", { state: "attached" });
  assert.equal(await page.locator(".kw-exercise:visible").count(), 0, "the exercises are in the way of the picture");
  await page.click(".kw-exercises-drawer > summary");
  assert.equal(await page.locator(".kw-exercise:visible").count(), 3);
  await page.click(".kw-exercise .kw-exercise-start >> nth=0");
  await page.waitForSelector(card);
  assert.equal(await page.locator(card).count(), 1);
  await healthy(page);
});

for (const [name, options] of [["narrow", { width: 360, height: 740 }], ["dark", { theme: "dark" }], ["Japanese", { path: "/ja/start/tour/" }]]) {
  exercise(`${name}: nothing sticks out, nothing is in the way`, options, async (page) => {
    await start(page);
    await page.waitForSelector(card);
    await page.click(`${card} .kw-exercise-hint`);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page scrolls sideways");
    await healthy(page);
    if (name === "Japanese") assert.match(await page.textContent(card), /ちょうど 5 つ/);
  });
}

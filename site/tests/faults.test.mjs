// What a reader breaks, in a real browser, on the built site.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBarriers } from "./barriers.mjs";
import { openBrowser, openPage, openSite, turnTo } from "./harness.mjs";

const demo = "/embed/replicaset-scale/";

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

/** Opens a demo in the middle of its story. */
function faults(name, options, run) {
  test(name, async () => {
    const page = await openPage(browser, site.url(options.path ?? demo), options);
    try {
      await page.waitForSelector(".kw-player .kw-scene");
      await page.focus(".kw-play");
      for (let i = 0; i < 6; i++) await page.keyboard.press("m");
      await page.waitForSelector(".kw-stage .role-pod");
      await run(page);
      assert.deepEqual(page.problems, [], "the page complained");
    } finally {
      await page.context().close();
    }
  });
}

const open = async (page) => {
  await turnTo(page, "act");
  await page.locator(".kw-breaks > summary").click();
  await page.waitForSelector(".kw-break-target");
};
const broken = (page) => page.$$eval(".kw-broken li > span", (all) => all.map((e) => e.textContent));
const acts = (page) => page.$$eval(".kw-break .kw-break-act", (all) => all.map((e) => e.textContent));
const sign = (page, name, state) => page.waitForSelector(`.kw-stage [data-id="fault/${name}"].state-${state}`, { timeout: 60_000 });

faults("it is closed at first, and loaded when it is opened", {}, async (page) => {
  assert.equal(await page.$eval(".kw-breaks", (e) => e.open), false);
  assert.equal(await page.$(".kw-break"), null);
  await open(page);
  const groups = await page.$$eval(".kw-break-target optgroup", (all) => all.map((e) => [e.label, e.children.length]));
  assert.deepEqual(groups.map(([label]) => label), ["Control plane", "Nodes", "Pods"]);
  assert.ok(groups.every(([, n]) => n > 0), String(groups));
  assert.deepEqual(await broken(page), []);
});

faults("an author's faults are buttons in the panel, and none of them takes the command line's place", { path: "/embed/sample-controller/" }, async (page) => {
  assert.ok(await page.isVisible(".kw-prompt"));
  await turnTo(page, "act");
  const buttons = page.locator(".kw-reader .kw-action-fail");
  assert.deepEqual(await buttons.allTextContents(), ["Forget to requeue", "Swallow errors", "Forget the owner", "Watch Foos only"]);
  await buttons.nth(2).click();
  await page.locator(".kw-stage").getByText("sets no owner", { exact: true }).waitFor({ timeout: 60_000 }); // its panel says so
  await open(page);
  assert.deepEqual(await broken(page), ["sample-controller fails: no owner reference"]);
  await page.locator(".kw-reader .kw-action-heal").click();
  await page.waitForFunction(() => document.querySelectorAll(".kw-broken li").length === 0);
});

faults("what is chosen in the picture can be acted on there", {}, async (page) => {
  const offered = () => page.$$eval(".kw-chosen:not([hidden]) .kw-break-act", (all) => all.map((e) => e.textContent));
  await page.locator('.kw-stage [data-id="node/node-1"]').dispatchEvent("click");
  await page.waitForSelector(".kw-chosen:not([hidden]) .kw-break-kill-node");
  assert.equal(await page.textContent(".kw-chosen-name"), "node-1");
  assert.ok((await offered()).includes("Cut off from the network"), String(await offered()));
  await noBarriers(page, { where: "with a node chosen" });
  await page.locator(".kw-chosen .kw-break-kill-node").click();
  await page.waitForSelector('.kw-stage [data-id="node/node-1"].state-down', { timeout: 60_000 });
  await page.waitForSelector(".kw-chosen .kw-break-start-node");
  await page.locator(".kw-stage .role-pod[data-about]").first().dispatchEvent("click");
  await page.waitForSelector(".kw-chosen:not([hidden]) .kw-break-delete");
  assert.ok(!(await offered()).includes("Boot it"), "a Pod is no node");
});

faults("an instance of a cloud is terminated where its node is drawn, and the cloud has one fewer", { path: "/embed/cloud-controller-manager/" }, async (page) => {
  await page.locator('.kw-stage [data-id="node/node-1"]').dispatchEvent("click");
  await page.waitForSelector(".kw-chosen:not([hidden])");
  assert.equal(await page.locator(".kw-chosen .kw-break-act").first().textContent(), "Terminate the instance");
  assert.equal(await page.isVisible(".kw-object-choice"), false, "what was chosen is chosen");
  const instances = async () => Number((await page.textContent('.kw-stage [data-id="component/cloud-controller-manager/instances"]')).match(/\d+/)[0]);
  const before = await instances();
  await page.locator(".kw-chosen .kw-break-terminate-instance").click();
  await page.waitForSelector('.kw-stage [data-id="node/node-1"].state-down', { timeout: 60_000 });
  assert.equal(await instances(), before - 1);
  assert.equal(await page.locator(".kw-chosen .kw-break-terminate-instance").count(), 0, "it is gone for good");
});

faults("a node is cut off, which is drawn, listed and mended", {}, async (page) => {
  await open(page);
  await page.selectOption(".kw-break-target", "nodes node-1");
  await page.click(".kw-break-partition");
  await page.waitForSelector(".kw-broken li", { timeout: 60_000 });
  assert.deepEqual(await broken(page), ["node-1 is cut off"]);
  await sign(page, "kubelet/node-1", "cut");
  assert.ok(await page.$('.kw-stage [data-id="wire/kubelet/node-1/far"]'), "the wire is in two");
  assert.ok(!(await acts(page)).includes("Cut off from the network"), "it cannot be cut off twice");
  await noBarriers(page, { where: "with a fault" });
  await page.click(".kw-mend");
  await page.waitForFunction(() => !document.querySelector(".kw-broken li"), undefined, { timeout: 60_000 });
  await page.waitForFunction(() => !document.querySelector('.kw-stage [data-id="fault/kubelet/node-1"]:not(.is-leaving)'));
});

faults("looking at something in the picture chooses it, and nothing else happens", { path: "/en/source/where-the-code-lives/", height: 1400 }, async (page) => {
  await open(page);
  await page.locator('.kw-stage [data-id="scheduler"]').click({ position: { x: 60, y: 12 } });
  assert.equal(await page.inputValue(".kw-break-target"), "kube-scheduler");
  assert.equal(await page.locator(".kw-chip").textContent(), "kube-scheduler");
  assert.equal(await page.$(".kw-badge.is-live"), null, "nothing was broken");
  const pod = await page.$eval(".kw-stage .role-pod[data-about]", (e) => e.getAttribute("data-about"));
  await page.locator(`.kw-stage .role-pod[data-about="${pod}"]`).first().click();
  assert.equal(await page.inputValue(".kw-break-target"), pod);
  assert.deepEqual(await acts(page), ["Delete", "Crash a container", "Use more memory", "Use more CPU"]);
});

faults("by keyboard: b, a button, and the link has it", { context: { permissions: ["clipboard-read", "clipboard-write"] } }, async (page) => {
  await page.focus(".kw-play");
  await page.keyboard.press("b");
  await page.waitForFunction(() => document.activeElement.classList.contains("kw-break-target"));
  await page.selectOption(".kw-break-target", "kube-apiserver");
  await page.selectOption(".kw-break-fail + .kw-break-how", "503 100%");
  await page.focus(".kw-break-fail");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".kw-broken li", { timeout: 60_000 });
  assert.deepEqual(await broken(page), ["kube-apiserver fails: 503, always"]);
  await page.waitForSelector('.kw-stage [data-id="apiserver"].state-failing');
  await page.focus(".kw-play");
  await page.keyboard.press("y");
  await page.waitForFunction(() => location.hash.includes("fail,kube-apiserver"));
  const link = decodeURIComponent(await page.evaluate(() => location.hash));
  assert.match(link, /,fail,kube-apiserver,503 100%/);
});

faults("of a component that is down, the menu offers its start", {}, async (page) => {
  await open(page);
  await page.selectOption(".kw-break-target", "replicaset-controller");
  await page.click(".kw-break-stop");
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".kw-break .kw-break-act")].map((e) => e.textContent).join() === "Start", undefined, { timeout: 60_000 });
  assert.deepEqual(await broken(page), ["replicaset-controller is down"]);
});

faults("narrow, dark, in Japanese", { width: 360, theme: "dark", path: "/embed/ja/replicaset-scale/" }, async (page) => {
  await open(page);
  await page.selectOption(".kw-break-target", "nodes node-1");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(wide <= 360, `the page is ${wide} px wide`);
  const boxes = await page.$$eval(".kw-break button, .kw-break select", (all) => all.map((e) => e.getBoundingClientRect()).map((r) => [r.width, r.height]));
  for (const box of boxes) {
    assert.ok(box[0] >= 24 && box[1] >= 24, `a target is ${box} px`);
  }
  await noBarriers(page, { where: "narrow and dark" });
});

faults("a program that has not started yet can be started, and nothing else", { path: "/embed/sample-controller/" }, async (page) => {
  await open(page);
  await page.selectOption(".kw-break-target", "sample-controller");
  await page.focus(".kw-play");
  await page.keyboard.press("Home");
  await page.waitForSelector('.kw-stage [data-id="component/sample-controller"].state-unstarted');
  assert.deepEqual(await acts(page), ["Start"]);
  assert.equal(await page.locator('.kw-fault[aria-label$=": sample-controller"]').evaluateAll((all) => all.filter((b) => !b.hidden).length), 1);
});

faults("nobody repairs what its Pod starts: the menu says who does", { path: "/embed/csi-snapshot/" }, async (page) => {
  await open(page);
  const list = page.locator(".kw-faults", { has: page.locator(".kw-targets-component") });
  await list.locator("summary").click();
  const row = list.locator("li", { hasText: "disk-controller" });
  assert.equal(await row.locator(".kw-hint").isHidden(), true, "it runs");
  await row.locator(".kw-fault-stop").click();
  const seen = await page.waitForFunction(() => {
    const li = document.querySelector(".kw-broken li");
    const texts = (selector) => [...document.querySelectorAll(selector)].filter((e) => e.checkVisibility()).map((e) => e.textContent);
    return li && [li.querySelector("span").textContent, li.querySelectorAll("button").length, li.querySelector("p")?.textContent,
      texts(".kw-targets-component button"), texts(".kw-targets-component .kw-hint")];
  }, undefined, { timeout: 60_000 });
  const [what, buttons, how, offered, said] = await seen.jsonValue();
  assert.deepEqual([what, buttons, offered, said], ["disk-controller is down", 0, [], ["Down. Its Pod starts it again."]]);
  assert.match(how, /^Its Pod starts it again: the kubelet/);
  await page.waitForFunction(() => !document.querySelector(".kw-broken li"), undefined, { timeout: 60_000 }); // it has
  await row.locator(".kw-fault-stop").waitFor();
});

for (const [lang, says] of [["en", "Its Pod starts it, once there is one."], ["ja", "Pod が作られると、その中で起動します。"]]) {
  const path = lang === "en" ? "/embed/shell-operator/" : `/embed/${lang}/shell-operator/`;
  faults(`what no Pod has started yet cannot be started, and the menu says so: ${lang}`, { path }, async (page) => {
    await open(page);
    await page.selectOption(".kw-break-target", "shell-operator");
    assert.ok((await acts(page)).length > 0);
    await page.focus(".kw-play");
    await page.keyboard.press("Home");
    await page.waitForSelector(".kw-break .kw-break-menu .kw-hint");
    assert.equal(await page.textContent(".kw-break .kw-break-menu"), says);
    await noBarriers(page, { where: "with a menu that only says something" });
  });
}

faults("of a node whose instance is terminated only that is offered which is in the cluster", { path: "/embed/cloud-controller-manager/" }, async (page) => {
  const terminate = page.locator(".kw-action-terminate-instance").nth(1);
  await page.waitForFunction(() => document.querySelector(".kw-caption.is-shown > b")?.textContent === "7"); // it has just been
  await open(page);
  await page.selectOption(".kw-break-target", "nodes node-2");
  assert.deepEqual(await acts(page), ["Cordon", "Drain"]);
  assert.deepEqual(await broken(page), ["The instance of node-2 is terminated"]);
  assert.equal(await page.locator(".kw-broken .kw-mend").count(), 0);
  assert.equal(await page.locator('.kw-fault[aria-label$=": node-2"]:visible').count(), 0);
  assert.ok(await terminate.isDisabled());
  await page.focus(".kw-play");
  await page.keyboard.press("Home");
  await page.waitForFunction(() => !document.querySelectorAll(".kw-action-terminate-instance")[1].disabled);
  assert.match(String(await acts(page)), /Cut the power/);
});

test("a program that is in no box of the picture can be started again", async () => {
  const page = await openPage(browser, site.url("/embed/kubeadm/"));
  try {
    await page.waitForSelector(".kw-player .kw-scene");
    await page.focus(".kw-play");
    await page.keyboard.press("m");
    await page.keyboard.press("m");
    await turnTo(page, "act");
    const list = page.locator(".kw-faults", { has: page.locator(".kw-targets-component") });
    await list.locator("summary").click();
    const of = (name, kind) => list.locator("li", { hasText: name }).locator(`.kw-fault-${kind}`);
    await of("kubeadm/node-1", "start").waitFor(); // that can only be started
    assert.equal(await of("kubelet/node-1", "start").isHidden(), true, "it runs");
    await of("kubelet/node-1", "stop").click();
    await of("kubelet/node-1", "start").waitFor({ timeout: 60_000 });
    await of("kubelet/node-1", "stop").waitFor({ state: "hidden" });
    await of("kubelet/node-1", "start").click();
    await of("kubelet/node-1", "stop").waitFor({ timeout: 60_000 });
    assert.deepEqual(page.problems, []);
  } finally {
    await page.context().close();
  }
});

// kubewalk cluster --show: what is done on the port is seen in the page, which runs the same cluster.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { noBarriers } from "./barriers.mjs";
import { openBrowser, openPage, root, turnTo } from "./harness.mjs";

const program = resolve(root, process.env.KUBEWALK ?? "bin/kubewalk");
/** How long something may take on a busy machine, ms. */
const timeout = 120_000;

let folder, browser, session;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubewalk-live-")); // an empty folder: the program has all with it
  browser = await openBrowser();
  session = await begin();
}, { timeout });
after(async () => {
  session?.program.kill("SIGKILL");
  await browser?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a session and waits until its page is there. */
async function begin() {
  const started = spawn(program, ["cluster", "--listen", "127.0.0.1:0", "--show=127.0.0.1:0"], { cwd: folder });
  let said = "";
  const page = await new Promise((found, failed) => {
    started.stderr.on("data", (data) => (said += data));
    started.stdout.on("data", (data) => {
      const address = /^page: (\S+)$/m.exec((said += data));
      if (address) found(address[1]);
    });
    started.on("exit", () => failed(new Error(`it ended: ${said}`)));
  });
  const config = await readFile(join(folder, "kubeconfig"), "utf8");
  const field = (name) => new RegExp(`${name}: (\\S+)`).exec(config)[1];
  return { program: started, page, server: field("server"), token: field("token"), ca: Buffer.from(field("certificate-authority-data"), "base64") };
}

/** Asks the port, as kubectl does. */
function ask(method, path, body) {
  const { server, token, ca } = session;
  return new Promise((answered, failed) => {
    const asked = request(server + path, { method, ca, headers: { authorization: `Bearer ${token}`, "content-type": "application/json" } }, (answer) => {
      let text = "";
      answer.on("data", (data) => (text += data));
      answer.on("end", () => answered({ status: answer.statusCode, body: JSON.parse(text) }));
    });
    asked.on("error", failed);
    asked.end(body && JSON.stringify(body));
  });
}

const pods = "/api/v1/namespaces/default/pods";
async function deploy(name, replicas) {
  const labels = { app: name };
  const { status } = await ask("POST", "/apis/apps/v1/namespaces/default/deployments", { metadata: { name },
    spec: { replicas, selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } } } });
  assert.equal(status, 201);
}

/** The last parts of the names of a Deployment's Pods, once so many are there. */
async function names(app, n) {
  for (const end = Date.now() + timeout; Date.now() < end;) {
    const { body } = await ask("GET", `${pods}?labelSelector=app%3D${app}`);
    if (body.items.length === n) return body.items.map((pod) => pod.metadata.name.split("-").at(-1));
    await new Promise((go) => setTimeout(go, 100));
  }
  throw new Error(`there are not ${n} Pods of ${app}`);
}

const open = (options) => openPage(browser, session.page, options);
const shows = (page, parts) => page.waitForFunction((parts) => {
  const text = document.querySelector(".kw-scene")?.textContent ?? "";
  return parts.every((part) => text.includes(part));
}, parts, { timeout });
/** It follows, and nothing is told: it has all that there is. The first seconds are there before it has heard of the session. */
const follows = (page) => page.waitForFunction(() => document.querySelector(".kw-play.is-playing") && document.querySelector(".kw-to-live")?.hidden
  && document.querySelector(".kw-status")?.textContent === "" && parseFloat(document.querySelector(".kw-time").textContent) > 6, null, { timeout });
const now = (page) => page.$eval(".kw-time", (time) => parseFloat(time.textContent));
const told = (page, text) => page.waitForFunction((text) => document.querySelector(".kw-status")?.textContent.includes(text), text, { timeout });
const says = (page, text) => told(page, text).catch(async (error) => {
  throw new Error(`${error.message}: it says ${await page.textContent(".kw-status")}`);
});

test("what is done on the port is seen in every page, at once and by one that comes later", { timeout: 3 * timeout }, async () => {
  const page = await open({ motion: "no-preference", width: 1440, height: 780 });
  await follows(page);
  await deploy("web", 3);
  const all = await names("web", 3);
  await shows(page, ["web", ...all]);
  await follows(page);
  const late = await open({ width: 360, height: 740 });
  await shows(late, all);
  await follows(late);
  const [before, lateBefore] = [await now(page), await now(late)];
  await page.waitForFunction((before) => parseFloat(document.querySelector(".kw-time").textContent) > before + 2, before, { timeout });
  await late.waitForFunction((before) => parseFloat(document.querySelector(".kw-time").textContent) > before + 2, lateBefore, { timeout });
  assert.deepEqual([...page.problems, ...late.problems], []);
  await page.context().close();
  await late.context().close();
});

test("who steps back stays there, and a button leads back; what the reader does is a world of its own", { timeout: 3 * timeout }, async () => {
  const page = await open({ width: 1440, height: 780 });
  await follows(page);
  await page.click("[aria-label='Step back']");
  await page.waitForSelector(".kw-to-live:not([hidden])");
  const stood = await now(page);
  await deploy("other", 2);
  const all = await names("other", 2);
  await new Promise((go) => setTimeout(go, 1500));
  assert.equal(await now(page), stood);
  assert.equal(await page.textContent(".kw-scene").then((text) => all.some((part) => text.includes(part))), false);
  await page.click(".kw-to-live");
  await shows(page, all);
  await follows(page);

  await page.fill(".kw-command", "delete deployment other");
  await page.press(".kw-command", "Enter");
  await page.waitForSelector(".kw-to-live:not([hidden])");
  // The API server still says which one it deleted last.
  await page.waitForFunction((all) => !all.every((part) => document.querySelector(".kw-scene").textContent.includes(part)), all, { timeout });
  assert.deepEqual(await names("other", 2), all); // in the session they are
  await page.click(".kw-to-live");
  await shows(page, all);
  await follows(page);
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

for (const [theme, width, height] of [["light", 1440, 780], ["dark", 360, 740]]) {
  test(`axe finds nothing: ${theme}, ${width} px`, { timeout: 2 * timeout }, async () => {
    const page = await open({ theme, width, height });
    await follows(page);
    await page.click(".kw-play");
    await page.waitForSelector(".kw-to-live:not([hidden])");
    await noBarriers(page);
    await page.context().close();
  });
}

test("when the session ends the page says so, and all that happened is there", { timeout: 2 * timeout }, async () => {
  const page = await open({ width: 1440, height: 780 });
  await follows(page);
  session.program.removeAllListeners("exit");
  session.program.kill("SIGINT");
  await says(page, "The session has ended");
  assert.equal(await page.isVisible(".kw-to-live"), false);
  const end = await now(page);
  // The last events may be of one moment.
  for (let steps = 0; steps < 20 && (await now(page)) >= end; steps++) await page.click("[aria-label='Step back']");
  assert.ok((await now(page)) < end);
  await page.click(".kw-ask");
  await page.waitForSelector(".kw-causes > li .kw-stack, .kw-causes > .is-open", { timeout });
  await turnTo(page, "lanes");
  await page.waitForSelector(".kw-lanes canvas");
  // Go's source, which the session had, is the only thing that nobody has any more.
  assert.deepEqual(page.problems.filter((problem) => !/\/source\/|Failed to load resource/.test(problem)), []);
  await page.context().close();
});

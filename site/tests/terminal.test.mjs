// What a reader types, breaks and asks for in a demo, in a real browser on the built site.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { noBarriers } from "./barriers.mjs";
import { openBrowser, openPage, openSite, turnTo } from "./harness.mjs";

const copyLink = async (page) => {
  await page.click(".kw-share-button");
  await page.click(".kw-share-item");
};

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

function terminal(name, options, run) {
  test(name, async () => {
    const page = await openPage(browser, site.url(options.path ?? "/embed/command-line/"), { motion: "reduce", ...options });
    try {
      await page.waitForSelector(".kw-player .kw-scene");
      await turnTo(page, "act");
      await run(page);
      assert.deepEqual(page.problems, [], "the page complained");
    } finally {
      await page.context().close();
    }
  });
}

const output = (page) => page.textContent(".kw-last");
const printed = (page, pattern) =>
  page.waitForFunction((p) => new RegExp(p).test(document.querySelector(".kw-last")?.textContent ?? ""), pattern, { timeout: 20_000 })
    .catch(async () => assert.fail(`never printed ${pattern}: ${await output(page)}`));
const type = async (page, line) => {
  await page.fill(".kw-command", line);
  await page.press(".kw-command", "Enter");
};
const toEnd = async (page) => {
  await page.focus(".kw-player"); // not in the controls: for who turns to those, the control plane is readied
  await page.keyboard.press("End");
};

terminal("what the author typed is there with its answer, at its moments, without the control plane", {}, async (page) => {
  await page.focus(".kw-player");
  await page.keyboard.press("Home");
  assert.equal(await output(page), "No commands yet.");
  assert.equal(page.workers().length, 0);
  await toEnd(page); // for who has read to the end the control plane is readied, and nothing asks it
  await printed(page, "200 web-");
  assert.equal(await page.$(".kw-badge.is-live"), null);
  let seen = "";
  for (let i = 0; i < 400 && !seen.includes("exposed"); i++) {
    await page.keyboard.press("ArrowLeft");
    seen = await output(page);
  }
  assert.equal(seen, "$ kubectl expose deployment web --port=80\nservice/web exposed");
});

terminal("who types faster than the control plane answers has every line run, in their order", {}, async (page) => {
  await toEnd(page);
  for (const line of ["create namespace one", "create namespace two", "get namespaces one two"]) await type(page, line);
  await printed(page, "^\\$ kubectl get namespaces one two\\nNAME +STATUS +AGE\\none +Active .*\\ntwo +Active");
  assert.match(await page.textContent(".kw-past"), /create namespace one\nnamespace\/one created\n\$ kubectl create namespace two\nnamespace\/two created/);
});

terminal("a line runs in the reader's own run, and its link shows the same", {}, async (page) => {
  await toEnd(page);
  await type(page, "kubectl get pods");
  await printed(page, "^\\$ kubectl get pods\\nNAME +READY +STATUS");
  assert.match(await page.textContent(".kw-badge"), /Live/);
  await page.click(".kw-play");
  const was = await output(page);
  await copyLink(page);
  await page.waitForFunction(() => location.hash.includes("inputs="));
  const url = page.url();
  assert.match(url, /inputs=[\d.]+,kubectl,get\+pods&/);
  await page.goto("about:blank");
  await page.goto(url);
  await printed(page, "NAME");
  assert.equal(await output(page), was);
  await page.click(".kw-told > .kw-reset");
  await printed(page, "200 web-");
});

terminal("with -v=6 each answer stands above what comes of it", { path: "/embed/kubectl-apply/" }, async (page) => {
  await toEnd(page);
  await type(page, "get pods -v=6");
  await printed(page, '^\\$ kubectl get pods -v=6\\nI.* "Response" verb="GET" .* status="200 OK".*\\nNAME');
});

terminal("a line stands above its answer from the moment it is sent off", {}, async (page) => {
  await toEnd(page);
  await printed(page, "200 web-");
  await page.evaluate(() => {
    window.seen = [];
    new MutationObserver(() => window.seen.push(document.querySelector(".kw-last").textContent))
      .observe(document.querySelector(".kw-last"), { childList: true, characterData: true, subtree: true });
  });
  await type(page, "get pods");
  assert.equal(await output(page), "$ kubectl get pods");
  await printed(page, "NAME +READY");
  const seen = await page.evaluate(() => window.seen);
  assert.deepEqual(seen.filter((text) => !text.startsWith("$ kubectl get pods")), [], "another command's answer");
  await type(page, "gte pods");
  await page.waitForSelector(".kw-wrong code");
  await printed(page, "^\\$ kubectl get pods\\nNAME"); // it never ran
});

terminal("examples run at a click; a manifest is applied by its name; what fails says so", {}, async (page) => {
  await toEnd(page);
  await page.click("button >> text=apply -f web.yaml");
  await printed(page, "deployment.apps/web unchanged");
  await type(page, "scale deployment wbe --replicas=5");
  await printed(page, 'deployments.apps "wbe" not found\\n\\(exit status 1\\)');
  assert.equal(await page.inputValue(".kw-command"), "", "what was run is gone, so that the next line begins");
  await page.fill(".kw-command", "get po");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.inputValue(".kw-command"), "scale deployment wbe --replicas=5");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.inputValue(".kw-command"), "apply -f web.yaml");
  await page.keyboard.press("ArrowUp");
  assert.equal(await page.inputValue(".kw-command"), "apply -f web.yaml", "there is nothing before it");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await page.inputValue(".kw-command"), "get po", "the draft");
});

terminal("what is wrong with a line is said at its place, before anything runs", {}, async (page) => {
  await toEnd(page);
  for (const [line, mark, message] of [
    ["get pods --wide", "--wide", /unknown flag: --wide/],
    ["gte pods", "gte", /Did you mean this\?\s+get/],
    ["apply -f wbe.yaml", "wbe.yaml", /does not exist\nDid you mean web\.yaml\?/],
    ["get '<b>x</b>", "'<b>x</b>", /./],
  ]) {
    await type(page, line);
    await page.waitForFunction((l) => document.querySelector(".kw-wrong code")?.textContent === l, line);
    assert.equal(await page.textContent(".kw-wrong mark"), mark);
    assert.match(await page.textContent(".kw-wrong p"), message);
    assert.equal(await page.$(".kw-wrong b"), null, "it became markup");
    assert.equal(await page.getAttribute(".kw-command", "aria-invalid"), "true");
  }
  assert.match(await page.textContent(".kw-badge"), /Recording/);
  await page.fill(".kw-command", "get pods");
  assert.equal(await page.isVisible(".kw-wrong"), false);
});

terminal("what earlier commands printed is above, and ^C where the next command ended one", {}, async (page) => {
  await toEnd(page);
  await type(page, "get events -w");
  await printed(page, "LAST SEEN");
  await page.waitForSelector(".kw-command.is-running", { timeout: 20_000 });
  await type(page, "get nodes");
  await printed(page, "NAME +STATUS");
  const past = await page.textContent(".kw-past");
  assert.match(past, /\$ kubectl get events -w\nLAST SEEN[^$]*\n\^C\n$/);
  const scroll = () => page.$eval(".kw-output", (box) => [box.scrollTop, box.querySelector(".kw-past").offsetHeight]);
  const [top, before] = await scroll();
  assert.ok(before > 0 && Math.abs(top - before) <= 1, `the answer is ${before - top} px from where answers are`);
  await page.focus(".kw-output");
  await page.keyboard.press("PageUp");
  await page.waitForFunction((top) => document.querySelector(".kw-output").scrollTop < top, top);
});

terminal("what only the larger control plane does is done by that, in the same run", {}, async (page) => {
  await toEnd(page);
  await type(page, "get pods");
  await printed(page, "NAME +READY");
  const names = (await output(page)).match(/web-\S+/g);
  const loads = [];
  page.on("request", (request) => loads.push(new URL(request.url()).pathname));
  const all = "{{range .items}}{{.metadata.name}} {{end}}";
  await type(page, `get pods -o 'go-template=${all}'`);
  await page.waitForFunction((text) => document.querySelector(".kw-last").textContent.includes(text), names.join(" "), { timeout: 90_000 })
    .catch(async () => assert.fail(`no template: ${await output(page)}`));
  assert.deepEqual(loads.filter((path) => path.includes("kubewalk-")).map((path) => path.replace(/-\w+\.wasm.*/, "")), ["/assets/kubewalk-cel"]);
  await type(page, "config view");
  await printed(page, "current-context: kubewalk");
  await type(page, "get nodes");
  await printed(page, "NAME +STATUS");
  assert.ok(names.length >= 2 && (await page.textContent(".kw-past")).includes(`\n${names.join(" ")}`), "the run is another one now");
});

terminal("Tab completes commands, kinds and the names of the moment; when it has nothing to add, it leaves the line", {}, async (page) => {
  await toEnd(page);
  const tab = async (line, want, options = "") => {
    await page.fill(".kw-command", line);
    await page.press(".kw-command", "Tab");
    await page.waitForFunction(([value, text]) => document.querySelector(".kw-command").value === value &&
      (document.querySelector(".kw-terminal .kw-wrong").hidden ? "" : document.querySelector(".kw-terminal .kw-wrong").textContent).startsWith(text),
    [want, options], { timeout: 15_000 })
      .catch(async () => assert.fail(`${line}: ${await page.inputValue(".kw-command")}, ${await page.textContent(".kw-terminal .kw-wrong")}`));
  };
  await tab("rollout st", "rollout status ");
  await tab("get dep", "get deployments ");
  assert.equal(await page.textContent(".kw-terminal > [role=status]"), "get deployments ", "who does not see it hears nothing");
  await tab("get d", "get d", "daemonsets  deployments");
  await tab("apply -f w", "apply -f web ");
  await tab("logs we", "logs web-65fd4cf998-", "web-65fd4cf998-");
  const isWrong = () => page.$eval(".kw-terminal .kw-wrong", (e) => !e.classList.contains("is-options"));
  assert.equal(await isWrong(), false, "what a word could be looks like something wrong");
  await tab("scale --rep", "scale --replicas=");
  assert.equal(await page.evaluate(() => document.activeElement.className), "kw-command");
  await page.press(".kw-command", "Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement.className), "kw-command", "a second Tab leaves it");
  await page.fill(".kw-command", "");
  await page.press(".kw-command", "Tab");
  assert.notEqual(await page.evaluate(() => document.activeElement.className), "kw-command", "nothing is there to be completed");
});

for (const [width, height] of [[1280, 800], [360, 740]]) {
  test(`beside a text, what is said of a line comes into view, and the bar of what listens: ${width} px`, async () => {
    const page = await openPage(browser, site.url("/en/components/kubectl/"), { width, height, motion: "reduce" });
    const inSight = (what) => page.waitForFunction((what) => {
      const element = document.querySelector(what);
      const { left, top, bottom } = element?.getBoundingClientRect() ?? {};
      return [top + 4, bottom - 4].every((y) => element?.contains(document.elementFromPoint(left + 8, y)));
    }, what, { timeout: 20_000 }).catch(() => assert.fail(`${what} is out of sight`));
    await page.waitForSelector(".kw-player .kw-scene");
    await toEnd(page);
    const line = page.locator(".kw-command").first();
    await line.fill("get d");
    await line.press("Tab");
    await inSight(".kw-wrong code");
    assert.equal(await page.textContent(".kw-wrong code"), "daemonsets  deployments");
    await line.fill("gte pods");
    await line.press("Enter");
    await page.waitForSelector(".kw-wrong p");
    await inSight(".kw-wrong");
    await line.fill("port-forward deploy/web 8080:80");
    await line.press("Enter");
    await inSight(".kw-address");
    await page.locator(".kw-address button").click(); // this cluster has no network
    await printed(page, "Empty reply from server\\nan error occurred forwarding 8080 -> 80: this cluster has no network\\nerror: lost connection to pod");
    await page.waitForFunction(() => document.querySelector(".kw-address").hidden);
    assert.ok(await page.evaluate(() => document.activeElement.matches(".kw-output")), "the focus went with the bar");
    assert.deepEqual(page.problems, []);
    await page.context().close();
  });
}

terminal("what port-forward listens on is opened with an address bar, until the next command", {}, async (page) => {
  await toEnd(page);
  await page.click("button >> text=port-forward deploy/web 8080:80");
  await printed(page, "Forwarding from 127.0.0.1:8080 -> 80");
  await page.waitForSelector(".kw-address:not([hidden])");
  await noBarriers(page, { within: ".kw-terminal" });
  await page.click(".kw-address button");
  await printed(page, "^\\$ curl http://127.0.0.1:8080/\\n200 web-");
  assert.equal(await page.isVisible(".kw-address"), true);
  await type(page, "proxy");
  await printed(page, "Starting to serve on 127.0.0.1:8001");
  await page.fill(".kw-address-path", "/api/v1/namespaces/default");
  await page.press(".kw-address-path", "Enter");
  await printed(page, '200 {"kind":"Namespace"');
  await type(page, "get pods");
  await printed(page, "NAME +READY");
  assert.equal(await page.isVisible(".kw-address"), false);
});

terminal("lines are typed to a shell in a container, which keeps its directory, and what it runs reads them", {}, async (page) => {
  await toEnd(page);
  await type(page, "exec -it deploy/web -- sh");
  await printed(page, "#$");
  const hint = () => page.getAttribute(".kw-command", "placeholder");
  assert.match(await hint(), /exit ends it/);
  await noBarriers(page, { within: ".kw-terminal" });
  for (const [line, answer] of [["cd /etc", "cd /etc\\n.*#$"], ["pwd", "pwd\\n/etc\\n.*#$"], ["read name", "read name$"], ["Ada", "Ada\\n.*#$"],
    ["echo hello $name", "hello Ada\\n.*#$"], ["sleep 500", "sleep 500$"]]) {
    await type(page, line);
    await printed(page, answer);
  }
  await page.press(".kw-command", "Control+c");
  await printed(page, "sleep 500\\n\\^C\\n.*#$");
  await type(page, "exit 3");
  await printed(page, "command terminated with exit code 3");
  assert.equal(await hint(), "kubectl …");
  await type(page, "get pods -w");
  await page.waitForFunction(() => /Ctrl-C/.test(document.querySelector(".kw-command").placeholder));
  await page.press(".kw-command", "Control+c");
  await page.waitForFunction(() => document.querySelector(".kw-command").placeholder === "kubectl …");
  await copyLink(page); // what was typed is in the link
  await page.waitForFunction(() => location.hash.includes(",type,cd%20%2Fetc") || location.hash.includes(",type,cd%20/etc"));
});

terminal("a policy in CEL decides in the page, by a control plane that only such demos load", { path: "/embed/admission-policy/" }, async (page) => {
  await toEnd(page);
  await type(page, "create deployment more --image=nginx:1.27 --replicas=6");
  await printed(page, "ValidatingAdmissionPolicy 'replica-limit' with binding 'replica-limit' denied request: 5 replicas are the most, not 6");
  const wasm = (path) => fetch(site.url(path)).then((answer) => answer.text()).then((text) => /data-wasm="[^"]*?(kubewalk[a-z-]*)-/.exec(text)[1]);
  assert.deepEqual([await wasm("/embed/admission-policy/"), await wasm("/embed/command-line/")], ["kubewalk-cel", "kubewalk"]);
});

terminal("requests, the registry and a load", {}, async (page) => {
  await toEnd(page);
  await page.click(".kw-action-request");
  await printed(page, "A request for http://web from web-\\*\\n200 web-");
  assert.equal(await page.isVisible(".kw-action-registry-up"), false);
  await page.focus(".kw-action-registry-down");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".kw-action-registry-up:not([hidden])");
  assert.equal(await page.isVisible(".kw-action-registry-down"), false);
  await page.waitForFunction(() => document.activeElement?.matches(".kw-action-registry-up"));
  const load = page.locator(".kw-scale", { hasText: "Load on web" }).locator("input[type=number]");
  await load.fill("1500");
  await load.press("Enter");
  await page.waitForFunction(() => [...document.querySelectorAll(".kw-event .kw-sentence")].some((e) => /1500m/.test(e.textContent)));
  assert.equal(await load.inputValue(), "1500");
});

terminal("the scheduler takes a reader's profiles, or says why not", {}, async (page) => {
  await toEnd(page);
  await page.click("summary:has-text(\"The scheduler's profiles\")");
  await page.click(".kw-profiles >> text=packing");
  assert.match(await page.inputValue(".kw-profiles-text"), /MostAllocated/);
  await page.fill(".kw-profiles-text", '[{"plugins": {"score": {"enabled": [{"name": "NodeResourcesFitt"}]}}}]');
  await page.click(".kw-profiles button[type=submit]");
  await page.waitForSelector(".kw-profiles .kw-wrong:not([hidden])");
  assert.match(await page.textContent(".kw-profiles .kw-wrong"), /NodeResourcesFitt/);
  assert.match(await page.textContent(".kw-badge"), /Recording/);
  await page.click(".kw-profiles >> text=packing");
  await page.click(".kw-profiles button[type=submit]");
  await page.waitForFunction(() => /Live/.test(document.querySelector(".kw-badge").textContent));
  await page.click(".kw-play");
  await copyLink(page);
  await page.waitForFunction(() => /,reconfigure,/.test(location.hash));
});

for (const [theme, width, path] of [["light", 1280, "/embed/command-line/"], ["dark", 360, "/embed/ja/command-line/"]]) {
  terminal(`no barriers, nothing sticks out: ${theme}, ${width} px`, { theme, width, path }, async (page) => {
    await toEnd(page);
    await type(page, "get pods -o wide");
    await printed(page, "NAME");
    await page.click(".kw-play");
    await page.$$eval(".kw-reader details", (all) => all.forEach((d) => (d.open = true)));
    await type(page, "gte pods");
    await page.waitForSelector(".kw-terminal .kw-wrong:not([hidden])");
    await page.fill(".kw-command", "get ");
    await page.press(".kw-command", "Tab");
    await page.waitForSelector(".kw-terminal .is-options:not([hidden])");
    assert.ok(await page.$eval(".kw-command", (line) => {
      const { left, top, bottom } = line.getBoundingClientRect();
      return [top + 4, bottom - 4].every((y) => line.contains(document.elementFromPoint(left + 8, y)));
    }), "a long list pushes the line out of sight");
    await type(page, "gte pods");
    await page.waitForSelector(".kw-terminal .kw-wrong:not([hidden], .is-options)");
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    assert.ok(wide[0] <= wide[1], `${wide}`);
    const out = await page.$eval(".kw-output", (e) => [e.scrollWidth > 0, e.getBoundingClientRect().right <= innerWidth]);
    assert.deepEqual(out, [true, true]);
    await noBarriers(page, { within: ".kw-reader" });
    if (process.env.SHOTS) await (await page.$(".kw-reader")).screenshot({ path: `${process.env.SHOTS}/terminal-${theme}-${width}.png` });
  });
}

test("the answer to a line that is typed comes into view", async () => {
  for (const [width, height] of [[1440, 780], [360, 740]]) {
    const page = await openPage(browser, site.url("/en/components/admission-webhooks/"), { width, height, motion: "reduce" });
    await page.waitForSelector(".kw-player .kw-scene");
    await turnTo(page, "act");
    await type(page, "get nodes");
    await printed(page, "NAME +STATUS");
    await page.waitForTimeout(500);
    const seen = await page.$eval(".kw-last", (output) => {
      const { left, top } = output.getBoundingClientRect();
      return output.contains(document.elementFromPoint(left + 20, top + 12));
    });
    assert.ok(seen, `its first line is out of sight at ${width} px`);
    await page.context().close();
  }
});

test("a link to a moment that a run of the reader's own has not got leads back to the recording", async () => {
  const page = await openPage(browser, site.url("/en/components/admission-webhooks/"), { width: 1440, height: 780, motion: "reduce" });
  await page.waitForSelector(".kw-player .kw-scene");
  await page.click('a[href="#demo-admission-webhooks-denied"]:not([title])');
  await turnTo(page, "act");
  await type(page, "get nodes");
  await printed(page, "NAME +STATUS");
  await page.click('a[href="#demo-admission-webhooks-injected"]:not([title])');
  await page.waitForFunction(() => /^6/.test(document.querySelector(".kw-caption.is-shown")?.textContent.trim() ?? ""));
  assert.deepEqual(page.problems, []);
  await page.context().close();
});

/** Drops a text beside the command line, or pastes it there. Typing is another thing: Chromium puts style attributes into what it edits, which the policy blocks, and says so. */
const give = (page, how, text) => page.evaluate(([how, text]) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const event = how === "paste" ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector(how === "paste" ? ".kw-command" : ".kw-terminal").dispatchEvent(event);
}, [how, text]);

/** Puts a text in the place of the editor's. */
const write = async (page, text) => {
  const content = page.locator(".kw-editor .cm-content");
  await content.focus();
  await page.keyboard.press("ControlOrMeta+A");
  await content.evaluate((content, text) => { // see give
    const data = new DataTransfer();
    data.setData("text/plain", text);
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  }, text);
};

terminal("a manifest is written with help, applied, and an object is edited", {}, async (page) => {
  await page.click(".kw-write");
  const text = page.locator(".kw-editor .cm-content");
  await give(page, "drop", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  nmae: mine\n");
  await page.getByText("Line 4: There is no field nmae here. Did you mean name?").waitFor();
  await give(page, "drop", "apiVersion: v1\nkind: ConfigMap\n");
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("meta");
  await page.keyboard.press("Control+Space");
  await page.locator(".kw-editor .cm-tooltip-autocomplete").getByText("metadata").waitFor();
  await page.waitForTimeout(200); // a list that has just opened takes no keys, so that nobody chooses what they did not see
  await page.keyboard.press("Enter");
  await text.getByText("metadata:").waitFor();
  await page.keyboard.type("\n  name: mine");
  await page.waitForFunction(() => document.querySelector(".kw-editor-status").textContent === "");
  await page.keyboard.press("ControlOrMeta+Enter");
  await printed(page, "configmap/mine created");
  await noBarriers(page, { within: ".kw-editor" });
  await page.keyboard.press("Escape");
  assert.ok(await page.evaluate(() => document.activeElement.matches(".kw-editor-apply")), "Escape leaves the editor");

  await type(page, "edit cm mine");
  await page.getByText("Editing configmaps default/mine").waitFor();
  assert.match(await text.textContent(), /resourceVersion/);
  await text.focus();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("data: {key: two}");
  await page.click(".kw-editor-apply");
  await printed(page, "configmap/mine edited");
  await page.waitForSelector(".kw-editor", { state: "detached" }); // as a real editor, once its file is saved and taken
  assert.ok(await page.locator(".kw-write").isVisible());
  await type(page, "edit cm nobody");
  await page.getByText("There is no configmaps default/nobody at this moment.").waitFor();
  await type(page, "edit cm mine");
  await page.click(".kw-editor-apply");
  await printed(page, "Edit cancelled, no changes made.");
  await page.waitForSelector(".kw-editor", { state: "detached" });
});

terminal("what apply remembers is edited, and a Secret is made of a certificate and a key", {}, async (page) => {
  await page.click(".kw-write");
  const text = page.locator(".kw-editor .cm-content");
  await give(page, "drop", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\ndata:\n  key: one\n");
  await page.click(".kw-editor-apply");
  await printed(page, "configmap/mine created");
  await type(page, "apply edit-last-applied cm mine");
  await page.getByText("Editing configmaps default/mine").waitFor();
  assert.doesNotMatch(await text.textContent(), /resourceVersion/);
  await write(page, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n  namespace: default\n");
  await page.click(".kw-editor-apply");
  await printed(page, "configmap/mine edited");
  await type(page, "apply view-last-applied cm mine");
  await printed(page, "kind: ConfigMap");
  assert.doesNotMatch(await page.locator(".kw-last").first().textContent(), /key: one/);
  await type(page, "create configmap plain --from-literal=a=b");
  await printed(page, "configmap/plain created");
  await type(page, "apply edit-last-applied cm plain");
  await printed(page, "error: no last-applied-configuration annotation found on resources");

  await page.click(".kw-write");
  for (const [file, kind] of [["tls.crt", "CERTIFICATE"], ["tls.key", "PRIVATE KEY"]]) {
    await page.fill(".kw-editor-new", file);
    await page.press(".kw-editor-new", "Enter");
    await write(page, `-----BEGIN ${kind}-----\nAAAA\n-----END ${kind}-----\n`);
  }
  await type(page, "create secret tls web --cert=tls.key --key=tls.crt");
  await printed(page, "PEM inputs may have been switched");
  await page.fill(".kw-command", "create secret tls web --key=tls.key --cert tls.c");
  await page.press(".kw-command", "Tab");
  await page.waitForFunction(() => document.querySelector(".kw-command").value.endsWith("--cert tls.crt "));
  await page.press(".kw-command", "Enter");
  await printed(page, "secret/web created");
});

terminal("create configmap takes the text of a YAML file as it is written in the editor", {}, async (page) => {
  await page.click(".kw-write");
  await page.locator(".kw-editor .cm-content").waitFor();
  await page.fill(".kw-editor-new", "conf/app.yaml");
  await page.press(".kw-editor-new", "Enter");
  await write(page, "b:   1 # as it is\na: [x]\n");
  await page.fill(".kw-command", "create configmap c --from-file=k=co");
  await page.press(".kw-command", "Tab");
  await page.waitForFunction(() => document.querySelector(".kw-command").value.endsWith("--from-file=k=conf/app.yaml "));
  await page.press(".kw-command", "Enter");
  await printed(page, "configmap/c created");
  await type(page, "get configmap c -o jsonpath='{.data.k}'");
  await printed(page, "b:   1 # as it is\na: \\[x\\]");
});

terminal("a manifest that is pasted into the command line or dropped beside it opens the editor", {}, async (page) => {
  const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: pasted\n";
  await give(page, "paste", manifest);
  const text = page.locator(".kw-editor .cm-content");
  await text.getByText("pasted").waitFor();
  await give(page, "drop", manifest.replace("pasted", "dropped"));
  await text.getByText("dropped").waitFor();
  await page.click(".kw-editor-apply");
  await printed(page, "configmap/dropped created");
});

// What has expressions or patterns is done by the larger control plane, which the page takes by itself.
terminal("a definition with a rule and a pattern that is pasted is applied, and both hold", {}, async (page) => {
  const definition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties: {name: {type: string, pattern: ^a}}
              x-kubernetes-validations: [{rule: self.name != 'abc', message: not that one}]
`;
  const applied = async (manifest, want) => {
    await give(page, "paste", manifest);
    const name = /name: (\S+?)[},]/.exec(manifest)[1];
    await page.locator(".kw-editor .cm-content").getByText(name).first().waitFor();
    await page.click(".kw-editor-apply");
    await page.waitForFunction((text) => document.querySelector(".kw-output").textContent.includes(text), want, { timeout: 90_000 })
      .catch(async () => assert.fail(`${want}: ${await output(page)}`));
  };
  const widget = (name) => `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: ${name}}\nspec: {name: ${name}}\n`;
  await applied(definition, "customresourcedefinition.apiextensions.k8s.io/widgets.example.com created");
  await type(page, "wait --for=condition=established crd/widgets.example.com");
  await printed(page, "widgets.example.com condition met");
  await applied(widget("abc"), "not that one");
  await applied(widget("bcd"), "spec.name in body should match '^a'");
  await applied(widget("axe"), "widget.example.com/axe created");
});

// So is what is about kinds that the first control plane does not have: they are served from there on, and not before.
terminal("a kind that few clusters need is served once it is pasted or asked for", {}, async (page) => {
  await type(page, "api-resources");
  await printed(page, "daemonsets");
  assert.doesNotMatch(await output(page), /runtimeclasses/);
  const applied = async (manifest, name, want) => {
    await give(page, "paste", manifest);
    await page.locator(".kw-editor .cm-content").getByText(name).first().waitFor();
    await page.click(".kw-editor-apply");
    await page.waitForFunction((text) => document.querySelector(".kw-output").textContent.includes(text), want, { timeout: 90_000 })
      .catch(async () => assert.fail(`${want}: ${await output(page)}`));
  };
  await applied("apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: sandboxed}\nhandler: gvisor\n", "sandboxed",
    "runtimeclass.node.k8s.io/sandboxed created");
  await type(page, "get runtimeclasses");
  await printed(page, "sandboxed +gvisor");
  await type(page, "get flowschemas");
  await printed(page, "catch-all +catch-all");
  await applied("apiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: gpu}\n", "DeviceClass", "deviceclass.resource.k8s.io/gpu created");
});

terminal("files of a kustomization are changed and added, and commands build what is written", { path: "/embed/kustomize/" }, async (page) => {
  await type(page, "kustomize overlays/staging");
  await printed(page, "colour: grey");
  await type(page, "kustomize overlays/nowhere");
  await page.getByText("not a valid directory").waitFor();
  await page.click(".kw-write");
  await page.locator(".kw-editor .cm-content").waitFor();
  await page.selectOption(".kw-editor select", "base/kustomization");
  await write(page, "resources: [web.yaml]\nconfigMapGenerator: [{name: settings, literals: [colour=red]}]");
  await type(page, "kustomize overlays/staging");
  await printed(page, "colour: red");
  await page.fill(".kw-editor-new", "../mine");
  await page.press(".kw-editor-new", "Enter");
  await page.getByText("A file has a path such as base/web.yaml.").waitFor();
  await page.fill(".kw-editor-new", "overlays/mine/kustomization.yaml");
  await page.press(".kw-editor-new", "Enter");
  await write(page, "resources: [../../base]\nnamePrefix: mine-\nsecretGenerator: [{name: token, files: [token.txt]}]");
  await page.fill(".kw-editor-new", "overlays/mine/token.txt");
  await page.press(".kw-editor-new", "Enter");
  await write(page, "abc");
  await page.selectOption(".kw-editor select", "overlays/mine/kustomization");
  assert.equal(await page.textContent(".kw-editor-apply"), "apply -k overlays/mine");
  await page.click(".kw-editor-apply");
  await printed(page, "secret/mine-token-.* created[^]*deployment.apps/mine-web created");
  await noBarriers(page, { within: ".kw-editor" });
});

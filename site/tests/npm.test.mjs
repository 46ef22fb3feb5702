// The npm package, as make npm writes it: in Node, in a browser, and as TypeScript sees it; and the programs of its manual and of the book.
//
//	NPM=FOLDER node --test site/tests/npm.test.mjs

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { openBrowser, openPage, root } from "./harness.mjs";

const made = resolve(root, process.env.NPM ?? "release/npm");

/** A project that has the package installed. */
let project, createCluster;
before(async () => {
  project = await mkdtemp(join(tmpdir(), "kubewalk-npm-"));
  await mkdir(join(project, "node_modules"));
  await cp(made, join(project, "node_modules/kubewalk"), { recursive: true });
  await writeFile(join(project, "package.json"), '{"type":"module"}');
  ({ createCluster } = await import(pathToFileURL(join(project, "node_modules/kubewalk/node.js"))));
});
after(() => rm(project, { recursive: true, force: true }));

/** Runs a program in the project. */
async function run(command, ...given) {
  const child = spawn(command, given, { cwd: project, stdio: ["ignore", "pipe", "pipe"], timeout: 120_000 });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (said += text));
  const [code] = await once(child, "close");
  return { code, said };
}

const replicaSets = "/apis/apps/v1/namespaces/default/replicasets";
const pods = "/api/v1/namespaces/default/pods";
const replicaSet = (name, replicas) => {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: "nginx" }] } };
  return JSON.stringify({ metadata: { name }, spec: { replicas, selector: { matchLabels: { app: name } }, template } });
};
const json = async (answer) => (await answer).json();

/** The events of a watch, as they come. */
async function* eventsOf(answer) {
  let text = "";
  for await (const part of answer.body.pipeThrough(new TextDecoderStream())) {
    const lines = (text + part).split("\n");
    text = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

test("a ReplicaSet's Pods run, as a watch tells while time passes by itself", async () => {
  const cluster = await createCluster({ speed: 20 });
  try {
    const watch = await cluster.fetch(`${pods}?watch=1`);
    assert.equal(watch.headers.get("content-type"), "application/json");
    const created = await cluster.fetch(replicaSets, { method: "POST", body: replicaSet("web", 3) });
    assert.equal(created.status, 201);
    const phases = new Map();
    for await (const { type, object } of eventsOf(watch)) {
      assert.ok(["ADDED", "MODIFIED"].includes(type), type);
      phases.set(object.metadata.name, object.status.phase);
      if (phases.size === 3 && [...phases.values()].every((phase) => phase === "Running")) break; // it cancels the body
    }
    const before = await cluster.clock.now();
    await new Promise((done) => setTimeout(done, 200));
    const passed = (await cluster.clock.now()) - before;
    assert.ok(passed > 2000, `${passed} ms in 200 ms at speed 20`);
    await cluster.clock.pause();
    const still = await cluster.clock.now();
    await new Promise((done) => setTimeout(done, 100));
    assert.equal(+(await cluster.clock.now()), +still);
    await assert.rejects(cluster.clock.speed(-1), { message: "speed -1 is not a number between 0 and 1000" });
  } finally {
    cluster.close();
  }
  await assert.rejects(cluster.fetch("/version"), /the cluster is closed/);
});

test("answers are those of the API server", async () => {
  const cluster = await createCluster({ speed: 0 });
  try {
    assert.equal((await json(cluster.fetch("/version"))).gitVersion, "v1.36.3");
    const missing = await cluster.fetch(`${pods}/nobody`);
    assert.equal(missing.status, 404);
    assert.deepEqual(await missing.json(), {
      kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: 'pods "nobody" not found', reason: "NotFound",
      details: { name: "nobody", kind: "pods" }, code: 404,
    });
    await cluster.fetch(replicaSets, { method: "POST", body: replicaSet("web", 1), headers: { "User-Agent": "robot/1" } });
    const headers = { "Content-Type": "application/json" };
    const again = await cluster.fetch(new Request(`http://anywhere${replicaSets}`, { method: "POST", body: replicaSet("web", 1), headers }));
    assert.equal(again.status, 409);
    assert.deepEqual(await again.json(), {
      kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: 'replicasets.apps "web" already exists', reason: "AlreadyExists",
      details: { name: "web", group: "apps", kind: "replicasets" }, code: 409,
    });
    const stale = await json(cluster.fetch(`${replicaSets}/web`));
    assert.equal(stale.metadata.managedFields[0].manager, "robot");
    const merge = { "Content-Type": "application/merge-patch+json" };
    await cluster.fetch(`${replicaSets}/web`, { method: "PATCH", body: '{"metadata":{"labels":{"a":"b"}}}', headers: merge });
    const conflict = await cluster.fetch(`${replicaSets}/web`, { method: "PUT", body: JSON.stringify(stale) });
    assert.equal(conflict.status, 409);
    assert.equal((await conflict.json()).message,
      'Operation cannot be fulfilled on replicasets.apps "web": the object has been modified; please apply your changes to the latest version and try again');
    await cluster.clock.advance(10_000);
    const table = await json(cluster.fetch(pods, { headers: { Accept: "application/json;as=Table;g=meta.k8s.io;v=v1" } }));
    assert.equal(table.kind, "Table");
    assert.deepEqual(table.columnDefinitions.slice(0, 3).map(({ name }) => name), ["Name", "Ready", "Status"]);
    assert.deepEqual(table.rows[0].cells.slice(1, 4), ["1/1", "Running", "0"]);
    const head = await cluster.fetch(`${replicaSets}/web`, { method: "HEAD" });
    assert.deepEqual([head.status, await head.text()], [200, ""]);
    assert.equal((await cluster.fetch(`${pods}/web/exec?command=ls`, { method: "POST" })).status, 400);
    const listed = await cluster.kubectl("get", "rs", "web", "-o", "name");
    assert.deepEqual(listed, { output: "replicaset.apps/web", error: "", warning: "" });
    assert.match((await cluster.kubectl("get", "pod", "nobody")).error, /pods "nobody" not found/);
  } finally {
    cluster.close();
  }
});

test("a request that is aborted ends, and a log is followed to its end", async () => {
  const cluster = await createCluster({ speed: 0 });
  try {
    const stop = new AbortController();
    const watch = await cluster.fetch("/api/v1/nodes?watch=true", { signal: stop.signal });
    stop.abort(new Error("enough"));
    await assert.rejects(watch.text(), /enough/);
    await assert.rejects(cluster.fetch("/version", { signal: stop.signal }), /enough/);
    await cluster.kubectl("run", "hi", "--image=busybox", "--restart=Never", "--", "sh", "-c", "echo one; sleep 5; echo two");
    await cluster.clock.advance(4000);
    const log = await cluster.fetch(`${pods}/hi/log?follow=true`);
    assert.equal(log.status, 200);
    await cluster.clock.advance(10_000);
    assert.equal(await log.text(), "one\ntwo\n");
  } finally {
    cluster.close();
  }
});

test("a fault has its consequences, and the trace its causes", async () => {
  const cluster = await createCluster({ speed: 0, nodes: 2 });
  try {
    const before = await cluster.clock.now();
    assert.equal((await cluster.input({ kind: "kill-node", node: "node-2" })).error, "");
    assert.equal((await cluster.input({ kind: "kill-node", node: "node-9" })).error, 'there is no node "node-9"');
    await assert.rejects(cluster.input({ kind: "kill-node" }), /needs a node/);
    await cluster.clock.advance(90_000);
    const after = await cluster.clock.now();
    assert.ok(after - before >= 90_000 && after - before < 91_000, `${after - before} ms`);
    const ready = (await json(cluster.fetch("/api/v1/nodes/node-2"))).status.conditions.find(({ type }) => type === "Ready");
    assert.deepEqual([ready.status, ready.reason, ready.message], ["Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."]);

    const events = await cluster.trace();
    assert.deepEqual(events.map(({ id }) => id), events.map((_, i) => i + 1));
    const taint = "node.kubernetes.io/unreachable";
    const tainted = events.find(({ op, object, deltas }) => op === "store.commit" && object?.name === "node-2" && JSON.stringify(deltas).includes(taint));
    const chain = [];
    for (let event = tainted; event; event = events[(event.cause ?? 0) - 1]) chain.unshift(event.component);
    assert.ok(chain.includes("node-controller"), chain.join(" → "));
    assert.deepEqual((await cluster.trace(events.length))[0], events.at(-1));

    await cluster.input({ kind: "stop", component: "kube-apiserver" });
    await assert.rejects(cluster.fetch("/api/v1/nodes"), { name: "TypeError", message: /refused/ });
    assert.equal((await cluster.fetch("/healthz")).status, 500);
  } finally {
    cluster.close();
  }
});

test("one seed and the same calls give one trace, another seed another one", async () => {
  const told = async (seed) => {
    const cluster = await createCluster({ seed, speed: 0 });
    try {
      const creations = ["a", "b", "c"].map((name) => cluster.fetch(replicaSets, { method: "POST", body: replicaSet(name, 2) }));
      await Promise.all(creations);
      await cluster.clock.advance(5000);
      await cluster.input({ kind: "drop-watch", component: "kube-scheduler" });
      await cluster.clock.advance(5000);
      return JSON.stringify(await cluster.trace());
    } finally {
      cluster.close();
    }
  };
  const [one, same, other] = await Promise.all([told(3), told(3), told(4)]);
  assert.ok(one.length > 100_000);
  assert.ok(one === same, "one seed, two traces");
  assert.ok(one !== other, "two seeds, one trace");
});

test("a configuration that is wrong is refused", async () => {
  await assert.rejects(createCluster({ nodes: 1000 }), /nodes 1000 is not a number between 0 and 100/);
  await assert.rejects(createCluster({ config: { controllers: ["nobody"] } }), /nobody/);
  await assert.rejects(createCluster({ wasm: "./nowhere.zst" }), /ENOENT/);
});

test("a page has a cluster in a Web Worker", async () => {
  const types = { ".js": "text/javascript", ".html": "text/html" };
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    response.setHeader("Content-Type", types[extname(path)] ?? (path === "/" ? "text/html" : "application/octet-stream"));
    response.end(path === "/" ? '<!doctype html><title>Page</title><link rel="icon" href="data:,">' : await readFile(join(made, path)));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const browser = await openBrowser();
  try {
    const page = await openPage(browser, `http://127.0.0.1:${server.address().port}/`);
    const phases = await page.evaluate(async (body) => {
      const { createCluster } = await import("/browser.js");
      const cluster = await createCluster({ speed: 0 });
      const watch = await cluster.fetch("/api/v1/namespaces/default/pods?watch=1");
      await cluster.fetch("/apis/apps/v1/namespaces/default/replicasets", { method: "POST", body });
      await cluster.clock.advance(10_000);
      const reader = watch.body.pipeThrough(new TextDecoderStream()).getReader();
      const first = JSON.parse((await reader.read()).value);
      const { items } = await (await cluster.fetch("/api/v1/namespaces/default/pods")).json();
      const events = (await cluster.trace()).length;
      cluster.close();
      return [first.type, events > 1000, ...items.map(({ status }) => status.phase)];
    }, replicaSet("web", 2));
    assert.deepEqual(phases, ["ADDED", true, "Running", "Running"]);
    assert.deepEqual(page.problems, []);
  } finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
  }
});

test("TypeScript knows the package", async () => {
  await writeFile(join(project, "program.ts"), `
import { createCluster, type Cluster, type TraceEvent } from "kubewalk";
const cluster: Cluster = await createCluster({ seed: 1, nodes: 2, config: { authorization: "rbac" } });
const answer: Response = await cluster.fetch("/version", { method: "GET" });
const { output } = await cluster.input({ kind: "kill-node", node: "node-1" });
const events: TraceEvent[] = await cluster.trace();
const at: number | undefined = events[0]?.at;
// @ts-expect-error there is no such fault
await cluster.input({ kind: "burn" });
// @ts-expect-error seconds are a number
await cluster.clock.advance("1s");
export { answer, at, output };
`);
  const options = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--types", "", "--lib", "es2023,dom"];
  const { code, said } = await run(process.execPath, join(root, "node_modules/typescript/bin/tsc"), ...options, "program.ts");
  assert.equal(code, 0, said);
});

/** The first programs of texts, with what their comments say that they print. */
for (const text of ["docs/npm.md", "content/en/start/use-it-elsewhere.md", "content/ja/start/use-it-elsewhere.md"]) {
  test(`the program of ${text} prints what it says`, async () => {
    const programs = [...(await readFile(join(root, text), "utf8")).matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code);
    const program = programs.find((code) => code.includes('from "kubewalk"'));
    const said = [...program.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, words]) => words);
    assert.equal(said.length, 1);
    await writeFile(join(project, "program.mjs"), program);
    assert.deepEqual(await run(process.execPath, "program.mjs"), { code: 0, said: `${said[0]}\n` });
  });
}

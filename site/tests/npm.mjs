// @kubernetes/client-node, unchanged, with the npm package's fetch and with the port. It comes from npm, at the versions of
// npm/package-lock.json: make npm-test, for a test run needs no network.
//
//	NPM=FOLDER node --test site/tests/npm.mjs

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createServer as createSocketServer } from "node:net";
import { join, resolve } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { generator, root } from "./harness.mjs";

/** Where the library is kept between runs. */
const folder = join(root, ".cache", "npm-test");
const made = resolve(root, process.env.NPM ?? "release/npm");

let k8s, createCluster;
before(async () => {
  await mkdir(folder, { recursive: true });
  let isNew = !existsSync(join(folder, "node_modules/.package-lock.json"));
  for (const name of ["package.json", "package-lock.json"]) {
    const from = join(root, "site/tests/npm", name);
    isNew ||= !existsSync(join(folder, name)) ||
      (await readFile(from, "utf8")) !== (await readFile(join(folder, name), "utf8"));
    await copyFile(from, join(folder, name));
  }
  if (isNew) {
    const { status, stdout, stderr } = spawnSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"],
      { cwd: folder, encoding: "utf8", timeout: 300_000 });
    assert.equal(status, 0, stdout + stderr);
  }
  k8s = createRequire(join(folder, "program.cjs"))("@kubernetes/client-node");
  ({ createCluster } = await import(pathToFileURL(join(made, "node.js"))));
});

const deployment = (name, replicas) => {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: "nginx" }] } };
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: { app: name } }, template } };
};

/** What a program does with the typed clients. */
async function typed(client) {
  const [core, apps] = [client(k8s.CoreV1Api), client(k8s.AppsV1Api)];
  const namespace = "default";
  assert.equal((await client(k8s.VersionApi).getCode()).gitVersion, "v1.36.3");
  const made = await apps.createNamespacedDeployment({ namespace, body: deployment("web", 2) });
  assert.ok(made.metadata.uid);
  assert.ok(made.metadata.creationTimestamp instanceof Date);
  await assert.rejects(apps.createNamespacedDeployment({ namespace, body: deployment("web", 2) }), (error) => {
    assert.equal(error.code, 409);
    assert.match(String(error.body), /deployments\.apps \\?"web\\?" already exists/);
    return true;
  });
  await assert.rejects(core.readNamespacedPod({ namespace, name: "nobody" }), { code: 404 });
  const scaled = await apps.patchNamespacedDeployment({ namespace, name: "web", body: [{ op: "replace", path: "/spec/replicas", value: 3 }] });
  assert.equal(scaled.spec.replicas, 3);
  return { core, apps };
}

/** What a program does with a kubeconfig: the typed clients, a watch, an informer and a log. */
async function whole(config) {
  const { core, apps } = await typed((api) => config.makeApiClient(api));
  const running = new Set();
  const informer = k8s.makeInformer(config, "/api/v1/namespaces/default/pods", () => core.listNamespacedPod({ namespace: "default" }));
  for (const event of ["add", "update"]) informer.on(event, (pod) => pod.status.phase === "Running" && running.add(pod.metadata.name));
  informer.on("delete", (pod) => running.delete(pod.metadata.name));
  await informer.start();
  await until(() => running.size === 3, "three Pods run");

  const seen = [];
  const take = (type, object) => seen.push([type, object.spec.replicas]);
  const watch = await new k8s.Watch(config).watch("/apis/apps/v1/namespaces/default/deployments", {}, take, () => {});
  await apps.patchNamespacedDeploymentScale({ namespace: "default", name: "web", body: [{ op: "replace", path: "/spec/replicas", value: 1 }] });
  await until(() => seen.some(([type, replicas]) => type === "MODIFIED" && replicas === 1), "the watch tells of one replica");
  await until(() => running.size === 1, "one Pod runs");
  watch.abort();
  await informer.stop();

  const [name] = running;
  assert.match(await core.readNamespacedPodLog({ namespace: "default", name }), /\S/);
}

/** What a program does with a Pod's containers: it executes commands, copies a file, forwards a port, follows a log, attaches. */
async function streams(config) {
  const namespace = "default", core = config.makeApiClient(k8s.CoreV1Api);
  const sink = () => {
    const to = new PassThrough();
    let text = "";
    to.on("data", (piece) => (text += piece));
    return { to, text: () => text };
  };
  const container = { name: "c", image: "busybox", command: ["sh", "-c", "while true; do echo tick; sleep 1; done"] };
  await core.createNamespacedPod({ namespace, body: { metadata: { name: "box" }, spec: { containers: [container] } } });
  const ports = { name: "c", image: "agnhost", args: ["netexec"] };
  await core.createNamespacedPod({ namespace, body: { metadata: { name: "net" }, spec: { containers: [ports] } } });
  for (const name of ["box", "net"]) {
    await until(async () => (await core.readNamespacedPod({ namespace, name })).status.phase === "Running", `${name} runs`);
  }

  const exec = new k8s.Exec(config);
  const run = async (command, stdin = null) => {
    const [out, err] = [sink(), sink()];
    const status = await new Promise((done, failed) =>
      exec.exec(namespace, "box", "c", command, out.to, err.to, stdin, false, done).catch(failed));
    return { status, out: out.text(), err: err.text() };
  };
  const printed = await run(["sh", "-c", "echo out; echo err >&2; exit 3"]);
  assert.equal(printed.out, "out\n");
  assert.equal(printed.err, "err\n");
  assert.equal(printed.status.details.causes[0].message, "3");
  const typed = new PassThrough();
  const shell = run(["sh"], typed);
  typed.write("echo typed\n");
  typed.write("exit\n");
  assert.deepEqual([(await shell).out, (await shell).status.status], ["typed\n", "Success"]);

  const there = join(folder, "copied");
  await mkdir(there, { recursive: true });
  await writeFile(join(there, "hello"), "hello there\n");
  await new k8s.Cp(config).cpToPod(namespace, "box", "c", there, "/tmp");
  await until(async () => (await run(["cat", "/tmp/hello"])).out === "hello there\n", "the file is in the container");

  const forward = new k8s.PortForward(config);
  const server = createSocketServer((socket) => forward.portForward(namespace, "net", [8080], socket, null, socket));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}/`, { headers: { connection: "close" } });
    assert.match(await answer.text(), /^NOW: /);
  } finally {
    server.close();
  }

  const log = sink();
  const following = await new k8s.Log(config).log(namespace, "box", "c", log.to, { follow: true, tailLines: 1 });
  await until(() => log.text().split("tick\n").length > 3, "the log goes on");
  following.abort();
  const attached = sink();
  const socket = await new k8s.Attach(config).attach(namespace, "box", "c", attached.to, null, null, false);
  await until(() => attached.text().includes("tick\n"), "what the container prints");
  socket.close();
}

async function until(holds, what) {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  assert.fail(`not within a minute: ${what}`);
}

test("the typed clients, with the package's fetch", async () => {
  const cluster = await createCluster({ speed: 0 });
  try {
    const httpApi = k8s.wrapHttpLibrary({
      async send(request) {
        const answer = await cluster.fetch(request.getUrl(), { method: request.getHttpMethod(), headers: request.getHeaders(), body: request.getBody() });
        const binary = async () => Buffer.from(await answer.arrayBuffer());
        return new k8s.ResponseContext(answer.status, Object.fromEntries(answer.headers), { text: () => answer.text(), binary });
      },
    });
    const { core } = await typed((Api) => new Api(k8s.createConfiguration({ baseServer: new k8s.ServerConfiguration("http://kubewalk", {}), httpApi })));
    await cluster.clock.advance(20_000);
    const { items } = await core.listNamespacedPod({ namespace: "default", labelSelector: "app=web" });
    assert.deepEqual(items.map(({ status }) => status.phase), ["Running", "Running", "Running"]);
  } finally {
    cluster.close();
  }
});

test("a kubeconfig, with a server before the package's fetch", async () => {
  const cluster = await createCluster({ speed: 10 });
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    try {
      const answer = await cluster.fetch(request.url, { method: request.method, headers: headersOf(request), signal: gone.signal, ...(body && { body }) });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      if (answer.body) Readable.fromWeb(answer.body).on("error", () => response.destroy()).pipe(response);
      else response.end();
    } catch {
      response.destroy();
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  try {
    const config = new k8s.KubeConfig();
    config.loadFromClusterAndUser({ name: "kubewalk", server: `http://127.0.0.1:${server.address().port}`, skipTLSVerify: true }, { name: "kubewalk" });
    await whole(config);
  } finally {
    server.close();
    server.closeAllConnections();
    cluster.close();
  }
});

/** Headers that are about the request, not about the connection. */
const headersOf = ({ headers }) => Object.entries(headers).filter(([name]) => ["accept", "content-type", "user-agent"].includes(name));

test("a kubeconfig, with the port", async () => {
  const file = join(folder, "kubeconfig");
  const port = spawn(generator(), ["cluster", "--listen", "127.0.0.1:0", "--speed", "10", "--kubeconfig", file],
    { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  try {
    let said = "";
    port.stdout.on("data", (text) => (said += text));
    await until(() => said.includes("ready: "), "the cluster is ready");
    const config = new k8s.KubeConfig();
    config.loadFromFile(file);
    await whole(config);
    await streams(config);
  } finally {
    port.kill("SIGINT");
    await once(port, "close");
  }
});

// What BenchmarkReady of playground/cluster does, in webernetes, a port of parts of Kubernetes to TypeScript: a cluster
// comes to rest, then the Pods of a Deployment are brought to Ready. Prints the processor time from the Deployment's
// creation to the last Pod's readiness, of all threads of the process, and the time on the wall, as JSON. All programs that
// webernetes has run: scheduler, kubelets, kube-proxy, CoreDNS, the controllers for Deployments, ReplicaSets, namespaces,
// EndpointSlices and garbage. It lives in real time, so most of its wall time it waits: that costs nothing here.
//
//	node ready.mjs NODES PODS

import { BaseImage, Cluster } from "@ngrok/webernetes";

const [nodes, pods] = process.argv.slice(2).map(Number);

/** A server that answers HTTP, as nginx does in ours. */
class Nginx extends BaseImage {
  static imageName = "nginx";
  static imageVersion = "1.27";
  defaultCommand = ["nginx"];

  async exec(ctx) {
    ctx.listenHttp(80, async () => ({ status: 200, header: {}, body: "Welcome to nginx!\n" }));
    return await ctx.waitUntilKilled();
  }
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

async function until(what, minutes, reached) {
  for (const start = Date.now(); !(await reached()); await sleep(100)) {
    if (Date.now() - start > minutes * 60_000) throw new Error(`after ${minutes} minutes: ${what} are not ready`);
  }
}

const ready = (pod) => pod.status?.conditions?.some((c) => c.type === "Ready" && c.status === "True");

const cluster = new Cluster({ nodes });
cluster.registerImage(Nginx);
await cluster.init();
await until("the cluster's own Pods", 5, async () => (await cluster.api.corev1.listNamespacedPod({ namespace: "kube-system" })).items.every(ready));
await sleep(1000);

const cpu = process.cpuUsage();
const begun = performance.now();
await cluster.apply([{
  apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "default" },
  spec: {
    replicas: pods, selector: { matchLabels: { app: "web" } },
    template: { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "nginx:1.27" }] } },
  },
}]);
await until("the Deployment's Pods", 20, async () => {
  const { status } = await cluster.api.appsv1.readNamespacedDeployment({ namespace: "default", name: "web" });
  return status?.readyReplicas === pods;
});
const used = process.cpuUsage(cpu);
console.log(JSON.stringify({ cpu: (used.user + used.system) / 1e6, wall: (performance.now() - begun) / 1000 }));
process.exit();

// What was done to a cluster as a shell script for a real one: kubectl's commands,
// manifests as here-documents, and for what kubectl cannot do, a comment with what
// does the like to a cluster of kind.

import { seconds } from "../state/phrases";
import type { Json } from "../state/recording";
import type { Input } from "../state/scenario";
import { manifestName } from "./files";
import { fileText, yaml } from "./yaml";

/** Something done; the author's steps know more than a reader's inputs. */
export type Action = Omit<Input, "kind"> & {
  kind: string;
  currentReplicas?: number;
  selector?: string;
  fieldSelector?: string;
  cascade?: string;
};

export interface Story {
  title: string;
  /** Names of the nodes, in order. */
  nodes: readonly string[];
  /** In order of time. */
  actions: readonly Action[];
}

/** A word as a POSIX shell reads it back. A word cannot hold NUL: that is left out. */
export function quote(word: string): string {
  const text = word.replaceAll("\0", "");
  return /^[\w@%+:,./=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** What here-documents end with: one whose first letter begins no line, since dash garbles letters like é after the beginning of its mark. */
const marks = ["YAML", ...[..."ABCDEFGHIJKLMNOPQRSTUVWXZ0123456789"].map((c) => `${c}_END`)];

/** A here-document: lines that the shell takes as they are. */
export function here(text: string): { mark: string; body: string } {
  const body = text.endsWith("\n") || text === "" ? text.replaceAll("\0", "") : `${text.replaceAll("\0", "")}\n`;
  const lines = body.split("\n");
  const mark = marks.find((m) => !lines.some((line) => line.startsWith(m[0]!))) ?? marks.find((m) => !lines.includes(m)) ?? "_".repeat(body.length + 1);
  return { mark: `<<'${mark}'`, body: `${body}${mark}` };
}

export function script({ title, nodes, actions }: Story): string {
  const lines = actions.flatMap((action, i) => ["", ...pause(actions[i - 1], action), ...linesOf(action, nodes)]);
  const isOldest = (action: Action) => action.kind === "delete" && (action.name ?? "").endsWith("*");
  return [
    "#!/bin/sh",
    ...comment(title),
    "#",
    `# For a cluster with ${nodes.length === 1 ? "one node" : `${nodes.length} nodes`}. One of kind (https://kind.sigs.k8s.io):`,
    "#",
    ...kindConfig(nodes.length).map((line) => `#   ${line}`),
    "#",
    ...nodes.map((node, i) => `# ${oneLine(node)} is ${container(i)} there.`),
    "set -eu",
    ...(actions.some(isOldest) ? ["", ...oldest] : []),
    ...lines,
    "",
  ].join("\n");
}

/** A function that names the oldest of a resource whose name begins so. */
const oldest = [
  "# oldest RESOURCE NAMESPACE PREFIX",
  "oldest() {",
  "  kubectl get \"$1\" --namespace=\"$2\" --sort-by=.metadata.creationTimestamp --output=name |",
  "    awk -F/ -v prefix=\"$3\" 'index($2, prefix) == 1 { print; exit }'",
  "}",
];

const kindConfig = (nodes: number) => [
  "kind create cluster --config=- <<EOF",
  "{kind: Cluster, apiVersion: kind.x-k8s.io/v1alpha4, nodes: [{role: control-plane}" + ", {role: worker}".repeat(nodes) + "]}",
  "EOF",
];

/** A node's container in a cluster of kind. */
const container = (index: number) => `kind-worker${index > 0 ? index + 1 : ""}`;

const oneLine = (text: string) => text.replace(/[\r\n\0]+/g, " ");
const comment = (text: string) => text.split(/[\r\n]+/).map((line) => `# ${line.replaceAll("\0", "")}`);

/** When it was done, and how long that is after what was done before. */
function pause(before: Action | undefined, { at }: Action): string[] {
  const time = `# At ${seconds(at / 1000)}`;
  if (!before) return [`${time}:`];
  const passed = (at - before.at) / 1e9;
  return passed < 0.001 ? [`${time}:`] : [`${time}, ${passed.toFixed(3)} s later:`, `# sleep ${passed.toFixed(3)}`];
}

function linesOf(action: Action, nodes: readonly string[]): string[] {
  const command = commandOf(action);
  return command ?? (faults[action.kind] ?? unknown)(action, (name) => {
    const i = nodes.indexOf(name);
    return i < 0 ? oneLine(name) : container(i);
  }).flatMap(comment);
}

const kubectl = (...words: (string | undefined)[]) => ["kubectl", ...words.filter((w) => w !== undefined).map((w) => quote(w))].join(" ");

function withManifest(manifest: unknown, ...words: string[]): string[] {
  const documents = Array.isArray(manifest) ? manifest : [manifest];
  const { mark, body } = here(documents.map((one) => yaml(one as Json)).join("---\n"));
  return [`${kubectl(...words)} ${mark}`, body];
}

/** The lines that do it; undefined when kubectl cannot. */
function commandOf(action: Action): string[] | undefined {
  const { kind, resource = "", name = "", manifest, replicas, grace } = action;
  const target = `${resource}/${name}`;
  const namespace = action.namespace === undefined ? undefined : `--namespace=${action.namespace}`;
  switch (kind) {
    case "apply": return withManifest(manifest, "apply", "--filename=-");
    case "create": return withManifest(manifest, "create", "--filename=-");
    case "patch": return [kubectl("patch", target, namespace, "--type=merge", `--patch=${JSON.stringify(manifest)}`)];
    case "scale": return [kubectl("scale", target, namespace, `--replicas=${replicas}`,
      action.currentReplicas === undefined ? undefined : `--current-replicas=${action.currentReplicas}`)];
    case "delete": {
      const how = [
        ...(action.cascade ? [`--cascade=${action.cascade}`] : []),
        ...(grace === undefined ? [] : [`--grace-period=${grace}`, ...(grace === 0 ? ["--force"] : [])]),
        "--wait=false",
      ];
      if (name.endsWith("*")) {
        const found = `"$(oldest ${[resource, action.namespace ?? "default", name.slice(0, -1)].map(word).join(" ")})"`;
        return [[kubectl("delete", namespace), found, ...how.map(quote)].join(" ")];
      }
      const what = name !== "" ? [target] : [resource,
        ...(action.selector ? [`--selector=${action.selector}`] : []), ...(action.fieldSelector ? [`--field-selector=${action.fieldSelector}`] : [])];
      return [kubectl("delete", ...what, namespace, ...how)];
    }
    case "kubectl": return typed(action.args ?? [], manifest);
    case "request": return asked(action);
  }
  return undefined;
}

/** A word that may be empty. */
const word = (text: string) => quote(text);

/** A command line as it was typed; what a file held is read from the script. */
function typed(args: readonly string[], manifest: unknown): string[] {
  if (manifest === undefined) return [kubectl(...args)];
  if (args.some((word, i) => /^(-k|--kustomize)(=|$)/.test(word) || (i === 0 && word === "kustomize"))) return inFolder(args, manifest as Record<string, Json>);
  const words = [...args];
  for (let i = 0; i < words.length; i++) {
    const both = /^(--filename|-f)=/.exec(words[i]!);
    if (both) words[i] = `${both[0]}-`;
    else if (/^-f.+/.test(words[i]!)) words[i] = "-f-";
    else if (words[i] === "-f" || words[i] === "--filename") words[++i] = "-";
  }
  return withManifest(manifest, ...words);
}

/** A command line in a folder of its own, with the files that it builds. */
function inFolder(args: readonly string[], files: Record<string, Json>): string[] {
  const lines = Object.entries(files).flatMap(([name, value]) => {
    if (manifestName(name) === undefined) return []; // no name of a file, or one elsewhere
    const { mark, body } = here(fileText(value));
    const folder = name.slice(0, Math.max(0, name.lastIndexOf("/")));
    return [...(folder === "" ? [] : [`mkdir -p ${quote(folder)}`]), `cat > ${quote(name)} ${mark}`, body];
  });
  return ["(", 'cd "$(mktemp -d)" || exit 1', ...lines, kubectl(...args), ")"];
}

function asked({ url = "", from = "", at }: Action): string[] {
  const curl = ["curl", "-sS", url];
  if (from === "outside") return [curl.map(quote).join(" ")];
  if (from === "") return [kubectl("run", `ask-${Math.round(at / 1e6)}`, "--rm", "--attach", "--restart=Never", "--image=curlimages/curl", "--", ...curl)];
  const [, namespace, pod] = /^(?:(.*)\/)?(.*)$/.exec(from.replace(/^pods? /, "")) ?? [];
  return [kubectl("exec", pod, namespace ? `--namespace=${namespace}` : undefined, "--", ...curl)];
}

type Fault = (action: Action, box: (node: string) => string) => string[];

const unknown: Fault = ({ kind, resource, name, value }) => [`${[kind, resource, name, value].filter(Boolean).join(" ")}: there is no command for this.`];

const manifestOf = (component: string) => `/etc/kubernetes/manifests/${oneLine(component)}.yaml`;
const isStatic = (component: string) => ["kube-apiserver", "kube-scheduler", "kube-controller-manager", "etcd"].includes(component);
const kubeletOf = (component: string) => /^kubelet\/(.+)$/.exec(component)?.[1];
const onControlPlane = (command: string) => `docker exec kind-control-plane ${command}`;
const inPod = ({ namespace = "default", name = "", container: c = "" }: Action, command: string) =>
  kubectl("exec", name, `--namespace=${namespace}`, ...(c ? [`--container=${c}`] : []), "--", "sh", "-c", command);
const bytes = (value = "") => value.replace(/i$/, "");

/** What does the like to a cluster of kind. */
const faults: Record<string, Fault> = {
  "kill-node": ({ node = "" }, box) => [`The machine ${oneLine(node)} loses power:`, `docker kill ${box(node)}`],
  "start-node": ({ node = "" }, box) => [`The machine ${oneLine(node)} boots:`, `docker start ${box(node)}`],
  "terminate-instance": ({ node = "" }, box) => [`The instance ${oneLine(node)} is terminated in the cloud; kind has no cloud, the like is:`, `docker rm --force ${box(node)}`],
  stop: ({ component = "" }, box) => {
    const node = kubeletOf(component);
    if (node) return [`${oneLine(component)} stops:`, `docker exec ${box(node)} systemctl stop kubelet`];
    if (isStatic(component)) {
      return [`${component} stops, as its static Pod has no manifest any more:`, onControlPlane(`mv ${manifestOf(component)} /etc/kubernetes/`)];
    }
    return [`${oneLine(component)} stops; in a real cluster it runs in kube-controller-manager, which starts anew without it:`,
      onControlPlane(`sed -i "s/--controllers=/--controllers=-${oneLine(component)},/" ${manifestOf("kube-controller-manager")}`)];
  },
  start: ({ component = "" }, box) => {
    const node = kubeletOf(component);
    if (node) return [`${oneLine(component)} starts:`, `docker exec ${box(node)} systemctl start kubelet`];
    if (isStatic(component)) return [`${component} starts:`, onControlPlane(`mv /etc/kubernetes/${component}.yaml ${manifestOf(component)}`)];
    return [`${oneLine(component)} starts:`, onControlPlane(`sed -i "s/-${oneLine(component)},//" ${manifestOf("kube-controller-manager")}`)];
  },
  "drop-watch": ({ component = "", resource = "" }, box) => [
    `Watches of ${oneLine(component)}${resource ? ` for ${oneLine(resource)}` : ""} break; the like is to close all connections of its machine to the API server:`,
    `docker exec ${kubeletOf(component) ? box(kubeletOf(component)!) : "kind-control-plane"} ss --kill dst :6443`],
  partition: ({ node = "", component = "" }, box) => node
    ? [`No packet comes to ${oneLine(node)} or from it:`, `docker network disconnect kind ${box(node)}`]
    : [`No packet passes between ${oneLine(component)} and the API server; the like for all of its machine:`, onControlPlane("iptables --append OUTPUT --protocol tcp --dport 6443 --jump DROP")],
  heal: ({ node = "", component = "", value = "" }, box) => node
    ? [`${oneLine(node)} is mended:`, `docker network connect kind ${box(node)}`]
    : [`${oneLine(component)} is mended${value ? ` (${oneLine(value)})` : ""}: take back what was done to it.`],
  slow: ({ component = "", value = "" }, box) => [`${oneLine(component)} takes ${oneLine(value)} longer for whatever it does; the like is a slow network of its machine:`,
    `docker exec ${kubeletOf(component) ? box(kubeletOf(component)!) : "kind-control-plane"} tc qdisc add dev eth0 root netem delay ${oneLine(value)}`],
  fail: ({ component = "", value = "" }) => [
    `${oneLine(component)} fails${value ? ` (${oneLine(value)})` : ""}; the like is to end its process again and again:`,
    onControlPlane(`pkill ${isStatic(component) ? component : "kube-controller-manager"}`)],
  "crash-container": (action) => ["A container crashes; where it has a shell:", inPod(action, "kill 1")],
  "use-memory": (action) => [`A container uses ${oneLine(action.value ?? "")} of memory; where it has a shell:`, inPod(action, `head -c ${bytes(action.value)} /dev/zero | tail | sleep 600`)],
  "use-cpu": (action) => [`A container uses ${oneLine(action.value ?? "")} more of CPU; where it has a shell:`, inPod(action, "while :; do :; done")],
  "registry-down": () => ["No image can be pulled any more; on each node:", "docker exec kind-worker sh -c 'echo 127.0.0.1 registry-1.docker.io >>/etc/hosts'"],
  "registry-up": () => ["Images can be pulled again; on each node:", "docker exec kind-worker sh -c 'sed -i /registry-1/d /etc/hosts'"],
  "lose-image": ({ name = "" }) => [`The image ${oneLine(name)} is gone from its registry: delete its tag there.`],
  "restore-image": ({ name = "" }) => [`The image ${oneLine(name)} is there again: push it.`],
  "fill-memory": ({ node = "", value = "" }, box) => [`Programs of ${oneLine(node)} itself use ${oneLine(value)} of memory:`,
    `docker exec --detach ${box(node)} sh -c 'head -c ${bytes(oneLine(value))} /dev/zero | tail | sleep 600'`],
  "fill-disk": ({ node = "", value = "" }, box) => [`Files of ${oneLine(node)} itself take ${oneLine(value)}:`, `docker exec ${box(node)} fallocate --length=${bytes(oneLine(value))} /var/lib/fill`],
  "slow-kubelet": ({ node = "", value = "" }, box) => [`Each sync of a Pod on ${oneLine(node)} takes ${oneLine(value)} longer; the like is to hold the kubelet for a while:`,
    `docker exec ${box(node)} sh -c 'pkill -STOP kubelet; sleep 10; pkill -CONT kubelet'`],
  load: ({ resource = "", name = "", value = "" }) => [`${oneLine(resource)}/${oneLine(name)} gets work that takes ${oneLine(value)} of CPU; the like for a Service:`,
    kubectl("create", "deployment", "load", "--image=busybox", "--", "sh", "-c", `while wget -qO- http://${name}; do :; done`)],
  "set-metric": ({ metric = "", value = "" }) => [`The metric ${oneLine(metric)} becomes ${oneLine(value)}: an adapter for custom metrics has to say so.`],
  own: ({ resource = "", name = "", value = "" }) => [`${oneLine(value.replace(/^!/, ""))} becomes the owner of ${oneLine(resource)}/${oneLine(name)}: it needs its UID, which only the cluster knows.`,
    kubectl("get", `${resource}/${value.replace(/^!/, "")}`, "--output=jsonpath={.metadata.uid}")],
  reconfigure: ({ profiles }) => ["The scheduler starts anew with these profiles, in the file of its --config:",
    ...yaml({ profiles: profiles as Json }).trimEnd().split("\n")],
};

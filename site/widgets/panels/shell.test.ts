import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Random, seeds } from "../../tests/random";
import type { Json } from "../state/recording";
import { kinds } from "../state/scenario";
import { here, quote, script, type Action } from "./shell";
import { yaml } from "./yaml";

const pieces = ["a", "web", " ", "'", "\"", "\\", "$", "$(x)", "`y`", "\n", "\t",
  ";", "&", "|", "*", "?", "~", "#", "!", "%", "=", "--", "{}", "é", "名前", "YAML", "\r"];

for (const seed of seeds()) {
  test(`a shell reads every word back as it was (SEED=${seed})`, () => {
    const random = new Random(seed);
    const words = Array.from({ length: 300 }, () => Array.from({ length: random.below(8) }, () => random.pick(pieces)).join(""));
    const read = execFileSync("sh", ["-c", `printf '%s\\0' ${words.map(quote).join(" ")}`], { encoding: "utf8" });
    assert.deepEqual(read.split("\0").slice(0, -1), words);
  });

  test(`a shell reads every here-document back as it was (SEED=${seed})`, () => {
    const random = new Random(seed);
    for (let i = 0; i < 40; i++) {
      const text = Array.from({ length: random.below(20) }, () => random.pick([...pieces, "\n", "\nYAML\n", "\nYAML_\n"])).join("");
      const { mark, body } = here(text);
      const read = execFileSync("sh", ["-c", `cat ${mark}\n${body}\n`], { encoding: "utf8" });
      assert.equal(read, text === "" || text.endsWith("\n") ? text : `${text}\n`, JSON.stringify(text));
    }
  });
}

/** Runs a script with programs of the same names that only write down what they were given. */
function run(text: string): { program: string; args: string[]; stdin: string }[] {
  const dir = mkdtempSync(join(tmpdir(), "kubewalk-shell-"));
  try {
    const fake = `#!/bin/sh
n=$(ls "${dir}/calls" | wc -l)
call="${dir}/calls/$(printf %04d $n)"
mkdir "$call"
printf '%s' "\${0##*/}" >"$call/program"
printf '%s\\0' "$@" >"$call/args"
: >"$call/stdin"
case " $* " in *" --filename=- "*|*" -f - "*|*" --filename - "*|*" -f=- "*|*" -f- "*) cat >"$call/stdin" ;; esac
case "$1" in get) echo pod/other-1; echo pod/web-old; echo pod/web-new ;; esac
`;
    execFileSync("mkdir", [join(dir, "calls"), join(dir, "bin")]);
    for (const program of ["kubectl", "docker", "curl"]) {
      writeFileSync(join(dir, "bin", program), fake);
      chmodSync(join(dir, "bin", program), 0o755);
    }
    const file = join(dir, "script.sh");
    writeFileSync(file, text);
    execFileSync("sh", ["-n", file]);
    execFileSync("sh", [file], { env: { PATH: `${dir}/bin:/usr/bin:/bin` }, input: "" });
    return readdirSync(join(dir, "calls")).sort().map((n) => {
      const read = (name: string) => readFileSync(join(dir, "calls", n, name), "utf8");
      return { program: read("program"), args: read("args").split("\0").slice(0, -1), stdin: read("stdin") };
    });
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const manifest = { apiVersion: "apps/v1", kind: "ReplicaSet",
  metadata: { name: "web", annotations: { note: "it's\n$(rm -rf /)\nYAML\n" } }, spec: { replicas: 3 } };

const actions: [action: Omit<Action, "at">, ...calls: { program?: string; args: string[]; stdin?: string }[]][] = [
  [{ kind: "apply", manifest }, { args: ["apply", "--filename=-"], stdin: yaml(manifest) }],
  [{ kind: "create", manifest }, { args: ["create", "--filename=-"], stdin: yaml(manifest) }],
  [{ kind: "patch", resource: "nodes", name: "node-1", manifest: { spec: { unschedulable: true } } },
    { args: ["patch", "nodes/node-1", "--type=merge", "--patch={\"spec\":{\"unschedulable\":true}}"] }],
  [{ kind: "scale", resource: "replicasets", namespace: "default", name: "web", replicas: 8, currentReplicas: 3 },
    { args: ["scale", "replicasets/web", "--namespace=default", "--replicas=8", "--current-replicas=3"] }],
  [{ kind: "delete", resource: "pods", namespace: "default", name: "web-*", grace: 0 },
    { args: ["get", "pods", "--namespace=default", "--sort-by=.metadata.creationTimestamp", "--output=name"] },
    { args: ["delete", "--namespace=default", "pod/web-old", "--grace-period=0", "--force", "--wait=false"] }],
  [{ kind: "delete", resource: "replicasets", namespace: "a b", name: "web", cascade: "orphan" },
    { args: ["delete", "replicasets/web", "--namespace=a b", "--cascade=orphan", "--wait=false"] }],
  [{ kind: "delete", resource: "pods", selector: "app in (a,b)", fieldSelector: "status.phase=Failed" },
    { args: ["delete", "pods", "--selector=app in (a,b)", "--field-selector=status.phase=Failed", "--wait=false"] }],
  [{ kind: "kubectl", args: ["set", "env", "deployment/db", "LEVEL=it's $HOME"] }, { args: ["set", "env", "deployment/db", "LEVEL=it's $HOME"] }],
  [{ kind: "kubectl", args: ["apply", "-f", "web.yaml", "--server-side"], manifest: [manifest, manifest] },
    { args: ["apply", "-f", "-", "--server-side"], stdin: `${yaml(manifest)}---\n${yaml(manifest)}` }],
  [{ kind: "kubectl", args: ["apply", "--filename=web.yaml"], manifest }, { args: ["apply", "--filename=-"], stdin: yaml(manifest) }],
  [{ kind: "kubectl", args: ["apply", "-k", "over"], manifest: { "../evil.yaml": manifest, "over/kustomization.yaml": manifest, "a.txt": "$(reboot)" } },
    { args: ["apply", "-k", "over"] }],
  [{ kind: "request", url: "http://web?a=1&b=2" },
    { args: ["run", "ask-0", "--rm", "--attach", "--restart=Never", "--image=curlimages/curl", "--", "curl", "-sS", "http://web?a=1&b=2"] }],
  [{ kind: "request", url: "http://web", from: "outside" }, { program: "curl", args: ["-sS", "http://web"] }],
];

test("a script does what was done, word by word and byte by byte", () => {
  for (const [action, ...calls] of actions) {
    const text = script({ title: "Replicas; $(reboot)\nnot a comment", nodes: ["node-1", "node-2"], actions: [{ at: 0, ...action } as Action] });
    assert.deepEqual(run(text), calls.map((call) => ({ program: "kubectl", stdin: "", ...call })), text);
  }
});

test("a folder that is built is written out, and nothing beside it", () => {
  const files = { "../evil.yaml": manifest, "-rf": manifest, "over/kustomization.yaml": { resources: [] }, "over/ops.yaml": [{ op: "remove" }],
    "a.txt": "$(x)" };
  const text = script({ title: "x", nodes: ["a"], actions: [{ at: 0, kind: "kubectl", args: ["kustomize", "over"], manifest: files }] });
  assert.match(text, /mkdir -p over\ncat > over\/kustomization.yaml <<'(\w+)'\nresources: \[\]\n\1\n/);
  assert.match(text, /cat > over\/ops.yaml <<'(\w+)'\n- op: remove\n\1\n/);
  assert.match(text, /cat > a.txt <<'(\w+)'\n\$\(x\)\n\1\nkubectl kustomize over\n\)/);
  assert.doesNotMatch(text, /evil|cat > -/);
});

test("what kubectl cannot do is told in comments, for every kind of input, whatever it is about", () => {
  const doable = new Set(["apply", "create", "patch", "scale", "delete", "kubectl", "request"]);
  const nasty = "x'\n$(touch pwned)\r\nkubectl delete ns --all #";
  for (const kind of [...kinds, "own", "explode"].filter((k) => !doable.has(k))) {
    for (const component of [nasty, "kube-scheduler", "replicaset-controller", "kubelet/node-2"]) {
      const text = script({ title: nasty, nodes: ["node-1", "node-2"],
        actions: [{ at: 1e9, kind, node: component.includes("kubelet") ? "node-2" : nasty, component, resource: nasty, namespace: nasty,
        name: nasty, container: nasty, value: nasty, metric: nasty, profiles: [{ schedulerName: nasty }] as Json }] });
      assert.deepEqual(run(text), [], `${kind} ran something:\n${text}`);
    }
  }
});

test("a script reads like one that a person wrote", () => {
  const text = script({ title: "Kubewalk, demo replicaset-scale", nodes: ["node-1", "node-2"], actions: [
    { at: 13e9, kind: "scale", resource: "replicasets", namespace: "default", name: "web", replicas: 8 },
    { at: 16.25e9, kind: "kill-node", node: "node-2" },
    { at: 16.25e9, kind: "stop", component: "kube-scheduler" },
  ] });
  assert.equal(text, `#!/bin/sh
# Kubewalk, demo replicaset-scale
#
# For a cluster with 2 nodes. One of kind (https://kind.sigs.k8s.io):
#
#   kind create cluster --config=- <<EOF
#   {kind: Cluster, apiVersion: kind.x-k8s.io/v1alpha4, nodes: [{role: control-plane}, {role: worker}, {role: worker}]}
#   EOF
#
# node-1 is kind-worker there.
# node-2 is kind-worker2 there.
set -eu

# At 13.000 s:
kubectl scale replicasets/web --namespace=default --replicas=8

# At 16.250 s, 3.250 s later:
# sleep 3.250
# The machine node-2 loses power:
# docker kill kind-worker2

# At 16.250 s:
# kube-scheduler stops, as its static Pod has no manifest any more:
# docker exec kind-control-plane mv /etc/kubernetes/manifests/kube-scheduler.yaml /etc/kubernetes/
`);
});

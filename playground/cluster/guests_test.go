package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// hookWorld is a cluster in which shell-operator may run, with a hook.
func hookWorld(t *testing.T, mode cluster.Config, hook string) *cluster.Cluster {
	t.Helper()
	mode.Nodes = cluster.NumberedNodes(1)
	mode.Operators = []string{"shell-operator"}
	c := cluster.New(mode, 1)
	t.Cleanup(c.Close)
	quoted := strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n", "\t", "\\t").Replace(hook)
	typed(t, c, "apply -f hooks", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"hooks"},"data":{"hook.sh":"`+quoted+`"}}`)
	typed(t, c, "apply -f account", `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"hooks"}}`)
	return c
}

// operatorPod is a Pod of it; mode are the hooks' permissions.
func operatorPod(name, mode string) string {
	return `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"` + name + `"},"spec":{"serviceAccountName":"hooks",
	"containers":[{"name":"main","image":"ghcr.io/flant/shell-operator:v1.20","volumeMounts":[{"name":"hooks","mountPath":"/hooks"}]}],
	"volumes":[{"name":"hooks","configMap":{"name":"hooks","defaultMode":` + mode + `}}]}}`
}

const copier = `#!/usr/bin/env bash
if [[ $1 == "--config" ]]; then
  cat <<EOF
configVersion: v1
kubernetes:
- kind: Secret
  executeHookOnEvent: [Added, Modified]
  labelSelector: {matchLabels: {copy: "yes"}}
EOF
  exit 0
fi
set -eo pipefail
for name in $(jq -r '.[] | (.objects // [.])[] | .object.metadata.name' $BINDING_CONTEXT_PATH); do
  for ns in $(kubectl get ns -o json | jq -r '.items[] | select(.metadata.labels.team and .status.phase == "Active") | .metadata.name'); do
    kubectl -n default get secret $name -o json |
      jq ".metadata = {name: .metadata.name, namespace: \"$ns\"}" |
      kubectl apply -f -
  done
done
`

func (s typedStep) run(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	line, manifest, _ := strings.Cut(s.line, " < ")
	if got := strings.TrimSpace(typed(t, c, line, manifest)); !strings.Contains(got, s.want) {
		t.Errorf("%s printed %q, want %q", line, got, s.want)
	}
	c.RunUntil(c.Elapsed() + s.pass)
}

// TestShellOperator copies Secrets with a script, as upstream's example 104 does.
func TestShellOperator(t *testing.T) {
	c := hookWorld(t, cluster.DefaultConfig(), copier)
	for _, step := range []typedStep{
		{"apply -f pod < " + operatorPod("operator", "511"), "created", 15 * time.Second},
		{"create namespace red", "created", 0},
		{"label namespace red team=red", "labeled", 0},
		{"create secret generic db --from-literal=password=one", "created", time.Second},
		{"get secrets -n red", "No resources found", 0},
		{"label secret db copy=yes", "labeled", 2 * time.Second},
		{"get secret db -n red -o jsonpath={.data.password}", "b25l", 0},
		{"logs operator --tail=1", "Hook executed successfully", 0},
		{`patch secret db -p '{"data":{"password":"dHdv"}}'`, "patched", 2 * time.Second},
		{"get secret db -n red -o jsonpath={.data.password}", "dHdv", 0},
		{"exec operator -- kubectl get secrets -o name", "secret/db", 0},
		{"exec operator -- sh -c 'kubectl create configmap x --from-literal=a=1 --dry-run=client -o yaml | kubectl apply -f -'", "configmap/x created", 0},
		{"exec operator -- sh -c 'kubectl apply -f /no; kubectl get nothing; echo $?'", "error: the path \"/no\" does not exist", 0},
		{"exec operator -- kubectl auth whoami", "system:serviceaccount:default:hooks", 0},
	} {
		step.run(t, c)
	}
}

// TestACrashInAPod: only the kubelet restarts a program that a Pod started, so nobody complains that nothing else can, even while there is no kubelet.
func TestACrashInAPod(t *testing.T) {
	c := hookWorld(t, cluster.DefaultConfig(), copier)
	typed(t, c, "apply -f pod", operatorPod("operator", "511"))
	c.RunUntil(c.Elapsed() + 15*time.Second)
	kubelet := "kubelet/" + typed(t, c, "get pod operator -o jsonpath={.spec.nodeName}", "")
	schedule(t, c, at(c.Elapsed(), stop(kubelet)), at(c.Elapsed(), fail("shell-operator", "crash")))
	typed(t, c, "create secret generic db --from-literal=password=one", "")
	typed(t, c, "label secret db copy=yes", "")
	c.RunUntil(c.Elapsed() + time.Minute)
	if crashes, starts := len(complaints(c, "shell-operator", "Observed a panic")), started(c); crashes != 1 || starts != 1 {
		t.Errorf("without a kubelet it crashed %d times, and was started %d times", crashes, starts)
	}
	schedule(t, c, at(c.Elapsed(), start(kubelet)))
	c.RunUntil(c.Elapsed() + time.Minute)
	if n := started(c); n < 2 {
		t.Error("the kubelet has not restarted it")
	}
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.Log && e.Text("message") == "Not restarted" {
			t.Errorf("%s: %v", e.Component, e.Attrs)
		}
	}
}

func started(c *cluster.Cluster) (n int) {
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.ComponentStart && e.Component == "shell-operator" {
			n++
		}
	}
	return n
}

// TestShellOperatorEnds: with its Pod, with its node and by itself; whoever waits for it starts then.
func TestShellOperatorEnds(t *testing.T) {
	c := hookWorld(t, cluster.DefaultConfig(), copier)
	pass := func(d time.Duration) { c.RunUntil(c.Elapsed() + d) }
	typed(t, c, "apply -f pod", operatorPod("operator", "511"))
	pass(15 * time.Second)
	typed(t, c, "apply -f pod", operatorPod("second", "511"))
	pass(15 * time.Second)
	if n := started(c); n != 1 {
		t.Fatalf("it started %d times", n)
	}
	typed(t, c, "delete pod operator", "")
	pass(5 * time.Second)
	if n := started(c); n != 2 {
		t.Errorf("the second Pod has not taken over: %d starts", n)
	}
	do := func(in cluster.Input) {
		t.Helper()
		in.At = c.Elapsed()
		if err := c.Schedule(in); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if out := c.Outcomes(); out[len(out)-1].Error != "" {
			t.Error(out[len(out)-1].Error)
		}
	}
	do(cluster.Input{Kind: cluster.Stop, Component: "shell-operator"})
	pass(15 * time.Second)
	if n := started(c); n != 3 {
		t.Errorf("its container did not start it again: %d starts", n)
	}
	typedStep{"get pod second -o jsonpath={.status.containerStatuses[0].restartCount}", "1", 0}.run(t, c)
	do(cluster.Input{Kind: cluster.KillNode, Node: "node-1"})
	if last := c.Trace().Events(1); !stoppedLast(last) {
		t.Error("it runs on, without its machine")
	}
	do(cluster.Input{Kind: cluster.StartNode, Node: "node-1"})
	pass(30 * time.Second)
	if n := started(c); n != 4 {
		t.Errorf("after the node's start there were %d starts", n)
	}
}

func stoppedLast(events []trace.Event) (stopped bool) {
	for _, e := range events {
		if e.Component == "shell-operator" && (e.Op == trace.ComponentStart || e.Op == trace.ComponentStop) {
			stopped = e.Op == trace.ComponentStop
		}
	}
	return stopped
}

// TestShellOperatorMayLittle: it is the Pod's ServiceAccount, whatever its name.
func TestShellOperatorMayLittle(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Authorization = cluster.RBAC
	c := hookWorld(t, config, copier)
	for _, step := range []typedStep{
		{"apply -f pod < " + operatorPod("operator", "511"), "created", 20 * time.Second},
		{"logs operator", `secrets is forbidden: User \"system:serviceaccount:default:hooks\" cannot list resource \"secrets\" in API group \"\" at the cluster scope`, 0},
		{"logs operator", `"failedCount":2`, 0},
		{"create clusterrolebinding hooks --clusterrole=cluster-admin --serviceaccount=default:hooks", "created", 10 * time.Second},
		{"logs operator --tail=1", "Unlock kubernetes.Event tasks", 0},
	} {
		step.run(t, c)
	}
}

// TestHooksMustBeExecutable: of a ConfigMap's files nobody is, unless the volume says so.
func TestHooksMustBeExecutable(t *testing.T) {
	c := hookWorld(t, cluster.DefaultConfig(), copier)
	typed(t, c, "apply -f pod", operatorPod("operator", "420"))
	c.RunUntil(c.Elapsed() + 15*time.Second)
	typedStep{"logs operator", "start shell-operator", 0}.run(t, c)
	if out := typed(t, c, "logs operator", ""); strings.Contains(out, "Load config") {
		t.Errorf("it has found a hook:\n%s", out)
	}
}

package cluster_test

import (
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// kubeadmWorld is two machines on which nobody has typed anything.
func kubeadmWorld(t *testing.T) *cluster.Cluster {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(2)
	config.Authorization, config.LeaderElect, config.AllKinds, config.Kubeadm = cluster.RBAC, true, true, true
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	c.RunUntil(time.Second)
	return c
}

// runs starts a program, and lets time pass.
func runs(t *testing.T, c *cluster.Cluster, component string, pass time.Duration) {
	t.Helper()
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Start, Component: component})
	c.RunUntil(c.Elapsed() + pass)
}

// printed are a component's lines since an event that begin with a text.
func printed(c *cluster.Cluster, component, prefix string) (out []string) {
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.Log && e.Component == component && strings.HasPrefix(e.Text("message"), prefix) {
			out = append(out, e.Text("message"))
		}
	}
	return out
}

func TestKubeadmInitAndJoin(t *testing.T) {
	c := kubeadmWorld(t)
	if got := typed(t, c, "get nodes", ""); !strings.Contains(got, "was refused") {
		t.Errorf("before init: %s", got)
	}
	if c.Count("namespaces") != 0 {
		t.Error("there are objects before there is a control plane")
	}
	runs(t, c, "kubeadm/node-1", 25*time.Second)
	phases := ""
	for _, line := range printed(c, "kubeadm/node-1", "[") {
		if phase, _, _ := strings.Cut(line, "]"); !strings.HasSuffix(phases, phase+"] ") {
			phases += phase + "] "
		}
	}
	const want = "[init] [preflight] [certs] [kubeconfig] [etcd] [control-plane] [kubelet-start] [wait-control-plane] [kubelet-check] [control-plane-check] " +
		"[upload-config] [kubelet] [upload-certs] [mark-control-plane] [bootstrap-token] [kubelet-finalize] [addons] "
	if phases != want {
		t.Errorf("the phases are\n%s, want\n%s", phases, want)
	}
	for _, step := range []struct{ line, want string }{
		{"get nodes", "NotReady   control-plane"},
		{"get pods -n kube-system -l tier=control-plane --no-headers -o name", "pod/etcd-node-1\npod/kube-apiserver-node-1\npod/kube-controller-manager-node-1\npod/kube-scheduler-node-1"},
		{"get pod etcd-node-1 -n kube-system -o jsonpath={.metadata.annotations}", `"kubernetes.io/config.source":"file"`},
		{"get pods -n kube-system -l k8s-app=kube-dns --no-headers", "Pending"},
		{"get configmap cluster-info -n kube-public -o yaml", "jws-kubeconfig-"},
	} {
		if got := typed(t, c, step.line, ""); !strings.Contains(got, step.want) {
			t.Errorf("$ %s\n%s\nwant %s", step.line, got, step.want)
		}
	}
	runs(t, c, "kubeadm/node-2", 10*time.Second)
	for _, step := range []struct{ line, want string }{
		{"get csr", "system:bootstrap:"},
		{"get csr", "Approved,Issued"},
		{"get nodes", "node-2   NotReady"},
	} {
		if got := typed(t, c, step.line, ""); !strings.Contains(got, step.want) {
			t.Errorf("$ %s\n%s\nwant %s", step.line, got, step.want)
		}
	}
	// A second time it says what is there already.
	runs(t, c, "kubeadm/node-2", 5*time.Second)
	runs(t, c, "kubeadm/node-1", 5*time.Second)
	for _, node := range []string{"node-1", "node-2"} {
		if got := printed(c, "kubeadm/"+node, "error: error execution phase preflight"); len(got) != 1 {
			t.Errorf("%s: a second run says %q", node, got)
		}
	}
}

// TestKubeadmJoinWithoutToken is a machine whose token has been deleted meanwhile, and one on which somebody types a join too early.
func TestKubeadmJoinWithoutToken(t *testing.T) {
	c := kubeadmWorld(t)
	runs(t, c, "kubeadm/node-2", 5*time.Second)
	if got := printed(c, "kubeadm/node-2", "error:"); len(got) != 1 {
		t.Errorf("without a token: %q", got)
	}
	runs(t, c, "kubeadm/node-1", 25*time.Second)
	typed(t, c, "delete secrets -n kube-system --field-selector type=bootstrap.kubernetes.io/token", "")
	runs(t, c, "kubeadm/node-2", 6*time.Minute)
	if got := typed(t, c, "get nodes", ""); strings.Contains(got, "node-2") {
		t.Errorf("it joined with a token that is gone:\n%s", got)
	}
	if got := printed(c, "kubeadm/node-2", "error:"); len(got) != 2 {
		t.Errorf("with a token that is gone: %q", got)
	}
}

// TestKubeadmStatic is the control plane's programs and their containers: one is up as long as the other.
func TestKubeadmStatic(t *testing.T) {
	c := kubeadmWorld(t)
	runs(t, c, "kubeadm/node-1", 25*time.Second)
	count := func(op trace.Op, component string) (n int) {
		for _, e := range c.Trace().Events(1) {
			if e.Op == op && e.Component == component {
				n++
			}
		}
		return n
	}
	starts := count(trace.ComponentStart, "etcd")
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Stop, Component: "etcd"})
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Start, Component: "etcd"})
	c.RunUntil(c.Elapsed() + 20*time.Second)
	outcomes := c.Outcomes()
	if got := outcomes[len(outcomes)-1].Error; !strings.Contains(got, "static Pod") {
		t.Errorf("an input may start it: %q", got)
	}
	if got := count(trace.ComponentStart, "etcd"); got != starts+1 {
		t.Errorf("etcd was started %d times after it was killed, want 1", got-starts)
	}
	if got := typed(t, c, "get pod etcd-node-1 -n kube-system -o jsonpath={.status.containerStatuses[0].restartCount}", ""); got != "1" {
		t.Errorf("restartCount is %s", got)
	}
	// The kubelet is killed, and another one takes the containers over.
	stops := count(trace.ComponentStop, "kube-apiserver")
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.Stop, Component: "kubelet/node-1"})
	c.RunUntil(c.Elapsed() + 5*time.Second)
	runs(t, c, "kubelet/node-1", 20*time.Second)
	if got := count(trace.ComponentStop, "kube-apiserver"); got != stops {
		t.Errorf("kube-apiserver stopped %d times with its kubelet", got-stops)
	}
	// The machine loses power, and boots.
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.KillNode, Node: "node-1"})
	c.RunUntil(c.Elapsed() + 5*time.Second)
	schedule(t, c, cluster.Input{At: c.Elapsed(), Kind: cluster.StartNode, Node: "node-1"})
	c.RunUntil(c.Elapsed() + time.Minute)
	if got := typed(t, c, "get pods -n kube-system -l tier=control-plane --no-headers", ""); strings.Count(got, "1/1   Running") != 4 {
		t.Errorf("after the machine has booted again:\n%s", got)
	}
}

// TestACrashInAStaticPod: the kubelet restarts the container of a program that crashes.
func TestACrashInAStaticPod(t *testing.T) {
	c := kubeadmWorld(t)
	runs(t, c, "kubeadm/node-1", 25*time.Second)
	schedule(t, c, at(c.Elapsed(), fail("kube-scheduler", "crash")), at(c.Elapsed()+time.Minute, heal("", "kube-scheduler", "")))
	typed(t, c, "create deployment web --image=nginx", "")
	c.RunUntil(c.Elapsed() + 2*time.Minute)
	if n := len(complaints(c, "kube-scheduler", "Observed a panic")); n == 0 {
		t.Error("it has not crashed")
	}
	if got := typed(t, c, "get pod kube-scheduler-node-1 -n kube-system -o jsonpath={.status.containerStatuses[0].restartCount}", ""); got == "0" {
		t.Error("its container was not restarted")
	}
}

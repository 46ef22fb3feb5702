package cluster_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/coordinationv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/check/chaos"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

func partition(node, component string) cluster.Input {
	return cluster.Input{Kind: cluster.Partition, Node: node, Component: component}
}

func slow(component, by string) cluster.Input {
	return cluster.Input{Kind: cluster.Slow, Component: component, Value: by}
}

func fail(component, how string) cluster.Input {
	return cluster.Input{Kind: cluster.Fail, Component: component, Value: how}
}

func heal(node, component, what string) cluster.Input {
	return cluster.Input{Kind: cluster.Heal, Node: node, Component: component, Value: what}
}

func scaled(replicas int32) cluster.Input {
	return cluster.Input{Kind: cluster.Scale, Resource: "rs", Name: "web", Replicas: number(replicas)}
}

func at(t time.Duration, in cluster.Input) cluster.Input {
	in.At = t
	return in
}

func TestStandingFaultsNeed(t *testing.T) {
	for _, test := range []struct {
		in   cluster.Input
		want string
	}{
		{partition("node-1", ""), ""},
		{partition("", "kubelet/node-1"), ""},
		{partition("", ""), `input "partition": needs a component or a node`},
		{partition("node-1", "kube-scheduler"), `input "partition": is about a component or a node, not both`},
		{slow("kube-scheduler", "2s"), ""},
		{slow("", "2s"), `input "slow": needs a component`},
		{slow("kube-scheduler", ""), `input "slow": needs a value: how long, such as 2s`},
		{slow("kube-scheduler", "twice"), `input "slow": value "twice" is no duration: time: invalid duration "twice"`},
		{slow("kube-scheduler", "0s"), `input "slow": value "0s" is no duration above 0; to end it, heal the component`},
		{fail("kube-apiserver", "503"), ""},
		{fail("kube-apiserver", "429 5%"), ""},
		{fail("kube-apiserver", "404"), `input "fail": value "404" is not how kube-apiserver fails: 500, 503 or 429, and how many of its answers, as in "503 30%"`},
		{fail("kube-apiserver", "503 0%"), `input "fail": value "503 0%" is not how kube-apiserver fails: share "0%" is none from 1% to 100%`},
		{fail("etcd", "no-leader"), ""},
		{fail("kube-scheduler", "no-space"), `input "fail": value "no-space" is not how kube-scheduler fails: crash`},
		{fail("workqueue-example", "no-space"), ""},
		{fail("sample-controller", "no-owner"), ""},
		{fail("sample-controller", "no-space"),
			`input "fail": value "no-space" is not how sample-controller fails: crash, no-requeue, swallow-errors, no-owner, own-kind-only`},
		{fail("etcd", ""), `input "fail": value "" is not how etcd fails: no-leader or no-space`},
		{fail("kube-scheduler", ""), ""},
		{fail("kube-scheduler", "503"), `input "fail": value "503" is not how kube-scheduler fails: crash`},
		{fail("", ""), `input "fail": needs a component`},
		{heal("", "etcd", ""), ""},
		{heal("", "etcd", "slow"), ""},
		{heal("", "etcd", "stop"), `input "heal": value "stop" is none of partition, slow, fail`},
		{heal("", "", ""), `input "heal": needs a component or a node`},
	} {
		got := ""
		if err := test.in.Validate(); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s:\ngot  %s\nwant %s", test.in, got, test.want)
		}
	}
	for want, in := range map[string]cluster.Input{
		"partition node-1":              partition("node-1", ""),
		"slow etcd 9s":                  slow("etcd", "9s"),
		"fail kube-apiserver 503 30%":   fail("kube-apiserver", "503 30%"),
		"heal kubelet/node-1 partition": heal("", "kubelet/node-1", "partition"),
	} {
		if got := in.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestStandingFaults is what becomes of each fault, a second after the one before.
func TestStandingFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		faults []cluster.Input
		want   string   // the last one's error
		on     []string // the faults that are on in the end, as the trace has them
	}{
		{"a node", []cluster.Input{partition("node-1", "")}, "", []string{"fault/node-1 partition"}},
		{"twice", []cluster.Input{partition("node-1", ""), partition("node-1", "")}, `"node-1" is cut off already`, []string{"fault/node-1 partition"}},
		{"and its kubelet", []cluster.Input{partition("node-1", ""), partition("", "kubelet/node-1")}, "",
			[]string{"fault/kubelet/node-1 partition", "fault/node-1 partition"}},
		{"healed", []cluster.Input{partition("node-1", ""), heal("node-1", "", "")}, "", nil},
		{"not cut", []cluster.Input{heal("node-1", "", "")}, `"node-1" has no fault that could be healed`, nil},
		{"no such node", []cluster.Input{partition("node-9", "")}, `there is no node "node-9"`, nil},
		{"no such component", []cluster.Input{partition("", "kube-schedular")}, `there is no component "kube-schedular"`, nil},
		{"etcd is no client", []cluster.Input{partition("", "etcd")}, `component "etcd" is no client of the API server`, nil},
		{"nor is the API server", []cluster.Input{partition("", "kube-apiserver")}, `component "kube-apiserver" is no client of the API server`, nil},
		{"slow", []cluster.Input{slow("kube-scheduler", "1s")}, "", []string{"fault/kube-scheduler slow 1s"}},
		{"slower", []cluster.Input{slow("kube-scheduler", "1s"), slow("kube-scheduler", "2s")}, "", []string{"fault/kube-scheduler slow 2s"}},
		{"a slow runtime", []cluster.Input{slow("containerd/node-1", "1s")}, `component "containerd/node-1" cannot be slow by itself; its kubelet can`, nil},
		{"slow and failing", []cluster.Input{slow("etcd", "1s"), fail("etcd", "no-space")}, "", []string{"fault/etcd fail no-space", "fault/etcd slow 1s"}},
		{"one of them healed", []cluster.Input{slow("etcd", "1s"), fail("etcd", "no-space"), heal("", "etcd", "slow")}, "", []string{"fault/etcd fail no-space"}},
		{"both healed", []cluster.Input{slow("etcd", "1s"), fail("etcd", "no-space"), heal("", "etcd", "")}, "", nil},
		{"the other healed", []cluster.Input{slow("etcd", "1s"), heal("", "etcd", "fail")}, `"etcd" has no fault fail that could be healed`,
			[]string{"fault/etcd slow 1s"}},
		{"no work", []cluster.Input{fail("kubectl", "")}, `component "kubectl" has no work at which it could crash`, nil},
		{"it outlives a crash", []cluster.Input{slow("kube-scheduler", "1s"), stop("kube-scheduler"), start("kube-scheduler")}, "",
			[]string{"fault/kube-scheduler slow 1s"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := up(t)
			for i, in := range test.faults {
				schedule(t, c, at(c.Elapsed()+time.Duration(i+1)*time.Second, in))
			}
			c.RunUntil(c.Elapsed() + 10*time.Second)
			outcomes := c.Outcomes()
			for i, o := range outcomes {
				want := ""
				if i == len(outcomes)-1 {
					want = test.want
				}
				if !o.Done || o.Error != want {
					t.Errorf("%s: done %v, got %q, want %q", o.Input, o.Done, o.Error, want)
				}
			}
			var on []string
			state := c.Trace().Now()
			for _, cell := range state.Cells(trace.CellFault) {
				on = append(on, strings.TrimRight(cell.Owner+" "+cell.Key+" "+state[cell].(string), " "))
			}
			if slices.Sort(on); !slices.Equal(on, test.on) {
				t.Errorf("on are %q, want %q", on, test.on)
			}
		})
	}
}

// complaints lists what components logged, and with which error, between two moments: "kubelet/node-1: Failed to update lease: …".
func complaints(c *cluster.Cluster, who, message string) (out []string) {
	for _, e := range c.Trace().Events(1) {
		if e.Op != trace.Log || e.Component != who || !strings.Contains(e.Text("message"), message) {
			continue
		}
		out = append(out, strings.TrimSpace(e.Text("error")+e.Text("err")))
	}
	return out
}

func nodeReady(c *cluster.Cluster, name string) corev1.ConditionStatus {
	node, _ := c.Trace().Now()[trace.Cell{Kind: trace.CellObject, Owner: "nodes", Key: name}].(*corev1.Node)
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status
		}
	}
	return ""
}

// podsOn lists the Pods that are bound to a node, and those of them that run there whatever the API says.
func podsOn(c *cluster.Cluster, node string) (bound, deleting, running []string) {
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if pod, ok := state[cell].(*corev1.Pod); ok && pod.Spec.NodeName == node {
			bound = append(bound, pod.Name)
			if pod.DeletionTimestamp != nil {
				deleting = append(deleting, pod.Name)
			}
		}
	}
	for _, cell := range state.Cells(trace.CellContainer) {
		if cell.Owner == node && state[cell] == "running" {
			running = append(running, cell.Key)
		}
	}
	return bound, deleting, running
}

// TestANodeThatIsCutOff: its containers go on, nobody is told anything, clients lose their patience one by one; the
// control plane gives the node up, and what was decided meanwhile reaches it when the partition heals.
func TestANodeThatIsCutOff(t *testing.T) {
	c := up(t)
	schedule(t, c, at(12*time.Second, cluster.Input{Kind: cluster.Apply, Manifest: []byte(web)}), at(20*time.Second, partition("node-1", "")),
		at(500*time.Second, heal("node-1", "", "")))
	c.RunUntil(19 * time.Second)
	before, _, _ := podsOn(c, "node-1")
	if len(before) == 0 {
		t.Fatal("no Pod is on node-1: the test needs one")
	}

	c.RunUntil(64 * time.Second)
	for _, e := range c.Trace().Events(1) {
		if e.At > 20*time.Second && e.Op == trace.WatchClose && e.Text("client") == "kubelet/node-1" {
			t.Errorf("%v: %s: a watch that nothing comes over is still open for 45 s", e.At, e.Text("reason"))
		}
	}
	for _, err := range complaints(c, "kubelet/node-1", "Failed to update lease") {
		if !strings.HasSuffix(err, `/leases/node-1?timeout=10s": context deadline exceeded`) {
			t.Error(err)
		}
	}
	if status := nodeReady(c, "node-1"); status != corev1.ConditionUnknown {
		t.Errorf("after 44 s node-1 is Ready=%s, want Unknown", status)
	}

	c.RunUntil(200 * time.Second)
	closed := 0
	for _, e := range c.Trace().Events(1) {
		if e.Op == trace.WatchClose && e.Text("client") == "kubelet/node-1" && e.At == 65*time.Second && e.Text("reason") == "http2: client connection lost" {
			closed++
		}
	}
	if closed < 3 {
		t.Errorf("%d watches of the kubelet ended with its connection, 45 s after the last frame; want its Pods', Nodes' and Services'", closed)
	}
	if got := complaints(c, "kubelet/node-1", "Failed to watch"); len(got) == 0 || !strings.HasSuffix(got[0], "dial tcp 10.0.0.1:6443: i/o timeout") {
		t.Errorf("the kubelet cannot list: %q", got)
	}

	c.RunUntil(499 * time.Second)
	bound, deleting, running := podsOn(c, "node-1")
	if len(deleting) != len(before) || len(bound) != len(before) || len(running) != len(before) {
		t.Errorf("evicted after 300 s: bound %v, deleting %v, running %v; all of %v are to be in each", bound, deleting, running, before)
	}

	c.RunUntil(600 * time.Second)
	bound, _, running = podsOn(c, "node-1")
	for _, name := range before {
		if slices.Contains(bound, name) || slices.Contains(running, "default/"+name+"/web") {
			t.Errorf("healed: %s is still there; bound %v, running %v", name, bound, running)
		}
	}
	if status := nodeReady(c, "node-1"); status != corev1.ConditionTrue {
		t.Errorf("healed: node-1 is Ready=%s", status)
	}
}

// TestAShortPartitionIsOnlySlow: TCP sends again what was lost, so that nobody notices anything but a delay.
func TestAShortPartitionIsOnlySlow(t *testing.T) {
	c := up(t)
	schedule(t, c, at(12*time.Second, cluster.Input{Kind: cluster.Apply, Manifest: []byte(web)}), at(20*time.Second, partition("", "replicaset-controller")),
		at(21*time.Second, scaled(6)), at(30*time.Second, heal("", "replicaset-controller", "")))
	c.RunUntil(30 * time.Second)
	if n := ready(c); n != 3 {
		t.Errorf("while it is cut off, %d Pods are ready, want 3", n)
	}
	c.RunUntil(45 * time.Second)
	if n := ready(c); n != 6 {
		t.Errorf("healed, %d Pods are ready, want 6", n)
	}
	for _, e := range c.Trace().Events(1) {
		if e.At > 20*time.Second && e.Component == "replicaset-controller" && (e.Op == trace.WatchClose || e.Op == trace.RequestDone && e.Get("code") == int64(0)) {
			t.Errorf("%v: %s %v", e.At, e.Op, e.Attrs)
		}
	}
}

func ready(c *cluster.Cluster) (n int) {
	state := c.Trace().Now()
	for _, cell := range state.Cells(trace.CellObject) {
		if pod, ok := state[cell].(*corev1.Pod); ok {
			for _, condition := range pod.Status.Conditions {
				if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
					n++
				}
			}
		}
	}
	return n
}

// TestKubectlThatIsCutOff dials, and says what the real one says.
func TestKubectlThatIsCutOff(t *testing.T) {
	c := up(t)
	schedule(t, c, at(13*time.Second, partition("", "kubectl")), at(14*time.Second, cluster.Input{Kind: cluster.Command, Args: []string{"get", "pods"}}))
	c.RunUntil(time.Minute)
	if got, want := c.Outcomes()[1].Error, "Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFailures is what a command gets to hear.
func TestFailures(t *testing.T) {
	for _, test := range []struct {
		fault cluster.Input
		args  string
		want  string
		took  time.Duration // at least
	}{
		{fail("kube-apiserver", "503 100%"), "get pods", "Error from server (ServiceUnavailable): the server is currently unable to handle the request (get pods)",
			0},
		{fail("kube-apiserver", "429 100%"), "get rs web",
			"Error from server (TooManyRequests): the server has received too many requests and has asked us to try again later (get replicasets.apps web)",
			10 * time.Second},
		{fail("kube-apiserver", "500 100%"), "delete rs web",
			`Error from server (InternalError): an error on the server ("This request caused apiserver to panic. Look in the logs for details.") has prevented the request from succeeding (delete replicasets.apps web)`, 0},
		{fail("etcd", "no-leader"), "scale rs web --replicas=4", "Error from server: etcdserver: request timed out", 7 * time.Second},
		{stop("etcd"), "get rs web",
			"Error from server (Timeout): the server was unable to return a response in the time allotted, but may still be processing the request (get replicasets.apps web)", 60 * time.Second},
		{stop("etcd"), "delete rs web --wait=false",
			"Error from server (Timeout): Timeout: request did not complete within requested timeout - context deadline exceeded", 34 * time.Second},
		{stop("etcd"), "create configmap c",
			"error: failed to create configmap: Timeout: request did not complete within requested timeout - context deadline exceeded", 34 * time.Second},
		{stop("etcd"), "get --raw /api/v1/namespaces/default/pods?resourceVersion=0&labelSelector=none", "", 0},
		{fail("etcd", "no-space"), "scale rs web --replicas=4", "Error from server: etcdserver: mvcc: database space exceeded", 0},
		{slow("etcd", "8s"), "scale rs web --replicas=4", "Error from server: etcdserver: request timed out", 7 * time.Second},
		{slow("etcd", "1s"), "scale rs web --replicas=4", "", 2 * time.Second},
		{slow("kube-apiserver", "1s"), "scale rs web --replicas=4", "", time.Second},
	} {
		t.Run(test.fault.String(), func(t *testing.T) {
			c := up(t)
			begin := 20 * time.Second
			schedule(t, c, at(12*time.Second, cluster.Input{Kind: cluster.Apply, Manifest: []byte(web)}), at(19*time.Second, test.fault),
				at(begin, cluster.Input{Kind: cluster.Command, Args: strings.Fields(test.args)}))
			c.RunUntil(begin + test.took)
			if o := c.Outcomes()[2]; test.took > 0 && o.Done {
				t.Errorf("it is over before %v have passed: %+v", test.took, o)
			}
			c.RunUntil(2 * time.Minute)
			if o := c.Outcomes()[2]; !o.Done || o.Error != test.want {
				t.Errorf("done %v, got  %q\nwant %q", o.Done, o.Error, test.want)
			}
		})
	}
}

// TestACrashLoop: at each piece of work, and after 10 s, 20 s … it tries again; healed, it does the work.
func TestACrashLoop(t *testing.T) {
	c := up(t)
	schedule(t, c, at(12*time.Second, cluster.Input{Kind: cluster.Apply, Manifest: []byte(web)}), at(20*time.Second, fail("replicaset-controller", "crash")),
		at(21*time.Second, scaled(5)), at(70*time.Second, heal("", "replicaset-controller", "")))
	c.RunUntil(70 * time.Second)
	var downs, ups []time.Duration
	for _, e := range c.Trace().Events(1) {
		if e.Component == "replicaset-controller" && e.At > 20*time.Second {
			switch e.Op {
			case trace.ComponentStop:
				downs = append(downs, e.At)
			case trace.ComponentStart:
				ups = append(ups, e.At)
			}
		}
	}
	if len(downs) != 3 || len(ups) != 2 || ups[0]-downs[0] != 10*time.Second || ups[1]-downs[1] != 20*time.Second {
		t.Errorf("down at %v, up at %v", downs, ups)
	}
	if n := ready(c); n != 3 {
		t.Errorf("%d Pods are ready, want 3: it never gets to create one", n)
	}
	if got := complaints(c, "replicaset-controller", "Observed a panic"); len(got) != 3 {
		t.Errorf("it says so %d times, want 3", len(got))
	}
	c.RunUntil(2 * time.Minute)
	if n := ready(c); n != 5 {
		t.Errorf("healed, %d Pods are ready, want 5", n)
	}
}

// TestALeaderThatIsCutOff gives its lease up, and another manager leads, whose controllers are not cut off.
func TestALeaderThatIsCutOff(t *testing.T) {
	config := cluster.DefaultConfig()
	config.LeaderElect, config.ControllerManagers = true, 2
	config.Controllers = []string{"replicaset-controller"}
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	c.RunUntil(20 * time.Second)
	holder := leaseHolder(t, c)
	schedule(t, c, at(20*time.Second, partition("", holder)), at(80*time.Second, cluster.Input{Kind: cluster.Apply, Manifest: []byte(web)}))
	c.RunUntil(100 * time.Second)
	if now := leaseHolder(t, c); now == holder {
		t.Errorf("%s is still written as the leader", now)
	}
	if n := ready(c); n != 3 {
		t.Errorf("%d Pods are ready, want 3", n)
	}
}

func leaseHolder(t *testing.T, c *cluster.Cluster) string {
	t.Helper()
	lease, ok := c.Trace().Now()[trace.Cell{Kind: trace.CellObject, Owner: "leases", Key: "kube-system/kube-controller-manager"}].(*coordinationv1.Lease)
	if !ok || lease.Spec.HolderIdentity == nil {
		t.Fatal("nobody holds the lease")
	}
	name, _, _ := strings.Cut(*lease.Spec.HolderIdentity, "_")
	return name
}

// TestAClusterRecoversFromStandingFaults: whatever goes on for a while, and is healed, the Pods are there in the end.
func TestAClusterRecoversFromStandingFaults(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(2)
	var faults []cluster.Input
	for _, name := range config.Components() {
		if name == cluster.Kubectl || strings.HasPrefix(name, "containerd/") {
			continue
		}
		faults = append(faults, slow(name, "300ms"))
		if cluster.CanPartition(name) {
			faults = append(faults, partition("", name))
		}
		if config.CanCrashLoop(name) {
			faults = append(faults, fail(name, ""))
		}
	}
	faults = append(faults, partition("node-1", ""), fail("etcd", "no-leader"), fail("etcd", "no-space"),
		fail("kube-apiserver", "500 40%"), fail("kube-apiserver", "503 40%"), fail("kube-apiserver", "429 40%"))
	if testing.Short() {
		faults = faults[:8]
	}
	for _, f := range faults {
		t.Run(f.String(), func(t *testing.T) {
			s := &scenario.Scenario{Name: "fault", Seed: 1, Cluster: config, Setup: 10 * time.Second, End: chaos.FaultsEnd}
			for _, in := range []cluster.Input{
				at(12*time.Second, cluster.Input{Kind: cluster.Apply, Manifest: []byte(web)}),
				at(12*time.Second+30*time.Millisecond, f),
				at(20*time.Second, cluster.Input{Kind: cluster.Delete, Resource: "pods", Name: "web-*"}),
				at(60*time.Second, heal(f.Node, f.Component, "")),
				at(70*time.Second, scaled(4)),
				at(74*time.Second, scaled(4)), // the API server may have been slow to come round
			} {
				s.Steps = append(s.Steps, scenario.Step{Input: in})
			}
			c, wrong := chaos.Run(s)
			for _, w := range wrong {
				t.Error(w)
			}
			if n := ready(c); n != 4 {
				t.Errorf("%d Pods are ready, want 4", n)
			}
		})
	}
}

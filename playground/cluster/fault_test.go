package cluster_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/check/chaos"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

const web = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},"spec":{"replicas":3,
	"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
	"spec":{"terminationGracePeriodSeconds":2,"containers":[{"name":"web","image":"nginx:1.27"}]}}}}`

// up is a cluster of two nodes, 12 s after its start.
func up(t *testing.T) *cluster.Cluster {
	t.Helper()
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(2)
	c := cluster.New(config, 1)
	t.Cleanup(c.Close)
	c.RunUntil(12 * time.Second)
	return c
}

func schedule(t *testing.T, c *cluster.Cluster, inputs ...cluster.Input) {
	t.Helper()
	for _, in := range inputs {
		if err := c.Schedule(in); err != nil {
			t.Fatal(err)
		}
	}
}

func stop(component string) cluster.Input {
	return cluster.Input{Kind: cluster.Stop, Component: component}
}

func start(component string) cluster.Input {
	return cluster.Input{Kind: cluster.Start, Component: component}
}

func kill(node string) cluster.Input { return cluster.Input{Kind: cluster.KillNode, Node: node} }
func boot(node string) cluster.Input { return cluster.Input{Kind: cluster.StartNode, Node: node} }

func drop(component, resource string) cluster.Input {
	return cluster.Input{Kind: cluster.DropWatch, Component: component, Resource: resource}
}

// TestFaults is what becomes of each fault. A second lies between two.
func TestFaults(t *testing.T) {
	for _, test := range []struct {
		name   string
		faults []cluster.Input
		want   string // the last one's error
	}{
		{"a component crashes", []cluster.Input{stop("kube-scheduler")}, ""},
		{"it crashes twice", []cluster.Input{stop("kube-scheduler"), stop("kube-scheduler")}, `component "kube-scheduler" is down already`},
		{"it comes back", []cluster.Input{stop("kube-scheduler"), start("kube-scheduler")}, ""},
		{"it runs", []cluster.Input{start("kube-scheduler")}, `component "kube-scheduler" runs already`},
		{"a controller crashes", []cluster.Input{stop("replicaset-controller")}, ""},
		{"a controller crashes twice", []cluster.Input{stop("replicaset-controller"), stop("replicaset-controller")},
			`component "replicaset-controller" is down already`},
		{"a controller comes back", []cluster.Input{stop("replicaset-controller"), start("replicaset-controller")}, ""},
		{"a controller runs", []cluster.Input{start("replicaset-controller")}, `component "replicaset-controller" runs already`},
		{"the API server crashes", []cluster.Input{stop("kube-apiserver")}, ""},
		{"the API server comes back", []cluster.Input{stop("kube-apiserver"), start("kube-apiserver")}, ""},
		{"a kubelet crashes", []cluster.Input{stop("kubelet/node-1")}, ""},
		{"a kubelet comes back", []cluster.Input{stop("kubelet/node-1"), start("kubelet/node-1")}, ""},
		{"a kubelet on a dead machine", []cluster.Input{kill("node-1"), start("kubelet/node-1")}, `component "kubelet/node-1": its machine is down`},
		{"a kubelet died with its machine", []cluster.Input{kill("node-1"), stop("kubelet/node-1")}, `component "kubelet/node-1" is down already`},
		{"etcd", []cluster.Input{stop("etcd")}, ""},
		{"etcd has its disk", []cluster.Input{stop("etcd"), start("etcd")}, ""},
		{"kubectl is no server", []cluster.Input{stop("kubectl")}, `component "kubectl" cannot be stopped and started`},
		{"a container runtime is its machine", []cluster.Input{stop("containerd/node-1")}, `component "containerd/node-1" cannot be stopped and started`},
		{"an unknown component", []cluster.Input{stop("kube-schedular")}, `component "kube-schedular" cannot be stopped and started`},
		{"a node loses power", []cluster.Input{kill("node-1")}, ""},
		{"it has none to lose", []cluster.Input{kill("node-1"), kill("node-1")}, `node "node-1" is down already`},
		{"a node whose kubelet is down loses power", []cluster.Input{stop("kubelet/node-1"), kill("node-1")}, ""},
		{"a node boots", []cluster.Input{kill("node-1"), boot("node-1")}, ""},
		{"a node that runs", []cluster.Input{boot("node-1")}, `component "containerd/node-1" runs already`},
		{"an unknown node", []cluster.Input{kill("node-9")}, `there is no node "node-9"`},
		{"an unknown node boots", []cluster.Input{boot("node-9")}, `there is no node "node-9"`},
		{"a connection breaks", []cluster.Input{drop("kube-scheduler", "pods")}, ""},
		{"all of them break", []cluster.Input{drop("kube-scheduler", "")}, ""},
		{"it has no such watch", []cluster.Input{drop("kube-scheduler", "secrets")}, `component "kube-scheduler" has no such watch open`},
		{"it watches nothing", []cluster.Input{drop("etcd", "")}, `component "etcd" has no such watch open`},
		{"it is down", []cluster.Input{stop("kube-scheduler"), drop("kube-scheduler", "")}, `component "kube-scheduler" has no such watch open`},
		{"nobody of that name watches", []cluster.Input{drop("kube-schedular", "")}, `there is no component "kube-schedular"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := up(t)
			for i, in := range test.faults {
				in.At = c.Elapsed() + time.Duration(i+1)*time.Second
				schedule(t, c, in)
			}
			c.RunUntil(c.Elapsed() + time.Minute)
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
		})
	}
}

// TestCommands is what kubectl answers, and when.
func TestCommands(t *testing.T) {
	c := up(t)
	at := c.Elapsed()
	schedule(t, c,
		cluster.Input{At: at, Kind: cluster.Apply, Manifest: []byte(web)},
		cluster.Input{At: at + 10*time.Second, Kind: cluster.Scale, Resource: "rs", Name: "web", Replicas: number[int32](5)},
		cluster.Input{At: at + 20*time.Second, Kind: cluster.Apply, Manifest: []byte(`{"kind":"ReplicaSet"`)},
		cluster.Input{At: at + 21*time.Second, Kind: cluster.Delete, Resource: "pods", Name: "web-*"},
		cluster.Input{At: at + 22*time.Second, Kind: cluster.Scale, Resource: "rs", Name: "wbe", Replicas: number[int32](5)},
		stopAt(at+30*time.Second, "kube-apiserver"),
		cluster.Input{At: at + 31*time.Second, Kind: cluster.Delete, Resource: "rs", Name: "web"},
	)
	if o := c.Outcomes()[0]; o.Done || o.Output != "" {
		t.Errorf("before its time: %+v", o)
	}
	c.RunUntil(at + time.Minute)
	for i, want := range []string{
		"replicaset.apps/web created",
		"replicaset.apps/web scaled",
		`error: error parsing STDIN: error converting YAML to JSON: unexpected end of JSON input`,
		`pod "web-* deleted from default namespace`,
		`Error from server (NotFound): replicasets.apps "wbe" not found`,
		"",
		"The connection to the server * was refused - did you specify the right host or port?",
	} {
		o := c.Outcomes()[i]
		begin, end, _ := strings.Cut(want, "*")
		if got := o.Output + o.Error; !o.Done || !strings.HasPrefix(got, begin) || !strings.HasSuffix(got, end) || o.Output != "" && o.Error != "" {
			t.Errorf("%s: done %v\ngot  %q\nwant %q", o.Input, o.Done, got, want)
		}
	}
}

func stopAt(at time.Duration, component string) cluster.Input {
	in := stop(component)
	in.At = at
	return in
}

func TestInputsInThePastAreRefused(t *testing.T) {
	c := up(t)
	err := c.Schedule(stopAt(11*time.Second, "kube-scheduler"))
	if err == nil || err.Error() != `input "stop kube-scheduler" at 11s: it is 12s already` {
		t.Errorf("got %v", err)
	}
	if err := c.Schedule(cluster.Input{Kind: cluster.Stop}); err == nil || err.Error() != `input "stop": needs a component` {
		t.Errorf("got %v", err)
	}
	if n := len(c.Outcomes()); n != 0 {
		t.Errorf("refused inputs have %d outcomes", n)
	}
	schedule(t, c, stopAt(12*time.Second, "kube-scheduler")) // now is not past
}

// TestInputsOfTheSameMomentKeepTheirOrder also when they are scheduled after a later one.
func TestInputsOfTheSameMomentKeepTheirOrder(t *testing.T) {
	c := up(t)
	at := 15 * time.Second
	later := start("kubelet/node-2")
	later.At = at + time.Second
	schedule(t, c, later)
	var want []string
	for _, in := range []cluster.Input{stop("kube-scheduler"), start("kube-scheduler"), kill("node-1"), boot("node-1"), stop("kubelet/node-2")} {
		in.At = at
		schedule(t, c, in)
		want = append(want, string(in.Kind))
	}
	want = append(want, "start")
	c.RunUntil(20 * time.Second)
	var got []string
	for i := range c.Trace().Len() {
		if e := c.Trace().Event(trace.ID(i + 1)); e.Op == trace.Input {
			got = append(got, e.Text("kind"))
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, o := range c.Outcomes() {
		if !o.Done || o.Error != "" {
			t.Errorf("%s: %+v", o.Input, o)
		}
	}
}

// TestFaultsBeforeTheBoot: an input may come before the program that it is about.
func TestFaultsBeforeTheBoot(t *testing.T) {
	for _, in := range []cluster.Input{
		stop("kube-scheduler"), start("kube-scheduler"), stop("replicaset-controller"), start("replicaset-controller"),
		kill("node-1"), boot("node-1"), stop("kubelet/node-1"), start("kubelet/node-1"), drop("kube-scheduler", ""), stop("kube-apiserver"),
	} {
		t.Run(in.String(), func(t *testing.T) {
			config := cluster.DefaultConfig()
			config.Nodes = cluster.NumberedNodes(1)
			c := cluster.New(config, 1)
			defer c.Close()
			schedule(t, c, in)
			c.RunUntil(20 * time.Second)
			if !c.Outcomes()[0].Done {
				t.Error("it was never done")
			}
			if in.Kind == cluster.Stop && in.Component == "kube-apiserver" {
				return // then nothing else comes up, and that is right
			}
			nodes := 0
			for _, v := range c.Trace().Now() {
				if _, ok := v.(*corev1.Node); ok {
					nodes++
				}
			}
			if nodes != 1 {
				t.Errorf("%d nodes registered; the input's outcome: %q", nodes, c.Outcomes()[0].Error)
			}
		})
	}
}

// TestAClusterRecoversFromEveryFault: whatever happens once, and is mended, the
// Pods are there in the end, none was bound twice, and no watch lost anything.
func TestAClusterRecoversFromEveryFault(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Nodes = cluster.NumberedNodes(2)
	type fault struct{ breaks, mends []cluster.Input }
	var faults []fault
	for _, name := range config.Components() {
		if !cluster.CanStop(name) {
			continue
		}
		faults = append(faults, fault{[]cluster.Input{stop(name)}, []cluster.Input{start(name)}}, fault{[]cluster.Input{drop(name, "")}, nil})
	}
	for _, n := range config.Nodes {
		faults = append(faults, fault{[]cluster.Input{kill(n.Name)}, []cluster.Input{boot(n.Name)}})
	}
	moments := []time.Duration{12*time.Second + 30*time.Millisecond, 20 * time.Second}
	if testing.Short() {
		moments = moments[:1]
	}
	for _, f := range faults {
		for _, at := range moments { // in the middle of the work, and at rest
			t.Run(fmt.Sprintf("%s at %v", f.breaks[0], at), func(t *testing.T) {
				s := &scenario.Scenario{Name: "fault", Seed: 1, Cluster: config, Setup: 10 * time.Second, End: chaos.FaultsEnd}
				add := func(at time.Duration, inputs ...cluster.Input) {
					for _, in := range inputs {
						in.At = at
						s.Steps = append(s.Steps, scenario.Step{Input: in})
					}
				}
				add(12*time.Second, cluster.Input{Kind: cluster.Apply, Manifest: []byte(web)})
				add(at, f.breaks...)
				add(at+200*time.Millisecond, cluster.Input{Kind: cluster.Delete, Resource: "pods", Name: "web-*"})
				add(at+20*time.Second, f.mends...)
				add(70*time.Second, cluster.Input{Kind: cluster.Scale, Resource: "rs", Name: "web", Replicas: number[int32](4)})
				c, wrong := chaos.Run(s)
				for _, w := range wrong {
					t.Error(w)
				}
				pods := 0
				for _, v := range c.Trace().Now() {
					if _, ok := v.(*corev1.Pod); ok {
						pods++
					}
				}
				if pods != 4 {
					t.Errorf("%d Pods, want 4", pods)
				}
			})
		}
	}
}

package plugins

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/corev1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/types"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/scheduler/cache"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
)

// The tables write objects as JSON, as a reader of Kubernetes would.

func pod(t *testing.T, spec string) *corev1.Pod {
	t.Helper()
	p := &corev1.Pod{}
	p.Name, p.Namespace, p.UID = "p", "default", "p"
	if err := json.Unmarshal([]byte(spec), &p.Spec); err != nil {
		t.Fatalf("%s: %v", spec, err)
	}
	return p
}

func node(t *testing.T, name, text string, pods ...*corev1.Pod) *framework.NodeInfo {
	t.Helper()
	n := &corev1.Node{}
	if err := json.Unmarshal([]byte(`{"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}}`), n); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), n); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	n.Name = name
	for i, p := range pods {
		p.Name = fmt.Sprintf("%s-%d", name, i)
		p.UID = types.UID(p.Name)
	}
	return framework.NewNodeInfo(n, pods...)
}

// profile is the default plugins over some nodes, and what else there is.
func profile(nodes []*framework.NodeInfo, objects ...api.Object) *runtime.Framework {
	return configured(config.KubeSchedulerProfile{}, nodes, objects...)
}

func configured(p config.KubeSchedulerProfile, nodes []*framework.NodeInfo, objects ...api.Object) *runtime.Framework {
	complete, err := config.Complete([]config.KubeSchedulerProfile{p}, nil)
	if err != nil {
		panic(err)
	}
	factory := informers.NewSharedInformerFactory(client.New(nil), 0)
	f, err := runtime.NewFramework(NewInTreeRegistry(), complete[0], runtime.Options{
		Snapshot: cache.NewTestSnapshot(nodes...), InformerFactory: factory})
	if err != nil {
		panic(err)
	}
	for _, o := range objects {
		kind := api.KindOf(o)
		if err := factory.InformerFor(kind.GroupVersionResource(), nil).GetIndexer().Add(o); err != nil {
			panic(err)
		}
	}
	return f
}

// verdict runs PreFilter and Filter of all plugins for one node.
func verdict(f *runtime.Framework, p *corev1.Pod, n *framework.NodeInfo) string {
	state := framework.NewCycleState()
	_, s, _ := f.RunPreFilterPlugins(nil, state, p)
	if s.IsSuccess() {
		s = f.RunFilterPlugins(nil, state, p, n)
	}
	if s.IsSuccess() {
		return "fits"
	}
	return fmt.Sprintf("%s %s: %s", s.Plugin(), s.Code(), s.Message())
}

func TestFilters(t *testing.T) {
	const hostPort = `{"containers":[{"ports":[{"hostPort":80,"containerPort":80}]}]}`
	for _, c := range []struct {
		name, pod, node string
		others          []string
		want            string
	}{
		{name: "nothing against it", pod: `{}`, node: `{}`, want: "fits"},

		{name: "cordoned", pod: `{}`, node: `{"spec":{"unschedulable":true}}`,
			want: "NodeUnschedulable UnschedulableAndUnresolvable: node(s) were unschedulable"},
		{name: "cordoned, but tolerated",
			pod:  `{"tolerations":[{"key":"node.kubernetes.io/unschedulable","operator":"Exists"}]}`,
			node: `{"spec":{"unschedulable":true,"taints":[{"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}]}}`, want: "fits"},

		{name: "another node asked for", pod: `{"nodeName":"other"}`, node: `{}`,
			want: "NodeName UnschedulableAndUnresolvable: node(s) didn't match the requested node name"},

		{name: "tainted", pod: `{}`, node: `{"spec":{"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]}}`,
			want: "TaintToleration UnschedulableAndUnresolvable: node(s) had untolerated taint(s)"},
		{name: "taint that evicts", pod: `{}`, node: `{"spec":{"taints":[{"key":"a","effect":"NoExecute"}]}}`,
			want: "TaintToleration UnschedulableAndUnresolvable: node(s) had untolerated taint(s)"},
		{name: "taint that is a wish", pod: `{}`, node: `{"spec":{"taints":[{"key":"a","effect":"PreferNoSchedule"}]}}`, want: "fits"},
		{name: "tolerated by value", pod: `{"tolerations":[{"key":"a","operator":"Equal","value":"b","effect":"NoSchedule"}]}`,
			node: `{"spec":{"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]}}`, want: "fits"},
		{name: "tolerated with another value", pod: `{"tolerations":[{"key":"a","value":"c"}]}`,
			node: `{"spec":{"taints":[{"key":"a","value":"b","effect":"NoSchedule"}]}}`,
			want: "TaintToleration UnschedulableAndUnresolvable: node(s) had untolerated taint(s)"},
		{name: "tolerates everything", pod: `{"tolerations":[{"operator":"Exists"}]}`,
			node: `{"spec":{"taints":[{"key":"a","effect":"NoExecute"},{"key":"b","effect":"NoSchedule"}]}}`, want: "fits"},
		{name: "tolerates another effect", pod: `{"tolerations":[{"key":"a","operator":"Exists","effect":"NoExecute"}]}`,
			node: `{"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}`,
			want: "TaintToleration UnschedulableAndUnresolvable: node(s) had untolerated taint(s)"},

		{name: "nodeSelector matches", pod: `{"nodeSelector":{"disk":"ssd"}}`, node: `{"metadata":{"labels":{"disk":"ssd"}}}`, want: "fits"},
		{name: "nodeSelector does not match", pod: `{"nodeSelector":{"disk":"ssd"}}`, node: `{"metadata":{"labels":{"disk":"hdd"}}}`,
			want: "NodeAffinity UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector"},
		{name: "affinity NotIn", pod: affinity(`{"key":"zone","operator":"NotIn","values":["a","b"]}`), node: `{"metadata":{"labels":{"zone":"c"}}}`,
			want: "fits"},
		{name: "affinity NotIn, listed", pod: affinity(`{"key":"zone","operator":"NotIn","values":["a","b"]}`), node: `{"metadata":{"labels":{"zone":"b"}}}`,
			want: "NodeAffinity UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector"},
		{name: "affinity Gt", pod: affinity(`{"key":"gen","operator":"Gt","values":["3"]}`), node: `{"metadata":{"labels":{"gen":"4"}}}`, want: "fits"},
		{name: "affinity Gt, equal", pod: affinity(`{"key":"gen","operator":"Gt","values":["4"]}`), node: `{"metadata":{"labels":{"gen":"4"}}}`,
			want: "NodeAffinity UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector"},
		{name: "affinity DoesNotExist", pod: affinity(`{"key":"x","operator":"DoesNotExist"}`), node: `{}`, want: "fits"},
		{name: "an empty term matches nothing", pod: affinity(``), node: `{}`,
			want: "NodeAffinity UnschedulableAndUnresolvable: node(s) didn't match Pod's node affinity/selector"},

		{name: "port free", pod: hostPort, node: `{}`, others: []string{`{"containers":[{"ports":[{"hostPort":81}]}]}`}, want: "fits"},
		{name: "port taken", pod: hostPort, node: `{}`, others: []string{hostPort},
			want: "NodePorts Unschedulable: node(s) didn't have free ports for the requested pod ports"},
		{name: "port of another protocol", pod: hostPort, node: `{}`,
			others: []string{`{"containers":[{"ports":[{"hostPort":80,"protocol":"UDP"}]}]}`}, want: "fits"},
		{name: "port on one address is taken on all", pod: hostPort, node: `{}`,
			others: []string{`{"containers":[{"ports":[{"hostPort":80,"hostIP":"127.0.0.1"}]}]}`},
			want:   "NodePorts Unschedulable: node(s) didn't have free ports for the requested pod ports"},

		{name: "exactly what is left", pod: requests("3", "4Gi"), node: `{}`, others: []string{requests("1", "4Gi")}, want: "fits"},
		{name: "a thousandth too much", pod: requests("3001m", "1"), node: `{}`, others: []string{requests("1", "1")},
			want: "NodeResourcesFit Unschedulable: Insufficient cpu"},
		{name: "too much of both", pod: requests("4", "8Gi"), node: `{}`, others: []string{requests("1", "1Gi")},
			want: "NodeResourcesFit Unschedulable: Insufficient cpu, Insufficient memory"},
		{name: "more than the node has", pod: requests("64", "1Gi"), node: `{}`,
			want: "NodeResourcesFit UnschedulableAndUnresolvable: Insufficient cpu"},
		{name: "no room for one more", pod: `{}`, node: `{"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"1"}}}`, others: []string{`{}`},
			want: "NodeResourcesFit Unschedulable: Too many pods"},
		{name: "an extended resource", pod: `{"containers":[{"resources":{"requests":{"example.com/gpu":"2"}}}]}`,
			node: `{"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"10","example.com/gpu":"1"}}}`,
			want: "NodeResourcesFit UnschedulableAndUnresolvable: Insufficient example.com/gpu"},
		{name: "init containers run one after the other", node: `{}`, want: "fits",
			pod: `{"containers":[{"resources":{"requests":{"cpu":"1"}}}],"initContainers":[{"resources":{"requests":{"cpu":"4"}}},{"resources":{"requests":{"cpu":"4"}}}]}`},
		{name: "sidecars run beside the containers", node: `{}`, want: "NodeResourcesFit UnschedulableAndUnresolvable: Insufficient cpu",
			pod: `{"containers":[{"resources":{"requests":{"cpu":"2"}}}],"initContainers":[{"restartPolicy":"Always","resources":{"requests":{"cpu":"3"}}}]}`},
		{name: "overhead counts", node: `{}`, want: "NodeResourcesFit UnschedulableAndUnresolvable: Insufficient cpu",
			pod: `{"overhead":{"cpu":"1"},"containers":[{"resources":{"requests":{"cpu":"3500m"}}}]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var others []*corev1.Pod
			for _, o := range c.others {
				others = append(others, pod(t, o))
			}
			n := node(t, "n", c.node, others...)
			if got := verdict(profile([]*framework.NodeInfo{n}), pod(t, c.pod), n); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func affinity(requirement string) string {
	expressions := ""
	if requirement != "" {
		expressions = `"matchExpressions":[` + requirement + `]`
	}
	return `{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{` + expressions + `}]}}}}`
}

func requests(cpu, memory string) string {
	return fmt.Sprintf(`{"containers":[{"resources":{"requests":{"cpu":%q,"memory":%q}}}]}`, cpu, memory)
}

// scores runs PreScore and Score of all plugins and prints those named.
func scores(t *testing.T, f *runtime.Framework, p *corev1.Pod, nodes []*framework.NodeInfo, plugin string) string {
	t.Helper()
	state := framework.NewCycleState()
	if s := f.RunPreScorePlugins(nil, state, p, nodes); !s.IsSuccess() {
		t.Fatal(s.Message())
	}
	all, s := f.RunScorePlugins(nil, state, p, nodes)
	if !s.IsSuccess() {
		t.Fatal(s.Message())
	}
	var out []string
	for _, n := range all {
		text := n.Name + "=-"
		for _, ps := range n.Scores {
			if ps.Name == plugin {
				text = fmt.Sprintf("%s=%d", n.Name, ps.Score)
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

type scoring struct {
	name, plugin, pod string
	nodes             [][]string // name, JSON, then Pods
	want              string
}

// imageVolumeScorings are in builds that know image volumes.
var imageVolumeScorings []scoring

func TestScores(t *testing.T) {
	for _, c := range append([]scoring{
		// Weight 3; the tainted node gets nothing.
		{"taints that are a wish", TaintToleration, `{}`, [][]string{
			{"a", `{}`}, {"b", `{"spec":{"taints":[{"key":"x","effect":"PreferNoSchedule"}]}}`}}, "a=300 b=0"},
		{"two wishes of which one is tolerated", TaintToleration, `{"tolerations":[{"key":"x","operator":"Exists"}]}`, [][]string{
			{"a", `{"spec":{"taints":[{"key":"x","effect":"PreferNoSchedule"}]}}`},
			{"b", `{"spec":{"taints":[{"key":"x","effect":"PreferNoSchedule"},{"key":"y","effect":"PreferNoSchedule"}]}}`}}, "a=300 b=0"},

		// Weight 2; stretched so that the best gets 100.
		{"preferred terms add up", NodeAffinity,
			`{"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[
			  {"weight":10,"preference":{"matchExpressions":[{"key":"disk","operator":"In","values":["ssd"]}]}},
			  {"weight":30,"preference":{"matchExpressions":[{"key":"zone","operator":"Exists"}]}}]}}}`, [][]string{
				{"a", `{"metadata":{"labels":{"disk":"ssd"}}}`}, {"b", `{"metadata":{"labels":{"disk":"ssd","zone":"z"}}}`}, {"c", `{}`}},
			"a=50 b=200 c=0"},
		{"no preference", NodeAffinity, `{}`, [][]string{{"a", `{}`}, {"b", `{}`}}, "a=- b=-"},

		// 4 CPU, 8 GiB. Without requests a container counts 100m and 200Mi:
		// (3900/4000 → 97, 7992/8192 → 97) / 2.
		{"an empty node", NodeResourcesFit, `{"containers":[{}]}`, [][]string{{"a", `{}`}}, "a=97"},
		// (4000-1000-100)/4000 = 72, (8192-2048-200)/8192 = 72 → 72
		{"less on a node in use", NodeResourcesFit, `{"containers":[{}]}`, [][]string{{"a", `{}`, requests("1", "2Gi")}, {"b", `{}`}}, "a=72 b=97"},
		{"a full node", NodeResourcesFit, requests("2", "4Gi"), [][]string{{"a", `{}`, requests("2", "4Gi")}}, "a=0"},

		// Weight 1. With: |50%-0| → 75; without: 100; 50 + (50+75-100)/2 = 62.
		{"a Pod that tilts the node", NodeResourcesBalancedAllocation, requests("2", "0"), [][]string{{"a", `{}`}}, "a=62"},
		// With: |50%-50%| → 100; without: |0-50%| → 75; 50 + (50+100-75)/2 = 87.
		{"a Pod that evens it out", NodeResourcesBalancedAllocation, requests("2", "0"), [][]string{{"a", `{}`, requests("0", "4Gi")}}, "a=87"},
		{"a Pod that changes nothing", NodeResourcesBalancedAllocation, requests("1", "2Gi"), [][]string{{"a", `{}`}}, "a=75"},
		{"a Pod without requests", NodeResourcesBalancedAllocation, `{"containers":[{}]}`, [][]string{{"a", `{}`}}, "a=-"},

		// 1000 MiB on one of two nodes count half: (500-23)/(1000-23) = 48 %.
		{"images that are there", ImageLocality, `{"containers":[{"image":"nginx"}]}`, [][]string{
			{"a", `{"status":{"images":[{"names":["nginx:latest"],"sizeBytes":1048576000}],"allocatable":{"pods":"1"}}}`}, {"b", `{}`}}, "a=48 b=0"},
	}, imageVolumeScorings...) {
		t.Run(c.name, func(t *testing.T) {
			var list []*framework.NodeInfo
			for _, n := range c.nodes {
				var others []*corev1.Pod
				for _, o := range n[2:] {
					others = append(others, pod(t, o))
				}
				info := node(t, n[0], n[1], others...)
				info.ImageStates = map[string]framework.ImageState{}
				for _, img := range info.Node().Status.Images {
					info.ImageStates[img.Names[0]] = framework.ImageState{Size: img.SizeBytes, NumNodes: 1}
				}
				list = append(list, info)
			}
			if got := scores(t, profile(list), pod(t, c.pod), list, c.plugin); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func spreadNodes(t *testing.T, counts map[string]int) []*framework.NodeInfo {
	var list []*framework.NodeInfo
	for _, name := range []string{"a1", "a2", "b1"} {
		var others []*corev1.Pod
		for range counts[name] {
			o := pod(t, `{}`)
			o.Labels = map[string]string{"app": "web"}
			others = append(others, o)
		}
		list = append(list, node(t, name, fmt.Sprintf(`{"metadata":{"labels":{"kubernetes.io/hostname":%q,"topology.kubernetes.io/zone":%q}}}`, name, name[:1]),
			others...))
	}
	return list
}

func TestSystemDefaultSpreading(t *testing.T) {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	rs, ss := &appsv1.ReplicaSet{}, &appsv1.StatefulSet{}
	rs.Spec.Selector, ss.Spec.Selector = selector, selector
	service, rc := &corev1.Service{}, &corev1.ReplicationController{}
	service.Spec.Selector, rc.Spec.Selector = map[string]string{"app": "web"}, map[string]string{"app": "web"}
	for _, owner := range []struct {
		object           api.Object
		apiVersion, kind string
	}{
		{service, "", ""}, {rc, "v1", "ReplicationController"}, {rs, "apps/v1", "ReplicaSet"}, {ss, "apps/v1", "StatefulSet"},
	} {
		owner.object.SetNamespace("default")
		owner.object.SetName("web")
		for _, c := range []struct {
			counts map[string]int
			want   string
		}{
			// Hostname weighs ln 5 = 1.609, zone ln 4 = 1.386; plus 2 and 4 for maxSkew-1.
			{map[string]int{}, "a1=200 a2=200 b1=200"},
			// a1: 1.609+1.386+6 = 9, a2: 1.386+6 = 7, b1: 6. → (9+6-x)/9
			{map[string]int{"a1": 1}, "a1=132 a2=176 b1=200"},
			{map[string]int{"a1": 1, "a2": 1, "b1": 1}, "a1=180 a2=180 b1=200"},
		} {
			list := spreadNodes(t, c.counts)
			p := pod(t, `{}`)
			p.Labels = map[string]string{"app": "web"}
			if owner.kind != "" {
				isController := true
				p.OwnerReferences = []metav1.OwnerReference{{APIVersion: owner.apiVersion, Kind: owner.kind, Name: "web", Controller: &isController}}
			}
			if got := scores(t, profile(list, owner.object), p, list, PodTopologySpread); got != c.want {
				t.Errorf("%T %v: got %s, want %s", owner.object, c.counts, got, c.want)
			}
			if got := scores(t, profile(list), p, list, PodTopologySpread); got != "a1=- a2=- b1=-" {
				t.Errorf("a Pod that belongs to nothing: %s", got)
			}
		}
	}
}

func TestHardSpreading(t *testing.T) {
	const hard = `{"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule","labelSelector":{"matchLabels":{"app":"web"}}}]}`
	list := spreadNodes(t, map[string]int{"a1": 1})
	p := pod(t, hard)
	p.Labels = map[string]string{"app": "web"}
	f := profile(list)
	for i, want := range []string{
		"PodTopologySpread Unschedulable: node(s) didn't match pod topology spread constraints",
		"PodTopologySpread Unschedulable: node(s) didn't match pod topology spread constraints",
		"fits",
	} {
		if got := verdict(f, p, list[i]); got != want {
			t.Errorf("%s: %s, want %s", list[i].Name(), got, want)
		}
	}
	p.Labels = nil // it does not count itself
	if got := verdict(f, p, list[0]); got != "fits" {
		t.Errorf("a Pod that the constraint does not count: %s", got)
	}
	bare := node(t, "bare", `{}`)
	if got := verdict(f, p, bare); !strings.HasSuffix(got, "(missing required label)") {
		t.Errorf("a node without zone: %s", got)
	}
}

func TestLogarithm(t *testing.T) {
	// 1000 × ln(n), from a table of logarithms.
	for n, want := range map[int64]int64{1: 0, 2: 693, 3: 1099, 4: 1386, 5: 1609, 10: 2303, 100: 4605, 1000: 6908, 5002: 8518} {
		if got := logMilli(n); got != want {
			t.Errorf("ln(%d) = %d/1000, want %d", n, got, want)
		}
	}
}

func TestPreFilterNarrowsDownToNamedNodes(t *testing.T) {
	const named = `{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
	  {"matchFields":[{"key":"metadata.name","operator":"In","values":["b"]}]},{"matchFields":[{"key":"metadata.name","operator":"In","values":["a"]}]}]}}}}`
	f := profile([]*framework.NodeInfo{node(t, "a", `{}`), node(t, "c", `{}`)})
	result, s, _ := f.RunPreFilterPlugins(nil, framework.NewCycleState(), pod(t, named))
	if !s.IsSuccess() || fmt.Sprint(result.NodeNames) != "[a b]" {
		t.Errorf("%v %v", result, s.Message())
	}
}

func TestPreEnqueue(t *testing.T) {
	f := profile(nil)
	for _, c := range []struct{ pod, want string }{
		{`{}`, ""},
		{`{"schedulingGates":[{"name":"example.com/a"},{"name":"example.com/b"}]}`, "waiting for scheduling gates: [example.com/a example.com/b]"},
		{`{"resourceClaims":[{"name":"gpu","resourceClaimName":"mine"}]}`, `resourceclaim "mine" not found`},
	} {
		got := ""
		for _, pl := range f.PreEnqueuePlugins() {
			got += pl.PreEnqueue(pod(t, c.pod)).Message()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.pod, got, c.want)
		}
	}
}

func TestQueueingHints(t *testing.T) {
	tolerant := `{"tolerations":[{"key":"dedicated","operator":"Exists"}]}`
	for _, c := range []struct {
		name, plugin, pod, old, new string
		event                       framework.ActionType
		want                        string
	}{
		{"uncordoned", NodeUnschedulable, `{}`, `{"spec":{"unschedulable":true}}`, `{}`, framework.UpdateNodeTaint, "Queue"},
		{"cordoned", NodeUnschedulable, `{}`, `{}`, `{"spec":{"unschedulable":true}}`, framework.UpdateNodeTaint, "QueueSkip"},
		{"a new node, cordoned", NodeUnschedulable, `{}`, ``, `{"spec":{"unschedulable":true}}`, framework.Add, "QueueSkip"},
		{"taint gone", TaintToleration, `{}`, `{"spec":{"taints":[{"key":"a","effect":"NoSchedule"}]}}`, `{}`, framework.UpdateNodeTaint, "Queue"},
		{"one of two taints gone", TaintToleration, `{}`,
			`{"spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"b","effect":"NoSchedule"}]}}`,
			`{"spec":{"taints":[{"key":"b","effect":"NoSchedule"}]}}`, framework.UpdateNodeTaint, "QueueSkip"},
		{"a new node with a taint that is tolerated", TaintToleration, tolerant, ``,
			`{"spec":{"taints":[{"key":"dedicated","effect":"NoSchedule"}]}}`, framework.Add, "Queue"},
		{"label that matches now", NodeAffinity, `{"nodeSelector":{"disk":"ssd"}}`, `{}`, `{"metadata":{"labels":{"disk":"ssd"}}}`, framework.UpdateNodeLabel,
			"Queue"},
		{"label that matched before", NodeAffinity, `{"nodeSelector":{"disk":"ssd"}}`, `{"metadata":{"labels":{"disk":"ssd"}}}`,
			`{"metadata":{"labels":{"disk":"ssd","x":"y"}}}`, framework.UpdateNodeLabel, "QueueSkip"},
		{"a new node that is too small", NodeResourcesFit, requests("64", "1Gi"), ``, `{}`, framework.Add, "QueueSkip"},
		{"a new node that is large enough", NodeResourcesFit, requests("2", "1Gi"), ``, `{}`, framework.Add, "Queue"},
		{"more memory, where CPU is wanted", NodeResourcesFit, requests("2", "0"), `{}`,
			`{"status":{"allocatable":{"cpu":"4","memory":"16Gi","pods":"110"}}}`, framework.UpdateNodeAllocatable, "QueueSkip"},
		{"more CPU", NodeResourcesFit, requests("5", "0"), `{}`,
			`{"status":{"allocatable":{"cpu":"8","memory":"8Gi","pods":"110"}}}`, framework.UpdateNodeAllocatable, "Queue"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := "no interest"
			for _, pl := range profile(nil).EnqueueExtensions() {
				if pl.Name() != c.plugin {
					continue
				}
				for _, e := range pl.EventsToRegister() {
					if !e.Event.Matches(framework.ClusterEvent{Resource: framework.Node, ActionType: c.event}) {
						continue
					}
					if c.old == "" {
						got = e.QueueingHintFn(pod(t, c.pod), nil, node(t, "n", c.new).Node()).String()
					} else {
						got = e.QueueingHintFn(pod(t, c.pod), node(t, "n", c.old).Node(), node(t, "n", c.new).Node()).String()
					}
				}
			}
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

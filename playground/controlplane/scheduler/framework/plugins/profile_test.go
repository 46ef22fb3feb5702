package plugins

import (
	"encoding/json"
	"strings"
	"testing"

	"kubewalk/playground/api/corev1"
	"kubewalk/playground/controlplane/client"
	"kubewalk/playground/controlplane/client/informers"
	"kubewalk/playground/controlplane/scheduler/cache"
	"kubewalk/playground/controlplane/scheduler/config"
	"kubewalk/playground/controlplane/scheduler/framework"
	"kubewalk/playground/controlplane/scheduler/framework/runtime"
)

func profileOf(t *testing.T, text string) (p config.KubeSchedulerProfile) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}

func fitArgs(strategy string) string {
	return `{"pluginConfig":[{"name":"NodeResourcesFit","args":{"scoringStrategy":` + strategy + `}}]}`
}

func TestScoringStrategies(t *testing.T) {
	for _, c := range []struct {
		name, profile, plugin, pod string
		there                      []string
		want                       string
	}{
		// 1 of 4 CPU, 2 of 8 GiB there; the Pod adds 1 CPU and 2 GiB.
		{"much left", fitArgs(`{"type":"LeastAllocated"}`), NodeResourcesFit, requests("1", "2Gi"), []string{requests("1", "2Gi")}, "a=50 b=75"},
		{"little left", fitArgs(`{"type":"MostAllocated"}`), NodeResourcesFit, requests("1", "2Gi"), []string{requests("1", "2Gi")}, "a=50 b=25"},
		{"CPU counts three times as much", fitArgs(`{"type":"LeastAllocated","resources":[{"name":"cpu","weight":3},{"name":"memory","weight":1}]}`),
			NodeResourcesFit, requests("2", "0"), []string{requests("1", "4Gi")}, "a=31 b=62"},
		{"something of which there is none does not count", fitArgs(`{"type":"MostAllocated","resources":[{"name":"cpu"},{"name":"example.com/gpu"}]}`),
			NodeResourcesFit, requests("2", "0"), nil, "a=50 b=50"},
		// A use of 25 % lies half-way between (0, 0) and (50, 10): 50 points. Of 50 %: 100.
		{"a function in points",
			fitArgs(`{"type":"RequestedToCapacityRatio","requestedToCapacityRatio":{"shape":[{"utilization":0,"score":0},{"utilization":50,"score":10},{"utilization":100,"score":0}]}}`),
			NodeResourcesFit, requests("1", "2Gi"), []string{requests("1", "2Gi")}, "a=100 b=50"},
		// CPU 50 % → 100 points, memory 25 % → 50; the mean is 75.
		{"a function, rounded", fitArgs(`{"type":"RequestedToCapacityRatio","requestedToCapacityRatio":{"shape":[{"utilization":0,"score":0},{"utilization":50,"score":10}]}}`),
			NodeResourcesFit, requests("2", "2Gi"), nil, "a=75 b=75"},
		// CPU 25 % → 25 points, memory 50 % → 50; the mean is 37½. With weights of 1 and 2 it is 41⅔, and with CPU at 24 % 41⅓.
		{"a half is rounded up",
			fitArgs(`{"type":"RequestedToCapacityRatio","requestedToCapacityRatio":{"shape":[{"utilization":0,"score":0},{"utilization":100,"score":10}]}}`),
			NodeResourcesFit, requests("1", "4Gi"), nil, "a=38 b=38"},
		{"a third is rounded down", fitArgs(`{"type":"RequestedToCapacityRatio","resources":[{"name":"cpu","weight":1},{"name":"memory","weight":2}],
			"requestedToCapacityRatio":{"shape":[{"utilization":0,"score":0},{"utilization":100,"score":10}]}}`), NodeResourcesFit, requests("960m", "4Gi"), nil,
			"a=41 b=41"},
		{"two thirds are rounded up", fitArgs(`{"type":"RequestedToCapacityRatio","resources":[{"name":"cpu","weight":1},{"name":"memory","weight":2}],
			"requestedToCapacityRatio":{"shape":[{"utilization":0,"score":0},{"utilization":100,"score":10}]}}`), NodeResourcesFit, requests("1", "4Gi"), nil,
			"a=42 b=42"},
		{"a weight", `{"plugins":{"score":{"enabled":[{"name":"NodeResourcesFit","weight":7}]}}}`, NodeResourcesFit, requests("1", "2Gi"), nil, "a=525 b=525"},
		{"a weight for all points", `{"plugins":{"multiPoint":{"enabled":[{"name":"NodeResourcesFit","weight":4}]}}}`, NodeResourcesFit, requests("1", "2Gi"),
			nil, "a=300 b=300"},
		{"not asked", `{"plugins":{"score":{"disabled":[{"name":"NodeResourcesFit"}]}}}`, NodeResourcesFit, requests("1", "2Gi"), nil, "a=- b=-"},
		{"the profile's own preference", `{"pluginConfig":[{"name":"NodeAffinity","args":{"addedAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[
			{"weight":5,"preference":{"matchFields":[{"key":"metadata.name","operator":"In","values":["b"]}]}}]}}}]}`, NodeAffinity, `{}`, nil, "a=0 b=200"},
		// Fractions with the Pod: ½, ½ and ¼ of three resources: twice the deviation is 0.2357; without: all 0.
		{"balance of three", `{"pluginConfig":[{"name":"NodeResourcesBalancedAllocation","args":{"resources":[{"name":"cpu"},{"name":"memory"},{"name":"ephemeral-storage"}]}}]}`,
			NodeResourcesBalancedAllocation, `{"containers":[{"resources":{"requests":{"cpu":"2","memory":"4Gi","ephemeral-storage":"1Gi"}}}]}`, nil,
			"a=69 b=69"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var there []*corev1.Pod
			for _, o := range c.there {
				there = append(there, pod(t, o))
			}
			const big = `{"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110","ephemeral-storage":"4Gi"}}}`
			list := []*framework.NodeInfo{node(t, "a", big, there...), node(t, "b", big)}
			if got := scores(t, configured(profileOf(t, c.profile), list), pod(t, c.pod), list, c.plugin); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestProfilesChangeFilters(t *testing.T) {
	cordoned := `{"spec":{"unschedulable":true}}`
	for _, c := range []struct{ name, profile, node, pod, want string }{
		{"a filter less", `{"plugins":{"filter":{"disabled":[{"name":"NodeUnschedulable"}]}}}`, cordoned, `{}`, "fits"},
		{"a plugin less", `{"plugins":{"multiPoint":{"disabled":[{"name":"NodeUnschedulable"}]}}}`, cordoned, `{}`, "fits"},
		{"a resource that somebody else looks after", `{"pluginConfig":[{"name":"NodeResourcesFit","args":{"ignoredResources":["example.com/gpu"]}}]}`, `{}`,
			`{"containers":[{"resources":{"requests":{"example.com/gpu":"2"}}}]}`, "fits"},
		{"a group of them", `{"pluginConfig":[{"name":"NodeResourcesFit","args":{"ignoredResourceGroups":["example.com"]}}]}`, `{}`,
			`{"containers":[{"resources":{"requests":{"example.com/gpu":"2"}}}]}`, "fits"},
		{"the profile's own affinity",
			`{"pluginConfig":[{"name":"NodeAffinity","args":{"addedAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
			{"matchExpressions":[{"key":"disk","operator":"Exists"}]}]}}}}]}`, `{}`, `{}`,
			"NodeAffinity UnschedulableAndUnresolvable: node(s) didn't match scheduler-enforced node affinity"},
	} {
		n := node(t, "n", c.node)
		if got := verdict(configured(profileOf(t, c.profile), []*framework.NodeInfo{n}), pod(t, c.pod), n); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestDefaultConstraintsOfAProfile(t *testing.T) {
	list := spreadNodes(t, map[string]int{"a1": 1})
	service := &corev1.Service{}
	service.Namespace, service.Name, service.Spec.Selector = "default", "web", map[string]string{"app": "web"}
	p := pod(t, `{}`)
	p.Labels = map[string]string{"app": "web"}
	f := configured(profileOf(t, `{"pluginConfig":[{"name":"PodTopologySpread","args":{"defaultingType":"List","defaultConstraints":[
		{"maxSkew":1,"topologyKey":"topology.kubernetes.io/zone","whenUnsatisfiable":"DoNotSchedule"}]}}]}`), list, service)
	var got []string
	for _, n := range list {
		got = append(got, strings.TrimPrefix(verdict(f, p, n), "PodTopologySpread Unschedulable: "))
	}
	const no = "node(s) didn't match pod topology spread constraints"
	if want := no + "|" + no + "|fits"; strings.Join(got, "|") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	stranger := pod(t, `{}`)
	if v := verdict(f, stranger, list[0]); v != "fits" {
		t.Errorf("a Pod that belongs to nothing: %s", v)
	}
}

func TestProfilesThatMakeNoFramework(t *testing.T) {
	for profile, want := range map[string]string{
		`{"plugins":{"filter":{"enabled":[{"name":"Nonsense"}]}}}`:                                                            `FilterPlugin "Nonsense" does not exist`,
		`{"plugins":{"multiPoint":{"enabled":[{"name":"Nonsense"}]}}}`:                                                        `PreFilterPlugin "Nonsense" does not exist`,
		`{"plugins":{"score":{"enabled":[{"name":"NodeName"}]}}}`:                                                             `plugin "NodeName" does not extend ScorePlugin plugin`,
		`{"plugins":{"score":{"enabled":[{"name":"ImageLocality"},{"name":"ImageLocality"}]}}}`:                               `plugin "ImageLocality" already registered as "ScorePlugin"`,
		`{"plugins":{"bind":{"disabled":[{"name":"*"}]}}}`:                                                                    `at least one bind plugin is needed for profile with scheduler name "default-scheduler"`,
		`{"plugins":{"queueSort":{"disabled":[{"name":"*"}]}}}`:                                                               `only one queue sort plugin required for profile with scheduler name "default-scheduler", but got 0`,
		`{"plugins":{"multiPoint":{"disabled":[{"name":"*"}],"enabled":[{"name":"PrioritySort"},{"name":"DefaultBinder"}]}}}`: ``,
	} {
		complete, err := config.Complete([]config.KubeSchedulerProfile{profileOf(t, profile)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = runtime.NewFramework(NewInTreeRegistry(), complete[0], runtime.Options{
			Snapshot: cache.NewSnapshot(), InformerFactory: informers.NewSharedInformerFactory(client.New(nil), 0)})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", profile, got, want)
		}
	}
}

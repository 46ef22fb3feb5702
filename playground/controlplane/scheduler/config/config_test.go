package config

import (
	"encoding/json"
	"strings"
	"testing"
)

func profiles(t *testing.T, text string) []KubeSchedulerProfile {
	t.Helper()
	var out []KubeSchedulerProfile
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func TestErrors(t *testing.T) {
	args := func(plugin, args string) string {
		return `[{"pluginConfig":[{"name":"` + plugin + `","args":` + args + `}]}]`
	}
	for _, c := range []struct{ name, profiles, want string }{
		{"nothing", `[]`, ""},
		{"one profile needs no name", `[{}]`, ""},
		{"two do", `[{"schedulerName":"a"},{}]`, `profiles[1].schedulerName: Required value`},
		{"names differ", `[{"schedulerName":"a"},{"schedulerName":"a"}]`, `profiles[1].schedulerName: Duplicate value: "profiles[0].schedulerName"`},
		{"percentage", `[{"percentageOfNodesToScore":101}]`, `profiles[0].percentageOfNodesToScore: Invalid value: 101: not in valid range [0-100]`},
		{"two queue sorts", `[{"plugins":{"queueSort":{"enabled":[{"name":"A"},{"name":"B"}]}}}]`,
			`profiles[0].plugins.queueSort.Enabled: Invalid value: 2: only one queue sort plugin can be enabled`},
		{"the same arguments twice", `[{"pluginConfig":[{"name":"NodeAffinity"},{"name":"NodeAffinity"}]}]`,
			`profiles[0].pluginConfig[1]: Duplicate value: "NodeAffinity"`},
		{"a field that is not there", args("InterPodAffinity", `{"hardPodAffinityweight":3}`),
			`decoding .profiles[0].pluginConfig[0]: decoding args for plugin InterPodAffinity: strict decoding error: unknown field "hardPodAffinityweight"`},
		{"weight", args("InterPodAffinity", `{"hardPodAffinityWeight":101}`),
			`profiles[0].pluginConfig[0].args.hardPodAffinityWeight: Invalid value: 101: not in valid range [0, 100]`},
		{"candidates", args("DefaultPreemption", `{"minCandidateNodesPercentage":0,"minCandidateNodesAbsolute":0}`),
			`[profiles[0].pluginConfig[0].args.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute, ` +
				`profiles[0].pluginConfig[0].args.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage]`},
		{"strategy", args("NodeResourcesFit", `{"scoringStrategy":{"type":"Most"}}`),
			`profiles[0].pluginConfig[0].args.scoringStrategy.type: Unsupported value: "Most": ` +
				`supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"`},
		{"a resource's weight", args("NodeResourcesFit", `{"scoringStrategy":{"type":"LeastAllocated","resources":[{"name":"cpu","weight":101}]}}`),
			`profiles[0].pluginConfig[0].args.scoringStrategy.resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]`},
		{"a ratio without a shape", args("NodeResourcesFit", `{"scoringStrategy":{"type":"RequestedToCapacityRatio"}}`),
			`profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio`},
		{"a shape that goes back", args("NodeResourcesFit",
			`{"scoringStrategy":{"type":"RequestedToCapacityRatio","requestedToCapacityRatio":{"shape":[{"utilization":50,"score":0},{"utilization":40,"score":11}]}}}`),
			`[profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 40: values must be sorted in increasing order, ` +
				`profiles[0].pluginConfig[0].args.scoringStrategy.requestedToCapacityRatio.shape[1].score: Invalid value: 11: not in valid range [0, 10]]`},
		{"constraints where the system's are wanted", args("PodTopologySpread",
			`{"defaultConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"}]}`),
			`profiles[0].pluginConfig[0].args.defaultingType: Invalid value: "System": when .defaultConstraints are not empty`},
		{"a constraint's fields", args("PodTopologySpread",
			`{"defaultingType":"List","defaultConstraints":[{"maxSkew":0,"topologyKey":"","whenUnsatisfiable":"","labelSelector":{}}]}`),
			`[profiles[0].pluginConfig[0].args.defaultConstraints[0].maxSkew: Invalid value: 0: not in valid range (0, inf), ` +
				`profiles[0].pluginConfig[0].args.defaultConstraints[0].topologyKey: Required value: can not be empty, ` +
				`profiles[0].pluginConfig[0].args.defaultConstraints[0].whenUnsatisfiable: Required value: can not be empty, ` +
				`profiles[0].pluginConfig[0].args.defaultConstraints[0].labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod]`},
		{"added affinity", args("NodeAffinity",
			`{"addedAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"Exists"}]}]}}}`),
			`[profiles[0].pluginConfig[0].args.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].values: Invalid value: null: must have one element, ` +
				`profiles[0].pluginConfig[0].args.addedAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"]`},
		{"balance", args("NodeResourcesBalancedAllocation", `{"resources":[{"name":"cpu","weight":2},{"name":"cpu"}]}`),
			`[profiles[0].pluginConfig[0].args.resources[0].weight: Invalid value: 2: must be 1, profiles[0].pluginConfig[0].args.resources[1].name: Duplicate value: "cpu"]`},
		{"time", args("VolumeBinding", `{"bindTimeoutSeconds":-1}`),
			`profiles[0].pluginConfig[0].args.bindTimeoutSeconds: Invalid value: -1: invalid BindTimeoutSeconds, should not be a negative value`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if _, err := Complete(profiles(t, c.profiles), nil); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func list(set PluginSet) string {
	var out []string
	for _, p := range set.Enabled {
		out = append(out, p.Name)
	}
	return strings.Join(out, " ")
}

func TestMerging(t *testing.T) {
	complete, err := Complete(profiles(t,
		`[{"plugins":{"multiPoint":{"enabled":[{"name":"Mine"},{"name":"ImageLocality","weight":9}],"disabled":[{"name":"NodeName"}]},
		"score":{"disabled":[{"name":"*"}]}}}]`), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := complete[0].Plugins
	if got := list(p.MultiPoint); strings.Contains(got, "NodeName") || !strings.HasSuffix(got, "ImageLocality DefaultBinder Mine") {
		t.Errorf("plugins: %s", got)
	}
	for _, pl := range p.MultiPoint.Enabled {
		if pl.Name == "ImageLocality" && *pl.Weight != 9 {
			t.Errorf("weight %d", *pl.Weight)
		}
	}
	if len(p.Score.Disabled) != 1 || complete[0].SchedulerName != "default-scheduler" {
		t.Errorf("%+v", complete[0])
	}
	complete, err = Complete(profiles(t, `[{"plugins":{"multiPoint":{"enabled":[{"name":"Mine"}],"disabled":[{"name":"*"}]}}}]`), nil)
	if err != nil || list(complete[0].Plugins.MultiPoint) != "Mine" {
		t.Errorf("%v %v", complete, err)
	}
}

// TestProfilesTravel: what is read from JSON is written the same.
func TestProfilesTravel(t *testing.T) {
	const text = `[{"schedulerName":"a","plugins":{"score":{"enabled":[{"name":"NodeResourcesFit","weight":5}]}},"pluginConfig":[{"name":"NodeResourcesFit","args":{"scoringStrategy":{"type":"MostAllocated"}}}]}]`
	got, err := json.Marshal(profiles(t, text))
	if err != nil || string(got) != text {
		t.Errorf("%s %v", got, err)
	}
}

package cluster_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

const packing = `[{"schedulerName":"default-scheduler","pluginConfig":[{"name":"NodeResourcesFit","args":{"scoringStrategy":{"type":"MostAllocated"}}}],"plugins":{"score":{"disabled":[{"name":"*"}],"enabled":[{"name":"NodeResourcesFit"}]}}}]`

// A scheduler with other profiles puts Pods elsewhere: the default one spreads
// them over both nodes, one that packs fills the first.
func TestReconfigure(t *testing.T) {
	nodes := func(inputs ...cluster.Input) map[string]int {
		config := cluster.DefaultConfig()
		config.Nodes = cluster.NumberedNodes(2)
		c := cluster.New(config, 7)
		defer c.Close()
		inputs = append(inputs, cluster.Input{At: 20 * time.Second, Kind: cluster.Apply, Manifest: []byte(`{"apiVersion":"apps/v1","kind":"ReplicaSet",
			"metadata":{"name":"web"},"spec":{"replicas":6,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
			"spec":{"containers":[{"name":"web","image":"nginx","resources":{"requests":{"cpu":"200m","memory":"100Mi"}}}]}}}}`)})
		for _, in := range inputs {
			if err := c.Schedule(in); err != nil {
				t.Fatal(err)
			}
		}
		c.RunUntil(40 * time.Second)
		count := map[string]int{}
		starts := 0
		rec := c.Trace()
		for i := range rec.Len() {
			e := rec.Event(trace.ID(i + 1))
			if e.Op == trace.ComponentStart && e.Component == cluster.Scheduler {
				starts++
			}
			if e.Op == trace.Log && e.Text("message") == "Successfully bound pod to node" {
				count[e.Text("node")]++
			}
		}
		count["starts"] = starts
		return count
	}
	reconfigure := func(at time.Duration, profiles string) cluster.Input {
		return cluster.Input{At: at, Kind: cluster.Reconfigure, Profiles: json.RawMessage(profiles)}
	}
	if got := nodes(); got["node-1"] != 3 || got["node-2"] != 3 || got["starts"] != 1 {
		t.Errorf("by default: %v", got)
	}
	if got := nodes(reconfigure(15*time.Second, packing)); got["starts"] != 2 || got["node-1"] != 6 && got["node-2"] != 6 {
		t.Errorf("packing: %v", got)
	}
	if got := nodes(reconfigure(14*time.Second, packing), reconfigure(17*time.Second, "[]")); got["node-1"] != 3 || got["node-2"] != 3 || got["starts"] != 3 {
		t.Errorf("and back: %v", got)
	}
	down := cluster.Input{At: 14 * time.Second, Kind: cluster.Stop, Component: cluster.Scheduler}
	if got := nodes(down, reconfigure(15*time.Second, packing)); got["starts"] != 1 || got["node-1"]+got["node-2"] != 0 {
		t.Errorf("one that is down stays so: %v", got)
	}
}

func TestParseProfiles(t *testing.T) {
	for text, want := range map[string]string{
		`[]`:                         "",
		packing:                      "",
		`{}`:                         `profiles are a list: [{"schedulerName": "default-scheduler"}]`,
		`[{"schedulername":"a"}]`:    `profiles[0]: strict decoding error: unknown field "schedulername"`,
		`[{"schedulerName":"a"},{}]`: `profiles[1].schedulerName: Required value`,
		`[{"plugins":{"score":{"enabled":[{"name":"NodeResourcs"}]}}}]`: "NodeResourcs",
	} {
		_, err := cluster.ParseProfiles([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	var syntax *json.SyntaxError
	if _, err := cluster.ParseProfiles([]byte(`[{"a": x}]`)); !errors.As(err, &syntax) || syntax.Offset != 8 {
		t.Errorf("got %v", err)
	}
}

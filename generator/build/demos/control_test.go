package demos

import (
	"strings"
	"testing"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scenario"
)

// TestControlsInWords: what a reader may do is told with all that it is about.
func TestControlsInWords(t *testing.T) {
	for want, c := range map[string]scenario.Control{
		"Type kubectl commands, such as get pods, get rs":     {Kind: cluster.Command, Examples: []string{"get pods", "get rs"}},
		"Have outside send a request to http://shop.example/": {Kind: cluster.Ask, From: "outside", URL: "http://shop.example/"},
		"Delete the oldest web-* (pods)":                      {Kind: cluster.Delete, Resource: "pods", Name: "web-*"},
		"Delete web-1 (pods)":                                 {Kind: cluster.Delete, Resource: "pods", Name: "web-1"},
		"Cut node-1 off from the network":                     {Kind: cluster.Partition, Node: "node-1"},
		"Cut kube-scheduler off from the network":             {Kind: cluster.Partition, Component: "kube-scheduler"},
		"The scheduler's profiles: default, packing": {Kind: cluster.Reconfigure,
			Profiles: []scenario.Profiles{{Name: "default"}, {Name: "packing"}}},
		"Load on web, up to 4000 millicores":           {Kind: cluster.Load, Name: "web", Max: 4000},
		"Make kube-controller-manager fail: no leader": {Kind: cluster.Fail, Component: "kube-controller-manager", Value: "no leader"},
		"Crash kube-scheduler, kubelet/node-1":         {Kind: cluster.Stop, Targets: []string{"kube-scheduler", "kubelet/node-1"}},
		"as the author says, whatever the label's language has": {Kind: cluster.Command,
			Label: map[string]string{"en": "as the author says, whatever the label's language has"}},
	} {
		if got := control(c, Languages{Codes: []string{"en"}}).Label["en"]; got != want {
			t.Errorf("%s: %q, want %q", c.Kind, got, want)
		}
	}
	known := map[string]bool{}
	for _, name := range strings.Fields("name resource targets min max examples profiles node component place value metric url from") {
		known[name] = true
	}
	for _, key := range phrase.Keys("en") {
		if !strings.HasPrefix(key, "control.") {
			continue
		}
		for _, name := range phrase.Names(phrase.Word("en", key)) {
			if !known[name] {
				t.Errorf("%s has {%s}, which nobody fills", key, name)
			}
		}
	}
}

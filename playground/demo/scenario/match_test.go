package scenario

import (
	"encoding/json"
	"testing"

	"kubewalk/playground/trace"
)

func TestMatches(t *testing.T) {
	e := &trace.Event{
		Component: "kubelet/node-1", Op: trace.Log, Object: trace.Ref{Resource: "pods", Namespace: "default", Name: "web-x2k9p"},
		Attrs: trace.Attrs("message", "Too few replicas", "need", 3, "ok", true),
	}
	for _, test := range []struct {
		m    Match
		want bool
	}{
		{Match{}, true},
		{Match{Op: "log"}, true},
		{Match{Op: "store.commit"}, false},
		{Match{Who: "kubelet/node-1"}, true},
		{Match{Who: "kubelet/*"}, true},
		{Match{Who: "kubelet"}, false},
		{Match{Object: "pods default/web-*"}, true},
		{Match{Object: "pods default/web-x2k9p"}, true},
		{Match{Object: "pods default/web-"}, false},
		{Match{Object: "replicasets default/web-*"}, false},
		{Match{Attrs: map[string]string{"message": "Too few*", "need": "3", "ok": "true"}}, true},
		{Match{Attrs: map[string]string{"message": "Too few"}}, false},
		{Match{Attrs: map[string]string{"need": "4"}}, false},
		{Match{Attrs: map[string]string{"absent": "x"}}, false},
		{Match{Attrs: map[string]string{"absent": ""}}, true},
		{Match{Op: "log", Who: "kube-scheduler"}, false},
	} {
		if got := test.m.Matches(e); got != test.want {
			t.Errorf("%q matches: %v, want %v", test.m, got, test.want)
		}
	}
}

func TestMatchInWords(t *testing.T) {
	m := Match{Op: "log", Who: "kubelet/*", Object: "pods default/web-*", Attrs: map[string]string{"z": "1", "a": "2"}}
	if got, want := m.String(), "log pods default/web-* by kubelet/* a=2 z=1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGlob(t *testing.T) {
	for _, test := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true}, {"", "x", true}, {"*", "", true}, {"*", "x", true}, {"a*", "a", true}, {"a*", "ab", true},
		{"a*", "b", false}, {"a", "a", true}, {"a", "ab", false}, {"a*b", "axb", false}, {"a*b", "a*b", true},
		{"*b", "ab", true}, {"*b", "abc", false}, {"*b*", "abc", true}, {"*b*", "b", true}, {"*b*", "ac", false}, {"**", "", true},
	} {
		if got := glob(test.pattern, test.text); got != test.want {
			t.Errorf("glob(%q, %q) = %v", test.pattern, test.text, got)
		}
	}
}

func TestLookup(t *testing.T) {
	var tree any
	if err := json.Unmarshal([]byte(`{
		"metadata": {"labels": {"app.kubernetes.io/name": "web", "app": "x"}, "generation": 3},
		"spec": {"containers": [{"name": "c", "image": "nginx"}], "paused": false, "ratio": 1.5, "empty": null},
		"status": {"conditions": [{"type": "PodScheduled", "status": "True"}, {"type": "Ready", "status": "False"}]}
	}`), &tree); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"metadata.labels.app":                        "x",
		"metadata.labels[app.kubernetes.io/name]":    "web",
		"metadata.labels.app.kubernetes.io/name":     "",
		"metadata.generation":                        "3",
		"spec.paused":                                "false",
		"spec.ratio":                                 "1.5",
		"spec.empty":                                 "",
		"spec.containers.0.image":                    "nginx",
		"spec.containers[0].image":                   "nginx",
		"spec.containers[c].image":                   "nginx",
		"spec.containers.1.image":                    "",
		"spec.containers.-1.image":                   "",
		"spec.containers.0":                          `{"image":"nginx","name":"c"}`,
		"status.conditions[Ready].status":            "False",
		"status.conditions[ContainersReady].status":  "",
		"status.conditions[Ready":                    "",
		"status.conditions[Ready].status.deeper.yet": "",
		"nothing":                   "",
		"nothing.at[all].there":     "",
		"spec.containers[c].image.": "nginx",
		"metadata.labels[app.kubernetes.io/name].more": "",
	} {
		if got := lookup(tree, path); got != want {
			t.Errorf("lookup(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for _, test := range []struct {
		text        string
		holds, fail []int
		shown       string
	}{
		{"3", []int{3}, []int{2, 4}, "3"},
		{"== 3", []int{3}, []int{2, 4}, "3"},
		{" ==3 ", []int{3}, []int{0}, "3"},
		{"<= 3", []int{0, 3}, []int{4}, "<= 3"},
		{">=3", []int{3, 9}, []int{2}, ">= 3"},
		{"< 3", []int{2}, []int{3}, "< 3"},
		{"> 3", []int{4}, []int{3}, "> 3"},
		{"!= 3", []int{2, 4}, []int{3}, "!= 3"},
		{"0", []int{0}, []int{1}, "0"},
	} {
		c, err := parseCount(test.text)
		if err != nil || c.String() != test.shown {
			t.Errorf("count %q: %v, %v", test.text, c, err)
		}
		for _, n := range test.holds {
			if !c.holds(n) {
				t.Errorf("count %q does not hold for %d", test.text, n)
			}
		}
		for _, n := range test.fail {
			if c.holds(n) {
				t.Errorf("count %q holds for %d", test.text, n)
			}
		}
	}
	for text, want := range map[string]string{
		"":                     `count "" is neither a number nor a comparison: write 8, <= 3 or != 0`,
		"three":                `count "three" is neither a number nor a comparison: write 8, <= 3 or != 0`,
		"=> 3":                 `count "=> 3" is neither a number nor a comparison: write 8, <= 3 or != 0`,
		"99999999999999999999": `count "99999999999999999999" is neither a number nor a comparison: write 8, <= 3 or != 0`,
		"-1":                   `count "-1": a number of things is not negative`,
	} {
		if _, err := parseCount(text); err == nil || err.Error() != want {
			t.Errorf("count %q: got %v, want %s", text, err, want)
		}
	}
}

func TestFieldMatches(t *testing.T) {
	for _, test := range []struct {
		want, is string
		holds    bool
	}{
		{"", "", true}, {"", "node-1", false}, {"*", "", true}, {"node-*", "node-1", true}, {"Running", "Running", true},
		{">= 1", "", false}, {"== 0", "", true}, {"< 3", "2", true}, {"< 3", "two", false},
	} {
		if got := fieldMatches(test.want, test.is); got != test.holds {
			t.Errorf("a field that is to be %q and is %q: %v", test.want, test.is, got)
		}
	}
}

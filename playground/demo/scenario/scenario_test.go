package scenario

import (
	"fmt"
	"testing"

	"kubewalk/playground/cluster"
)

// TestInputs is about a reader who takes over.
func TestInputs(t *testing.T) {
	reader := func(at ...float64) (out []cluster.Input) {
		for _, a := range at {
			out = append(out, cluster.Input{At: seconds(a), Kind: cluster.KillNode, Node: "node-1"})
		}
		return out
	}
	for _, test := range []struct {
		name   string
		reader []cluster.Input
		want   string
	}{
		{"nobody does", nil, "[stop kube-scheduler@12s start kube-scheduler@20s]"},
		{"after the script", reader(30), "[stop kube-scheduler@12s start kube-scheduler@20s kill-node node-1@30s]"},
		{"after the demo's end", reader(90), "[stop kube-scheduler@12s start kube-scheduler@20s kill-node node-1@1m30s]"},
		{"in the middle", reader(15), "[stop kube-scheduler@12s kill-node node-1@15s]"},
		{"as a step happens", reader(12), "[stop kube-scheduler@12s kill-node node-1@12s]"},
		{"before the script", reader(1), "[kill-node node-1@1s]"},
		{"again and again", reader(15, 16, 35), "[stop kube-scheduler@12s kill-node node-1@15s kill-node node-1@16s kill-node node-1@35s]"},
		{"in any order", reader(35, 15), "[stop kube-scheduler@12s kill-node node-1@35s kill-node node-1@15s]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, in := range demo().Inputs(test.reader) {
				got = append(got, fmt.Sprintf("%v@%v", in, in.At))
			}
			if fmt.Sprint(got) != test.want {
				t.Errorf("got  %v\nwant %v", got, test.want)
			}
		})
	}
}

// TestProblems is about scenarios that did not come from a file, which is where
// package demofile tests the rest.
func TestProblems(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(s *Scenario)
		want   string
	}{
		{"none", func(*Scenario) {}, ""},
		{"an input that lacks something", func(s *Scenario) { s.Steps[0].Component = "" }, `steps[0]: input "stop": needs a component`},
		{"a step inside the set-up", func(s *Scenario) { s.Steps[0].At = seconds(9) },
			"steps[0].at: step at -1s comes after one at 0s: put the steps in order of time"},
		{"marks count from one", func(s *Scenario) { s.Marks[0].Nth = -1 }, "marks[0].nth: nth counts from 1"},
		{"a claim on an unknown step", func(s *Scenario) { s.Claims[0].After = "tow" }, `claims[0].after: unknown step "tow" (did you mean "two"?)`},
		{"a claim on nothing", func(s *Scenario) { s.Claims[0] = Claim{Within: 1} },
			"claims[0]: a claim is about one of objects, event, events, order, before and output"},
		{"two things at once", func(s *Scenario) { s.Claims[0].Count = "x"; s.Marks[0].ID = "" },
			"claims[0].count: count \"x\" is neither a number nor a comparison: write 8, <= 3 or != 0\nmarks[0]: a mark needs an id"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := demo(running("1", "one", 1, false))
			s.Marks = []Mark{{ID: "m", When: &logged("first")[0]}}
			test.change(s)
			got := ""
			for i, p := range s.Problems() {
				if i > 0 {
					got += "\n"
				}
				got += p.Error()
			}
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

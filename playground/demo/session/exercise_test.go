package session_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/session"
)

// three asks for three Pods that are Ready, for two seconds, without a crash.
func three() scenario.Exercise {
	ready := scenario.Claim{Count: "3", Objects: &scenario.Objects{Resource: "pods", Labels: "app=web",
		Fields: map[string]string{"status.conditions[Ready].status": "True"}}}
	crash := scenario.Claim{Count: ">= 1", Events: &scenario.Match{Op: "component.stop"}}
	many := scenario.Claim{Count: "> 3", Objects: &scenario.Objects{Resource: "pods", Labels: "app=web"}}
	return scenario.Exercise{
		ID: "three", Task: map[string]string{"en": "Three Pods"}, From: "too-few", Offset: 3 * time.Second,
		Goal: []scenario.Part{{Claim: ready}}, Never: []scenario.Part{{Claim: crash}}, Holds: 2 * time.Second,
		Hints:  []scenario.Hint{{When: []scenario.Part{{Claim: many}}, Text: map[string]string{"en": "Too many"}}, {Text: map[string]string{"en": "Scale"}}},
		Answer: []scenario.Step{{Input: scale(time.Second, 3)}},
		Wrong:  [][]scenario.Step{{{Input: scale(time.Second, 5)}}},
	}
}

func controls() []scenario.Control {
	return []scenario.Control{{Kind: cluster.Scale, Resource: "replicasets", Name: "web", Max: 9}}
}

// TestProve: what is wrong with an exercise is found by trying it.
func TestProve(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(x *scenario.Exercise)
		want   string // "" for none
	}{
		{"it is right", func(*scenario.Exercise) {}, ""},
		{"a mark that does not come", func(x *scenario.Exercise) { x.From = "never" },
			`exercises[0].from: mark "never": event "log message=nonsense" did not happen after the end of the setup`},
		{"it begins when the demo is over", func(x *scenario.Exercise) { x.Offset = time.Hour },
			`exercises[0].from: the exercise begins at 1h0m`},
		{"the script does it", func(x *scenario.Exercise) { x.Goal[0].Count = "2" },
			`exercises[0].goal: the author's script reaches the goal by itself, at `},
		{"what was so before it begins", func(x *scenario.Exercise) { // one Pod, which the script makes two
			x.Goal[0].Count, *x.Answer[0].Replicas, x.Hints = "1", 1, x.Hints[1:]
		}, ""},
		{"it does itself", func(x *scenario.Exercise) {
			x.Goal[0].Claim = scenario.Claim{Count: "1", Objects: &scenario.Objects{Resource: "replicasets", Fields: map[string]string{"spec.replicas": "2"}}}
			x.Holds = 10 * time.Second
		}, `exercises[0].goal: the goal is reached at `},
		{"the answer does not do it", func(x *scenario.Exercise) { *x.Answer[0].Replicas = 1 },
			`exercises[0].answer: the answer does not reach the goal within 1m32s of its last step: the number of pods with app=web and status.conditions[Ready].status=True should have been 3, but it is 1`},
		{"the answer goes wrong", func(x *scenario.Exercise) { x.Answer[0].Name = "wbe" },
			`exercises[0].answer[0]: Error from server (NotFound): replicasets.apps "wbe" not found`},
		{"the answer does what must not be", func(x *scenario.Exercise) {
			x.Answer = append([]scenario.Step{{Input: cluster.Input{Kind: cluster.Stop, Component: "kube-scheduler"}}}, x.Answer...)
		}, `exercises[0].answer: the answer does not reach the goal within 1m32s of its last step: what must never be so was so at `},
		{"the answer comes too late", func(x *scenario.Exercise) {
			x.Within = 50 * time.Millisecond
		}, `exercises[0].answer: the answer does not reach the goal within 1m32.05s of its last step: at `},
		{"a wrong answer is right", func(x *scenario.Exercise) { *x.Wrong[0][0].Replicas = 3 },
			`exercises[0].wrong[0]: this answer should be wrong, but it reaches the goal at `},
		{"a hint for nobody", func(x *scenario.Exercise) { x.Wrong = nil; x.Hints[0].When[0].Count = "> 4" },
			`exercises[0].hints[0].when: nobody sees this hint: its condition holds neither in the author's script nor in an answer (add a wrong answer that gets there)`},
		{"a question that the script answers", func(x *scenario.Exercise) {
			*x = question(">= 2")
		}, ""},
		{"a question with the wrong answer", func(x *scenario.Exercise) { *x = question(">= 3") },
			`exercises[0].goal: the author's script does not prove the right option: the number of events "log message=Too few replicas" should have been >= 3, but it is 2`},
		{"a question that an answer proves", func(x *scenario.Exercise) {
			*x = question("2")
			x.Goal = three().Goal
			x.Answer = three().Answer
			x.From, x.Offset = "too-few", 3*time.Second
		}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := small()
			s.Controls = controls()
			s.Marks = append(s.Marks, scenario.Mark{ID: "never", When: &scenario.Match{Op: "log", Attrs: map[string]string{"message": "nonsense"}},
				Caption: map[string]string{"en": "x"}})
			x := three()
			test.change(&x)
			s.Exercises = []scenario.Exercise{x}
			if problems := s.Problems(); len(problems) > 0 {
				t.Fatal(problems)
			}
			result, err := session.Record(s)
			if err != nil {
				t.Fatal(err)
			}
			failures, err := session.Prove(result)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range failures {
				got = append(got, f.Error())
			}
			all := strings.Join(got, "\n")
			if (test.want == "") != (all == "") || !strings.Contains(all, test.want) {
				t.Errorf("got\n%s\nwant\n%s", all, test.want)
			}
		})
	}
}

func question(count string) scenario.Exercise {
	return scenario.Exercise{
		ID: "often", Task: map[string]string{"en": "How often?"},
		Predict: []scenario.Option{{Text: map[string]string{"en": "twice"}, Right: true}, {Text: map[string]string{"en": "never"}}},
		Goal: []scenario.Part{{Claim: scenario.Claim{Count: count,
			Events: &scenario.Match{Op: "log", Attrs: map[string]string{"message": "Too few replicas"}}}}},
	}
}

// TestExerciseOverTheBridge: what a page is told is the same whether the run
// came in one piece or in many, and however often it was asked.
func TestExerciseOverTheBridge(t *testing.T) {
	s := small()
	s.Controls, s.Exercises = controls(), []scenario.Exercise{three()}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	play := func(step time.Duration, inputs ...cluster.Input) (p scenario.Progress) {
		t.Helper()
		given, _ := json.Marshal(inputs)
		var b session.Bridge
		call := func(name, argument string, to any) {
			t.Helper()
			answer := b.Call(name, []byte(argument))
			if strings.HasPrefix(string(answer), `{"error"`) {
				t.Fatalf("%s: %s", name, answer)
			}
			if to != nil {
				if err := json.Unmarshal(answer, to); err != nil {
					t.Fatal(err)
				}
			}
		}
		call("open", fmt.Sprintf(`{"world": 3, "scenario": %s, "inputs": %s, "layout": "wide"}`, text, given), nil)
		for at := time.Duration(0); at < 40*time.Second; {
			at += step
			call("run", fmt.Sprintf(`{"world": 3, "until": %d}`, at.Microseconds()), nil)
			call("exercise", `{"world": 3, "id": "three"}`, &p)
		}
		if answer := string(b.Call("exercise", []byte(`{"world": 3, "id": "four"}`))); answer != `{"error":"exercise: demo \"demo\" has no exercise \"four\""}` {
			t.Error(answer)
		}
		return p
	}
	at := 13 * time.Second
	whole, pieces := play(40*time.Second, scale(at, 3)), play(130*time.Millisecond, scale(at, 3))
	pieces.Until = whole.Until
	if a, b := fmt.Sprintf("%+v", tell(whole)), fmt.Sprintf("%+v", tell(pieces)); a != b {
		t.Errorf("in one piece\n%s\nin many\n%s", a, b)
	}
	if whole.Since != at.Microseconds() || whole.Solved == nil || len(whole.Changes) < 2 {
		t.Fatalf("not solved: %s", tell(whole))
	}
	last := whole.Changes[len(whole.Changes)-1]
	if !last.Goal[0] || last.Hints[0] || !last.Hints[1] || whole.Solved.At != last.At+2_000_000 || whole.Solved.Event != last.Event {
		t.Errorf("it is told as %s", tell(whole))
	}
	if nobody := play(40 * time.Second); nobody.Since != -1 || len(nobody.Changes) != 0 || nobody.Solved != nil {
		t.Errorf("without a reader: %s", tell(nobody))
	}
	stop := cluster.Input{At: 14 * time.Second, Kind: cluster.Stop, Component: "kube-scheduler"}
	if spoilt := play(time.Second, stop, scale(15*time.Second, 3)); spoilt.Spoilt == nil || spoilt.Spoilt.At != stop.At.Microseconds() || spoilt.Solved != nil {
		t.Errorf("after a crash: %s", tell(spoilt))
	}
}

func tell(p scenario.Progress) string {
	text, _ := json.Marshal(p)
	return string(text)
}

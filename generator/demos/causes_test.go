package demos

import (
	"os"
	"path/filepath"
	"testing"

	"kubewalk/playground/demofile"
	"kubewalk/playground/phrase"
	"kubewalk/playground/session"
	"kubewalk/playground/trace"
)

// TestCausesLeadOutside: in every demo, whoever asks of any event why it
// happened, and of that again, comes to what was done from outside, or to a
// component that came up.
func TestCausesLeadOutside(t *testing.T) {
	files, err := filepath.Glob("../../content/demos/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no demos: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(file[:len(file)-len(".yaml")])
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f, problems := demofile.Parse(name, file, text, phrase.Languages())
			if len(problems) > 0 {
				t.Fatal(problems)
			}
			result, err := session.Record(f.Scenario, layouts...)
			if err != nil {
				t.Fatal(err)
			}
			rec := result.Session.Cluster().Trace()
			inputs := 0
			for i := range rec.Events(1) {
				e := rec.Event(trace.ID(i + 1))
				if e.Cause >= e.ID {
					t.Fatalf("event %d is caused by event %d, which is later", e.ID, e.Cause)
				}
				if e.Cause != 0 {
					continue
				}
				switch e.Op {
				case trace.Input:
					inputs++
				case trace.ComponentStart:
				default:
					t.Errorf("nothing led to event %d, %s of %s (cure: hand the cause over, with Kernel.Because or Proc.Due)", e.ID, e.Op, e.Component)
				}
			}
			if inputs == 0 {
				t.Error("it has no input")
			}
		})
	}
}

package recording

import (
	"reflect"
	"testing"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/trace"
)

func TestStoryboard(t *testing.T) {
	rec := rehearse(9, 300)
	marks := []Mark{{ID: "a", Frame: 120}, {ID: "b", Frame: 120}, {ID: "c", Frame: 299}}
	stills := Storyboard(rec.Recorder, clusterIn(scene.Narrow), 50, marks)
	if len(stills) != len(marks) {
		t.Fatalf("%d stills for %d marks", len(stills), len(marks))
	}
	for i, s := range stills {
		if want := scene.At(rec.Recorder, trace.ID(marks[i].Frame+1), clusterIn(scene.Narrow)); !reflect.DeepEqual(s.Scene, want) {
			t.Errorf("still %q of seed 9 is not the scene at its frame", s.Mark.ID)
		}
		for _, say := range s.Says {
			if say.Frame < 50 || say.Frame > marks[i].Frame {
				t.Errorf("still %q tells frame %d, outside of its part", s.Mark.ID, say.Frame)
			}
			for _, lang := range phrase.Languages() {
				if got := say.In(lang); got == "" || got == say.Phrase {
					t.Errorf("frame %d says nothing in %s: %q", say.Frame, lang, got)
				}
			}
		}
	}
	if len(stills[0].Says) == 0 || len(stills[1].Says) != 0 || len(stills[2].Says) == 0 {
		t.Errorf("the stills tell %d, %d and %d events", len(stills[0].Says), len(stills[1].Says), len(stills[2].Says))
	}
}

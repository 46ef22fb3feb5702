package session_test

import (
	"slices"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/scene"
)

// What a reader does turns the picture to what it is about, also after a moment of the author's that has turned it to a request.
func TestWhatAReaderDoesTurnsThePicture(t *testing.T) {
	s := small()
	s.Cluster.Network = true
	s.Marks = []scenario.Mark{{ID: "asked", After: "apply", When: &scenario.Match{Op: "log", Attrs: map[string]string{"message": "Too few replicas"}},
		Focus: scene.FocusNetwork, Caption: map[string]string{"en": "Asked"}}}
	at := func(seconds int) time.Duration { return time.Duration(seconds) * time.Second }
	get := cluster.Input{At: at(11), Kind: cluster.Kubectl, Args: []string{"get", "pods"}}
	ask := cluster.Input{At: at(13), Kind: cluster.Ask, URL: "http://10.0.0.10"}
	ses := open(t, s, get, scale(at(12), 3), ask, scale(at(14), 2))
	ses.Run(at(15))
	shown := map[string]bool{} // whether it is the request that is shown, by the shape that only that view has
	var got []bool
	for _, f := range ses.Frames(scene.Wide, 1) {
		for _, id := range f.Gone {
			delete(shown, id)
		}
		for _, shape := range f.Set {
			shown[shape.ID] = true
		}
		if is := shown["slice"]; len(got) == 0 || got[len(got)-1] != is {
			got = append(got, is)
		}
	}
	if want := []bool{false, true, false, true, false}; !slices.Equal(got, want) {
		t.Errorf("the request is shown: %v, want %v", got, want)
	}
}

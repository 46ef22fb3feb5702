package scene

import (
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/api"
	"kubewalk/playground/api/appsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/trace"
)

// widthsOf shares the band of the wide picture out among objects.
func widthsOf(keys ...string) []int {
	v := clusterView{surroundings: surroundings{Stage: &Stage{workloads: map[string]workload{}}}}
	return v.cardWidths(keys, 174, 10, 542)
}

func TestObjectsAreAsWideAsTheirNamesNeed(t *testing.T) {
	if got := widthsOf("deployments default/web", "services default/web", "replicasets default/web-5f6"); !slices.Equal(got, []int{174, 174, 174}) {
		t.Errorf("short names: %v; want three alike", got)
	}
	for _, keys := range [][]string{
		{"apiservices v1.clock.example.com", "replicasets clock/clock", "services clock/clock"},
		{"deployments default/web", "replicasets default/web-64464b798d", "replicasets default/web-c78bb5445"},
		{"apiservices v1.clock.example.com"},
	} {
		total := -10
		for i, w := range widthsOf(keys...) {
			total += w + 10
			_, name, _ := strings.Cut(keys[i], " ")
			if need := cardWidth(bareName(name), ""); w < need || w < leastCard {
				t.Errorf("%s has a width of %d; its name needs %d", keys[i], w, need)
			}
		}
		if total > 542 {
			t.Errorf("%v take %d; there is room for 542", keys, total)
		}
	}
	if got := widthsOf("replicasets default/a-very-long-name-indeed-64464b798d", "replicasets default/a-very-long-name-indeed-c78bb5445",
		"deployments default/a-very-long-name-indeed"); !slices.Equal(got, []int{174, 174, 174}) {
		t.Errorf("names for which there is no room: %v; want three alike", got)
	}
}

// A volume's name is long and random: its end is all that is shown, and of that nothing is cut.
func TestNoNameIsCut(t *testing.T) {
	keys := []string{"persistentvolumeclaims default/data", "persistentvolumes pvc-e3263d56-1ad2-4d23-96a8-6d7bb411da77", "pods default/diary"}
	v := surroundings{Stage: &Stage{workloads: map[string]workload{}}}
	for i, w := range append(widthsOf(keys...), 174, 124) {
		key := keys[min(i, 2)]
		if i > 2 {
			key = keys[1]
		}
		v.drawObjectPanel(func(s Shape) {
			if s.Role != RoleWorkload {
				return
			}
			if strings.Contains(s.Title, "…") || s.Title == "" && w != 124 {
				t.Errorf("%s in a width of %d is called %q", key, w, s.Title)
			}
			if need := cardWidth(s.Title, s.Detail); need > w && s.Detail != "" {
				t.Errorf("%q %q needs %d of %d", s.Title, s.Detail, need, w)
			}
		}, key, workload{}, rect{0, 0, w, 66})
	}
}

// In a line of which others have most of the width, what was generated tells names from each other, and else their beginnings do.
func TestNamesInLinesAreToldApart(t *testing.T) {
	v := surroundings{Stage: &Stage{workloads: map[string]workload{}}}
	for key, want := range map[string]string{
		"deployments default/disk-controller":            "disk-cont…: 1/1",
		"deployments default/snapshot-controller":        "snapshot…: 1/1",
		"daemonsets default/disk-node":                   "disk-node: 1/1",
		"replicasets default/disk-controller-85d746cf8d": "85d746cf8d: 1/1",
		"replicasets default/disk-controller-bpqskw":     "bpqskw: 1/1",
	} {
		v.drawObjectLine(func(s Shape) {
			if s.Title != want {
				t.Errorf("%s is called %q; want %q", key, s.Title, want)
			}
		}, key, replicas(1, 1, 1, true), rect{0, 0, 132, 24})
	}
}

// On a telephone eight objects have room, and only what has none is counted.
func TestAsManyObjectsAsFit(t *testing.T) {
	for n, want := range map[int]int{3: 3, 4: 4, 8: 8, 9: 7} {
		s := NewStage(Options{Layout: Narrow, Insides: DefaultInsides})
		for i := range n {
			name := "web-" + string(rune('a'+i))
			s.Apply(&trace.Event{Op: trace.StoreCommit, Deltas: []trace.Delta{object("replicasets", "default/"+name,
				&appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}})}})
		}
		drawn := 0
		for _, shape := range shapes(s) {
			if shape.Role == RoleWorkload {
				drawn++
			}
		}
		more, isMore := shapes(s)["objects/more"]
		if drawn != want || isMore != (n > want) || isMore && more.Args != number(n-want) {
			t.Errorf("of %d objects %d are drawn, and %q more", n, drawn, more.Args)
		}
	}
}

// Of the keys in a queue the first has a name, however narrow the place is.
func TestOneKeyOfAQueueHasAName(t *testing.T) {
	for _, c := range []struct {
		key, state string
		room, more int
		want       []string
	}{
		{"default/web", "queued", 150, 0, []string{"default/web"}},
		{"default/second", "delayed", 82, 0, []string{"◷second"}},
		{"teams.sh EnableKubernetesBindings #1", "queued", 150, 0, []string{"teams.sh #1"}},
		{"teams.sh EnableKubernetesBindings #1", "queued", 82, 0, []string{"teams"}},
		{"default/web", "queued", 90, 2, []string{"web", "+2"}},
		{"6d7bb411dabc", "queued", 70, 0, []string{"+1"}},
		{"Pod default/web-dbf7d5584-pv85m 6f96", "dirty", 70, 0, []string{"pv85m"}},
		{"v1.discovery.k8s.io", "queued", 120, 0, []string{"v1.discovery"}},
		{"default/web", "queued", 12, 0, []string{"+1"}},
	} {
		keys := []Shape{{ID: "a", Title: c.key, State: c.state}}
		for range c.more {
			keys = append(keys, Shape{ID: "b", Title: "default/other", State: "queued"})
		}
		var got []string
		fillSet(func(s Shape) {
			got = append(got, s.Title)
			if s.Role != RoleLabel && s.X+s.W > c.room {
				t.Errorf("%s reaches to %d of %d", s.Title, s.X+s.W, c.room)
			}
		}, "set", rect{0, 0, c.room, 26}, keys, keyNames)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, %s, in a room of %d: %q; want %q", c.key, c.state, c.room, got, c.want)
		}
	}
}

func TestSnapshotSaysWhetherItIsReady(t *testing.T) {
	s := &api.Unstructured{TypeMeta: metav1.TypeMeta{APIVersion: "snapshot.storage.k8s.io/v1", Kind: "VolumeSnapshot"}, Fields: map[string]any{}}
	for _, now := range []struct {
		status map[string]any
		state  string
		says   string
	}{
		{nil, "changing", "readyToUse false"},
		{map[string]any{"boundVolumeSnapshotContentName": "snapcontent-1", "readyToUse": false}, "changing", "readyToUse false"},
		{map[string]any{"readyToUse": true}, "settled", "readyToUse true"},
	} {
		if s.Fields["status"] = now.status; now.status == nil {
			delete(s.Fields, "status")
		}
		if w, ok := describe(s); !ok || w.state != now.state || w.details[0].text != now.says || w.kind != "VolumeSnapshot" {
			t.Errorf("with status %v: %+v", now.status, w)
		}
	}
}

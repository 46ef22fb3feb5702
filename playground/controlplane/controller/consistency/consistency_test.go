package consistency

import (
	"testing"
	"time"

	"kubewalk/playground/api"
	"kubewalk/playground/api/types"
	"kubewalk/playground/sim"
	"kubewalk/playground/trace"
)

type cacheAt string

func (c *cacheAt) LastStoreSyncResourceVersion() string { return string(*c) }

func TestEnsureReady(t *testing.T) {
	podsGR, rsGR := api.GroupResource{Resource: "pods"}, api.GroupResource{Group: "apps", Resource: "replicasets"}
	web := types.NamespacedName{Namespace: "default", Name: "web"}
	for _, c := range []struct {
		name     string
		pods, rs cacheAt
		do       func(s *Store)
		err      string
	}{
		{"nothing was written", "1", "1", func(*Store) {}, ""},
		{"as new as the write", "10", "9", func(s *Store) { s.WroteAt(web, "u", podsGR, "10") }, ""},
		{"older than the write", "9", "9", func(s *Store) { s.WroteAt(web, "u", podsGR, "10") },
			"read version: 9 is not as new as written version: 10 for group resource pods"},
		{"compared as numbers", "9", "1", func(s *Store) { s.WroteAt(web, "u", podsGR, "8") }, ""},
		{"an older write changes nothing", "9", "9", func(s *Store) { s.WroteAt(web, "u", podsGR, "10"); s.WroteAt(web, "u", podsGR, "3") },
			"read version: 9 is not as new as written version: 10 for group resource pods"},
		{"each resource has its cache", "50", "9", func(s *Store) { s.WroteAt(web, "u", rsGR, "20"); s.WroteAt(web, "u", podsGR, "40") },
			"read version: 9 is not as new as written version: 20 for group resource replicasets.apps"},
		{"a resource without a cache blocks nothing", "1", "1", func(s *Store) { s.WroteAt(web, "u", api.GroupResource{Resource: "nodes"}, "9") }, ""},
		{"a cache without a version blocks nothing", "", "1", func(s *Store) { s.WroteAt(web, "u", podsGR, "9") }, ""},
		{"cleared", "1", "1", func(s *Store) { s.WroteAt(web, "u", podsGR, "9"); s.Clear(web, "u") }, ""},
		{"cleared for somebody else", "1", "1", func(s *Store) { s.WroteAt(web, "u", podsGR, "9"); s.Clear(web, "v") },
			"read version: 1 is not as new as written version: 9 for group resource pods"},
		{"another object of the name starts clean", "1", "1", func(s *Store) { s.WroteAt(web, "u", podsGR, "9"); s.WroteAt(web, "v", podsGR, "1") }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewConsistencyStore(sim.New(1, time.Time{}, trace.NewRecorder(trace.Off)).Start("test"),
				map[api.GroupResource]LastSyncRVGetter{podsGR: &c.pods, rsGR: &c.rs})
			c.do(s)
			got := ""
			if err := s.EnsureReady(web); err != nil {
				got = err.Error()
			}
			if got != c.err {
				t.Errorf("got %q, want %q", got, c.err)
			}
		})
	}
}

package httpapi

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// A watch begins with as many objects as there are, although its client takes its time.
func TestWatchOfManyObjects(t *testing.T) {
	const many = 9000
	config := cluster.DefaultConfig()
	config.Trace, config.Nodes, config.HollowNodes = trace.Off, nil, &cluster.HollowNodes{Count: 90}
	config.Preload = &cluster.Preload{Deployments: 3, Replicas: many / 3}
	s, err := Start(Options{Config: config, Seed: 1, Speed: 1, Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := http.NewRequest("GET", s.URL()+"/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.credentials.token)
	answer, err := s.client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	time.Sleep(2 * time.Second)
	n, in := 0, bufio.NewScanner(answer.Body)
	for in.Scan() && !strings.HasPrefix(in.Text(), `{"type":"BOOKMARK"`) {
		n++
	}
	if n < many {
		t.Errorf("the watch begins with %d objects, want %d", n, many)
	}
}

// What waits for all slow clients together is bounded: those for whom most waits lose their watches.
func TestBacklogs(t *testing.T) {
	all := backlogs{open: map[*backlog]bool{}}
	cut := map[*backlog]bool{}
	opened := func() *backlog {
		b := &backlog{all: &all.held, more: make(chan struct{}, 1)}
		b.cut = func() {
			cut[b] = true
			delete(all.open, b)
			b.end(true)
		}
		all.open[b] = true
		return b
	}
	line := make([]byte, 1<<20)
	first, others := opened(), []*backlog{opened(), opened(), opened(), opened(), opened()}
	for range maxHeld/len(line) + 1 {
		all.add(first, line)
	}
	if !cut[first] || all.held.Load() != 0 {
		t.Errorf("a watch for which too much waits: ended %v, and %d bytes wait", cut[first], all.held.Load())
	}
	for range maxHeld/len(line) - 1 {
		for _, b := range others {
			all.add(b, line)
		}
	}
	if n := all.held.Load(); len(cut) != 2 || n > maxHeldByAll {
		t.Errorf("%d watches ended, want 2; %d bytes wait", len(cut), n)
	}
	quick := opened()
	all.add(quick, line)
	if text, last := quick.next(0); len(text) != len(line) || last || cut[quick] {
		t.Errorf("a watch for which nothing waits: %d bytes, the last %v, ended %v", len(text), last, cut[quick])
	}
	before := all.held.Load()
	if text, last := quick.next(len(line)); text != nil || last || before-all.held.Load() != int64(len(line)) {
		t.Errorf("after it is written: %d bytes, the last %v, and %d fewer wait", len(text), last, before-all.held.Load())
	}
}

package httpapi

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"kubewalk/playground/cluster"
	"kubewalk/playground/controlplane/requestinfo"
	"kubewalk/playground/trace"
)

// A key that comes when the command has ended, of which the client has not heard yet, is no input of the run.
func TestTypedAfterTheEnd(t *testing.T) {
	config := cluster.DefaultConfig()
	config.Trace, config.Nodes, config.Network = trace.Off, cluster.NumberedNodes(1), true
	var mu sync.Mutex
	var typed []string
	s, err := Start(Options{Config: config, Seed: 1, Speed: 20, Listen: "127.0.0.1:0", Record: func(_ int, o cluster.Outcome) {
		mu.Lock()
		defer mu.Unlock()
		if o.Input.Kind == cluster.Type {
			typed = append(typed, o.Input.Value)
			if o.Error != "" {
				t.Errorf("%q: %s", o.Input.Value, o.Error)
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Ready(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.pod(t, "box", "sleep 1000000")
	const path, query = "/api/v1/namespaces/default/pods/box/exec", "command=sh&stdin=true&stdout=true&tty=true"
	r, err := http.NewRequest(http.MethodPost, s.URL()+path+"?"+query, nil)
	if err != nil {
		t.Fatal(err)
	}
	request, err := requestinfo.Parse(r.Method, path, r.URL.Query())
	if err != nil {
		t.Fatal(err)
	}
	o := &conversation{opened: make(chan struct{}), more: make(chan struct{}, 1)}
	typing, leave, err := s.loop.open(request, cluster.Input{Kind: cluster.APIRequest, Method: r.Method, URL: path + "?" + query}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	<-o.opened
	typing("exit")
	for end := time.Now().Add(20 * time.Second); !o.isOver(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the shell does not end")
		}
	}
	typing(ctrlD)
	s.loop.do(func(*cluster.Cluster) {})
	mu.Lock()
	defer mu.Unlock()
	if len(typed) == 0 || typed[len(typed)-1] != "exit" {
		t.Errorf("the inputs %q, want exit as the last", typed)
	}
}

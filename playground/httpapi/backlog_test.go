package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"kubewalk/playground/cluster"
)

// Nobody waits for a client that does not read: its watch ends.
func TestSlowClient(t *testing.T) {
	s := started(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.URL()+"/api/v1/namespaces/default/configmaps?watch=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.credentials.token)
	answer, err := s.client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close() // which nobody reads
	big := strings.Repeat("x", 500_000)
	for i := 0; s.watches.Load() > 0; i++ {
		if i > 2*mostWaiting/len(big) {
			t.Fatal("the watch is open after twice as much as may wait")
		}
		for range 20 { // many at once: they are all on their way
			s.loop.do(func(c *cluster.Cluster) {})
		}
		body := fmt.Sprintf(`{"metadata":{"name":"big"},"data":{"n":"%d","x":%q}}`, i, big)
		method, path := "PUT", "/api/v1/namespaces/default/configmaps/big"
		if i == 0 {
			method, path = "POST", "/api/v1/namespaces/default/configmaps"
		}
		if code, text, _ := s.ask(t, method, path, body); code/100 != 2 {
			t.Fatalf("%d %.300s", code, text)
		}
	}
}

// What waits for all clients that do not read is bounded, and costs neither those that do nor a watch that begins with many objects.
func TestBacklogs(t *testing.T) {
	s := started(t)
	s.backlogs.all = 48 << 20
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	open := func(query string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, "GET", s.URL()+"/api/v1/namespaces/default/configmaps?watch=1"+query, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+s.credentials.token)
		c := s.client()
		c.Transport.(*http.Transport).DisableKeepAlives = true // a connection for each
		answer, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	const many, objects, events = 40, 1500, 12
	for range many {
		open("") // which nobody reads
	}
	put := func(i int, x string) {
		if code, text, _ := s.ask(t, "POST", "/api/v1/namespaces/default/configmaps", fmt.Sprintf(`{"metadata":{"name":"c%d"},"data":{"x":%q}}`, i, x)); code != 201 {
			t.Fatalf("%d %.300s", code, text)
		}
	}
	reader, read := bufio.NewReaderSize(open("").Body, 1<<20), 0
	most := 0
	for i := range events {
		put(i, strings.Repeat("x", 900_000))
		for ; read <= i; read++ {
			if _, err := reader.ReadString('\n'); err != nil {
				t.Fatalf("who reads gets no event %d: %v", i, err)
			}
		}
		s.backlogs.mu.Lock()
		most = max(most, s.backlogs.bytes)
		s.backlogs.mu.Unlock()
	}
	if most > 48<<20 || most < 40<<20 {
		t.Errorf("%d bytes wait", most)
	}
	for deadline := time.Now().Add(30 * time.Second); s.watches.Load() > 30; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d watches are open: those that do not read hold more than may wait", s.watches.Load())
		}
	}
	for i := range objects {
		put(events+i, "")
	}
	begun := bufio.NewScanner(open("&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true").Body)
	begun.Buffer(nil, 2<<20)
	for i := range objects + events + 1 + 1 { // and kube-root-ca.crt, and the bookmark
		if !begun.Scan() {
			t.Fatalf("the watch ends after %d of %d objects: %v", i, objects+events+1, begun.Err())
		}
	}
	if !strings.Contains(begun.Text(), `"k8s.io/initial-events-end":"true"`) {
		t.Errorf("after all objects comes %.300s", begun.Text())
	}
}

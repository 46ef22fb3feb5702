package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"kubewalk/playground/cluster"
	"kubewalk/playground/trace"
)

// benchmarked is a server whose clock runs a thousand times as fast, so that what is measured is the port, not the network in front
// of the API server, which takes milliseconds of the cluster's time.
func benchmarked(b *testing.B) (*Server, *http.Client) {
	config := cluster.DefaultConfig()
	config.Trace, config.Nodes, config.Controllers = trace.Off, nil, []string{"-*"}
	s, err := Start(Options{Config: config, Seed: 1, Speed: MaxSpeed, Listen: "127.0.0.1:0"})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	if err := s.Ready(context.Background()); err != nil {
		b.Fatal(err)
	}
	return s, s.client()
}

// open sends a request and gives its answer, which is a good one.
func (s *Server) open(b *testing.B, c *http.Client, method, path, body string) *http.Response {
	r, err := http.NewRequest(method, s.URL()+path, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.credentials.token)
	answer, err := c.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	if answer.StatusCode/100 != 2 {
		b.Fatalf("%s %s: %s", method, path, answer.Status)
	}
	return answer
}

func (s *Server) drain(b *testing.B, c *http.Client, method, path, body string) {
	answer := s.open(b, c, method, path, body)
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		b.Fatal(err)
	}
}

func configMapOf(name string) string {
	return fmt.Sprintf(`{"metadata":{"name":%q},"data":{"a":"b"}}`, name)
}

// BenchmarkRequests is one client's requests, one after the other; 1/time is requests a second.
func BenchmarkRequests(b *testing.B) {
	const path = "/api/v1/namespaces/default/configmaps"
	s, c := benchmarked(b)
	s.drain(b, c, "POST", path, configMapOf("one"))
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			s.drain(b, c, "GET", path+"/one", "")
		}
	})
	n := 0
	b.Run("create", func(b *testing.B) {
		for b.Loop() {
			n++
			s.drain(b, c, "POST", path, configMapOf(fmt.Sprintf("c%d", n)))
		}
	})
}

// BenchmarkList is a list of 10,000 objects, whole and as a table.
func BenchmarkList(b *testing.B) {
	const path = "/api/v1/namespaces/default/configmaps"
	s, c := benchmarked(b)
	for i := range 10_000 {
		s.drain(b, c, "POST", path, configMapOf(fmt.Sprintf("c%d", i)))
	}
	b.Run("whole", func(b *testing.B) {
		for b.Loop() {
			s.drain(b, c, "GET", path, "")
		}
	})
	b.Run("page", func(b *testing.B) {
		for b.Loop() {
			s.drain(b, c, "GET", path+"?limit=500", "")
		}
	})
}

// BenchmarkWatches is from a write until 1,000 watches, or one, have its event.
func BenchmarkWatches(b *testing.B) {
	const path = "/api/v1/namespaces/default/configmaps"
	for _, watches := range []int{1, 1000} {
		b.Run(fmt.Sprint(watches), func(b *testing.B) {
			s, c := benchmarked(b)
			c.Timeout = 0
			events := make(chan struct{}, watches)
			for range watches {
				answer := s.open(b, c, "GET", path+"?watch=1&timeoutSeconds=1000000", "") // by itself it would end within a second of this clock
				defer answer.Body.Close()
				go func() {
					for in := bufio.NewScanner(answer.Body); in.Scan(); {
						events <- struct{}{}
					}
				}()
			}
			n := 0
			for b.Loop() {
				n++
				s.drain(b, c, "POST", path, configMapOf(fmt.Sprintf("c%d", n)))
				for range watches {
					<-events
				}
			}
		})
	}
}

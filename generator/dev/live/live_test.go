package live

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"kubewalk/generator/dev/server"
	"kubewalk/playground/cluster"
)

func input(at time.Duration, body string) cluster.Outcome {
	return cluster.Outcome{Input: cluster.Input{At: at, Kind: cluster.APIRequest, Method: "POST", URL: "/api/v1/namespaces/default/configmaps", Body: body}}
}

// stream is what a page reads.
type stream struct {
	*testing.T
	lines *bufio.Scanner
	close context.CancelFunc
}

func open(t *testing.T, address string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%s: %d, %s", address, answer.StatusCode, answer.Header.Get("Content-Type"))
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 2*mostAtOnce+8<<20)
	return &stream{t, lines, cancel}
}

// next is the next message, and its number.
func (s *stream) next() (id string, m told) {
	s.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		if text, ok := strings.CutPrefix(line, "id: "); ok {
			id = text
		}
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(text), &m); err != nil {
				s.Fatal(err)
			}
			return id, m
		}
	}
	s.Fatal("the stream ended: ", s.lines.Err())
	return "", m
}

func TestPagesAreToldWhatIsDone(t *testing.T) {
	s := New()
	served := httptest.NewServer(s.Handler(server.New(), "session"))
	t.Cleanup(served.Close) // after the streams
	s.Record(0, input(time.Second, "a"))
	s.Pass(2 * time.Second)
	first := open(t, served.URL+Path)
	id, m := first.next()
	if len(m.Inputs) != 1 || m.Now != 2_000_000 || !strings.Contains(string(m.Inputs[0]), `"at":1000000000`) {
		t.Errorf("first %s: %s", id, m.Inputs)
	}
	s.Record(0, cluster.Outcome{Input: input(time.Second, "a").Input, Done: true}) // it is done
	s.Record(1, input(2*time.Second+time.Microsecond, "b"))
	if _, m = first.next(); len(m.Inputs) != 1 || !strings.Contains(string(m.Inputs[0]), `"body":"b"`) {
		t.Errorf("then: %s", m.Inputs)
	}
	first.close()
	s.Record(2, input(3*time.Second, "c"))
	s.Pass(4 * time.Second)

	back := open(t, served.URL+Path, "Last-Event-ID", id) // it has the first
	if _, m = back.next(); len(m.Inputs) != 2 || m.Now != 4_000_000 {
		t.Errorf("back: %s, %d", m.Inputs, m.Now)
	}
	asked := open(t, served.URL+Path+"?after="+id)
	if _, m = asked.next(); len(m.Inputs) != 2 {
		t.Errorf("asked: %s", m.Inputs)
	}
	for _, wrong := range []string{"other.1", "x", s.name + ".9", s.name + ".-1"} {
		if _, m = open(t, served.URL+Path+"?after="+wrong).next(); !m.Other || len(m.Inputs) > 0 {
			t.Errorf("%s: %v", wrong, m)
		}
	}
	s.End()
	if _, m = back.next(); m.Ended != closed {
		t.Errorf("at the end: %v", m)
	}
	if _, m = open(t, served.URL+Path).next(); len(m.Inputs) != 3 || m.Ended != closed {
		t.Errorf("after the end: %v", m)
	}
}

// A page may run up to now only when it has all that was done by then.
func TestALongSessionComesInPieces(t *testing.T) {
	s := New()
	body := strings.Repeat("x", mostAtOnce/2)
	for n := range 5 {
		s.Record(n, input(time.Duration(n)*time.Second, body))
	}
	s.Pass(10 * time.Second)
	served := httptest.NewServer(s.Handler(server.New(), "session"))
	t.Cleanup(served.Close) // after the streams
	page := open(t, served.URL+Path)
	for has := 0; has < 5; {
		_, m := page.next()
		if has += len(m.Inputs); (m.Now > 0) != (has == 5) || len(m.Inputs) > 2 {
			t.Errorf("%d inputs, %d by then, up to %d", len(m.Inputs), has, m.Now)
		}
	}
}

func TestASessionThatBecomesTooLong(t *testing.T) {
	s := New()
	body := strings.Repeat("x", 3<<20)
	for n := range 2 * mostBytes / (3 << 20) {
		s.Record(n, input(time.Duration(n)*time.Second, body))
	}
	kept := 0
	for _, in := range s.inputs {
		kept += len(in)
	}
	if kept > mostBytes || kept < mostBytes/2 || s.ended != full {
		t.Errorf("%d bytes are kept, ended: %q", kept, s.ended)
	}
}

// One that does not read holds nothing of what the others are told, and as many as there may be are all that there are.
func TestPagesThatDoNotRead(t *testing.T) {
	s := New()
	served := httptest.NewServer(s.Handler(server.New(), "session"))
	t.Cleanup(served.Close) // after the streams
	s.Pass(time.Second)
	var all []*stream
	for range mostStreams {
		page := open(t, served.URL+Path)
		page.next()
		all = append(all, page)
	}
	answer, err := http.Get(served.URL + Path)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(answer.Body)
	answer.Body.Close()
	if answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), "close one") {
		t.Errorf("one too many: %d %s", answer.StatusCode, text)
	}
	body := strings.Repeat("x", 1<<20)
	for n := range 20 {
		s.Record(n, input(time.Duration(n+1)*time.Second, body))
	}
	s.Pass(time.Minute)
	for has := 0; has < 20; {
		_, m := all[0].next()
		has += len(m.Inputs)
	}
	all[1].close()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		n := s.streams
		s.mu.Unlock()
		if n == mostStreams-1 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%d streams", n)
		}
	}
}

func TestWhoMayFollow(t *testing.T) {
	s := New()
	handler := s.Handler(server.New(), "session")
	for _, test := range []struct {
		host, path, site string
		want             int
	}{
		{"evil.example.org", Path, "", 421},
		{"evil.example.org", "/", "", 421},
		{"127.0.0.1:8090", Path, "cross-site", 403},
		{"localhost:8090", Path, "same-site", 403},
		{"127.0.0.1:8090", "/", "", 302},
	} {
		r := httptest.NewRequest("GET", "http://"+test.host+test.path, nil)
		if test.site != "" {
			r.Header.Set("Sec-Fetch-Site", test.site)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != test.want || w.Header().Get("X-Frame-Options") != "DENY" || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v: %d, %v", test, w.Code, w.Header())
		}
	}
	for languages, want := range map[string]string{"": "/embed/session/", "en-GB,ja": "/embed/session/", "ja,en;q=0.8": "/embed/ja/session/"} {
		if got := pageFor("session", languages); got != want {
			t.Errorf("%q: %s", languages, got)
		}
	}
}

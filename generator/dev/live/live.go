// Package live lets pages follow a cluster that runs on a port (kubewalk cluster --show). A page runs the same cluster in its worker: it has the
// configuration and the seed, and is told each thing that is done to the cluster, with its virtual time, and how far time has come. Nothing
// else is sent, neither objects nor what only reads, so a page's picture costs the cluster nothing.
//
// What was done is a list that only grows, and each stream reads it at its own pace: a page that comes late begins at its start, one that comes
// back says how much it has, and one that does not read holds nothing but its connection, until that is closed.
package live

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"kubewalk/generator/dev/server"
	"kubewalk/playground/cluster"
)

// Path is the address of the stream.
const Path = "/live"

const (
	// mostBytes is how much is kept of what was done; a session with more has become too long to be followed.
	mostBytes = 32 << 20
	// mostStreams is how many pages may listen at once.
	mostStreams = 64
	// mostAtOnce is about how much one message has.
	mostAtOnce = 1 << 20
	// patience is for how long a page need not read before its connection is closed.
	patience = 10 * time.Second
)

// Why a session has ended.
const (
	closed = "closed"
	full   = "full"
)

// told is a message to a page. site/widgets/live.ts has the same.
type told struct {
	Inputs []json.RawMessage `json:"inputs,omitempty"`
	Now    int64             `json:"now,omitempty"`   // µs since the epoch: all inputs up to then are there
	Ended  string            `json:"ended,omitempty"` // nothing more comes, and why
	Other  bool              `json:"other,omitempty"` // the page has inputs of another session
}

// Session is what is done to a cluster, as pages are told.
type Session struct {
	name string // tells it from others at the same address

	mu      sync.Mutex
	inputs  []json.RawMessage
	bytes   int
	now     time.Duration
	ended   string
	changed chan struct{} // closed when there is more
	streams int
}

// New begins a session.
func New() *Session {
	return &Session{name: strconv.FormatInt(time.Now().UnixNano(), 36), changed: make(chan struct{})}
}

// Record takes in what clients do to the cluster (httpapi.Options.Record).
func (s *Session) Record(n int, o cluster.Outcome) {
	if o.Done {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n != len(s.inputs) || s.ended != "" {
		return // it is known
	}
	text, err := json.Marshal(o.Input)
	if err != nil {
		panic("live: " + err.Error()) // the cluster took it
	}
	if s.bytes += len(text); s.bytes > mostBytes {
		s.end(full)
		return
	}
	s.inputs = append(s.inputs, text)
	s.wake()
}

// Pass takes in how far the cluster's time has come: everything done up to then was recorded.
func (s *Session) Pass(now time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == "" && now > s.now {
		s.now = now
		s.wake()
	}
}

// End tells pages that the session is over.
func (s *Session) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(closed)
}

func (s *Session) end(why string) {
	if s.ended == "" {
		s.ended = why
		s.wake()
	}
}

func (s *Session) wake() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// after is the next message for a page that has so many inputs and knows how far time has come, and how many inputs it has then. ok is false when
// there is nothing to tell; changed is closed when there is.
func (s *Session) after(has int, knows int64) (m told, then int, ok bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	then = has
	for size := 0; then < len(s.inputs) && size < mostAtOnce; then++ {
		size += len(s.inputs[then])
	}
	m.Inputs = s.inputs[has:then:then]
	if then == len(s.inputs) { // only who has all may run up to now
		m.Now, m.Ended = s.now.Microseconds(), s.ended
	}
	return m, then, then > has || m.Ended != "" || m.Now > knows, s.changed
}

// Handler serves the session's stream, and for everything else a site with the session's page. Requests for other hosts are refused, by which a
// page of somebody else's could get at this machine.
func (s *Session) Handler(site *server.Server, page string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Frame-Options", "DENY") // demos' own pages may be framed elsewhere
		isOwn := site.IsOwn(r.Host)
		switch {
		case isOwn && r.URL.Path == Path && r.Method == http.MethodGet:
			s.stream(w, r)
		case isOwn && r.URL.Path == "/":
			w.Header().Set("Cache-Control", "no-store")
			http.Redirect(w, r, pageFor(page, r.Header.Get("Accept-Language")), http.StatusFound)
		default:
			site.ServeHTTP(w, r)
		}
	})
}

// pageFor is the page in the language that a browser asks for first.
func pageFor(page, languages string) string {
	if strings.HasPrefix(strings.TrimSpace(languages), "ja") {
		return "/embed/ja/" + page + "/"
	}
	return "/embed/" + page + "/"
}

// stream tells a page what is done, as server-sent events. Each message's number says which session it is of and how many inputs it ends with.
func (s *Session) stream(w http.ResponseWriter, r *http.Request) {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		http.Error(w, "only the session's own page may follow it", http.StatusForbidden)
		return
	}
	if !s.enter() {
		w.Header().Set("Retry-After", "10")
		http.Error(w, fmt.Sprintf("%d pages follow the session already: close one", mostStreams), http.StatusServiceUnavailable)
		return
	}
	defer s.leave()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	control := http.NewResponseController(w)
	send := func(id string, m told) bool {
		data, err := json.Marshal(m)
		if err != nil {
			panic("live: " + err.Error())
		}
		if control.SetWriteDeadline(time.Now().Add(patience)) != nil {
			return false
		}
		_, err = fmt.Fprintf(w, "id: %s\ndata: %s\n\n", id, data)
		return err == nil && control.Flush() == nil
	}
	has, known := s.place(cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("after")))
	if !known {
		send("", told{Other: true})
		return
	}
	for knows := int64(0); ; {
		m, then, ok, changed := s.after(has, knows)
		if ok {
			if !send(fmt.Sprintf("%s.%d", s.name, then), m) || m.Ended != "" {
				return
			}
			has, knows = then, max(knows, m.Now)
			continue
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// place is how many inputs a page has that got the message of a number last, and whether they are this session's.
func (s *Session) place(id string) (has int, known bool) {
	if id == "" {
		return 0, true
	}
	name, count, _ := strings.Cut(id, ".")
	has, err := strconv.Atoi(count)
	s.mu.Lock()
	defer s.mu.Unlock()
	return has, err == nil && name == s.name && has >= 0 && has <= len(s.inputs)
}

func (s *Session) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams >= mostStreams {
		return false
	}
	s.streams++
	return true
}

func (s *Session) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams--
}

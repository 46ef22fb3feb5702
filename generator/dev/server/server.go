// Package server shows the book while it is written: it serves the last good
// site from memory, with the headers of production, rebuilds when a file is
// saved and tells every open page.
//
// A save that breaks something never takes the site away. The pages that are
// open say what is wrong, where, and the cure; the site behind them is the last
// good one.
package server

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"mime"
	"net"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/redirects"
	"kubewalk/generator/problem"
)

//go:embed client
var client embed.FS

// prefix of what only the development server has.
const prefix = "/_dev/"

// Server is an http.Handler. The zero value serves "not built yet".
type Server struct {
	// Prefix of the site's addresses: "/book", or "". It is taken off requests that
	// have it, as what stands in front of a host does. Set it before serving.
	Prefix string
	// Hosts are names besides those of the machine's own that a request may give: that
	// of the address to listen on. Set it before serving.
	Hosts []string

	mu       sync.Mutex
	tree     *output.Tree  // the last good site
	rules    headers.Rules // of that site
	state    state
	changed  chan struct{} // closed when state changes
	began    string        // tells sites of this process from those of others
	shown    int           // sites so far
	finished bool
	opened   []string      // see Opened
	streams  int           // open pages that are told of changes
	asked    chan struct{} // see Delivered; nil when nobody waits
}

// state is what open pages are told.
type state struct {
	Site     string            `json:"site"`              // names the last good site
	Since    string            `json:"since,omitempty"`   // the one before it
	Changed  []string          `json:"changed,omitempty"` // files that differ between the two; none when they are too many to list
	Problems []problem.Problem `json:"problems"`
	// Recorded is how many of Demos are recorded, while not all are.
	Recorded int `json:"recorded"`
	Demos    int `json:"demos,omitempty"`
}

// mostOpened is how many pages are remembered as opened.
const mostOpened = 100

// Opened are the files of the pages that were asked for, the last one first.
func (s *Server) Opened() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.opened)
}

func (s *Server) open(file string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked != nil && slices.Contains(s.state.Changed, file) {
		close(s.asked)
		s.asked = nil
	}
	s.opened = slices.DeleteFunc(s.opened, func(other string) bool { return other == file })
	s.opened = slices.Insert(s.opened, 0, file)
	s.opened = s.opened[:min(len(s.opened), mostOpened)]
}

// Progress tells open pages how many demos are recorded, of how many.
func (s *Server) Progress(done, all int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Recorded, s.state.Demos = done, all
	if done == all {
		s.state.Recorded, s.state.Demos = 0, 0
	}
	s.tell()
}

// tell wakes the streams.
func (s *Server) tell() {
	if !s.finished {
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

// mostChanged is how many changed files open pages are told of: beyond, each looks
// for itself.
const mostChanged = 200

// New returns a server.
func New() *Server {
	return &Server{changed: make(chan struct{}), began: strconv.FormatInt(time.Now().UnixNano(), 36)}
}

// Show takes the outcome of a build.
func (s *Server) Show(tree *output.Tree, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Problems = problem.Of(err)
	if err == nil {
		text, _ := tree.Get(output.MarkerFile)
		rules, err := headers.Parse(string(text))
		if err != nil {
			panic("server: " + err.Error()) // the build wrote it
		}
		s.rules = rules
		s.take(tree)
	}
	s.tell()
}

// take makes a tree the site. One that differs in nothing is the same site.
func (s *Server) take(tree *output.Tree) {
	var changed []string
	if s.tree != nil {
		changed = tree.Changed(s.tree)
	}
	if same := s.tree != nil && len(changed) == 0; !same {
		if len(changed) > mostChanged {
			changed = nil
		}
		s.shown++
		s.state.Since, s.state.Changed = s.state.Site, changed
		s.state.Site = fmt.Sprintf("%s-%d", s.began, s.shown)
	}
	s.tree = tree
}

// drawing is what a browser needs from a page's answer to the page on the screen.
const drawing = 20 * time.Millisecond

// Delivered waits until a browser has asked for a page that the last site changed, and for the browser to draw it; at most so
// long, and not at all when no such page is open.
func (s *Server) Delivered(ctx context.Context, most time.Duration) {
	s.mu.Lock()
	asked := make(chan struct{})
	if s.streams > 0 && slices.ContainsFunc(s.state.Changed, func(file string) bool { return slices.Contains(s.opened, file) }) {
		s.asked = asked
	} else {
		most = 0
	}
	s.mu.Unlock()
	timeout := time.NewTimer(most)
	defer timeout.Stop()
	select {
	case <-timeout.C:
		return
	case <-ctx.Done():
		return
	case <-asked:
	}
	select {
	case <-time.After(drawing):
	case <-ctx.Done():
	}
}

// Close ends the streams of open pages, so that a server can shut down.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.finished {
		s.finished = true
		close(s.changed)
	}
}

func (s *Server) now() (tree *output.Tree, rules headers.Rules, st state, changed chan struct{}, finished bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree, s.rules, s.state, s.changed, s.finished
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.IsOwn(r.Host) {
		w.Header().Set("Cache-Control", "no-store")
		http.Error(w, fmt.Sprintf("host %.100q is not this server (open http://localhost or the address that it prints; name another one with --addr)", r.Host),
			http.StatusMisdirectedRequest)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, prefix); ok {
		s.serveOwn(w, r, name)
		return
	}
	at := r.URL.Path
	if inside, ok := strings.CutPrefix(at, s.Prefix); ok && strings.HasPrefix(inside, "/") {
		at = inside
	}
	if strings.HasSuffix(at, "/") {
		s.open(at[1:] + "index.html")
	}
	tree, rules, state, _, _ := s.now()
	if tree == nil {
		s.serveOwn(w, r, "waiting.html")
		return
	}
	if text, ok := tree.Get(redirects.File); ok {
		if to, ok := redirects.Parse(string(text)).Of(at); ok {
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return
		}
	}
	name, status := strings.TrimPrefix(at, "/"), http.StatusOK
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	data, ok := tree.Get(name)
	if !ok || strings.HasPrefix(name, "_") {
		if _, isFolder := tree.Get(name + "/index.html"); isFolder {
			http.Redirect(w, r, r.URL.Path+"/", http.StatusMovedPermanently)
			return
		}
		name, status = "404.html", http.StatusNotFound
		data, _ = tree.Get(name)
	}
	for key, values := range rules.Match(at) {
		w.Header()[key] = values
	}
	if path.Ext(name) == ".html" { // which site a page is of, for its script
		w.Header().Set("Server-Timing", fmt.Sprintf("site;desc=%q", state.Site))
	}
	send(w, r, name, data, status)
}

func send(w http.ResponseWriter, r *http.Request, name string, data []byte, status int) {
	contentType := cmp.Or(headers.TypeOf(name), mime.TypeByExtension(path.Ext(name)))
	if contentType != "" {
		w.Header().Set("Content-Type", contentType)
	}
	if status != http.StatusOK {
		w.WriteHeader(status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(data)
		}
		return
	}
	w.Header().Set("ETag", `"`+output.Hash(data)+`"`)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// serveOwn serves the script that reloads, its style and its stream.
func (s *Server) serveOwn(w http.ResponseWriter, r *http.Request, name string) {
	w.Header().Set("Cache-Control", "no-store")
	if name == "events" {
		s.stream(w, r)
		return
	}
	data, err := client.ReadFile("client/" + name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	status := http.StatusOK
	if name == "waiting.html" {
		status = http.StatusServiceUnavailable
		w.Header().Set("Content-Security-Policy", headers.Allowed{}.Policy())
	}
	send(w, r, name, data, status)
}

func (s *Server) listening(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams += n
}

// stream tells a page the state, and every change of it, as server-sent events.
func (s *Server) stream(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "no streaming", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if _, err := fmt.Fprint(w, "retry: 500\n\n"); err != nil {
		return
	}
	s.listening(+1)
	defer s.listening(-1)
	for {
		_, _, state, changed, finished := s.now()
		if finished {
			return
		}
		data, err := json.Marshal(state)
		if err != nil {
			panic("server: " + err.Error())
		}
		if _, err := fmt.Fprintf(w, "data: %s\n\n", data); err != nil {
			return
		}
		flusher.Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// Serve answers on a listener until the context ends.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() {
		s.Close()
		_ = server.Close()
	})
	defer stop()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

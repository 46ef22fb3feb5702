package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/output"
	"kubewalk/generator/dev/live"
	"kubewalk/generator/dev/server"
	"kubewalk/generator/sitebuild"
	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/httpapi"
)

// show is a page beside the port, which follows what is done to the cluster.
type show struct {
	place    *place
	listener net.Listener
	session  *live.Session
	demo     func() ([]byte, error) // the file of what a page shows while it catches up
}

// Of a demo that a page of a session shows.
var (
	showTitle    = map[string]string{"en": "Live session", "ja": "ライブセッション"}
	showControls = []scenario.Control{{Kind: cluster.Command, Examples: []string{"get pods", "get events"}}}
)

const (
	// showAddress is where the page is, if nobody says.
	showAddress = "127.0.0.1:8090"
	// showName is what the page's demo is called.
	showName = "session"
	// fastest is how much faster than real time a cluster may be for a page to keep up with it.
	fastest = 10
	// beat is how often pages are told how far time has come.
	beat = 250 * time.Millisecond
)

// newShow listens, so that an address that is taken is known before anything starts, and has a server tell what is done. The cluster is new, or
// goes on from a moment.
func newShow(address string, from *moment, o *httpapi.Options) (*show, error) {
	if o.Speed > fastest {
		return nil, misuse(fmt.Sprintf("a page cannot keep up with --speed %v: with --show, %d is the most", o.Speed, fastest))
	}
	host, _, err := net.SplitHostPort(address)
	if ip, wrong := netip.ParseAddr(host); err != nil || host != "localhost" && (wrong != nil || !ip.IsLoopback()) {
		return nil, misuse(fmt.Sprintf("--show %q is not an address of this machine alone, such as %s", address, showAddress))
	}
	p, err := here()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w: choose another address for the page with --show=ADDRESS", err)
	}
	s := &show{place: p, listener: listener, session: live.New()}
	if from == nil {
		opens := sessionOf(showName, []string{"en", "ja"}, o)
		opens.Title = showTitle
		s.demo = func() ([]byte, error) {
			opens = opening(opens)
			return demofile.Write(&opens)
		}
	} else {
		text, err := from.shown()
		if err != nil {
			return nil, errors.Join(err, listener.Close())
		}
		s.demo = func() ([]byte, error) { return text, nil }
	}
	also(o, s.session.Record)
	return s, nil
}

// also has somebody else told what clients do, too.
func also(o *httpapi.Options, record func(n int, out cluster.Outcome)) {
	before := o.Record
	o.Record = func(n int, out cluster.Outcome) {
		if before != nil {
			before(n, out)
		}
		record(n, out)
	}
}

// opening is the cluster's start as a demo: what a page shows while it catches up. It is over when all nodes are ready.
func opening(s scenario.Scenario) scenario.Scenario {
	c := cluster.New(s.Cluster, s.Seed)
	defer c.Close()
	for s.Setup = time.Second; s.Setup < longestSetup; s.Setup += time.Second {
		if c.RunUntil(s.Setup); c.Ready() {
			break
		}
	}
	s.End = s.Setup + afterLast
	return s
}

// site makes the page, and what it loads: a book of nothing else.
func (s *show) site(ctx context.Context) (*output.Tree, error) {
	dir, err := os.MkdirTemp("", "kubewalk-session-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	demo, err := s.demo()
	if err != nil {
		return nil, err
	}
	const front = "---\ntitle: Kubewalk\ndescription: Kubewalk\n---\n\nKubewalk\n"
	for name, text := range map[string]string{ // order: each on its own
		"site.yaml":   "title: Kubewalk\ndescription: {en: Kubewalk, ja: Kubewalk}\nlanguages: [{code: en, name: English}, {code: ja, name: 日本語}]\n",
		"en/index.md": front, "ja/index.md": front,
		demos.Folder + "/" + showName + ".yaml": string(demo),
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			return nil, err
		}
	}
	return sitebuild.Build(ctx, sitebuild.Options{
		Root: s.place.root, Content: dir, Live: live.Path, Demos: demos.Run, Sources: s.place.theme.Sources, Phrases: phrases,
		Assets: func(tree *output.Tree, o assets.Options) (*assets.Set, error) {
			o.Dev = true // they go no further than this machine, so nothing is compressed for minutes
			return s.place.theme.Assets(tree, o)
		},
	}, new(sitebuild.Cache))
}

// serve serves the page and what is done until the session ends. ready is called with the page's address when it is there.
func (s *show) serve(ctx context.Context, of *httpapi.Server, ready func(address string)) error {
	tree, err := s.site(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	site := server.New()
	site.Show(tree, nil)
	return s.tell(ctx, of, site, ready)
}

// tell serves a site with the page, and what is done.
func (s *show) tell(ctx context.Context, of *httpapi.Server, site *server.Server, ready func(address string)) error {
	defer site.Close()
	pages := &http.Server{Handler: s.session.Handler(site, showName), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 90 * time.Second, MaxHeaderBytes: 64 << 10}
	failed := make(chan error, 1)
	go func() { failed <- pages.Serve(s.listener) }()
	ready("http://" + s.listener.Addr().String() + "/")
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for {
		select {
		case err := <-failed:
			return err
		case <-ctx.Done():
			if now, err := of.Elapsed(); err == nil {
				s.session.Pass(now)
			}
			s.session.End()
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			if err := pages.Shutdown(ending); !errors.Is(err, context.DeadlineExceeded) {
				return err
			}
			return pages.Close()
		case <-ticker.C:
			now, err := of.Elapsed()
			if err != nil {
				return err
			}
			s.session.Pass(now)
		}
	}
}

// showAt is the address that --show gives, and the arguments without it: it may stand behind the flag, as an argument.
func showAt(given string, arguments []string) (address string, others []string) {
	if given != "true" {
		return given, arguments
	}
	i := slices.IndexFunc(arguments, func(one string) bool {
		host, port, err := net.SplitHostPort(one)
		_, named := netip.ParseAddr(host)
		return err == nil && port != "" && (named == nil || host == "localhost" || host == "")
	})
	if i < 0 {
		return showAddress, arguments
	}
	return arguments[i], slices.Delete(slices.Clone(arguments), i, i+1)
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/toolchain"
	"kubewalk/generator/dev/server"
	"kubewalk/generator/problem"
	"kubewalk/generator/sitebuild"
)

// watched are the folders besides the content whose files make the site.
var watched = []string{"site", "generator", "playground", "wasm"}

// beforeChecks is how long the checks of a site wait for open pages to get the new text first, and to draw it: on a machine
// with few processors each would take from the other.
const beforeChecks = 60 * time.Millisecond

// author is the development server: it builds when something is saved.
type author struct {
	place  *place
	flags  flags
	out    io.Writer
	server *server.Server
	site   sitebuild.Options
	cache  sitebuild.Cache
	saves  *saves
	record *recorder
	// bare: the assets were made without WebAssembly.
	bare  bool
	wrong string // what the last build said
	// stale: the code on disk is newer than this process. Until the new code
	// takes over, every save is for it to build. templates: generate them first.
	stale, templates bool
}

// serve shows the site until the context ends.
func serve(ctx context.Context, p *place, f flags, _ []string, out io.Writer) error {
	// Something that is wrong with a book can be mended while it is served; but where
	// there is none, the author is in another folder.
	if _, err := os.Stat(filepath.Join(f.content, "site.yaml")); errors.Is(err, fs.ErrNotExist) {
		return problem.Problem{File: filepath.ToSlash(filepath.Join(f.content, "site.yaml")), Message: "file is missing, so there is no book to serve",
			Cure: "run this in the folder of a book, name its folder with --content, or begin a book: kubewalk new NAME"}
	}
	addr := f.addr
	if addr == "" {
		port := os.Getenv("PORT")
		if port == "" {
			port = "8080"
		}
		addr = "127.0.0.1:" + port
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w: choose another port with PORT= or --addr", err)
	}
	a := &author{place: p, flags: f, out: out, server: server.New(), saves: newSaves(), site: options(p, f),
		record: newRecorder(demosIn(p.root), demos.Run)}
	interfaces, _ := net.InterfaceAddrs()
	a.server.Hosts = server.HostsOf(addr, interfaces)
	if name, err := os.Hostname(); err == nil && len(a.server.Hosts) != 1 { // all interfaces: the machine's name means it, too
		a.server.Hosts = append(a.server.Hosts, name)
	}
	a.record.opened, a.record.told, a.record.out = a.server.Opened, a.server.Progress, out
	a.record.bare = p.checkout && !assets.Compiled(p.root)
	a.site.Demos = a.record.make
	if address, err := url.Parse(strings.TrimSuffix(f.base, "/")); err == nil { // the build says what is wrong with it
		a.server.Prefix = address.Path
	}
	a.site.Dev = true
	told := ""
	a.site.Warned = func(err error) { // once, and again when they are others
		if said := err.Error(); said != told {
			told = said
			warnings(out)(err)
		}
	}
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	fmt.Fprintln(out, "building the site")
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failed := make(chan error, 1)
	go func() {
		failed <- a.watch(ctx)
		stop()
	}()
	if err := a.server.Serve(ctx, listener); err != nil {
		return err
	}
	return <-failed
}

// watch builds once, and then after every save.
func (a *author) watch(ctx context.Context) error {
	folders := []string{a.flags.content}
	for _, folder := range watched {
		if _, err := os.Stat(filepath.Join(a.place.root, folder)); err == nil && a.place.checkout {
			folders = append(folders, filepath.Join(a.place.root, folder))
		}
	}
	watcher, err := server.NewWatcher(folders)
	if err != nil {
		return err
	}
	go watcher.Run(ctx, a.saves.add)
	for a.build(ctx, true); ; {
		a.record.settle(ctx, a.cache.Awaited(), a.compileWasm)
		for _, f := range a.cache.Files() {
			watcher.Also([]string{filepath.Join(a.place.root, filepath.FromSlash(f))})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-a.saves.bell:
		case <-a.record.bell:
			if !a.stale {
				a.build(ctx, false)
			}
			continue
		}
		files := a.saves.take()
		code, templates := isCode(files)
		code, templates = code && a.place.checkout, templates && a.place.checkout
		a.stale, a.templates = a.stale || code, a.templates || templates
		if a.stale {
			a.record.stop()
			a.rebuildMyself(ctx)
		} else {
			a.cache.Saved(a.flags.content, files)
			a.build(ctx, true)
		}
	}
}

// build makes the site and shows it. Open pages have the new text before the site is
// checked; a save that comes meanwhile ends the checking, for the next build to do. Of a build that nobody asked for the author hears
// only what is newly wrong.
func (a *author) build(ctx context.Context, asked bool) {
	start := time.Now()
	took := func() time.Duration { return time.Since(start).Round(time.Millisecond) }
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	defer a.saves.interrupt(nil)
	if a.site.Bare = a.record.isBare(); a.bare && !a.site.Bare {
		a.cache.ForgetAssets()
	}
	a.bare = a.site.Bare
	said := ""
	a.site.Early = func(tree *output.Tree) {
		a.server.Show(tree, nil)
		said = fmt.Sprintf("shown in %v, ", took())
		a.saves.interrupt(stop)
		a.server.Delivered(ctx, beforeChecks)
	}
	tree, err := sitebuild.Build(ctx, a.site, &a.cache)
	if ctx.Err() != nil {
		return
	}
	wrong := ""
	if err != nil {
		wrong = err.Error()
	}
	if asked || wrong != "" && wrong != a.wrong {
		a.show(err, fmt.Sprintf("%sbuilt in %v", said, took()), func() { a.server.Show(tree, err) })
	} else {
		a.server.Show(tree, err)
	}
	a.wrong = wrong
}

// compileWasm makes the control plane for pages; only a checkout has to.
func (a *author) compileWasm() error {
	if c, ok := a.place.theme.(*checkout); ok {
		return c.Compile(c.root)
	}
	return nil
}

func (a *author) show(err error, good string, show func()) {
	show()
	if err != nil {
		fmt.Fprintln(a.out, err)
	} else {
		fmt.Fprintln(a.out, good)
	}
}

// saves are the files that were saved and not built yet.
type saves struct {
	mu    sync.Mutex
	files []string
	stop  func()        // what a save ends; may be nil
	bell  chan struct{} // rings when there are files
}

func newSaves() *saves { return &saves{bell: make(chan struct{}, 1)} }

func (s *saves) add(files []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, files...)
	if s.stop != nil {
		s.stop()
	}
	select {
	case s.bell <- struct{}{}:
	default: // it rings already
	}
}

func (s *saves) take() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	files := s.files
	s.files = nil
	return files
}

// interrupt has the next save call stop; at once when there was one already.
func (s *saves) interrupt(stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop = stop
	if stop != nil && len(s.files) > 0 {
		stop()
	}
}

// isCode tells whether files are part of this program: the generator, the
// control plane that it runs, or the pages' templates.
func isCode(files []string) (code, templates bool) {
	for _, f := range files {
		switch {
		case strings.HasSuffix(f, "_test.go") || strings.HasSuffix(f, "_templ.go"):
		case strings.HasSuffix(f, ".go"):
			code = true
		case strings.HasSuffix(f, ".templ"):
			code, templates = true, true
		}
	}
	return code, templates
}

// rebuildMyself compiles the generator anew, lets the new one check the site,
// and gives it this process' place only when all is well: until then the last
// good site stays where it is.
func (a *author) rebuildMyself(ctx context.Context) {
	binary := filepath.Join(a.place.root, ".cache", "generator")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	err := a.compile(ctx, binary)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		a.show(err, "", func() { a.server.Show(nil, err) })
		return
	}
	fmt.Fprintln(a.out, "code changed: starting again")
	if err := replaceProcess(binary, os.Args[1:]); err != nil {
		a.show(err, "", func() { a.server.Show(nil, err) })
	}
}

func (a *author) compile(ctx context.Context, binary string) error {
	if a.templates {
		generate := exec.CommandContext(ctx, "go", "tool", "templ", "generate", "-path", "site/pages")
		generate.Dir = a.place.root
		if text, err := generate.CombinedOutput(); err != nil {
			return fmt.Errorf("templ generate: %s", strings.TrimSpace(string(text)))
		}
	}
	if err := toolchain.Build(a.place.root, binary, "./generator", nil); err != nil {
		return err
	}
	arguments := []string{"check", "--json", "--dev", "--content", a.flags.content, "--base-url", a.flags.base}
	output, err := exec.CommandContext(ctx, binary, arguments...).Output()
	if err == nil {
		return nil
	}
	var problems problem.Errors
	if json.Unmarshal(output, &problems) == nil && len(problems) > 0 {
		return problems
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("new generator: %w\n%s", err, exit.Stderr)
	}
	return err
}

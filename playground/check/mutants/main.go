// Command mutants breaks the core on purpose, in one small way at a time, and lists what no test notices:
//
//	go run ./playground/check/mutants -n 300
//
// A mutant is a condition negated or left out, a boundary moved by one (< to <=), + instead of -, a number one larger, a statement
// left out, or a function that returns at once (mutate.go). Which of them are tried is drawn by -seed, so that a run can be repeated.
//
// All of them are compiled together, each behind a switch, and a test binary is told by the environment which one is on. So a
// mutant costs a run of tests, not a build. The sources stay as they are: go takes the changed files from an overlay.
// First each test runs once by itself without a mutant and notes which switches it comes to (tests.go). A mutant is then tried by those tests of its
// package, of the packages around it and of a few named ones (judges) that come to it, the quickest first, up to the first that fails; and at last by
// random experiments. One that no test comes to is not run at all.
//
// Gremlins (github.com/go-gremlins/gremlins) works too, but it builds for each mutant, runs the tests of the mutant's own package alone (those of
// controllers are in controller/manager), leaves no statement out, and tries all mutants or none.
//
// A survivor is not always a gap: the mutant may do the same as the original (a capacity, a log line), or only be slower.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const module = "kubewalk/playground/"

// core is what is broken.
var core = []string{module + "sim", module + "trace", module + "controlplane/...", module + "node/..."}

// judges are packages whose tests are asked about others', by the beginning of their paths, beside their own tests and those of
// the packages that they lie in.
var judges = []struct {
	of    string
	tests []string
}{
	{"sim", []string{"controlplane/workqueue"}},
	{"controlplane/store", []string{"controlplane/apiserver", "cluster"}},
	{"controlplane/apiserver", []string{"check/conformance", "cluster"}},
	{"controlplane/transport", []string{"controlplane/apiserver", "cluster"}},
	{"controlplane/client", []string{"controlplane/controller/manager"}},
	{"controlplane/controller", []string{"controlplane/controller/manager"}},
	{"controlplane/cloud", []string{"cluster"}},
	{"node", []string{"cluster"}},
}

// last is asked about each mutant that all the others let live: random experiments.
const last = "check/chaos"

// askedLast is which of its tests.
const askedLast = "TestExperiments"

// judgesOf lists the packages whose tests are to notice that one is broken.
func judgesOf(pkg string) []string {
	out := []string{pkg}
	for at := strings.LastIndexByte(pkg, '/'); at > 0; at = strings.LastIndexByte(pkg[:at], '/') {
		out = append(out, pkg[:at])
	}
	for _, j := range judges {
		if pkg == j.of || strings.HasPrefix(pkg, j.of+"/") {
			out = append(out, j.tests...)
		}
	}
	return append(slices.Compact(out), last)
}

// fate is what became of a mutant.
type fate int

const (
	unreached fate = iota // no test comes to it
	killed
	survived
)

func main() {
	n := flag.Int("n", 300, "how many mutants to try")
	seed := flag.Uint64("seed", 1, "which ones")
	only := flag.String("run", "", "only in packages, or at file:line, that match this regular expression")
	workers := flag.Int("workers", 2, "how many tests run at the same time")
	verbose := flag.Bool("v", false, "tell of each mutant that was killed by which test")
	flag.Parse()
	if err := run(*n, *seed, *only, *workers, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(n int, seed uint64, only string, workers int, verbose bool) error {
	filter, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all, err := candidates(core)
	if err != nil {
		return err
	}
	found := len(all)
	all = slices.DeleteFunc(all, func(m *mutant) bool { return !filter.MatchString(m.pkg) && !filter.MatchString(m.at()) })
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	chosen := all[:min(n, len(all))]
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, chosen, err := compiling(dir, chosen)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		return fmt.Errorf("no mutant matches %q", only)
	}
	fmt.Printf("%d of %d possible mutants, seed %d\n", len(chosen), found, seed)
	began := time.Now()
	suites, err := build(dir, overlay, chosen)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d packages of tests compiled in %.0f s\n", len(suites), time.Since(began).Seconds())
	began = time.Now()
	if err := inParallel(workers, suites, func(s *suite) error { return s.measure(dir) }); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d tests run without a mutant in %.0f s\n", count(suites), time.Since(began).Seconds())
	try(suites, chosen, workers, verbose)
	report(chosen)
	return nil
}

// inParallel does something with each item, several at the same time, and returns one of the errors.
func inParallel[T any](workers int, items []T, do func(T) error) (failed error) {
	next := make(chan T)
	var wait sync.WaitGroup
	var lock sync.Mutex
	for range workers {
		wait.Go(func() {
			for item := range next {
				if err := do(item); err != nil {
					lock.Lock()
					failed = err
					lock.Unlock()
				}
			}
		})
	}
	for _, item := range items {
		next <- item
	}
	close(next)
	wait.Wait()
	return failed
}

func try(suites []*suite, chosen []*mutant, workers int, verbose bool) {
	var lock sync.Mutex
	done := 0
	_ = inParallel(workers, chosen, func(m *mutant) error {
		began := time.Now()
		m.judge(suites)
		lock.Lock()
		defer lock.Unlock()
		switch {
		case m.fate == survived:
			fmt.Printf("survives: %s: %s\n", m.at(), m.what)
		case verbose && m.fate == killed:
			fmt.Printf("killed by %s in %.1f s: %s: %s\n", m.killedBy, time.Since(began).Seconds(), m.at(), m.what)
		}
		if done++; done%25 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", done, len(chosen))
		}
		return nil
	})
}

func report(chosen []*mutant) {
	slices.SortFunc(chosen, func(a, b *mutant) int { return strings.Compare(a.order(), b.order()) })
	tally := map[string]*[3]int{}
	var pkgs []string
	for _, m := range chosen {
		if m.fate == unreached {
			fmt.Printf("not reached: %s: %s\n", m.at(), m.what)
		}
		for _, pkg := range []string{m.pkg, "all"} {
			if tally[pkg] == nil {
				tally[pkg] = &[3]int{}
				pkgs = append(pkgs, pkg)
			}
			tally[pkg][m.fate]++
		}
	}
	slices.Sort(pkgs)
	fmt.Printf("%7s %8s %11s\n", "killed", "survive", "not reached")
	for _, pkg := range pkgs {
		fmt.Printf("%7d %8d %11d  %s\n", tally[pkg][killed], tally[pkg][survived], tally[pkg][unreached], pkg)
	}
}

func writeJSON(path string, v any) error {
	out, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, out, 0o600)
}

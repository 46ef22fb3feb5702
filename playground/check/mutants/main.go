// Command mutants breaks the core on purpose, in one small way at a time, and lists what no test notices:
//
//	go run ./playground/check/mutants -n 300
//
// A mutant is a condition negated or left out, a boundary moved by one (< to <=), + instead of -, a number one larger, a statement
// left out, or a function that returns at once (mutate.go). Which of them are tried is drawn by -seed, so that a run can be repeated.
//
// All of them are compiled together, each behind a switch, and a test binary is told by the environment which one is on. So a
// mutant costs a run of the tests, not a build. The sources stay as they are: go takes the changed files from an overlay.
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
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

const module = "kubewalk/playground/"

// target is a package to break, with the packages whose tests have to notice, the quickest first.
type target struct {
	pkg   string
	tests []string
}

var targets = []target{
	{"sim", []string{"sim", "controlplane/workqueue"}},
	{"trace", []string{"trace"}},
	{"controlplane/store", []string{"controlplane/store", "controlplane/apiserver"}},
	{"controlplane/workqueue", []string{"controlplane/workqueue"}},
	{"controlplane/client/cache", []string{"controlplane/client/cache"}},
	{"controlplane/apiserver", []string{"controlplane/apiserver"}},
	{"controlplane/apiserver/registry", []string{"controlplane/apiserver/registry", "controlplane/apiserver"}},
	{"controlplane/controller", []string{"controlplane/controller", "controlplane/controller/manager"}},
	{"controlplane/controller/replicaset", []string{"controlplane/controller/replicaset", "controlplane/controller/manager"}},
	{"controlplane/controller/deployment", []string{"controlplane/controller/deployment", "controlplane/controller/manager"}},
	{"controlplane/controller/garbagecollector", []string{"controlplane/controller/manager"}},
	{"controlplane/scheduler/queue", []string{"controlplane/scheduler/queue", "controlplane/scheduler"}},
	{"node/kubelet/prober", []string{"node/kubelet"}},
	{"node/kubelet/status", []string{"node/kubelet/status", "node/kubelet"}},
}

// last is asked about each mutant that the tests of its package let live: twenty random experiments.
const last = "check/chaos"

func main() {
	n := flag.Int("n", 300, "how many mutants to try")
	seed := flag.Uint64("seed", 1, "which ones")
	only := flag.String("run", "", "only in packages, or at file:line, that match this regular expression")
	workers := flag.Int("workers", 2, "how many tests run at the same time")
	flag.Parse()
	if err := run(*n, *seed, *only, *workers); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(n int, seed uint64, only string, workers int) error {
	filter, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	all, err := candidates(targets)
	if err != nil {
		return err
	}
	found := len(all)
	all = slices.DeleteFunc(all, func(m *mutant) bool { return !filter.MatchString(m.target.pkg) && !filter.MatchString(m.at()) })
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
	tests, err := build(dir, overlay, chosen)
	if err != nil {
		return err
	}
	try(tests, chosen, workers)
	report(chosen)
	return nil
}

// test is a package's compiled test.
type test struct {
	pkg, dir, binary string
	run              string // -test.run, "" for all
	limit            time.Duration
}

// build compiles the tests that are needed, and runs each without any mutant to see that it passes and how long it takes.
func build(dir, overlay string, chosen []*mutant) (map[string]*test, error) {
	tests := map[string]*test{}
	for _, m := range chosen {
		for _, pkg := range append(slices.Clone(m.target.tests), last) {
			if tests[pkg] != nil {
				continue
			}
			t := &test{pkg: pkg, dir: filepath.Join("playground", pkg), binary: filepath.Join(dir, strings.ReplaceAll(pkg, "/", "-")+".test")}
			if pkg == last {
				t.run = "TestExperiments"
			}
			tests[pkg] = t
			out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", t.binary, "./"+t.dir).CombinedOutput()
			if err != nil {
				return nil, fmt.Errorf("%s: %v\n%s", pkg, err, out)
			}
			if _, err := os.Stat(t.binary); err != nil {
				t.binary = "" // it has no tests
				continue
			}
			began := time.Now()
			t.limit = time.Hour
			if out, ok := t.try(0); !ok {
				return nil, fmt.Errorf("%s fails without a mutant:\n%s", pkg, out)
			}
			t.limit = 10*time.Second + 8*time.Since(began)
		}
	}
	return tests, nil
}

// try runs a test with a mutant on and tells whether it passed.
func (t *test) try(mutant int) (output string, passed bool) {
	if t.binary == "" {
		return "", true
	}
	cmd := exec.Command(t.binary, "-test.short", "-test.failfast", "-test.timeout", t.limit.String(), "-test.run", t.run)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), fmt.Sprint(variable, "=", mutant))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return err.Error(), false
	}
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(200 * time.Millisecond):
				if resident(cmd.Process.Pid) > maxMemory {
					cmd.Process.Kill()
				}
			}
		}
	}()
	err := cmd.Wait()
	close(done)
	return out.String(), err == nil
}

// maxMemory is what a test may take: a mutant may collect without end. The test counts as failed then.
const maxMemory = 2 << 30

// resident is how much memory a process has, 0 where the system does not say.
func resident(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, pages int
	fmt.Sscan(string(text), &size, &pages)
	return pages * os.Getpagesize()
}

func try(tests map[string]*test, chosen []*mutant, workers int) {
	next := make(chan *mutant)
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for m := range next {
				for _, pkg := range append(slices.Clone(m.target.tests), last) {
					if _, passed := tests[pkg].try(m.id); !passed {
						m.killedBy = pkg
						break
					}
				}
			}
		})
	}
	for i, m := range chosen {
		if i > 0 && i%25 == 0 {
			fmt.Fprintf(os.Stderr, "%d of %d\n", i, len(chosen))
		}
		next <- m
	}
	close(next)
	wait.Wait()
}

func report(chosen []*mutant) {
	slices.SortFunc(chosen, func(a, b *mutant) int { return strings.Compare(a.order(), b.order()) })
	killed := map[string]int{}
	count := map[string]int{}
	for _, m := range chosen {
		count[m.target.pkg]++
		if m.killedBy == "" {
			fmt.Printf("survives: %s: %s\n", m.at(), m.what)
		} else {
			killed[m.target.pkg]++
			killed[""]++
		}
	}
	for _, t := range targets {
		if count[t.pkg] > 0 {
			fmt.Printf("%4d of %4d killed in %s\n", killed[t.pkg], count[t.pkg], t.pkg)
		}
	}
	fmt.Printf("%4d of %4d killed\n", killed[""], len(chosen))
}

func writeJSON(path string, v any) error {
	out, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return os.WriteFile(path, out, 0o600)
}

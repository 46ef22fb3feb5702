// Command e2e runs Kubernetes' own conformance tests (k8s.io/kubernetes/test/e2e) against "kubewalk cluster", each by itself, and prints
// how many pass by group, and the names of those that do not.
//
//	go run . --program kubewalk --kubectl kubectl [--match TEXT] [--jobs N] [--timeout 12m]
//
// It is a module of its own and no part of the test run: the tests take ten minutes to compile, and an hour to run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// testsOfACluster is after how many tests a worker begins with a new cluster.
const testsOfACluster = 25

type options struct {
	program, kubectl, match, logs string
	jobs                          int
	timeout                       time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.program, "program", "kubewalk", "the program whose command cluster is tested")
	flag.StringVar(&o.kubectl, "kubectl", "kubectl", "the kubectl of the tests that need one")
	flag.StringVar(&o.match, "match", "", "only tests whose names contain this text")
	flag.StringVar(&o.logs, "logs", "", "the folder for the tests' output; a temporary one if empty")
	flag.IntVar(&o.jobs, "jobs", 4, "how many clusters to test at a time")
	flag.DurationVar(&o.timeout, "timeout", 12*time.Minute, "how long a test may take")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err)
		os.Exit(1)
	}
}

// result is what came of a test: "passed", "failed", "skipped" or "timed out".
type result struct{ name, outcome string }

func run(o options) error {
	if o.logs == "" {
		folder, err := os.MkdirTemp("", "kubewalk-e2e")
		if err != nil {
			return err
		}
		o.logs = folder
	}
	suite := filepath.Join(o.logs, "e2e.test")
	if out, err := exec.Command("go", "test", "-c", "-o", suite, ".").CombinedOutput(); err != nil {
		return fmt.Errorf("compile the tests: %w\n%s", err, out)
	}
	list, err := exec.Command(suite, "--list-conformance-tests").Output()
	if err != nil {
		return fmt.Errorf("list the tests: %w", err)
	}
	names := make(chan string)
	go func() {
		defer close(names)
		for name := range strings.Lines(string(list)) {
			if name = strings.TrimSpace(name); name != "" && strings.Contains(name, o.match) {
				names <- name
			}
		}
	}()
	var (
		workers sync.WaitGroup
		lock    sync.Mutex
		results []result
		failure error
	)
	for i := range o.jobs {
		workers.Go(func() {
			err := work(o, suite, i, names, func(r result) {
				lock.Lock()
				defer lock.Unlock()
				results = append(results, r)
				fmt.Fprintf(os.Stderr, "%d %s: %s\n", len(results), r.outcome, r.name)
			})
			lock.Lock()
			defer lock.Unlock()
			failure = errors.Join(failure, err)
		})
	}
	workers.Wait()
	report(os.Stdout, results)
	return failure
}

// work runs tests, one after the other, on clusters of its own.
func work(o options, suite string, worker int, names <-chan string, done func(result)) error {
	var c *cluster
	defer func() { c.stop() }()
	n := 0
	for name := range names {
		if c == nil || n == testsOfACluster {
			c.stop()
			var err error
			if c, err = start(o, worker); err != nil {
				return err
			}
			n = 0
		}
		n++
		outcome, err := test(o, suite, c, name)
		if err != nil {
			return err
		}
		done(result{name, outcome})
	}
	return nil
}

// cluster is a running "kubewalk cluster".
type cluster struct {
	process    *exec.Cmd
	kubeconfig string
}

func start(o options, worker int) (*cluster, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	free.Close()
	c := &cluster{kubeconfig: filepath.Join(o.logs, fmt.Sprintf("kubeconfig-%d", worker))}
	os.Remove(c.kubeconfig)
	c.process = exec.Command(o.program, "cluster", "--listen", address, "--kubeconfig", c.kubeconfig, "--nodes", "2")
	c.process.Stderr = os.Stderr
	if err := c.process.Start(); err != nil {
		return nil, fmt.Errorf("start a cluster: %w", err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if exec.Command(o.kubectl, "--kubeconfig", c.kubeconfig, "wait", "--for=condition=Ready", "node", "--all", "--timeout=20s").Run() == nil {
			return c, nil
		}
	}
	c.stop()
	return nil, errors.New("the cluster's nodes are not ready after a minute")
}

func (c *cluster) stop() {
	if c != nil {
		c.process.Process.Signal(syscall.SIGTERM)
		c.process.Wait()
	}
}

var counts = regexp.MustCompile(`(\d+) Passed \| (\d+) Failed`)

// test runs one test of the suite.
func test(o options, suite string, c *cluster, name string) (string, error) {
	log := filepath.Join(o.logs, strings.Trim(regexp.MustCompile(`\W+`).ReplaceAllString(name, "-"), "-"))
	file, err := os.Create(log[:min(len(log), 200)] + ".log")
	if err != nil {
		return "", err
	}
	defer file.Close()
	ctx, cancel := context.WithTimeout(context.Background(), o.timeout)
	defer cancel()
	command := exec.CommandContext(ctx, suite, "--ginkgo.v", "--ginkgo.no-color", "--ginkgo.focus", regexp.QuoteMeta(name),
		"--kubeconfig", c.kubeconfig, "--provider", "local", "--kubectl-path", o.kubectl)
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = 20 * time.Second
	command.Stdout, command.Stderr = file, file
	err = command.Run()
	text, readErr := os.ReadFile(file.Name())
	found := counts.FindSubmatch(text)
	switch {
	case readErr != nil:
		return "", readErr
	case ctx.Err() != nil:
		return "timed out", nil
	case found == nil || err != nil || string(found[2]) != "0":
		return "failed", nil
	case string(found[1]) == "0":
		return "skipped", nil
	}
	return "passed", nil
}

// report prints the results as Markdown.
func report(w io.Writer, results []result) {
	groups := map[string]map[string]int{}
	all := map[string]int{}
	for _, r := range results {
		group, _, _ := strings.Cut(strings.TrimPrefix(r.name, "["), "]")
		if groups[group] == nil {
			groups[group] = map[string]int{}
		}
		groups[group][r.outcome]++
		all[r.outcome]++
	}
	fmt.Fprintf(w, "| group | passed | of |\n| --- | --- | --- |\n")
	line := func(name string, n map[string]int) {
		fmt.Fprintf(w, "| %s | %d | %d |\n", name, n["passed"], n["passed"]+n["failed"]+n["skipped"]+n["timed out"])
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		line(group, groups[group])
	}
	line("all", all)
	fmt.Fprintf(w, "\nNot passed:\n\n")
	slices.SortFunc(results, func(a, b result) int { return strings.Compare(a.name, b.name) })
	for _, r := range results {
		if r.outcome != "passed" {
			fmt.Fprintf(w, "- %s (%s)\n", strings.TrimSuffix(r.name, " [Conformance]"), r.outcome)
		}
	}
}

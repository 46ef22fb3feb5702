package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"kubewalk/playground/trace"
)

// wasm is the command that runs the wasm build of this one under Node: the larger one, which has everything. small is the one that pages load
// for most demos.
var (
	wasm  = sync.OnceValues(func() ([]string, error) { return underNode("trace.wasm", " -tags=cel") })
	small = sync.OnceValues(func() ([]string, error) { return underNode("small.wasm", "") })
)

// underNode builds as the site does.
func underNode(name, tags string) ([]string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, errors.New("node is not installed: it runs the wasm build (see README.md)")
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	runner := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js")
	program, err := build(name, "GOOS=js", "GOARCH=wasm", "GOFLAGS=-gcflags=kubewalk/...=-l"+tags)
	return []string{node, "--stack-size=8192", runner, program}, err
}

// native is the same command for this machine.
var native = sync.OnceValues(func() ([]string, error) {
	program, err := build("trace")
	return []string{program}, err
})

var programs string // the folder of what is built

func TestMain(m *testing.M) {
	var err error
	if programs, err = os.MkdirTemp("", "trace"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(programs)
	os.Exit(code)
}

func build(name string, env ...string) (string, error) {
	out := filepath.Join(programs, name)
	cmd := exec.Command("go", "build", "-o", out, ".")
	cmd.Env = append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, text)
	}
	return out, nil
}

// started starts a command and returns its output. done waits for its end, and fails the test when it went wrong.
func started(t *testing.T, command func() ([]string, error), args ...string) (out io.Reader, done func()) {
	t.Helper()
	call, err := command()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(call[0], append(call[1:len(call):len(call)], args...)...)
	// Node hands the whole environment to the program, which has room for 12 kB. A starved
	// garbage collector lets the largest demo grow to the 4 GB that wasm can have.
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "GOMEMLIMIT=2500MiB"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err = cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out, func() {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %v\n%s", cmd.Args, err, stderr.Bytes())
		}
	}
}

// printed runs a command and returns what it prints.
func printed(t *testing.T, command func() ([]string, error), args ...string) []byte {
	t.Helper()
	out, done := started(t, command, args...)
	text, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	done()
	return text
}

// eachDemo calls do with what scripts has printed for each demo, while it prints the next.
func eachDemo(out io.Reader, do func(path string, text []byte)) error {
	var path string
	var text bytes.Buffer
	in := bufio.NewReaderSize(out, 1<<20)
	for whole := true; ; {
		line, err := in.ReadSlice('\n')
		next, begins := bytes.CutPrefix(line, []byte(demoLine))
		begins, whole = begins && whole, err == nil // the rest of a long line begins nothing
		if path != "" && (begins || err == io.EOF) {
			do(path, text.Bytes())
			text.Reset()
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil && err != bufio.ErrBufferFull:
			return err
		case begins:
			path = string(bytes.TrimSpace(next))
		default:
			text.Write(line)
		}
	}
}

// sameLines compares two outputs and reports the first line in which they differ.
func sameLines(a, b io.Reader) error {
	x, y := bufio.NewScanner(a), bufio.NewScanner(b)
	x.Buffer(nil, 1<<24)
	y.Buffer(nil, 1<<24)
	for n := 1; ; n++ {
		mx, my := x.Scan(), y.Scan()
		if !mx && !my {
			return errors.Join(x.Err(), y.Err())
		}
		if x.Text() != y.Text() || mx != my {
			return fmt.Errorf("line %d:\nnative: %.400s\nwasm:   %.400s", n, x.Text(), y.Text())
		}
	}
}

// TestDemos runs the script of each demo on both hosts, once on each: traces and frames are the same,
// and whoever asks of any event why it happened, and of that again, comes to what was done from
// outside, or to a component that came up. Two processes have a half of the demos each: Node compiles
// the program, and warms up, once in each.
func TestDemos(t *testing.T) {
	demos, err := filepath.Glob("../../../content/demos/*.yaml")
	if err != nil || len(demos) < 2 {
		t.Fatalf("no demos: %v", err)
	}
	var halves [2][]string
	for i, demo := range demos {
		halves[i%2] = append(halves[i%2], demo)
	}
	for i, half := range halves {
		t.Run(fmt.Sprint("half", i+1), func(t *testing.T) {
			t.Parallel()
			out, done := started(t, wasm, half...)
			compared := 0
			err := eachDemo(out, func(demo string, theirs []byte) {
				compared++
				t.Run(strings.TrimSuffix(filepath.Base(demo), ".yaml"), func(t *testing.T) { sameOnBoth(t, demo, theirs) })
			})
			if err != nil {
				t.Fatal(err)
			}
			done()
			if compared != len(half) {
				t.Errorf("%d of %d demos were compared", compared, len(half))
			}
		})
	}
}

// sameOnBoth compares what a demo prints here with what it printed in wasm.
func sameOnBoth(t *testing.T, demo string, theirs []byte) {
	var ours bytes.Buffer
	run, err := script(demo, &ours)
	if err != nil {
		t.Fatal(err)
	}
	causes(t, run)
	if ours.Len() < 1000 {
		t.Errorf("the trace is only %d bytes", ours.Len())
	}
	if err := sameLines(&ours, bytes.NewReader(theirs)); err != nil {
		t.Error(err)
	}
}

// TestSmallBuild: a cluster of which nothing is said is the same in the build that a page loads for it, and so are those in which definitions,
// webhooks and policies could matter. What the reader does goes on from what was recorded here.
func TestSmallBuild(t *testing.T) {
	const demos = "../../../content/demos/"
	for _, demo := range []string{"testdata/defaults.yaml", demos + "kind-of-your-own.yaml", demos + "request-life.yaml", demos + "admission-webhooks.yaml"} {
		t.Run(strings.TrimSuffix(filepath.Base(demo), ".yaml"), func(t *testing.T) {
			sameOnBoth(t, demo, bytes.TrimPrefix(printed(t, small, demo), []byte(demoLine+demo+"\n")))
		})
	}
}

// TestRareKinds: what is about rare kinds, in a cluster that was not asked for them, is the same on both hosts. The build that a page loads first
// says the same up to there, for the page goes on with the larger one.
func TestRareKinds(t *testing.T) {
	const demo, first = "testdata/rare-kinds.yaml", `command="get flowschemas"`
	var ours bytes.Buffer
	if _, err := script(demo, &ours); err != nil {
		t.Fatal(err)
	}
	before := func(text []byte) []byte {
		out, _, ok := bytes.Cut(bytes.TrimPrefix(text, []byte(demoLine+demo+"\n")), []byte(first))
		if !ok {
			t.Errorf("nothing is about %s", first)
		}
		return out
	}
	if err := sameLines(bytes.NewReader(before(ours.Bytes())), bytes.NewReader(before(printed(t, small, demo)))); err != nil {
		t.Error(err)
	}
	sameOnBoth(t, demo, bytes.TrimPrefix(printed(t, wasm, demo), []byte(demoLine+demo+"\n")))
}

// causes checks that every event has one that is earlier, or comes from outside.
func causes(t *testing.T, run *trace.Recorder) {
	t.Helper()
	inputs := 0
	for i := range run.Len() {
		e := run.Event(trace.ID(i + 1))
		if e.Cause >= e.ID {
			t.Fatalf("event %d is caused by event %d, which is later", e.ID, e.Cause)
		}
		if e.Cause != 0 {
			continue
		}
		switch e.Op {
		case trace.Input:
			inputs++
		case trace.ComponentStart:
		default:
			t.Errorf("nothing led to event %d, %s of %s (cure: hand the cause over, with Kernel.Because or Proc.Due)", e.ID, e.Op, e.Component)
		}
	}
	if inputs == 0 {
		t.Error("it has no input")
	}
}

// TestRandomExperiments runs random experiments on both hosts: what must hold
// is checked in each (package chaos), and their traces are compared by hash.
// Thousands more run natively (make test-random); here wasm sets the pace.
func TestRandomExperiments(t *testing.T) {
	t.Parallel()
	n := 100
	if testing.Short() {
		n = 30
	}
	native, wasm := printed(t, native, "-random", fmt.Sprint(n)), printed(t, wasm, "-random", fmt.Sprint(n))
	for _, line := range strings.Split(string(native)+string(wasm), "\n") {
		if strings.Contains(line, "FAILED") {
			t.Errorf("%s\n\tsee it with: go run ./playground/check/trace -random 1 -print -seed N", line)
		}
	}
	if lines := bytes.Count(native, []byte("\n")); lines < n {
		t.Errorf("%d experiments printed %d lines", n, lines)
	}
	if err := sameLines(bytes.NewReader(native), bytes.NewReader(wasm)); err != nil {
		t.Errorf("the same seed gives other traces natively (%s) and in wasm: %v", runtime.GOARCH, err)
	}
}

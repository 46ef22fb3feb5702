package main_test

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
	"testing"
)

// hosts are the two builds of this command: for this machine, and for wasm
// under Node.
type hosts struct{ native, wasm []string }

func build(t *testing.T) hosts {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is not installed: it runs the wasm build (see README.md)")
	}
	dir := t.TempDir()
	compile := func(name string, env ...string) string {
		out := filepath.Join(dir, name)
		cmd := exec.Command("go", "build", "-o", out, ".")
		cmd.Env = append(os.Environ(), env...)
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("building %s: %v\n%s", name, err, text)
		}
		return out
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	runner := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js")
	return hosts{
		native: []string{compile("trace")},
		wasm:   []string{node, "--stack-size=8192", runner, compile("trace.wasm", "GOOS=js", "GOARCH=wasm", "GOFLAGS=-gcflags=kubewalk/...=-l")}, // as the site builds it,
	}
}

// both runs the command on both hosts, at the same time, and returns what they printed.
func (h hosts) both(args ...string) (native, wasm []byte, err error) {
	var out [2]bytes.Buffer
	var stderr [2]bytes.Buffer
	var cmds [2]*exec.Cmd
	for i, c := range [2][]string{h.native, h.wasm} {
		cmds[i] = exec.Command(c[0], append(c[1:len(c):len(c)], args...)...)
		// Node hands the whole environment to the program, which has room for 12 kB. A starved
		// garbage collector lets the largest demo grow to the 4 GB that wasm can have.
		cmds[i].Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "GOMEMLIMIT=2500MiB"}
		cmds[i].Stdout, cmds[i].Stderr = &out[i], &stderr[i]
		if err := cmds[i].Start(); err != nil {
			return nil, nil, err
		}
	}
	for i := range cmds {
		if e := cmds[i].Wait(); e != nil {
			err = errors.Join(err, fmt.Errorf("%v: %w\n%s", cmds[i].Args, e, stderr[i].Bytes()))
		}
	}
	return out[0].Bytes(), out[1].Bytes(), err
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

func TestDemosAreTheSameOnEveryHost(t *testing.T) {
	h := build(t)
	demos, err := filepath.Glob("../../../content/demos/*.yaml")
	if err != nil || len(demos) == 0 {
		t.Fatalf("no demos: %v", err)
	}
	for _, demo := range demos {
		t.Run(strings.TrimSuffix(filepath.Base(demo), ".yaml"), func(t *testing.T) {
			native, wasm, err := h.both(strings.TrimSuffix(demo, ".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			if len(native) < 1000 {
				t.Errorf("the trace is only %d bytes", len(native))
			}
			if err := sameLines(bytes.NewReader(native), bytes.NewReader(wasm)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRandomExperiments runs random experiments on both hosts: what must hold
// is checked in each (package chaos), and their traces are compared by hash.
// Thousands more run natively (make test-random); here wasm sets the pace, and
// on a busy machine all of it has to end within go test's ten minutes.
func TestRandomExperiments(t *testing.T) {
	n := 100
	if testing.Short() {
		n = 30
	}
	h := build(t)
	native, wasm, err := h.both("-random", fmt.Sprint(n))
	for _, line := range strings.Split(string(native)+string(wasm), "\n") {
		if strings.Contains(line, "FAILED") {
			t.Errorf("%s\n\tsee it with: go run ./playground/cmd/trace -random 1 -print -seed N", line)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(native, []byte("\n")); lines < n {
		t.Errorf("%d experiments printed %d lines", n, lines)
	}
	if err := sameLines(bytes.NewReader(native), bytes.NewReader(wasm)); err != nil {
		t.Errorf("the same seed gives other traces natively (%s) and in wasm: %v", runtime.GOARCH, err)
	}
}

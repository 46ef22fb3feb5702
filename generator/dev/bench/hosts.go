package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// compared are benchmarks that run natively and as wasm under Node, one after
// the other, so that the machine is the same for both.
var compared = []struct{ pkg, pattern, times string }{
	{"./playground/sim", "^BenchmarkSwitch$", "1000000x"},
	{"./playground/cluster", "^BenchmarkReady$/^300pods$", "3x"},
	{"./playground/demo/session", "^Benchmark(Record|Run)$", "5x"},
	{"./playground/demo/session", "^BenchmarkBranch$", "3x"},
}

// hosts prints how much slower the same code is in wasm.
func hosts(table io.Writer) error {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return err
	}
	runner := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js")
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, c := range compared {
		native, err := nanoseconds(c.pkg, []string{filepath.Join(dir, "native")}, c.pattern, c.times)
		if err != nil {
			return err
		}
		wasm, err := nanoseconds(c.pkg, []string{"node", "--stack-size=8192", runner, filepath.Join(dir, "wasm")}, c.pattern, c.times, "GOOS=js", "GOARCH=wasm")
		if err != nil {
			return err
		}
		for i, n := range native {
			if i >= len(wasm) || wasm[i].name != n.name {
				return fmt.Errorf("%s: %s did not run as wasm", c.pkg, n.name)
			}
			fmt.Fprintf(table, "%s %s, wasm\t%.0f ns/op\t%.1f times native, %.0f ns/op\n",
				strings.TrimPrefix(c.pkg, "./"), n.name, wasm[i].ns, wasm[i].ns/n.ns, n.ns)
		}
	}
	return nil
}

type measured struct {
	name string
	ns   float64
}

// nanoseconds builds a package's tests for a host and runs its benchmarks there.
func nanoseconds(pkg string, command []string, pattern, times string, target ...string) ([]measured, error) {
	build := exec.Command("go", "test", "-c", "-o", command[len(command)-1], pkg)
	build.Env = append(os.Environ(), target...)
	if text, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", build.Args, err, text)
	}
	run := exec.Command(command[0], append(command[1:len(command):len(command)], "-test.run", "^$", "-test.bench", pattern, "-test.benchtime", times)...)
	run.Dir = pkg
	// Node hands the whole environment to the program, which has room for 12 kB.
	run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}
	text, err := run.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", run.Args, err, text)
	}
	var out []measured
	for line := range strings.Lines(string(text)) {
		m := result.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		value, _, _ := strings.Cut(m[2], " ")
		ns, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", line, err)
		}
		out = append(out, measured{m[1], ns})
	}
	return out, nil
}

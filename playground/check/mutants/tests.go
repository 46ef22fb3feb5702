package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// suite is a package's compiled tests.
type suite struct {
	pkg, dir, binary string
	tests            []*test
}

// test is one test function, as it ran without a mutant.
type test struct {
	name    string
	took    time.Duration
	reaches map[int]bool // mutants, by number
}

// build compiles the tests that are needed; packages without tests are left out.
func build(dir, overlay string, chosen []*mutant) (suites []*suite, err error) {
	var paths []string
	for _, m := range chosen {
		for _, pkg := range judgesOf(m.pkg) {
			path := module + pkg
			if tests, _ := filepath.Glob(filepath.Join("playground", pkg, "*_test.go")); len(tests) > 0 && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	for _, path := range paths {
		pkg := strings.TrimPrefix(path, module)
		s := &suite{pkg: pkg, dir: filepath.Join("playground", pkg), binary: filepath.Join(dir, strings.ReplaceAll(pkg, "/", "-")+".test")}
		out, err := exec.Command("go", "test", "-c", "-vet=off", "-overlay", overlay, "-o", s.binary, "./"+s.dir).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%s: %v\n%s", pkg, err, out)
		}
		suites = append(suites, s)
	}
	return suites, nil
}

func count(suites []*suite) (n int) {
	for _, s := range suites {
		n += len(s.tests)
	}
	return n
}

// measure runs each test by itself, and notes how long it takes and which mutants it comes to.
func (s *suite) measure(dir string) error {
	list := exec.Command(s.binary, "-test.list", "^(Test|Fuzz|Example)")
	list.Dir = s.dir
	names, err := list.Output()
	if err != nil {
		return fmt.Errorf("%s: %v", s.pkg, err)
	}
	for _, name := range strings.Fields(string(names)) {
		if s.pkg == last && name != askedLast {
			continue
		}
		notes := filepath.Join(dir, strings.ReplaceAll(s.pkg, "/", "-")+"."+name)
		if err := os.WriteFile(notes, nil, 0o600); err != nil {
			return err
		}
		t := &test{name: name, reaches: map[int]bool{}}
		began := time.Now()
		if out, ok := s.run([]*test{t}, time.Hour, reachVariable+"="+notes); !ok {
			return fmt.Errorf("%s of %s fails without a mutant:\n%s", name, s.pkg, out)
		}
		t.took = time.Since(began)
		text, err := os.ReadFile(notes)
		if err != nil {
			return err
		}
		for _, line := range strings.Fields(string(text)) {
			n, err := strconv.Atoi(line)
			if err != nil {
				return err
			}
			t.reaches[n] = true
		}
		if len(t.reaches) > 0 {
			s.tests = append(s.tests, t)
		}
	}
	return nil
}

// quick is how long tests take that are run before all others.
const quick = 300 * time.Millisecond

// judge runs the tests that come to a mutant, until one fails.
func (m *mutant) judge(suites []*suite) {
	wanted := judgesOf(m.pkg)
	for _, isQuick := range []bool{true, false} {
		for _, pkg := range wanted {
			i := slices.IndexFunc(suites, func(s *suite) bool { return s.pkg == pkg })
			if i < 0 {
				continue
			}
			var tests []*test
			for _, t := range suites[i].tests {
				if t.reaches[m.id] && (t.took < quick) == isQuick {
					tests = append(tests, t)
				}
			}
			if len(tests) == 0 {
				continue
			}
			m.fate = survived
			if out, passed := suites[i].run(tests, limit(tests), fmt.Sprint(variable, "=", m.id)); !passed {
				m.fate, m.killedBy = killed, pkg+" "+blamed(out)
				return
			}
		}
	}
}

// limit is how long tests may take with a mutant: ten times as long as without, and a moment for a machine that does something else.
func limit(tests []*test) time.Duration {
	sum := 2 * time.Second
	for _, t := range tests {
		sum += 10 * t.took
	}
	return sum
}

var failure = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^panic: (test timed out)`)

// blamed is which test failed, by what it printed.
func blamed(out string) string {
	if m := failure.FindStringSubmatch(out); m != nil {
		return m[1] + m[2]
	}
	return "a process that ended"
}

// maxMemory is what a test may take: a mutant may collect without end. The test counts as failed then.
const maxMemory = 2 << 30

// run runs tests up to the first that fails, and tells whether all passed.
func (s *suite) run(tests []*test, limit time.Duration, environment string) (output string, passed bool) {
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = t.name
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	cmd := exec.CommandContext(ctx, s.binary, "-test.short", "-test.failfast", "-test.timeout", limit.String(), "-test.run", "^("+strings.Join(names, "|")+")$")
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), environment)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return err.Error(), false
	}
	go func() {
		for end := time.Now().Add(limit + 5*time.Second); ctx.Err() == nil; time.Sleep(100 * time.Millisecond) {
			if resident(cmd.Process.Pid) > maxMemory || time.Now().After(end) {
				cancel()
			}
		}
	}()
	err := cmd.Wait()
	return out.String(), err == nil
}

// resident is how much memory a process has, 0 where the system does not say.
func resident(pid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	var size, pages int
	fmt.Sscan(string(text), &size, &pages)
	return pages * os.Getpagesize()
}

package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"kubewalk/generator/build/toolchain"
)

// The peer's version and checksums are in its package-lock.json, which names no registry.
//
//go:embed peer
var peerFiles embed.FS

// peerFolder keeps the installed peer between runs.
const peerFolder = ".cache/peer"

// rounds is how often each host does the work of each size; medians count. At 3,000 Pods the peer takes minutes.
var rounds = []struct{ nodes, pods, runs int }{{3, 300, 3}, {30, 3000, 1}}

// ourRuns are BenchmarkReady of playground/cluster by host and by how much of the trace is kept. "off" keeps none, as the
// peer does; "all" keeps every event with its cause and its call stack, which the peer has nothing like. Each is in a program
// that has just been started, as the peer is. "again" is the mean of the second and third time in one program: as in a page
// that has run the demo once already, V8 has compiled most of the code.
var ourRuns = []struct{ host, level, times string }{
	{"wasm", "off", once}, {"wasm", "all", once}, {"wasm", "off", again}, {"wasm", "all", again}, {"native", "off", once}, {"native", "all", once},
}

// What go test makes of -benchtime: the first time does not count if there are more.
const once, again = "1x", "2x"

func nameOf(host, level, times string) string {
	if times == again {
		return host + " " + level + " again"
	}
	return host + " " + level
}

// peer prints what it costs to bring a Deployment's Pods to Ready in webernetes and in ours: processor time of all threads, from
// the Deployment's creation to the last Pod's readiness, in a cluster that has come to rest. Both have nodes with kubelets and
// containers, a scheduler and the controllers; ours has all of kube-controller-manager's, the peer six of them, kube-proxy and DNS.
// The hosts take turns, so that the machine is the same for all.
func peer(table io.Writer) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	theirs, err := installPeer(dir)
	if err != nil {
		return err
	}
	commands, err := buildReady(dir)
	if err != nil {
		return err
	}
	smallest := map[string]float64{}
	for _, r := range rounds {
		used := map[string][]float64{}
		for range r.runs {
			seconds, err := peerReady(theirs, r.nodes, r.pods)
			if err != nil { // it may give up at a size that ours reach
				fmt.Fprintf(table, "webernetes, %d Pods Ready\tnot measured\t%v\n", r.pods, err)
			} else {
				used["webernetes"] = append(used["webernetes"], seconds)
			}
			for _, o := range ourRuns {
				pattern := fmt.Sprintf("^BenchmarkReady$/^%dpods$/^%s$", r.pods, o.level)
				if seconds, err = ourReady(commands[o.host], pattern, o.times); err != nil {
					return err
				}
				name := nameOf(o.host, o.level, o.times)
				used[name] = append(used[name], seconds)
			}
		}
		them := middle(used["webernetes"])
		for _, name := range append([]string{"webernetes"}, ourNames()...) {
			seconds := middle(used[name])
			if seconds == 0 {
				continue
			}
			var more []string
			if name != "webernetes" && them > 0 {
				more = append(more, fmt.Sprintf("webernetes takes %.1f times as much", them/seconds))
			}
			if first := smallest[name]; first == 0 {
				smallest[name] = seconds / float64(r.pods)
			} else {
				more = append(more, fmt.Sprintf("%.2f times as much a Pod as with %d", seconds/float64(r.pods)/first, rounds[0].pods))
			}
			fmt.Fprintf(table, "%s, %d Pods Ready\t%.2f s of processor\t%s\n", name, r.pods, seconds, strings.Join(more, "; "))
		}
	}
	return nil
}

func ourNames() (out []string) {
	for _, o := range ourRuns {
		out = append(out, nameOf(o.host, o.level, o.times))
	}
	return out
}

// middle is the median; 0 of none.
func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// installPeer has npm install what the lock file says, by name and checksum, and returns the program for Node.
func installPeer(dir string) (string, error) {
	if err := os.MkdirAll(peerFolder, 0o755); err != nil {
		return "", err
	}
	for _, name := range []string{"package.json", "package-lock.json", "ready.mjs"} {
		text, err := peerFiles.ReadFile("peer/" + name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(peerFolder, name), text, 0o644); err != nil {
			return "", err
		}
	}
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = peerFolder
	if text, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", install.Args, err, text)
	}
	// It is published for bundlers: its imports have no extensions, so Node alone finds none of them.
	out := filepath.Join(dir, "peer.mjs")
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(peerFolder, "ready.mjs")}, Outfile: out,
		Bundle: true, Write: true, Format: api.FormatESModule, Platform: api.PlatformNode, MainFields: []string{"module", "main"},
	})
	if len(result.Errors) > 0 {
		return "", fmt.Errorf("the peer: %s", result.Errors[0].Text)
	}
	return out, nil
}

func peerReady(program string, nodes, pods int) (float64, error) {
	run := exec.Command("node", program, fmt.Sprint(nodes), fmt.Sprint(pods))
	var said strings.Builder
	run.Stderr = &said
	text, err := run.Output()
	if err != nil {
		return 0, fmt.Errorf("%w: %s", err, lastLine(said.String()))
	}
	var result struct{ CPU float64 }
	if err := json.Unmarshal([]byte(lastLine(string(text))), &result); err != nil {
		return 0, fmt.Errorf("the peer printed %q: %w", text, err)
	}
	return result.CPU, nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// buildReady builds the benchmark for both hosts, as the site builds the control plane.
func buildReady(dir string) (map[string][]string, error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	runner := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js")
	native, wasm := filepath.Join(dir, "native"), filepath.Join(dir, "wasm")
	larger, ok, err := toolchain.LargerGrowth(filepath.Join(dir, "overlay"))
	if err != nil {
		return nil, err
	}
	flags := []string{"-gcflags=kubewalk/...=-l"}
	if ok {
		flags = append(flags, larger)
	}
	for out, flags := range map[string][]string{native: nil, wasm: flags} {
		build := exec.Command("go", append(append([]string{"test", "-c", "-o", out}, flags...), readyPackage)...)
		if build.Env = os.Environ(); out == wasm {
			build.Env = append(build.Env, "GOOS=js", "GOARCH=wasm")
		}
		if text, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%v: %w\n%s", build.Args, err, text)
		}
	}
	return map[string][]string{"native": {native}, "wasm": {"node", "--stack-size=8192", runner, wasm}}, nil
}

const readyPackage = "./playground/cluster"

func ourReady(command []string, pattern, times string) (float64, error) {
	run := exec.Command(command[0], append(slices.Clone(command[1:]), "-test.run", "^$", "-test.bench", pattern, "-test.benchtime", times)...)
	run.Dir = readyPackage
	// Collecting garbage as rarely as in a reader's browser (wasm/main.go). Node hands the whole environment on.
	run.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "GOGC=400"}
	text, err := run.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("%v: %w\n%s", run.Args, err, text)
	}
	fields := strings.Fields(string(text))
	i := slices.Index(fields, "cpu-ms/op")
	if i < 1 {
		return 0, fmt.Errorf("%v tells no cpu-ms/op:\n%s", run.Args, text)
	}
	took, err := time.ParseDuration(fields[i-1] + "ms")
	return took.Seconds(), err
}

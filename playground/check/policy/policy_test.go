//go:build !js

package policy

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// hosts may use the machine: they are no part of what is simulated.
var hosts = []string{"api/protobuf", "httpapi", "demo/demofile/*", "demo/link", "check/conformance/transcript", "check/trace", "check/mutants"}

// banned is what must not be used below the hosts, and the cure.
var banned = map[string]string{
	"sync":          "one process runs at a time: plain variables do",
	"sync/atomic":   "one process runs at a time: plain variables do",
	"context":       "take a *sim.Proc",
	"math/rand":     "use sim.Kernel.Rand",
	"math/rand/v2":  "use sim.Kernel.Rand",
	"crypto/rand":   "use sim.Kernel.Rand",
	"net/http":      "it is a megabyte of wasm: hosts speak HTTP",
	"net":           "hosts speak to the network",
	"os":            "hosts read files and the environment",
	"os/exec":       "hosts run programs",
	"log":           "use sim.Proc.Logger",
	"log/slog":      "use sim.Proc.Logger",
	"regexp":        "it is 90 kB of wasm: write the few characters' test out",
	"unsafe":        "there is no need",
	"text/template": "it is large and needs reflection: build the text with strings.Builder",
	"html/template": "it is large and needs reflection: escape with a small function",
}

// regular may import regexp: the patterns in schemas of custom resources are regular expressions, as upstream. It does so in the second build.
const regular = "controlplane/apiserver/pattern"

// second is in the second build of the control plane alone, with cel-go, which needs regexp and is larger than all that is banned.
const second = "controlplane/apiserver/cel/evaluator"

// bannedCalls are functions of packages that are otherwise fine.
var bannedCalls = map[string]string{
	"time.Now": "use sim.Proc.Time", "time.Since": "use sim.Proc.Now", "time.Until": "use sim.Proc.Now",
	"time.Sleep": "use sim.Proc.Sleep", "time.After": "use sim.Component.After", "time.AfterFunc": "use sim.Component.After",
	"time.NewTimer": "use sim.Component.After", "time.NewTicker": "use sim.Proc.Sleep in a loop", "time.Tick": "use sim.Proc.Sleep in a loop",
	"math.Exp": "it differs between amd64 and wasm: use whole numbers", "math.Pow": "it differs between amd64 and wasm: use whole numbers",
	"math.Log": "it differs between amd64 and wasm: use whole numbers", "math.FMA": "use whole numbers",
}

func load(t *testing.T, pattern string) []*packages.Package {
	t.Helper()
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes |
		packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps}
	pkgs, err := packages.Load(cfg, pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Fatalf("%s does not compile: %v", p.PkgPath, e)
		}
	}
	return pkgs
}

func covers(pattern, pkg string) bool {
	if base, ok := strings.CutSuffix(pattern, "/*"); ok {
		return pkg == base || strings.HasPrefix(pkg, base+"/")
	}
	return pattern == pkg
}

func isHost(pkg string) bool {
	return slices.ContainsFunc(hosts, func(h string) bool { return covers(h, pkg) })
}

func TestPolicy(t *testing.T) {
	pkgs := load(t, module+"...")
	if len(pkgs) < 10 {
		t.Fatalf("only %d packages were found", len(pkgs))
	}
	for _, p := range pkgs {
		pkg, below := strings.CutPrefix(p.PkgPath, module)
		if !below {
			continue
		}
		if isHost(pkg) {
			continue
		}
		for _, f := range inspect(p) {
			if (pkg == regular || pkg == second) && strings.HasPrefix(f.message, "imports regexp") {
				continue
			}
			t.Errorf("playground/%s/%s:%d:%d: %s", pkg, filepath.Base(f.at.Filename), f.at.Line, f.at.Column, f.message)
		}
	}
}

// TestEveryFolderIsInTheMap keeps layers and doc.go complete, and free of
// packages that are gone: the folders of playground, and those of its groups.
func TestEveryFolderIsInTheMap(t *testing.T) {
	doc, err := os.ReadFile("../../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	groups := []string{"controlplane", "node", "demo", "check"}
	there := map[string]bool{}
	for _, group := range append([]string{"."}, groups...) {
		entries, err := os.ReadDir(filepath.Join("../..", group))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !e.IsDir() {
				continue
			}
			name := path.Join(group, e.Name())
			there[name] = true
			if !strings.Contains(string(doc), e.Name()) {
				t.Errorf("folder playground/%s is not in doc.go's map", name)
			}
			if !slices.Contains(groups, name) && !slices.ContainsFunc(layers, func(l layer) bool { return covers(l.pkg, name) }) {
				t.Errorf("folder playground/%s is in no layer: add it to layers_test.go", name)
			}
		}
	}
	for _, l := range layers {
		folder := strings.TrimSuffix(l.pkg, "/*")
		if info, err := os.Stat(filepath.Join("../..", folder)); !there[folder] && (err != nil || !info.IsDir()) {
			t.Errorf("layers_test.go names %s, which is gone", l.pkg)
		}
	}
}

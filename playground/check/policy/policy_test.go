//go:build !js

package policy

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// layer is who a package may import below playground/. "x/*" stands for x and
// all below it.
type layer struct{ pkg, may string }

// layers is the whole order, as data: the first line that covers a package is
// its own. The form is that of the Go tree's src/go/build/deps_test.go.
var layers = []layer{
	{"api/schema", ""},
	{"api/types", ""},
	{"api/*", "api/*"},
	{"trace", ""},
	{"sim", "trace"},

	{"controlplane/store", "api/* sim trace"},
	{"controlplane/workqueue", "sim trace"},
	{"controlplane/client/*", "api/* sim trace controlplane/workqueue controlplane/client/*"},
	{"controlplane/transport", "api/* sim trace controlplane/client"},
	{"controlplane/apiserver/*", "api/* sim trace controlplane/store controlplane/client controlplane/transport controlplane/apiserver/*"},
	{"controlplane/controller/*", "api/* sim trace controlplane/workqueue controlplane/client/* controlplane/controller/*"},
	{"controlplane/requestinfo", "api/* controlplane/client"},
	{"controlplane/discovery", "api/*"},
	{"controlplane/cloud", "api/* sim trace controlplane/workqueue controlplane/client/*"},
	{"controlplane/scheduler/*", "api/* sim trace controlplane/workqueue controlplane/client/* controlplane/scheduler/*"},

	{"node/kubelet/*", "api/* sim trace controlplane/workqueue controlplane/client/* node/kubelet/*"},
	{"node/metrics", "api/* sim trace"},
	{"node/kwok", "api/* sim trace controlplane/client/*"},
	{"node/network", "sim trace"},
	{"node/ingress", "api/* sim trace controlplane/workqueue controlplane/client/* node/network"},
	{"node/*", "api/* sim trace controlplane/client/* node/network"},

	{"operator/*", "api/* sim trace controlplane/workqueue controlplane/client/*"},
	{"kubectl", "api/* sim trace controlplane/client controlplane/discovery controlplane/requestinfo"},
	{"cluster/suggest", ""},
	{"cluster", "api/* sim trace controlplane/* node/* operator/* kubectl cluster/suggest"},

	{"httpapi", "api/* cluster controlplane/client controlplane/requestinfo controlplane/discovery controlplane/apiserver/printers"},

	{"demo/indent", ""},
	{"demo/scenario", "api/* trace cluster/*"},
	{"demo/phrase", "trace api/*"},
	{"demo/scene", "api/* trace demo/phrase"},
	{"demo/score", "api/* trace demo/phrase"},
	{"demo/recording", "api/* trace demo/scene demo/score demo/phrase"},
	{"demo/session", "api/* trace cluster demo/scenario demo/scene demo/recording demo/phrase"},
	{"demo/demofile", "api/* trace cluster/* demo/scenario demo/indent"},
	{"demo/link", "api/* trace cluster/*"},
	{"demo/demofile/rehearsal", "api/* trace cluster/* demo/scenario demo/session demo/scene demo/demofile"},

	{"check/chaos", "api/* sim trace controlplane/client cluster demo/scenario"},
	{"check/trace", "api/* sim trace cluster demo/* check/chaos"},
	{"check/*", ""},
}

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

// regular may import regexp: the patterns in schemas of custom resources are regular expressions, as upstream.
const regular = "controlplane/apiserver/customresource"

// bannedCalls are functions of packages that are otherwise fine.
var bannedCalls = map[string]string{
	"time.Now": "use sim.Proc.Time", "time.Since": "use sim.Proc.Now", "time.Until": "use sim.Proc.Now",
	"time.Sleep": "use sim.Proc.Sleep", "time.After": "use sim.Component.After", "time.AfterFunc": "use sim.Component.After",
	"time.NewTimer": "use sim.Component.After", "time.NewTicker": "use sim.Proc.Sleep in a loop", "time.Tick": "use sim.Proc.Sleep in a loop",
	"math.Exp": "it differs between amd64 and wasm: use whole numbers", "math.Pow": "it differs between amd64 and wasm: use whole numbers",
	"math.Log": "it differs between amd64 and wasm: use whole numbers", "math.FMA": "use whole numbers",
}

const module = "kubewalk/playground/"

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
		var imports []string
		for path := range p.Imports {
			imports = append(imports, path)
		}
		for _, wrong := range misplaced(layers, pkg, imports) {
			t.Error(wrong)
		}
		if isHost(pkg) {
			continue
		}
		for _, f := range inspect(p) {
			if pkg == regular && strings.HasPrefix(f.message, "imports regexp") {
				continue
			}
			t.Errorf("playground/%s/%s:%d:%d: %s", pkg, filepath.Base(f.at.Filename), f.at.Line, f.at.Column, f.message)
		}
	}
}

// apart are the layers that meet only through objects in the API.
var apart = []string{"controlplane/controller/*", "controlplane/scheduler/*", "controlplane/cloud", "node/kubelet/*", "node/proxy", "node/dns", "node/ingress",
	"node/netpolicy", "operator/*"}

// misplaced says which imports of a package the layers do not allow.
func misplaced(layers []layer, pkg string, imports []string) []string {
	i := slices.IndexFunc(layers, func(l layer) bool { return covers(l.pkg, pkg) })
	if i < 0 {
		return []string{fmt.Sprintf("package %s stands in no layer: add it to layers in policy_test.go and to doc.go", pkg)}
	}
	own := layers[i]
	var wrong []string
	slices.Sort(imports)
	for _, imported := range imports {
		dep, ours := strings.CutPrefix(imported, module)
		if !ours {
			continue
		}
		if !slices.ContainsFunc(strings.Fields(own.may), func(m string) bool { return covers(m, dep) }) {
			wrong = append(wrong, fmt.Sprintf("%s imports %s, but may import only: %s\n\tmove what it needs to a lower layer, or let a higher one pass it in", pkg, dep,
				own.may))
		}
		for _, a := range apart {
			for _, b := range apart {
				if a != b && covers(a, pkg) && covers(b, dep) {
					wrong = append(wrong, fmt.Sprintf("%s imports %s: they meet only through objects in the API", pkg, dep))
				}
			}
		}
	}
	return wrong
}

func TestMisplacedImportsAreFound(t *testing.T) {
	data := []layer{{"sim", ""}, {"store", "sim"}, {"controlplane/controller/*", "sim controlplane/scheduler/*"}, {"controlplane/scheduler/*", "sim"},
		{"cmd/*", "store"}}
	for _, test := range []struct {
		pkg, imports string
		want         string // part of the only message; "" for none
	}{
		{"store", "sim fmt", ""},
		{"store", "sim/inner", "store imports sim/inner, but may import only: sim"},
		{"sim", "store", "sim imports store, but may import only: \n\tmove what it needs to a lower layer"},
		{"new", "sim", "package new stands in no layer: add it to layers in policy_test.go and to doc.go"},
		{"cmd/trace", "store", ""},
		{"command", "store", "stands in no layer"},
		{"controlplane/controller/replicaset", "sim", ""},
		{"controlplane/controller", "controlplane/scheduler/framework",
			"controlplane/controller imports controlplane/scheduler/framework: they meet only through objects in the API"},
	} {
		var imports []string
		for _, i := range strings.Fields(test.imports) {
			if i != "fmt" {
				i = module + i
			}
			imports = append(imports, i)
		}
		got := misplaced(data, test.pkg, imports)
		if test.want == "" && len(got) != 0 || test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)) {
			t.Errorf("%s importing %s: got %q, want %q", test.pkg, test.imports, got, test.want)
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
				t.Errorf("folder playground/%s is in no layer: add it to layers in policy_test.go", name)
			}
		}
	}
	for _, l := range layers {
		folder := strings.TrimSuffix(l.pkg, "/*")
		if info, err := os.Stat(filepath.Join("../..", folder)); !there[folder] && (err != nil || !info.IsDir()) {
			t.Errorf("layers names %s, which is gone", l.pkg)
		}
	}
}

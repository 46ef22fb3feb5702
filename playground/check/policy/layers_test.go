//go:build !js

package policy

import (
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const project, module = "kubewalk/", "kubewalk/playground/"

// layer is who a package may import of its tree. "x/*" stands for x and all below it.
type layer struct{ pkg, may string }

// tree is packages whose paths are told from one folder on.
type tree struct {
	module string // what their import paths begin with
	layers []layer
}

// repository is the whole order of this repository's Go, as data: the first line of a tree that covers a package is its own. The form is
// that of the Go tree's src/go/build/deps_test.go. site/widgets/layering.test.ts has the order of the page's TypeScript.
var repository = []tree{{module, layers}, {project, around}}

// layers is the control plane: it knows nothing of the site.
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
	{"controlplane/apiserver/*", "api/* sim trace controlplane/store controlplane/client controlplane/transport controlplane/discovery controlplane/apiserver/*"},
	{"controlplane/controller/*", "api/* sim trace controlplane/workqueue controlplane/client/* controlplane/controller/*"},
	{"controlplane/requestinfo", "api/* controlplane/client"},
	{"controlplane/discovery", "api/*"},
	{"controlplane/cloud", "api/* sim trace controlplane/workqueue controlplane/client/*"},
	{"controlplane/scheduler/*", "api/* sim trace controlplane/workqueue controlplane/client/* controlplane/scheduler/*"},

	{"node/csi", "sim trace"},
	{"node/kubelet/csi", "api/* sim controlplane/client/* node/csi node/kubelet/*"},
	{"node/kubelet/*", "api/* sim trace controlplane/workqueue controlplane/client/* node/kubelet/*"},
	{"node/metrics", "api/* sim trace controlplane/client/*"},
	{"node/kwok", "api/* sim trace controlplane/client/*"},
	{"node/network", "api/x509 sim trace"},
	{"node/ingress", "api/* sim trace controlplane/workqueue controlplane/client/* node/network"},
	{"node/*", "api/* sim trace controlplane/client/* node/network"},

	{"operator/controllerruntime/*", "api/* sim trace controlplane/workqueue controlplane/client/* operator/controllerruntime/*"},
	{"operator/kubebuilder/*", "api/* sim controlplane/client/* operator/controllerruntime/* operator/kubebuilder/*"},
	{"examples/*", "examples/*"},
	{"operator/teams", "api/* sim controlplane/client/* operator/controllerruntime/*"},
	{"operator/accurate", "api/* sim trace controlplane/workqueue controlplane/client/* operator/controllerruntime/*"},
	{"operator/clusterapi/clusterv1", "api/* operator/controllerruntime/*"},
	{"operator/clusterapi/kit", "api/* sim controlplane/client/* operator/controllerruntime/* operator/clusterapi/clusterv1"},
	// The core and the providers do not know each other: all that is between them is in objects.
	{"operator/clusterapi/core", "api/* sim controlplane/client/* operator/controllerruntime/* operator/clusterapi/clusterv1 operator/clusterapi/kit"},
	{"operator/clusterapi/bootstrap", "api/* sim controlplane/client/* operator/controllerruntime/* operator/clusterapi/clusterv1 operator/clusterapi/kit"},
	{"operator/clusterapi/infrastructure", "api/* sim controlplane/client/* operator/controllerruntime/* operator/clusterapi/clusterv1 operator/clusterapi/kit"},
	{"operator/clusterapi/controlplane", "api/* sim controlplane/client/* operator/controllerruntime/* operator/clusterapi/clusterv1 operator/clusterapi/kit"},
	{"operator/csi/program", "api/* sim trace controlplane/workqueue controlplane/client/* node/csi"},
	{"operator/csi/snapshotv1", "api/* sim controlplane/client/*"},
	// A driver and its sidecars do not know each other: between them are calls and objects.
	{"operator/csi/*", "api/* sim trace controlplane/workqueue controlplane/client/* node/csi operator/csi/program operator/csi/snapshotv1"},
	{"operator/kubeadm", "api/* sim controlplane/client/*"},
	{"operator/*", "api/* sim trace controlplane/workqueue controlplane/client/*"},
	{"kubectl/kustomize", "api/*"},
	{"kubectl", "api/* sim trace controlplane/client controlplane/discovery controlplane/requestinfo kubectl/kustomize"},
	{"cluster/suggest", ""},
	{"cluster", "api/* sim trace controlplane/* node/* operator/* kubectl cluster/suggest"},

	{"endpoints", "api/* cluster controlplane/client controlplane/requestinfo controlplane/discovery controlplane/apiserver/printers"},
	{"jsapi", "api/* trace cluster controlplane/client endpoints"},
	{"httpapi", "api/* cluster controlplane/client controlplane/requestinfo controlplane/discovery endpoints"},

	{"demo/yamltree", "cluster/suggest"},
	{"demo/scenario", "api/* trace cluster/*"},
	{"demo/phrase", "trace api/*"},
	{"demo/scene", "api/* trace demo/phrase"},
	{"demo/score", "api/* trace demo/phrase"},
	{"demo/recording", "api/* trace demo/scene demo/score demo/phrase"},
	{"demo/session", "api/* trace cluster demo/scenario demo/scene demo/recording demo/phrase kubectl"},
	{"demo/demofile", "api/* trace cluster/* demo/scenario demo/yamltree controlplane/apiserver/cel/evaluator"},
	{"demo/link", "api/* trace cluster/*"},
	{"demo/demofile/rehearsal", "api/* trace cluster/* demo/scenario demo/session demo/scene demo/demofile"},

	{"check/chaos", "api/* sim trace controlplane/client operator/csi/snapshotv1 cluster demo/scenario"},
	{"check/trace", "api/* sim trace cluster demo/* check/chaos"},
	{"check/*", ""},
}

// around is what is built around the control plane: the comment of generator/main.go is the map.
var around = []layer{
	{"docs", ""},
	{"playground", ""},
	{"wasm", "playground/demo/session playground/controlplane/apiserver/cel/evaluator"},
	{"wasm/cluster", "playground/jsapi"},
	{"site/pages", "playground/demo/scene"},
	{"site/words", ""},

	{"generator/problem", "playground/cluster/suggest"},
	{"generator/dom", ""},
	{"generator/diskcache", ""},
	{"generator/book/*", "generator/problem generator/book/* playground/* site/*"},
	{"generator/render/*", "generator/problem generator/dom generator/diskcache generator/book/* generator/render/*"},
	{"generator/search", "generator/book/* playground/api"},
	{"generator/build/*", "generator/problem generator/dom generator/diskcache generator/book/* generator/render/highlight generator/render/raster generator/build/* playground/*"},
	{"generator/format/*", "generator/dom generator/render/standalone generator/build/* generator/format/*"},
	{"generator/sitebuild", "generator/problem generator/dom generator/diskcache generator/book/* generator/render/* generator/search generator/build/* " +
		"generator/format/* playground/demo/* site/*"},
	{"generator/publish/*", "generator/problem generator/dom generator/render/standalone generator/build/* generator/format/* generator/sitebuild generator/publish/*"},
	{"generator/dev/*", "generator/problem generator/book/* generator/build/* generator/sitebuild generator/dev/* playground/* site/*"},
	{"generator", "docs generator/* playground/* site/*"},
}

// TestLayers holds all imports in this repository to its order, those of the wasm as it is compiled for the browser.
func TestLayers(t *testing.T) {
	seen := map[string]bool{}
	for _, env := range [][]string{nil, {"GOOS=js", "GOARCH=wasm"}} {
		cmd := exec.Command("go", "list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
		cmd.Dir, cmd.Env = "../../..", append(cmd.Environ(), env...)
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			fields := strings.Fields(line)
			i := slices.IndexFunc(repository, func(of tree) bool { return strings.HasPrefix(fields[0], of.module) })
			pkg, below := "", i >= 0
			if below {
				pkg, below = strings.CutPrefix(fields[0], repository[i].module)
			}
			if !below || pkg == "" || strings.Contains(pkg, "testdata") {
				continue
			}
			seen[pkg] = true
			for _, wrong := range misplaced(repository[i], pkg, fields[1:]) {
				t.Error(wrong)
			}
		}
	}
	for _, l := range around {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), func(pkg string) bool { return covers(l.pkg, pkg) }) {
			t.Errorf("layers_test.go names %s, which is gone", l.pkg)
		}
	}
}

// apart are the layers that meet only through objects in the API.
var apart = []string{"controlplane/controller/*", "controlplane/scheduler/*", "controlplane/cloud", "node/kubelet/*", "node/proxy", "node/dns", "node/ingress",
	"node/netpolicy", "operator/*"}

// misplaced says which imports of a package its layer does not allow.
func misplaced(of tree, pkg string, imports []string) []string {
	i := slices.IndexFunc(of.layers, func(l layer) bool { return covers(l.pkg, pkg) })
	if i < 0 {
		return []string{fmt.Sprintf("package %s stands in no layer: add it to layers_test.go and to the map", pkg)}
	}
	own := of.layers[i]
	var wrong []string
	slices.Sort(imports)
	for _, imported := range imports {
		if !strings.HasPrefix(imported, project) {
			continue
		}
		dep, ours := strings.CutPrefix(imported, of.module)
		if !ours {
			wrong = append(wrong, fmt.Sprintf("%s imports %s, which is outside of %s: let that pass it in", pkg, imported, of.module))
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
		{"new", "sim", "package new stands in no layer: add it to layers_test.go and to the map"},
		{"cmd/trace", "store", ""},
		{"cmd/trace", "/site/pages", "cmd/trace imports kubewalk/site/pages, which is outside of kubewalk/playground/"},
		{"command", "store", "stands in no layer"},
		{"controlplane/controller/replicaset", "sim", ""},
		{"controlplane/controller", "controlplane/scheduler/framework",
			"controlplane/controller imports controlplane/scheduler/framework: they meet only through objects in the API"},
	} {
		var imports []string
		for _, i := range strings.Fields(test.imports) {
			switch {
			case strings.HasPrefix(i, "/"):
				i = project + i[1:]
			case i != "fmt":
				i = module + i
			}
			imports = append(imports, i)
		}
		got := misplaced(tree{module, data}, test.pkg, imports)
		if test.want == "" && len(got) != 0 || test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)) {
			t.Errorf("%s importing %s: got %q, want %q", test.pkg, test.imports, got, test.want)
		}
	}
}

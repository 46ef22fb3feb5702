// Command gen writes the table of symbols: where functions, methods, types,
// constants, variables and methods of interfaces stand in a release of
// Kubernetes.
//
//	go run ./generator/book/upstream/gen
//
// It takes the source from Go's modules: k8s.io/kubernetes, and for what that
// has below staging/src the modules that are published from there, whose Go
// files are the same. What is generated, and what is for tests, is left out.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kubewalk/generator/book/upstream"
)

const staging = "staging/src/"

// folders that chapters link into, with all below them, by module.
var folders = map[string][]string{
	"k8s.io/kubernetes": {"cmd/cloud-controller-manager", "cmd/kube-apiserver", "cmd/kube-controller-manager", "cmd/kube-proxy", "cmd/kube-scheduler",
		"cmd/kubeadm/app",
		"cmd/kubelet", "pkg/api", "pkg/apis/apps", "pkg/apis/autoscaling", "pkg/apis/batch", "pkg/apis/core", "pkg/apis/networking", "pkg/apis/policy", "pkg/apis/rbac", "pkg/controller", "pkg/controlplane", "pkg/kubelet", "pkg/printers",
		"pkg/proxy", "pkg/registry",
		"pkg/scheduler", "pkg/util", "pkg/volume/csi", "pkg/volume/util", "plugin/pkg/admission"},
	"k8s.io/api": {"admission/v1", "apps/v1", "autoscaling/v2", "batch/v1", "coordination/v1", "core/v1", "discovery/v1", "networking/v1", "policy/v1",
		"scheduling/v1", "storage/v1"},
	"k8s.io/apimachinery": {"pkg/api/errors", "pkg/api/meta", "pkg/api/resource", "pkg/api/validation", "pkg/apis/meta/v1", "pkg/conversion", "pkg/fields", "pkg/labels", "pkg/runtime",
		"pkg/types",
		"pkg/util/managedfields", "pkg/util/strategicpatch", "pkg/util/wait", "pkg/watch"},
	"k8s.io/apiserver":               {"pkg/admission", "pkg/endpoints", "pkg/registry", "pkg/server", "pkg/storage"},
	"k8s.io/apiextensions-apiserver": {"pkg/apiserver", "pkg/controller"},
	"k8s.io/client-go": {"informers/factory.go", "informers/generic.go", "tools/cache", "tools/events", "tools/leaderelection", "tools/record", "util/flowcontrol",
		"util/retry",
		"util/jsonpath", "util/workqueue"},
	"k8s.io/cli-runtime":       {"pkg/genericclioptions", "pkg/printers", "pkg/resource"},
	"k8s.io/cloud-provider":    {"app", "controllers"},
	"k8s.io/component-base":    {"cli", "logs"},
	"k8s.io/component-helpers": {"apps", "node", "scheduling", "storage"},
	"k8s.io/endpointslice":     {"."},
	"k8s.io/kube-aggregator":   {"pkg/apiserver", "pkg/controllers"},
	"k8s.io/kubectl":           {"pkg/cmd", "pkg/describe", "pkg/polymorphichelpers", "pkg/scale", "pkg/drain"},
}

func main() {
	var rows []string
	for module, below := range folders { // order: rows are sorted
		version, prefix := upstream.Version, ""
		if module != "k8s.io/kubernetes" {
			version, prefix = "v0"+strings.TrimPrefix(upstream.Version, "v1"), staging+module+"/"
		}
		dir, err := download(module + "@" + version)
		if err != nil {
			log.Fatal(err)
		}
		for _, folder := range below {
			found, err := walk(dir, folder, prefix)
			if err != nil {
				log.Fatal(err)
			}
			rows = append(rows, found...)
		}
	}
	slices.Sort(rows)
	rows = slices.Compact(rows)
	var out bytes.Buffer
	zipped, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	fmt.Fprintf(zipped, "# Kubernetes %s: path, symbol, first line, last line\n%s\n", upstream.Version, strings.Join(rows, "\n"))
	if err := zipped.Close(); err != nil {
		log.Fatal(err)
	}
	file := filepath.Join("generator", "book", "upstream", "symbols-"+upstream.Version+".tsv.gz")
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d symbols, %d bytes\n", file, len(rows), out.Len())
}

// download returns the folder of a module in Go's cache.
func download(module string) (string, error) {
	text, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var answer struct{ Dir, Error string }
	if json.Unmarshal(text, &answer) != nil || answer.Error != "" || answer.Dir == "" {
		return "", fmt.Errorf("module %s: %v %s", module, err, answer.Error)
	}
	return answer.Dir, nil
}

func walk(dir, folder, prefix string) (rows []string, err error) {
	err = filepath.WalkDir(filepath.Join(dir, folder), func(full string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(dir, full)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(relative)
		base := path.Base(name)
		if d.IsDir() {
			if base == "testing" || base == "testdata" || base == "fake" || base == "test" || base == "vendor" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "zz_generated") ||
			strings.HasPrefix(base, "generated.") ||
			strings.HasPrefix(base, "types_swagger_doc") {
			return nil
		}
		found, err := symbols(full, prefix+name)
		rows = append(rows, found...)
		return err
	})
	return rows, err
}

func symbols(file, name string) (rows []string, err error) {
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(symbol string, node ast.Node) {
		if symbol != "_" && symbol != "init" {
			rows = append(rows, fmt.Sprintf("%s\t%s\t%d\t%d", name, symbol, files.Position(node.Pos()).Line, files.Position(node.End()).Line))
		}
	}
	for _, decl := range tree.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			symbol := decl.Name.Name
			if decl.Recv != nil && len(decl.Recv.List) > 0 {
				symbol = receiver(decl.Recv.List[0].Type) + "." + symbol
			}
			add(symbol, decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				node := ast.Node(spec)
				if !decl.Lparen.IsValid() {
					node = decl
				}
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						add(n.Name, node)
					}
				case *ast.TypeSpec:
					add(spec.Name.Name, node)
					if methods, ok := spec.Type.(*ast.InterfaceType); ok {
						for _, m := range methods.Methods.List {
							for _, n := range m.Names {
								add(spec.Name.Name+"."+n.Name, m)
							}
						}
					}
				}
			}
		}
	}
	return rows, nil
}

func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

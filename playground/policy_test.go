package playground_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// layers is who may import whom below playground/, as data: a package may
// import those of its own line's list. "x/*" stands for x and all below it.
// The form is that of the Go tree's src/go/build/deps_test.go.
var layers = []struct{ pkg, may string }{
	{"api/schema", ""},
	{"api/types", ""},
	{"api/*", "api/*"},
	{"trace", ""},
	{"sim", "trace"},
	{"store", "api/* sim trace"},
	{"workqueue", "sim trace"},
	{"client/*", "api/* sim trace workqueue client/*"},
	{"apiserver/*", "api/* sim trace store client apiserver/*"},
	{"controller/*", "api/* sim trace workqueue client/* controller/*"},
	{"scheduler/*", "api/* sim trace workqueue client/* scheduler/*"},
	{"kubelet/*", "api/* sim trace workqueue client/* kubelet/*"},
	{"kubectl", "api/* sim trace client"},
	{"cluster", "api/* sim trace store client/* apiserver controller/* scheduler kubelet/* kubectl"},
	{"scenario", "api/* trace cluster"},
	{"scene", "api/* trace phrase"},
	{"phrase", "trace api/*"},
	{"recording", "api/* trace scene phrase"},
	{"session", "api/* trace cluster scenario scene recording phrase"},
	{"demofile", "api/* cluster scenario"},
	{"cmd/*", "api/* sim trace cluster scenario demofile session recording scene phrase"},
}

// hosts may use the machine: they are no part of what is simulated.
var hosts = []string{"demofile", "cmd/"}

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

// bannedCalls are functions of packages that are otherwise fine.
var bannedCalls = map[string]string{
	"time.Now": "use sim.Proc.Time", "time.Since": "use sim.Proc.Now", "time.Until": "use sim.Proc.Now",
	"time.Sleep": "use sim.Proc.Sleep", "time.After": "use sim.Component.After", "time.AfterFunc": "use sim.Component.After",
	"time.NewTimer": "use sim.Component.After", "time.NewTicker": "use sim.Proc.Sleep in a loop", "time.Tick": "use sim.Proc.Sleep in a loop",
	"math.Exp": "it differs between amd64 and wasm: use whole numbers", "math.Pow": "it differs between amd64 and wasm: use whole numbers",
	"math.Log": "it differs between amd64 and wasm: use whole numbers", "math.FMA": "use whole numbers",
}

const module = "kubewalk/playground/"

func load(t *testing.T) []*packages.Package {
	t.Helper()
	cfg := &packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps}
	pkgs, err := packages.Load(cfg, module+"...")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pkgs {
		for _, e := range p.Errors {
			t.Fatalf("%s does not compile: %v", p.PkgPath, e)
		}
	}
	if len(pkgs) < 10 {
		t.Fatalf("only %d packages were found", len(pkgs))
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
	for _, h := range hosts {
		if strings.HasPrefix(pkg, h) {
			return true
		}
	}
	return false
}

func TestPolicy(t *testing.T) {
	pkgs := load(t)
	t.Run("layers", func(t *testing.T) {
		for _, p := range pkgs {
			pkg := strings.TrimPrefix(p.PkgPath, module)
			if pkg == p.PkgPath || pkg == "" {
				continue
			}
			may, found := "", false
			for _, l := range layers {
				if covers(l.pkg, pkg) {
					may, found = l.may, true
					break
				}
			}
			if !found {
				t.Errorf("package %s stands in no layer: add it to layers in policy_test.go and to doc.go", pkg)
				continue
			}
			for path := range p.Imports {
				dep, ours := strings.CutPrefix(path, module)
				if !ours {
					continue
				}
				allowed := false
				for _, m := range strings.Fields(may) {
					allowed = allowed || covers(m, dep)
				}
				if !allowed {
					t.Errorf("%s imports %s, but may import only: %s\n\tmove what it needs to a lower layer, or let a higher one pass it in", pkg, dep, may)
				}
			}
			// The three that must not know each other.
			for _, a := range []string{"controller", "scheduler", "kubelet"} {
				for _, b := range []string{"controller", "scheduler", "kubelet"} {
					for path := range p.Imports {
						if a != b && covers(a+"/*", pkg) && covers(module+b+"/*", path) {
							t.Errorf("%s imports %s: they meet only through objects in the API", pkg, path)
						}
					}
				}
			}
		}
	})
	for _, p := range pkgs {
		pkg := strings.TrimPrefix(p.PkgPath, module)
		if isHost(pkg) {
			continue
		}
		for i, f := range p.Syntax {
			if strings.HasSuffix(p.GoFiles[min(i, len(p.GoFiles)-1)], "_test.go") {
				continue
			}
			inspect(t, p, f)
		}
	}
}

// inspect reports what breaks determinism in one file.
func inspect(t *testing.T, p *packages.Package, f *ast.File) {
	pkg := strings.TrimPrefix(p.PkgPath, module)
	at := func(n token.Pos) string {
		pos := p.Fset.Position(n)
		return fmt.Sprintf("playground/%s/%s:%d:%d", pkg, filepath.Base(pos.Filename), pos.Line, pos.Column)
	}
	for _, imp := range f.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		if cure, bad := banned[path]; bad {
			t.Errorf("%s: imports %s: %s", at(imp.Pos()), path, cure)
		}
		if strings.HasPrefix(path, "k8s.io/") {
			t.Errorf("%s: imports %s: megabytes of wasm: the types are in playground/api", at(imp.Pos()), path)
		}
	}
	comments := map[int]bool{}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.Contains(c.Text, "order:") {
				line := p.Fset.Position(c.Pos()).Line
				comments[line], comments[line+1] = true, true
			}
		}
	}
	var function ast.Node
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			function = n
		case *ast.GoStmt:
			t.Errorf("%s: go statement: start a process with sim.Component.Go", at(n.Pos()))
		case *ast.ChanType, *ast.SelectStmt, *ast.SendStmt:
			t.Errorf("%s: channel: hand things over with a queue and sim.Proc.Park and Wake", at(n.Pos()))
		case *ast.SelectorExpr:
			if obj := p.TypesInfo.Uses[n.Sel]; obj != nil && obj.Pkg() != nil {
				name := obj.Pkg().Path() + "." + obj.Name()
				if cure, bad := bannedCalls[name]; bad {
					if _, isFunc := obj.(*types.Func); isFunc && obj.Type().(*types.Signature).Recv() == nil {
						t.Errorf("%s: %s: %s", at(n.Pos()), name, cure)
					}
				}
			}
		case *ast.BinaryExpr:
			if n.Op == token.ADD || n.Op == token.SUB {
				for _, side := range []ast.Expr{n.X, n.Y} {
					if m, ok := ast.Unparen(side).(*ast.BinaryExpr); ok && m.Op == token.MUL && isFloat(p, m) {
						t.Errorf("%s: float product added without a conversion: arm64 fuses the two: write float64(a*b)", at(m.Pos()))
					}
				}
			}
		case *ast.RangeStmt:
			typ := p.TypesInfo.TypeOf(n.X)
			if typ == nil {
				return true
			}
			if _, isMap := typ.Underlying().(*types.Map); isMap && n.Key != nil {
				line := p.Fset.Position(n.Pos()).Line
				if !comments[line] && !orderFree(p, n, function) {
					t.Errorf("%s: range over a map: its order differs from run to run. Range over the sorted keys, or say in a comment \"order: …\" why it cannot be seen", at(n.Pos()))
				}
			}
		}
		return true
	})
}

func isFloat(p *packages.Package, e ast.Expr) bool {
	tv := p.TypesInfo.Types[e]
	if tv.Value != nil { // a constant: the compiler computes it exactly
		return false
	}
	b, ok := tv.Type.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsFloat != 0
}

// orderFree recognises loops whose order cannot be seen: they only collect
// what is sorted in the same function, fill another map, delete, or count.
func orderFree(p *packages.Package, loop *ast.RangeStmt, function ast.Node) bool {
	collects := false
	var free func(stmts []ast.Stmt) bool
	free = func(stmts []ast.Stmt) bool {
		for _, s := range stmts {
			switch s := s.(type) {
			case *ast.AssignStmt:
				for i, l := range s.Lhs {
					switch l := l.(type) {
					case *ast.IndexExpr: // m[k] = v
						if _, isMap := p.TypesInfo.TypeOf(l.X).Underlying().(*types.Map); !isMap {
							return false
						}
					case *ast.Ident:
						if s.Tok == token.DEFINE || s.Tok == token.ADD_ASSIGN && isInteger(p, l) || l.Name == "_" {
							continue
						}
						if call, ok := s.Rhs[min(i, len(s.Rhs)-1)].(*ast.CallExpr); ok {
							if fn, ok := call.Fun.(*ast.Ident); ok && fn.Name == "append" {
								collects = true
								continue
							}
						}
						return false
					default:
						return false
					}
				}
			case *ast.IncDecStmt:
			case *ast.ExprStmt:
				call, ok := s.X.(*ast.CallExpr)
				if !ok {
					return false
				}
				if fn, ok := call.Fun.(*ast.Ident); !ok || fn.Name != "delete" {
					return false
				}
			case *ast.IfStmt:
				if !free(s.Body.List) {
					return false
				}
				if s.Else != nil {
					b, ok := s.Else.(*ast.BlockStmt)
					if !ok || !free(b.List) {
						return false
					}
				}
			case *ast.BranchStmt:
				if s.Tok != token.CONTINUE {
					return false
				}
			default:
				return false
			}
		}
		return true
	}
	if !free(loop.Body.List) {
		return false
	}
	return !collects || sortsAfter(p, function, loop.End())
}

func isInteger(p *packages.Package, e ast.Expr) bool {
	b, ok := p.TypesInfo.TypeOf(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

// sortsAfter tells whether a function sorts something behind a place.
func sortsAfter(p *packages.Package, function ast.Node, pos token.Pos) bool {
	found := false
	if function == nil {
		return false
	}
	ast.Inspect(function, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && call.Pos() > pos {
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok {
				if id, ok := sel.X.(*ast.Ident); ok && (id.Name == "sort" || id.Name == "slices" && strings.HasPrefix(sel.Sel.Name, "Sort")) {
					found = true
				}
			}
		}
		return !found
	})
	return found
}

// TestPolicyNamesEveryPackage keeps doc.go's map complete.
func TestPolicyNamesEveryPackage(t *testing.T) {
	seen := map[string]bool{}
	for _, l := range layers {
		seen[strings.SplitN(l.pkg, "/", 2)[0]] = true
	}
	var names []string
	for n := range seen {
		names = append(names, n)
	}
	sort.Strings(names)
	f, err := filepath.Glob("*/")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range f {
		if !seen[strings.TrimSuffix(dir, "/")] {
			t.Errorf("folder playground/%s is in no layer", dir)
		}
	}
	if len(names) < 10 {
		t.Errorf("layers names only %v", names)
	}
}

//go:build !js

package policy

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// finding is a place that breaks determinism or costs the page too much.
type finding struct {
	at      token.Position
	message string // with its cure
}

// inspect reports what must not stand in a package below the hosts.
func inspect(p *packages.Package) []finding {
	in := &inspector{p: p}
	for _, f := range p.Syntax {
		in.file(f)
	}
	return in.found
}

type inspector struct {
	p        *packages.Package
	found    []finding
	reasons  map[int]bool // lines for which an "order: …" comment speaks
	function ast.Node     // around the place
	sorted   map[ast.Expr]bool
}

func (in *inspector) say(pos token.Pos, message string) {
	in.found = append(in.found, finding{in.p.Fset.Position(pos), message})
}

func (in *inspector) line(pos token.Pos) int { return in.p.Fset.Position(pos).Line }

func (in *inspector) file(f *ast.File) {
	for _, imp := range f.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		if cure, bad := banned[path]; bad {
			in.say(imp.Pos(), "imports "+path+": "+cure)
		}
		if strings.HasPrefix(path, "k8s.io/") {
			in.say(imp.Pos(), "imports "+path+": megabytes of wasm: the types are in playground/api")
		}
	}
	in.reasons, in.sorted = map[int]bool{}, map[ast.Expr]bool{}
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "// order: ") {
				in.reasons[in.line(c.Pos())], in.reasons[in.line(g.End())+1] = true, true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		in.node(n)
		return true
	})
}

const orderCure = "its order differs from run to run. Range over the sorted keys, or say in a comment \"// order: …\" why it cannot be seen"

func (in *inspector) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.FuncDecl:
		in.function = n
	case *ast.GoStmt:
		in.say(n.Pos(), "go statement: start a process with sim.Component.Go")
	case *ast.ChanType, *ast.SelectStmt:
		in.say(n.Pos(), "channel: hand things over with a queue and sim.Proc.Park and Wake")
	case *ast.CallExpr:
		in.call(n)
	case *ast.SelectorExpr:
		if fn, ok := in.p.TypesInfo.Uses[n.Sel].(*types.Func); ok && fn.Pkg() != nil && fn.Signature().Recv() == nil {
			name := fn.Pkg().Path() + "." + fn.Name()
			if cure, bad := bannedCalls[name]; bad {
				in.say(n.Pos(), name+": "+cure)
			}
		}
	case *ast.BinaryExpr:
		if n.Op == token.ADD || n.Op == token.SUB {
			in.fused(n.X)
			in.fused(n.Y)
		}
	case *ast.AssignStmt:
		if n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN {
			in.fused(n.Rhs[0])
		}
	case *ast.RangeStmt:
		typ := in.p.TypesInfo.TypeOf(n.X)
		if _, isMap := typ.Underlying().(*types.Map); isMap && n.Key != nil && !in.reasons[in.line(n.Pos())] && !in.orderFree(n) {
			in.say(n.Pos(), "range over a map: "+orderCure)
		}
	}
}

// call reports what iterates over a map behind a function's back.
func (in *inspector) call(n *ast.CallExpr) {
	switch name := in.callee(n); name {
	case "slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc":
		in.sorted[n.Args[0]] = true // seen before its arguments are
	case "maps.Keys", "maps.Values", "maps.All":
		if !in.sorted[n] && !in.reasons[in.line(n.Pos())] {
			in.say(n.Pos(), name+": "+orderCure)
		}
	case "reflect.MapKeys", "reflect.MapRange":
		if !in.reasons[in.line(n.Pos())] {
			in.say(n.Pos(), name+": "+orderCure)
		}
	}
}

// callee is "slices.Sorted", or "append" for what is built in; "" for what has no name.
func (in *inspector) callee(n *ast.CallExpr) string {
	switch fun := ast.Unparen(n.Fun).(type) {
	case *ast.Ident:
		if _, builtin := in.p.TypesInfo.Uses[fun].(*types.Builtin); builtin {
			return fun.Name
		}
	case *ast.SelectorExpr:
		if fn, ok := in.p.TypesInfo.Uses[fun.Sel].(*types.Func); ok && fn.Pkg() != nil {
			return fn.Pkg().Path() + "." + fn.Name()
		}
	}
	return ""
}

// fused reports a float product that is a term of a sum as it stands.
func (in *inspector) fused(term ast.Expr) {
	m, ok := ast.Unparen(term).(*ast.BinaryExpr)
	if !ok || m.Op != token.MUL {
		return
	}
	tv := in.p.TypesInfo.Types[m]
	if tv.Value != nil { // a constant: the compiler computes it exactly
		return
	}
	if b, ok := tv.Type.Underlying().(*types.Basic); ok && b.Info()&types.IsFloat != 0 {
		in.say(m.Pos(), "float product added without a conversion: arm64 fuses the two: write float64(a*b)")
	}
}

// TestRulesFire holds the rules against a package that breaks each of them. A
// line's comment `// want "…"` is part of what is reported there; a line
// without one must not be reported.
func TestRulesFire(t *testing.T) {
	pkgs := load(t, "./testdata/policy/wrong")
	if len(pkgs) != 1 || len(pkgs[0].Syntax) == 0 {
		t.Fatal("testdata/policy/wrong was not found")
	}
	p := pkgs[0]
	quoted := regexp.MustCompile(`// want "([^"]*)"`)
	want := map[int]string{}
	for _, f := range p.Syntax {
		for _, g := range f.Comments {
			for _, c := range g.List {
				if m := quoted.FindStringSubmatch(c.Text); m != nil {
					want[p.Fset.Position(c.Pos()).Line] = m[1]
				}
			}
		}
	}
	if len(want) < 20 {
		t.Fatalf("testdata/policy/wrong wants only %d reports", len(want))
	}
	for _, f := range inspect(p) {
		w, ok := want[f.at.Line]
		if !ok || !strings.Contains(f.message, w) {
			t.Errorf("%s: reported %q, want %q", f.at, f.message, w)
		}
		delete(want, f.at.Line)
	}
	for line, w := range want {
		t.Errorf("testdata/policy/wrong line %d: %q was not reported", line, w)
	}
}

package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// mutant is one change: text put before and behind a range of a file. A change adds no lines.
type mutant struct {
	pkg            string // below playground/
	file           string // absolute
	line, column   int
	from, to       int // offsets
	before, behind string
	what           string
	id             int // the switch; it stands for NUMBER in before and behind
	fate           fate
	killedBy       string // the test that failed
}

// at is where the change is, from the working directory.
func (m *mutant) at() string {
	wd, _ := os.Getwd()
	file, err := filepath.Rel(wd, m.file)
	if err != nil {
		file = m.file
	}
	return fmt.Sprintf("%s:%d:%d", file, m.line, m.column)
}

func (m *mutant) order() string {
	return fmt.Sprintf("%s %6d %6d %s", m.file, m.line, m.column, m.what)
}

const (
	// variable is the environment's that says which mutant is on.
	variable = "MUTANT"
	// reachVariable names the file in which a run without a mutant notes, a line each, the switches that it came to.
	reachVariable = "MUTANTS_REACHED"
)

// helper is a file that each changed package gets.
const helper = `package %s

import (
	"os"
	"strconv"
	"sync"
)

var (
	mutantsActive, _ = strconv.Atoi(os.Getenv("` + variable + `"))
	mutantsNotes     = mutantsOpen(os.Getenv("` + reachVariable + `"))
	mutantsReached   sync.Map
)

func mutantsOpen(path string) *os.File {
	if path == "" {
		return nil
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return file
}

func mutantsOn(n int) bool {
	if mutantsNotes != nil {
		if _, known := mutantsReached.LoadOrStore(n, true); !known {
			mutantsNotes.WriteString(strconv.Itoa(n) + "\n")
		}
	}
	return mutantsActive == n
}

func mutantsPick[T any](n int, original, mutated T) T {
	if mutantsOn(n) {
		return mutated
	}
	return original
}
`

func load(overlay map[string][]byte, patterns []string) ([]*packages.Package, error) {
	cfg := &packages.Config{Overlay: overlay,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}
	return packages.Load(cfg, patterns...)
}

// candidates finds all possible mutants, in the order of packages, files and places.
func candidates(patterns []string) ([]*mutant, error) {
	pkgs, err := load(nil, patterns)
	if err != nil {
		return nil, err
	}
	var out []*mutant
	for _, p := range pkgs {
		if len(p.Errors) > 0 {
			return nil, fmt.Errorf("%s: %v", p.PkgPath, p.Errors[0])
		}
		for _, f := range p.Syntax {
			file := p.Fset.Position(f.Pos()).Filename
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			if ast.IsGenerated(f) {
				continue
			}
			v := &visitor{pkg: p, file: file, text: string(text), syntax: f}
			ast.Inspect(f, v.visit)
			out = append(out, v.found...)
		}
	}
	return out, nil
}

type visitor struct {
	pkg    *packages.Package
	file   string
	text   string
	syntax *ast.File
	above  []ast.Node // from the file down to the parent
	found  []*mutant
}

func (v *visitor) offset(p token.Pos) int { return v.pkg.Fset.Position(p).Offset }

func (v *visitor) source(n ast.Node) string { return v.text[v.offset(n.Pos()):v.offset(n.End())] }

// add notes a change; N in the texts becomes the mutant's number.
func (v *visitor) add(n ast.Node, from, to token.Pos, before, behind, what string) {
	at := v.pkg.Fset.Position(n.Pos())
	if strings.Contains(before+behind, "\n") {
		return
	}
	what, _, _ = strings.Cut(what, "\n")
	v.found = append(v.found, &mutant{pkg: strings.TrimPrefix(v.pkg.PkgPath, module), file: v.file, line: at.Line, column: at.Column,
		from: v.offset(from), to: v.offset(to), before: before, behind: behind, what: what})
}

func (v *visitor) visit(n ast.Node) bool {
	if n == nil {
		v.above = v.above[:len(v.above)-1]
		return true
	}
	switch n := n.(type) {
	case *ast.FuncDecl:
		if strings.HasSuffix(n.Name.Name, "String") || strings.HasPrefix(n.Name.Name, "DeepCopy") || n.Body == nil {
			return false
		}
		v.returnsAtOnce(n)
	case *ast.GenDecl:
		if n.Tok == token.CONST {
			return false
		}
	case *ast.ArrayType: // its length is a constant
		return false
	case *ast.BlockStmt:
		v.leaveOut(n.List)
	case *ast.CaseClause:
		v.leaveOut(n.Body)
	case *ast.IfStmt:
		if v.isBool(n.Cond) {
			v.add(n.Cond, n.Cond.Pos(), n.Cond.End(), "(", ") != mutantsOn(NUMBER)", "negated: "+v.source(n.Cond))
		}
	case *ast.BinaryExpr:
		v.binary(n)
	case *ast.BasicLit:
		v.number(n)
	}
	v.above = append(v.above, n)
	return true
}

func (v *visitor) isBool(e ast.Expr) bool {
	b, ok := v.pkg.TypesInfo.TypeOf(e).(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

func (v *visitor) parent() ast.Node { return v.above[len(v.above)-1] }

func (v *visitor) binary(n *ast.BinaryExpr) {
	value := v.pkg.TypesInfo.Types[n]
	if value.Value != nil {
		return
	}
	basic, _ := v.pkg.TypesInfo.TypeOf(n.X).Underlying().(*types.Basic)
	x, y := v.source(n.X), v.source(n.Y)
	switch n.Op {
	case token.LAND, token.LOR:
		for _, side := range []ast.Expr{n.X, n.Y} {
			behind := " || mutantsOn(NUMBER))"
			if n.Op == token.LOR {
				behind = " && !mutantsOn(NUMBER))"
			}
			if v.isBool(side) {
				v.add(side, side.Pos(), side.End(), "((", ")"+behind, "left out of "+n.Op.String()+": "+v.source(side))
			}
		}
	case token.LSS, token.GTR, token.LEQ, token.GEQ:
		behind := fmt.Sprintf(" || mutantsOn(NUMBER) && (%s) == (%s))", x, y)
		if n.Op == token.LEQ || n.Op == token.GEQ {
			behind = fmt.Sprintf(" && !(mutantsOn(NUMBER) && (%s) == (%s)))", x, y)
		}
		if v.isBool(n) {
			v.add(n, n.Pos(), n.End(), "(", behind, "boundary: "+v.source(n))
		}
	case token.EQL, token.NEQ:
		if f, ok := v.parent().(*ast.IfStmt); v.isBool(n) && !(ok && f.Cond == n) {
			v.add(n, n.Pos(), n.End(), "((", ") != mutantsOn(NUMBER))", "negated: "+v.source(n))
		}
	case token.ADD, token.SUB:
		if basic == nil || basic.Info()&types.IsNumeric == 0 || calls(v.pkg.TypesInfo, n) {
			return
		}
		other := map[token.Token]string{token.ADD: "-", token.SUB: "+"}[n.Op]
		v.add(n, n.Pos(), n.End(), "mutantsPick(NUMBER, ", fmt.Sprintf(", (%s) %s (%s))", x, other, y), other+" in: "+v.source(n))
	}
}

// calls tells whether an expression calls something: it must not be called twice.
func calls(info *types.Info, e ast.Expr) (does bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		does = does || ok && !info.Types[c.Fun].IsType() && !info.Types[c.Fun].IsBuiltin()
		return true
	})
	return does
}

// number makes a whole number one larger.
func (v *visitor) number(n *ast.BasicLit) {
	if kv, ok := v.parent().(*ast.KeyValueExpr); n.Kind != token.INT || ok && kv.Key == n {
		return
	}
	value := v.pkg.TypesInfo.Types[n]
	basic, ok := value.Type.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsInteger == 0 || basic.Info()&types.IsUntyped != 0 {
		return // 0 may also be a float, or a complex number
	}
	i, exact := constant.Int64Val(value.Value)
	if !exact {
		return
	}
	imported := true
	name := types.TypeString(value.Type, func(p *types.Package) string {
		if p == v.pkg.Types {
			return ""
		}
		imported = slices.ContainsFunc(v.syntax.Imports, func(s *ast.ImportSpec) bool {
			path, _ := strconv.Unquote(s.Path.Value)
			return path == p.Path() && s.Name == nil
		})
		return p.Name()
	})
	if imported {
		v.add(n, n.Pos(), n.End(), "mutantsPick["+name+"](NUMBER, ", fmt.Sprint(", ", i+1, ")"), fmt.Sprintf("%d instead of %d in: %s", i+1, i, v.lineOf(n)))
	}
}

func (v *visitor) lineOf(n ast.Node) string {
	at := v.offset(n.Pos())
	begin := strings.LastIndexByte(v.text[:at], '\n') + 1
	line, _, _ := strings.Cut(v.text[begin:], "\n")
	return strings.TrimSpace(line)
}

// leaveOut makes a mutant of each statement that can be left out.
func (v *visitor) leaveOut(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			if says.MatchString(v.source(s)) {
				continue
			}
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || v.source(s.Lhs[0]) == "_" {
				continue
			}
		case *ast.IncDecStmt:
		case *ast.BranchStmt:
			if s.Tok != token.CONTINUE && s.Tok != token.BREAK {
				continue
			}
		default:
			continue
		}
		v.add(s, s.Pos(), s.End(), "if !mutantsOn(NUMBER) { ", " }", "left out: "+v.source(s))
	}
}

// says matches statements that only log, and those after which nothing comes.
var says = regexp.MustCompile(`^panic\(|\.(Info|Error)\("|HandleError\(|\.Eventf?\(`)

// returnsAtOnce lets a function return zero values.
func (v *visitor) returnsAtOnce(f *ast.FuncDecl) {
	if len(f.Body.List) < 2 {
		return
	}
	text := " if mutantsOn(NUMBER) { "
	var values []string
	if f.Type.Results != nil {
		for i, r := range f.Type.Results.List {
			if len(r.Names) > 0 {
				break
			}
			text += fmt.Sprintf("var mutants%d %s; ", i, v.source(r.Type))
			values = append(values, fmt.Sprint("mutants", i))
		}
	}
	text += strings.TrimSpace("return "+strings.Join(values, ", ")) + " };"
	v.add(f.Name, f.Body.Lbrace+1, f.Body.Lbrace+1, text, "", "returns at once: "+f.Name.Name)
}

// changed is a file with some mutants in it. Ranges lie in each other or apart.
func changed(text string, mutants []*mutant) string {
	type insertion struct {
		at, other int
		behind    bool
		order     int
		text      string
	}
	var all []insertion
	for i, m := range mutants {
		number := strconv.Itoa(m.id)
		all = append(all, insertion{m.from, m.to, false, i, strings.ReplaceAll(m.before, "NUMBER", number)})
		if m.behind != "" {
			all = append(all, insertion{m.to, m.from, true, -i, strings.ReplaceAll(m.behind, "NUMBER", number)})
		}
	}
	slices.SortFunc(all, func(a, b insertion) int {
		switch {
		case a.at != b.at:
			return a.at - b.at
		case a.behind != b.behind: // what ends here ends before anything begins
			if a.behind {
				return -1
			}
			return 1
		}
		// Who reaches further begins first, and ends last.
		return cmp.Or(b.other-a.other, a.order-b.order)
	})
	var out strings.Builder
	at := 0
	for _, in := range all {
		out.WriteString(text[at:in.at])
		out.WriteString(in.text)
		at = in.at
	}
	return out.String() + text[at:]
}

// compiling numbers the mutants and writes the overlay with all of them, without those that do not compile.
func compiling(dir string, chosen []*mutant) (overlay string, kept []*mutant, err error) {
	for {
		files := map[string][]*mutant{}
		var used []string
		for i, m := range chosen {
			m.id = i + 1
			files[m.file] = append(files[m.file], m)
			if !slices.Contains(used, module+m.pkg) {
				used = append(used, module+m.pkg)
			}
		}
		contents := map[string][]byte{}
		for file, list := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return "", nil, err
			}
			contents[file] = []byte(changed(string(text), list))
			contents[filepath.Join(filepath.Dir(file), "mutants_helper.go")] = fmt.Appendf(nil, helper, packageName(string(text)))
		}
		pkgs, err := load(contents, used)
		if err != nil {
			return "", nil, err
		}
		wrong := map[string]bool{}
		for _, p := range pkgs {
			for _, e := range p.Errors {
				file, rest, _ := strings.Cut(e.Pos, ":")
				line, _, _ := strings.Cut(rest, ":")
				wrong[file+":"+line] = true
			}
		}
		if len(wrong) == 0 {
			return filepath.Join(dir, "overlay.json"), chosen, writeOverlay(dir, contents)
		}
		n := len(chosen)
		chosen = slices.DeleteFunc(chosen, func(m *mutant) bool { return wrong[fmt.Sprint(m.file, ":", m.line)] })
		if len(chosen) == n {
			return "", nil, fmt.Errorf("the mutants do not compile: %v", wrong)
		}
	}
}

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

func packageName(text string) string { return packageClause.FindStringSubmatch(text)[1] }

func writeOverlay(dir string, contents map[string][]byte) error {
	replace := map[string]string{}
	for file, text := range contents {
		path := filepath.Join(dir, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return err
		}
		replace[file] = path
	}
	return writeJSON(filepath.Join(dir, "overlay.json"), map[string]any{"Replace": replace})
}

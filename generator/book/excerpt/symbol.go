package excerpt

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"strings"

	"kubewalk/generator/problem"
)

// declaration is something that has a name in a Go file.
type declaration struct {
	name       string // "Controller.sync"
	node       ast.Node
	doc, after *ast.CommentGroup // comment is what stands behind it on its line
}

// symbol finds a declaration's lines.
func symbol(r Reference, text []byte, doc bool) (first, last int, comment string, err error) {
	if !strings.HasSuffix(r.File, ".go") {
		return 0, 0, "", wrong("name a region: "+r.File+"#region:NAME", "only Go files have symbols, and %s is not one", r.File)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, r.File, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		var list scanner.ErrorList
		if errors.As(err, &list) && len(list) > 0 {
			return 0, 0, "", wrong("fix the file", "%s cannot be read: line %d: %s", r.File, list[0].Pos.Line, list[0].Msg)
		}
		return 0, 0, "", wrong("fix the file", "%s cannot be read: %v", r.File, err)
	}
	all := declarations(file)
	at := slices.IndexFunc(all, func(d declaration) bool { return d.name == r.Symbol })
	if at < 0 {
		names := make([]string, 0, len(all))
		for _, d := range all {
			names = append(names, d.name)
			if _, method, ok := strings.Cut(d.name, "."); ok && method == r.Symbol {
				return 0, 0, "", wrong("write "+d.name, "no symbol %q in %s", r.Symbol, r.File)
			}
		}
		return 0, 0, "", wrong(problem.DidYouMean(r.Symbol, names), "no symbol %q in %s", r.Symbol, r.File)
	}
	d := all[at]
	begin := d.node.Pos()
	if d.doc != nil {
		if comment = d.doc.Text(); doc {
			begin = d.doc.Pos()
		}
	}
	end := d.node.End()
	if d.after != nil {
		end = d.after.End()
	}
	return files.Position(begin).Line, files.Position(end).Line, comment, nil
}

func declarations(file *ast.File) (out []declaration) {
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil && len(decl.Recv.List) > 0 {
				name = receiver(decl.Recv.List[0].Type) + "." + name
			}
			out = append(out, declaration{name: name, node: decl, doc: decl.Doc})
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				out = append(out, specified(decl, spec)...)
			}
		}
	}
	return out
}

// specified are the names that a part of a declaration gives. One that stands
// alone is the whole declaration.
func specified(decl *ast.GenDecl, spec ast.Spec) (out []declaration) {
	alone := !decl.Lparen.IsValid()
	add := func(name string, doc, after *ast.CommentGroup) {
		d := declaration{name: name, node: spec, doc: doc, after: after}
		if alone {
			d.node = decl
			d.doc = decl.Doc
		}
		out = append(out, d)
	}
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			add(name.Name, spec.Doc, spec.Comment)
		}
	case *ast.TypeSpec:
		add(spec.Name.Name, spec.Doc, spec.Comment)
		var fields *ast.FieldList
		switch t := spec.Type.(type) {
		case *ast.StructType:
			fields = t.Fields
		case *ast.InterfaceType:
			fields = t.Methods
		}
		if fields == nil {
			break
		}
		for _, field := range fields.List {
			for _, name := range field.Names {
				out = append(out, declaration{spec.Name.Name + "." + name.Name, field, field.Doc, field.Comment})
			}
		}
	}
	return out
}

// receiver is the name of a method's type: Queue for *Queue[T].
func receiver(t ast.Expr) string {
	for {
		switch inner := t.(type) {
		case *ast.StarExpr:
			t = inner.X
		case *ast.ParenExpr:
			t = inner.X
		case *ast.IndexExpr:
			t = inner.X
		case *ast.IndexListExpr:
			t = inner.X
		case *ast.Ident:
			return inner.Name
		default:
			return "?"
		}
	}
}

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	gotypes "go/types"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// source is what reflection can't see of an upstream package: constants, and the markers in comments (+listType=map)
// from which upstream makes the list and map types of its schemas.
type source struct {
	path  string
	scope *gotypes.Scope
	// markers by "Type" or "Type.Field", then by marker name; a marker given twice has several values.
	markers map[string]map[string][]string
}

func readSource(path string) (*source, error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", path, err)
	}
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	if err != nil {
		return nil, err
	}
	s := &source{path: path, markers: map[string]map[string][]string{}}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		// Only plain sources declare what we want; the generated ones are large, and their constants are protobuf's.
		base := filepath.Base(name)
		if strings.HasSuffix(base, "_test.go") || strings.HasPrefix(base, "zz_") || strings.Contains(base, "generated") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		s.readMarkers(f)
	}
	// Imports are not loaded, so most of the package doesn't type-check; constants need no imports and do.
	conf := gotypes.Config{Error: func(error) {}, Importer: noImports{}}
	checked, _ := conf.Check(path, fset, files, nil)
	s.scope = checked.Scope()
	return s, nil
}

type noImports struct{}

func (noImports) Import(path string) (*gotypes.Package, error) {
	return nil, fmt.Errorf("import %q: not loaded", path)
}

func (s *source) readMarkers(f *ast.File) {
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE {
			continue
		}
		for _, sp := range decl.Specs {
			spec := sp.(*ast.TypeSpec)
			doc := spec.Doc
			if doc == nil {
				doc = decl.Doc
			}
			s.addMarkers(spec.Name.Name, doc)
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, field := range st.Fields.List {
				for _, name := range field.Names {
					s.addMarkers(spec.Name.Name+"."+name.Name, field.Doc)
				}
				if sel, ok := field.Type.(*ast.SelectorExpr); ok && len(field.Names) == 0 {
					s.addMarkers(spec.Name.Name+"."+sel.Sel.Name, field.Doc)
				}
			}
		}
	}
}

// isAtomic says that apply replaces a struct of that type whole.
func (s *source) isAtomic(name string) bool {
	m := s.markers[name]
	return slices.Contains(m["structType"], "atomic") || slices.Contains(m["mapType"], "atomic")
}

func (s *source) addMarkers(key string, doc *ast.CommentGroup) {
	if doc == nil {
		return
	}
	for _, c := range doc.List {
		line, ok := strings.CutPrefix(strings.TrimSpace(strings.TrimPrefix(c.Text, "//")), "+")
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(line, "=")
		if s.markers[key] == nil {
			s.markers[key] = map[string][]string{}
		}
		s.markers[key][name] = append(s.markers[key][name], value)
	}
}

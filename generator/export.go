package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kubewalk/generator/headers"
	"kubewalk/generator/output"
	"kubewalk/generator/problem"
	"kubewalk/generator/singlefile"
	"kubewalk/generator/sitebuild"
)

// export writes demos as files that hold everything, one for each name: export demo NAME.
func export(ctx context.Context, p *place, f flags, arguments []string, out io.Writer) error {
	if len(arguments) < 2 || arguments[0] != "demo" {
		return misuse("export needs to know which demo, as in kubewalk export demo replicaset-scale (see kubewalk help export)")
	}
	o := options(p, f)
	o.Warned = warnings(out)
	tree, err := sitebuild.Build(ctx, o, new(sitebuild.Cache))
	if err != nil {
		return err
	}
	dir := cmp.Or(f.out, ".")
	for _, name := range arguments[1:] {
		page, err := demoPage(tree, name, f.language)
		if err != nil {
			return err
		}
		data, err := singlefile.Page(tree, page, sitePrefix(f.base), f.base)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		file := name
		if f.language != "" {
			file += "-" + f.language
		}
		full := filepath.Join(dir, file+".html")
		if err := os.WriteFile(full, data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s (%.1f MB)\n", filepath.ToSlash(full), float64(len(data))/1e6)
	}
	return nil
}

// demoPage is where a demo stands alone in a finished site: embed/DEMO/ in the book's first language, embed/LANGUAGE/DEMO/ in the others.
func demoPage(tree *output.Tree, name, language string) (string, error) {
	page := headers.Embed + "/" + name + "/index.html"
	if translated := headers.Embed + "/" + language + "/" + name + "/index.html"; language != "" && tree.Has(translated) {
		return translated, nil
	}
	var names, languages []string
	for _, path := range tree.Paths() {
		switch parts := strings.Split(path, "/"); {
		case parts[0] != headers.Embed || parts[len(parts)-1] != "index.html":
		case len(parts) == 3:
			names = append(names, parts[1])
		case len(parts) == 4 && !slices.Contains(languages, parts[1]):
			languages = append(languages, parts[1])
		}
	}
	if !slices.Contains(names, name) {
		return "", misuse(fmt.Sprintf("unknown demo %q (%s)", name, problem.DidYouMean(name, names)))
	}
	if language != "" {
		first, _ := tree.Get(page)
		if !strings.Contains(string(first[:min(len(first), 200)]), fmt.Sprintf("lang=%q", language)) {
			return "", misuse(fmt.Sprintf("the book has no language %q (%s)", language, problem.DidYouMean(language, languages)))
		}
	}
	return page, nil
}

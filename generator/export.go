package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/output"
	"kubewalk/generator/format/singlefile"
	"kubewalk/generator/problem"
	"kubewalk/generator/sitebuild"
)

// export writes demos as files that hold everything, one for each name: export demo NAME. With --pictures, it writes a picture of each moment.
func export(ctx context.Context, p *place, f flags, arguments []string, out io.Writer) error {
	if len(arguments) < 2 || arguments[0] != "demo" {
		return misuse("export needs to know which demo, as in kubewalk export demo replicaset-scale (see kubewalk help export)")
	}
	if f.pictures && f.single {
		return misuse("--single-file and --pictures exclude each other: export writes one or the other")
	}
	o := options(p, f)
	o.Warned = warnings(out)
	cache := new(sitebuild.Cache)
	tree, err := sitebuild.Build(ctx, o, cache)
	if err != nil {
		return err
	}
	dir := cmp.Or(f.out, ".")
	var lacking []string // demos without moments
	for _, name := range arguments[1:] {
		page, err := demoPage(tree, name, f.language)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
		file := filepath.Join(dir, name)
		if f.language != "" {
			file += "-" + f.language
		}
		if f.pictures {
			moments, err := cache.Moments(name, languageOf(tree, page))
			if err == nil {
				err = writeMoments(file, moments, out)
			}
			if err != nil {
				return err
			}
			if len(moments) == 0 {
				lacking = append(lacking, name)
			}
			continue
		}
		data, err := singlefile.Page(tree, page, sitePrefix(f.base), f.base)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file+".html", data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s.html (%.1f MB)\n", filepath.ToSlash(file), float64(len(data))/1e6)
	}
	return withoutMoments(lacking)
}

// withoutMoments tells of demos that have no pictures. Those of the other demos are written.
func withoutMoments(names []string) error {
	if len(names) == 0 {
		return nil
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%s: the demo has no moments, so there are no pictures of it (add marks to its file)", name)
	}
	return errors.New(strings.Join(names, "\n"))
}

// writeMoments writes each moment as FILE-MOMENT.svg and FILE-MOMENT.png.
func writeMoments(file string, moments []sitebuild.Moment, out io.Writer) error {
	for _, m := range moments {
		full := file + "-" + m.ID
		if err := os.WriteFile(full+".svg", []byte(m.SVG), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s.svg\n", filepath.ToSlash(full))
		if m.PNG == nil {
			fmt.Fprintf(out, "%s.png: not written, because the program's font lacks %s (use the SVG)\n", filepath.ToSlash(full), m.Lacks)
			continue
		}
		if err := os.WriteFile(full+".png", m.PNG, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s.png\n", filepath.ToSlash(full))
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
		if languageOf(tree, page) != language {
			return "", misuse(fmt.Sprintf("the book has no language %q (%s)", language, problem.DidYouMean(language, languages)))
		}
	}
	return page, nil
}

// languageOf is the language that a page says it is in.
func languageOf(tree *output.Tree, page string) string {
	text, _ := tree.Get(page)
	_, after, _ := strings.Cut(string(text[:min(len(text), 200)]), `lang="`)
	language, _, _ := strings.Cut(after, `"`)
	return language
}

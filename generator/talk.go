package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"kubewalk/generator/book/content"
	"kubewalk/generator/problem"
	"kubewalk/generator/publish/talk"
	"kubewalk/generator/sitebuild"
)

// writeTalk writes a talk as a folder for a hall without a network: talk NAME, or talk content/ja/talks/NAME.md.
func writeTalk(ctx context.Context, p *place, f flags, arguments []string, out io.Writer) error {
	if len(arguments) != 1 {
		return misuse(fmt.Sprintf("talk writes one talk, not %d: kubewalk talk NAME (see kubewalk help talk)", len(arguments)))
	}
	book, err := content.Load(f.content)
	if len(book.Site.Languages) == 0 {
		return err
	}
	c, err := talkOf(book, arguments[0], f.language)
	if err != nil {
		return err
	}
	o := options(p, f)
	o.Warned, o.Drafts = warnings(out), f.drafts || c.Draft
	cache := new(sitebuild.Cache)
	tree, err := sitebuild.Build(ctx, o, cache)
	if err != nil {
		return err
	}
	files, lacking, err := talk.Folder(tree, sitebuild.TalkPage(c.Language, c.Name), talk.Options{Prefix: sitePrefix(f.base), Base: f.base,
		Moments: func(demo string) ([]sitebuild.Moment, error) { return cache.Moments(demo, c.Language) }})
	if err != nil {
		return err
	}
	dir := f.out
	if dir == "" {
		if dir = c.Name; c.Language != book.Site.Languages[0].Code {
			dir += "-" + c.Language
		}
	}
	if err := outFolder(dir, p, f.content); err != nil {
		return err
	}
	size := 0
	for _, name := range files.Paths() {
		data, _ := files.Get(name)
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
		size += len(data)
	}
	for _, file := range slices.Sorted(maps.Keys(lacking)) {
		fmt.Fprintf(out, "%s: not written, because the program's font lacks %s (use the SVG)\n", filepath.ToSlash(filepath.Join(dir, file)), lacking[file])
	}
	fmt.Fprintf(out, "%s: %d files (%.1f MB); open index.html\n", filepath.ToSlash(dir), len(files.Paths()), float64(size)/1e6)
	return nil
}

// talkOf is the talk of that name or file, in a language, or in the first that it has.
func talkOf(book *content.Book, given, language string) (*content.Chapter, error) {
	if language != "" && !book.Site.Has(language) {
		return nil, misuse(fmt.Sprintf("the book has no language %q (%s)", language, problem.DidYouMean(language, book.Site.Codes())))
	}
	name := strings.TrimSuffix(filepath.Base(given), ".md")
	var names, languages []string
	for _, c := range book.Talks {
		if filepath.ToSlash(filepath.Clean(given)) == filepath.ToSlash(filepath.Clean(c.File)) {
			return c, nil
		}
		if !slices.Contains(names, c.Name) {
			names = append(names, c.Name)
		}
		if c.Name == name {
			languages = append(languages, c.Language)
		}
	}
	if len(languages) == 0 {
		cure := "a talk is a file content/LANGUAGE/" + content.TalksFolder + "/NAME.md; see kubewalk help embedding"
		if len(names) > 0 {
			cure = problem.DidYouMean(name, names)
		}
		return nil, misuse(fmt.Sprintf("unknown talk %q (%s)", given, cure))
	}
	if c := book.TalkIn(cmp.Or(language, languages[0]), name); c != nil {
		return c, nil
	}
	return nil, misuse(fmt.Sprintf("talk %q is not there in %q (known: %s)", name, language, strings.Join(languages, ", ")))
}

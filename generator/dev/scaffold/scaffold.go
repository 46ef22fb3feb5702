// Package scaffold begins books, chapters and demos: files that build as they are, so
// that an author starts from something that works.
package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"kubewalk/generator/book/content"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/problem"
	"kubewalk/playground/demo/demofile"
)

var name = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// chapterText is an outline by language; other languages get the English one. %[3]s is
// what else the front matter says: a translation that it is a draft.
var chapterText = map[string]string{
	"en": "---\ntitle: %[1]s\ndescription: What a reader learns in %[1]s.\norder: %[2]d\n%[3]s---\n\n## What happens {#what-happens}\n\nWrite here.\n",
	"ja": "---\ntitle: %[1]s\ndescription: %[1]s の章で学べること。\norder: %[2]d\n%[3]s---\n\n## 何が起きるか {#what-happens}\n\nここに書きます。\n",
}

// pageText is the same for a page outside of all parts, which has no order.
var pageText = map[string]string{
	"en": "---\ntitle: %[1]s\ndescription: What readers find on the page %[1]s.\n%[3]s---\n\nWrite here.\n",
	"ja": "---\ntitle: %[1]s\ndescription: %[1]s のページの内容。\n%[3]s---\n\nここに書きます。\n",
}

// Page writes the outline of a page outside of all parts in each language that lacks it, as
// Chapter does of a chapter.
func Page(book *content.Book, page string) ([]string, error) {
	if !name.MatchString(page) {
		return nil, fmt.Errorf("page name %q cannot be part of an address (lower-case letters, digits and single hyphens)", page)
	}
	if page == "index" {
		return nil, errors.New("page index is the home page, which the book has already")
	}
	if message := book.Taken(page); message != "" {
		return nil, fmt.Errorf("%s (choose another name)", message)
	}
	title := titleOf(page)
	for _, c := range book.Outside { // a translation follows its original
		if c.Name == page && c.Original == nil {
			title = c.Title
			break
		}
	}
	return outline(book, page, pageText, title, 0, "")
}

// Chapter writes the outline of a chapter "PART/NAME", or "PART/SUBPART/NAME", in each language that
// lacks it, behind the part's last one. It returns the files that it made.
//
// What is no longer than its outline need not follow the original yet, and says so:
// translations begin as drafts. Their pages show the first language's text until the
// line is gone.
func Chapter(book *content.Book, key string) ([]string, error) {
	return begin(book, key, chapterText, "")
}

// begin writes a chapter's outline, by language; in the first one with what else its front
// matter says.
func begin(book *content.Book, key string, outlines map[string]string, matter string) ([]string, error) {
	part, chapter := path.Split(key)
	part = strings.TrimSuffix(part, "/")
	if part == "" { // only a part is named
		part, chapter = chapter, ""
	}
	var parts []string
	known := false
	for _, p := range book.Site.AllParts() {
		parts = append(parts, p.Name)
		known = known || p.Name == part
	}
	if !known {
		return nil, fmt.Errorf("unknown part %q of %q (%s; parts are listed in site.yaml)", part, key, problem.DidYouMean(part, parts))
	}
	if book.HasPosts(part) {
		return nil, fmt.Errorf("part %q of %q has posts (write `kubewalk new post %s`)", part, key, key)
	}
	if chapter != "" && slices.Contains(parts, key) {
		return nil, fmt.Errorf("chapter %q has the name of a part (name a chapter within it, as in %s/overview)", key, key)
	}
	if !name.MatchString(chapter) {
		return nil, fmt.Errorf("chapter name %q cannot be part of an address (lower-case letters, digits and single hyphens)", chapter)
	}
	order, title := 0, titleOf(chapter)
	for _, c := range book.Chapters {
		if c.Part == part && c.Name != chapter && order <= c.Order {
			order = c.Order + 10
		}
	}
	for _, c := range book.Chapters { // a translation follows its original
		if c.Key() == key {
			order, title = c.Order, c.Title
		}
	}
	if order == 0 {
		order = 10
	}
	return outline(book, key, outlines, title, order, matter)
}

// outline writes an outline in each language that lacks the chapter or page.
func outline(book *content.Book, key string, outlines map[string]string, title string, order int, matter string) ([]string, error) {
	var made []string
	for i, code := range book.Site.Codes() {
		text, ok := outlines[code]
		if !ok {
			text = outlines["en"]
		}
		own := matter
		if i > 0 {
			own = "draft: true # until it is translated: it has the demos and figures of the original\n"
		}
		file := filepath.Join(book.Dir, code, filepath.FromSlash(key)+".md")
		err := write(file, fmt.Sprintf(text, title, order, own))
		switch {
		case err == nil:
			made = append(made, filepath.ToSlash(file))
		case !errors.Is(err, fs.ErrExist):
			return made, err
		}
	}
	if len(made) == 0 {
		return nil, fmt.Errorf("%s is there in every language", key)
	}
	return made, nil
}

// Demo writes a small demo that works: one step, one claim, one mark and one
// control, with texts in the book's languages. Its first line tells editors of the
// schema, if the book has that.
func Demo(contentDir, demo string, languages []string) ([]string, error) {
	if !name.MatchString(demo) {
		return nil, fmt.Errorf("demo name %q cannot be part of an address (lower-case letters, digits and single hyphens)", demo)
	}
	v := values{Title: titleOf(demo), Schema: schemaOf(contentDir)}
	for _, code := range languages {
		v.Languages = append(v.Languages, content.Language{Code: code})
	}
	file := filepath.Join(contentDir, demos.Folder, demo+".yaml")
	if err := write(file, fill("demo.yaml", v)); errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("demo %q is there already: change %s, or choose another name", demo, filepath.ToSlash(file))
	} else if err != nil {
		return nil, err
	}
	return []string{filepath.ToSlash(file)}, nil
}

// schemaOf is where a demo's schema lies, seen from the demos' folder; "" when the
// book has none: kubewalk schema writes it.
func schemaOf(contentDir string) string {
	for _, folder := range []string{SchemaFolder, "docs/schema"} { // a book's; this checkout's
		if _, err := os.Stat(filepath.Join(contentDir, "..", folder, demofile.SchemaFile)); err == nil {
			return "../../" + folder + "/" + demofile.SchemaFile
		}
	}
	return ""
}

// titleOf makes a first title of a name: "work-queue" → "Work queue".
func titleOf(name string) string {
	words := []rune(strings.ReplaceAll(name, "-", " "))
	return string(unicode.ToUpper(words[0])) + string(words[1:])
}

// write never replaces a file.
func write(file, text string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

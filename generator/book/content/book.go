// Package content reads the book from its folder: site.yaml, a chapter for
// each content/LANGUAGE/PART/CHAPTER.md or PART/SUBPART/CHAPTER.md, and a page outside of all parts for each
// content/LANGUAGE/PAGE.md.
//
// Every chapter has a page in every language. While a translation is not there,
// its page shows the original (Chapter.Original), and is listed apart from the
// problems (Book.Untranslated): whether that is one is for the book to say.
package content

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/book/schema"
	"kubewalk/generator/problem"
)

// Book is everything that a person wrote, except the demos.
type Book struct {
	Dir      string // the folder, as given
	Site     Site
	Homes    map[string]*Chapter // by language
	Chapters []*Chapter          // of all languages, in reading order in each
	Outside  []*Chapter          // pages outside of all parts (outside.go), of all languages, by language and name
	Posts    []*Chapter          // of all languages (posts.go), by language and part, the newest first
	Talks    []*Chapter          // of all languages, by language and name
	Images   []string            // files below Dir that chapters may show, with slashes
	Static   []string            // files below StaticFolder, with slashes, sorted
	// Glossaries are the pages made of glossary.yaml, by language; nil without one.
	Glossaries map[string]*Chapter
	// Untranslated tells of the pages that a language lacks. Each is there all the
	// same, with the Original's text.
	Untranslated []problem.Problem
	Drafts       []*Chapter            // that were left out
	Words        map[string]*WordsFile // of the pages themselves, by language

	matter   *schema.Document // site.yaml
	unsure   bool             // it has problems
	glossary *Glossary        // nil without one

	cache     *Cache
	places    map[place]*Chapter
	languages map[string][]*Chapter
	meetups   map[*Chapter]*bookedMeetup // of the chapters that are about one
	posts     map[*Chapter]*Post
	lists     map[place]*Chapter // of meetups and posts, by language and key
}

// HomeFile is the text of a language's home page, in the language's folder.
const HomeFile = "index.md"

// imageTypes are what an <img> of a chapter may show.
var imageTypes = []string{".svg", ".png", ".jpg", ".webp", ".avif"}

// IsImage tells whether chapters may show the file.
func IsImage(name string) bool { return slices.Contains(imageTypes, strings.ToLower(path.Ext(name))) }

// siteRead is site.yaml as it was read.
type siteRead struct {
	matter *schema.Document
	site   Site
}

// Load reads a book. It returns what could be read together with the problems.
func Load(dir string) (*Book, error) { return new(Cache).Load(dir, true) }

// Load reads a book, or what of it has changed since the cache read it last; with
// its drafts, or without.
func (c *Cache) Load(dir string, drafts bool) (*Book, error) {
	book := &Book{Dir: dir, Homes: map[string]*Chapter{}, cache: c}
	siteFile := filepath.ToSlash(filepath.Join(dir, "site.yaml"))
	text, err := regularfile.Text(dir, siteFile)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = problem.Problem{File: siteFile, Message: "file is missing",
				Cure: "it contains the book's title, languages and parts; --content names the folder"}
		}
		return book, err
	}
	var problems problem.List
	if known := c.site; known != nil && known.matter.File == siteFile && bytes.Equal(known.matter.Text, text) {
		book.Site, book.matter = known.site, known.matter
	} else {
		d := &schema.Document{File: siteFile, Text: text}
		problems.AddError(d.Decode(&book.Site))
		book.Site.check(d, &problems)
		book.matter, book.unsure = d, problems.Len() > 0
		if c.site, c.glossary = nil, nil; !book.unsure { // the glossary is held against the site's languages
			c.site = &siteRead{d, book.Site}
		}
	}
	if problems.Len() > 0 && !book.Site.readable() {
		book.Site.Languages = nil
		return book, problems.Err()
	}
	for _, l := range book.Site.Languages {
		book.loadLanguage(l.Code, &problems)
	}
	book.checkHomes(&problems)
	book.checkOutside(&problems)
	if !drafts {
		book.leaveOutDrafts()
	}
	book.index()
	book.checkOrder(&problems)
	book.fallBack()
	book.sort()
	book.index()
	book.loadMeetups(&problems)
	book.loadPosts(&problems)
	book.loadGlossary(&problems)
	book.loadWords(&problems)
	book.loadStatic(&problems)
	book.checkStrays(&problems)
	return book, problems.Err()
}

// At makes a problem that points at what a path names in site.yaml ("icon").
func (b *Book) At(path, message, cure string) problem.Problem {
	return b.matter.At(path, message, cure)
}

// AtKey is At for the key itself.
func (b *Book) AtKey(path, message, cure string) problem.Problem {
	return b.matter.AtKey(path, message, cure)
}

// FooterIn is the text below a language's pages, as a chapter: its links are those of the language's home page.
func (b *Book) FooterIn(language string) *Chapter {
	at := b.matter.At("footer["+language+"]", "", "")
	return &Chapter{File: at.File, Language: language, Source: []byte(strings.TrimSpace(b.Site.Footer[language])),
		places: []sourcePlace{{0, at.Line, at.Column}}}
}

func (b *Book) loadLanguage(language string, problems *problem.List) {
	root := filepath.Join(b.Dir, language)
	parts := map[string]bool{}
	for _, p := range b.Site.AllParts() {
		parts[p.Name] = true
	}
	var found []reading
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := filepath.ToSlash(full)
		if strings.HasPrefix(entry.Name(), ".") || strings.HasSuffix(entry.Name(), "~") {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		relative, err := filepath.Rel(root, full)
		if err != nil || entry.IsDir() {
			return err
		}
		part, chapter := path.Split(strings.TrimSuffix(filepath.ToSlash(relative), ".md"))
		part = strings.TrimSuffix(part, "/")
		switch {
		case IsImage(name):
			inBook, err := filepath.Rel(b.Dir, full)
			if err != nil {
				return err
			}
			b.Images = append(b.Images, filepath.ToSlash(inBook))
			return nil
		case path.Ext(name) != ".md":
			problems.Add(problem.Problem{File: name, Message: "file is neither a chapter nor an image",
				Cure: "chapters end in .md, images in " + strings.Join(imageTypes, " ")})
			return nil
		case (part == "" || part == TalksFolder || parts[part] && !parts[part+"/"+chapter]) && slug.MatchString(chapter):
		default:
			if p, ok := b.misplaced(language, part, chapter); ok {
				p.File = name
				problems.Add(p)
				return nil
			}
		}
		wanted := reading{book: b.Dir, name: name, full: full, language: language, part: part}
		if relative != HomeFile {
			wanted.chapter = chapter
		}
		wanted.talk = part == TalksFolder && !parts[TalksFolder]
		found = append(found, wanted)
		return nil
	})
	chapters, unread := b.cache.read(found)
	for i, c := range chapters {
		switch {
		case c == nil:
		case found[i].chapter == "":
			b.Homes[language] = c
		case c.Part == "":
			b.Outside = append(b.Outside, c)
		case c.Talk:
			b.Talks = append(b.Talks, c)
		case b.HasPosts(c.Part):
			b.Posts = append(b.Posts, c)
		default:
			b.Chapters = append(b.Chapters, c)
		}
	}
	problems.AddError(unread)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems.AddError(err)
	}
}

// misplaced says what is wrong with where a file of text is; ok is false for one that is a chapter, a page or a home page.
func (b *Book) misplaced(language, part, chapter string) (p problem.Problem, ok bool) {
	var names []string
	for _, known := range b.Site.AllParts() {
		names = append(names, known.Name)
	}
	above, within, nested := strings.Cut(part, "/")
	switch {
	case slices.Contains(names, part) && slug.MatchString(chapter):
		if full := part + "/" + chapter; slices.Contains(names, full) {
			return problem.Problem{Message: fmt.Sprintf("chapter %q has the name of a part within %q", chapter, part),
				Cure: fmt.Sprintf("give the file another name, or make it the first chapter there, as in %s/%s/overview.md", language, full)}, true
		}
		return p, false
	case part == "" && slug.MatchString(chapter):
		return p, false
	case chapter == "_index":
		cure := "remove it: a part has no page of its own; its title is in site.yaml, and a text about it is a chapter with a small order"
		if part == "" {
			cure = "call it index.md"
		}
		return problem.Problem{Message: "file is not at " + language + map[bool]string{true: "/PAGE.md", false: "/PART/CHAPTER.md"}[part == ""], Cure: cure}, true
	case strings.Count(part, "/") > 1:
		return problem.Problem{Message: "file is deeper than " + language + "/PART/SUBPART/CHAPTER.md",
			Cure: fmt.Sprintf("move it to %s/%s/: a part can have parts within it, and those have chapters only", language, strings.Join(strings.Split(part, "/")[:2], "/"))}, true
	case part == "":
		return problem.Problem{Message: "file is not at " + language + "/PAGE.md", Cure: slugCure}, true
	case !slug.MatchString(chapter) || nested && !slug.MatchString(within):
		wanted := map[bool]string{true: "/PART/SUBPART/CHAPTER.md", false: "/PART/CHAPTER.md"}[nested]
		return problem.Problem{Message: "file is not at " + language + wanted, Cure: slugCure}, true
	case nested && b.HasPosts(above):
		return problem.Problem{Message: fmt.Sprintf("post is in a folder within %q", above), Cure: fmt.Sprintf("move it to %s/%s/", language, above)}, true
	case nested && slices.Contains(names, above):
		return problem.Problem{Message: fmt.Sprintf("unknown part %q within %q", within, above),
			Cure: fmt.Sprintf("list it in site.yaml, as parts: [{name: %s, title: …}] of the part %s, or move the file; %s", within, above,
				problem.DidYouMean(part, names))}, true
	}
	list := "list it in site.yaml"
	if nested {
		list += fmt.Sprintf(", as {name: %s, title: …, parts: [{name: %s, title: …}]}", above, within)
	}
	return problem.Problem{Message: fmt.Sprintf("unknown part %q", above), Cure: list + ", or move the file; " + problem.DidYouMean(part, names)}, true
}

// sort puts the chapters in reading order: language, part, order, name.
func (b *Book) sort() {
	partIndex := map[string]int{}
	for i, p := range b.Site.AllParts() {
		partIndex[p.Name] = i
	}
	codes := b.Site.Codes()
	slices.SortStableFunc(b.Outside, func(x, y *Chapter) int {
		return cmp.Or(cmp.Compare(slices.Index(codes, x.Language), slices.Index(codes, y.Language)), cmp.Compare(x.Name, y.Name))
	})
	slices.SortStableFunc(b.Chapters, func(x, y *Chapter) int {
		return cmp.Or(
			cmp.Compare(slices.Index(codes, x.Language), slices.Index(codes, y.Language)),
			cmp.Compare(partIndex[x.Part], partIndex[y.Part]),
			cmp.Compare(x.Order, y.Order),
			cmp.Compare(x.Name, y.Name),
		)
	})
}

// place is where a chapter is in the book.
type place struct{ language, key string }

// index prepares Find and In.
func (b *Book) index() {
	b.places, b.languages = make(map[place]*Chapter, len(b.Chapters)), map[string][]*Chapter{}
	for _, c := range b.Chapters {
		b.places[place{c.Language, c.Key()}] = c
		b.languages[c.Language] = append(b.languages[c.Language], c)
	}
	for _, c := range slices.Concat(b.Outside, b.Posts) {
		b.places[place{c.Language, c.Key()}] = c
	}
}

// Find returns the chapter with that key in that language, or nil.
func (b *Book) Find(language, key string) *Chapter {
	if key == "" {
		return b.Homes[language]
	}
	if g := b.Glossaries[language]; g != nil && key == g.Key() {
		return g
	}
	if list := b.ListOf(language, key); list != nil {
		return list
	}
	return b.places[place{language, key}]
}

// In returns the chapters of a language in reading order. The list is not to be changed.
func (b *Book) In(language string) []*Chapter { return b.languages[language] }

// Pages returns all pages: the home pages, the chapters, then the pages outside of all
// parts, the posts, the lists of meetups and posts, and the glossaries.
func (b *Book) Pages() []*Chapter {
	var out []*Chapter
	for _, code := range b.Site.Codes() {
		if home := b.Homes[code]; home != nil {
			out = append(out, home)
		}
	}
	out = append(out, b.Chapters...)
	out = append(out, b.Outside...)
	out = append(out, b.Posts...)
	for _, code := range b.Site.Codes() {
		out = append(out, b.ListsIn(code)...)
	}
	for _, code := range b.Site.Codes() {
		if glossary := b.Glossaries[code]; glossary != nil {
			out = append(out, glossary)
		}
	}
	return out
}

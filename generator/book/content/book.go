// Package content reads the book from its folder: site.yaml, a chapter for
// each content/LANGUAGE/PART/CHAPTER.md, and a page outside of all parts for each
// content/LANGUAGE/PAGE.md.
//
// Every chapter has a page in every language. While a translation is not there,
// its page shows the original (Chapter.Original), and is listed apart from the
// problems (Book.Untranslated): whether that is one is for the book to say.
package content

import (
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
	d := &schema.Document{File: siteFile, Text: text}
	problems.AddError(d.Decode(&book.Site))
	book.Site.check(d, &problems)
	book.matter, book.unsure = d, problems.Len() > 0
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
	names := make([]string, len(b.Site.Parts))
	for i, p := range b.Site.Parts {
		names[i] = p.Name
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
		parts := strings.Split(filepath.ToSlash(relative), "/")
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
		case len(parts) == 1 && !slug.MatchString(strings.TrimSuffix(relative, ".md")):
			problems.Add(problem.Problem{File: name, Message: "file is not at " + language + "/PAGE.md", Cure: slugCure})
			return nil
		case len(parts) != 1 && (len(parts) != 2 || !slug.MatchString(strings.TrimSuffix(parts[1], ".md"))):
			problems.Add(problem.Problem{File: name, Message: "file is not at " + language + "/PART/CHAPTER.md", Cure: slugCure})
			return nil
		case len(parts) == 2 && !slices.Contains(names, parts[0]) && parts[0] != TalksFolder:
			problems.Add(problem.Problem{File: name, Message: fmt.Sprintf("unknown part %q", parts[0]),
				Cure: "list it in site.yaml, or move the file; " + problem.DidYouMean(parts[0], names)})
			return nil
		}
		wanted := reading{book: b.Dir, name: name, full: full, language: language}
		if len(parts) == 1 && relative != HomeFile {
			wanted.chapter = strings.TrimSuffix(relative, ".md")
		}
		if len(parts) == 2 {
			wanted.part, wanted.chapter = parts[0], strings.TrimSuffix(parts[1], ".md")
			wanted.talk = wanted.part == TalksFolder && !slices.Contains(names, TalksFolder)
		}
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

// sort puts the chapters in reading order: language, part, order, name.
func (b *Book) sort() {
	partIndex := map[string]int{}
	for i, p := range b.Site.Parts {
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

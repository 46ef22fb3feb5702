package content

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kubewalk/generator/problem"
)

// The names in a book's folder, besides those of its languages and of the images that site.yaml names.
var (
	bookFiles   = []string{siteName, "custom.css", "glossary.yaml"}
	bookFolders = []string{demosFolder, StaticFolder, LayoutFolder, BlocksFolder, "releases"}
)

// elsewhere are folders and files of other programs, and what there is here. A folder that code blocks may show files of is none: data, assets.
var elsewhere = map[string]string{
	"partials": "parts of the layout are in content/layout", "_includes": "parts of the layout are in content/layout",
	"overrides": "parts of the layout are in content/layout", "_layouts": "parts of the layout are in content/layout",
	"shortcodes": "blocks of your own are in content/blocks",
	"i18n":       "kubewalk new words LANGUAGE makes a file of the site's own words",
	"archetypes": "kubewalk new chapter PART/NAME begins a chapter",
	"themes":     "there is one theme: site.yaml and content/custom.css change its look",
	"mkdocs.yml": "settings are in site.yaml", "_config.yml": "settings are in site.yaml", "hugo.toml": "settings are in site.yaml",
	"hugo.yaml": "settings are in site.yaml", "docusaurus.config.js": "settings are in site.yaml", "book.toml": "settings are in site.yaml",
}

const (
	siteName    = "site.yaml"
	demosFolder = "demos"
)

var languageLike = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// checkStrays finds what an author put into the book's folder and no build reads: a chapter outside of the languages'
// folders, a name with a slip, the ending .yml. Other files may be there, for code blocks to show.
func (b *Book) checkStrays(problems *problem.List) {
	for _, entry := range entries(b.Dir) {
		name, wrong, cure := entry.Name(), "", ""
		file := filepath.ToSlash(filepath.Join(b.Dir, name))
		folder := entry.IsDir()
		switch {
		case folder && (slices.Contains(bookFolders, name) || slices.Contains(b.Site.Codes(), name)), !folder && slices.Contains(bookFiles, name):
		case folder && languageLike.MatchString(name) && b.hasChapters(name):
			wrong, cure = "chapters are in a language that the book does not have", "add {code: "+name+", name: …} to languages in site.yaml, or remove the folder"
		case elsewhere[name] != "":
			wrong, cure = "it is of another program, and nothing reads it", elsewhere[name]
		case folder:
			if near := problem.Nearest(name, bookFolders); near != "" {
				wrong, cure = "the book has no folder of this name", problem.DidYouMean(name, bookFolders)
			}
		case path.Ext(name) == ".yml" && slices.Contains(bookFiles, strings.TrimSuffix(name, ".yml")+".yaml"):
			wrong, cure = "the book has no file of this name", problem.DidYouMean(name, bookFiles)
		case path.Ext(name) == ".css":
			wrong, cure = "the book has no style sheet of this name", "call it custom.css"
		case path.Ext(name) == ".md" && name != "README.md":
			wrong, cure = "chapter is in no language's folder", "move it to LANGUAGE/PART/NAME.md"
		}
		if wrong != "" {
			problems.Add(problem.Problem{File: file, Message: wrong, Cure: cure})
		}
	}
	for _, entry := range entries(filepath.Join(b.Dir, demosFolder)) {
		file := filepath.ToSlash(filepath.Join(b.Dir, demosFolder, entry.Name()))
		switch base, isYML := strings.CutSuffix(entry.Name(), ".yml"); {
		case entry.IsDir():
			problems.Add(problem.Problem{File: file, Message: "demos are in a folder of their own", Cure: "move them into content/demos itself"})
		case isYML:
			problems.Add(problem.Problem{File: file, Message: "demo does not end in .yaml", Cure: "call it " + base + ".yaml"})
		}
	}
}

// hasChapters tells whether a folder of the book has a home page, or chapters as those of a language.
func (b *Book) hasChapters(folder string) bool {
	for _, pattern := range []string{"*.md", "*/*.md"} {
		if found, _ := filepath.Glob(filepath.Join(b.Dir, folder, pattern)); len(found) > 0 {
			return true
		}
	}
	return false
}

// entries are those of a folder, without hidden ones and editors' copies. One that cannot be read has none: who needs it says so.
func entries(folder string) []os.DirEntry {
	all, _ := os.ReadDir(folder)
	return slices.DeleteFunc(all, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), "~") })
}

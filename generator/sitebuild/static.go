package sitebuild

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/build/offline"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/redirects"
	"kubewalk/generator/dom"
	"kubewalk/generator/problem"
)

// staticFile is a file of content/static as it was read last.
type staticFile struct {
	modified time.Time
	size     int64
	data     []byte
}

// robotsFile is the one file that the build writes itself only where the book has none.
const robotsFile = "robots.txt"

// ownFiles are files that the build writes after all others, and the cure for who wants one of their name.
var ownFiles = map[string]string{
	output.MarkerFile:     "name the sites that scripts may use under scripts: in site.yaml",
	redirects.File:        "write redirects: in site.yaml",
	offline.Worker:        "rename it",
	offline.List:          "rename it",
	headers.ReleasesIndex: "rename it",
}

// ownFolders are folders whose files are served in a way of their own, such as for ever.
var ownFolders = []string{headers.Assets, headers.Demos, headers.Embed, headers.Source, headers.Releases, offline.Images, "search"}

// readStatic reads the files of content/static; one that was not written since the last build is not read again.
func (b *build) readStatic() error {
	known := b.cache.static
	b.cache.static = make(map[string]staticFile, len(b.book.Static))
	var problems problem.List
	for _, name := range b.book.Static {
		full := b.staticPath(name)
		last := known[name]
		if info, err := os.Stat(full); err == nil && last.data != nil && last.modified.Equal(info.ModTime()) && last.size == info.Size() {
			b.cache.static[name] = last
		} else {
			if err == nil {
				last = staticFile{modified: info.ModTime(), size: info.Size()}
			}
			if last.data, err = regularfile.Read(b.options.Content, full); err != nil {
				problems.AddError(err)
				continue
			}
			b.cache.static[name] = last
		}
		if path.Ext(name) == ".html" {
			b.checkScripts(full, b.cache.static[name].data, &problems)
		}
	}
	return problems.Err()
}

// checkScripts tells of scripts in a static page that the site's content security policy refuses.
func (b *build) checkScripts(file string, page []byte, problems *problem.List) {
	offset := 0
	for z := html.NewTokenizer(bytes.NewReader(page)); z.Next() != html.ErrorToken; {
		begin := offset
		offset += len(z.Raw())
		t := z.Token()
		if t.Data != "script" || t.Type != html.StartTagToken {
			continue
		}
		tag := &html.Node{Attr: t.Attr}
		src := dom.Attribute(tag, "src")
		message, cure := fmt.Sprintf("script %q is not allowed by the content security policy", src), fmt.Sprintf("add to scripts: in site.yaml: - {src: %q}", src)
		origin, elsewhere := content.Origin(src)
		switch {
		case src == "" && dom.Attribute(tag, "type") != "application/ld+json":
			message, cure = "inline script, which the content security policy refuses", "put it into a file of its own beside this one"
		case !elsewhere || slices.Contains(b.allowed().Scripts, origin):
			continue
		}
		line, column := problem.Place(page, begin)
		problems.Add(problem.Problem{File: filepath.ToSlash(file), Line: line, Column: column, Message: message, Cure: cure})
	}
}

// staticPath is where such a file is on the author's disk.
func (b *build) staticPath(name string) string {
	return filepath.Join(b.options.Content, content.StaticFolder, filepath.FromSlash(name))
}

// putStatic puts them into the tree, when what the build writes itself is there.
func (b *build) putStatic() error {
	var problems problem.List
	own := b.tree.Paths()
	for _, name := range b.book.Static {
		if message, cure := b.hidden(name, own); message != "" {
			problems.Add(problem.Problem{File: filepath.ToSlash(b.staticPath(name)), Message: message, Cure: cure})
			continue
		}
		b.tree.Put(name, b.cache.static[name].data)
	}
	return problems.Err()
}

// hidden says which of the build's own files, in order, a static one would hide; "" when it hides none.
func (b *build) hidden(name string, own []string) (message, cure string) {
	top, _, inFolder := strings.Cut(name, "/")
	if cure, ok := ownFiles[name]; ok {
		return fmt.Sprintf("file would replace %s, which the build writes", name), cure
	}
	if inFolder && slices.Contains(ownFolders, top) {
		return fmt.Sprintf("file would be in the folder %s/, which the build writes", top), "put it into a folder of another name"
	}
	if i, ok := slices.BinarySearch(own, name); ok {
		return fmt.Sprintf("file would replace %s", b.origin(own[i])), "rename it, or put it into a folder of its own"
	}
	for folder := path.Dir(name); folder != "."; folder = path.Dir(folder) {
		if _, ok := slices.BinarySearch(own, folder); ok {
			return fmt.Sprintf("file would be in a folder of the name of %s", b.origin(folder)), "rename the folder"
		}
	}
	if i, _ := slices.BinarySearch(own, name+"/"); i < len(own) && strings.HasPrefix(own[i], name+"/") {
		return fmt.Sprintf("file has the name of the folder of %s", b.origin(own[i])), "rename it"
	}
	return "", ""
}

// origin names a file of the site, and the chapter that it is made of.
func (b *build) origin(name string) string {
	for _, p := range b.pages {
		if fileOf(p.Chapter.Path()) == name {
			return fmt.Sprintf("%s, the page of %s", name, p.Chapter.File)
		}
	}
	return name + ", which the build writes"
}

// Static is the address of a file of content/static.
func (b *build) Static(name string) (address string, ok bool) {
	return b.site.Link("/" + name), b.book.HasStatic(name)
}

// Statics are all of them.
func (b *build) Statics() []string { return b.book.Static }

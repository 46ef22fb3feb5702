package markdown

import (
	"fmt"
	"html"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/util"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/upstream"
	"kubewalk/generator/problem"
)

// links are checked, and made into addresses of pages:
//
//	[the queue](#queue)                      in this chapter
//	[the tour](../start/tour.md#controls)    another chapter, by its file
//	[its manifest](../../static/web.yaml)    a file of content/static, which the site has as it is
//	[a KEP](https://…), [mail](mailto:…)     the web
//	[syncReplicaSet](k8s:pkg/…/replica_set.go#ReplicaSetController.syncReplicaSet)
//	                                         a symbol of the real source; k8s:#SYMBOL where one file has it
//	[3](<demo:replicaset-scale@running rs/web .status.readyReplicas>)
//	                                         what a demo proves: see claims.go
func links(d *Document) goldmark.Extender {
	return extend(func(m goldmark.Markdown) {
		m.Parser().AddOptions(transform(400, func(root *ast.Document) {
			each(root, func(link *ast.Link) {
				if !d.claim(link) {
					d.later(func() { d.link(link) })
				}
			})
			each(root, d.brokenClaims)
			each(root, func(link *ast.AutoLink) {
				if link.AutoLinkType == ast.AutoLinkURL {
					d.web(link, string(link.URL(d.Chapter.Source)))
				}
			})
		}))
		m.Renderer().AddOptions(render(ast.KindLink, renderLink))
	})
}

// symbolScheme opens links to upstream's source.
const symbolScheme = "k8s:"

func (d *Document) link(link *ast.Link) {
	destination := string(link.Destination)
	if strings.TrimSpace(plain(link, d.Chapter.Source)) == "" && !hasImage(link) {
		d.wrong(link, "link without text", "say where it leads, between the brackets")
	}
	if reference, ok := strings.CutPrefix(destination, symbolScheme); ok {
		d.symbol(link, reference)
		return
	}
	if id, ok := strings.CutPrefix(destination, termScheme); ok {
		d.term(link, id)
		return
	}
	if scheme, _, ok := strings.Cut(destination, ":"); ok && !strings.ContainsAny(scheme, "/#?.") {
		d.web(link, destination)
		return
	}
	d.inside(link, destination)
}

// symbol links to the real source.
func (d *Document) symbol(link *ast.Link, reference string) {
	address, err := upstream.Link(reference)
	if err != nil {
		d.wrongAs(link, err)
		return
	}
	link.Destination = []byte(address)
	link.SetAttributeString("class", []byte("symbol"))
	if len(link.Title) == 0 {
		link.Title = []byte(upstream.Title(address))
	}
	d.breakable(link)
}

// web allows addresses that a reader may be sent to.
func (d *Document) web(link ast.Node, destination string) {
	address, err := url.Parse(destination)
	switch {
	case err != nil:
		d.wrong(link, fmt.Sprintf("link %q is not an address", destination), "check its spelling")
	case address.Scheme == "mailto" && address.Opaque != "":
	case (address.Scheme == "https" || address.Scheme == "http") && address.Host != "":
	default:
		d.wrong(link, fmt.Sprintf("link %q leads to something that readers cannot open", destination),
			"use https:, mailto:, k8s:PATH#SYMBOL, demo:NAME@MARK, term:ID, a chapter's file or #anchor")
	}
}

// inside links to a page of the book, or to a static file.
func (d *Document) inside(link *ast.Link, destination string) {
	address, language, err := d.reach(destination)
	if err != nil {
		d.wrongAs(link, err)
		return
	}
	if language != "" {
		link.SetAttributeString("hreflang", []byte(language))
	}
	link.Destination = []byte(address)
}

// Resolve is where a link to a page of the book or a static file would lead from this document, and the language of the
// page there if it is another. The error is a problem.Problem without a place.
func (d *Document) Resolve(library Library, destination string) (address, language string, err error) {
	from := *d
	from.library = library
	return from.reach(destination)
}

func (d *Document) reach(destination string) (address, language string, err error) {
	wrong := func(message, cure string) (string, string, error) {
		return "", "", problem.Problem{Message: message, Cure: cure}
	}
	file, anchor, hasAnchor := strings.Cut(destination, "#")
	target := d
	if unescaped, err := url.PathUnescape(file); err == nil {
		file = unescaped
	}
	if file != "" {
		full := path.Join(path.Dir(d.File()), file)
		if name, ok := strings.CutPrefix(full, content.StaticFolder+"/"); ok && !strings.HasPrefix(file, "/") {
			address, err = d.static(destination, name, anchor)
			return address, "", err
		}
		if target = d.library.Document(full); target == nil || strings.HasPrefix(file, "/") {
			if drafts, ok := d.library.(Drafts); ok && drafts.IsDraft(full) {
				return wrong(fmt.Sprintf("link %q leads to a draft", destination),
					"publish that chapter (remove its line draft: true), make this one a draft as well, or build with --drafts")
			}
			return wrong(fmt.Sprintf("link %q does not lead to a chapter", destination), d.chapterCure(file, full))
		}
	} else if !hasAnchor {
		return wrong("link without a destination", "write a chapter's file, an address or #anchor between the parentheses")
	}
	if unescaped, err := url.PathUnescape(anchor); err == nil {
		anchor = unescaped
	}
	if hasAnchor && !target.HasAnchor(anchor) {
		return wrong(fmt.Sprintf("anchor %q is not in %s", anchor, target.Chapter.File), problem.DidYouMean(anchor, target.Anchors()))
	}
	if target != d || !hasAnchor {
		address = d.library.Page(target.Chapter.Path())
		if target.Chapter.Language != d.Chapter.Language {
			language = target.Chapter.Language
		}
	}
	if hasAnchor {
		address += "#" + url.PathEscape(anchor)
	}
	return address, language, nil
}

// static is the address of a file of content/static; what an anchor means there is for whatever shows the file.
func (d *Document) static(destination, name, anchor string) (string, error) {
	address, ok := d.library.Static(name)
	if !ok {
		cure := "put it into content/" + content.StaticFolder
		if near := nearestFile(name, d.library.Statics()); near != "" {
			cure = fmt.Sprintf("did you mean %q?", d.toStatic(near))
		}
		return "", problem.Problem{Message: fmt.Sprintf("link %q leads to a file that does not exist", destination), Cure: cure}
	}
	if anchor != "" {
		address += "#" + anchor
	}
	return address, nil
}

// toStatic is how this document names a file of content/static.
func (d *Document) toStatic(name string) string {
	return strings.Repeat("../", strings.Count(d.File(), "/")) + content.StaticFolder + "/" + name
}

// nearestFile is the file that was probably meant: of a similar name, or of this name in another folder.
func nearestFile(name string, files []string) string {
	if near := problem.Nearest(name, files); near != "" {
		return near
	}
	for _, file := range files {
		if path.Base(file) == path.Base(name) {
			return file
		}
	}
	return ""
}

// chapterCure suggests a chapter as it would be written in this document.
func (d *Document) chapterCure(file, full string) string {
	for _, name := range d.library.Statics() {
		if strings.HasPrefix(file, "/") && name == file[1:] || name == full || path.Base(name) == path.Base(full) && path.Ext(name) != ".md" {
			return fmt.Sprintf("a file of content/%s is named relative to this one: %s", content.StaticFolder, d.toStatic(name))
		}
	}
	var same []string
	for _, f := range d.library.Documents() {
		if strings.HasPrefix(f, d.Chapter.Language+"/") {
			same = append(same, f)
		}
	}
	slices.Sort(same)
	best := problem.Nearest(full, same)
	for _, f := range same {
		if best == "" && path.Base(f) == path.Base(full) {
			best = f
		}
	}
	if best == "" {
		return "name the chapter's file, relative to this one: ../start/tour.md"
	}
	relative, err := filepath.Rel(path.Dir(d.File()), best)
	if err != nil {
		relative = best // of one folder: it can always be named
	}
	return fmt.Sprintf("did you mean %q?", filepath.ToSlash(relative))
}

func hasImage(n ast.Node) bool {
	found := false
	each(n, func(*ast.Image) { found = true })
	return found
}

func renderLink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	link := node.(*ast.Link)
	if len(link.Destination) == 0 {
		_, _ = w.WriteString(renderUnlinked(link, entering))
		return ast.WalkContinue, nil
	}
	if !entering {
		_, _ = w.WriteString("</a>")
		return ast.WalkContinue, nil
	}
	fmt.Fprintf(w, `<a href="%s"`, util.EscapeHTML(util.URLEscape(link.Destination, true)))
	for _, a := range link.Attributes() {
		if value, ok := a.Value.([]byte); ok {
			fmt.Fprintf(w, ` %s="%s"`, a.Name, util.EscapeHTML(value))
		}
	}
	if len(link.Title) > 0 {
		fmt.Fprintf(w, ` title="%s"`, html.EscapeString(string(link.Title)))
	}
	_ = w.WriteByte('>')
	return ast.WalkContinue, nil
}

package sitebuild

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/markdown"
	"kubewalk/generator/render/stylesheet"
	"kubewalk/site/pages"
)

// surround gives the site what its author puts around all pages and what leads to some of them, when these are known:
// links in the header, the footer, and a look and scripts of their own.
func (b *build) surround() {
	own := &b.book.Site
	b.site.Links, b.site.Footers = map[string][]pages.SiteLink{}, map[string]string{}
	b.site.Head = map[string][]pages.HeadLink{}
	for _, language := range own.Codes() {
		for i, link := range own.Links {
			address, other := b.leads(language, fmt.Sprintf("links[%d].to", i), link.To)
			b.site.Links[language] = append(b.site.Links[language], pages.SiteLink{Text: link.Text[language], URL: address, Language: other})
		}
		for i, link := range own.Head {
			b.site.Head[language] = append(b.site.Head[language], b.headLink(language, fmt.Sprintf("head[%d].href", i), link))
		}
		if own.Footer[language] != "" {
			b.site.Footers[language] = b.footer(language)
		}
	}
	b.site.Scripts = b.scripts()
	b.style()
	b.layout()
	b.blocks()
}

// headLink is an element link. What a browser loads by itself is a file of the site.
func (b *build) headLink(language, key string, link content.HeadLink) pages.HeadLink {
	if strings.HasSuffix(link.Rel, "icon") && !strings.HasPrefix(link.Href, "../"+content.StaticFolder+"/") {
		b.problems.Add(b.book.At(key, fmt.Sprintf("icon %q is not a static file", link.Href),
			fmt.Sprintf("put it into content/%[1]s and write ../%[1]s/favicon.ico", content.StaticFolder)))
		return pages.HeadLink{}
	}
	address, _ := b.leads(language, key, link.Href)
	return pages.HeadLink{Rel: link.Rel, URL: address, Type: link.Type, Sizes: link.Sizes, Title: link.Title}
}

// scripts are those of other services.
func (b *build) scripts() (out []pages.Script) {
	for i, s := range b.book.Site.Scripts {
		key := fmt.Sprintf("scripts[%d].src", i)
		script := pages.Script{URL: s.Src, Comments: s.Place == "comments", Data: map[string]any{}}
		for name, value := range s.Data {
			script.Data["data-"+name] = value
		}
		if strings.HasPrefix(s.Src, "../"+content.StaticFolder+"/") {
			script.URL, _ = b.leads(b.book.Site.Languages[0].Code, key, s.Src)
		} else if _, ok := content.Origin(s.Src); !ok {
			b.problems.Add(b.book.At(key, fmt.Sprintf("script %q is neither at an address that begins with https:// nor a static file", s.Src),
				fmt.Sprintf("write https://…, or put it into content/%[1]s and write ../%[1]s/x.js", content.StaticFolder)))
		}
		out = append(out, script)
	}
	return out
}

// allowed is what scripts are there and what they use, for the content security policy.
func (b *build) allowed() (out headers.Allowed) {
	out.OwnScripts = slices.ContainsFunc(b.book.Static, func(name string) bool { return slices.Contains([]string{".js", ".mjs"}, path.Ext(name)) })
	for _, s := range b.book.Site.Scripts {
		if origin, ok := content.Origin(s.Src); ok {
			out.Scripts = append(out.Scripts, origin)
		}
		out.Connect, out.Frames = append(out.Connect, s.Connect...), append(out.Frames, s.Frames...)
		out.Styles, out.Images = append(out.Styles, s.Styles...), append(out.Images, s.Images...)
	}
	return out
}

// styleFile is the author's own style sheet, in the content folder.
const styleFile = "custom.css"

// style makes the author's own style sheet one of the site. The fonts and images that it names are kept under names of
// their content, as all that pages load is.
func (b *build) style() {
	file := filepath.Join(b.options.Content, styleFile)
	text, err := regularfile.Text(b.options.Content, file)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		b.problems.AddError(err)
		return
	}
	css, err := stylesheet.Make(filepath.ToSlash(file), text, stylesheet.Site{Address: b.styled, Properties: b.customProperties})
	if err != nil {
		b.problems.AddError(err)
		return
	}
	b.site.Assets.Custom = b.site.Link("/" + b.tree.PutHashed(headers.Assets+"/custom.css", css))
}

// customProperties are those of the site's own style sheets.
func (b *build) customProperties() (all []string) {
	for _, name := range b.tree.Paths() {
		if path.Ext(name) == ".css" && strings.HasPrefix(name, headers.Assets+"/") {
			css, _ := b.tree.Get(name)
			all = append(all, stylesheet.Properties(css)...)
		}
	}
	return all
}

// styled is the address of what the author's style sheet names.
func (b *build) styled(name string) (string, error) {
	cure := fmt.Sprintf("put a copy into content/%[1]s and write url(%[1]s/x.woff2)", content.StaticFolder)
	scheme, _, hasScheme := strings.Cut(name, ":")
	switch {
	case strings.HasPrefix(name, "#"), strings.HasPrefix(name, "data:image/"):
		return name, nil
	case hasScheme && !strings.ContainsAny(scheme, "/#?."), strings.HasPrefix(name, "//"):
		return "", problem.Problem{Message: fmt.Sprintf("style sheet loads %.80q, which the content security policy refuses", name), Cure: cure}
	}
	file, fragment, hasFragment := strings.Cut(name, "#")
	static := strings.TrimPrefix(path.Clean(file), content.StaticFolder+"/")
	if data, ok := b.cache.static[static]; ok && static != path.Clean(file) {
		// It lies beside the style sheet: so the two can be taken elsewhere together.
		address := path.Base(b.tree.PutHashed(headers.Assets+"/"+path.Base(static), data.data))
		if hasFragment {
			address += "#" + fragment
		}
		return address, nil
	}
	if near := problem.Nearest(static, b.book.Static); near != "" {
		cure = fmt.Sprintf("did you mean \"%s/%s\"?", content.StaticFolder, near)
	}
	return "", problem.Problem{Message: fmt.Sprintf("style sheet loads %q, which does not exist", name), Cure: cure}
}

// footer is the text below a language's pages, as HTML that stands in a paragraph.
func (b *build) footer(language string) string {
	text, err := markdown.Parse(b.book.FooterIn(language)).Render(b)
	b.problems.AddError(err)
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "<p>"), "</p>")
}

// rights is the same in words.
func (b *build) rights(language string) string {
	if b.book.Site.Footer[language] == "" {
		return ""
	}
	var words []string
	for _, s := range markdown.Parse(b.book.FooterIn(language)).Sections(nil) {
		words = append(words, s.Text)
	}
	return strings.TrimSpace(strings.Join(words, " "))
}

// leads is the address of what a key of site.yaml names, as a link on a language's home page would: a page, a static
// file, or an address of the web; and the language of the page there if it is another.
func (b *build) leads(language, key, to string) (address, other string) {
	address, other, err := b.lead(language, to)
	for _, p := range problem.Of(err) {
		b.problems.Add(b.book.At(key, p.Message, p.Cure))
	}
	return address, other
}

// lead is leads with what is wrong as a problem.Problem without a place.
func (b *build) lead(language, to string) (address, other string, wrong error) {
	if scheme, _, ok := strings.Cut(to, ":"); ok && !strings.ContainsAny(scheme, "/#?.") {
		if u, err := url.Parse(to); err != nil || u.Scheme != "https" || u.Host == "" {
			wrong = problem.Problem{Message: fmt.Sprintf("link %q is not an address that begins with https://", to), Cure: "check its spelling"}
			if rest, ok := strings.CutPrefix(to, "http://"); ok {
				wrong = problem.Problem{Message: fmt.Sprintf("link %q is not an address that begins with https://", to), Cure: "write https://" + rest}
			}
		}
		return to, "", wrong
	}
	from := b.homeDocument(language)
	if from == nil || to == "" {
		return "", "", nil // that is told
	}
	address, other, err := from.Resolve(b, to)
	var p problem.Problem
	if errors.As(err, &p) {
		if !strings.HasPrefix(p.Cure, "did you mean") {
			p.Cure = fmt.Sprintf("write it as on a home page: about.md, loop/x.md#why, ../%s/x.pdf; or an address that begins with https://", content.StaticFolder)
		}
		wrong = p
	}
	if strings.HasPrefix(address, "#") { // of the home page
		address = b.site.Link(b.book.Homes[language].Path()) + address
	}
	if path, anchor, hasAnchor := strings.Cut(address, "#"); address != "" {
		address = (&url.URL{Path: path}).EscapedPath()
		if hasAnchor {
			address += "#" + anchor
		}
	}
	return address, other, wrong
}

// homeDocument is a language's home page as it was parsed; nil when it has none.
func (b *build) homeDocument(language string) *markdown.Document {
	if p := b.byChapter[b.book.Homes[language]]; p != nil {
		return p.Document
	}
	return nil
}

package sitebuild

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/fragment"
	"kubewalk/site/pages"
)

// ownPart is a part of the layout that the author wrote. One whose file and links are those of the last build is the same one.
type ownPart struct {
	*fragment.Fragment
	text  string
	links map[string]string // addresses, by language and what they were made of

	mu       sync.Mutex
	problems problem.List // of drawing it
}

// Draw is the part with its data. What is wrong is for the build to tell.
func (p *ownPart) Draw(language string, data any) template.HTML {
	html, err := p.Fragment.Draw(language, data)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.problems.AddError(err)
	}
	return html
}

// writtenFiles are the files of a folder of the content, by name; of the types that belong there.
func (b *build) writtenFiles(folder string, types ...string) map[string][]byte {
	full := filepath.Join(b.options.Content, folder)
	entries, err := os.ReadDir(full)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			b.problems.AddError(err)
		}
		return nil
	}
	out := map[string][]byte{}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") {
			continue
		}
		file := filepath.Join(full, name)
		if e.IsDir() || !slices.Contains(types, filepath.Ext(name)) {
			b.problems.Add(problem.Problem{File: filepath.ToSlash(file), Message: "it is no file of " + folder,
				Cure: fmt.Sprintf("files there are called NAME%s", strings.Join(types, " and NAME"))})
			continue
		}
		text, err := regularfile.Text(b.options.Content, file)
		if err != nil {
			b.problems.AddError(err)
			continue
		}
		out[name] = text
	}
	return out
}

// layout makes the parts of the layout that the author wrote.
func (b *build) layout() {
	known := b.cache.layout
	b.cache.layout, b.site.Own = map[string]*ownPart{}, nil
	files := b.writtenFiles(content.LayoutFolder, ".html")
	var names []string
	for _, part := range pages.OwnParts {
		names = append(names, part.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.ToSlash(filepath.Join(b.options.Content, content.LayoutFolder, name))
		i := slices.Index(names, strings.TrimSuffix(name, ".html"))
		if i < 0 {
			b.problems.Add(problem.Problem{File: file, Message: fmt.Sprintf("unknown part %q of the layout", strings.TrimSuffix(name, ".html")),
				Cure: layoutCure(strings.TrimSuffix(name, ".html"), names)})
			continue
		}
		part, err := b.ownPart(file, files[name], pages.OwnParts[i])
		if err != nil {
			b.problems.AddError(err)
			continue
		}
		if last := known[name]; last != nil && last.text == part.text && maps.Equal(last.links, part.links) && last.problems.Len() == 0 {
			part = last
		}
		b.cache.layout[name] = part
		if b.site.Own == nil {
			b.site.Own = map[string]pages.Own{}
		}
		b.site.Own[names[i]] = part
	}
}

// layoutCure says which part is meant by the name of a file.
func layoutCure(name string, names []string) string {
	elsewhere := map[string]string{"baseof": "", "single": "after-content", "list": "", "nav": "header", "navbar": "header", "foot": "footer", "sidebar": "sidebar-top",
		"home": "hero", "index": "hero", "banner": "header", "not-found": "404", "head": "", "head-end": "", "body-end": "footer"}
	if own, ok := elsewhere[name]; ok && own != "" {
		return fmt.Sprintf("call it %s.html; the parts are %s", own, strings.Join(names, ", "))
	} else if strings.HasPrefix(name, "head") && problem.Nearest(name, names) == "" {
		return "write head: and scripts: in site.yaml; the parts are " + strings.Join(names, ", ")
	}
	return problem.DidYouMean(name, names)
}

func (b *build) ownPart(file string, text []byte, part pages.OwnPart) (*ownPart, error) {
	out := &ownPart{text: string(text), links: map[string]string{}}
	var mu sync.Mutex
	f, err := fragment.Parse(fragment.Source{
		File: file, Text: text, Of: part.Name + ".html", Data: fragment.TypeOf(reflect.TypeOf(part.Data)), Languages: b.book.Site.Codes(),
		Styles: filepath.ToSlash(filepath.Join(b.options.Content, styleFile)), Allows: b.allows,
		Link: func(language, to string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			key := language + " " + to
			if address, ok := out.links[key]; ok {
				return address, nil
			}
			address, _, err := b.lead(language, to)
			if err == nil {
				out.links[key] = address
			}
			return address, err
		},
	})
	if err != nil {
		return nil, err
	}
	out.Fragment = f
	if !f.Uses("Default") {
		var problems problem.List
		for _, slot := range part.Required {
			if !f.Uses(slot) && !(slot == "Languages" && len(b.book.Site.Languages) == 1) && !(slot == "Text" && b.book.Site.Footer == nil) &&
				!(slot == "Start" && b.book.Site.HomeSections()[0] != content.HomeStart) {
				line, _ := problem.Place(text, len(text))
				problems.Add(problem.Problem{File: file, Line: line, Message: fmt.Sprintf("the place for {{.%s}} is missing", slot),
					Cure: fmt.Sprintf("it is %s; write it, or {{.Default}} for all that the theme has here", fieldDoc(part.Data, slot))})
			}
		}
		return out, problems.Err()
	}
	return out, nil
}

// fieldDoc is what a field of a part's data is.
func fieldDoc(data any, name string) string {
	field, _ := reflect.TypeOf(data).FieldByName(name)
	return field.Tag.Get("doc")
}

// allows tells what the content security policy lets pages load from another site.
func (b *build) allows(kind, origin string) bool {
	a := b.allowed()
	return slices.Contains(map[string][]string{"img": a.Images, "frame": a.Frames, "style": a.Styles}[kind], origin)
}

// drewLayout tells what went wrong when the parts were drawn. Such a part is made anew in the next build, so pages are drawn again.
func (b *build) drewLayout() {
	for _, name := range slices.Sorted(maps.Keys(b.cache.layout)) {
		b.problems.AddError(b.cache.layout[name].problems.Err())
	}
}

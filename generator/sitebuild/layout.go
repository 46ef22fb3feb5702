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
	"regexp"
	"slices"
	"strings"
	"sync"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/regularfile"
	"kubewalk/generator/problem"
	"kubewalk/generator/render/block"
	"kubewalk/generator/render/fragment"
	"kubewalk/generator/render/markdown"
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
	source, links := b.source(file, text)
	source.Of, source.Data = part.Name+".html", fragment.TypeOf(reflect.TypeOf(part.Data))
	f, err := fragment.Parse(source)
	if err != nil {
		return nil, err
	}
	out := &ownPart{text: string(text), links: links}
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

// ownBlock is a block of the book's own, as it was made of its files.
type ownBlock struct {
	made  *block.Block
	text  string
	links map[string]string
}

// blocks makes the blocks that the author wrote. One that is as in the last build is the same one, so that chapters with it are.
func (b *build) blocks() {
	known := b.cache.blocks
	b.cache.blocks, b.blockNames = map[string]*ownBlock{}, nil
	files := b.writtenFiles(content.BlocksFolder, ".html", ".yaml")
	folder := filepath.ToSlash(filepath.Join(b.options.Content, content.BlocksFolder))
	for _, file := range slices.Sorted(maps.Keys(files)) {
		name, kind := strings.TrimSuffix(file, filepath.Ext(file)), filepath.Ext(file)
		wrong := func(message, cure string) {
			b.problems.Add(problem.Problem{File: folder + "/" + file, Message: message, Cure: cure})
		}
		html, hasHTML := files[name+".html"]
		spec, hasSpec := files[name+".yaml"]
		switch {
		case !blockName.MatchString(name):
			wrong(fmt.Sprintf("block cannot be called %q", name), "use lower-case letters and single hyphens: chapters have it as :::name")
			continue
		case markdown.IsContainer(name):
			wrong(fmt.Sprintf("block %q has the name of a container that every book has", name), "give it another name")
			continue
		case !hasSpec:
			wrong(fmt.Sprintf("block %q has no %s.yaml", name, name), "write it: description: …, and its parameters")
			b.blockNames = append(b.blockNames, name)
			continue
		case !hasHTML:
			wrong(fmt.Sprintf("block %q has no %s.html", name, name), "write it: the HTML, with {{.Body}} for the Markdown between the fences")
			b.blockNames = append(b.blockNames, name)
			continue
		case kind == ".yaml":
			continue // with the HTML
		}
		b.blockNames = append(b.blockNames, name)
		made, err := b.ownBlock(name, folder, html, spec)
		if err != nil {
			b.problems.AddError(err)
			continue
		}
		if last := known[name]; last != nil && last.text == made.text && maps.Equal(last.links, made.links) {
			made = last
		}
		b.cache.blocks[name] = made
	}
}

// blockName is what a fence can begin with.
var blockName = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

func (b *build) ownBlock(name, folder string, html, text []byte) (*ownBlock, error) {
	out := &ownBlock{text: string(html) + "\x00" + string(text)}
	spec, err := content.ReadBlockSpec(folder+"/"+name+".yaml", text)
	if err != nil {
		return nil, err
	}
	source, links := b.source(folder+"/"+name+".html", html)
	if out.made, err = block.New(name, spec, source); err != nil {
		return nil, err
	}
	out.links = links
	var problems problem.List
	line, _ := problem.Place(html, len(html))
	for _, place := range []struct{ field, key, is string }{{"Body", "body", spec.Body}, {"Label", "label", spec.Label}} {
		if place.is == "required" && !out.made.Uses(place.field) {
			problems.Add(problem.Problem{File: source.File, Line: line, Message: fmt.Sprintf("the place for {{.%s}} is missing", place.field),
				Cure: fmt.Sprintf("write it, or %s: none in %s.yaml", place.key, name)})
		}
	}
	for _, parameter := range slices.Sorted(maps.Keys(spec.Parameters)) {
		if !out.made.Uses(parameter) {
			problems.Add(problem.Problem{File: source.File, Line: line, Message: fmt.Sprintf("the place for {{.%s}} is missing", parameter),
				Cure: fmt.Sprintf("write it, or remove the parameter from %s.yaml", name)})
		}
	}
	return out, problems.Err()
}

// Block is the book's own block of that name; nil when there is none, or when something is wrong with it.
func (b *build) Block(name string) *block.Block {
	if own := b.cache.blocks[name]; own != nil {
		return own.made
	}
	return nil
}

// Blocks are the names of all of them.
func (b *build) Blocks() []string { return b.blockNames }

// source is a file of HTML that the author wrote, and the addresses that it is made with so far.
func (b *build) source(file string, text []byte) (s fragment.Source, links map[string]string) {
	links = map[string]string{}
	var mu sync.Mutex
	return fragment.Source{
		File: file, Text: text, Languages: b.book.Site.Codes(), Styles: filepath.ToSlash(filepath.Join(b.options.Content, styleFile)), Allows: b.allows,
		Link: func(language, to string) (string, error) {
			mu.Lock()
			defer mu.Unlock()
			key := language + " " + to
			if address, ok := links[key]; ok {
				return address, nil
			}
			address, _, err := b.lead(language, to)
			if err == nil {
				links[key] = address
			}
			return address, err
		},
	}, links
}

package sitebuild

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/output"
	"kubewalk/generator/render/standalone"
	"kubewalk/playground/demo/scene"
	"kubewalk/site/pages"
)

// still names a moment's pictures.
type still struct{ demo, mark, language string }

// stillFonts are the pages' fonts in few words, for a language: each of some thousand files repeats them. An image uses fonts that are
// installed, and the system's own is one for each of them; Japanese ones are named in Japanese so that no Chinese forms of letters are
// taken instead.
func stillFonts(language string) string {
	ui, mono := `system-ui,sans-serif`, `ui-monospace,Menlo,Consolas,monospace`
	if language == "ja" {
		ui = `system-ui,"Hiragino Sans","Noto Sans JP","Noto Sans CJK JP","Yu Gothic",Meiryo,sans-serif`
		mono = `ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace,"Noto Sans CJK JP"`
	}
	return `:root{--kw-font-ui:` + ui + `;--kw-font-mono:` + mono + `}`
}

// stillSheets make a language's style for the stills, once.
type stillSheets map[string]func() (*standalone.Sheet, error)

// madeStills are the files of a demo's pictures, which stay the same as long as the demo does, their style and the site's address.
type madeStills struct {
	style, prefix string
	version       string
	files         []stillFile
	pictures      map[still]map[scene.Layout]pages.Picture
}

type stillFile struct {
	name string
	svg  []byte
}

// putStills puts every storyboard's pictures into files of their own: pages are
// small that way, and who does not look at a storyboard does not load it. Their colours
// follow the theme of the page that shows them, as light-dark() does.
func (b *build) putStills() error {
	b.stills = map[still]map[scene.Layout]pages.Picture{}
	sheets := stillSheets{}
	for _, language := range b.book.Site.Languages {
		sheets[language.Code] = sync.OnceValues(func() (*standalone.Sheet, error) {
			return standalone.NewSheet(b.stillStyle + stillFonts(language.Code))
		})
	}
	list := slices.Collect(maps.Values(b.demos))
	made := make([]*madeStills, len(list))
	failed := make([]error, len(list))
	atOnce(len(list), func(i int) {
		if made[i] = b.cache.stills[list[i]]; made[i] == nil || made[i].style != b.stillStyle || made[i].prefix != b.site.Prefix {
			made[i], failed[i] = b.makeStills(list[i], sheets)
		}
	})
	if err := errors.Join(failed...); err != nil {
		return err
	}
	b.cache.stills = map[*demos.Demo]*madeStills{}
	for i, d := range list {
		b.cache.stills[d] = made[i]
		for _, f := range made[i].files {
			b.tree.Put(f.name, f.svg)
		}
		maps.Copy(b.stills, made[i].pictures)
	}
	return nil
}

// makeStills puts the moments of a demo into two files for each language and layout: in half the room that a file for each of them
// takes, as they have most of their style in common. The first is a file of its own, which alone is loaded before the player is there.
func (b *build) makeStills(d *demos.Demo, sheets stillSheets) (*madeStills, error) {
	out := &madeStills{style: b.stillStyle, prefix: b.site.Prefix, version: versionOf(d, b.stillStyle), pictures: map[still]map[scene.Layout]pages.Picture{}}
	if len(d.Marks) == 0 {
		return out, nil
	}
	for language, pictures := range d.Marks[0].SVG { // order: each on its own
		drawing, err := sheets[language]()
		if err != nil {
			return nil, err
		}
		for _, mark := range d.Marks {
			out.pictures[still{d.Name, mark.ID, language}] = map[scene.Layout]pages.Picture{}
		}
		for layout := range pictures { // order: each on its own
			name := fmt.Sprintf("%s-%s.svg", language, layout)
			put := func(name string, marks []demos.Still) error {
				parts := make([]standalone.Part, len(marks))
				for i, mark := range marks {
					parts[i] = standalone.Part{ID: mark.ID, SVG: mark.SVG[language][layout]}
				}
				file, err := drawing.Pictures(parts)
				if err != nil {
					return fmt.Errorf("demo %q: %w", d.Name, err)
				}
				name = "demos/" + d.Name + "/" + name
				out.files = append(out.files, stillFile{name, file.SVG})
				for _, mark := range marks {
					url := b.site.Link("/" + name + "?v=" + out.version)
					if len(marks) > 1 {
						url += "#" + mark.ID
					}
					out.pictures[still{d.Name, mark.ID, language}][layout] = pages.Picture{URL: url, Width: file.Width, Height: file.Height}
				}
				return nil
			}
			if err := put(d.Marks[0].ID+"-"+name, d.Marks[:1]); err != nil {
				return nil, err
			}
			if len(d.Marks) > 1 {
				if err := put(name, d.Marks[1:]); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

// version is that of a demo's files and pictures.
func (b *build) version(d *demos.Demo) string {
	if made := b.cache.stills[d]; made != nil {
		return made.version
	}
	return versionOf(d, b.stillStyle)
}

// versionOf changes when any of a demo's files does, pictures and their style too. They
// have one for all: names with a hash each would be a tenth of a page.
func versionOf(d *demos.Demo, style string) string {
	all := []byte(d.Version() + style)
	for _, mark := range d.Marks {
		for _, language := range slices.Sorted(maps.Keys(mark.SVG)) {
			for _, layout := range slices.Sorted(maps.Keys(mark.SVG[language])) {
				all = append(all, mark.SVG[language][layout]...)
			}
		}
	}
	return output.Hash(all)
}

package sitebuild

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/output"
	"kubewalk/generator/render/standalone"
	"kubewalk/playground/demo/scene"
	"kubewalk/site/pages"
)

// still names a moment's pictures.
type still struct{ demo, mark, language string }

// madeStills are the files of a demo's pictures, which stay the same as long as the demo does and their style.
type madeStills struct {
	style string
	files map[still]map[scene.Layout]*standalone.Picture
}

// putStills puts every storyboard's pictures into files of their own: pages are
// small that way, and who does not look at a storyboard does not load it. Their colours
// follow the theme of the page that shows them, as light-dark() does.
func (b *build) putStills() error {
	b.stills, b.versions = map[still]map[scene.Layout]pages.Picture{}, map[string]string{}
	sheet, err := standalone.NewSheet(b.stillStyle)
	if err != nil {
		return err
	}
	list := slices.Collect(maps.Values(b.demos))
	made := make([]*madeStills, len(list))
	failed := make([]error, len(list))
	atOnce(len(list), func(i int) {
		if made[i] = b.cache.stills[list[i]]; made[i] == nil || made[i].style != b.stillStyle {
			made[i], failed[i] = makeStills(list[i], sheet, b.stillStyle)
		}
	})
	if err := errors.Join(failed...); err != nil {
		return err
	}
	b.cache.stills = map[*demos.Demo]*madeStills{}
	for i, d := range list {
		b.cache.stills[d] = made[i]
		version := b.version(d)
		for key, files := range made[i].files { // order: each on its own
			put := map[scene.Layout]pages.Picture{}
			for layout, file := range files { // order: each on its own
				name := fmt.Sprintf("demos/%s/%s-%s-%s.svg", d.Name, key.mark, key.language, layout)
				b.tree.Put(name, file.SVG)
				put[layout] = pages.Picture{URL: b.site.Link("/" + name + "?v=" + version), Width: file.Width, Height: file.Height}
			}
			b.stills[key] = put
		}
	}
	return nil
}

func makeStills(d *demos.Demo, sheet *standalone.Sheet, style string) (*madeStills, error) {
	out := &madeStills{style: style, files: map[still]map[scene.Layout]*standalone.Picture{}}
	for _, mark := range d.Marks {
		for language, pictures := range mark.SVG { // order: each on its own
			files := map[scene.Layout]*standalone.Picture{}
			for layout, svg := range pictures { // order: each on its own
				file, err := sheet.Picture(svg)
				if err != nil {
					return nil, fmt.Errorf("demo %q, moment %q: %w", d.Name, mark.ID, err)
				}
				files[layout] = file
			}
			out.files[still{d.Name, mark.ID, language}] = files
		}
	}
	return out, nil
}

// version changes when any of a demo's files does, pictures and their style too. They
// have one for all: names with a hash each would be a tenth of a page.
func (b *build) version(d *demos.Demo) string {
	if known, ok := b.versions[d.Name]; ok {
		return known
	}
	all := []byte(d.Version() + b.stillStyle)
	for _, mark := range d.Marks {
		for _, language := range slices.Sorted(maps.Keys(mark.SVG)) {
			for _, layout := range slices.Sorted(maps.Keys(mark.SVG[language])) {
				all = append(all, mark.SVG[language][layout]...)
			}
		}
	}
	b.versions[d.Name] = output.Hash(all)
	return b.versions[d.Name]
}

package sitebuild

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"kubewalk/generator/demos"
	"kubewalk/generator/output"
	"kubewalk/playground/demo/scene"
	"kubewalk/site/pages"
)

// still names a moment's pictures.
type still struct{ demo, mark, language string }

// viewBox is how large a picture of a scene is (playground/demo/scene/svg.go).
var viewBox = regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`)

// putStills puts every storyboard's pictures into files of their own: pages are
// small that way, and who does not look at a storyboard does not load it. An image
// sees nothing of a page's style sheets, so the file holds its style; its colours
// follow the theme of the page that shows it, as light-dark() does.
func (b *build) putStills() {
	b.stills, b.versions = map[still]map[scene.Layout]pages.Picture{}, map[string]string{}
	rules := newStillRules(b.stillStyle)
	for _, d := range b.demos {
		version := b.version(d)
		for _, mark := range d.Marks {
			for language, pictures := range mark.SVG {
				put := map[scene.Layout]pages.Picture{}
				for layout, svg := range pictures {
					name := fmt.Sprintf("demos/%s/%s-%s-%s.svg", d.Name, mark.ID, language, layout)
					width, height, file := rules.standalone(name, svg)
					b.tree.Put(name, file)
					put[layout] = pages.Picture{URL: b.site.Link("/" + name + "?v=" + version), Width: width, Height: height}
				}
				b.stills[still{d.Name, mark.ID, language}] = put
			}
		}
	}
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

// standalone is a still as a file, and its size.
func (s *stillRules) standalone(name, svg string) (width, height int, file []byte) {
	size := viewBox.FindStringSubmatch(svg)
	if size == nil {
		panic("sitebuild: " + name + " has no size") // we printed it
	}
	width, _ = strconv.Atoi(size[1])
	height, _ = strconv.Atoi(size[2])
	const form = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d"><style><![CDATA[%[3]s]]></style>%[4]s</svg>`
	return width, height, fmt.Appendf(nil, form, width, height, s.of(svg), s.bare(svg))
}

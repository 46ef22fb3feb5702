package edition

import (
	"fmt"
	"regexp"
	"strconv"

	"kubewalk/playground/scene"
	"kubewalk/site/pages"
)

// still names a moment's pictures.
type still struct{ demo, mark, language string }

// viewBox is how large a picture of a scene is (playground/scene/svg.go).
var viewBox = regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)"`)

// putStills puts every storyboard's pictures into files of their own: pages are
// small that way, and who does not look at a storyboard does not load it. An image
// sees nothing of a page's style sheets, so the file holds its style; its colours
// follow the theme of the page that shows it, as light-dark() does.
func (e *edition) putStills() {
	e.stills = map[still]map[scene.Layout]pages.Picture{}
	for _, d := range e.demos {
		for _, mark := range d.Marks {
			for language, pictures := range mark.SVG {
				put := map[scene.Layout]pages.Picture{}
				for layout, svg := range pictures {
					name := fmt.Sprintf("demos/%s/still-%s-%s-%s.svg", d.Name, mark.ID, language, layout)
					put[layout] = e.picture(name, svg)
				}
				e.stills[still{d.Name, mark.ID, language}] = put
			}
		}
	}
}

func (e *edition) picture(name, svg string) pages.Picture {
	size := viewBox.FindStringSubmatch(svg)
	if size == nil {
		panic("edition: " + name + " has no size") // we printed it
	}
	file := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%[1]s" height="%[2]s"><style><![CDATA[%[3]s]]></style>%[4]s</svg>`,
		size[1], size[2], e.stillStyle, svg)
	width, _ := strconv.Atoi(size[1])
	height, _ := strconv.Atoi(size[2])
	return pages.Picture{URL: e.site.Link("/" + e.tree.PutHashed(name, []byte(file))), Width: width, Height: height}
}

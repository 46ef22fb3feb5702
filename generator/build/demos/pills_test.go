package demos

import (
	"strconv"
	"strings"
	"testing"

	"kubewalk/playground/demo/scene"
)

// TestPillsStayInThePicture looks at packets that go straight up or down, as those within a Pod do: their words are never cut by the picture's edge.
func TestPillsStayInThePicture(t *testing.T) {
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, d := range made {
		for _, l := range layouts {
			file := recordingOf(t, d, l)
			paths := map[string]string{}
			for i := range file.Frames {
				for _, s := range file.Frames[i].Set {
					if s.Kind == scene.Line {
						paths[s.ID] = s.Path
					}
				}
				for _, s := range file.Frames[i].Set {
					x, straight := onlyX(paths[s.Line])
					if s.Kind != scene.Packet || s.Form != string(scene.FormPill) || !straight {
						continue
					}
					seen++
					if at := x + s.X; at-s.W/2 < 0 || at+s.W/2 > file.Width {
						t.Errorf("%s, %s: %q is %d wide at %d", d.Name, l, s.Title, s.W, at)
					}
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d such packets in the book", seen)
	}
}

// onlyX is the one x of all points of a path.
func onlyX(path string) (x int, ok bool) {
	fields := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(" ML", r) })
	for i := 0; i < len(fields); i += 2 {
		at, err := strconv.Atoi(fields[i])
		if err != nil || i > 0 && at != x {
			return 0, false
		}
		x = at
	}
	return x, len(fields) > 0
}

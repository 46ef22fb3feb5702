package demos

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/demo/scene"
)

// TestTilesHaveTheirNames looks at every moment of every demo of the book, in each layout: a Pod's tile with room for text says which Pod it is.
func TestTilesHaveTheirNames(t *testing.T) {
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range made {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			for _, l := range layouts {
				var nameless []string
				file := recordingOf(t, d, l)
				for i := range file.Frames {
					for _, s := range file.Frames[i].Set {
						if !strings.HasPrefix(s.ID, "pod/") || scene.FormOf(&s) != scene.FormTile || s.W < 22 || s.Title != "" {
							continue
						}
						if what := fmt.Sprintf("%s, %d wide", s.ID, s.W); !slices.Contains(nameless, what) {
							nameless = append(nameless, what)
						}
					}
				}
				for _, what := range nameless {
					t.Errorf("%s: no name on the tile of %s", l, what)
				}
			}
		})
	}
}

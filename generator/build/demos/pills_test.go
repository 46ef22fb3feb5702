package demos

import (
	"strconv"
	"strings"
	"testing"

	"kubewalk/playground/demo/recording"
	"kubewalk/playground/demo/scene"
)

// eachPicture looks at the recording of each demo of the book in each layout.
func eachPicture(t *testing.T, look func(demo string, l scene.Layout, file recording.File)) {
	t.Helper()
	made, err := book()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range made {
		for _, l := range layouts {
			look(d.Name, l, recordingOf(t, d, l))
		}
	}
}

// TestPillsStayInThePicture looks at packets that go straight up or down, as those within a Pod do: their words are never cut by the picture's edge.
func TestPillsStayInThePicture(t *testing.T) {
	seen := 0
	eachPicture(t, func(demo string, l scene.Layout, file recording.File) {
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
					t.Errorf("%s, %s: %q is %d wide at %d", demo, l, s.Title, s.W, at)
				}
			}
		}
	})
	if seen < 10 {
		t.Errorf("only %d such packets in the book", seen)
	}
}

// TestPillsCoverNoWords looks at pills where they leave and where they arrive, as pictures that stand still show them: on the wires
// between two boxes they cover no words of either.
func TestPillsCoverNoWords(t *testing.T) {
	seen := 0
	eachPicture(t, func(demo string, l scene.Layout, file recording.File) {
		now, words := map[string]scene.Shape{}, map[string][]place{}
		told := map[string]bool{}
		for i := range file.Frames {
			for _, id := range file.Frames[i].Gone {
				delete(now, id)
				delete(words, id)
			}
			for _, s := range file.Frames[i].Set {
				now[s.ID], words[s.ID] = s, places(&s, l, "en")
			}
			for _, s := range file.Frames[i].Set {
				if s.Kind != scene.Packet || s.Form != string(scene.FormPill) || !strings.HasPrefix(s.Line, "wire/") || strings.HasPrefix(s.Line, "wire/kubelet/") {
					continue
				}
				seen++
				for _, at := range []int64{0, 1e6} {
					x, y := s.Place(now[s.Line].Path, at)
					pill := place{left: x - s.W*5, right: x + s.W*5, top: y - s.H*5, bottom: y + s.H*5}
					for id, others := range words { // order: what is told is told once
						for _, q := range others {
							if what := s.Line + " " + id; pill.meets(q) && !told[what] {
								told[what] = true
								t.Errorf("%s, %s, event %d: %q on %s covers %q of %s", demo, l, file.Frames[i].Event, s.Title, s.Line, q.text, id)
							}
						}
					}
				}
			}
		}
	})
	if seen < 1000 {
		t.Errorf("only %d pills in the book", seen)
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

package recording

import (
	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scene"
	"kubewalk/playground/demo/score"
	"kubewalk/playground/trace"
)

// Still is a step of a run on paper: a picture, and what led to it in words.
type Still struct {
	Mark  Mark
	At    int64 // virtual time, µs: for scene.Still.Now
	Scene scene.Scene
	// Says is what happened since the still before, told in the events that
	// decide something.
	Says []Sentence
}

// Sentence is one event in words.
type Sentence struct {
	Frame  int
	At     int64
	Phrase string
	Args   map[string]string
}

// In says it in a language.
func (s Sentence) In(lang string) string { return phrase.Say(lang, s.Phrase, s.Args) }

// Storyboard is a run as stills, one for each mark, in the marks' order, which
// has to be that of their frames. first is the frame to begin at: what happened
// before is not told.
func Storyboard(rec *trace.Recorder, shows scene.Options, first int, marks []Mark) []Still {
	var out []Still
	picture := scene.NewPicture(shows)
	var says []Sentence
	i := 0
	for _, m := range marks {
		for ; i <= m.Frame && i < rec.Len(); i++ {
			e := rec.Event(trace.ID(i + 1))
			quiet := picture.Apply(e)
			if i >= first && !quiet && score.Decides(e) {
				says = append(says, Sentence{i, e.At.Microseconds(), phrase.Of(e), phrase.Args(e)})
			}
		}
		still := Still{Mark: m, Scene: picture.Scene(), Says: says}
		if i > 0 {
			still.At = rec.Event(trace.ID(i)).At.Microseconds()
		}
		out = append(out, still)
		says = nil
	}
	return out
}

package demos

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"kubewalk/playground/demo/phrase"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/demo/session"
	"kubewalk/playground/trace"
)

// Exercise is what a chapter asks of its reader, in words. Texts are by language.
type Exercise struct {
	ID      string
	Version string // changes when what counts does: what a page remembers is about that
	Task    map[string]string
	Goal    []map[string]string // conditions that have a text
	Options []Option            // of a question
	Hints   []map[string]string
	Answer  []Deed
}

// Option is one answer to a question.
type Option struct {
	Text, Why map[string]string
	Right     bool
}

// Deed is a step of an answer.
type Deed struct {
	After    time.Duration // since where the exercise begins
	Sentence map[string]string
}

// exercise tells an exercise in words, and fills in its version. answer is the
// run of its answer; nil for a question that has none.
func exercise(x *scenario.Exercise, answer *session.Session, in Languages) Exercise {
	x.Version = goalVersion(x)
	out := Exercise{ID: x.ID, Version: x.Version, Task: x.Task}
	for _, part := range x.Goal {
		if len(part.Text) > 0 && len(x.Predict) == 0 {
			out.Goal = append(out.Goal, part.Text)
		}
	}
	for _, o := range x.Predict {
		out.Options = append(out.Options, Option{Text: o.Text, Why: o.Why, Right: o.Right})
	}
	for _, h := range x.Hints {
		out.Hints = append(out.Hints, h.Text)
	}
	if answer == nil {
		return out
	}
	rec := answer.Cluster().Trace()
	for i := range rec.Len() {
		e := rec.Event(trace.ID(i + 1))
		if e.Op != trace.Input || e.At < x.Begin+x.Answer[0].At {
			continue
		}
		deed := Deed{After: e.At - x.Begin, Sentence: map[string]string{}}
		for _, lang := range in.Codes {
			deed.Sentence[lang] = in.say(lang, phrase.Of(e), phrase.Args(e))
		}
		out.Answer = append(out.Answer, deed)
	}
	if extra := len(out.Answer) - len(x.Answer); extra > 0 {
		out.Answer = out.Answer[extra:] // steps of the author's in the same moment
	}
	return out
}

// goalVersion is the same as long as the same things count.
func goalVersion(x *scenario.Exercise) string {
	counts := scenario.Exercise{Goal: untold(x.Goal), Never: untold(x.Never), Holds: x.Holds, Within: x.Within}
	for _, o := range x.Predict {
		counts.Predict = append(counts.Predict, scenario.Option{Right: o.Right})
	}
	text, err := json.Marshal(counts)
	if err != nil {
		panic("demos: exercise: " + err.Error()) // it is plain data
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])[:8]
}

func untold(parts []scenario.Part) (out []scenario.Part) {
	for _, p := range parts {
		out = append(out, scenario.Part{Claim: p.Claim})
	}
	return out
}

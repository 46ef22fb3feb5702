package sitebuild

import (
	"fmt"
	"slices"

	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/headers"
	"kubewalk/generator/render/markdown"
	"kubewalk/site/pages"
)

// The build is the markdown.Library that chapters look things up in.
var _ markdown.Library = (*build)(nil)

func (b *build) Document(file string) *markdown.Document {
	if p := b.byFile[file]; p != nil {
		return p.Document
	}
	return nil
}

func (b *build) Documents() []string {
	out := make([]string, 0, len(b.byFile))
	for file := range b.byFile {
		out = append(out, file)
	}
	return out
}

func (b *build) Page(path string) string { return b.site.Link(path) }

func (b *build) Image(file string) (markdown.Picture, bool) {
	picture, ok := b.images[file]
	return picture, ok
}

func (b *build) Images() []string { return b.book.Images }

func (b *build) Demos() []string { return b.demoNames }

// Demo is a demo's markup. One whose file has problems of its own is known, and
// shows nothing: its problems are already told.
func (b *build) Demo(name, language string, opening markdown.Opening) (string, bool) {
	made, ok := b.demos[name]
	if !ok {
		if slices.Contains(b.pending, name) {
			return b.pendingDemo(name, language), true
		}
		for _, known := range b.demoNames {
			if known == name {
				return "", true
			}
		}
		return "", false
	}
	return b.cache.markup(markupKey{demo: made, language: language, opening: opening}, func() string {
		view := b.demoView(made, language)
		view.Start, view.Speed = opening.Start, opening.Speed
		return htmlOf(pages.DemoElement(&view))
	}), true
}

// Beside tells whether a demo stands beside its text: what shows thousands of Pods takes the full width, between paragraphs.
func (b *build) Beside(name string) bool {
	made, ok := b.demos[name]
	return ok && len(made.Marks) > 0 && !made.IsLarge
}

func (b *build) Exercises(demo string) (ids []string, ok bool) {
	made, ok := b.demos[demo]
	if !ok {
		return nil, slices.Contains(b.demoNames, demo)
	}
	ids = []string{}
	for _, x := range made.Exercises {
		ids = append(ids, x.ID)
	}
	return ids, true
}

func (b *build) Exercise(demo, id, language string) string {
	made, ok := b.demos[demo]
	if !ok {
		if slices.Contains(b.pending, demo) {
			return b.pendingExercise(demo, id, language)
		}
		return "" // its problems are already told
	}
	for _, x := range made.Exercises {
		if x.ID == id {
			return b.cache.markup(markupKey{demo: made, exercise: id, language: language}, func() string {
				view := b.exerciseView(made, &x, language)
				return htmlOf(pages.ExerciseBox(&view))
			})
		}
	}
	return ""
}

func (b *build) exerciseView(d *demos.Demo, x *demos.Exercise, language string) pages.Exercise {
	words := b.wordsOf(language)
	view := pages.Exercise{
		Words: words, Anchor: markdown.ExerciseAnchor(d.Name, x.ID), Demo: d.Name, DemoAnchor: markdown.DemoAnchor(d.Name),
		ID: x.ID, Version: x.Version, Task: x.Task[language],
	}
	for _, text := range x.Goal {
		view.Goal = append(view.Goal, text[language])
	}
	for _, o := range x.Options {
		view.Options = append(view.Options, pages.Option{Text: o.Text[language], Why: o.Why[language], Right: o.Right})
	}
	for _, text := range x.Hints {
		view.Hints = append(view.Hints, text[language])
	}
	for _, deed := range x.Answer {
		view.Answer = append(view.Answer, pages.Line{At: deed.After, Sentence: deed.Sentence[language]})
	}
	return view
}

// mostLines is how many events of a still are told in text: nobody reads more of them than that, and the player has them all.
const mostLines = 24

// viewed names how a demo is shown.
type viewed struct {
	demo     *demos.Demo
	language string
}

// demoView is what pages show of a demo: that of the last build, if nothing in it has changed. It is not to be changed.
func (b *build) demoView(d *demos.Demo, language string) pages.Demo {
	b.cache.mu.Lock()
	known, ok := b.cache.views[viewed{d, language}]
	b.cache.mu.Unlock()
	words := b.wordsOf(language)
	if ok && known.Site == b.site && known.Words == words && known.Version == b.version(d) && known.Engine == b.engines[d.Name] {
		return known
	}
	view := b.viewDemo(d, language, words)
	b.cache.mu.Lock()
	defer b.cache.mu.Unlock()
	b.cache.views[viewed{d, language}] = view
	return view
}

func (b *build) viewDemo(d *demos.Demo, language string, words pages.Words) pages.Demo {
	view := pages.Demo{
		Site: b.site, Words: words, Language: language, Name: d.Name, Title: d.Title[language], Version: b.version(d), Engine: b.engines[d.Name], CEL: d.CEL,
		Anchor: markdown.DemoAnchor(d.Name), Embed: b.embedPath(d.Name, language),
	}
	for _, mark := range d.Marks {
		shown := pages.Still{ID: mark.ID, Caption: mark.Caption[language], At: mark.At, Frame: mark.Frame,
			Pictures: b.stills[still{d.Name, mark.ID, language}]}
		for i, line := range mark.Text {
			if i == mostLines {
				shown.Lines = append(shown.Lines, pages.Line{At: line.At, Sentence: fmt.Sprintf(words.MoreEvents, len(mark.Text)-i)})
				break
			}
			shown.Lines = append(shown.Lines, pages.Line{At: line.At, Sentence: line.Sentence[language]})
		}
		view.Stills = append(view.Stills, shown)
	}
	for _, c := range d.Controls {
		text := c.Label[language]
		if r := c.Range[language]; r != "" {
			text += ": " + r
		}
		view.Controls = append(view.Controls, text)
	}
	return view
}

// embedPath is where a demo stands alone: /embed/DEMO/ in the first language,
// /embed/LANGUAGE/DEMO/ in the others.
func (b *build) embedPath(name, language string) string {
	if language == b.book.Site.Languages[0].Code {
		return "/" + headers.Embed + "/" + name + "/"
	}
	return "/" + headers.Embed + "/" + language + "/" + name + "/"
}

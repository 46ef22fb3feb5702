package edition

import (
	"slices"

	"kubewalk/generator/demos"
	"kubewalk/generator/headers"
	"kubewalk/generator/markdown"
	"kubewalk/site/pages"
)

// The edition is the markdown.Library that chapters look things up in.
var _ markdown.Library = (*edition)(nil)

func (e *edition) Document(file string) *markdown.Document {
	if p := e.byFile[file]; p != nil {
		return p.Document
	}
	return nil
}

func (e *edition) Documents() []string {
	out := make([]string, 0, len(e.byFile))
	for file := range e.byFile {
		out = append(out, file)
	}
	return out
}

func (e *edition) Page(path string) string { return e.site.Link(path) }

func (e *edition) Image(file string) (markdown.Picture, bool) {
	picture, ok := e.images[file]
	return picture, ok
}

func (e *edition) Images() []string { return e.book.Images }

func (e *edition) Demos() []string { return e.demoNames }

// Demo is a demo's markup. One whose file has problems of its own is known, and
// shows nothing: its problems are already told.
func (e *edition) Demo(name, language string, opening markdown.Opening) (string, bool) {
	made, ok := e.demos[name]
	if !ok {
		for _, known := range e.demoNames {
			if known == name {
				return "", true
			}
		}
		return "", false
	}
	return e.kept.markup(markupKey{demo: made, language: language, opening: opening}, func() string {
		view := e.demoView(made, language)
		view.Start, view.Speed = opening.Start, opening.Speed
		return htmlOf(pages.DemoElement(&view))
	}), true
}

func (e *edition) Exercises(demo string) (ids []string, ok bool) {
	made, ok := e.demos[demo]
	if !ok {
		return nil, slices.Contains(e.demoNames, demo)
	}
	ids = []string{}
	for _, x := range made.Exercises {
		ids = append(ids, x.ID)
	}
	return ids, true
}

func (e *edition) Exercise(demo, id, language string) string {
	made, ok := e.demos[demo]
	if !ok {
		return "" // its problems are already told
	}
	for _, x := range made.Exercises {
		if x.ID == id {
			return e.kept.markup(markupKey{demo: made, exercise: id, language: language}, func() string {
				view := e.exerciseView(made, &x, language)
				return htmlOf(pages.ExerciseBox(&view))
			})
		}
	}
	return ""
}

func (e *edition) exerciseView(d *demos.Demo, x *demos.Exercise, language string) pages.Exercise {
	words := e.wordsOf(language)
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

func (e *edition) demoView(d *demos.Demo, language string) pages.Demo {
	words := e.wordsOf(language)
	view := pages.Demo{
		Site: e.site, Words: words, Language: language, Name: d.Name, Title: d.Title[language], Version: e.version(d),
		Anchor: markdown.DemoAnchor(d.Name), Embed: e.embedPath(d.Name, language),
	}
	for _, mark := range d.Marks {
		shown := pages.Still{ID: mark.ID, Caption: mark.Caption[language], At: mark.At, Frame: mark.Frame,
			Pictures: e.stills[still{d.Name, mark.ID, language}]}
		for _, line := range mark.Text {
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
func (e *edition) embedPath(name, language string) string {
	if language == e.book.Site.Languages[0].Code {
		return "/" + headers.Embed + "/" + name + "/"
	}
	return "/" + headers.Embed + "/" + language + "/" + name + "/"
}

package sitebuild

import (
	"slices"

	"kubewalk/generator/render/markdown"
	"kubewalk/site/pages"
)

// Awaited is a page that shows demos which are being recorded.
type Awaited struct {
	File  string // of the page in the tree: "en/loop/replicaset/index.html"
	Demos []string
}

// Awaited are the pages of the last build that wait for demos, in reading order, and
// behind them each demo's own page.
func (k *Cache) Awaited() []Awaited { return k.awaited }

// await notes which pages wait for demos.
func (b *build) await() {
	b.cache.awaited = nil
	for _, p := range b.pages {
		var waits []string
		for _, name := range p.Document.Demos {
			if slices.Contains(b.pending, name) {
				waits = append(waits, name)
			}
		}
		if waits != nil {
			b.cache.awaited = append(b.cache.awaited, Awaited{fileOf(p.Chapter.Path()), waits})
		}
	}
	for _, code := range b.book.Site.Codes() {
		for _, name := range b.pending {
			b.cache.awaited = append(b.cache.awaited, Awaited{fileOf(b.embedPath(name, code)), []string{name}})
		}
	}
}

// pendingDemo stands in a page in place of a demo that is being recorded.
func (b *build) pendingDemo(name, language string) string {
	return htmlOf(pages.PendingDemo(markdown.DemoAnchor(name), b.wordsOf(language)))
}

// pendingExercise keeps the place of such a demo's exercise.
func (b *build) pendingExercise(demo, id, language string) string {
	return htmlOf(pages.PendingDemo(markdown.ExerciseAnchor(demo, id), b.wordsOf(language)))
}

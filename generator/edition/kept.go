package edition

import (
	"reflect"
	"sync"

	"kubewalk/generator/audit"
	"kubewalk/generator/content"
	"kubewalk/generator/demos"
	"kubewalk/generator/history"
	"kubewalk/generator/picture"
	"kubewalk/generator/source"
	"kubewalk/site/pages"
)

// Kept is what builds of one process share. The zero value is ready to use, by
// one build after the other.
type Kept struct {
	content  content.Cache
	demos    demos.Cache
	sources  source.Pages
	audit    audit.Cache
	pictures picture.Cache

	site       *pages.Site
	navigation map[string]*pages.Navigation
	history    *history.Files
	texts      map[*content.Chapter]*text
	drawn      map[string]drawn // by path in the tree

	mu      sync.Mutex
	markups map[markupKey]string
	answers map[question]answer
}

// markupKey names the markup of a demo, or of an exercise of one.
type markupKey struct {
	demo               *demos.Demo
	exercise, language string
}

// markup makes a demo's markup once.
func (k *Kept) markup(key markupKey, render func() string) string {
	k.mu.Lock()
	html, ok := k.markups[key]
	k.mu.Unlock()
	if !ok {
		html = render()
		k.mu.Lock()
		k.markups[key] = html
		k.mu.Unlock()
	}
	return html
}

// drawn is a page, and the value that it shows.
type drawn struct {
	value any
	html  []byte
}

func (k *Kept) begin() {
	if k.texts == nil {
		k.texts, k.markups = map[*content.Chapter]*text{}, map[markupKey]string{}
		k.answers = map[question]answer{}
	}
}

// keepSite takes the site's value of the last build when nothing in it has changed,
// so that what holds it is the same as well.
func (e *edition) keepSite() {
	if reflect.DeepEqual(e.site, e.kept.site) {
		e.site = e.kept.site
		return
	}
	e.kept.site = e.site
	clear(e.kept.markups) // they hold addresses of assets
}

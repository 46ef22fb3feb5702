package sitebuild

import (
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"kubewalk/generator/book/content"
	"kubewalk/generator/book/history"
	"kubewalk/generator/build/assets"
	"kubewalk/generator/build/audit"
	"kubewalk/generator/build/demos"
	"kubewalk/generator/build/output"
	"kubewalk/generator/build/source"
	"kubewalk/generator/render/markdown"
	"kubewalk/generator/render/picture"
	"kubewalk/site/pages"
)

// Cache is what builds of one process share. The zero value is ready to use, by
// one build after the other.
type Cache struct {
	content  content.Cache
	demos    demos.Cache
	sources  source.Pages
	audit    audit.Cache
	assets   *bundled
	last     *output.Tree // the last site that was made
	pictures picture.Cache
	stills   map[*demos.Demo]*madeStills
	static   map[string]staticFile // by name below content/static
	engines  map[*demos.Demo]engine
	releases map[string]keptRelease // by file

	site       *pages.Site
	navigation map[string]*pages.Navigation
	history    *history.Files
	texts      map[*content.Chapter]*text
	included   []string // see Files
	awaited    []Awaited
	drawn      map[string]drawn // by path in the tree
	layout     map[string]*ownPart
	blocks     map[string]*ownBlock

	mu      sync.Mutex
	markups map[markupKey]string
	views   map[viewed]pages.Demo
	answers map[question]answer
}

// bundled are the assets.
type bundled struct {
	tree *output.Tree
	set  *assets.Set
}

// Saved tells that files were written, as they are named below the content folder
// or outside it, so that the next build looks at them again.
func (k *Cache) Saved(folder string, files []string) {
	k.content.Forget(files)
	prefix := filepath.ToSlash(filepath.Clean(folder)) + "/"
	for _, f := range files {
		if !strings.HasPrefix(f, prefix) {
			k.assets = nil
		}
		delete(k.static, strings.TrimPrefix(f, prefix+content.StaticFolder+"/"))
	}
}

// ForgetAssets has the next build make them again.
func (k *Cache) ForgetAssets() { k.assets = nil }

// markupKey names the markup of a demo, or of an exercise of one.
type markupKey struct {
	demo               *demos.Demo
	exercise, language string
	opening            markdown.Opening
}

// markup makes a demo's markup once.
func (k *Cache) markup(key markupKey, render func() string) string {
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
	value  any
	pieces [][]byte
}

func (k *Cache) begin() {
	if k.texts == nil {
		k.texts, k.markups = map[*content.Chapter]*text{}, map[markupKey]string{}
		k.answers = map[question]answer{}
		k.views = map[viewed]pages.Demo{}
	}
}

// keepSite takes the site's value of the last build when nothing in it has changed,
// so that what holds it is the same as well.
func (b *build) keepSite() {
	if reflect.DeepEqual(b.site, b.cache.site) {
		b.site = b.cache.site
		return
	}
	b.cache.site = b.site
	clear(b.cache.markups) // they hold addresses of assets
}

package sitebuild

import (
	"slices"
	"sync"

	"kubewalk/generator/book/claim"
	"kubewalk/generator/build/demos"
)

// question is a claim about a demo as it was made; answer is what it says.
type question struct {
	demo *demos.Demo
	asks string
}

type answer struct {
	value claim.Value
	err   error
}

// runs are the demos' runs, opened when the first claim is new. A build that finds
// all of its answers in Cache opens none.
type runs struct {
	mu   sync.Mutex
	open map[world]*openRun
}

// world is a demo's run, in the real world for "" or in a counterfactual.
type world struct {
	demo   *demos.Demo
	whatIf string
}

type openRun struct {
	mu  sync.Mutex // of one run: claims about different worlds are held at once
	run *claim.Run
	err error
}

func (r *runs) of(w world) *openRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[world]*openRun{}
	}
	if r.open[w] == nil {
		r.open[w] = new(openRun)
	}
	return r.open[w]
}

func (o *openRun) ask(w world, imagine demos.Imagine, c *claim.Claim) (a answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.run == nil && o.err == nil {
		o.run, o.err = w.open(imagine)
	}
	if o.err != nil {
		return answer{err: o.err}
	}
	a.value, a.err = c.On(o.run)
	return a
}

// open opens what was recorded. A counterfactual runs only now, since most are not
// asked about.
func (w world) open(imagine demos.Imagine) (*claim.Run, error) {
	if w.whatIf == "" {
		details, err := w.demo.Text("details.json")
		if err != nil {
			return nil, err
		}
		return claim.Open(w.demo.Record, details)
	}
	if imagine == nil {
		imagine = demos.RunWorld
	}
	made, err := imagine(w.demo, w.whatIf)
	if err != nil {
		return nil, err
	}
	return claim.Open(made.Record, made.Details)
}

// Claim is what a demo says to a claim.
func (b *build) Claim(c *claim.Claim) (claim.Value, bool, error) {
	made, ok := b.demos[c.Demo]
	if !ok {
		return claim.Value{}, false, nil // its problems are already told, or it is pending
	}
	key := question{made, c.Destination()}
	b.cache.mu.Lock()
	known, ok := b.cache.answers[key]
	b.cache.mu.Unlock()
	if !ok {
		w := world{made, c.World}
		known = b.runs.of(w).ask(w, b.options.Worlds, c)
		b.cache.mu.Lock()
		b.cache.answers[key] = known
		b.cache.mu.Unlock()
	}
	return known.value, true, known.err
}

// Showing is the first page in a language that shows a demo.
func (b *build) Showing(demo, language string) (url string, ok bool) {
	for _, p := range b.pages {
		if p.Chapter.Language == language && slices.Contains(p.Document.Demos, demo) {
			return b.Page(p.Chapter.Path()), true
		}
	}
	return "", false
}

// forgetDemos drops the answers and the markup of demos that were made anew.
func (k *Cache) forgetDemos(made map[string]*demos.Demo) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for m := range k.markups { // order: each on its own
		if m.demo != nil && made[m.demo.Name] != m.demo {
			delete(k.markups, m)
		}
	}
	for v := range k.views { // order: each on its own
		if made[v.demo.Name] != v.demo {
			delete(k.views, v)
		}
	}
	for q := range k.answers { // order: each on its own
		if made[q.demo.Name] != q.demo {
			delete(k.answers, q)
		}
	}
}

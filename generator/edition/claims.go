package edition

import (
	"slices"
	"sync"

	"kubewalk/generator/claim"
	"kubewalk/generator/demos"
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
// all of its answers in Kept opens none.
type runs struct {
	mu   sync.Mutex
	open map[*demos.Demo]*openRun
}

type openRun struct {
	mu  sync.Mutex // of one run: claims about different demos are held at once
	run *claim.Run
	err error
}

func (r *runs) of(d *demos.Demo) *openRun {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = map[*demos.Demo]*openRun{}
	}
	if r.open[d] == nil {
		r.open[d] = new(openRun)
	}
	return r.open[d]
}

func (o *openRun) ask(d *demos.Demo, c *claim.Claim) (a answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.run == nil && o.err == nil {
		o.run, o.err = claim.Open(d.Record, d.Files["details.json"])
	}
	if o.err != nil {
		return answer{err: o.err}
	}
	a.value, a.err = c.On(o.run)
	return a
}

// Claim is what a demo says to a claim.
func (e *edition) Claim(c *claim.Claim) (claim.Value, bool, error) {
	made, ok := e.demos[c.Demo]
	if !ok {
		return claim.Value{}, false, nil // its problems are already told
	}
	key := question{made, c.Destination()}
	e.kept.mu.Lock()
	known, ok := e.kept.answers[key]
	e.kept.mu.Unlock()
	if !ok {
		known = e.runs.of(made).ask(made, c)
		e.kept.mu.Lock()
		e.kept.answers[key] = known
		e.kept.mu.Unlock()
	}
	return known.value, true, known.err
}

// Showing is the first page in a language that shows a demo.
func (e *edition) Showing(demo, language string) (url string, ok bool) {
	for _, p := range e.pages {
		if p.Chapter.Language == language && slices.Contains(p.Document.Demos, demo) {
			return e.Page(p.Chapter.Path()), true
		}
	}
	return "", false
}

// forgetAnswers drops those of demos that were made anew.
func (k *Kept) forgetAnswers(made map[string]*demos.Demo) {
	for q := range k.answers { // order: each on its own
		if made[q.demo.Name] != q.demo {
			delete(k.answers, q)
		}
	}
}

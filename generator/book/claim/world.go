package claim

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Place is a moment of a counterfactual.
type Place struct {
	World string
	Label map[string]string // what is otherwise, by language
	Seed  uint64
	At    time.Duration
}

// In is what is otherwise there, in a language of the book.
func (p *Place) In(language string) string { return cmp.Or(p.Label[language], p.World) }

// String is what a link says of it besides the demo: the world, the seed and the
// time in seconds, as site/widgets/state/link.ts has them, with a space in between.
func (p *Place) String() string {
	at := strconv.FormatInt(p.At.Microseconds(), 10)
	if len(at) < 7 {
		at = strings.Repeat("0", 7-len(at)) + at
	}
	whole, part := at[:len(at)-6], strings.TrimRight(at[len(at)-6:], "0")
	if part != "" {
		whole += "." + part
	}
	return escaped(p.World) + " " + strconv.FormatUint(p.Seed, 10) + " " + whole
}

// escaped is JavaScript's encodeURIComponent, and a little more.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }

func (r *Run) place(event int) *Place {
	return &Place{World: r.World, Label: r.Label, Seed: r.Seed, At: r.time(event)}
}

// PartFrom finds where a counterfactual leaves the real world.
func (r *Record) PartFrom(real *Record) {
	alike := 0
	for alike < min(len(r.Events), len(real.Events)) && r.Events[alike].equal(&real.Events[alike]) {
		alike++
	}
	r.Parts = min(alike+1, len(r.Events))
}

func (e *Event) equal(other *Event) bool {
	return e.At == other.At && e.Who == other.Who && e.Op == other.Op && e.Object == other.Object && slices.Equal(e.Attrs, other.Attrs)
}

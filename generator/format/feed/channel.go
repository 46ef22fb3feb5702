package feed

import (
	"cmp"
	"slices"
	"time"
)

// Channel is what a feed tells of: a book in one language.
type Channel struct {
	RSS, Atom   string // addresses of the feed itself, in both forms
	Home        string // of the book
	Title       string
	Description string
	Language    string
	Items       []Item // in any order
}

// Item is a chapter that was written or changed.
type Item struct {
	URL         string
	Title       string
	Description string
	Part        string
	Published   time.Time // zero when nobody knows: it is older than what is known
	Changed     time.Time // zero when nobody knows: then it is not in the feed
}

// dated are the items that have a time: the newest chapters first. A change moves
// none to the front, so whoever follows only that is told of new chapters alone.
// Those of which nobody knows when they were new are behind the others.
func (c Channel) dated() (items []Item) {
	for _, i := range c.Items {
		if !i.Changed.IsZero() {
			items = append(items, i)
		}
	}
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(b.Published.Compare(a.Published), b.Changed.Compare(a.Changed), cmp.Compare(a.URL, b.URL))
	})
	return items
}

// changed is the time of the last change.
func changed(items []Item) (last time.Time) {
	for _, i := range items {
		if i.Changed.After(last) {
			last = i.Changed
		}
	}
	return last
}

package feed

import (
	"cmp"
	"slices"
	"time"
)

// Channel is what a feed tells of: a book, or its posts, in one language.
type Channel struct {
	RSS, Atom   string // addresses of the feed itself, in both forms
	Home        string // of the book
	Title       string
	Description string
	Language    string
	Items       []Item // in any order
}

// Item is a chapter or a post that was written or changed.
type Item struct {
	URL         string
	Title       string
	Description string
	Part        string    // "" when it is in none
	Tags        []string  // what it is about
	Authors     []Author  // empty when only the channel is known
	Published   time.Time // zero when nobody knows: it is older than what is known
	Changed     time.Time // zero when nobody knows: then it is not in the feed
}

// Author is who wrote an item.
type Author struct{ Name, URL string }

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

// categories are its part and its tags.
func (i *Item) categories() []string {
	if i.Part == "" {
		return i.Tags
	}
	return append([]string{i.Part}, i.Tags...)
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

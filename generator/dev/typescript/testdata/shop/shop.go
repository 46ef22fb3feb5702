// Package shop has of everything that is written.
package shop

import (
	"encoding/json"
	"net/url"
	"time"
)

// Version of the shop.
const Version = 2

// Order is what
// somebody wants.
type Order struct {
	base
	Things []Thing          `json:"things"` // at least one
	By     time.Time        `json:"by,omitzero"`
	Paid   *bool            `json:"paid,omitempty"`
	Notes  map[int][]string `json:"notes"`
	// Size says how much fits.
	Size   Size            `json:"size"`
	Place  Place           `json:"place"`
	Raw    json.RawMessage `json:"raw"`
	From   *url.URL        `json:"from,omitempty"`
	Given  any             `json:"given" tstype:"(Pair | null)[]"`
	Hidden string          `json:"-"`
	Colour Colour          `json:"colour"`
}

type base struct {
	ID string `json:"id"`
}

// Thing is one.
type Thing = struct {
	Name string `json:"name"`
}

// Size has numbers.
type Size int

// Sizes.
const (
	Small Size = iota // fits anywhere
	Large
)

// Colour has texts.
type Colour string

// Colours.
const (
	Red  Colour = "red" // like a rose
	Rose Colour = "red"
	Blue Colour = "blue"
)

// Place is another name for texts.
type Place = string

// Places.
const (
	PlaceHere  = "here"
	PlaceThere = "there"
)

// letters are what a colour is written with.
var letters = map[string]string{
	string(Red): "r",
	"none":      "",
}

var _ = letters

// Pair has no names in JSON.
//
//typescript:type [a: string, b: number]
type Pair [2]any

// desk is who answers.
type desk interface {
	order(Order) (*Pair, error)
}

var _ desk = nil

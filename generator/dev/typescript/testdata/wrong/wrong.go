// Package wrong has what cannot be written.
package wrong

// Thing has no names.
type Thing struct {
	Nameless string
	Unknown  string `json:"unknown" tstype:"Unknown"`
	Open     Open   `json:"open"`
}

// Open has no constants.
type Open string

type desk interface {
	two(a, b string) error
}

var _ desk = nil

var (
	name   = "wrong"
	prices = map[string]string{name: "1"}
	given  = prices
)

var _ = given

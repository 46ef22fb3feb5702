package scene

import (
	"slices"
	"testing"
)

// TestShares: cells of a row are equal, but a longer name has the room that the others can spare.
func TestShares(t *testing.T) {
	for _, c := range []struct {
		name       string
		needs      []int
		room, want []int
	}{
		{"equal", []int{48, 48, 48}, []int{160, 2}, []int{52, 52, 52}},
		{"one is longer", []int{48, 58, 48}, []int{160, 2}, []int{49, 58, 49}},
		{"then another is, too", []int{50, 58, 30}, []int{150, 0}, []int{50, 58, 42}},
		{"an empty place", []int{58, 0}, []int{102, 2}, []int{58, 42}},
		{"no room for all", []int{60, 60, 60}, []int{160, 2}, []int{52, 52, 52}},
		{"alone", []int{58}, []int{40, 2}, []int{40}},
	} {
		if got := shares(c.needs, c.room[0], c.room[1]); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

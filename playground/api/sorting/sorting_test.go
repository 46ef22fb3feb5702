package sorting

import (
	"math/rand"
	"slices"
	"testing"
)

type pair struct{ by, n int }

func byBy(a, b pair) int { return a.by - b.by }

// The order is that of package slices, of elements that are equal, too: the same programs of the same cluster leave the same traces.
func TestSortsAsSlicesDoes(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 2000 {
		s := make([]pair, r.Intn(200))
		for n := range s {
			s[n] = pair{r.Intn(1 + r.Intn(50)), n}
		}
		if r.Intn(4) == 0 {
			slices.SortFunc(s, byBy)
		}
		for name, sort := range map[string][2]func([]pair, func(a, b pair) int){
			"Func":   {Func[pair], slices.SortFunc[[]pair]},
			"Stable": {Stable[pair], slices.SortStableFunc[[]pair]},
		} {
			got, want := slices.Clone(s), slices.Clone(s)
			sort[0](got, byBy)
			if sort[1](want, byBy); !slices.Equal(got, want) {
				t.Fatalf("%s(%v) = %v, want %v", name, s, got, want)
			}
		}
	}
}

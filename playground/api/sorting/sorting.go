// Package sorting sorts slices of structs as package slices does, and in the same order. It exists because slices has its sorting
// compiled anew for each type of element, 10 to 20 kB each; here it is there once for all. For slices of pointers and of
// strings, slices itself is as small, and faster.
package sorting

import "sort"

// Func sorts a slice by what compare says of two elements, as slices.SortFunc does.
func Func[E any](s []E, compare func(a, b E) int) { sort.Sort(&sorter[E]{s, compare}) }

// Stable is Func that leaves equal elements in their order, as slices.SortStableFunc does.
func Stable[E any](s []E, compare func(a, b E) int) { sort.Stable(&sorter[E]{s, compare}) }

type sorter[E any] struct {
	elements []E
	compare  func(a, b E) int
}

func (s *sorter[E]) Len() int           { return len(s.elements) }
func (s *sorter[E]) Less(i, j int) bool { return s.compare(s.elements[i], s.elements[j]) < 0 }
func (s *sorter[E]) Swap(i, j int)      { s.elements[i], s.elements[j] = s.elements[j], s.elements[i] }

// Package suggest finds the name that was probably meant. Whoever refuses a
// name says with it what would have been right.
package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest returns the candidate that was probably meant, or "": one that a slip
// or two lead to, or else one that holds the word. Case does not count.
func Nearest(word string, candidates []string) string {
	candidates = slices.Sorted(slices.Values(candidates))
	lower := strings.ToLower(word)
	best, bestCost := "", 1+max(1, len([]rune(word))/3)
	for _, c := range candidates {
		if cost := distance([]rune(lower), []rune(strings.ToLower(c))); cost < bestCost {
			best, bestCost = c, cost
		}
	}
	if best != "" || len(word) < 3 {
		return best
	}
	for _, c := range candidates {
		if strings.Contains(strings.ToLower(c), lower) {
			return c
		}
	}
	return ""
}

// Cure is Nearest as a cure; when nothing is near, it names what there is.
func Cure(word string, candidates []string) string {
	if n := Nearest(word, candidates); n != "" {
		return fmt.Sprintf("did you mean %q?", n)
	}
	if len(candidates) == 0 {
		return "there are none yet"
	}
	known := slices.Sorted(slices.Values(candidates))
	if len(known) > 12 {
		known = append(known[:12], "…")
	}
	return "known: " + strings.Join(known, ", ")
}

// distance is the number of insertions, deletions, replacements and swaps of
// neighbours that lead from a to b (optimal string alignment).
func distance(a, b []rune) int {
	previous, row, next := []int(nil), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		next[0] = i + 1
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(row[j]+cost, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], previous[j-1]+1)
			}
		}
		previous, row, next = row, next, make([]int, len(b)+1)
	}
	return row[len(b)]
}

package scenario

import "fmt"

// DidYouMean names the candidate that is closest to a misspelt name, as
// " (did you mean …?)"; "" when none is close.
func DidYouMean(name string, candidates []string) string {
	best, distance := "", len(name)/2+1
	for _, c := range candidates {
		if d := levenshtein(name, c); d < distance {
			best, distance = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

func levenshtein(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

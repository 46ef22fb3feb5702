package search

import "strings"

// stem is what the forms of an English word have in common: pods and pod,
// scheduling and scheduled. It is no word itself, and light on purpose, so that
// scheduler and schedule stay two words. Terms are indexed as they stand; the
// search looks for all that share a stem, which begin alike.
func stem(w string) string {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return w
		}
	}
	if len(w) < 4 {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "is") && !(strings.HasSuffix(w, "us") && len(w) > 4):
		w = w[:len(w)-1]
	}
	switch {
	case strings.HasSuffix(w, "ied") && len(w) > 4:
		w = w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "ing") && hasVowel(w[:len(w)-3]):
		w = w[:len(w)-3]
		if len(w) == 2 {
			w += "e"
		}
	case strings.HasSuffix(w, "ed") && !strings.HasSuffix(w, "eed") && hasVowel(w[:len(w)-2]):
		w = w[:len(w)-2]
		if len(w) == 2 {
			w += "e"
		}
	}
	if len(w) > 3 && strings.HasSuffix(w, "e") {
		w = w[:len(w)-1]
	}
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	if n := len(w); n > 3 && w[n-1] == 'y' {
		w = w[:n-1] + "i"
	}
	return w
}

func hasVowel(w string) bool { return strings.ContainsAny(w, "aeiouy") }

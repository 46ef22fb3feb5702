package suggest

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"replicaset-scale", "tour", "title", "description", "node-1", "node-2"}
	for word, want := range map[string]string{
		"titel": "title", "replicaset-scael": "replicaset-scale", "Tour": "tour",
		"decsription": "description", "zzz": "", "": "", "scale": "replicaset-scale", "node-9": "node-1", "no": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

func TestCure(t *testing.T) {
	many := []string{"m", "l", "k", "j", "i", "h", "g", "f", "e", "d", "c", "b", "a"}
	for _, test := range []struct {
		word  string
		known []string
		want  string
	}{
		{"titel", []string{"title"}, `did you mean "title"?`},
		{"xyz", []string{"title", "end"}, "known: end, title"},
		{"xyz", nil, "there are none yet"},
		{"xyz", many, "known: a, b, c, d, e, f, g, h, i, j, k, l, …"},
	} {
		if got := Cure(test.word, test.known); got != test.want {
			t.Errorf("Cure(%q, %v) = %q, want %q", test.word, test.known, got, test.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"日本", "日木", 1}, {"ab", "ba", 1}} {
		if got := distance([]rune(test.a), []rune(test.b)); got != test.want {
			t.Errorf("distance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

package reading

import (
	"strings"
	"testing"
)

func TestMinutes(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		code string
		want int
	}{
		{"nothing", "", "", 0},
		{"a sentence", "It's there.", "", 1},
		{"English", strings.Repeat("word ", 1100), "", 5},
		{"apostrophes and hyphens", strings.Repeat("doesn't re-list ", 220), "", 3},
		{"Japanese", strings.Repeat("調整ループが動く。\n", 250), "", 4}, // 8 characters a line
		{"a long sound", strings.Repeat("コントローラー", 500), "", 7},
		{"Japanese with names", strings.Repeat("これは ReplicaSet です。", 250), "", 4}, // 5 characters and a word
		{"code", "", strings.Repeat("if err != nil { return err }\n", 220), 2},
	} {
		if got := Minutes([]string{c.text}, []string{c.code}); got != c.want {
			t.Errorf("%s: %d minutes, want %d", c.name, got, c.want)
		}
	}
}

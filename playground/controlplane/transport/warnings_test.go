package transport

import (
	"slices"
	"strings"
	"testing"
)

// What is said by warnings is bounded as upstream's is: TestTruncation of apiserver/pkg/endpoints/filters/warning_test.go.
func TestWarningsAreBounded(t *testing.T) {
	c := &Call{}
	long, other := strings.Repeat("ñ", truncateAtTotalRunes-1), strings.Repeat("b", 300)
	for _, text := range []string{long, "a", long, "a"} {
		c.Warn(text)
	}
	said := func() (out []string) {
		for _, w := range c.warnings {
			out = append(out, c.cut(w))
		}
		return out
	}
	if got := said(); !slices.Equal(got, []string{long, "a"}) {
		t.Errorf("what is just enough is left alone: %d warnings, the first of %d bytes", len(got), len(got[0]))
	}
	c.Warn(other)
	want := []string{strings.Repeat("ñ", truncateItemRunes), "a", strings.Repeat("b", truncateItemRunes)}
	if got := said(); !slices.Equal(got, want) {
		t.Errorf("what is too much is cut: %.100q", got)
	}
	for i := range 100_000 {
		c.Warn(strings.Repeat("c", i%1000) + other)
	}
	total := 0
	for _, w := range said() {
		total += len([]rune(w))
	}
	if total < truncateAtTotalRunes || total >= truncateAtTotalRunes+truncateItemRunes {
		t.Errorf("%d characters are said", total)
	}
}

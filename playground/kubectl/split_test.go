package kubectl

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for line, want := range map[string]string{
		`get pods`:                   `get|pods`,
		`  get   pods	-A `:           `get|pods|-A`,
		``:                           ``,
		`get rs -l 'app in (a, b)'`:  `get|rs|-l|app in (a, b)`,
		`patch x -p "{\"a\":\"$\"}"`: `patch|x|-p|{"a":"$"}`,
		`a''b "" c\ d`:               `ab||c d`,
		`label pod x a=b # why`:      `label|pod|x|a=b`,
		`a#b`:                        `a#b`,
		"apply \\\n -f x":            `apply|-f|x`,
		`get -o jsonpath={.a[*].b}`:  `get|-o|jsonpath={.a[*].b}`,
	} {
		words, err := Split(line)
		var got []string
		for _, w := range words {
			got = append(got, w.Text)
		}
		if err != nil || strings.Join(got, "|") != want {
			t.Errorf("%q: got %q, %v, want %q", line, got, err, want)
		}
	}
	for line, want := range map[string]string{
		`get 'a`:      "4: the quote ' is never closed",
		`get "a`:      `4: the quote " is never closed`,
		`get a\`:      `5: nothing stands behind the \ at the end`,
		`get a | wc`:  `6: there is no shell that would understand |: put it in quotes, or leave it out`,
		`get $X`:      `4: there is no shell that would understand $: put it in quotes, or leave it out`,
		`get a > out`: `6: there is no shell that would understand >: put it in quotes, or leave it out`,
	} {
		_, err := Split(line)
		l, _ := err.(*LineError)
		if l == nil || fmt.Sprintf("%d: %s", l.At, l.Message) != want {
			t.Errorf("%q: got %v, want %s", line, err, want)
		}
	}
}

// FuzzSplit: what is joined comes apart into the same words, and a word begins where it is said to.
func FuzzSplit(f *testing.F) {
	for _, line := range []string{`get pods -l 'a b'`, `x "y\"z" \ `, `a'b"c`, "\\\n", `#`, `'#'`} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := Split(line)
		if err != nil {
			if l, ok := err.(*LineError); !ok || l.At < 0 || l.At >= len(line) {
				t.Errorf("%q: %v", line, err)
			}
			return
		}
		var texts []string
		last := -1
		for _, w := range words {
			if w.At <= last || w.At >= len(line) || blank(line[w.At]) {
				t.Errorf("%q: word %q at %d", line, w.Text, w.At)
			}
			last = w.At
			texts = append(texts, w.Text)
		}
		again, err := Split(Join(texts))
		var back []string
		for _, w := range again {
			back = append(back, w.Text)
		}
		if err != nil || !slices.Equal(texts, back) {
			t.Errorf("%q: %q came back as %q (%v)", line, texts, back, err)
		}
	})
}

package link_test

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"kubewalk/playground/cluster"
	"kubewalk/playground/demo/link"
)

// links is what the page's tests read, too.
func links(t testing.TB) (out struct {
	Good []struct {
		Link       string
		Experiment json.RawMessage
	}
	Bad []struct{ Link, Says string }
}) {
	t.Helper()
	text, err := os.ReadFile("testdata/links.json")
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestLinks(t *testing.T) {
	all := links(t)
	for _, c := range all.Good {
		for _, before := range []string{"", "#", "https://example.org/en/start/x/?a=b#"} {
			got, err := link.Parse(before + c.Link)
			if err != nil {
				t.Errorf("%s: %v", c.Link, err)
				continue
			}
			text, err := json.Marshal(got)
			if err != nil {
				t.Fatal(err)
			}
			var have, want any
			json.Unmarshal(text, &have)
			json.Unmarshal(c.Experiment, &want)
			if !reflect.DeepEqual(have, want) {
				t.Errorf("%s:\ngot  %s\nwant %s", c.Link, text, c.Experiment)
			}
		}
	}
	for _, c := range all.Bad {
		_, err := link.Parse(c.Link)
		var problem link.Problem
		if !errors.As(err, &problem) || string(problem) != c.Says {
			t.Errorf("%s: %v, want %s", c.Link, err, c.Says)
		}
	}
	if _, err := link.Parse("https://example.org/en/"); err == nil || !strings.Contains(err.Error(), "it names no demo") {
		t.Errorf("no demo: %v", err)
	}
}

// Every kind of input can be in a link: what is read without fields lacks one, or is whole.
func TestEveryKindIsKnown(t *testing.T) {
	for _, kind := range cluster.Kinds() {
		_, err := link.Parse("demo=a&seed=1&at=1&inputs=3," + string(kind) + ",")
		if err != nil && !strings.Contains(err.Error(), " lacks its ") && !strings.Contains(err.Error(), "too many fields") {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	all := links(f)
	for _, c := range all.Good {
		f.Add(c.Link)
	}
	for _, c := range all.Bad {
		f.Add(c.Link)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := link.Parse(text)
		if err == nil && !slices.IsSortedFunc(e.Inputs, func(a, b cluster.Input) int { return int(a.At - b.At) }) {
			t.Errorf("%q: inputs are not in order", text)
		}
	})
}

package yamltree

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func told(problems []Problem) string {
	var out []string
	for _, p := range problems {
		out = append(out, fmt.Sprintf("%d:%d %s (%s)", p.Line, p.Column, p.Message, p.Cure))
	}
	return strings.Join(out, "\n")
}

func TestFind(t *testing.T) {
	tree := Parse("a.b:\n  c]: [x, {d: y}]\na: {b: z}\n'[e]': 1\nf:\n", 10)
	for path, want := range map[string]string{
		"":               "11:1 keys and values true",
		"a.b":            "12:3 keys and values true", // the longest key that fits
		"a[b]":           "13:8 the text \"z\" true",
		"a.b.c][0]":      "12:8 the text \"x\" true",
		"a.b[c]][1].d":   "12:15 the text \"y\" true",
		"a.b[c]][1].e":   "12:11 keys and values false",
		"a.b.c][2]":      "12:7 a list false",
		"a.b.c][-1]":     "12:7 a list false",
		"a.b.c][1":       "12:11 keys and values true",
		"[[e]]":          "14:8 the number 1 true",
		"f":              "15:4 nothing true",
		"f.g":            "15:4 nothing false",
		"nothing.at.all": "11:1 keys and values false",
	} {
		v, ok := tree.Root.Find(path)
		if got := fmt.Sprintf("%d:%d %s %v", v.At.Line, v.At.Column, v.Is(), ok); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// TestWhatIsWrongAnyway is about what no file may hold, whatever it is about.
func TestWhatIsWrongAnyway(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1\nb:\n  c: 1\n  c: 2\n  c: 3\na: 4\n": "6:1 key \"a\" is given twice (keep one of them)\n4:3 key \"c\" is given twice (keep one of them)\n5:3 key \"c\" is given twice (keep one of them)",
		"a: &one 1\nb: *oen\n":                     "2:4 alias *oen is not defined (did you mean \"one\"?)",
		"a: *one\nb: &one 1\n":                     "1:4 alias *one is not defined (did you mean \"one\"?)",
		"a: 1\n---\nb: 2\n---\nc: 3\n":             "3:1 a second YAML document begins here (remove the line --- before it: the file contains one document)",
		"a: [1\n":                                  "1:4 [ is not closed (close the [)",
		"a: 'b\n":                                  "1:4 quotes are not closed (close the quotes)",
		"a: @b\n":                                  "1:4 a text cannot begin with @ (put the text in quotes)",
	} {
		if got := told(Parse(text, 0).Problems); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// TestWrongKinds: what a value is not, in the same words for every file.
func TestWrongKinds(t *testing.T) {
	tree := Parse("- true\n- 1.5\n- '3'\n- [x]\n- {a: b}\n- 18446744073709551615\n- 0\n", 0)
	item := tree.Root.Items()
	item[0].OnlyText("a")
	item[1].Whole("a", 0, 1<<63-1)
	item[2].Whole("a", 1, 3)
	item[3].Text("a")
	item[3].Keys("a", "{b: c}")
	item[4].List("a", "")
	item[4].Yes("a")
	item[5].Whole("a", 0, 1<<63-1)
	item[6].Whole("a", 1, 1<<63-1)
	item[2].OneOf("kind of thing", []string{"one", "two"})
	item[4].Entries()[0].Unknown("a thing", "known: c")
	want := `1:3 a has to be text, and is true (write it in quotes: "true")
2:3 a has to be a whole number, and is the number 1.5 (write it without a fraction, as in 1)
3:3 a has to be a whole number from 1 to 3, and is the text "3" (write it without quotes: 3)
4:3 a has to be text, and is a list (write it without brackets: x)
4:3 a has to be keys and values, and is a list (write it as {b: c})
5:3 a has to be a list, and is keys and values (begin each entry with a hyphen, or write [a, b])
5:3 a has to be true or false, and is keys and values ()
6:3 a has to be 9223372036854775807 or less, and is 18446744073709551615 ()
7:3 a has to be 1 or more, and is 0 ()
3:3 unknown kind of thing "3" (known: one, two)
5:4 unknown key "a" of a thing (known: c)`
	if got := told(tree.Problems); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a: &a [*a]\nb: {<<: *a, c: d}\n", "b.c")
	f.Add("? {a: b}\n: c\n--- |\n x\n", "[0]")
	f.Add("- !!str 5\n- 'x'\n", "[1].a")
	f.Fuzz(func(t *testing.T, text, path string) {
		begun := time.Now()
		tree := Parse(text, 0)
		v, _ := tree.Root.Find(path)
		v.Entries()
		_, _ = v.JSON()
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") + 1
		for _, p := range tree.Problems {
			if p.Line < 1 || p.Line > lines || p.Column < 1 || p.Message == "" {
				t.Errorf("%+v: the text has %d lines", p, lines)
			}
		}
		if spent := time.Since(begun); spent > 5*time.Second {
			t.Errorf("%d bytes took %v", len(text), spent)
		}
	})
}

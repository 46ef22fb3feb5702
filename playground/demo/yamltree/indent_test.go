package yamltree

import (
	"fmt"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/parser"
)

// TestIndentation gives the parser texts, and is about what we make of what it says.
func TestIndentation(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a:\n  b: 1\n c: 2\n", "3:2 this line is indented by 1, which matches no line above it (begin it in column 1 or 3)"},
		{"a:\n  b:\n    c: 1\n   d: 2\n", "4:4 this line is indented by 3, which matches no line above it (begin it in column 1, 3 or 5)"},
		{"a: 1\n  b: 2\n", "2:3 this line is indented deeper than the one above, which has a value already, so it belongs to nothing (begin it in column 1)"},
		{"l:\n  - id: x\n     at: 2\n",
			"3:6 this line is indented deeper than the one above, which has a value already, so it belongs to nothing (begin it in column 5)"},
		{"l:\n  - id: x\n\n    # far\n      at: 2\n",
			"5:7 this line is indented deeper than the one above, which has a value already, so it belongs to nothing (begin it in column 5)"},
		{"l:\n  - id: x\n   at: 2\n", "3:4 this line is indented by 3, which matches no line above it (begin it in column 1, 3 or 5)"},
		{"l:\n  - id: x\n  at: 2\n",
			"3:3 this line begins in the column of the list's dashes but has no dash (begin it in column 5, below the keys of the element above; or with - for another element)"},
		{"l:\n  - id: x\n - id: y\n", "3:2 this line is indented by 1, which matches no line above it (begin it in column 1, 3 or 5)"},
		{" a: 1\nb: 2\n", "2:1 this line is indented by 0, which matches no line above it (begin it in column 2)"},
		{"a: b: c\n", "its own words"},
		{"a: b: c\n  d: e\n", "its own words"},
		{"a: [1\n", "its own words"},
	} {
		_, err := parser.ParseBytes([]byte(test.text), 0)
		if err == nil {
			t.Errorf("%q is right", test.text)
			continue
		}
		wrong := err.(yaml.Error)
		got := "its own words"
		if line, column, what, cure, ok := indentation(test.text, wrong.GetToken().Position.Line, wrong.GetMessage()); ok {
			got = fmt.Sprintf("%d:%d %s (%s)", line, column, what, cure)
		}
		if got != test.want {
			t.Errorf("%q (%s):\ngot  %s\nwant %s", test.text, wrong.GetMessage(), got, test.want)
		}
	}
}

func FuzzIndentation(f *testing.F) {
	f.Add("a:\n  b: 1\n c: 2\n", 3, "value is not allowed in this context")
	f.Add("- - a: 1\n    b: 2", 1, "mapping value is not allowed in this context")
	f.Fuzz(func(t *testing.T, text string, line int, message string) {
		if at, column, what, cure, ok := indentation(text, line, message); ok && (at < 1 || column < 1 || what == "" || cure == "") {
			t.Errorf("%d:%d %q (%q)", at, column, what, cure)
		}
	})
}

package highlight

import (
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for _, test := range []struct{ name, language, code, want string }{
		{"go", "go", "func f() string { return \"<b>\" } // x\n",
			`<span class="hl-keyword">func</span> <span class="hl-function">f</span>() <span class="hl-type">string</span> { <span class="hl-keyword">return</span> <span class="hl-string">&#34;&lt;b&gt;&#34;</span> } <span class="hl-comment">// x</span>`},
		{"a comment over lines", "go", "/* a\nb */", "<span class=\"hl-comment\">/* a</span>\n<span class=\"hl-comment\">b */</span>"},
		{"yaml", "yaml", "a: 1", `<span class="hl-key">a</span>: <span class="hl-number">1</span>`},
		{"plain", "", "<a>\n\n b", "&lt;a&gt;\n\n b"},
		{"plain by name", "text", "x", "x"},
		{"unknown", "nope", "x", "x"},
		{"empty", "go", "", ""},
		{"blank line at the end", "go", "x\n\n", "x\n"},
	} {
		if got := strings.Join(Lines(test.language, test.code), "\n"); got != test.want {
			t.Errorf("%s: got\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

func TestKnown(t *testing.T) {
	for language, want := range map[string]bool{"": true, "text": true, "go": true, "yaml": true, "console": true, "golangg": false} {
		if Known(language) != want {
			t.Errorf("Known(%q) = %v", language, !want)
		}
	}
}

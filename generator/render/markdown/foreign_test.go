package markdown

import (
	"strings"
	"testing"

	"kubewalk/generator/problem"
)

// FuzzForeign: whatever stands in code is not taken for another program's syntax, in
// the text or in a block, and what is found has a place in the chapter.
func FuzzForeign(f *testing.F) {
	for _, text := range []string{"{{< a >}}", "!!! note", "[a][b]", "[TOC]", "H~2~O", "x^2^", "==m==", "{{#include x}}", "import a from 'b'", "{% if %}"} {
		f.Add(text)
	}
	foreignWords := []string{"Hugo", "MkDocs", "mdBook", "other programs", "address is not there", "Jekyll", "VitePress", "MDX"}
	f.Fuzz(func(t *testing.T, text string) {
		line := strings.Map(func(r rune) rune {
			if r == '`' || r < ' ' {
				return -1
			}
			return r
		}, text)
		if strings.TrimSpace(line) == "" {
			return
		}
		for _, source := range []string{"See `" + line + "` there.", "```text\n" + line + "\n```\n",
			"- a\n\n  ```text\n  " + line + "\n  ```\n", "x ``` " + line + " ``` y\n"} {
			_, _, err := convert("en", source)
			for _, p := range problem.Of(err) {
				for _, word := range foreignWords {
					if strings.Contains(p.Message, word) {
						t.Errorf("%q: %v", source, p)
					}
				}
			}
		}
		_, _, err := convert("en", text)
		lines := strings.Split(text, "\n")
		for _, p := range problem.Of(err) {
			if p.Line < 1 || p.Line > len(lines)+1 {
				t.Errorf("%q: %v", text, p)
			}
		}
	})
}

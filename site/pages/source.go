package pages

import (
	"html"
	"strconv"
	"strings"
)

// Source is the page of a source file.
type Source struct {
	Page
	File  string
	Lines []string // HTML
}

// LineAnchor is the anchor of a line of a source page.
func LineAnchor(n int) string { return "L" + strconv.Itoa(n) }

// code is written here, since every space in it is seen.
func (s *Source) code() string {
	var b strings.Builder
	b.WriteString(`<pre class="code is-numbered" tabindex="0" role="group" aria-label="` + html.EscapeString(s.File) + `"><code>`)
	for i, line := range s.Lines {
		n := strconv.Itoa(i + 1)
		b.WriteString(`<span class="line" id="` + LineAnchor(i+1) + `" data-line="` + n + `">` + line + "\n</span>")
	}
	b.WriteString("</code></pre>")
	return b.String()
}

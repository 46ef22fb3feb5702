package markdown

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// dressed is what the book adds to a form without another meaning: how an empty element
// ends, a heading's anchor and the frame of a block of code.
var dressed = []struct {
	form *regexp.Regexp
	as   string
}{
	{regexp.MustCompile(`<(hr|br)>`), "<$1 />"},
	{regexp.MustCompile(`<(h[1-6]) id="[^"]*">`), "<$1>"},
	{regexp.MustCompile(` <a class="anchor" href="[^"]*" aria-label="[^"]*"></a>`), ""},
	{regexp.MustCompile(`<pre class="code"[^>]*>`), "<pre>"},
	{regexp.MustCompile(`&#34;`), "&quot;"},
	{regexp.MustCompile(`<code>\n</code>`), "<code></code>"},
}

// TestCommonMark tries all examples of the specification, which goldmark carries. Those
// that give something else are listed with the reason in docs/commonmark.md, and no others.
func TestCommonMark(t *testing.T) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "-m", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json"))
	if err != nil {
		t.Fatal(err)
	}
	var examples []struct {
		Markdown, HTML string
		Example        int
	}
	if err := json.Unmarshal(text, &examples); err != nil || len(examples) != 652 {
		t.Fatalf("%d examples, %v", len(examples), err)
	}
	doc, err := os.ReadFile("../../../docs/commonmark.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[int]bool{}
	for line := range strings.Lines(string(doc)) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 {
			continue
		}
		for _, number := range strings.Split(strings.TrimSpace(cells[2]), ", ") {
			n, err := strconv.Atoi(number)
			if err != nil {
				continue // the table's head
			}
			if listed[n] {
				t.Errorf("example %d is listed twice", n)
			}
			listed[n] = true
		}
	}
	for _, e := range examples {
		_, out, err := convert("en", e.Markdown)
		for _, d := range dressed {
			out = d.form.ReplaceAllString(out, d.as)
		}
		if same := err == nil && out == e.HTML; same == listed[e.Example] {
			t.Errorf("example %d is listed: %v\n%q\ngives %q %v\nand not %q\n(mend it, or have docs/commonmark.md tell the reason)",
				e.Example, listed[e.Example], e.Markdown, out, err, e.HTML)
		}
		delete(listed, e.Example)
	}
	if len(listed) > 0 {
		t.Errorf("no examples: %v", slices.Collect(maps.Keys(listed)))
	}
}

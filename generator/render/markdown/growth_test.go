//go:build unix

package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"kubewalk/generator/problem"
)

// hostile are texts that make a parser slow or its output large, of about n bytes.
var hostile = map[string]func(n int) string{}

func init() {
	for name, piece := range map[string]string{
		"bold that never ends, Japanese": "**「a ", "bold that never ends": "**a ", "emphasis that never ends": "*a ",
		"emphasis that ends": "a* ", "emphasis in emphasis": "*a _b ", "bold, closed": "**a** ", "emphasis of both kinds": "*a**b",
		"underscores": "_a__b", "tildes": "~a ~~b", "stars": "*", "stars and letters": "a**b*c", "definitions": "[a]: b\n",
		"definitions of their own": "[a%d]: b\n", "definitions with titles": "[a%d]: b \"", "brackets": "[", "closing brackets": "]",
		"links": "[a](b) ", "links in links": "[a](", "links of links": "[[a](b)", "images": "![a](", "image openings": "![",
		"references": "[a][b] ", "collapsed": "[a][] ", "words in brackets": "[a] ", "addresses": "https://a.b/c ", "address": "https://",
		"www": "www.a.b", "addresses in angles": "<https://a.b> ", "mail": "a@b.cc ", "mail without end": "a@", "dots": "a.",
		"code": "`a` ", "code that never ends": "``a`", "angles": "<", "raw": "<a ", "comments": "<!-- ", "processing": "<?",
		"declarations": "<!A ", "cdata": "<![CDATA[", "entities": "&amp;", "ampersands": "&", "escapes": "\\", "escaped spaces": "a\\ ",
		"formulas": "$a$ ", "formulas that never end": "$a ", "ruby": "{漢|かん}", "ruby that never ends": "{漢|", "attributes": "{#a",
		"attributes of words": "[a]{.b} ", "braces": "{", "footnotes": "a[^1] ", "footnotes defined": "[^%d]: a\n\n",
		"footnotes used": "a[^%d] \n\n[^%d]: b\n\n", "inline claims": "[3](<demo:replicaset-scale@running rs/web .x>) ",
		"terms": "[[reconcile loop]] ", "terms that never end": "[[a", "words": "word ", "Japanese": "日本語、", "Japanese lines": "日本語\n",
		"lines": "a\n", "hard breaks": "a\\\n", "keys": "[[Ctrl+C]] ", "paragraphs": "a\n\n", "quotes": "> a\n\n", "quotes in quotes": "> ",
		"list": "- a\n", "list of the other kind": "- a\n* b\n", "lists in lists": "- ", "numbers in numbers": "1. ",
		"lists and quotes": "- > ", "headings": "# a\n", "same headings": "## a\n\n", "headings of setext": "a\n=\n", "breaks": "***\n",
		"fences": "```\na\n```\n", "fences that never end": "```\n", "tildes of fences": "~~~ a\n", "html": "<div>\n",
		"containers": ":::note\na\n:::\n\n", "containers in containers": ":::note\n", "container ends": ":::\n", "tasks": "- [ ] a\n",
		"definitions of words": "a\n: b\n\n", "definition openings": ": a\n", "tables": "|a|\n|-|\n|b|\n\n",
		"formula blocks": "$$\na\n$$\n\n", "tabs": ":::tabs\n== a\n:::\n",
	} {
		hostile[name] = func(n int) string {
			var out strings.Builder
			for i := 0; out.Len() < n; i++ {
				out.WriteString(strings.ReplaceAll(piece, "%d", fmt.Sprint(i)))
			}
			return out.String()
		}
	}
	hostile["a wide table"] = func(n int) string {
		return strings.Repeat("|a", n/4) + "|\n" + strings.Repeat("|-", n/4) + "|\n" + strings.Repeat("|\n", n/8)
	}
	hostile["a long table"] = func(n int) string { return "|a|b|\n|-|-|\n" + strings.Repeat("|a|b|\n", n/6) }
	hostile["a table of pipes"] = func(n int) string { return "|a|b|\n|-|-|\n|" + strings.Repeat("\\|", n/2) + "|a|\n" }
	hostile["code of growing length"] = func(n int) string {
		var out strings.Builder
		for i := 1; out.Len() < n; i++ {
			out.WriteString("a" + strings.Repeat("`", i))
		}
		return out.String()
	}
	hostile["indented lists"] = func(n int) string {
		var out strings.Builder
		for i := 0; out.Len() < n; i++ {
			out.WriteString(strings.Repeat("  ", i) + "- a\n")
		}
		return out.String()
	}
	for _, pair := range []struct{ name, open, close string }{
		{"nested emphasis", "*a **a ", "**a*"},
		{"nested links", "[", "](a)"},
		{"nested images", "![", "](a)"},
		{"nested parentheses", "[a](", ")"},
		{"a nested destination", "[a]((", ")"},
		{"brackets that close", "[", "]"},
	} {
		hostile[pair.name] = func(n int) string {
			return strings.Repeat(pair.open, n/(len(pair.open)+len(pair.close))) + "x" + strings.Repeat(pair.close, n/(len(pair.open)+len(pair.close)))
		}
	}
}

// grows is how often larger a text is made to see how the time grows.
const grows = 8

// TestGrowth: a text that is 8 times as long takes some 8 times as long, or is refused with
// its place; with the square it would be 64.
func TestGrowth(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		make := hostile[name]
		worst, out := time.Duration(1<<62), ""
		small := time.Duration(1 << 62)
		var err error
		const n = 4_000
		for range 3 {
			for size, best := range map[int]*time.Duration{n: &small, grows * n: &worst} {
				start := cpuTime()
				var text string
				text, err = converted(make(size))
				*best = min(*best, cpuTime()-start)
				out = max(out, text)
			}
			if worst < 100*time.Millisecond {
				break
			}
		}
		if worst > 100*time.Millisecond && worst > 3*grows*small {
			t.Errorf("%s: %v, and %v for %d times the text (%.200v)", name, small, worst, grows, err)
		}
		if len(out) > 100*grows*n {
			t.Errorf("%s: %d bytes make %d", name, grows*n, len(out))
		}
	}
}

// cpuTime is what the process has worked: the clock says nothing on a busy machine.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// converted fails for what is wrong without a place.
func converted(source string) (string, error) {
	_, out, err := convert("en", source)
	for _, p := range problem.Of(err) {
		if p.File == "" || p.Line == 0 || p.Cure == "" {
			panic(fmt.Sprintf("%.300q: %v", source, p))
		}
	}
	return out, err
}

// TestBudgets: each limit has its error, with place and cure.
func TestBudgets(t *testing.T) {
	many := strings.Repeat
	for source, want := range map[string]string{
		many("> ", 520) + "a":                          "x.md:1:123: more than 60 blocks are nested (quotes, lists and containers are blocks: nest fewer)",
		"a\n\n" + many("- ", 100) + "a":                "x.md:3:",
		many("*a **a ", 100) + "x" + many("**a*", 100): "pieces of emphasis or links are nested",
		many("**「a ", 9000):                            "x.md:1:10001: paragraph has more than 2000 characters that may mean markup ('*' is the next) (split it",
		many("word ", 100_000):                         "paragraph has 499999 bytes, more than 65536 (put empty lines where a new thought begins)",
		many("[a]: b\n", 1001):                         "x.md:1001:1: chapter defines more than 1000 links and footnotes (define fewer, or split the chapter)",
		hostile["a wide table"](35_000):                "rows of the chapter's tables lack more than 2000 cells (write each row",
		many("# a\n\n", 300):                           "the chapter has more problems, which are not listed (mend the others first)",
	} {
		_, _, err := convert("en", source)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %.300v", source, err)
		}
	}
	if _, out, err := convert("en", many("> ", 50)+"a\n\n"+many("a *b* ", 900)+"\n\n"+many("a\n\n", 3000)); err != nil || out == "" {
		t.Errorf("what is within the limits: %v", err)
	}
}

// BenchmarkGrowth has each text at n and at 2n bytes, for the table of make bench.
func BenchmarkGrowth(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		for _, n := range []int{10_000, 20_000} {
			source := hostile[name](n)
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					_, _ = converted(source)
				}
			})
		}
	}
}

// FuzzConvert: whatever is written, there is a page or a place and a cure, soon.
func FuzzConvert(f *testing.F) {
	for _, make := range hostile {
		f.Add(make(200))
	}
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 20_000 || !utf8.ValidString(source) || strings.Contains(source, "\x00") {
			return
		}
		start := cpuTime()
		out, _ := converted(source)
		if took := cpuTime() - start; took > 5*time.Second {
			t.Errorf("%d bytes took %v", len(source), took)
		}
		if len(out) > 1_000_000+200*len(source) {
			t.Errorf("%d bytes make %d", len(source), len(out))
		}
	})
}

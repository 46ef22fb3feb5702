package yamltree

import (
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestSyntax is about what people get wrong in YAML: where it is, in our words, and what helps.
func TestSyntax(t *testing.T) {
	for text, want := range map[string]string{
		"title: A: b\n":                           "1:8 a second value begins within this one (a colon followed by a space begins a value: put a text that contains one in quotes)",
		"title:\"A\"\nb: 1\n":                     `1:1 there is no space after the colon of "title" (write title: "A")`,
		"a: 1\ntitle:A\nb: 1\n":                   `2:1 there is no space after the colon of "title" (write title: A)`,
		"l:\n  - id:x\n    b: 1\n":                `2:5 there is no space after the colon of "id" (write id: x)`,
		"title: 'It's a loop'\n":                  "1:12 the line goes on after the closing quote (write '' for an apostrophe within the text, or remove what is behind it)",
		"title: \"A \"b\" c\"\n":                  `1:12 the line goes on after the closing quote (write \" for each of the quotes within the text, or remove what is behind it)`,
		"title: [A] b\n":                          "1:11 the line goes on after ] (put a text that begins with [ in quotes, or remove what is behind it)",
		"title: {{ page.title }}\n":               "1:8 { begins keys and values (put a text that begins with { in quotes)",
		"l:\n  - {a: b} x\n  - {a: b}\n":          "2:11 the line goes on after } (put a text that begins with { in quotes, or remove what is behind it)",
		"count: != 0\n":                           "1:8 != would say of which type the value is, and there is no such type (put a text that begins with ! in quotes)",
		"a: &x {b: 1}\nc: {<<: 3}\nd: {<<: *x}\n": "2:9 << takes over keys and values, and this has none (write <<: *name, or remove the line)",
		"title: %A\n":                             "1:8 a text cannot begin with % (put the text in quotes)",
		"title: `A`\n":                            "1:8 a text cannot begin with ` (put the text in quotes)",
		"title: \"A\nb:\n  c: \"d\"\n":            "1:8 quotes are not closed (close the quotes)",
		"a:\n  title: 'A\n  b: 'c'\n":             "2:10 quotes are not closed (close the quotes)",
		"l:\n  - {a: b\n  - {a: c}\nd: e\n":       "2:5 { is not closed (close the {)",
		"c: {light: #0b6b5f, dark: #5fd4c0}\n":    `1:12 # begins a comment here, so { is not closed (put a text that begins with # in quotes: "#0b6b5f")`,
		"c: [a, #b]\nd: {e: f}\n":                 `1:8 # begins a comment here, so [ is not closed (put a text that begins with # in quotes: "#0b6b5f")`,
		"t: |\n  {a\n  'b\nc: [d\n":               "4:4 [ is not closed (close the [)",
		"t: \"a\\q\"\n":                           `1:7 unknown escape after \ in a text in double quotes (write \\ for a backslash, or put the text in single quotes)`,
		"parts:\n  a: b\n  - c\n":                 "3:3 this line does not fit the one above (the lines of one level are all key: value, or all begin with -)",
		"a: b\nhello\n":                           "2:1 this line is neither a key with a value nor an element of a list (write it as key: value, with a space after the colon; a text of several lines begins with |)",
		"i: {shop:v2: {crash-after: 3s}}\n":       "1:14 { is not closed, or a comma is missing in it (write }, or a comma between two keys; put a key that contains a colon in quotes)",
		"l: [{code: en name: \"English\"}]\n":     `1:12 a second key begins within the text that begins with "en name" (write a comma before the next key, or put the text in quotes)`,
		"a: b\r\ntitle: 'It's'\r\n":               "2:12 the line goes on after the closing quote (write '' for an apostrophe within the text, or remove what is behind it)",
		"a: - b\n":                                "1:4 a list cannot begin behind a key (begin the list in a line of its own, or put a text that begins with - in quotes)",
		"a: >= 3\n":                               `1:4 ">" or "|" at the beginning of a text makes it one of several lines (put a comparison in quotes, ">= 3")`,
		"a: b}\nc: ]\n":                           "2:4 ] closes nothing (remove it, or put the text in quotes)",
		"調: \"あ\nb: {c: \"い\"}\nd: \"x\" y\n":     "1:4 quotes are not closed (close the quotes)",
	} {
		if got := told(Parse(text, 0).Problems); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

// TestReadableText: what looks like these mistakes, and is none.
func TestReadableText(t *testing.T) {
	for _, text := range []string{
		"a: {b: c,\n  d: [e,\n  # f\n  g]} # h\n", "a: \"b\n  c: d\"\n", "a: 'it''s' # yes\n", "a: \"\\\"b\\\"\"\n", "a: b:c\n", "a: http://x.example/y#z\n",
		"a: {b: \"c: d\"}\n", "a: |\n  b: c: d\n  {\n", "- {a: b}\n- c: 'd'\n", "? a\n: b\n",
	} {
		if got := told(Parse(text, 0).Problems); got != "" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestOnlyOwnWords reads the parser's source: whatever it can say, we say something else.
func TestOnlyOwnWords(t *testing.T) {
	said := regexp.MustCompile(`\b(context|token|specified|pre-defined|scalar|node|delimiter|document not started|not found)\b`)
	for _, file := range []string{"parser/parser.go", "parser/token.go", "scanner/scanner.go", "scanner/context.go"} {
		source, err := os.ReadFile(library(t) + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var s scanner.Scanner
		files := token.NewFileSet()
		s.Init(files.AddFile(file, files.Base(), len(source)), source, nil, 0)
		texts := 0
		for {
			_, kind, lit := s.Scan()
			if kind == token.EOF {
				break
			}
			message, err := strconv.Unquote(lit)
			if kind != token.STRING || err != nil || !strings.Contains(message, " ") {
				continue
			}
			texts++
			p := misread("a: b\n", Place{1, 1}, message)
			if p.Message == message || said.MatchString(p.Message) || p.Cure == "" {
				t.Errorf("%s: %q becomes %q (%q)", file, message, p.Message, p.Cure)
			}
		}
		if texts == 0 {
			t.Errorf("%s says nothing", file)
		}
	}
}

// library is the folder of the parser's source.
func library(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/goccy/go-yaml").Output()
	if err != nil {
		t.Skip("the go command does not say where the parser's source is")
	}
	return strings.TrimSpace(string(out))
}

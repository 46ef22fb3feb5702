package demofile_test

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"kubewalk/playground/demo/demofile"
	"kubewalk/playground/demo/session"
)

// manual is what authors are given of the form (kubewalk help demo).
const manual = "../../../docs/demos.md"

var rewrite = flag.Bool("rewrite", false, "write the tables of docs/demos.md anew")

var (
	section = regexp.MustCompile(`(?s)\n(#+ [^\n]*\{#([a-z-]+)\}\n)(.*?)(\n#+ [^\n]*\{#|$)`)
	block   = regexp.MustCompile("(?s)\n```yaml\n(.*?)```\n")
	table   = regexp.MustCompile(`(?m)^(TABLE|\| key \| meaning \|\n(\|.*\n)+)\n?`)
	deeds   = regexp.MustCompile(`(?m)^(DOING|\| key \| what it does \|\n(\|.*\n)+)\n?`)
)

func readManual(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(manual)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sections are the manual's, by anchor, each up to the next heading.
func sections(text string) map[string]string {
	out, at := map[string]string{}, 0
	for {
		m := section.FindStringSubmatchIndex(text[at:])
		if m == nil {
			return out
		}
		out[text[at+m[4]:at+m[5]]] = text[at+m[6] : at+m[7]]
		at += m[7]
	}
}

// TestManualHasEveryKey: the section of each form holds its table, with all that the parser accepts.
func TestManualHasEveryKey(t *testing.T) {
	text := readManual(t)
	tables := demofile.Tables()
	if *rewrite {
		for name, body := range sections(text) {
			if tables[name] == "" {
				continue
			}
			now := table.ReplaceAllLiteralString(body, tables[name]+"\n")
			if name == "step" {
				now = deeds.ReplaceAllLiteralString(now, tables["doing"]+"\n")
			}
			text = strings.Replace(text, "{#"+name+"}\n"+body, "{#"+name+"}\n"+strings.TrimRight(now, "\n")+"\n", 1)
		}
		if err := os.WriteFile(manual, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found := sections(text)
	found["doing"] = found["step"]
	if len(tables) < 40 {
		t.Errorf("%d forms", len(tables))
	}
	for name, rows := range tables {
		if !strings.Contains(found[name], rows) {
			t.Errorf("docs/demos.md has no section {#%s} with this table (write a heading and a line TABLE, then: go test ./playground/demo/demofile -run Manual -rewrite):\n%s", name, rows)
		}
	}
	for _, m := range regexp.MustCompile(`\]\(#([a-z-]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, ok := found[m[1]]; !ok {
			t.Errorf("a link leads to #%s, which is not there", m[1])
		}
	}
}

// TestManualsExamples: the first runs, and is true; the others are a part of it, which parses.
func TestManualsExamples(t *testing.T) {
	examples := block.FindAllStringSubmatch(readManual(t), -1)
	if len(examples) < 3 {
		t.Fatalf("%d examples", len(examples))
	}
	whole := examples[0][1]
	for i, example := range examples {
		src := example[1]
		if i > 0 { // in the place of what is there under its key, or beside that
			key, _, _ := strings.Cut(src, ":")
			src = regexp.MustCompile(`(?m)^`+key+`:\n( .*\n)*`).ReplaceAllLiteralString(whole, "") + src
		}
		file, problems := demofile.Parse("example", manual, []byte(src), []string{"en"})
		compareNone(t, problems)
		if len(problems) > 0 {
			continue
		}
		result, err := session.Record(file.Scenario)
		if err != nil {
			t.Fatal(err)
		}
		failures, err := session.Prove(result)
		if err != nil {
			t.Fatal(err)
		}
		compareNone(t, file.Locate(append(result.Failures, failures...)))
		if err := valid(schema(t), src); err != nil {
			t.Error(err)
		}
	}
}

// TestManualsImages: what containers do is told as the runtime's own documentation tells it.
func TestManualsImages(t *testing.T) {
	text, found := readManual(t), 0
	source, err := os.ReadFile("../../node/kubelet/cri/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(source)) {
		if row, ok := strings.CutPrefix(line, "//\t"); ok && strings.Contains(row, "   ") {
			found++
			if !strings.Contains(text, row) {
				t.Errorf("docs/demos.md lacks this line of cri/doc.go: %s", row)
			}
		}
	}
	if found < 10 {
		t.Errorf("%d lines tell of images", found)
	}
}

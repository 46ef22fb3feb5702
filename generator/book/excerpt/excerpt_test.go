package excerpt

import (
	"strings"
	"testing"
)

const source = `package queue

// Queue holds keys.
// See client-go/util/workqueue/queue.go.
type Queue[T comparable] struct {
	// dirty are those to do.
	dirty map[T]bool // a set
	order []T
}

const (
	// Few is little.
	Few = 3 // or so
	Many = 4
)

// Get waits.
func (q *Queue[T]) Get() (key T) {
	// region wait
	for len(q.order) == 0 {
		// region inner
		q.wait()
		// endregion inner
	}
	// endregion

	return q.order[0]
}

func len() int { return 0 }

// region empty

// endregion
`

func TestOf(t *testing.T) {
	for _, test := range []struct {
		reference string
		doc       bool
		line      int
		want      string
	}{
		{"a/queue.go#Queue.Get", false, 18, "func (q *Queue[T]) Get() (key T) {\n\tfor len(q.order) == 0 {\n\t\tq.wait()\n\t}\n\n\treturn q.order[0]\n}\n"},
		{"a/queue.go#Queue.Get", true, 17, "// Get waits.\nfunc (q *Queue[T]) Get() (key T) {\n"},
		{"a/queue.go#Queue.Get:10", false, 27, "return q.order[0]\n"},
		{"a/queue.go#Queue.dirty", false, 7, "dirty map[T]bool // a set\n"},
		{"a/queue.go#Few", true, 12, "// Few is little.\nFew = 3 // or so\n"},
		{"a/queue.go#len", false, 30, "func len() int { return 0 }\n"},
		{"a/queue.go#region:wait", false, 20, "for len(q.order) == 0 {\n\tq.wait()\n}\n"},
		{"a/queue.go#region:inner", false, 22, "q.wait()\n"},
		{"a/queue.go", false, 1, "package queue\n"},
	} {
		r, err := Parse(test.reference)
		if err != nil {
			t.Fatal(err)
		}
		if r.String() != test.reference {
			t.Errorf("%s is written %s", test.reference, r)
		}
		e, err := Of(r, []byte(source), test.doc)
		if err != nil {
			t.Errorf("%s: %v", test.reference, err)
			continue
		}
		whole := strings.HasSuffix(test.want, "}\n") || !strings.Contains(test.want, "{\n")
		if e.Numbers[0] != test.line || whole && r.Symbol+r.Region != "" && e.Text != test.want || !strings.HasPrefix(e.Text, test.want) {
			t.Errorf("%s: lines %d\n%s", test.reference, e.Numbers, e.Text)
		}
	}
	e, err := Of(Reference{File: "q.go", Symbol: "Queue"}, []byte(source), false)
	if err != nil || e.Doc != "Queue holds keys.\nSee client-go/util/workqueue/queue.go.\n" || e.Lines() != 5 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestMistakesNameTheCure(t *testing.T) {
	for reference, want := range map[string]string{
		"q.go#Queue.Gte":        `no symbol "Queue.Gte" in q.go (did you mean "Queue.Get"?)`,
		"q.go#Get":              `no symbol "Get" in q.go (write Queue.Get)`,
		"q.go#region:wiat":      `no region "wiat" in q.go (did you mean "wait"?)`,
		"q.go#region:empty":     "q.go#region:empty is empty",
		"q.go#Queue.Get:3-99":   "q.go#Queue.Get has 11 lines, and no line 99",
		"q.go#Queue.Get:9-3":    "lines 9-3 are in the wrong order (write 3-9)",
		"q.go#Queue.Get:x":      `"x" is not a range of lines`,
		"q.go#Queue.Get:0-3":    `"0-3" is not a range of lines`,
		"q.go#":                 `"q.go#" names nothing in the file`,
		"../q.go":               `"../q.go" is not a file of the project`,
		"/etc/passwd":           "is not a file of the project",
		"q.yaml#x":              "only Go files have symbols, and q.yaml is not one (name a region: q.yaml#region:NAME)",
		"":                      "is not a file of the project",
		"q.go#region:":          "names nothing in the file",
		"q.go#Queue.Get:10":     "",
		"q.go#region:inner:1-1": "",
	} {
		r, err := Parse(reference)
		if err == nil {
			_, err = Of(r, []byte(source), false)
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %s", reference, err, want)
		}
	}
	for text, want := range map[string]string{
		"# region a\nx\n":                       `region "a" has no end`,
		"# endregion\n":                         "endregion without a region",
		"# region a\n# region b\n# endregion a": `region "a" ends inside of "b"`,
		"# region a\n# endregion\n# region a\n": `region "a" begins twice`,
	} {
		if _, err := Of(Reference{File: "x.yaml", Region: "a"}, []byte(text), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := Of(Reference{File: "x.go", Symbol: "a"}, []byte("package x\nfunc {"), false); err == nil ||
		!strings.Contains(err.Error(), "x.go cannot be read: line 2") {
		t.Errorf("got %v", err)
	}
}

func FuzzOf(f *testing.F) {
	f.Add("q.go#Queue.Get:1-3", source, true)
	f.Add("q.go#region:wait", source, false)
	f.Add("q.go", "", false)
	f.Add("q.go#a", "package a\nvar a, b = 1,\n\t2\n", true)
	f.Add("q.md#region:a", "<!-- region a -->\r\n x\r\n<!-- endregion -->", true)
	f.Fuzz(func(t *testing.T, reference, text string, doc bool) {
		r, err := Parse(reference)
		if err != nil {
			return
		}
		if again, err := Parse(r.String()); err != nil || again != r {
			t.Fatalf("%q is written %q: %v", reference, r, err)
		}
		e, err := Of(r, []byte(text), doc)
		if err == nil && (e.Lines() == 0 || strings.Count(e.Text, "\n") != e.Lines() || strings.TrimSpace(e.Text) == "") {
			t.Fatalf("%+v", e)
		}
	})
}

package demofile

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestEveryMessageHasACure reads the messages out of the code of all that looks at a demo, fills their gaps, and asks whether an
// author would be told what to do.
func TestEveryMessageHasACure(t *testing.T) {
	seen := 0
	for folder, reporters := range map[string][]string{
		".": {"Fail"}, "../scenario": {"add", "Errorf", "Sprintf"}, "../session": {"fail"},
	} {
		for _, message := range messages(t, folder, reporters) {
			seen++
			if said := cured(message, "web"); !hasCure.MatchString(said) {
				t.Errorf("%s: no cure: %s", folder, said)
			}
		}
	}
	if seen < 120 {
		t.Errorf("the code has %d messages only: have they moved?", seen)
	}
}

// verb is a gap of a message; %w is an error, which is a message itself.
var verb = regexp.MustCompile(`%[vdsqw]`)

// silent are texts that are no messages of their own: parts of one, paths, and errors of others as they are.
var silent = regexp.MustCompile(`^%[vs](?:: %[vs])?$|^[\w\[\]().%]*$|^step %q$|^and %d more`)

func messages(t *testing.T, folder string, reporters []string) (out []string) {
	files, err := filepath.Glob(folder + "/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no code in %s: %v", folder, err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || filepath.Base(file) == "attempt.go" { // which says what an exercise lacks: a part of a message
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, src, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.SelectorExpr:
				name = f.Sel.Name
			case *ast.Ident:
				name = f.Name
			}
			for _, reporter := range reporters {
				if name != reporter {
					continue
				}
				for _, arg := range call.Args {
					text, ok := arg.(*ast.BasicLit)
					if !ok || text.Kind != token.STRING {
						continue
					}
					format, err := strconv.Unquote(text.Value)
					if err != nil || silent.MatchString(format) || !strings.Contains(format, " ") {
						continue
					}
					out = append(out, verb.ReplaceAllStringFunc(format, func(v string) string {
						return map[string]string{"%d": "3", "%q": `"x"`}[v] + map[string]string{"%v": "x", "%s": "x", "%w": "x"}[v]
					}))
				}
			}
			return true
		})
	}
	return out
}

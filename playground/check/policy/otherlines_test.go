package policy

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Lines of scripts, styles and templates have as many columns as Go's.
func TestLinesOfScriptsStylesAndTemplates(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (slices.Contains([]string{"node_modules", "public", "testdata"}, d.Name()) || path != root && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if !slices.Contains([]string{".ts", ".mjs", ".js", ".css", ".templ"}, filepath.Ext(path)) || strings.Contains(filepath.Base(path), ".min.") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		name := filepath.ToSlash(path[len(root)+1:])
		for i, line := range strings.Split(string(src), "\n") {
			if isLong(line) {
				t.Errorf("%s:%d: line is longer than %d columns; break it after a comma or an operator", name, i+1, columns)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Fatalf("only %d files: the folders are not where they were", files)
	}
}

// isLong tells whether a line could be shorter: no text or regular expression in it takes half of the columns by itself.
func isLong(line string) bool {
	if utf8.RuneCountInString(line) <= columns {
		return false
	}
	before := byte('(') // the last character that is no space
	for i := 0; i < len(line); i++ {
		c := line[i]
		if strings.HasPrefix(line[i:], "//") && strings.IndexByte("(=", before) < 0 {
			return strings.Contains(strings.TrimSpace(line[i+2:]), " ") // an address alone has no place to break
		}
		if strings.IndexByte("\"'`", c) >= 0 || c == '/' && strings.IndexByte("(,=[:&|!?", before) >= 0 {
			end := i + 1
			for end < len(line) && line[end] != c {
				if line[end] == '\\' {
					end++
				}
				end++
			}
			if utf8.RuneCountInString(line[i:min(end, len(line))]) >= columns/2 {
				return false
			}
			i = end
		}
		if c != ' ' {
			before = c
		}
	}
	return true
}

func TestIsLong(t *testing.T) {
	words := strings.Repeat("word, ", 20)
	for line, want := range map[string]bool{
		strings.Repeat("x", columns):                             false,
		strings.Repeat("x", columns+1):                           true,
		strings.Repeat("あ", columns):                             false,
		"const a = f(" + words + words + ");":                    true,
		"const text = \"" + words + words + "\";":                false,
		"assert.match(text, /^" + words + words + "$/)":          false,
		"const a = f(\"a\", " + words + words + ", \"b\")":       true,
		"// " + words + words:                                    true,
		"// https://example.org/" + strings.Repeat("x", columns): false,
	} {
		if isLong(line) != want {
			t.Errorf("%q: %v, want %v", line, !want, want)
		}
	}
}

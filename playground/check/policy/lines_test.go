package policy

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// columns is the most that a line of Go has, a tab counted as one.
const columns = 160

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// A longer line holds a string that takes most of it, or what is beyond the last column belongs to a string or closes what is open.
func TestLines(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "public" || path != root && strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if generated.Match(src) {
			return nil
		}
		for _, line := range tooLong(src) {
			t.Errorf("%s:%d: line is longer than %d columns; break it after a comma or an operator", filepath.ToSlash(path[len(root)+1:]), line, columns)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTooLong(t *testing.T) {
	long := strings.Repeat("x", columns)
	for src, want := range map[string]int{
		"package p\n\nvar s = \"" + long + "\"\n":         0,
		"package p\n\nvar s = f(\"" + long + "\")\n":      0,
		"package p\n\nvar s = f(\"" + long + "\", 1)\n":   0,
		"package p\n\nvar s = \"a\" + " + long + " + b\n": 1,
		"package p\n\n// " + long + " x\n":                1,
		"package p\n\n// " + long + "\n":                  0,
		"package p\n\nvar s = `\n" + long + "`\n":         0,
	} {
		if got := len(tooLong([]byte(src))); got != want {
			t.Errorf("%q has %d lines that are too long, want %d", src, got, want)
		}
	}
}

// tooLong gives the numbers of the lines that could be shorter.
func tooLong(src []byte) []int {
	lines := strings.Split(string(src), "\n")
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	wrong := map[int]bool{}
	long := map[int]bool{} // lines with a long string
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		at := file.Position(pos)
		line := lines[at.Line-1]
		if utf8.RuneCountInString(line) <= columns || wrong[at.Line] {
			continue
		}
		if tok == token.STRING && utf8.RuneCountInString(text) >= columns/2 {
			long[at.Line] = true
		}
		switch tok {
		case token.STRING, token.RPAREN, token.RBRACE, token.RBRACK, token.COMMA, token.SEMICOLON, token.LBRACE, token.COLON, token.PERIOD:
			continue
		case token.COMMENT:
			if strings.HasPrefix(text, "//go:") || !strings.Contains(strings.TrimPrefix(text, "// "), " ") {
				continue // a directive, or one long address
			}
			text = strings.SplitN(text, "\n", 2)[0]
		}
		if end := at.Column - 1 + len(text); utf8.RuneCountInString(line[:min(end, len(line))]) > columns {
			wrong[at.Line] = true
		}
	}
	var numbers []int
	for line := range wrong {
		if !long[line] {
			numbers = append(numbers, line)
		}
	}
	slices.Sort(numbers)
	return numbers
}

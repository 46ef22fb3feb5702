package highlight

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// golang colours Go as chroma's rules for it do (lexers/go.go there), some fifty times as fast: a book about
// programs in Go is mostly that. ok is false for what the rules decide by backtracking, for templates in raw
// strings, and for letters beyond ASCII in code: chroma itself is asked then. A test holds one against the other.
func golang(code string) (lines [][]Token, ok bool) {
	if !utf8.ValidString(code) || strings.Contains(code, "\r") {
		return nil, false
	}
	var w lineWriter
	for i := 0; i < len(code); {
		n, class, ok := goToken(code[i:])
		if !ok {
			return nil, false
		}
		// Strings that touch are one token, and so are characters.
		for class == "hl-string" && i+n < len(code) && (code[i] == '\'') == (code[i+n] == '\'') {
			more, next, ok := goToken(code[i+n:])
			if !ok || next != class {
				break
			}
			n += more
		}
		w.token(class, code[i:i+n])
		i += n
	}
	return w.finish(), true
}

// goToken is the length of the first token, and its class; "" is text.
func goToken(s string) (n int, class string, ok bool) {
	switch c := s[0]; {
	case c == ' ' || c == '\t' || c == '\n':
		n = 1
		for n < len(s) && (s[n] == ' ' || s[n] == '\t' || s[n] == '\n') {
			n++
		}
		return n, "", true
	case c == '_' || isLetter(c):
		return goWord(s)
	case c == '/' && strings.HasPrefix(s, "//"):
		if n = strings.IndexByte(s, '\n'); n < 0 {
			n = len(s)
		}
		return n, "hl-comment", true
	case c == '/' && strings.HasPrefix(s, "/*"):
		n = strings.Index(s[2:], "*/") + 4
		return n, "hl-comment", n >= 4
	case c == '"':
		for n = 1; n < len(s); n++ {
			switch {
			case s[n] == '"':
				return n + 1, "hl-string", true
			case s[n] == '\\' && n+1 < len(s) && (s[n+1] == '\\' || s[n+1] == '"'):
				n++
			}
		}
		return 0, "", false
	case c == '`':
		n = strings.IndexByte(s[1:], '`') + 2
		return n, "hl-string", n >= 2 && !strings.Contains(s[:n], "{{")
	case c == '\'':
		n = len(goChar.FindString(s))
		return n, "hl-string", n > 0
	case isDigit(c) || c == '.' && len(s) > 1 && isDigit(s[1]):
		n = len(goNumber.FindString(s))
		// Numbers that touch, as in 08, are for chroma to part.
		return n, "hl-number", n == len(s) || !isDigit(s[n]) && s[n] != '.'
	case strings.IndexByte("<>&|^+-*/%=!()[]{}.,;:~", c) >= 0:
		return 1, "", true
	}
	return 0, "", false
}

var (
	goNumber = regexp.MustCompile(`^(?:\d+i|\d+\.\d*(?:[Ee][-+]\d+)?i|\.\d+(?:[Ee][-+]\d+)?i|\d+[Ee][-+]\d+i|` +
		`\d+(?:\.\d+[eE][+\-]?\d+|\.\d*|[eE][+\-]?\d+)|\.\d+(?:[eE][+\-]?\d+)?|0[0-7]+|0[xX][0-9a-fA-F_]+|0b[01_]+|0|[1-9][0-9_]*)`)
	goChar = regexp.MustCompile(`^'(?:\\['"\\abfnrtv]|\\x[0-9a-fA-F]{2}|\\[0-7]{1,3}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|[^\\])'`)
)

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// goWord is a keyword, a type, a function that is called, or another name.
func goWord(s string) (n int, class string, ok bool) {
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || s[n] == '_') {
		n++
	}
	if n < len(s) && s[n] >= 0x80 {
		return 0, "", false
	}
	word, rest := s[:n], s[n:]
	if class := goWords[word]; class != "" {
		return n, class, true
	}
	if strings.HasPrefix(rest, "(") && goBuiltins[word] {
		return n, "hl-type", true
	}
	if strings.HasPrefix(strings.TrimLeft(rest, " \t\n"), "(") {
		return n, "hl-function", true
	}
	return n, "", true
}

var goWords, goBuiltins = map[string]string{}, map[string]bool{}

func init() {
	for _, w := range strings.Fields(`import package var func struct map chan type interface const break default select case
		defer go else goto switch fallthrough if range continue for return true false iota nil`) {
		goWords[w] = "hl-keyword"
	}
	for _, w := range strings.Fields(`uint uint8 uint16 uint32 uint64 int int8 int16 int32 int64 float float32 float64
		complex64 complex128 byte rune string bool error uintptr any`) {
		goWords[w] = "hl-type"
	}
	for _, w := range strings.Fields(`print println panic recover close complex real imag len cap append copy delete new make clear min max`) {
		goBuiltins[w] = true
	}
}

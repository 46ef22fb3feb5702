package evaluator

import (
	"regexp"
	"slices"
	"strings"
)

// reserved are words that are no identifiers in CEL.
var reserved = []string{"true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if", "import", "let",
	"loop", "package", "namespace", "return", "var", "void", "while"}

var (
	escapes = strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__")
	escaped = regexp.MustCompile(`__[^_]+__`)
)

// escape is a field's name as an identifier of CEL; ok is false if there is none. Upstream: apiserver/pkg/cel/escaping.go, Escape.
func escape(name string) (identifier string, ok bool) {
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		return "", false
	}
	if slices.Contains(reserved, name) {
		return "__" + name + "__", true
	}
	for _, c := range name {
		if c != '_' && c != '.' && c != '-' && c != '/' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return "", false
		}
	}
	return escapes.Replace(name), true
}

// unescape is the field that an identifier means. Upstream: the same file, Unescape.
func unescape(identifier string) (name string, ok bool) {
	ok = true
	name = escaped.ReplaceAllStringFunc(identifier, func(s string) string {
		switch word := s[2 : len(s)-2]; {
		case word == "underscores":
			return "__"
		case word == "dot":
			return "."
		case word == "dash":
			return "-"
		case word == "slash":
			return "/"
		case slices.Contains(reserved, word) && s == identifier:
			return word
		}
		ok = false
		return ""
	})
	return name, ok
}

package fields

import (
	"fmt"
	"strings"

	"kubewalk/playground/api/selection"
)

// EscapeValue writes a backslash before what would end a value.
func EscapeValue(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(`\,=`, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// UnescapeValue undoes EscapeValue, and refuses what that wouldn't have written.
func UnescapeValue(s string) (string, error) {
	if !strings.ContainsAny(s, `\,=`) {
		return s, nil
	}
	var b strings.Builder
	escaped := false
	for _, c := range s {
		special := c == '\\' || c == ',' || c == '='
		switch {
		case escaped && !special:
			return "", fmt.Errorf(`invalid field selector: invalid escape sequence: \%c`, c)
		case escaped:
			b.WriteRune(c)
			escaped = false
		case c == '\\':
			escaped = true
		case special:
			return "", fmt.Errorf("invalid field selector: unescaped character in value: %v", c)
		default:
			b.WriteRune(c)
		}
	}
	if escaped {
		return "", fmt.Errorf(`invalid field selector: invalid escape sequence: \`)
	}
	return b.String(), nil
}

// splitTerms cuts at the commas that are not escaped.
func splitTerms(s string) []string {
	var terms []string
	start, escaped := 0, false
	for i := range len(s) {
		switch {
		case escaped:
			escaped = false
		case s[i] == '\\':
			escaped = true
		case s[i] == ',':
			terms = append(terms, s[start:i])
			start = i + 1
		}
	}
	return append(terms, s[start:])
}

// splitTerm cuts at the first operator; == means =.
func splitTerm(term string) (field string, op selection.Operator, value string, ok bool) {
	for i := range len(term) {
		rest := term[i:]
		for _, o := range []selection.Operator{selection.NotEquals, selection.DoubleEquals, selection.Equals} {
			value, ok := strings.CutPrefix(rest, string(o))
			if !ok {
				continue
			}
			if o == selection.DoubleEquals {
				o = selection.Equals
			}
			return term[:i], o, value, true
		}
	}
	return "", "", "", false
}

package kubectl

import "strings"

// Word is one word of a command line and where it begins, in bytes.
type Word struct {
	Text string
	At   int
}

// LineError is a command line that cannot be what was meant.
type LineError struct {
	At      int // where in the line, in bytes
	Message string
}

func (e *LineError) Error() string { return e.Message }

// special are the characters that a shell would do something with.
const special = "|&;<>()$`"

// Split splits a line into words as a shell does: blanks separate, quotes and
// backslashes keep together. There is no shell, so what only a shell can do
// (pipes, redirection, variables) is an error.
func Split(line string) ([]Word, error) {
	var words []Word
	var text strings.Builder
	begin := -1 // of the word at hand
	for i := 0; i < len(line); i++ {
		c := line[i]
		if begin < 0 && !blank(c) {
			begin = i
		}
		switch {
		case blank(c):
			if begin >= 0 {
				words = append(words, Word{text.String(), begin})
				text.Reset()
				begin = -1
			}
		case c == '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, &LineError{i, "the quote ' is never closed"}
			}
			text.WriteString(line[i+1 : i+1+end])
			i += end + 1
		case c == '"':
			inner, end := doubleQuoted(line[i+1:])
			if end < 0 {
				return nil, &LineError{i, `the quote " is never closed`}
			}
			text.WriteString(inner)
			i += end + 1
		case c == '\\':
			if i+1 == len(line) {
				return nil, &LineError{i, `nothing stands behind the \ at the end`}
			}
			i++
			if line[i] != '\n' {
				text.WriteByte(line[i])
			} else if begin == i-1 {
				begin = -1 // the line goes on
			}
		case c == '#' && begin == i:
			return words, nil // a comment
		case strings.IndexByte(special, c) >= 0:
			return nil, &LineError{i, "there is no shell that would understand " + string(c) + ": put it in quotes, or leave it out"}
		default:
			text.WriteByte(c)
		}
	}
	if begin >= 0 {
		words = append(words, Word{text.String(), begin})
	}
	return words, nil
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// doubleQuoted reads up to the closing quote and returns where that is, or -1.
func doubleQuoted(s string) (text string, end int) {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return out.String(), i
		case c == '\\' && i+1 < len(s) && strings.IndexByte("\\\"$`\n", s[i+1]) >= 0:
			if i++; s[i] != '\n' {
				out.WriteByte(s[i])
			}
		default:
			out.WriteByte(c)
		}
	}
	return "", -1
}

// Join is a command line that Split takes apart into these words.
func Join(args []string) string {
	var out []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, special+" \t\r\n'\"\\#") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out = append(out, a)
	}
	return strings.Join(out, " ")
}

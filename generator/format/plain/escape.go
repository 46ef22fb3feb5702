package plain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Escape is text as it stands inside a paragraph: nothing of it is markup, at a
// line's beginning neither. Spaces and line ends are single spaces.
func Escape(text string) string {
	return lineStart(inline(strings.Join(strings.Fields(text), " ")))
}

// inline escapes what would be markup anywhere in a line.
func inline(text string) string {
	if !strings.ContainsAny(text, "\\`*[]<~$|>_&!:@.") {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) + 8)
	var before rune = ' '
	for i, r := range text {
		switch r {
		case '\\', '`', '*', '[', ']', '<', '~', '$', '|':
			b.WriteByte('\\')
		case '>':
			b.WriteByte('\\') // a quotation, should the line begin here
		case '_':
			next, _ := utf8.DecodeRuneInString(text[i+1:])
			if !wordRune(before) || !wordRune(next) { // inside a word it is only itself
				b.WriteByte('\\')
			}
		case '&':
			if next, _ := utf8.DecodeRuneInString(text[i+1:]); next == '#' || unicode.IsLetter(next) {
				b.WriteByte('\\')
			}
		case '!':
			if strings.HasPrefix(text[i+1:], "[") || i+1 == len(text) { // what follows may be a link
				b.WriteByte('\\')
			}
		case ':', '@', '.':
			// "https://x", "a@b.c" and "www.x" would become links of themselves.
			next, _ := utf8.DecodeRuneInString(text[i+1:])
			if r == ':' && strings.HasPrefix(text[i+1:], "//") || r == '@' && wordRune(before) && wordRune(next) ||
				r == '.' && strings.HasSuffix(strings.ToLower(text[:i]), "www") {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(r)
		before = r
	}
	return b.String()
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// lineStart escapes what would be markup at the beginning of a line.
func lineStart(line string) string {
	if line == "" {
		return line
	}
	switch line[0] {
	case '#', '+', '-', '=', ':':
		return `\` + line
	}
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	if digits > 0 && digits < len(line) && (line[digits] == '.' || line[digits] == ')') {
		return line[:digits] + `\` + line[digits:]
	}
	return line
}

// destination is an address between the parentheses of a link.
func destination(address string) string {
	var b strings.Builder
	for _, r := range address {
		switch {
		case r == '(' || r == ')' || r == '\\' || r == '<' || r == '>' || r == '*' || r == '_' || r == '~' || r == '`' || r == '[' || r == ']' || r == '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r <= ' ' || r == 0x7f || r == '|' || r == '"':
			const hex = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(hex[r>>4&15])
			b.WriteByte(hex[r&15])
		case r == '&':
			b.WriteString("&amp;")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// fence is a run of marks longer than any in the text.
func fence(text string, mark byte, least int) string {
	longest, run := 0, 0
	for i := range len(text) {
		if text[i] == mark {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return strings.Repeat(string(mark), max(least, longest+1))
}

// codeSpan is code in a line.
func codeSpan(text string) string {
	text = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ").Replace(text)
	if strings.TrimSpace(text) == "" {
		return ""
	}
	marks := fence(text, '`', 1)
	if text[0] == '`' || text[len(text)-1] == '`' || text[0] == ' ' && text[len(text)-1] == ' ' {
		text = " " + text + " "
	}
	return marks + text + marks
}

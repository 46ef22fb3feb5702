package yamltree

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/token"
)

// syntax reports what the parser stumbled over, in our words: its own are about grammar, and it notices many a mistake
// lines after the place where it was made.
func (t *Tree) syntax(text string, err error) {
	at, message := Place{1, 1}, ""
	var located interface {
		GetMessage() string
		GetToken() *token.Token
	}
	if errors.As(err, &located) {
		at, message = t.place(located.GetToken()), located.GetMessage()
		at.Line, at.Column = at.Line-t.before, at.Column-t.indent
	}
	p := misread(text, at, message)
	p.Line, p.Column = p.Line+t.before, p.Column+t.indent
	t.Problems = append(t.Problems, p)
}

// misread is what is wrong with a text that the parser could not read. It is given where the parser stopped, and what it
// said.
func misread(text string, at Place, message string) Problem {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if at.Line > len(lines) {
		at.Line = len(lines)
	}
	if p, ok := tabbed(lines, at.Line); ok {
		return p
	}
	if p, ok := unclosed(lines, at.Line); ok {
		return p
	}
	for _, n := range []int{at.Line, at.Line - 1, at.Line + 1} { // a parser notices it somewhere around
		if n < 1 || n > len(lines) {
			continue
		}
		if p, ok := misspelt(lines[n-1], n); ok {
			return p
		}
	}
	if line, column, what, cure, ok := indentation(text, at.Line, message); ok {
		return Problem{Place{line, column}, what, cure}
	}
	if strings.Contains(message, "non-map value") && element(lines[at.Line-1]) {
		return Problem{at, "this line does not fit the one above", "the lines of one level are all key: value, or all begin with -"}
	}
	for _, own := range ownWords {
		if strings.Contains(message, own.theirs) {
			return Problem{at, own.message, own.cure}
		}
	}
	return Problem{at, "YAML ends here: what follows fits nothing before it",
		"compare it with the lines around: key: value, elements with a hyphen, texts with special characters in quotes"}
}

// ownWords are what is said instead of the parser's words, when the line itself does not show what is wrong.
var ownWords = []struct{ theirs, message, cure string }{
	{"invalid header option", `">" or "|" at the beginning of a text makes it one of several lines`, `put a comparison in quotes, ">= 3"`},
	{"mapping value is not allowed", "a second value begins within this one", "a colon followed by a space begins a value: put a text that contains one in quotes"},
	{"flow map", "{ is not closed", "write }, or a comma between two keys"},
	{"',' or '}' must be", "{ is not closed, or a comma is missing in it", "write }, or a comma between two keys; put a key that contains a colon in quotes"},
	{"',' or ']' must be", "[ is not closed, or a comma is missing in it", "write ], or a comma between two elements"},
	{"sequence end token", "[ is not closed", "close the ["},
	{"expected sequence element", "an element of the list is missing before the comma", "write one, or remove the comma"},
	{"corresponding to ']'", "] closes nothing", "remove it, or put the text in quotes"},
	{"corresponding to '}'", "} closes nothing", "remove it, or put the text in quotes"},
	{"end character of", "quotes are not closed", "close the quotes"},
	{"unknown escape", `unknown escape after \ in a text in double quotes`, `write \\ for a backslash, or put the text in single quotes`},
	{"non-map value", "this line is neither a key with a value nor an element of a list",
		"write it as key: value, with a space after the colon; a text of several lines begins with |"},
	{"unexpected key name", "this line is neither a key with a value nor an element of a list",
		"write it as key: value, with a space after the colon; a text of several lines begins with |"},
	{"is a reserved character", "no text begins with this character", "put the text in quotes"},
	{"found character", "no text begins with this character", "put the text in quotes"},
	{"block sequence entries are not allowed", "a list cannot begin behind a key",
		"begin the list in a line of its own, or put a text that begins with - in quotes"},
	{"directive", "% begins an instruction to YAML", "put a text that begins with % in quotes"},
	{"anchor", "& gives the value behind it a name", "put a text that begins with & in quotes"},
	{"alias", "* stands for the value of that name", "put a text that begins with * in quotes"},
	{"tag", "! says of which type a value is", "put a text that begins with ! in quotes"},
	{"document separator", "--- separates documents, and something stands beside it", "write --- in a line of its own, or put the text in quotes"},
	{"number of indent", "the lines of this text are not indented as its first line is", "begin each of them in the same column, deeper than the key"},
	{"tab character", "there is a tab between a sign and its value", "write a space instead"},
	{"value is not allowed", "this does not belong to the value before it", "write key: value in each line, and put texts with special characters in quotes"},
	{"map key", "this is neither a key nor its value", "write it as key: value, with a space after the colon"},
}

// tabbed finds a line around that is indented with a tab.
func tabbed(lines []string, line int) (Problem, bool) {
	for _, n := range []int{line, line + 1, line - 1} {
		if n < 1 || n > len(lines) || skipped(lines[n-1]) {
			continue
		}
		blank := lines[n-1][:len(lines[n-1])-len(strings.TrimLeft(lines[n-1], " \t"))]
		if tab := strings.IndexByte(blank, '\t'); tab >= 0 {
			return Problem{Place{n, tab + 1}, "this line is indented with a tab", "indent with spaces: YAML allows no tabs there"}, true
		}
	}
	return Problem{}, false
}

// behindKey is where the value behind a line's key begins, if it has a key.
func behindKey(line string) (from int, ok bool) {
	at := content(line)
	rest, end := line[at:], 0
	switch {
	case rest == "" || strings.IndexByte("#{}[],&*!|>%@-", rest[0]) >= 0:
		return 0, false
	case rest[0] == '"' || rest[0] == '\'':
		end = quoted(rest)
	default:
		for end < len(rest) && !colon(rest[end:]) {
			if strings.IndexByte("#\"'{}[],", rest[end]) >= 0 {
				return 0, false
			}
			end++
		}
	}
	if end < 0 || !colon(rest[min(end, len(rest)):]) {
		return 0, false
	}
	rest = rest[end+1:]
	return len(line) - len(strings.TrimLeft(rest, " \t\r")), true
}

// colon tells whether a text begins with the colon behind a key.
func colon(text string) bool {
	return strings.HasPrefix(text, ":") && (len(text) == 1 || strings.IndexByte(" \t\r", text[1]) >= 0)
}

// beginsBlock tells whether the value of a line is a text in the lines below it: | or >.
func beginsBlock(line string) bool {
	header, _, _ := strings.Cut(line[value(line):], " #")
	header = strings.TrimRight(header, " \r")
	return header != "" && (header[0] == '|' || header[0] == '>') && strings.Trim(header[1:], "-+0123456789") == ""
}

// unclosed finds the first quotes or brackets that are open where a line begins that cannot be within them, because it is
// indented no deeper than the one that they are in. The parser notices this at the next quotes or brackets, or at the end.
func unclosed(lines []string, until int) (Problem, bool) {
	for n := 1; n <= min(until, len(lines)); n++ {
		line := lines[n-1]
		if skipped(line) {
			continue
		}
		if beginsBlock(line) {
			for n < len(lines) && (strings.TrimSpace(lines[n]) == "" || indented(lines[n]) > indented(line)) {
				n++
			}
			continue
		}
		from := value(line)
		if from == len(line) || !strings.ContainsRune(`"'{[`, rune(line[from])) {
			continue
		}
		end := n // the last line that can belong to it
		for end < len(lines) && (skipped(lines[end]) || indented(lines[end]) > content(line)) {
			end++
		}
		rest := strings.Join(append([]string{line[from:]}, lines[n:end]...), "\n")
		length, comment, closed := closing(rest)
		if closed {
			n += strings.Count(rest[:length], "\n")
			continue
		}
		at := Place{n, 1 + len([]rune(line[:from]))}
		if comment >= 0 {
			hash := len([]rune(rest[:comment])) - len([]rune(rest[:strings.LastIndexByte(rest[:comment], '\n')+1]))
			if in := strings.Count(rest[:comment], "\n"); in > 0 {
				at = Place{n + in, 1 + hash}
			} else {
				at.Column += hash
			}
			return Problem{at, "# begins a comment here, so " + rest[:1] + " is not closed", `put a text that begins with # in quotes: "#0b6b5f"`}, true
		}
		switch rest[0] {
		case '{', '[':
			return Problem{at, rest[:1] + " is not closed", "close the " + rest[:1]}, true
		}
		return Problem{at, "quotes are not closed", "close the quotes"}, true
	}
	return Problem{}, false
}

// value is where the value of a line begins: behind its dashes and its key. It is the line's end if there is none.
func value(line string) int {
	if from, ok := behindKey(line); ok {
		return from
	}
	return content(line)
}

// closing finds the end of what begins with quotes or a bracket. comment is where one begins in a bracket that is not closed,
// or -1.
func closing(text string) (length, comment int, ok bool) {
	comment = -1
	depth := 0
	for i := 0; i < len(text); i++ {
		before := byte(' ')
		if i > 0 {
			before = text[i-1]
		}
		switch c := text[i]; {
		case (c == '"' || c == '\'') && (depth == 0 || strings.IndexByte(" \n{[,:", before) >= 0):
			end := quoted(text[i:])
			if end < 0 {
				return 0, comment, false
			}
			i += end - 1
			if depth == 0 {
				return i + 1, -1, true
			}
		case c == '#' && (before == ' ' || before == '\n'):
			if comment < 0 && before == ' ' {
				comment = i
			}
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				return 0, comment, false
			}
			i += end
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, -1, true
			}
		}
	}
	return 0, comment, false
}

// quoted is how long the text in quotes is with which a text begins; -1 if they are not closed.
func quoted(text string) int {
	for i := 1; i < len(text); i++ {
		switch {
		case text[0] == '"' && text[i] == '\\':
			i++
		case text[i] == text[0] && text[0] == '\'' && i+1 < len(text) && text[i+1] == '\'':
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return -1
}

// glued is a key whose value has no space before it: "" if there is none.
func glued(line string) (key, behind string) {
	key, behind, ok := strings.Cut(line[content(line):], ":")
	for i, c := range []byte(key) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '_' && c != '-') {
			return "", ""
		}
	}
	if !ok || behind == "" || strings.IndexByte(" \t\r:/", behind[0]) >= 0 {
		return "", ""
	}
	return key, behind
}

// misspelt finds what is wrong in a single line.
func misspelt(line string, n int) (Problem, bool) {
	if skipped(line) {
		return Problem{}, false
	}
	from := value(line)
	at := Place{n, 1 + len([]rune(line[:from]))}
	rest := strings.TrimRight(line[from:], " \r")
	key, behind := glued(line)
	_, hasKey := behindKey(line)
	switch {
	case key != "" && !hasKey:
		return Problem{Place{n, 1 + len([]rune(line[:content(line)]))}, fmt.Sprintf("there is no space after the colon of %q", key),
			"write " + key + ": " + shortened(strings.TrimRight(behind, " \r"))}, true
	case rest == "" || !hasKey && !element(line):
		return Problem{}, false
	}
	switch c := rest[0]; c {
	case '"', '\'':
		end := quoted(rest)
		if end < 0 {
			return Problem{}, false
		}
		behind := strings.TrimSpace(rest[end:])
		if behind == "" || strings.HasPrefix(behind, "#") {
			break
		}
		cure := `write \" for each of the quotes within the text, or remove what is behind it`
		if c == '\'' {
			cure = "write '' for an apostrophe within the text, or remove what is behind it"
		}
		return Problem{Place{n, at.Column + len([]rune(rest[:end]))}, "the line goes on after the closing quote", cure}, true
	case '{', '[':
		if strings.HasPrefix(rest, "{{") {
			return Problem{at, "{ begins keys and values", "put a text that begins with { in quotes"}, true
		}
		length, _, ok := closing(rest)
		if !ok {
			return Problem{}, false
		}
		behind := strings.TrimSpace(rest[length:])
		if behind == "" || strings.HasPrefix(behind, "#") {
			break
		}
		return Problem{Place{n, at.Column + len([]rune(rest[:length]))}, "the line goes on after " + rest[length-1:length],
			fmt.Sprintf("put a text that begins with %c in quotes, or remove what is behind it", c)}, true
	case '%', '@', '`':
		return Problem{at, fmt.Sprintf("a text cannot begin with %c", c), "put the text in quotes"}, true
	default:
		if in := strings.Index(rest, ": "); in >= 0 && !strings.Contains(rest[:in], " #") && strings.IndexByte("&*!|>-?", c) < 0 {
			return Problem{at, "a second value begins within this one",
				"a colon followed by a space begins a value: put a text that contains one in quotes"}, true
		}
	}
	return Problem{}, false
}

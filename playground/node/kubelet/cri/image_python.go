//go:build !js || cel

package cri

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

func init() { rareImages = append(rareImages, &python) }

// python runs what the Jobs of Kubernetes' documentation consist of: python3 -c with print, time.sleep and sys.exit, under if, elif and else,
// while True and for … in range, with conditions on variables of the environment. Such a program is run as the shell's that does the same. Any
// other runs as if nothing were known of the image. Without a program, it finds nothing to read, and ends.
var python = Behaviour{
	Images: []string{"docker.io/library/python"}, SizeBytes: 412000000, Cmd: []string{"python3"}, Memory: 10 << 20, open: true,
	Read: func(argv []string) (Program, bool) {
		if !strings.HasPrefix(base(argv[0]), "python") {
			return Program{}, false
		}
		if len(argv) == 1 {
			return Program{Runs: 20 * time.Millisecond}, true
		}
		i := slices.Index(argv, "-c")
		if i < 0 || i+1 == len(argv) {
			return Program{}, false
		}
		text, ok := shellOf(argv[i+1])
		if !ok {
			return Program{}, false
		}
		return Program{script: parseScript(text), IgnoresSIGTERM: true}, true
	},
}

// block is a compound statement: how deep it is, and what ends it in a shell.
type block struct {
	indent int
	end    string
}

// shellOf is a program for the shell that does what one in Python does; ok is false if that is not known.
func shellOf(program string) (text string, ok bool) {
	var out strings.Builder
	var blocks []block
	for line := range strings.Lines(program) {
		rest := strings.TrimSpace(line)
		if rest == "" || rest[0] == '#' {
			continue
		}
		indent := len(line) - len(strings.TrimLeft(line, " \t"))
		goesOn := strings.HasPrefix(rest, "else") || strings.HasPrefix(rest, "elif ")
		for len(blocks) > 0 && indent <= blocks[len(blocks)-1].indent {
			last := blocks[len(blocks)-1]
			if goesOn && indent == last.indent && last.end == "fi" {
				break
			}
			out.WriteString(last.end + "\n")
			blocks = blocks[:len(blocks)-1]
		}
		if head, is := strings.CutSuffix(rest, ":"); is {
			begin, end, ok := headOf(head)
			if !ok || goesOn && len(blocks) == 0 {
				return "", false
			}
			if out.WriteString(begin + "\n"); !goesOn {
				blocks = append(blocks, block{indent, end})
			}
			continue
		}
		for _, one := range splitOutside(rest, ';') {
			does, ok := statementOf(one)
			if !ok {
				return "", false
			}
			out.WriteString(does + "\n")
		}
	}
	for i := range blocks {
		out.WriteString(blocks[len(blocks)-1-i].end + "\n")
	}
	return out.String(), true
}

// headOf is what begins a compound statement, and what ends it.
func headOf(head string) (begin, end string, ok bool) {
	word, rest, _ := strings.Cut(head, " ")
	switch word {
	case "else":
		return "else", "", rest == ""
	case "if", "elif":
		test, ok := conditionOf(strings.TrimSpace(rest))
		return word + " " + test + "; then", "fi", ok
	case "while":
		return "while true; do", "done", strings.TrimSpace(rest) == "True" || strings.TrimSpace(rest) == "1"
	case "for":
		name, in, _ := strings.Cut(rest, " in ")
		n, isRange := between(strings.TrimSpace(in), "range(", ")")
		count, err := strconv.Atoi(n)
		if !isRange || err != nil || !isName(name) || count < 1 {
			return "", "", false
		}
		return "for " + name + " in $(seq 0 " + strconv.Itoa(count-1) + "); do", "done", true
	}
	return "", "", false
}

// statementOf is a simple statement.
func statementOf(one string) (string, bool) {
	one = strings.TrimSpace(one)
	if one == "" || one == "pass" || strings.HasPrefix(one, "import ") || strings.HasPrefix(one, "from ") {
		return ":", true
	}
	name, rest, called := strings.Cut(one, "(")
	inside, closed := strings.CutSuffix(rest, ")")
	if !called || !closed {
		return "", false
	}
	switch name {
	case "print":
		var words []string
		for _, arg := range splitOutside(inside, ',') {
			if arg = strings.TrimSpace(arg); strings.HasPrefix(arg, "flush=") || arg == "" {
				continue
			}
			word, ok := valueOf(arg)
			if !ok {
				return "", false
			}
			words = append(words, word)
		}
		return `printf '%s\n' ` + strings.Join(words, `" "`), len(words) > 0
	case "time.sleep", "sleep":
		_, err := strconv.ParseFloat(inside, 64)
		return "sleep " + inside, err == nil
	case "sys.exit", "exit", "quit", "os._exit":
		if inside == "" {
			inside = "0"
		}
		n, err := strconv.Atoi(inside)
		return "exit " + strconv.Itoa(n&255), err == nil
	}
	return "", false
}

// conditionOf compares two values, or the rest of a number with another one.
func conditionOf(text string) (string, bool) {
	for _, op := range []struct{ python, shell string }{{"==", "-eq"}, {"!=", "-ne"}, {"<=", "-le"}, {">=", "-ge"}, {"<", "-lt"}, {">", "-gt"}} {
		left, right, ok := strings.Cut(text, op.python)
		if !ok {
			continue
		}
		left, right = strings.TrimSpace(left), strings.TrimSpace(right)
		if _, err := strconv.Atoi(right); err == nil {
			n, ok := numberOf(left)
			return "[ " + n + " " + op.shell + " " + right + " ]", ok
		}
		a, okA := valueOf(left)
		b, okB := valueOf(right)
		equal := map[string]string{"==": "=", "!=": "!="}[op.python]
		return "[ " + a + " " + equal + " " + b + " ]", okA && okB && equal != ""
	}
	return "", false
}

// numberOf is int(…), or a name, and maybe the rest that a division of it leaves.
func numberOf(text string) (string, bool) {
	text, divisor, divides := strings.Cut(text, "%")
	of, isInt := between(strings.TrimSpace(text), "int(", ")")
	if !isInt {
		of = strings.TrimSpace(text)
	}
	value, ok := valueOf(of)
	if !divides || !ok {
		return value, ok && (isInt || isName(of))
	}
	n, err := strconv.Atoi(strings.TrimSpace(divisor))
	if err != nil || n == 0 {
		return "", false
	}
	return "$((" + strings.Trim(value, `"${}`) + " % " + strconv.Itoa(n) + "))", true
}

// valueOf is a text, a number, a name, or a variable of the environment.
func valueOf(text string) (string, bool) {
	if inside, ok := quoted(text); ok {
		return "'" + strings.ReplaceAll(inside, "'", `'\''`) + "'", !strings.Contains(inside, `\`)
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text, true
	}
	if isName(text) {
		return `"${` + text + `}"`, true
	}
	for _, form := range [][2]string{{"os.environ.get(", ")"}, {"os.getenv(", ")"}, {"os.environ[", "]"}} {
		if inside, ok := between(text, form[0], form[1]); ok {
			name, ok := quoted(inside)
			return `"${` + name + `}"`, ok && isName(name)
		}
	}
	return "", false
}

// quoted is what a literal without quotes in it holds.
func quoted(text string) (string, bool) {
	for _, q := range []string{`"`, `'`} {
		if inside, ok := between(text, q, q); ok && !strings.Contains(inside, q) {
			return inside, true
		}
	}
	return "", false
}

// between cuts off the beginning and the end of a text that has both.
func between(text, begin, end string) (string, bool) {
	if len(text) < len(begin)+len(end) || !strings.HasPrefix(text, begin) || !strings.HasSuffix(text, end) {
		return "", false
	}
	return text[len(begin) : len(text)-len(end)], true
}

func isName(text string) bool {
	return text != "" && (text[0] < '0' || text[0] > '9') && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
}

// splitOutside splits a text at a byte that stands in no literal and no brackets.
func splitOutside(text string, at byte) (out []string) {
	var quote byte
	depth, from := 0, 0
	for i := range len(text) {
		switch b := text[i]; {
		case quote != 0:
			if b == quote {
				quote = 0
			}
		case b == '"' || b == '\'':
			quote = b
		case b == '(':
			depth++
		case b == ')':
			depth--
		case b == at && depth == 0:
			out, from = append(out, text[from:i]), i+1
		}
	}
	return append(out, text[from:])
}

package yamltree

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// indentation returns what is wrong with the indentation of a text, and its cure, where
// the parser only says that a value is not allowed: which line, and where it should begin.
// It is given the line at which the parser stopped and what it said. ok is false when the
// message is not about indentation; then the parser's own words are the better ones.
func indentation(text string, line int, message string) (at, column int, what, cure string, ok bool) {
	lines := strings.Split(text, "\n")
	if line < 1 || line > len(lines) {
		return 0, 0, "", "", false
	}
	switch {
	case strings.Contains(message, "mapping value is not allowed"):
		// A key that has a value cannot have more below it: then the line after is the one
		// that begins too deep. Else it is a colon in the text.
		next := line + 1
		for next <= len(lines) && skipped(lines[next-1]) {
			next++
		}
		if next > len(lines) || strings.Count(lines[line-1], ": ") > 1 || indented(lines[next-1]) <= content(lines[line-1]) {
			return 0, 0, "", "", false
		}
		return next, indented(lines[next-1]) + 1, tooDeep, where([]int{content(lines[line-1])}), true
	case strings.Contains(message, "value is not allowed in this context"):
		here := indented(lines[line-1])
		levels := open(lines[:line-1])
		if len(levels) == 0 {
			return 0, 0, "", "", false
		}
		if last := levels[len(levels)-1]; here > last {
			return line, here + 1, tooDeep, where([]int{last}), true
		}
		if i := slices.Index(levels, here); i >= 0 && !element(lines[line-1]) && i+1 < len(levels) {
			// It stands where a list's dashes stand, and is no element.
			return line, here + 1, "this line begins in the column of the list's dashes but has no dash",
				"begin it in column " + strconv.Itoa(levels[i+1]+1) + ", below the keys of the element above; or with - for another element", true
		}
		if slices.Contains(levels, here) {
			return line, here + 1, "this line does not fit the one above", "the lines of one level are all key: value, or all begin with -", true
		}
		return line, here + 1, fmt.Sprintf("this line is indented by %d, which matches no line above it", here), where(levels), true
	}
	return 0, 0, "", "", false
}

const tooDeep = "this line is indented deeper than the one above, which has a value already, so it belongs to nothing"

// where says in which columns a line could begin.
func where(levels []int) string {
	var columns []string
	for _, l := range levels {
		columns = append(columns, strconv.Itoa(l+1))
	}
	if len(columns) == 1 {
		return "begin it in column " + columns[0]
	}
	return "begin it in column " + strings.Join(columns[:len(columns)-1], ", ") + " or " + columns[len(columns)-1]
}

// open are the indentations at which something above goes on, from the outside in.
func open(lines []string) []int {
	var levels []int
	for _, line := range lines {
		if skipped(line) {
			continue
		}
		from := indented(line)
		levels = slices.DeleteFunc(levels, func(l int) bool { return l > from })
		for _, l := range []int{from, content(line)} {
			if !slices.Contains(levels, l) {
				levels = append(levels, l)
			}
		}
	}
	return levels
}

// indented is how many spaces a line begins with.
func indented(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// content is where a line's first key begins: behind the dashes of a list.
func content(line string) int {
	at := indented(line)
	for strings.HasPrefix(line[at:], "- ") {
		at += 2
		at += indented(line[at:])
	}
	return at
}

func element(line string) bool {
	rest := strings.TrimLeft(line, " ")
	return rest == "-" || strings.HasPrefix(rest, "- ")
}

// skipped tells whether a line holds nothing that is read.
func skipped(line string) bool {
	rest := strings.TrimSpace(line)
	return rest == "" || strings.HasPrefix(rest, "#")
}

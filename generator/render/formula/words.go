package formula

import (
	"strings"
	"unicode"
)

// words is a formula as a line of text, as one would type it: for searches, for
// pages as text, and for readers whose program knows no MathML.
func (e *element) words() string {
	return strings.Join(strings.Fields(e.line()), " ")
}

func (e *element) line() string {
	part := func(i int) string {
		if i < len(e.children) {
			return strings.TrimSpace(e.children[i].line())
		}
		return ""
	}
	switch e.name {
	case "":
		return strings.Map(func(r rune) rune {
			if r >= 0x2061 && r <= 0x2064 { // applied to, times, separates: all of them invisible
				return -1
			}
			return r
		}, e.text)
	case "mphantom":
		return ""
	case "mspace":
		return " "
	case "mo":
		return operator(e.join(""), e.attrs)
	case "mfrac":
		return grouped(part(0)) + "/" + grouped(part(1))
	case "msqrt":
		return "√" + grouped(e.join(""))
	case "mroot":
		return grouped(part(0)) + "^(1/" + part(1) + ")"
	case "msub", "munder":
		return part(0) + "_" + grouped(part(1)) + after(e)
	case "msup", "mover":
		if part(1) == "′" {
			return part(0) + part(1)
		}
		return part(0) + "^" + grouped(part(1)) + after(e)
	case "msubsup", "munderover":
		return part(0) + "_" + grouped(part(1)) + "^" + grouped(part(2)) + after(e)
	case "mtable":
		return e.join("; ")
	case "mtr":
		return e.join(", ")
	}
	return e.join("")
}

func (e *element) join(between string) string {
	var parts []string
	for _, child := range e.children {
		if s := child.line(); s != "" || between == "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, between)
}

// after is the space behind a sum and its limits.
func after(e *element) string {
	for e = e.children[0]; len(e.children) == 1 && e.name != "mo"; {
		e = e.children[0]
	}
	if e.name == "mo" {
		return " "
	}
	return ""
}

// operator has spaces around what stands between two sides.
func operator(s string, attrs []string) string {
	for i := 0; i < len(attrs); i += 2 {
		if attrs[i] == "form" && attrs[i+1] != "infix" || attrs[i] == "fence" || attrs[i] == "stretchy" {
			return s
		}
	}
	switch {
	case s == ",", s == ";":
		return s + " "
	case strings.ContainsAny(s, "()[]{}|!′⌈⌉⌊⌋.:/"), s == "":
		return s
	}
	return " " + s + " "
}

// grouped puts parentheses around what has more than one part.
func grouped(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r == ' ' || unicode.Is(unicode.Sm, r) || r == '/' || r == '-' }) {
		return "(" + s + ")"
	}
	return s
}

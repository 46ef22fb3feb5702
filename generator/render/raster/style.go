package raster

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
)

// Style is a style sheet for pictures, as far as pictures use one: rules with
// custom properties, and rules with what SVG also has as attributes.
type Style struct {
	known     []string // the properties that are looked at
	variables map[string]string
	rules     []rule // the weaker ones first
}

type rule struct {
	selector     cascadia.Sel
	declarations []declaration
}

type declaration struct{ property, value string }

// presentation are the properties that are attributes of SVG as well.
var presentation = []string{"fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linejoin", "stroke-linecap", "opacity", "font-family", "font-size",
	"font-weight",
	"text-decoration", "text-anchor", "color", "display"}

// NewStyle reads a style sheet. Rules for other media, and those with selectors
// that only a page has a use for, are left out.
func NewStyle(css string) (*Style, error) { return newStyle(css, presentation) }

func newStyle(css string, known []string) (*Style, error) {
	s := &Style{known: known, variables: map[string]string{}}
	css = regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(css, "")
	for css != "" {
		selectors, rest, ok := strings.Cut(css, "{")
		if !ok {
			break
		}
		end := closing(rest)
		if end < 0 {
			return nil, fmt.Errorf("style: rule %q is not closed", strings.TrimSpace(selectors))
		}
		body := rest[:end]
		css = rest[end+1:]
		selectors = strings.TrimSpace(selectors)
		if i := strings.LastIndex(selectors, ";"); i >= 0 { // @charset "utf-8";
			selectors = strings.TrimSpace(selectors[i+1:])
		}
		if strings.HasPrefix(selectors, "@") || strings.Contains(body, "{") {
			continue
		}
		if err := s.add(selectors, body); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.rules, func(a, b rule) int {
		x, y := a.selector.Specificity(), b.selector.Specificity()
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(x[2], y[2]))
	})
	return s, nil
}

// closing is where the brace is closed before which the text begins.
func closing(text string) int {
	depth := 1
	for i, r := range text {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func (s *Style) add(selectors, body string) error {
	var declarations []declaration
	forAll := false
	list := split(selectors, ',')
	for _, sel := range list {
		forAll = forAll || sel == ":root" || sel == ".kw-scene"
	}
	for _, d := range split(body, ';') {
		property, value, ok := strings.Cut(d, ":")
		property, value = strings.TrimSpace(property), strings.TrimSpace(value)
		switch {
		case !ok:
		case strings.HasPrefix(property, "--") && forAll:
			s.variables[property] = value
		case slices.Contains(s.known, property):
			declarations = append(declarations, declaration{property, value})
		}
	}
	if len(declarations) == 0 {
		return nil
	}
	for _, sel := range list {
		if strings.HasPrefix(sel, ":root") || strings.Contains(sel, "::") {
			continue
		}
		for _, plain := range expand(sel) {
			parsed, err := cascadia.Parse(plain)
			if err != nil {
				return fmt.Errorf("style: selector %q: %w", plain, err)
			}
			s.rules = append(s.rules, rule{parsed, declarations})
		}
	}
	return nil
}

// split cuts at a mark that stands in no brackets.
func split(text string, mark rune) (out []string) {
	depth, from := 0, 0
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	for i, r := range text {
		switch {
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth--
		case r == mark && depth == 0:
			add(text[from:i])
			from = i + 1
		}
	}
	add(text[from:])
	return out
}

// expand writes out :is(a, b), which the library for selectors does not know.
func expand(selector string) []string {
	at := strings.Index(selector, ":is(")
	if at < 0 {
		return []string{selector}
	}
	depth, end := 0, -1
	for i := at + 3; i < len(selector) && end < 0; i++ {
		switch selector[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				end = i
			}
		}
	}
	if end < 0 {
		return []string{selector}
	}
	var out []string
	for _, choice := range split(selector[at+4:end], ',') {
		out = append(out, expand(selector[:at]+choice+selector[end+1:])...)
	}
	return out
}

// value is a property's value without variables, for a light page.
func (s *Style) value(text string, deep int) string {
	for deep < 20 {
		deep++
		at, name := strings.Index(text, "var("), "var"
		if other := strings.Index(text, "light-dark("); at < 0 || other >= 0 && other < at {
			at, name = other, "light-dark"
		}
		if at < 0 {
			break
		}
		open := at + len(name) + 1
		end := closingParenthesis(text[open:])
		if end < 0 {
			break
		}
		arguments := split(text[open:open+end], ',')
		replaced := ""
		switch {
		case name == "light-dark" && len(arguments) > 0:
			replaced = arguments[0]
		case len(arguments) > 0:
			if v, ok := s.variables[arguments[0]]; ok {
				replaced = s.value(v, deep)
			} else if len(arguments) > 1 {
				replaced = s.value(strings.Join(arguments[1:], ", "), deep)
			}
		}
		text = text[:at] + replaced + text[open+end+1:]
	}
	return text
}

func closingParenthesis(text string) int {
	depth := 1
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// Resolve writes what the sheet says of each element as its attributes.
func (s *Style) Resolve(root *html.Node) {
	properties := map[*html.Node]map[string]string{}
	for _, r := range s.rules {
		for _, n := range cascadia.QueryAll(root, r.selector) {
			if properties[n] == nil {
				properties[n] = map[string]string{}
			}
			for _, d := range r.declarations {
				properties[n][d.property] = s.value(d.value, 0)
			}
		}
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		var kept []html.Attribute
		for _, a := range n.Attr {
			if a.Key == "class" || strings.HasPrefix(a.Key, "data-") || properties[n][a.Key] != "" {
				continue
			}
			kept = append(kept, a)
		}
		for _, property := range s.known {
			value := properties[n][property]
			switch {
			case value == "" || property == "display" && value != "none":
				continue
			case property == "font-family" && strings.Contains(value, "mono"):
				value = "monospace"
			case property == "font-family":
				value = "sans-serif"
			}
			kept = append(kept, html.Attribute{Key: property, Val: value})
		}
		n.Attr = kept
	}
}

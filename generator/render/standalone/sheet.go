package standalone

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"kubewalk/generator/dom"
)

// Sheet is the style sheet of pictures. Several may ask it at once.
type Sheet struct {
	media     []string                       // queries of @media; the first is "", for what always holds
	rules     []rule                         // the weaker ones first
	variables map[string]map[string]string   // custom properties by medium and name: pictures set them for the whole of themselves
	ids       []func(id string) (named bool) // what selectors ask of ids

	mu    sync.Mutex
	known map[string]*look // of elements that were looked at, by all that a selector can see of them
}

type rule struct {
	medium       string
	selector     cascadia.Sel
	declarations []declaration
}

type declaration struct{ property, value string }

// properties are those that pictures use, in the order in which they are printed, with their initial values.
var properties = []declaration{
	{"color", ""}, {"font-family", ""}, {"font-size", ""}, {"font-weight", "400"}, {"text-anchor", "start"}, {"text-decoration", "none"},
	{"fill", "#000"}, {"stroke", "none"}, {"stroke-width", "1"}, {"stroke-dasharray", "none"}, {"stroke-linejoin", "miter"},
	{"paint-order", "normal"}, {"opacity", "1"},
}

// NewSheet reads a style sheet. Rules that are for pages alone are left out: an image has no theme of its own, and no language.
func NewSheet(css string) (*Sheet, error) {
	s := &Sheet{media: []string{""}, variables: map[string]map[string]string{"": {}}, known: map[string]*look{}}
	if err := s.read(comments.ReplaceAllString(css, ""), ""); err != nil {
		return nil, err
	}
	slices.SortStableFunc(s.rules, func(a, b rule) int {
		x, y := a.selector.Specificity(), b.selector.Specificity()
		return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1]), cmp.Compare(x[2], y[2]))
	})
	return s, nil
}

var comments = regexp.MustCompile(`(?s)/\*.*?\*/`)

// read adds the rules of a text, which hold for a medium.
func (s *Sheet) read(css, medium string) error {
	for {
		head, rest, ok := strings.Cut(css, "{")
		if !ok {
			return nil
		}
		end := closing(rest, '{', '}')
		if end < 0 {
			return fmt.Errorf("style: rule %q is not closed", strings.TrimSpace(head))
		}
		body := rest[:end]
		css = rest[end+1:]
		head = strings.TrimSpace(head[strings.LastIndex(head, ";")+1:]) // @charset "utf-8";
		query, isMedia := strings.CutPrefix(head, "@media")
		var err error
		switch {
		case isMedia && medium == "":
			query = strings.TrimSpace(query)
			if !slices.Contains(s.media, query) {
				s.media, s.variables[query] = append(s.media, query), map[string]string{}
			}
			err = s.read(body, query)
		case !strings.HasPrefix(head, "@"):
			err = s.add(medium, head, body)
		}
		if err != nil {
			return err
		}
	}
}

// scene is the class of the picture's root.
const scene = ".kw-scene"

// ofPage is what stands in front of a selector for a page that has no theme set, as an image has none.
var ofPage = regexp.MustCompile(`^:root:not\(\[data-theme="?\w+"?\]\) `)

func (s *Sheet) add(medium, selectors, body string) error {
	var declarations []declaration
	own := map[string]string{}
	for _, d := range split(body, ';') {
		property, value, _ := strings.Cut(d, ":")
		property, value = strings.TrimSpace(property), strings.TrimSpace(value)
		switch {
		case strings.HasPrefix(property, "--"), property == "color-scheme":
			own[property] = value
		case slices.ContainsFunc(properties, func(p declaration) bool { return p.property == property }):
			declarations = append(declarations, declaration{property, value})
		}
	}
	for _, selector := range split(selectors, ',') {
		selector = ofPage.ReplaceAllString(selector, "")
		if selector == ":root" || selector == scene {
			for name, value := range own { // order: each on its own
				s.variables[medium][name] = value
			}
		}
		if strings.HasPrefix(selector, ":root") || len(declarations) == 0 {
			continue
		}
		s.noteIDs(selector)
		for _, plain := range expand(selector) {
			parsed, err := cascadia.Parse(plain)
			if err != nil {
				return fmt.Errorf("style: selector %q: %w", plain, err)
			}
			s.rules = append(s.rules, rule{medium, parsed, declarations})
		}
	}
	return nil
}

var idSelector = regexp.MustCompile(`\[data-id([\^$*]?)="?([^"\]]*)"?\]`)

func (s *Sheet) noteIDs(selector string) {
	for _, m := range idSelector.FindAllStringSubmatch(selector, -1) {
		switch part := m[2]; m[1] {
		case "^":
			s.ids = append(s.ids, func(id string) bool { return strings.HasPrefix(id, part) })
		case "$":
			s.ids = append(s.ids, func(id string) bool { return strings.HasSuffix(id, part) })
		case "*":
			s.ids = append(s.ids, func(id string) bool { return strings.Contains(id, part) })
		default:
			s.ids = append(s.ids, func(id string) bool { return id == part })
		}
	}
}

// isNamed tells whether a selector asks for an id.
func (s *Sheet) isNamed(id string) bool {
	return slices.ContainsFunc(s.ids, func(named func(string) bool) bool { return named(id) })
}

// look is what the sheet and its own attributes say of an element: properties that are not what they are without.
type look struct {
	shown []shown
	// each tells that a group does not hand it on to what is in it.
	each bool
}

// shown is a property with its value in each medium.
type shown struct {
	property string
	value    value
}

// value has a text for each medium, joined.
type value string

func (v value) in() []string { return strings.Split(string(v), "\x00") }

// same is the text, when it is one for all media.
func (v value) same() (string, bool) {
	in := v.in()
	for _, text := range in {
		if text != in[0] {
			return "", false
		}
	}
	return in[0], true
}

// look is what an element looks like. The key says all that a selector can see of it.
func (s *Sheet) look(key string, n *html.Node) *look {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.known[key]
	if known == nil {
		known = s.compute(n)
		s.known[key] = known
	}
	return known
}

func (s *Sheet) compute(n *html.Node) *look {
	cascaded := make([]map[string]string, len(s.media))
	for i := range s.media {
		cascaded[i] = map[string]string{}
	}
	for _, r := range s.rules {
		if !r.selector.Match(n) {
			continue
		}
		for i, medium := range s.media {
			if r.medium != "" && r.medium != medium {
				continue
			}
			for _, d := range r.declarations {
				cascaded[i][d.property] = s.resolve(d.value, medium, 0)
			}
		}
	}
	out := new(look)
	for _, p := range properties {
		own := cmp.Or(dom.Attribute(n, p.property), p.value)
		texts := make([]string, len(s.media))
		isSet := false
		for i := range s.media {
			texts[i] = cmp.Or(cascaded[i][p.property], own)
			isSet = isSet || texts[i] != p.value
		}
		if isSet {
			out.shown = append(out.shown, shown{p.property, value(strings.Join(texts, "\x00"))})
			out.each = out.each || p.property == "opacity" || p.property == "text-decoration"
		}
	}
	return out
}

// resolve puts custom properties' values in their place, down to light-dark().
func (s *Sheet) resolve(text, medium string, deep int) string {
	for ; deep < 20; deep++ {
		at := strings.Index(text, "var(")
		if at < 0 {
			break
		}
		end := closing(text[at+4:], '(', ')')
		if end < 0 {
			break
		}
		name, fallback, _ := strings.Cut(text[at+4:at+4+end], ",")
		name = strings.TrimSpace(name)
		known := cmp.Or(s.variables[medium][name], s.variables[""][name], strings.TrimSpace(fallback))
		text = text[:at] + s.resolve(known, medium, deep+1) + text[at+4+end+1:]
	}
	return shorter(text)
}

var (
	spaced = regexp.MustCompile(`"[^"]*"|,\s+`)
	double = regexp.MustCompile(`#([0-9a-f])([0-9a-f])([0-9a-f])([0-9a-f])([0-9a-f])([0-9a-f])\b`)
)

// shorter writes a value with fewer signs.
func shorter(text string) string {
	text = spaced.ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == '"' {
			return found
		}
		return ","
	})
	return double.ReplaceAllStringFunc(text, func(c string) string {
		if c[1] == c[2] && c[3] == c[4] && c[5] == c[6] {
			return "#" + c[1:2] + c[3:4] + c[5:6]
		}
		return c
	})
}

// closing is where the bracket is closed behind which the text begins; -1 when it is not.
func closing(text string, open, shut byte) int {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case open:
			depth++
		case shut:
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// split cuts at a sign that stands in no brackets and no quotes. Parts have no space around them, and are not empty.
func split(text string, at byte) (out []string) {
	depth, quoted, start := 0, false, 0
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == at && depth == 0:
			add(text[start:i])
			start = i + 1
		}
	}
	add(text[start:])
	return out
}

// expand writes out :is(a, b), which the library for selectors does not know.
func expand(selector string) (out []string) {
	before, rest, ok := strings.Cut(selector, ":is(")
	end := closing(rest, '(', ')')
	if !ok || end < 0 {
		return []string{selector}
	}
	for _, choice := range split(rest[:end], ',') {
		out = append(out, expand(before+choice+rest[end+1:])...)
	}
	return out
}

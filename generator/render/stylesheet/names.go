package stylesheet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kubewalk/generator/problem"
)

// atRules are those of CSS, and the margins of a printed page.
var atRules = []string{"@charset", "@color-profile", "@container", "@counter-style", "@font-face", "@font-feature-values", "@font-palette-values",
	"@function", "@keyframes", "@layer", "@media", "@namespace", "@page", "@position-try", "@property", "@scope", "@starting-style", "@supports",
	"@view-transition",
	"@top-left-corner", "@top-left", "@top-center", "@top-right", "@top-right-corner", "@bottom-left-corner", "@bottom-left", "@bottom-center",
	"@bottom-right", "@bottom-right-corner", "@left-top", "@left-middle", "@left-bottom", "@right-top", "@right-middle", "@right-bottom",
	"@stylistic", "@historical-forms", "@styleset", "@character-variant", "@swash", "@ornaments", "@annotation"}

// preprocessed are the at-rules of Sass, Less, PostCSS and Tailwind.
var preprocessed = []string{"@use", "@forward", "@mixin", "@include", "@extend", "@if", "@else", "@each", "@for", "@while", "@return", "@debug", "@warn", "@error",
	"@at-root", "@plugin", "@tailwind", "@apply", "@screen", "@theme", "@utility", "@variant", "@custom-media", "@custom-selector", "@nest"}

// atRule looks at a rule's name. Those that begin with a hyphen are some browser's own.
func (s *scanner) atRule(name string, at int) {
	switch {
	case name == "@import":
		s.at(at, "rule @import in a style sheet", "write the rules into this file; it may use fonts and images of content/static")
	case slices.Contains(preprocessed, name):
		s.at(at, name+" is not CSS", "browsers get this file as it is: write the rules out, or make it with your preprocessor")
	case !slices.Contains(atRules, name) && !strings.HasPrefix(name, "@-"):
		cure := "browsers leave out what they do not understand: correct it"
		if near := problem.Nearest(name, atRules); near != "" {
			cure = fmt.Sprintf("did you mean %q?", near)
		}
		s.at(at, fmt.Sprintf("%q is not a known CSS rule", name), cure)
	}
}

// properties are the custom properties of a style sheet, and where each is first.
type properties struct {
	set, used map[string]int
	needed    map[string]int // used without another value to take instead
}

// property takes a custom property. rest follows it, last is the word before.
func (s *scanner) property(name string, at int, rest, last string) {
	into := &s.properties.used
	rest = strings.TrimLeft(rest, " \t\n\r\f")
	switch inside := s.open; {
	case len(inside) > 0 && inside[len(inside)-1] == "var" && strings.HasPrefix(rest, ")"):
		into = &s.properties.needed
	case last == "@property", len(inside) == 0 && strings.HasPrefix(rest, ":"):
		into = &s.properties.set
	}
	if *into == nil {
		*into = map[string]int{}
	}
	if _, ok := (*into)[name]; !ok {
		(*into)[name] = at
	}
}

// checkProperties reports what is used and nobody sets, and what is set, is used by nobody, and has nearly the name of one that
// the site uses.
func (s *scanner) checkProperties(sites func() []string) {
	p := &s.properties
	if len(p.set)+len(p.needed) == 0 {
		return
	}
	known := sites()
	for _, name := range slices.Sorted(maps.Keys(p.needed)) {
		if _, ok := p.set[name]; ok || slices.Contains(known, name) {
			continue
		}
		cure := fmt.Sprintf("set it, as in :root { %s: … }, or write another value behind it: var(%s, …)", name, name)
		if near := problem.Nearest(name, slices.AppendSeq(slices.Clone(known), maps.Keys(p.set))); near != "" {
			cure = fmt.Sprintf("did you mean %q?", near)
		}
		s.at(p.needed[name], fmt.Sprintf("nothing sets %q", name), cure)
	}
	for _, name := range slices.Sorted(maps.Keys(p.set)) {
		_, used := p.used[name]
		_, needed := p.needed[name]
		if near := problem.Nearest(name, known); near != "" && near != name && !used && !needed && !slices.Contains(known, name) {
			s.at(p.set[name], fmt.Sprintf("nothing uses %q", name), fmt.Sprintf("did you mean %q?", near))
		}
	}
}

// Properties are the custom properties that a style sheet sets or uses.
func Properties(css []byte) []string {
	s := scanner{css: string(css), at: func(int, string, string) {}, address: func(name string) (string, error) { return name, nil }}
	s.scan()
	all := map[string]int{}
	for _, some := range []map[string]int{s.properties.set, s.properties.used, s.properties.needed} {
		maps.Copy(all, some)
	}
	return slices.Sorted(maps.Keys(all))
}

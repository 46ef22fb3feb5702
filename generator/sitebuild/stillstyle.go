package sitebuild

import (
	"regexp"
	"strings"
)

// stillRules is the style sheet of pictures in files of their own. Each of them holds only what it uses: whole, the sheet
// would be more than half of every file.
type stillRules struct {
	rules []rule
	ids   []*regexp.Regexp // the ids that selectors name
}

// rule is a style rule, or a group of them behind "@media".
type rule struct {
	head  string // selectors, or what follows the @
	body  string // declarations; "" of a group
	group []rule
}

func newStillRules(text string) *stillRules {
	s := &stillRules{rules: rules(text)}
	for _, m := range idSelector.FindAllStringSubmatch(text, -1) {
		pattern := regexp.QuoteMeta(m[2])
		if m[1] == "" || m[1] == "^" {
			pattern = "^" + pattern
		}
		if m[1] == "" || m[1] == "$" {
			pattern += "$"
		}
		s.ids = append(s.ids, regexp.MustCompile(pattern))
	}
	return s
}

// rules reads a minified style sheet: no comments, and no braces in strings.
func rules(text string) (out []rule) {
	for {
		open := strings.IndexByte(text, '{')
		if open < 0 {
			return out
		}
		depth, end := 1, open+1
		for ; depth > 0 && end < len(text); end++ {
			switch text[end] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		r := rule{head: strings.TrimSpace(text[:open]), body: text[open+1 : end-1]}
		if strings.HasPrefix(r.head, "@") {
			r.group, r.body = rules(r.body), ""
		}
		out = append(out, r)
		text = text[end:]
	}
}

var (
	idSelector = regexp.MustCompile(`\[data-id([\^$*]?)="([^"]*)"\]`)
	classes    = regexp.MustCompile(`class="([^"]*)"`)
	classNamed = regexp.MustCompile(`\.([a-zA-Z][\w-]*)`)
	bracketed  = regexp.MustCompile(`\([^()]*\)|\[[^\]]*\]`)
	declared   = regexp.MustCompile(`^\s*(--[\w-]+)\s*:`)
	referred   = regexp.MustCompile(`var\((--[\w-]+)`)
	forScript  = regexp.MustCompile(` data-(id|about)="([^"]*)"`)
)

// of returns the rules that can apply to a picture, and of the properties those that the rules use.
func (s *stillRules) of(svg string) string {
	used := map[string]bool{}
	for _, m := range classes.FindAllStringSubmatch(svg, -1) {
		for _, name := range strings.Fields(m[1]) {
			used[name] = true
		}
	}
	kept := apply(s.rules, used)
	properties, before := map[string]bool{}, -1
	for before != len(properties) { // a property that is used may use others
		before = len(properties)
		refer(kept, properties)
	}
	var b strings.Builder
	write(&b, kept, properties)
	return b.String()
}

// apply leaves out selectors that name a class that the picture has not. What stands in brackets, as of :not(), does not count.
func apply(all []rule, used map[string]bool) (out []rule) {
	for _, r := range all {
		if r.group != nil {
			if r.group = apply(r.group, used); len(r.group) > 0 {
				out = append(out, r)
			}
			continue
		}
		var selectors []string
	selectors:
		for _, selector := range split(r.head, ',') {
			for _, m := range classNamed.FindAllStringSubmatch(bracketed.ReplaceAllString(selector, ""), -1) {
				if !used[m[1]] {
					continue selectors
				}
			}
			selectors = append(selectors, selector)
		}
		if len(selectors) > 0 {
			r.head = strings.Join(selectors, ",")
			out = append(out, r)
		}
	}
	return out
}

// split cuts at a sign that stands in no brackets and no quotes.
func split(text string, at byte) (out []string) {
	depth, quoted, start := 0, false, 0
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
			out = append(out, text[start:i])
			start = i + 1
		}
	}
	return append(out, text[start:])
}

// refer notes the properties that declarations use, unless they are of a property that nobody uses.
func refer(all []rule, properties map[string]bool) {
	for _, r := range all {
		refer(r.group, properties)
		for _, d := range split(r.body, ';') {
			if m := declared.FindStringSubmatch(d); m != nil && !properties[m[1]] {
				continue
			}
			for _, m := range referred.FindAllStringSubmatch(d, -1) {
				properties[m[1]] = true
			}
		}
	}
}

func write(b *strings.Builder, all []rule, properties map[string]bool) {
	for _, r := range all {
		if r.group != nil {
			b.WriteString(r.head + "{")
			write(b, r.group, properties)
			b.WriteString("}")
			continue
		}
		var body []string
		for _, d := range split(r.body, ';') {
			if m := declared.FindStringSubmatch(d); strings.TrimSpace(d) != "" && (m == nil || properties[m[1]]) {
				body = append(body, d)
			}
		}
		if len(body) > 0 {
			b.WriteString(r.head + "{" + strings.Join(body, ";") + "}")
		}
	}
}

// bare takes off a picture what only a page's scripts ask for: what shapes are about, and ids that no selector names.
func (s *stillRules) bare(svg string) string {
	return forScript.ReplaceAllStringFunc(svg, func(attribute string) string {
		m := forScript.FindStringSubmatch(attribute)
		for _, id := range s.ids {
			if m[1] == "id" && id.MatchString(m[2]) {
				return attribute
			}
		}
		return ""
	})
}

// Package stylesheet reads the CSS of a book's author: it finds what the site's content security policy would refuse, and
// makes its addresses those of the site.
package stylesheet

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"

	"kubewalk/generator/problem"
)

// Site is what a style sheet is for.
type Site struct {
	Address Address
	// Properties are the custom properties of the site's own style sheets, as in "--accent". It is called when the author's
	// has one that is not its own.
	Properties func() []string
}

// Address is where a file is that a style sheet names, as in url(static/x.woff2). The error is a problem.Problem
// without a place.
type Address func(name string) (address string, err error)

// Make returns the style sheet for the site, without what only people read. The error is all that is wrong, as
// problem.Errors: what CSS does not have (https://www.w3.org/TR/css-syntax-3/), at-rules and custom properties that there are
// not, @import, and what the address refuses. Values are not checked.
func Make(file string, css []byte, site Site) ([]byte, error) {
	var problems problem.List
	s := scanner{css: string(css)}
	s.at = func(offset int, message, cure string) {
		line, column := problem.Place(css, offset)
		problems.Add(problem.Problem{File: file, Line: line, Column: column, Message: message, Cure: cure})
	}
	s.address = site.Address
	addressed := s.scan()
	s.checkProperties(site.Properties)
	options := api.TransformOptions{Loader: api.LoaderCSS, Target: api.ES2022, Charset: api.CharsetUTF8, MinifyWhitespace: true, MinifySyntax: true,
		LogLevel: api.LogLevelSilent, Supported: map[string]bool{"nesting": true, "color-functions": true}}
	read := api.Transform(string(css), options) // places are those of the author's text
	for _, m := range append(read.Errors, read.Warnings...) {
		p := problem.Problem{File: file, Message: strings.ToLower(m.Text[:1]) + m.Text[1:], Cure: "browsers leave out what they do not understand: correct it"}
		if m.Location != nil {
			p.Line, p.Column = m.Location.Line, 1+utf8.RuneCountInString(m.Location.LineText[:min(m.Location.Column, len(m.Location.LineText))])
			if m.Location.Suggestion != "" && strings.HasSuffix(m.Text, "property") {
				p.Cure = fmt.Sprintf("did you mean %q?", m.Location.Suggestion)
			}
		}
		problems.Add(p)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return api.Transform(addressed, options).Code, nil
}

// scanner goes through a style sheet's tokens, as far as they matter.
type scanner struct {
	css     string
	out     strings.Builder
	copied  int      // what of css is in out
	open    []string // functions whose parentheses are open; "" for others
	address Address
	at      func(offset int, message, cure string)

	properties properties
}

// loading are the functions in which a string is an address.
var loading = map[string]bool{"url": true, "src": true, "image-set": true, "-webkit-image-set": true}

func (s *scanner) scan() string {
	last := "" // word
	for i := 0; i < len(s.css); {
		switch c := s.css[i]; {
		case strings.HasPrefix(s.css[i:], "/*"):
			end := strings.Index(s.css[i+2:], "*/")
			if end < 0 {
				end = len(s.css) - i - 4
			}
			i += end + 4
		case c == '"' || c == '\'':
			end := i + 1
			for end < len(s.css) && s.css[end] != c && s.css[end] != '\n' {
				if s.css[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end, len(s.css))
			if n := len(s.open); n > 0 && loading[s.open[n-1]] {
				s.put(i+1, end, s.css[i+1:end])
			}
			i = min(end+1, len(s.css))
		case c == '\\':
			i = min(i+2, len(s.css))
		case c == '(':
			s.open = append(s.open, "")
			i++
		case c == ')':
			s.open = s.open[:max(0, len(s.open)-1)]
			i++
		case c == '@' || named(c):
			end := i + 1
			for end < len(s.css) && named(s.css[end]) {
				end++
			}
			name := strings.ToLower(s.css[i:end])
			switch {
			case name[0] == '@':
				s.atRule(name, i)
			case strings.HasPrefix(name, "--"):
				s.property(s.css[i:end], i, s.css[end:], last)
			}
			last, i = name, end
			if i == len(s.css) || s.css[i] != '(' || name[0] == '@' {
				continue
			}
			i++
			s.open = append(s.open, name)
			if name == "url" {
				i = s.unquoted(i)
			}
		default:
			i++
		}
	}
	s.out.WriteString(s.css[s.copied:])
	return s.out.String()
}

func named(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// unquoted reads an address that has no quotes, behind its parenthesis.
func (s *scanner) unquoted(i int) int {
	begin := i + len(s.css[i:]) - len(strings.TrimLeft(s.css[i:], " \t\n\r\f"))
	if begin == len(s.css) || s.css[begin] == '"' || s.css[begin] == '\'' {
		return begin
	}
	end := strings.IndexByte(s.css[begin:], ')')
	if end < 0 {
		return len(s.css) // that is told by who reads the syntax
	}
	name := strings.TrimRight(s.css[begin:begin+end], " \t\n\r\f")
	s.put(begin, begin+len(name), name)
	return begin + end
}

// put writes what is where an address stands.
func (s *scanner) put(begin, end int, name string) {
	address, err := s.address(name)
	for _, p := range problem.Of(err) {
		s.at(begin, p.Message, p.Cure)
	}
	s.out.WriteString(s.css[s.copied:begin])
	s.out.WriteString(address)
	s.copied = end
}

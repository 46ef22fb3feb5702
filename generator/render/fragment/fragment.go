// Package fragment reads pieces of HTML that a book's author wrote as html/template: parts of
// the layout, and blocks. It says before anything is drawn what is wrong with one, with its
// place and a cure: what templates do not have, fields that the data lacks, elements that
// are not closed, and whatever the site's content security policy would refuse. What a template
// inserts is escaped for the place where it stands, as html/template does.
package fragment

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template/parse"

	"kubewalk/generator/problem"
)

// Fragment is one that can be drawn, by several at once.
type Fragment struct {
	file      string
	templates map[string]*template.Template // by language; one for "" where links are not made
	used      map[string]bool
}

// Source is a fragment's file, and what it is held against.
type Source struct {
	File string // for messages
	Text []byte
	Of   string // whose fields its data has, for messages: "the header"
	Data *Type
	// Link is the address of what {{link "…"}} names, from that language's home page; the error is a problem.Problem
	// without a place. It may be nil: then there is no such function.
	Link func(language, to string) (string, error)
	// Languages are those in which a link has to lead somewhere.
	Languages []string
	// Allows tells whether pages may load something of that kind (img, script, frame, style) from another site.
	Allows func(kind, origin string) bool
	Styles string // the file for styles: "content/custom.css"
}

// Parse reads a fragment. The error is all that is wrong, as problem.Errors.
func Parse(s Source) (*Fragment, error) {
	c := &checker{Source: s, used: map[string]bool{}, trees: map[string]*parse.Tree{},
		called: map[called]bool{}, within: map[string]bool{}}
	functions := template.FuncMap{}
	if s.Link != nil {
		functions["link"] = func(string) template.URL { return "" }
	}
	parsed, err := template.New(s.File).Funcs(functions).Option("missingkey=zero").Parse(string(s.Text))
	if err != nil {
		c.problems.Add(c.syntax(err))
		return nil, c.problems.Err()
	}
	for _, each := range parsed.Templates() {
		if each.Tree != nil {
			c.trees[each.Name()] = each.Tree
		}
	}
	if tree := c.trees[s.File]; tree == nil || parse.IsEmptyTree(tree.Root) {
		c.problems.Add(problem.Problem{File: s.File, Message: "file has no HTML", Cure: "write what stands in this place, or remove the file"})
	} else {
		c.walk(tree.Root, scope{dot: s.Data, root: s.Data, variables: map[string]*Type{"$": s.Data}})
	}
	c.markup()
	if err := c.problems.Err(); err != nil {
		return nil, err
	}
	f := &Fragment{file: s.File, templates: map[string]*template.Template{}, used: c.used}
	languages := s.Languages
	if s.Link == nil {
		languages = []string{""}
	}
	for _, language := range languages {
		own, err := parsed.Clone()
		if err != nil {
			return nil, problem.Problem{File: s.File, Message: err.Error()}
		}
		if s.Link != nil {
			own.Funcs(template.FuncMap{"link": func(to string) (template.URL, error) {
				address, err := s.Link(language, to)
				return template.URL(address), err
			}})
		}
		f.templates[language] = own
	}
	// html/template decides how to escape when it draws for the first time.
	if _, err := f.Draw(languages[0], s.Data.sample()); err != nil {
		var e *template.Error
		if !errors.As(err, &e) {
			return f, nil // of the sample: what is drawn says whether that can happen
		}
		what, _, _ := strings.Cut(e.Description, ": {state") // the state is html/template's own matter
		p := problem.Problem{File: s.File, Line: e.Line, Message: what, Cure: escapingCure(e)}
		if e.Node != nil {
			p.Line, p.Column = problem.Place(s.Text, int(e.Node.Position()))
		} else if m := quoted.FindStringSubmatch(e.Description); m != nil {
			if what, err := strconv.Unquote(m[1]); err == nil && bytes.Contains(s.Text, []byte(what)) {
				p.Line, p.Column = problem.Place(s.Text, bytes.Index(s.Text, []byte(what)))
			}
		}
		return nil, p
	}
	return f, nil
}

// quoted is the piece of the template at which html/template gave up.
var quoted = regexp.MustCompile(`("(?:[^"\\]|\\.)*")$`)

// escapingCure says what to do where html/template does not know how to escape.
func escapingCure(e *template.Error) string {
	switch e.ErrorCode {
	case template.ErrBranchEnd:
		return "each branch of an if has to open and close the same elements, quotes and comments"
	case template.ErrAmbigContext, template.ErrEndContext:
		return "close what is open: a tag, a quote or a comment"
	case template.ErrPredefinedEscaper:
		return "remove the function: what is inserted is escaped by itself"
	}
	return "put the value into an element's text, or into an attribute in quotes"
}

// Uses tells whether the template names a field of its data.
func (f *Fragment) Uses(field string) bool { return f.used[field] }

// Draw is the fragment with its data, on a page in a language; "" where links are not made.
func (f *Fragment) Draw(language string, data any) (template.HTML, error) {
	var out bytes.Buffer
	t := f.templates[language]
	if t == nil {
		panic("fragment: " + f.file + " is not made for " + language)
	}
	if err := t.Execute(&out, data); err != nil {
		return "", f.executed(err)
	}
	return template.HTML(strings.TrimSpace(out.String())), nil
}

// place is how text/template names where it is.
var place = regexp.MustCompile(`^(?:html/)?template: ?([^:]*):(\d+)(?::(\d+))?: (.*)$`)

// executed turns an error of drawing into ours.
func (f *Fragment) executed(err error) error {
	var escaping *template.Error
	if errors.As(err, &escaping) {
		return err
	}
	message := strings.ReplaceAll(err.Error(), "\n", " ")
	p := problem.Problem{File: f.file, Message: message, Cure: "check what the page gives to the function, or ask with if whether it is there"}
	if m := place.FindStringSubmatch(message); m != nil {
		p.Line, _ = strconv.Atoi(m[2])
		p.Column, _ = strconv.Atoi(m[3])
		p.Column++
		_, what, ok := strings.Cut(m[4], ">: ")
		if !ok {
			what = m[4]
		}
		p.Message = what
		for _, own := range drawing {
			if m := own.theirs.FindStringSubmatch(what); m != nil {
				p.Message, p.Cure = strings.ReplaceAll(own.message, "$1", m[1]), cmp.Or(own.cure, p.Cure)
				break
			}
		}
	}
	var inner problem.Problem
	if errors.As(err, &inner) {
		p.Message, p.Cure = inner.Message, inner.Cure
	}
	return p
}

// drawing is what is said instead of the library's words while a page is drawn; $1 is what they name.
var drawing = []struct {
	theirs        *regexp.Regexp
	message, cure string
}{
	{regexp.MustCompile(`^error calling \w+: .*index out of range: (-?\d+)`), "there is no place $1 in it", "ask len first, or use range"},
	{regexp.MustCompile(`^error calling (\w+): `), "$1 cannot take what it is given", ""},
	{regexp.MustCompile(`^wrong number of args for (\w+)`), "$1 takes another number of values", ""},
	{regexp.MustCompile(`^(\S+) is not a method but has arguments`), "$1 is a value, and takes none itself", "remove what stands behind it, or write a function before it: {{printf …}}"},
	{regexp.MustCompile(`^can't give argument to non-function (.*)`), "$1 is a value, and takes none itself", "remove what stands behind it, or write a function before it: {{printf …}}"},
	{regexp.MustCompile(`^undefined variable: (.*)`), "unknown variable $1", "give it a value before: {{$name := .Field}}"},
}

// reading is what is said instead of the library's words when an action cannot be read.
var reading = []struct{ theirs, message, cure string }{
	{"unexpected EOF", "something is open at the end of the file", "close what is open: {{if}}, {{with}} and {{range}} end with {{end}}, an action with }}"},
	{"unclosed action", "{{ is not closed", "close what is open: {{if}}, {{with}} and {{range}} end with {{end}}, an action with }}"},
	{"bad character", "{{ is not closed, or holds what no action can", "write {{.Field}}: an action ends with }}"},
	{"unterminated quoted string", "quotes within {{ are not closed", "close the quotes"},
	{"unterminated raw quoted string", "quotes within {{ are not closed", "close the quotes"},
	{"character constant", "a text in single quotes", "write it in double quotes"},
	{"unclosed comment", "a comment is not closed", "end it with */}}"},
	{"comment ends before closing delimiter", "a comment is not closed", "end it with */}}"},
	{"undefined variable", "unknown variable", "give it a value before: {{$name := .Field}}"},
}

// undefined is what text/template says of a function that there is not.
var undefined = regexp.MustCompile(`function "([^"]+)" not defined`)

// functions are what a template can call, besides link.
var functions = []string{"and", "or", "not", "len", "index", "slice", "print", "printf", "println", "eq", "ne", "lt", "le", "gt", "ge"}

// syntax turns the parser's error into ours. It names a line; the column is that of the action there.
func (c *checker) syntax(err error) problem.Problem {
	p := problem.Problem{File: c.File, Message: err.Error()}
	m := place.FindStringSubmatch(err.Error())
	if m == nil {
		return p
	}
	p.Line, _ = strconv.Atoi(m[2])
	p.Message = m[4]
	line := ""
	if lines := strings.Split(string(c.Text), "\n"); p.Line >= 1 && p.Line <= len(lines) {
		line = lines[p.Line-1]
	}
	at := strings.Index(line, "{{")
	switch {
	case undefined.MatchString(p.Message):
		name := undefined.FindStringSubmatch(p.Message)[1]
		known := functions
		if c.Link != nil {
			known = append(slices.Clone(known), "link")
		}
		p.Message, p.Cure = fmt.Sprintf("unknown function %q", name), problem.DidYouMean(name, known)
		if cure, ok := elsewhere[name]; ok {
			p.Cure = cure
		}
		if i := strings.Index(line, name); i >= 0 {
			at = i
		}
	case strings.Contains(p.Message, "unexpected {{end}}"):
		p.Cure = "remove it, or begin with {{if}}, {{with}} or {{range}}"
		at = strings.Index(line, "{{end")
	default:
		p.Cure = "write {{.Field}}, {{if .Field}}…{{end}} or {{range .Field}}…{{end}}"
		for _, own := range reading {
			if strings.Contains(p.Message, own.theirs) {
				p.Message, p.Cure = own.message, own.cure
				break
			}
		}
	}
	if at >= 0 {
		p.Column = 1 + len([]rune(line[:at]))
	}
	return p
}

// elsewhere are functions of other programs' templates.
var elsewhere = map[string]string{
	"safeHTML": "remove it: fields of HTML are inserted as they are, and everything else is escaped", "safeURL": "remove it: addresses are checked",
	"safeCSS": "write styles into content/custom.css", "safeJS": "scripts are files of content/static that site.yaml names",
	"partial": "there are no partials: write the text here, or as {{define \"name\"}} and {{template \"name\" .}} in this file", "ref": `write {{link "part/chapter.md"}}`,
	"relref": `write {{link "part/chapter.md"}}`, "relURL": `write {{link "../static/file"}}`, "absURL": `write {{link "../static/file"}}`,
	"i18n": `write the text for each language: {{if eq .Language "en"}}…{{end}}`, "T": `write the text for each language: {{if eq .Language "en"}}…{{end}}`,
	"markdownify": "Markdown is written in chapters; a block has it as .Body", "resources": "files go into content/static: {{link \"../static/file\"}}",
	"site": "what the page knows are the fields that the manual lists", "dict": "write the values out", "default": "write {{or .Field \"…\"}}",
	"include": "there are no includes: write the text here",
}

// Type is what a value has: a list's items, or fields. A nil *Type is any value, which has whatever is asked for.
type Type struct {
	Fields map[string]*Type
	Item   *Type
	List   bool
	zero   reflect.Value
}

// TypeOf describes the data of a Go type: structs, lists, and values without fields.
func TypeOf(t reflect.Type) *Type {
	out := &Type{Fields: map[string]*Type{}, zero: reflect.Zero(t)}
	switch t.Kind() {
	case reflect.Slice:
		out.List, out.Item = true, TypeOf(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			field := t.Field(i)
			switch {
			case field.Anonymous:
				for name, inner := range TypeOf(field.Type).Fields {
					out.Fields[name] = inner
				}
			case field.IsExported():
				out.Fields[field.Name] = TypeOf(field.Type)
			}
		}
	}
	return out
}

// Map is the same as a map's entries.
func (t *Type) Map() *Type { return &Type{Fields: t.Fields} }

// sample is a value of the type.
func (t *Type) sample() any {
	if t.zero.IsValid() {
		return t.zero.Interface()
	}
	out := map[string]any{}
	for name, field := range t.Fields {
		if field != nil {
			out[name] = field.sample()
		}
	}
	return out
}

func (t *Type) names() (out []string) {
	for name := range t.Fields {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

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

// printf is fmt's, but that a value which its verb is not for is an error, and not printed as %!d(string=x).
func printf(format string, values ...any) (string, error) {
	out := fmt.Sprintf(format, values...)
	if strings.Contains(out, "%!") && !strings.Contains(format, "%%!") {
		return "", errors.New("printf prints " + out)
	}
	return out, nil
}

// Parse reads a fragment. The error is all that is wrong, as problem.Errors.
func Parse(s Source) (*Fragment, error) {
	c := &checker{Source: s, used: map[string]bool{}, trees: map[string]*parse.Tree{},
		called: map[called]bool{}, within: map[string]bool{}}
	functions := template.FuncMap{"printf": printf}
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
		p := problem.Problem{File: s.File, Line: e.Line}
		p.Message, p.Cure = escaping(e)
		if p.Line == 0 { // of the whole: what is open is so at the end
			p.Line, _ = problem.Place(s.Text, len(s.Text))
		}
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

// unescaped is what is said where html/template does not know how to escape; $1 is what it names.
var unescaped = []struct {
	theirs        *regexp.Regexp
	message, cure string
}{
	{regexp.MustCompile(`^{{(\w+)}} branches end in different contexts`), "one branch of {{$1}} leaves open what the other does not",
		"each branch has to open and close the same elements, quotes and comments"},
	{regexp.MustCompile(`^"(.+)" in unquoted attr: `), "an attribute's value without quotes contains $1", "put the whole value in quotes: title=\"{{.Field}}\""},
	{regexp.MustCompile(`^"(.+)" in attribute name: `), "an attribute's name contains $1", "write name=\"value\", with a space before each name"},
	{regexp.MustCompile(`^expected space, attr name, or end of tag`), "there is no space between two attributes", "write name=\"value\", with a space before each name"},
	{regexp.MustCompile(`^(.+) appears in an ambiguous context within a URL`), "before $1, one branch has the ? or # of the address and the other does not",
		"write the whole address in each branch"},
	{regexp.MustCompile(`^predefined escaper "(\w+)" disallowed`), "the function $1 is not needed", "remove it: what is inserted is escaped by itself"},
	{regexp.MustCompile(`^on range loop re-entry`), "{{range}} leaves something open, so its second item would stand in another place than the first",
		"close within {{range}} what it opens: elements, quotes and comments"},
	{regexp.MustCompile(`^cannot compute output context for template`), "a template that calls itself leaves something open", "close within it what it opens: elements, quotes and comments"},
	{regexp.MustCompile(`^(?:unfinished|'/' could)`), "a script or a style ends in the middle of something where a value is inserted",
		"insert values into an element's text, or into an attribute in quotes"},
}

// escaping is what is said where html/template does not know how to escape.
func escaping(e *template.Error) (message, cure string) {
	for _, own := range unescaped {
		if m := own.theirs.FindStringSubmatch(e.Description); m != nil {
			named := ""
			if len(m) > 1 {
				named = strings.ReplaceAll(m[1], `\"`, `"`)
			}
			return strings.ReplaceAll(own.message, "$1", named), own.cure
		}
	}
	if e.ErrorCode == template.ErrEndContext || e.ErrorCode == template.ErrAmbigContext {
		return "something is open at the end of the file", "close what is open: a tag, a quote or a comment"
	}
	return "it is not clear how a value that is inserted here has to be escaped", "put the value into an element's text, or into an attribute in quotes"
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
	const fits = "check what the page gives to the function, or ask with if whether it is there"
	p := problem.Problem{File: f.file, Message: "it cannot be drawn with what the page gives", Cure: fits}
	if m := place.FindStringSubmatch(message); m != nil {
		p.Line, _ = strconv.Atoi(m[2])
		p.Column, _ = strconv.Atoi(m[3])
		p.Column++
		at, what, ok := strings.Cut(m[4], ">: ")
		if !ok {
			what = m[4]
		}
		p.Message = "it cannot be drawn with what the page gives"
		if _, action, ok := strings.Cut(at, "<"); ok {
			p.Message = fmt.Sprintf("%s does not fit here", action)
			p.Cure = "write a field, a text in quotes, or a function and what it takes: {{printf \"%s\" .Field}}"
		}
		for _, own := range drawing {
			if m := own.theirs.FindStringSubmatch(what); m != nil {
				named := ""
				if len(m) > 1 {
					named = m[1]
				}
				p.Message, p.Cure = strings.ReplaceAll(own.message, "$1", named), cmp.Or(own.cure, fits)
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
	{regexp.MustCompile(`^error calling (eq|ne|lt|le|gt|ge): incompatible types`), "$1 compares values of two types",
		"compare text with text and numbers with numbers: {{eq .Language \"en\"}}"},
	{regexp.MustCompile(`^error calling (eq|ne|lt|le|gt|ge): `), "$1 cannot compare what it is given", "compare text or numbers; whether there is a list, if alone says"},
	{regexp.MustCompile(`^exceeded maximum template depth`), "the template calls itself without end", "ask with if before the call"},
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
	{"{{break}} outside", "{{break}} outside of {{range}}", "remove it, or write it between {{range}} and {{end}}"},
	{"{{continue}} outside", "{{continue}} outside of {{range}}", "remove it, or write it between {{range}} and {{end}}"},
	{"missing value for", "a word that needs a value stands alone", "write what it asks for: {{if .Field}}, {{with .Field}}, {{range .Field}}"},
	{"multiple definition of template", "two templates have one name", "give one another name in {{define}}"},
	{"unexpected {{else}}", "{{else}} belongs to nothing", "begin with {{if}}, {{with}} or {{range}}, or remove it"},
}

// undefined is what text/template says of a function that there is not.
var undefined = regexp.MustCompile(`function "([^"]+)" not defined`)

// unset is what text/template says of a variable that there is not.
var unset = regexp.MustCompile(`undefined variable "([^"]+)"`)

// functions are what a template can call, besides link.
var functions = []string{"and", "or", "not", "len", "index", "slice", "print", "printf", "println", "eq", "ne", "lt", "le", "gt", "ge"}

// syntax turns the parser's error into ours. It names a line; the column is that of the action there.
func (c *checker) syntax(err error) problem.Problem {
	p := problem.Problem{File: c.File, Message: "file cannot be read as a template",
		Cure: "write {{.Field}}, {{if .Field}}…{{end}} or {{range .Field}}…{{end}}"}
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
	case unset.MatchString(p.Message):
		name := unset.FindStringSubmatch(p.Message)[1]
		p.Message, p.Cure = "unknown variable "+name, "give it a value before: {{"+name+" := .Field}}"
		if i := strings.Index(line, name); i >= 0 {
			at = i
		}
	case strings.Contains(p.Message, "unexpected {{end}}"):
		p.Message, p.Cure = "{{end}} belongs to nothing", "remove it, or begin with {{if}}, {{with}} or {{range}}"
		at = strings.Index(line, "{{end")
	default:
		theirs := p.Message
		p.Message = "what stands between {{ and }} cannot be read"
		p.Cure = "write {{.Field}}, {{if .Field}}…{{end}} or {{range .Field}}…{{end}}"
		for _, own := range reading {
			if strings.Contains(theirs, own.theirs) {
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

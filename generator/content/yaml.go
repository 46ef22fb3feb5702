package content

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"

	"kubewalk/generator/problem"
)

// document is a piece of YAML in a file, for errors that name their place.
type document struct {
	file string
	line int // of the file, before the document's first
	text []byte
}

var unknownField = regexp.MustCompile(`unknown field "([^"]*)"`)

// decode reads the document strictly: unknown and repeated keys, and values of
// the wrong type, are problems.
func (d document) decode(into any) (err error) {
	defer func() {
		// The text is whatever an author saved in the middle of a thought; a
		// parser that trips over it must not end a running server.
		if r := recover(); r != nil {
			err = problem.Problem{File: d.file, Line: d.line + 1, Message: fmt.Sprintf("text cannot be read as YAML: %v", r)}
		}
	}()
	if len(bytes.TrimSpace(d.text)) == 0 {
		return nil // required keys are checked by whoever asked
	}
	err = yaml.NewDecoder(bytes.NewReader(d.text), yaml.Strict()).Decode(into)
	var located yaml.Error
	if errors.As(err, &located) {
		p := problem.Problem{File: d.file, Line: d.line + 1, Message: located.GetMessage()}
		if token := located.GetToken(); token != nil && token.Position != nil {
			p.Line, p.Column = d.line+token.Position.Line, token.Position.Column
		}
		if m := unknownField.FindStringSubmatch(p.Message); m != nil {
			p.Message = fmt.Sprintf("unknown key %q", m[1])
			p.Cure = problem.DidYouMean(m[1], keys(reflect.TypeOf(into), nil))
		}
		return p
	}
	if err != nil {
		return problem.Problem{File: d.file, Line: d.line + 1, Message: err.Error()}
	}
	return nil
}

// at makes a problem that points at the node under a YAML path ("$.parts[0].name"),
// or at the document's first line when there is no such node.
func (d document) at(path, message, cure string) problem.Problem {
	p := problem.Problem{File: d.file, Line: d.line + 1, Message: message, Cure: cure}
	if compiled, err := yaml.PathString(path); err == nil {
		if node, err := compiled.ReadNode(bytes.NewReader(d.text)); err == nil && node.GetToken() != nil {
			p.Line, p.Column = d.line+node.GetToken().Position.Line, node.GetToken().Position.Column
		}
	}
	return p
}

// keys lists the YAML keys of a struct and of all structs inside it.
func keys(t reflect.Type, out []string) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return keys(t.Elem(), out)
	case reflect.Struct:
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" && name != "-" {
				out = append(out, name)
			}
			out = keys(t.Field(i).Type, out)
		}
	}
	return out
}

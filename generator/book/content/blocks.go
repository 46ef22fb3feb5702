package content

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"kubewalk/generator/book/schema"
	"kubewalk/generator/problem"
)

// BlockSpec is content/blocks/NAME.yaml: what authors may write of a block of the book's own.
type BlockSpec struct {
	Description string                    `yaml:"description" check:"required" doc:"What the block is for, in one sentence."`
	Body        string                    `yaml:"body" enum:"required,optional,none" doc:"Whether there is Markdown between the fences, {{.Body}} in the HTML. It is optional unless this says otherwise."`
	Label       string                    `yaml:"label" enum:"required,optional,none" doc:"Whether there is a text in brackets behind the name, {{.Label}} in the HTML. There is none unless this says otherwise."`
	Parameters  map[string]BlockParameter `yaml:"parameters" pattern:"^[a-z][a-zA-Z0-9]*$" cure:"begin with a lower-case letter, and use letters and digits: in the HTML it is {{.name}}" doc:"What stands in braces behind the name, by name."`
}

// BlockParameter is something that stands in a block's braces.
type BlockParameter struct {
	Type        string   `yaml:"type" check:"required" enum:"text,number,boolean,choice,link,image" doc:"What it is: text, a whole number, a word that is there or not (boolean), one of values (choice), a link as in Markdown, or an image beside the chapter."`
	Description string   `yaml:"description" check:"required" doc:"What it is for, in one sentence."`
	Required    bool     `yaml:"required" doc:"Whether it has to be given."`
	Default     *string  `yaml:"default" doc:"The value where it is not given, as it would be written: in quotes if it is a number."`
	Values      []string `yaml:"values" doc:"The values of a choice."`
}

// Elsewhere are what other programs call a block's keys.
func (BlockSpec) Elsewhere() map[string]string {
	const parameters = "write parameters: {name: {type: text, description: …}}"
	return map[string]string{"params": parameters, "props": parameters, "attributes": parameters, "args": parameters, "arguments": parameters,
		"inner": "write body: …", "content": "write body: …", "children": "write body: …", "slot": "write body: …", "title": "write label: …",
		"name": "remove it: the name is the file's"}
}

// The types of parameters.
const (
	ParameterNumber  = "number"
	ParameterBoolean = "boolean"
	ParameterChoice  = "choice"
	ParameterLink    = "link"
	ParameterImage   = "image"
)

var wholeNumber = regexp.MustCompile(`^-?[0-9]{1,9}$`)

// ReadBlockSpec reads one. What could be read is returned with the problems.
func ReadBlockSpec(file string, text []byte) (*BlockSpec, error) {
	d := &schema.Document{File: file, Text: text}
	var problems problem.List
	s := &BlockSpec{}
	problems.AddError(d.Decode(s))
	if problems.Len() > 0 {
		return s, problems.Err()
	}
	if s.Body == "" {
		s.Body = "optional"
	}
	if s.Label == "" {
		s.Label = "none"
	}
	for _, name := range slices.Sorted(maps.Keys(s.Parameters)) {
		p := s.Parameters[name]
		at := "parameters[" + name + "]"
		switch {
		case p.Type == ParameterChoice && len(p.Values) == 0:
			problems.Add(d.At(at+".type", fmt.Sprintf("choice %q has no values", name), "add values: [a, b]"))
		case p.Type != ParameterChoice && len(p.Values) > 0 && p.Type != "":
			problems.Add(d.AtKey(at+".values", fmt.Sprintf("parameter %q has values, and is no choice", name), "write type: choice"))
		case p.Type == ParameterBoolean && p.Required:
			problems.Add(d.AtKey(at+".required", fmt.Sprintf("word %q is required", name), "remove the line: a word that always stands there says nothing"))
		}
		if p.Default == nil {
			continue
		}
		if p.Required {
			problems.Add(d.AtKey(at+".default", fmt.Sprintf("parameter %q is required, and has a default", name), "remove one of the two"))
		} else if p.Type == ParameterLink || p.Type == ParameterImage || p.Type == ParameterBoolean {
			problems.Add(d.AtKey(at+".default", fmt.Sprintf("parameter %q of type %s has a default", name, p.Type), "remove it, and ask in the HTML with {{if}} whether there is a value"))
		} else if _, message, cure := p.Value(name, *p.Default); message != "" {
			problems.Add(d.At(at+".default", message, cure))
		}
	}
	return s, problems.Err()
}

// Value is a text as the parameter's type has it; message says what is wrong.
func (p BlockParameter) Value(name, text string) (value any, message, cure string) {
	switch p.Type {
	case ParameterNumber:
		n, err := strconv.Atoi(text)
		if err != nil || !wholeNumber.MatchString(text) {
			return 0, fmt.Sprintf("%s %q is not a whole number", name, text), "write digits, as in " + name + "=3"
		}
		return n, "", ""
	case ParameterChoice:
		if !slices.Contains(p.Values, text) {
			return "", fmt.Sprintf("%s %q is unknown", name, text), problem.DidYouMean(text, p.Values)
		}
	}
	return text, "", ""
}

//go:build !js || cel

package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"kubewalk/playground/api/gotemplate"
)

func init() {
	checkTemplate = func(text string) error {
		_, err := parsedTemplate(text)
		return err
	}
	printTemplate = (*session).goTemplate
}

// parsedTemplate is a template of -o go-template.
func parsedTemplate(text string) (*gotemplate.Template, error) {
	if text == "" {
		return nil, errors.New("template format specified but no template given")
	}
	t, err := gotemplate.Parse("output", text)
	if err != nil {
		return nil, fmt.Errorf("error parsing template %s, %v", text, err)
	}
	return t, nil
}

// goTemplate prints an object as a template says. Upstream: cli-runtime pkg/printers/template.go, GoTemplatePrinter.PrintObj.
func (s *session) goTemplate(whole any, text string) error {
	t, err := parsedTemplate(text)
	if err != nil {
		return err
	}
	t.MissingKeys = !s.flags.yesOr("allow-missing-template-keys", true)
	data := numbers(whole)
	out, err := t.Execute(data)
	if err != nil {
		out += fmt.Sprintf("Error executing template: %v. Printing more information for debugging the template:\n\ttemplate was:\n\t\t%v\n"+
			"\traw data was:\n\t\t%s\n\tobject given to template engine was:\n\t\t%+v\n\n", err, text, encode(whole), data)
		err = fmt.Errorf("error executing template %q: %v", text, err)
	}
	s.printf("%s", out)
	return err
}

// numbers is a tree with numbers as kubectl has them: whole ones, or floats. Upstream: apimachinery/pkg/util/json/json.go, Unmarshal.
func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, item := range v { // order: each fills its own key
			out[key] = numbers(item)
		}
		return out
	case []any:
		out := []any{}
		for _, item := range v {
			out = append(out, numbers(item))
		}
		return out
	case json.Number:
		if n, err := v.Int64(); err == nil && !strings.ContainsAny(v.String(), ".eE") {
			return n
		}
		f, _ := v.Float64()
		return f
	}
	return v
}

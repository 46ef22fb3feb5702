package kubectl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/jsonpath"
	"kubewalk/playground/api/schema"
)

// formats are what -o takes. Upstream: cli-runtime pkg/genericclioptions, print_flags.go.
const formats = "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,kyaml,name,template,templatefile,wide,yaml"

// What -o go-template needs is not in the build that is loaded first: see gotemplate.go.
var (
	errNoTemplates = errors.New("-o go-template is absent here: jsonpath and custom-columns can say the same")
	checkTemplate  = func(text string) error { return errNoTemplates }
	printTemplate  = func(s *session, whole any, text string) error { return errNoTemplates }
)

// withTemplate puts --template where -o has a template.
// Upstream: cli-runtime pkg/genericclioptions/print_flags.go, PrintFlags.ToPrinter; template_flags.go and jsonpath_flags.go.
func (s *session) withTemplate() {
	template := s.flags.text("template")
	if template == "" {
		return
	}
	o := s.flags.text("output")
	if o == "" {
		o = "go-template"
	}
	if slices.Contains([]string{"go-template", "template", "jsonpath", "jsonpath-as-json", "custom-columns"}, o) {
		s.flags["output"] = []string{o + "=" + template}
	}
}

// knownOutput checks -o before anything is asked of the server.
func knownOutput(o string) error {
	kind, template, _ := strings.Cut(o, "=")
	switch kind {
	case "", "wide", "json", "yaml", "name":
		return nil
	case "kyaml":
		if !hasRare {
			return errors.New("-o kyaml is absent here: the control plane that has it could not be loaded")
		}
		return nil
	case "jsonpath", "jsonpath-as-json":
		if template == "" {
			return fmt.Errorf("template format specified but no template given")
		}
		if _, err := jsonpath.Parse(template); err != nil {
			return fmt.Errorf("error parsing jsonpath %s, %v", template, err)
		}
		return nil
	case "custom-columns":
		_, err := parseColumns(template)
		return err
	}
	switch kind {
	case "go-template", "template":
		return checkTemplate(template)
	case "go-template-file", "templatefile", "jsonpath-file", "custom-columns-file":
		return fmt.Errorf("-o %s is absent here: there are no files. go-template, jsonpath and custom-columns take what would stand in one", kind)
	}
	return fmt.Errorf("unable to match a printer suitable for the output format %q, allowed formats are: %s", o, formats)
}

// shown is an object as -o shows it: who manages its fields only on demand, but to templates always.
func (s *session) shown(obj api.Object) map[string]any {
	t := tree(obj)
	gvk := api.KindOf(obj).GroupVersionKind
	t["apiVersion"], t["kind"] = gvk.ToAPIVersionAndKind()
	if m, ok := t["metadata"].(map[string]any); ok && !s.managed() {
		delete(m, "managedFields")
	}
	return t
}

// print prints objects as -o asks. alone says that there is one, which was asked for by name.
// Upstream: kubectl pkg/cmd/get/get.go, GetOptions.printGeneric.
func (s *session) print(objects []map[string]any, alone bool) error {
	if by := s.flags.text("sort-by"); by != "" && s.flags.has("sort-by") {
		if err := sortBy(s, objects, by, func(t map[string]any) any { return t }); err != nil {
			return err
		}
	}
	kind, template, _ := strings.Cut(s.flags.text("output"), "=")
	if kind == "name" {
		for _, t := range objects {
			s.printf("%s\n", s.nameOf(t))
		}
		return nil
	}
	if kind == "custom-columns" {
		return s.customColumns(objects, template)
	}
	var whole any
	if alone && len(objects) == 1 {
		whole = objects[0]
	} else if alone && s.flags.yes("ignore-not-found") {
		return nil
	} else {
		items := []any{}
		for _, t := range objects {
			items = append(items, t)
		}
		whole = map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}, "items": items}
	}
	if s.typed && (kind == "json" || kind == "kyaml") {
		if obj, _, err := api.Decode(encode(whole), nil); err == nil {
			text, err := api.Encode(obj)
			if err != nil {
				return err
			}
			whole = json.RawMessage(text)
		}
	}
	switch kind {
	case "json":
		s.printf("%s", indented(whole))
	case "yaml":
		s.printf("%s", yamlText(whole))
	case "kyaml":
		s.printf("%s", kyamlText(whole))
	case "jsonpath":
		j, err := jsonpath.Parse(template)
		if err != nil {
			return fmt.Errorf("error parsing jsonpath %s, %v", template, err)
		}
		text, err := j.Execute(whole)
		if err != nil {
			return notExecuted(template, whole, err)
		}
		s.printf("%s", text)
	case "go-template", "template":
		return printTemplate(s, whole, template)
	case "jsonpath-as-json":
		j, err := jsonpath.Parse(template)
		if err != nil {
			return fmt.Errorf("error parsing jsonpath %s, %v", template, err)
		}
		found, err := j.Find(whole)
		if err != nil {
			return notExecuted(template, whole, err)
		}
		if found == nil {
			found = []any{}
		}
		s.printf("%s", indented(found))
	default:
		return knownOutput(s.flags.text("output"))
	}
	return nil
}

// notExecuted is the error of a template that does not suit an object, with the object as Go writes it.
// Upstream: cli-runtime pkg/printers/jsonpath.go, PrintObj.
func notExecuted(template string, whole any, err error) error {
	return fmt.Errorf("error executing jsonpath %q: Error executing template: %v. Printing more information for debugging the template:\n"+
		"\ttemplate was:\n\t\t%[1]s\n\tobject given to jsonpath engine was:\n\t\t%#[3]v", template, err, goTree(whole))
}

// goTree is a tree whose numbers are Go's.
func goTree(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64()
		return n
	case map[string]any:
		out := map[string]any{}
		for k, inner := range v {
			out[k] = goTree(inner)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, inner := range v {
			out[i] = goTree(inner)
		}
		return out
	}
	return v
}

// indented is JSON as kubectl prints it, in steps of four.
func indented(v any) string {
	var b bytes.Buffer
	if err := json.Indent(&b, encode(v), "", "    "); err != nil {
		return ""
	}
	return b.String() + "\n"
}

// nameOf is "pod/web", "replicaset.apps/web".
func (s *session) nameOf(t map[string]any) string {
	gvk := schema.FromAPIVersionAndKind(textAt(t, "apiVersion"), textAt(t, "kind"))
	if k := s.known(func(kinds api.KindSet) *api.Kind { return kinds.For(gvk) }); k != nil && k.Singular != "" {
		return resourceName(k) + "/" + textAt(t, "metadata", "name")
	}
	return strings.ToLower(gvk.GroupKind().String()) + "/" + textAt(t, "metadata", "name")
}

// customColumn is a column of one's own. Upstream: kubectl pkg/cmd/get/customcolumn.go.
type customColumn struct {
	head string
	path *jsonpath.JSONPath
}

func parseColumns(spec string) ([]customColumn, error) {
	if spec == "" {
		return nil, fmt.Errorf("custom-columns format specified but no custom columns given")
	}
	var out []customColumn
	for _, part := range splitColumns(spec) {
		head, path, ok := strings.Cut(part, ":")
		if !ok {
			return nil, fmt.Errorf("unexpected custom-columns spec: %s, expected <header>:<json-path-expr>", part)
		}
		template, err := jsonpath.Relaxed(path)
		if err != nil {
			return nil, err
		}
		j, err := jsonpath.Parse(template)
		if err != nil {
			return nil, err
		}
		out = append(out, customColumn{head, j})
	}
	return out, nil
}

// splitColumns splits at commas outside of brackets.
func splitColumns(spec string) []string {
	var out []string
	depth, from := 0, 0
	for i := 0; i < len(spec); i++ {
		switch spec[i] {
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		case ',':
			if depth <= 0 {
				out, from = append(out, spec[from:i]), i+1
			}
		}
	}
	return append(out, spec[from:])
}

func (s *session) customColumns(objects []map[string]any, spec string) error {
	cols, err := parseColumns(spec)
	if err != nil {
		return err
	}
	var rows [][]string
	if !s.flags.yes("no-headers") {
		var head []string
		for _, c := range cols {
			head = append(head, c.head)
		}
		rows = append(rows, head)
	}
	for _, t := range objects {
		var row []string
		for _, c := range cols {
			var cells []string
			found, err := c.path.Find(t)
			if err != nil {
				s.printf("%s", s.widths.columns(rows)) // what came before
				return err
			}
			for _, v := range found {
				cells = append(cells, goText(v))
			}
			if len(cells) == 0 {
				cells = []string{"<none>"}
			}
			row = append(row, strings.Join(cells, ","))
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		s.printf("%s", s.widths.columns(rows))
	}
	return nil
}

// goText is a value as Go's fmt prints it, which is what custom columns show.
func goText(v any) string {
	switch v := v.(type) {
	case nil:
		return "<none>"
	case string:
		return v
	case map[string]any:
		var parts []string
		for _, k := range sortedKeys(v) {
			parts = append(parts, k+":"+goText(v[k]))
		}
		return "map[" + strings.Join(parts, " ") + "]"
	case []any:
		var parts []string
		for _, item := range v {
			parts = append(parts, goText(item))
		}
		return "[" + strings.Join(parts, " ") + "]"
	}
	return fmt.Sprint(v)
}

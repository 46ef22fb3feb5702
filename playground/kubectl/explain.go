package kubectl

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"kubewalk/playground/api"
	"kubewalk/playground/api/apiextensionsv1"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/schema"
	"kubewalk/playground/controlplane/discovery"
)

// noDescriptions is in place of the description of a built-in kind's field where nothing is published.
const noDescriptions = "<here, built-in kinds have no descriptions and no enums>"

// published is how the API server describes a built-in kind, with its types by their names, and publishedObjectMeta the metadata of any.
// The build that is loaded first has no room for that and tells what the types say: see explain_published.go.
var (
	published           = func(kind *api.Kind) (root *fieldSchema, named func(string) *fieldSchema) { return nil, nil }
	publishedObjectMeta = func() *fieldSchema { return builtIn(reflect.TypeFor[metav1.ObjectMeta]()) }
)

// runExplain is kubectl explain.
// Upstream: kubectl pkg/cmd/explain/explain.go; pkg/explain/v2/templates/plaintext.tmpl.
func runExplain(s *session) error {
	switch {
	case len(s.args) == 0:
		return errors.New("You must specify the type of resource to explain. Use \"kubectl api-resources\" for a complete list of supported resources.\n")
	case len(s.args) > 1:
		return errors.New("We accept only this format: explain RESOURCE\n")
	}
	if format := s.flags.or("output", "plaintext"); format != "plaintext" {
		return fmt.Errorf("unrecognized format: %s", format)
	}
	kind, path := s.explained(s.args[0])
	if version := s.flags.text("api-version"); kind != nil && version != "" {
		gv, err := schema.ParseGroupVersion(version)
		if err != nil {
			return err
		}
		wanted, resource := gv.WithKind(kind.Kind), kind.Resource
		if kind = s.known(func(kinds api.KindSet) *api.Kind { return kinds.For(wanted) }); kind == nil {
			about := fmt.Sprintf("%s/%s, Resource=%s", gv.Group, gv.Version, resource)
			if slices.Contains(s.api().GroupVersions(), gv) { // upstream: pkg/explain/v2/explain.go, and its template
				return fmt.Errorf("GVR (%s) not found in OpenAPI schema", about)
			}
			return fmt.Errorf("couldn't find resource for %q", about)
		}
	}
	if kind == nil {
		return noMatch{resource: strings.SplitN(s.args[0], ".", 2)[0]}
	}
	e := explainer{none: "<empty>", recursive: s.flags.yes("recursive")}
	fields, named := published(kind)
	switch {
	case kind.Schema != nil:
		fields = discovery.Schema(kind)
	case fields == nil:
		fields, e.none = builtIn(reflect.TypeOf(kind.New())), noDescriptions
	default:
		e.named = named
	}
	text, err := e.explanation(fields, path)
	head := ""
	if kind.Group != "" {
		head = "GROUP:      " + kind.Group + "\n"
	}
	s.printf("%sKIND:       %s\nVERSION:    %s\n\n%s\n", head, kind.Kind, kind.Version, text)
	return err
}

// mostLabels is how many parts a resource with its version and group has at most: a group has 253 characters.
const mostLabels = 2 + 127

// explained takes "websites.spec.host" and "websites.example.com.spec" apart.
func (s *session) explained(text string) (kind *api.Kind, path []string) {
	parts := strings.Split(strings.TrimSuffix(text, "."), ".")
	for i := min(len(parts), mostLabels); i > 0; i-- {
		if kind := s.kinds().Resolve(strings.Join(parts[:i], ".")); kind != nil {
			return kind, parts[i:]
		}
	}
	return s.resolve(parts[0]), parts[1:]
}

type fieldSchema = apiextensionsv1.JSONSchemaProps

type explainer struct {
	none      string                         // of what has no description
	named     func(name string) *fieldSchema // a type that lies within itself has no fields there; nil if there are none by names
	recursive bool
}

// explanation follows a path, and tells of what is there.
func (e explainer) explanation(s *fieldSchema, path []string) (string, error) {
	var b strings.Builder
	for i, name := range path {
		s = e.within(s)
		p, ok := s.Properties[name]
		if !ok {
			return "", fmt.Errorf("field %q does not exist", name)
		}
		s = &p
		if i == len(path)-1 {
			fmt.Fprintf(&b, "FIELD: %s <%s>\n", name, typeGuess(s))
			if len(s.Enum) > 0 {
				b.WriteString("ENUM:")
				for _, v := range s.Enum {
					b.WriteString("\n    " + enumText(v))
				}
			}
			b.WriteString("\n\n")
		}
	}
	b.WriteString("DESCRIPTION:\n" + wrapped(descriptions(s), e.none, 76, 4))
	if fields := fieldList(e.within(s), 1, e.recursive); fields != "" {
		b.WriteString("FIELDS:\n" + fields)
	}
	return b.String(), nil
}

// within is what a list or a map holds, with its fields also where it lies within itself.
func (e explainer) within(s *fieldSchema) *fieldSchema {
	s = within(s)
	if e.named != nil && s.Ref != nil && len(s.Properties) == 0 {
		return e.named(*s.Ref)
	}
	return s
}

// within is what a list or a map holds.
func within(s *fieldSchema) *fieldSchema {
	for {
		switch {
		case s.Items != nil && s.Items.Schema != nil:
			s = s.Items.Schema
		case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
			s = s.AdditionalProperties.Schema
		case len(s.AllOf) == 1 && len(s.AllOf[0].Properties) == 0 && s.AllOf[0].Ref != nil && strings.HasSuffix(*s.AllOf[0].Ref, ".ObjectMeta"): // of a custom kind
			return publishedObjectMeta()
		case len(s.AllOf) == 1:
			s = &s.AllOf[0]
		default:
			return s
		}
	}
}

// descriptions are what is said of a field, and of what it refers to or holds, each with the end of its line.
func descriptions(s *fieldSchema) string {
	text := s.Description
	if text != "" {
		text += "\n"
	}
	for i := range s.AllOf {
		text += descriptions(&s.AllOf[i])
	}
	if s.Items != nil && s.Items.Schema != nil {
		text += descriptions(s.Items.Schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		text += descriptions(s.AdditionalProperties.Schema)
	}
	return text
}

func fieldList(s *fieldSchema, level int, recursive bool) string {
	var b strings.Builder
	margin := strings.Repeat("  ", level)
	for _, name := range sortedKeys(s.Properties) {
		p := s.Properties[name]
		fmt.Fprintf(&b, "%s%s\t<%s>", margin, name, typeGuess(&p))
		if slices.Contains(s.Required, name) {
			b.WriteString(" -required-")
		}
		for i, v := range p.Enum {
			switch {
			case i == 0:
				b.WriteString("\n" + margin + "enum: ")
			case i == 4:
				b.WriteString(", ....")
			case i < 4:
				b.WriteString(", ")
			}
			if i < 4 {
				b.WriteString(enumText(v))
			}
		}
		b.WriteString("\n")
		if !recursive {
			b.WriteString(wrapped(p.Description, "<no description>", 78-2*level, 2*level+2) + "\n")
			continue
		}
		b.WriteString(fieldList(within(&p), level+1, true))
	}
	return b.String()
}

func enumText(v apiextensionsv1.JSON) string {
	var value any
	if err := decode(v.Raw, &value); err != nil || value == "" {
		return `""`
	}
	return goText(value)
}

// typeGuess is "string", "Object", "[]Object", "map[string]string".
func typeGuess(s *fieldSchema) string {
	switch {
	case s.Items != nil && s.Items.Schema != nil:
		return "[]" + typeGuess(s.Items.Schema)
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return "map[string]" + typeGuess(s.AdditionalProperties.Schema)
	case len(s.AllOf) == 1 && len(s.Properties) == 0:
		return typeGuess(&s.AllOf[0])
	case s.Ref != nil:
		return (*s.Ref)[strings.LastIndexByte(*s.Ref, '.')+1:]
	case s.Type == "object", s.Type == "":
		return "Object"
	}
	return s.Type
}

// wrapped is a text in lines of at most so many characters, where its words allow that, each after a margin. How far words are apart stays.
// Upstream: kubectl pkg/util/term/term_writer.go, wordWrapWriter, which wraps with github.com/mitchellh/go-wordwrap, and
// pkg/explain/v2/funcs.go, "wrap" and "indent".
func wrapped(text, none string, width, margin int) string {
	if text == "" {
		text = none
	}
	var b strings.Builder
	for _, paragraph := range strings.Split(text, "\n") {
		b.WriteString(strings.Repeat(" ", margin))
		used := 0
		for paragraph != "" {
			word := strings.TrimLeft(paragraph, " \t")
			space := paragraph[:len(paragraph)-len(word)]
			end := strings.IndexAny(word, " \t")
			if end < 0 {
				end = len(word)
			}
			word, paragraph = word[:end], word[end:]
			before := used + len(space)
			used = before + utf8.RuneCountInString(word)
			if used > width && word == "" {
				break // nothing follows
			}
			if used > width && before > 1 {
				b.WriteString("\n" + strings.Repeat(" ", margin))
				used, space = used-before, ""
			}
			b.WriteString(space + word)
		}
		b.WriteString("\n")
	}
	return b.String()
}

package schema

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"kubewalk/generator/problem"
	"kubewalk/playground/demo/yamltree"
)

// Document is a piece of YAML in a file.
type Document struct {
	File string
	// Before is how many lines of the file come before the first of Text.
	Before int
	Text   []byte

	// tree is read again when somebody asks for a place, and then kept: a book has
	// thousands of documents, and few of them have a problem.
	tree  *yamltree.Tree
	asked sync.Mutex
}

// decoder reads one document.
type decoder struct {
	*yamltree.Tree
	end yamltree.Place
}

// Decode reads the document into a pointer to a struct: all that is right, even
// when something else is wrong. The error is all that is wrong, as problem.Errors.
func (d *Document) Decode(into any) error {
	tree := yamltree.Parse(string(d.Text), d.Before)
	dec := &decoder{tree, d.end()}
	target := reflect.ValueOf(into).Elem()
	switch s := Of(target.Type()); {
	case tree.Root.There():
		dec.value(tree.Root, s, target, "")
	case len(tree.Problems) == 0:
		dec.missing(dec.end, s, nil)
	}
	var problems problem.List
	for _, p := range tree.Problems {
		problems.Add(problem.Problem{File: d.File, Line: p.Line, Column: p.Column, Message: p.Message, Cure: p.Cure})
	}
	return problems.Err()
}

// At makes a problem that points at what a path names ("parts[0].name"), or at
// the nearest there is above it, or at the document's end.
func (d *Document) At(path, message, cure string) problem.Problem {
	return d.at(path, false, message, cure)
}

// AtKey is At for the key itself.
func (d *Document) AtKey(path, message, cure string) problem.Problem {
	return d.at(path, true, message, cure)
}

func (d *Document) at(path string, key bool, message, cure string) problem.Problem {
	d.asked.Lock()
	defer d.asked.Unlock()
	if d.tree == nil {
		d.tree = yamltree.Parse(string(d.Text), d.Before)
	}
	v, found := d.tree.Root.Find(path)
	place := v.At
	switch {
	case key && found:
		place = v.Key
	case !found && v == d.tree.Root:
		place = d.end()
	}
	return problem.Problem{File: d.File, Line: place.Line, Column: place.Column, Message: message, Cure: cure}
}

// end is where more could be written: behind front matter that is its closing
// line, in a file the one after its last. The whole file stands for an empty one.
func (d *Document) end() yamltree.Place {
	text := string(d.Text)
	if d.Before == 0 {
		if text = strings.TrimRight(text, " \t\r\n"); text == "" {
			return yamltree.Place{}
		}
		text += "\n"
	}
	return yamltree.Place{Line: d.Before + strings.Count(text, "\n") + 1, Column: 1}
}

// value reads a value. The name is what authors call it, "" for the whole.
func (d *decoder) value(v yamltree.Value, s *Schema, into reflect.Value, name string) {
	switch {
	case v.Null():
		d.Cure(v.At, "write one, or remove the key", "%s has no value", name)
		return
	case !v.There(): // an alias of what is not there, which has been said
		return
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch s.Kind {
	case Object:
		d.object(v, s, into, name)
	case Map:
		d.mapping(v, s, into, name)
	case List:
		d.list(v, s, into, name)
	case Texts:
		switch text, _ := v.Scalar(); {
		case v.IsText():
			d.filled(v, s, text, name)
			into.Set(reflect.MakeMap(into.Type()))
			into.SetMapIndex(reflect.ValueOf("").Convert(into.Type().Key()), reflect.ValueOf(text))
		case v.IsList():
			v.Wrong(name, "text, or one for each language", "")
		case !v.IsMapping():
			v.OnlyText(name)
		default:
			d.mapping(v, &Schema{Kind: Map, Item: &Schema{Kind: String, Filled: s.Filled}, Filled: s.Filled}, into, name)
		}
	case String:
		d.text(v, s, into, name)
	case Integer:
		from := int64(math.MinInt64)
		if s.Minimum != nil {
			from = int64(*s.Minimum)
		}
		n, _ := v.Whole(name, from, math.MaxInt64)
		into.SetInt(n)
	case Boolean:
		into.SetBool(v.Yes(name))
	}
}

func (d *decoder) object(v yamltree.Value, s *Schema, into reflect.Value, name string) {
	if s.Short != "" && !v.IsMapping() {
		if v.IsText() {
			k := s.key(s.Short)
			d.value(v, k.Value, into.Field(k.field), name)
		} else {
			v.Wrong(name, "text, or keys and values", "its keys are "+strings.Join(s.names(), ", "))
		}
		return
	}
	if !v.IsMapping() {
		if names := s.names(); name == "" {
			// The whole file is something else; no place in it is better than another.
			d.Cure(yamltree.Place{}, "begin it with "+strings.Join(names[:min(2, len(names))], ": …, ")+": …", "file contains %s instead of keys and values", v.Is())
		} else {
			v.Wrong(name, "keys and values", "its keys are "+strings.Join(names, ", "))
		}
		return
	}
	given := map[string]bool{}
	for _, e := range v.Entries() {
		k := s.key(e.Name)
		if k == nil {
			e.Unknown(name, cmp.Or(s.Elsewhere[e.Name], problem.DidYouMean(e.Name, s.names())))
			if meant := problem.Nearest(e.Name, s.names()); meant != "" {
				given[meant] = true // that it is missing is the same mistake
			}
			continue
		}
		given[e.Name] = true
		d.value(e.Value, k.Value, into.Field(k.field), e.Name+of(name))
	}
	if name == "" { // the object's place is its first key, and that is not where to write
		d.missing(d.end, s, given)
	} else {
		d.missing(v.At, s, given)
	}
}

// missing tells of the keys that have to be there.
func (d *decoder) missing(at yamltree.Place, s *Schema, given map[string]bool) {
	for _, k := range s.Keys {
		if k.Required && !given[k.Name] {
			d.Cure(at, strings.TrimSuffix(fmt.Sprintf("add %s: …, %s", k.Name, firstWords(k.Value.Doc)), ", "), "%s is missing", k.Name)
		}
	}
}

func (d *decoder) mapping(v yamltree.Value, s *Schema, into reflect.Value, name string) {
	entries := v.Keys(cmp.Or(name, "file"), "")
	into.Set(reflect.MakeMap(into.Type()))
	for _, e := range entries {
		if s.Pattern != nil && !s.Pattern.MatchString(e.Name) {
			d.Cure(e.Key, s.Cure, "%s cannot have the key %q", name, e.Name)
			continue
		}
		value := reflect.New(into.Type().Elem()).Elem()
		d.value(e.Value, s.Item, value, inside(name, e.Name))
		into.SetMapIndex(reflect.ValueOf(e.Name).Convert(into.Type().Key()), value)
	}
	if s.Filled && v.IsMapping() && into.Len() == 0 {
		d.Cure(v.At, "write at least one", "%s is empty", name)
	}
}

func (d *decoder) list(v yamltree.Value, s *Schema, into reflect.Value, name string) {
	items := v.List(name, "")
	into.Set(reflect.MakeSlice(into.Type(), len(items), len(items)))
	for i, item := range items {
		d.value(item, s.Item, into.Index(i), inside(name, strconv.Itoa(i)))
	}
	if s.Filled && v.IsList() && len(items) == 0 {
		d.Cure(v.At, "list at least one", "%s is empty", name)
	}
}

func (d *decoder) text(v yamltree.Value, s *Schema, into reflect.Value, name string) {
	if written, ok := v.Scalar(); ok && !v.IsText() && s.Cure != "" && s.Pattern != nil && !s.Pattern.MatchString(written) {
		// Quotes alone would not make it right.
		cure := s.Cure
		if m := day.FindStringSubmatch(written); m != nil && s.Pattern.MatchString(strings.Join(m[1:], "-")) {
			cure = "write it as " + strings.Join(m[1:], "-")
		}
		d.Cure(v.At, cure, "%s cannot be %s", name, written)
		return
	}
	text, ok := v.OnlyText(name)
	switch {
	case !ok:
		return
	case len(s.Enum) > 0 && !slices.Contains(s.Enum, text):
		d.Cure(v.At, problem.DidYouMean(text, s.Enum), "%s %q is unknown", name, text)
		return
	case s.Pattern != nil && !s.Pattern.MatchString(text):
		d.Cure(v.At, s.Cure, "%s cannot be %q", name, text)
		return
	default:
		d.filled(v, s, text, name)
	}
	into.SetString(text)
}

// day is one without hyphens, which YAML takes for a number.
var day = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})$`)

func (d *decoder) filled(v yamltree.Value, s *Schema, text, name string) {
	if s.Filled && strings.TrimSpace(text) == "" {
		d.Cure(v.At, "write a text", "%s is empty", name)
	}
}

// inside names a part of what has a name: "tags[0] of leaf".
func inside(name, part string) string {
	own, whose, _ := strings.Cut(name, " of ")
	return own + "[" + part + "]" + of(whose)
}

func of(name string) string {
	if name == "" {
		return ""
	}
	return " of " + name
}

// firstWords is a doc's first sentence, to stand in a cure.
func firstWords(doc string) string {
	first, _, _ := strings.Cut(doc, ". ")
	first = strings.TrimSuffix(first, ".")
	if first == "" {
		return ""
	}
	return strings.ToLower(first[:1]) + first[1:]
}

// Package schema reads the YAML that authors write about their book: site.yaml
// and the front matter of chapters.
//
// What a file may hold is said once, by a Go type and its tags. Decode holds a
// file against that type and names everything that is wrong with it, each with
// its place and a cure; JSON writes the same as a JSON Schema, for editors. Both
// come from one description (Of), so that an editor marks what a build refuses.
package schema

import (
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Schema is what a value may be.
type Schema struct {
	Kind Kind
	Doc  string // for authors
	Keys []Key  // of an object, in the order in which they are declared
	Item *Schema
	// Pattern is what a text has to look like, or each key of a map; Cure says how.
	Pattern *regexp.Regexp
	Cure    string
	Enum    []string // the texts that there are; empty for any
	Minimum *int     // of a number
	Filled  bool     // a text, a list or a map that must not be empty
	// Elsewhere are keys that other programs have for what an object describes, and
	// what to do here instead.
	Elsewhere map[string]string
	Short     string // the key of an object for which a plain text may stand; "" when none may
}

// Kind is a kind of value.
type Kind string

// The kinds. A Texts is one text, or a map of them by language.
const (
	Object  Kind = "object"
	Map     Kind = "map"
	List    Kind = "list"
	String  Kind = "text"
	Texts   Kind = "text or one for each language"
	Integer Kind = "whole number"
	Boolean Kind = "true or false"
)

// Key is a key of an object.
type Key struct {
	Name     string
	Required bool
	Value    *Schema
	field    int
}

// Comparable are structs that know the keys of other programs: Schema.Elsewhere.
type Comparable interface{ Elsewhere() map[string]string }

// Described are types that say themselves what they may be.
type Described interface{ YAMLSchema() *Schema }

var (
	described = reflect.TypeFor[Described]()
	compared  = reflect.TypeFor[Comparable]()
	known     sync.Map // reflect.Type → *Schema
)

// Of is the schema of a type: structs, maps by text, slices, pointers to them,
// texts, whole numbers and booleans. Keys are named by the tag yaml, and
// explained by doc; the tag check may hold, separated by commas, "required" and
// "min=N"; pattern is what a text has to match (or each in a list of them), cure
// what to do when it doesn't, enum the texts that there are. Another type is a
// mistake in the program.
func Of(t reflect.Type) *Schema {
	if s, ok := known.Load(t); ok {
		return s.(*Schema)
	}
	s := describe(t)
	known.Store(t, s)
	return s
}

func describe(t reflect.Type) *Schema {
	if t.Implements(described) {
		return reflect.Zero(t).Interface().(Described).YAMLSchema()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return Of(t.Elem())
	case reflect.String:
		return &Schema{Kind: String}
	case reflect.Int:
		return &Schema{Kind: Integer}
	case reflect.Bool:
		return &Schema{Kind: Boolean}
	case reflect.Slice:
		return &Schema{Kind: List, Item: Of(t.Elem())}
	case reflect.Map:
		return &Schema{Kind: Map, Item: Of(t.Elem())}
	case reflect.Struct:
		s := &Schema{Kind: Object}
		if t.Implements(compared) {
			s.Elsewhere = reflect.Zero(t).Interface().(Comparable).Elsewhere()
		}
		for i := range t.NumField() {
			if field := t.Field(i); field.IsExported() {
				if name, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); name != "" && name != "-" {
					s.Keys = append(s.Keys, key(name, i, field))
				}
			}
		}
		return s
	}
	panic(fmt.Sprintf("schema: authors cannot write a %v", t))
}

func key(name string, index int, field reflect.StructField) Key {
	value := *Of(field.Type) // a copy: the tags are this key's
	k := Key{Name: name, Value: &value, field: index}
	if doc := field.Tag.Get("doc"); doc != "" {
		value.Doc = doc
	}
	text := &value
	if value.Kind == List {
		item := *value.Item
		value.Item, text = &item, &item
	}
	if pattern := field.Tag.Get("pattern"); pattern != "" {
		text.Pattern, text.Cure = regexp.MustCompile(pattern), field.Tag.Get("cure")
	}
	if enum := field.Tag.Get("enum"); enum != "" {
		text.Enum = strings.Split(enum, ",")
	}
	for check := range strings.SplitSeq(field.Tag.Get("check"), ",") {
		what, argument, _ := strings.Cut(check, "=")
		switch what {
		case "":
		case "required":
			k.Required, value.Filled = true, true
		case "min":
			n, err := strconv.Atoi(argument)
			if err != nil {
				panic(fmt.Sprintf("schema: tag of %s: %v", field.Name, err))
			}
			value.Minimum = &n
		default:
			panic(fmt.Sprintf("schema: tag of %s: unknown check %q", field.Name, check))
		}
	}
	return k
}

// key is that of a name, or nil.
func (s *Schema) key(name string) *Key {
	for i := range s.Keys {
		if s.Keys[i].Name == name {
			return &s.Keys[i]
		}
	}
	return nil
}

// names are those of all keys of an object.
func (s *Schema) names() []string {
	out := make([]string, len(s.Keys))
	for i, k := range s.Keys {
		out[i] = k.Name
	}
	return out
}

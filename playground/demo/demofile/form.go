package demofile

import (
	"fmt"
	"strings"

	"kubewalk/playground/api"
)

// form is a mapping that a file may hold. The parser reads by it, the JSON Schema
// for editors is made of it (Schema), and so are the manual's tables (Tables).
type form struct {
	name          string // what the schema and the manual call it
	what, example string // in messages
	keys          []key
	filled        bool // it has one key at least
	object        bool // beside its keys one names an object, as replicaset: web, and there is namespace
}

// key is one that a form has.
type key struct {
	name   string
	is     shape
	doc    string // one sentence or less; what doings and offers do stands in their forms
	needed bool
	deed   bool // what a step does
}

func may(name string, is shape, doc string) key { return key{name: name, is: is, doc: doc} }
func need(name string, is shape, doc string) key {
	return key{name: name, is: is, doc: doc, needed: true}
}

// names are those of the keys.
func (f *form) names() (out []string) {
	for _, k := range f.keys {
		out = append(out, k.name)
	}
	return out
}

// shape is what stands under a key, for an editor. What depends on the rest of the
// file, such as the name of a step, is a text here; the parser knows more.
type shape struct {
	json  object
	inner []shape // the shape of a list's items; or those of which it has one
	form  *form
}

// object is an object of JSON.
type object = map[string]any

var (
	anything  = shape{json: object{}}
	text      = shape{json: object{"type": []string{"string", "number", "boolean"}}} // True and 503 are texts, too
	yes       = shape{json: object{"type": "boolean"}}
	manifests = shape{json: object{"type": "object", "additionalProperties": object{"type": []string{"object", "array", "string"}}}}
	texts     = shape{json: object{"type": "object", "additionalProperties": text.json}}
	profiles  = shape{json: object{"type": "array", "items": object{"type": "object"}}}
	resources = shape{json: object{"$ref": "#/definitions/" + resourceName}}
	duration  = shape{json: timePattern("")}
	moment    = shape{json: timePattern(`\+?`)}
)

const resourceName = "resource"

func timePattern(before string) object {
	return object{"anyOf": []object{
		{"type": "string", "pattern": `^` + before + `[+]?(0|([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$`}, {"const": 0}}}
}

func whole(from, to int64) shape {
	return shape{json: object{"type": "integer", "minimum": from, "maximum": to}}
}
func oneOfThese(names ...string) shape { return shape{json: object{"enum": names}} }
func listOf(item shape) shape          { return shape{inner: []shape{item}, json: object{"type": "array"}} }
func either(these ...shape) shape      { return shape{inner: these} }
func of(f *form) shape                 { return shape{form: f} }

// oneOrList is a shape, or a list of such.
func oneOrList(item shape) shape { return either(item, listOf(item)) }

// schema is the shape in JSON Schema.
func (s shape) schema() object {
	switch {
	case s.form != nil:
		return object{"$ref": "#/definitions/" + s.form.name}
	case s.json == nil:
		var of []object
		for _, inner := range s.inner {
			of = append(of, inner.schema())
		}
		return object{"anyOf": of}
	case s.inner != nil:
		return object{"type": "array", "items": s.inner[0].schema()}
	}
	out := object{}
	for k, v := range s.json { // order: into a map
		out[k] = v
	}
	return out
}

// schema is the form in JSON Schema.
func (f *form) schema() object {
	properties, needed := object{}, []string{}
	for _, k := range f.keys {
		one := k.is.schema()
		if _, refers := one["$ref"]; refers { // beside which draft 7 reads nothing
			one = object{"allOf": []object{one}}
		}
		if k.doc != "" {
			one["description"] = plainDoc(k.doc)
		}
		properties[k.name] = one
		if k.needed {
			needed = append(needed, k.name)
		}
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	if f.object {
		properties["namespace"] = object{"type": "string", "description": "The object's namespace; by default the namespace default."}
		out["additionalProperties"] = text.json
		out["propertyNames"] = object{"anyOf": []object{{"enum": append(f.names(), "namespace")}, resources.json}}
	}
	if f.filled {
		out["minProperties"] = 1
	}
	if len(needed) > 0 {
		out["required"] = needed
	}
	return out
}

// plainDoc is a key's text without what only Markdown reads.
func plainDoc(doc string) string { return strings.ReplaceAll(doc, "`", "") }

// resourceSchema are the names of resources.
func resourceSchema() object {
	var names []string
	for _, k := range api.Kinds() {
		if k.Resource != "" {
			names = append(append(names, k.Singular, k.Resource, k.Kind), k.ShortNames...)
		}
	}
	seen := map[string]bool{}
	var once []string
	for _, name := range names {
		if name != "" && !seen[name] {
			once, seen[name] = append(once, name), true
		}
	}
	return object{"description": "A resource, as kubectl names it.", "anyOf": []object{{"enum": once}, {"pattern": `^[A-Za-z]+\.[a-z.0-9-]+$`}}}
}

// all are a form and those within it, each once, in the order of their keys.
func (f *form) all() (out []*form) {
	seen := map[*form]bool{}
	var walk func(shape)
	walk = func(s shape) {
		if s.form != nil && !seen[s.form] {
			seen[s.form] = true
			out = append(out, s.form)
			for _, k := range s.form.keys {
				walk(k.is)
			}
		}
		for _, inner := range s.inner {
			walk(inner)
		}
	}
	walk(of(f))
	return out
}

// Tables are the manual's, in Markdown: for each form, by its name, the keys and what they hold;
// and "doing", which is what a step can do.
func Tables() map[string]string {
	out := map[string]string{}
	var deeds strings.Builder // once for all steps
	deeds.WriteString("| key | what it does |\n| --- | --- |\n")
	for _, d := range doings {
		row(&deeds, d.key, d.doc)
	}
	for _, f := range demoForm.all() {
		var b strings.Builder
		b.WriteString("| key | meaning |\n| --- | --- |\n")
		if f.object {
			b.WriteString("| a resource | the object's name, as in `" + f.example + "`; `namespace` if it is not in `default`. Required |\n")
		}
		for _, k := range f.keys {
			switch {
			case k.deed:
			case k.needed:
				row(&b, k.name, k.doc+". Required")
			default:
				row(&b, k.name, k.doc)
			}
		}
		out[f.name] = b.String()
	}
	out["doing"] = deeds.String()
	return out
}

func row(b *strings.Builder, name, doc string) {
	fmt.Fprintf(b, "| `%s` | %s |\n", name, strings.ReplaceAll(doc, "|", `\|`))
}

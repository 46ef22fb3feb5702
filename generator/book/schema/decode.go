package schema

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"kubewalk/generator/problem"
	"kubewalk/playground/demo/indent"
)

// Document is a piece of YAML in a file.
type Document struct {
	File string
	// Before is how many lines of the file come before the first of Text.
	Before int
	Text   []byte

	places, keys map[string]place // of values and of keys, by path
}

type place struct{ line, column int }

// decoder reads one document.
type decoder struct {
	*Document
	anchors  map[string]ast.Node
	problems problem.List
}

// Decode reads the document into a pointer to a struct: all that is right, even
// when something else is wrong. The error is all that is wrong, as problem.Errors.
func (d *Document) Decode(into any) (err error) {
	d.places, d.keys = map[string]place{}, map[string]place{}
	dec := &decoder{Document: d, anchors: map[string]ast.Node{}}
	defer func() {
		// The text is whatever an author saved in the middle of a thought; a
		// parser that trips over it must not end a running server.
		if r := recover(); r != nil {
			err = problem.Problem{File: d.File, Line: d.end(), Message: fmt.Sprintf("text cannot be read as YAML: %v", r)}
		}
	}()
	target := reflect.ValueOf(into).Elem()
	s := Of(target.Type())
	file, err := parser.ParseBytes(d.Text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return d.syntax(err)
	}
	var root ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if root != nil {
			dec.at(doc.Body, "", "a second YAML document begins here", "remove the line --- before it: the file contains one document")
			break
		}
		root = doc.Body
	}
	if root == nil {
		dec.missing("", s, nil)
	} else {
		dec.value(root, s, target, "", "")
	}
	return dec.problems.Err()
}

// At makes a problem that points at what a path names ("parts[0].name"), or at
// the nearest there is above it, or at the document's end.
func (d *Document) At(path, message, cure string) problem.Problem {
	p := problem.Problem{File: d.File, Line: d.end(), Column: min(d.end(), 1), Message: message, Cure: cure}
	for {
		if at, ok := d.places[path]; ok {
			p.Line, p.Column = at.line, at.column
			return p
		}
		i := strings.LastIndexAny(path, ".[")
		if i <= 0 {
			return p
		}
		path = path[:i]
	}
}

// AtKey is At for the key itself.
func (d *Document) AtKey(path, message, cure string) problem.Problem {
	p := d.At(path, message, cure)
	if at, ok := d.keys[path]; ok {
		p.Line, p.Column = at.line, at.column
	}
	return p
}

// end is the line on which more could be written: behind front matter that is
// its closing line, in a file the one after its last. 0 stands for an empty file.
func (d *Document) end() int {
	text := string(d.Text)
	if d.Before == 0 {
		if text = strings.TrimRight(text, " \t\r\n"); text == "" {
			return 0
		}
		text += "\n"
	}
	return d.Before + strings.Count(text, "\n") + 1
}

// syntax turns the parser's error into ours.
func (d *Document) syntax(err error) error {
	p := problem.Problem{File: d.File, Line: d.end(), Message: err.Error()}
	if located, ok := err.(interface {
		GetMessage() string
		GetToken() *token.Token
	}); ok {
		p.Message = located.GetMessage()
		if at, ok := d.placeOf(located.GetToken()); ok {
			p.Line, p.Column = at.line, at.column
		}
	}
	if line, column, what, cure, ok := indent.Explain(string(d.Text), p.Line-d.Before, p.Message); ok {
		p.Line, p.Column, p.Message, p.Cure = line+d.Before, column, what, cure
		return p
	}
	switch {
	case strings.Contains(p.Message, "mapping value is not allowed"), strings.Contains(p.Message, "found character"):
		p.Cure = "a colon followed by a space begins a value: put a text that contains one in quotes"
	case strings.Contains(p.Message, "end token"):
		p.Cure = "close the bracket"
	case strings.Contains(p.Message, "non-map value"):
		p.Cure = "write it as key: value, with the keys of one level below each other"
	}
	return p
}

func (d *Document) placeOf(t *token.Token) (place, bool) {
	if t == nil || t.Position == nil || t.Position.Line < 1 {
		return place{}, false
	}
	return place{d.Before + t.Position.Line, max(t.Position.Column, 1)}, true
}

func (d *decoder) at(n ast.Node, path, message, cure string) {
	p := problem.Problem{File: d.File, Line: d.end(), Message: message, Cure: cure}
	if at, ok := d.placeOf(start(n)); ok {
		p.Line, p.Column = at.line, at.column
	} else if at, ok := d.places[path]; ok {
		p.Line, p.Column = at.line, at.column
	}
	d.problems.Add(p)
}

// start is the token that a value begins with. A mapping's own is its first colon.
func start(n ast.Node) *token.Token {
	switch n := n.(type) {
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return n.Values[0].Key.GetToken()
		}
	case *ast.MappingValueNode:
		return n.Key.GetToken()
	}
	if n == nil {
		return nil
	}
	return n.GetToken()
}

// plain follows anchors, aliases and tags to what they stand for.
func (d *decoder) plain(n ast.Node) ast.Node {
	for range 100 { // an alias may lead to itself
		switch typed := n.(type) {
		case *ast.AnchorNode:
			d.anchors[typed.Name.GetToken().Value] = typed.Value
			n = typed.Value
		case *ast.AliasNode:
			n = d.anchors[typed.Value.GetToken().Value]
		case *ast.TagNode:
			n = typed.Value
		default:
			return n
		}
	}
	return nil
}

// value reads a node. The name is what authors call it, "" for the whole.
func (d *decoder) value(n ast.Node, s *Schema, into reflect.Value, path, name string) {
	outer := n
	n = d.plain(n)
	if at, ok := d.placeOf(start(n)); ok {
		d.places[path] = at
	}
	if _, null := n.(*ast.NullNode); null || n == nil {
		if path == "" {
			d.missing("", s, nil)
		} else {
			d.at(outer, path, name+" has no value", "write one, or remove the key")
		}
		return
	}
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch s.Kind {
	case Object:
		d.object(n, s, into, path, name)
	case Map:
		d.mapping(n, s, into, path, name)
	case List:
		d.list(n, s, into, path, name)
	case Texts:
		if text, ok := textOf(n); ok {
			if s.Filled && strings.TrimSpace(text) == "" {
				d.at(n, path, name+" is empty", "write a text")
			}
			into.Set(reflect.MakeMap(into.Type()))
			into.SetMapIndex(reflect.ValueOf("").Convert(into.Type().Key()), reflect.ValueOf(text))
			return
		}
		if values(n) == nil {
			d.wrong(n, s, path, name)
			return
		}
		d.mapping(n, &Schema{Kind: Map, Item: &Schema{Kind: String, Filled: s.Filled}, Filled: s.Filled}, into, path, name)
	default:
		d.scalar(n, s, into, path, name)
	}
}

// values are the entries of a mapping; nil when the node is none.
func values(n ast.Node) []*ast.MappingValueNode {
	switch n := n.(type) {
	case *ast.MappingNode:
		if n.Values == nil {
			return []*ast.MappingValueNode{}
		}
		return n.Values
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}
	}
	return nil
}

// entries calls the step for each entry with a key that is text, once for each key.
func (d *decoder) entries(n ast.Node, path string, step func(key string, entry *ast.MappingValueNode)) {
	seen := map[string]bool{}
	for _, entry := range values(n) {
		if _, merge := entry.Key.(*ast.MergeKeyNode); merge {
			d.at(entry.Key, path, "key << is not understood here", "write the keys out")
			continue
		}
		key := entry.Key.GetToken().Value
		if text, ok := d.plain(entry.Key).(*ast.StringNode); ok {
			key = text.Value
		}
		if seen[key] {
			d.at(entry.Key, path, fmt.Sprintf("key %q is given twice", key), "keep one of them")
			continue
		}
		seen[key] = true
		step(key, entry)
	}
}

func (d *decoder) object(n ast.Node, s *Schema, into reflect.Value, path, name string) {
	if _, ok := textOf(n); ok && s.Short != "" {
		k := s.key(s.Short)
		d.value(n, k.Value, into.Field(k.field), path, name)
		return
	}
	if values(n) == nil {
		d.wrong(n, s, path, name)
		return
	}
	given := map[string]bool{}
	d.entries(n, path, func(key string, entry *ast.MappingValueNode) {
		k := s.key(key)
		if k == nil {
			d.at(entry.Key, path, fmt.Sprintf("unknown key %q%s", key, of(name)), cmp.Or(s.Elsewhere[key], problem.DidYouMean(key, s.names())))
			if meant := problem.Nearest(key, s.names()); meant != "" {
				given[meant] = true // that it is missing is the same mistake
			}
			return
		}
		given[key] = true
		inside := join(path, key)
		if at, ok := d.placeOf(entry.Key.GetToken()); ok {
			d.places[inside], d.keys[inside] = at, at
		}
		d.value(entry.Value, k.Value, into.Field(k.field), inside, key+of(name))
	})
	d.missing(path, s, given)
}

// missing tells of the keys that have to be there. The path is that of the object.
func (d *decoder) missing(path string, s *Schema, given map[string]bool) {
	for _, k := range s.Keys {
		if !k.Required || given[k.Name] {
			continue
		}
		p := d.At(path, fmt.Sprintf("%s is missing", k.Name), fmt.Sprintf("add %s: …, %s", k.Name, firstWords(k.Value.Doc)))
		if path == "" { // the object's place is its first key, and that is not where to write
			p.Line, p.Column = d.end(), min(d.end(), 1)
		}
		p.Cure = strings.TrimSuffix(p.Cure, ", ")
		d.problems.Add(p)
	}
}

func (d *decoder) mapping(n ast.Node, s *Schema, into reflect.Value, path, name string) {
	if values(n) == nil {
		d.wrong(n, s, path, name)
		return
	}
	into.Set(reflect.MakeMap(into.Type()))
	d.entries(n, path, func(key string, entry *ast.MappingValueNode) {
		at := path + "[" + key + "]"
		if place, ok := d.placeOf(entry.Key.GetToken()); ok {
			d.places[at], d.keys[at] = place, place
		}
		if s.Pattern != nil && !s.Pattern.MatchString(key) {
			d.at(entry.Key, path, fmt.Sprintf("%s cannot have the key %q", name, key), s.Cure)
			return
		}
		value := reflect.New(into.Type().Elem()).Elem()
		d.value(entry.Value, s.Item, value, at, inside(name, key))
		into.SetMapIndex(reflect.ValueOf(key).Convert(into.Type().Key()), value)
	})
	if s.Filled && into.Len() == 0 {
		d.at(n, path, name+" is empty", "write at least one")
	}
}

func (d *decoder) list(n ast.Node, s *Schema, into reflect.Value, path, name string) {
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		d.wrong(n, s, path, name)
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), len(list.Values), len(list.Values)))
	for i, item := range list.Values {
		d.value(item, s.Item, into.Index(i), fmt.Sprintf("%s[%d]", path, i), inside(name, strconv.Itoa(i)))
	}
	if s.Filled && len(list.Values) == 0 {
		d.at(n, path, name+" is empty", "list at least one")
	}
}

func textOf(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	return "", false
}

func (d *decoder) scalar(n ast.Node, s *Schema, into reflect.Value, path, name string) {
	switch s.Kind {
	case String:
		text, ok := textOf(n)
		switch {
		case !ok:
			d.wrong(n, s, path, name)
			return
		case len(s.Enum) > 0 && !contains(s.Enum, text):
			d.at(n, path, fmt.Sprintf("%s %q is unknown", name, text), problem.DidYouMean(text, s.Enum))
			return
		case s.Pattern != nil && !s.Pattern.MatchString(text):
			d.at(n, path, fmt.Sprintf("%s cannot be %q", name, text), s.Cure)
			return
		case s.Filled && strings.TrimSpace(text) == "":
			d.at(n, path, name+" is empty", "write a text")
		}
		into.SetString(text)
	case Integer:
		number, ok := n.(*ast.IntegerNode)
		if !ok {
			d.wrong(n, s, path, name)
			return
		}
		value, err := strconv.Atoi(fmt.Sprint(number.Value))
		if err != nil {
			d.at(n, path, fmt.Sprintf("%s %v is too large", name, number.Value), "write a smaller number")
			return
		}
		if s.Minimum != nil && value < *s.Minimum {
			d.at(n, path, fmt.Sprintf("%s %d is less than %d", name, value, *s.Minimum), fmt.Sprintf("count from %d", *s.Minimum))
			return
		}
		into.SetInt(int64(value))
	case Boolean:
		value, ok := n.(*ast.BoolNode)
		if !ok {
			d.wrong(n, s, path, name)
			return
		}
		into.SetBool(value.Value)
	}
}

// wrong tells of a value of another kind.
func (d *decoder) wrong(n ast.Node, s *Schema, path, name string) {
	if name == "" {
		// The whole file is something else; no place in it is better than another.
		d.problems.Add(problem.Problem{File: d.File, Message: "file contains " + kindOf(n) + " instead of keys and values",
			Cure: "begin it with " + strings.Join(s.names()[:min(2, len(s.Keys))], ": …, ") + ": …"})
		return
	}
	wanted, cure := string(s.Kind), ""
	switch s.Kind {
	case Object, Map:
		wanted = "keys and values"
		if s.Short != "" {
			wanted = "text, or keys and values"
		}
		if len(s.Keys) > 0 {
			cure = "its keys are " + strings.Join(s.names(), ", ")
		}
	case List:
		wanted, cure = "a list", "begin each entry with a hyphen, or write [a, b]"
	case String, Texts:
		wanted = "text"
		if _, sequence := n.(*ast.SequenceNode); !sequence && values(n) == nil {
			cure = fmt.Sprintf("write it in quotes: %q", n.GetToken().Value)
		} else if s.Kind == Texts {
			wanted = "text, or one for each language"
		}
	case Integer:
		wanted = "a whole number"
	}
	d.at(n, path, fmt.Sprintf("%s has to be %s, and is %s", name, wanted, kindOf(n)), cure)
}

func kindOf(n ast.Node) string {
	switch n := n.(type) {
	case *ast.MappingNode, *ast.MappingValueNode:
		return "keys and values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.BoolNode:
		return fmt.Sprint(n.Value)
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return "the number " + n.GetToken().Value
	case *ast.StringNode:
		return fmt.Sprintf("the text %q", shortened(n.Value))
	}
	return "something else"
}

func shortened(text string) string {
	if runes := []rune(text); len(runes) > 40 {
		return string(runes[:40]) + "…"
	}
	return text
}

// inside names a part of what has a name: "tags[0] of leaf".
func inside(name, part string) string {
	own, of, nested := strings.Cut(name, " of ")
	if nested {
		return own + "[" + part + "] of " + of
	}
	return own + "[" + part + "]"
}

func of(name string) string {
	if name == "" {
		return ""
	}
	return " of " + name
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
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

func contains(list []string, text string) bool {
	for _, s := range list {
		if s == text {
			return true
		}
	}
	return false
}

// Package gotemplate executes Go templates on what JSON consists of: what kubectl's -o go-template prints.
//
// text/template finds functions and methods by reflection, so whatever links it keeps all methods of all types, which the browser's build has no
// room for. Its parser needs none of that and is used as it is. What comes of a parsed template is worked out here, on maps, lists, texts, numbers
// and truth values alone, with text/template's rules and its words; a test compares the two.
//
// Simplified: a number may not be complex, and %v and its like print what fmt prints of the values here.
//
// Upstream: text/template/exec.go; text/template/funcs.go; cli-runtime pkg/printers/template.go.
package gotemplate

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template/parse"
)

// Template is a template that was parsed.
type Template struct {
	name  string
	trees map[string]*parse.Tree
	// MissingKeys says that a key which is missing is an error.
	MissingKeys bool
}

// maxDepth is how deep templates may use templates. Upstream: exec.go, maxExecDepth of js/wasm.
const maxDepth = 1000

// mostSteps is how many actions and texts a template may go through, and mostText how many bytes it may print, and its functions make and read.
// Upstream has no such bounds, and a terminal in which a command can be interrupted at any time.
const mostSteps, mostText = 1_000_000, 1 << 20

// budget is what is left of both.
type budget struct{ steps, text int }

// Parse parses a template.
func Parse(name, text string) (*Template, error) {
	t := &Template{name: name, trees: map[string]*parse.Tree{}}
	known := map[string]any{}
	for name := range functions { // order: each is its own key
		known[name] = true
	}
	_, err := parse.New(name).Parse(text, "", "", t.trees, known)
	return t, err
}

// Execute returns what the template makes of a value. With an error it is what was made until then.
func (t *Template) Execute(data any) (string, error) {
	root := value{v: data, valid: data != nil}
	s := &state{template: t, name: t.name, out: new(strings.Builder), vars: []variable{{"$", root}}, left: &budget{mostSteps, mostText}}
	err := s.run(root)
	return s.out.String(), err
}

// value is what reflect.Value is in text/template: nothing at all, or something of a known type, or something of which only the interface is known
// (an element of a map or of a list).
type value struct {
	v     any
	valid bool
	boxed bool // static type is an interface
}

func of(v any) value    { return value{v: v, valid: true} }
func boxed(v any) value { return value{v: v, valid: true, boxed: true} }

// inside is the value in an interface, which may be nothing.
func (v value) inside() value {
	if v.boxed {
		return value{v: v.v, valid: v.v != nil}
	}
	return v
}

func (v value) typeName() string {
	if v.boxed {
		return "interface {}"
	}
	return fmt.Sprintf("%T", v.v)
}

// String is the value as %v and %s print a reflect.Value.
func (v value) String() string {
	if !v.valid {
		return "<invalid reflect.Value>"
	}
	return fmt.Sprint(v.v)
}

func (v value) truth() bool {
	if !v.valid {
		return false
	}
	switch v := v.v.(type) {
	case bool:
		return v
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	case int:
		return v != 0
	case int64:
		return v != 0
	case float64:
		return v != 0
	}
	return false
}

type variable struct {
	name string
	value
}

type state struct {
	template *Template
	name     string // of the template that is executed
	out      *strings.Builder
	node     parse.Node
	vars     []variable
	depth    int
	left     *budget
}

// write prints a text.
func (s *state) write(text string) {
	s.take(len(text))
	s.out.WriteString(text)
}

func (s *state) take(bytes int) {
	if s.left.text -= bytes; s.left.text < 0 {
		s.errorf("the template makes more than %d bytes of text", mostText)
	}
}

// takeOf counts the text that a function reads, or has made.
func (s *state) takeOf(v value) {
	if text, is := v.v.(string); is {
		s.take(len(text))
	}
}

// The ways out of a range.
var (
	errBreak    = errors.New("break")
	errContinue = errors.New("continue")
)

// failure carries an error out of a template.
type failure struct{ error }

func (s *state) run(dot value) (err error) {
	defer func() {
		if e := recover(); e != nil {
			f, ok := e.(failure)
			if !ok {
				panic(e)
			}
			err = f.error
		}
	}()
	tree := s.template.trees[s.name]
	if tree == nil || tree.Root == nil {
		s.errorf("%q is an incomplete or empty template", s.name)
	}
	s.walk(dot, tree.Root)
	return nil
}

func (s *state) errorf(format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if s.node == nil {
		panic(failure{fmt.Errorf("template: %s: %s", s.name, message)})
	}
	location, context := s.template.trees[s.name].ErrorContext(s.node)
	panic(failure{fmt.Errorf("template: %s: executing %q at <%s>: %s", location, s.name, context, message)})
}

func (s *state) walk(dot value, node parse.Node) error {
	s.node = node
	if s.left.steps--; s.left.steps < 0 {
		s.errorf("the template takes more than %d steps", mostSteps)
	}
	switch node := node.(type) {
	case *parse.ActionNode:
		v := s.pipeline(dot, node.Pipe)
		if len(node.Pipe.Decl) == 0 {
			s.node = node
			s.print(v)
		}
	case *parse.BreakNode:
		return errBreak
	case *parse.ContinueNode:
		return errContinue
	case *parse.IfNode:
		return s.branch(false, dot, node.Pipe, node.List, node.ElseList)
	case *parse.WithNode:
		return s.branch(true, dot, node.Pipe, node.List, node.ElseList)
	case *parse.ListNode:
		for _, n := range node.Nodes {
			if err := s.walk(dot, n); err != nil {
				return err
			}
		}
	case *parse.RangeNode:
		return s.iterate(dot, node)
	case *parse.TemplateNode:
		s.call(dot, node)
	case *parse.TextNode:
		s.write(string(node.Text))
	}
	return nil
}

// print writes a value. Upstream: exec.go, printValue.
func (s *state) print(v value) {
	if !v.valid {
		s.write("<no value>")
		return
	}
	s.write(fmt.Sprint(v.v))
}

func (s *state) branch(with bool, dot value, pipe *parse.PipeNode, list, otherwise *parse.ListNode) error {
	defer s.pop(len(s.vars))
	v := s.pipeline(dot, pipe)
	switch {
	case v.inside().truth() && with:
		return s.walk(v, list)
	case v.inside().truth():
		return s.walk(dot, list)
	case otherwise != nil:
		return s.walk(dot, otherwise)
	}
	return nil
}

func (s *state) pop(mark int) { s.vars = s.vars[:mark] }

func (s *state) iterate(dot value, r *parse.RangeNode) error {
	s.node = r
	defer s.pop(len(s.vars))
	v := s.pipeline(dot, r.Pipe).inside()
	mark := len(s.vars)
	decl := r.Pipe.Decl
	// once returns false to stop.
	once := func(index, element value) bool {
		if r.Pipe.IsAssign {
			if len(decl) > 1 {
				s.set(decl[0].Ident[0], index)
				s.set(decl[1].Ident[0], element)
			} else if len(decl) > 0 {
				s.set(decl[0].Ident[0], element)
			}
		} else if len(decl) > 0 {
			s.vars[len(s.vars)-1].value = element
			if len(decl) > 1 {
				s.vars[len(s.vars)-2].value = index
			}
		}
		defer s.pop(mark)
		return s.walk(element, r.List) != errBreak
	}
	some := false
	switch list := v.v.(type) {
	case nil:
	case []any:
		for i, element := range list {
			some = true
			if !once(of(i), boxed(element)) {
				break
			}
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(list)) {
			some = true
			if !once(of(key), boxed(list[key])) {
				break
			}
		}
	case int:
		some = s.count(v, int64(list), len(decl), once, func(i int64) any { return int(i) })
	case int64:
		some = s.count(v, list, len(decl), once, func(i int64) any { return i })
	default:
		s.errorf("range can't iterate over %v", v)
	}
	if !some && r.ElseList != nil {
		return s.walk(dot, r.ElseList)
	}
	return nil
}

// count is a range over a number.
func (s *state) count(v value, n int64, variables int, once func(index, element value) bool, as func(int64) any) (some bool) {
	if variables > 1 {
		s.errorf("can't use %v to iterate over more than one variable", v)
	}
	for i := range max(n, 0) {
		some = true
		if !once(value{}, of(as(i))) {
			break
		}
	}
	return some
}

// call executes another template. Upstream: exec.go, walkTemplate.
func (s *state) call(dot value, node *parse.TemplateNode) {
	tree := s.template.trees[node.Name]
	if tree == nil {
		s.errorf("template %q not defined", node.Name)
	}
	if s.depth == maxDepth {
		s.errorf("exceeded maximum template depth (%v)", maxDepth)
	}
	v := value{}
	if node.Pipe != nil {
		v = s.pipeline(dot, node.Pipe)
	}
	inner := &state{template: s.template, name: node.Name, out: s.out, node: s.node, vars: []variable{{"$", v}}, depth: s.depth + 1, left: s.left}
	_ = inner.walk(v, tree.Root) // break and continue stand in a range of the same template
}

func (s *state) set(name string, v value) {
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].name == name {
			s.vars[i].value = v
			return
		}
	}
	s.errorf("undefined variable: %s", name)
}

func (s *state) pipeline(dot value, pipe *parse.PipeNode) value {
	s.node = pipe
	var v *value
	for _, cmd := range pipe.Cmds {
		got := s.command(dot, cmd, v).inside()
		v = &got
	}
	for _, d := range pipe.Decl {
		if pipe.IsAssign {
			s.set(d.Ident[0], *v)
		} else {
			s.vars = append(s.vars, variable{d.Ident[0], *v})
		}
	}
	return *v
}

// command evaluates one part of a pipeline; final is what the part before it came to, nil for the first.
func (s *state) command(dot value, cmd *parse.CommandNode, final *value) value {
	first := cmd.Args[0]
	switch n := first.(type) {
	case *parse.FieldNode:
		s.node = n
		return s.fields(dot, n, n.Ident, cmd.Args, final)
	case *parse.ChainNode:
		return s.chain(dot, n, cmd.Args, final)
	case *parse.VariableNode:
		return s.variable(n, cmd.Args, final)
	case *parse.IdentifierNode:
		return s.function(dot, n, cmd, cmd.Args, final)
	case *parse.PipeNode:
		s.notAFunction(cmd.Args, final)
		return s.pipeline(dot, n)
	}
	s.node = first
	s.notAFunction(cmd.Args, final)
	switch n := first.(type) {
	case *parse.BoolNode:
		return of(n.True)
	case *parse.DotNode:
		return dot
	case *parse.NilNode:
		s.errorf("nil is not a command")
	case *parse.NumberNode:
		return s.number(n)
	case *parse.StringNode:
		return of(n.Text)
	}
	s.errorf("can't evaluate command %q", first)
	return value{}
}

func (s *state) notAFunction(args []parse.Node, final *value) {
	if len(args) > 1 || final != nil {
		s.errorf("can't give argument to non-function %s", args[0])
	}
}

// number is what a number in a template is: an int if it looks like one. Upstream: exec.go, idealConstant.
func (s *state) number(n *parse.NumberNode) value {
	s.node = n
	text := n.Text
	isRune := strings.HasPrefix(text, "'")
	isHex := len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') && !strings.ContainsAny(text, "pP")
	switch {
	case n.IsFloat && !isHex && !isRune && strings.ContainsAny(text, ".eEpP"):
		return of(n.Float64)
	case n.IsInt:
		return of(int(n.Int64))
	}
	s.errorf("%s overflows int", text)
	return value{}
}

func (s *state) chain(dot value, n *parse.ChainNode, args []parse.Node, final *value) value {
	s.node = n
	if _, is := n.Node.(*parse.NilNode); is {
		s.errorf("indirection through explicit nil in %s", n)
	}
	return s.fields(s.argument(dot, n.Node), n, n.Field, args, final)
}

func (s *state) variable(n *parse.VariableNode, args []parse.Node, final *value) value {
	s.node = n
	for i := len(s.vars) - 1; i >= 0; i-- {
		if s.vars[i].name != n.Ident[0] {
			continue
		}
		if len(n.Ident) == 1 {
			s.notAFunction(args, final)
			return s.vars[i].value
		}
		return s.fields(s.vars[i].value, n, n.Ident[1:], args, final)
	}
	s.errorf("undefined variable: %s", n.Ident[0])
	return value{}
}

// fields goes down from a value by names. Upstream: exec.go, evalFieldChain and evalField.
func (s *state) fields(v value, node parse.Node, names []string, args []parse.Node, final *value) value {
	for i, name := range names {
		if !v.valid {
			if s.template.MissingKeys {
				s.errorf("nil data; no entry for key %q", name)
			}
			v = value{}
			continue
		}
		if v.boxed && v.v == nil {
			s.errorf("nil pointer evaluating %s.%s", v.typeName(), name)
		}
		m, ok := v.v.(map[string]any)
		if !ok {
			s.errorf("can't evaluate field %s in type %s", name, v.typeName())
		}
		if i == len(names)-1 && (len(args) > 1 || final != nil) {
			s.errorf("%s is not a method but has arguments", name)
		}
		found, is := m[name]
		if !is && s.template.MissingKeys {
			s.errorf("map has no entry for key %q", name)
		}
		if v = boxed(found); !is {
			v = value{}
		}
	}
	return v
}

// argument evaluates an argument that may be anything. Upstream: exec.go, evalArg and evalEmptyInterface.
func (s *state) argument(dot value, node parse.Node) value {
	s.node = node
	switch n := node.(type) {
	case *parse.DotNode:
		return dot
	case *parse.NilNode:
		return value{}
	case *parse.FieldNode:
		return s.fields(dot, n, n.Ident, []parse.Node{n}, nil)
	case *parse.VariableNode:
		return s.variable(n, nil, nil)
	case *parse.PipeNode:
		return s.pipeline(dot, n)
	case *parse.IdentifierNode:
		return s.function(dot, n, n, nil, nil)
	case *parse.ChainNode:
		return s.chain(dot, n, nil, nil)
	case *parse.BoolNode:
		return of(n.True)
	case *parse.NumberNode:
		return s.number(n)
	case *parse.StringNode:
		return of(n.Text)
	}
	s.errorf("can't handle assignment of %s to empty interface argument", node)
	return value{}
}

// function calls one. cmd is what an error of it is at.
func (s *state) function(dot value, node *parse.IdentifierNode, cmd parse.Node, args []parse.Node, final *value) value {
	s.node = node
	name := node.Ident
	f, ok := functions[name]
	if !ok {
		s.errorf("%q is not a defined function", name)
	}
	if len(args) > 0 {
		args = args[1:]
	}
	given := len(args)
	if final != nil {
		given++
	}
	if f.more && given < f.fixed {
		s.errorf("wrong number of args for %s: want at least %d got %d", name, f.fixed, len(args))
	}
	if !f.more && given != f.fixed {
		s.errorf("wrong number of args for %s: want %d got %d", name, f.fixed, given)
	}
	if name == "and" || name == "or" {
		var v value
		for _, a := range args {
			if v = s.argument(dot, a); v.inside().truth() == (name == "or") {
				return v
			}
		}
		if final != nil {
			v = *final
		}
		return v
	}
	var values []value
	for i, a := range args {
		values = append(values, s.typed(f, i, s.argument(dot, a), a))
	}
	if final != nil {
		values = append(values, s.typed(f, len(values), *final, nil))
	}
	if name == "call" {
		s.node = cmd
		what := "<no value>"
		if len(args) > 0 {
			what = args[0].String()
		} else if final.valid {
			what = fmt.Sprint(final.v)
		}
		if v := values[0].inside(); v.valid {
			s.errorf("error calling call: non-function %s of type %s", what, v.typeName())
		}
		s.errorf("error calling call: call of nil")
	}
	for _, v := range values {
		s.takeOf(v)
	}
	v, err := f.do(values)
	if err != nil {
		s.node = cmd
		s.errorf("error calling %s: %v", name, err)
	}
	s.takeOf(v)
	return v
}

// typed is an argument of a function that takes a text there, or anything. Upstream: exec.go, validateType.
func (s *state) typed(f function, n int, v value, node parse.Node) value {
	if !f.text || n > 0 {
		return v
	}
	if node != nil {
		switch node.(type) {
		case *parse.NilNode:
			s.errorf("cannot assign nil to string")
		case *parse.BoolNode, *parse.NumberNode:
			s.errorf("expected string; found %s", node)
		}
	}
	if !v.valid {
		s.errorf("invalid value; expected string")
	}
	if _, ok := v.v.(string); !ok {
		s.errorf("wrong type for value; expected string; got %s", v.inside().orBoxed(v).typeName())
	}
	return v
}

// orBoxed is the value, or what it stood in if that was empty.
func (v value) orBoxed(outer value) value {
	if v.valid {
		return v
	}
	return outer
}

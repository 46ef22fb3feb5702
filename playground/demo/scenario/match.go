package scenario

import (
	"encoding/json"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"kubewalk/playground/api"
	"kubewalk/playground/api/labels"
	"kubewalk/playground/trace"
)

// Matches tells whether an event is one of those meant.
func (m Match) Matches(e *trace.Event) bool {
	if m.Op != "" && m.Op != string(e.Op) || !glob(m.Who, e.Component) || !glob(m.Object, e.Object.String()) {
		return false
	}
	for k, want := range m.Attrs { // order: one answer
		is := e.Text(k)
		if c, ok := ParseComparison(want); ok && c.Known() {
			if holds, _ := c.Holds(is); !holds || is == "" {
				return false
			}
		} else if !glob(want, is) {
			return false
		}
	}
	return true
}

// String is how an error names a match.
func (m Match) String() string {
	var parts []string
	if m.Op != "" {
		parts = append(parts, m.Op)
	}
	if m.Object != "" {
		parts = append(parts, m.Object)
	}
	if m.Who != "" {
		parts = append(parts, "by "+m.Who)
	}
	keys := make([]string, 0, len(m.Attrs))
	for k := range m.Attrs {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if c, ok := ParseComparison(m.Attrs[k]); ok {
			parts = append(parts, k+" "+c.Op+" "+c.Than)
		} else {
			parts = append(parts, k+"="+m.Attrs[k])
		}
	}
	return strings.Join(parts, " ")
}

// glob matches a text against a pattern that may begin and end in *. "" matches everything.
func glob(pattern, text string) bool {
	if rest, ok := strings.CutPrefix(pattern, "*"); ok && rest != "" {
		if part, ok := strings.CutSuffix(rest, "*"); ok {
			return strings.Contains(text, part)
		}
		return strings.HasSuffix(text, rest)
	}
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(text, prefix)
	}
	return pattern == "" || pattern == text
}

// counter counts the selected objects of a state, as events change it. It is
// made once a claim, so the selector is parsed once, and each object is looked
// at once.
type counter struct {
	Objects
	selector labels.Selector
	matching map[trace.Cell]bool
	n        int // the number of cells in matching
	// near are the objects that match but for their fields, as they are now.
	near map[trace.Cell]api.Object
}

func (o Objects) counter() (*counter, error) {
	sel, err := labels.Parse(o.Labels)
	if err != nil {
		return nil, fmt.Errorf("labels %q: %w", o.Labels, err)
	}
	return &counter{Objects: o, selector: sel, matching: map[trace.Cell]bool{}, near: map[trace.Cell]api.Object{}}, nil
}

// apply moves the count over an event.
func (c *counter) apply(e *trace.Event) {
	for _, d := range e.Deltas {
		if d.Cell.Kind != trace.CellObject || d.Cell.Owner != c.Resource {
			continue
		}
		obj, ok := d.New.(api.Object)
		if ok && c.matches(obj) {
			c.matching[d.Cell] = true
		} else {
			delete(c.matching, d.Cell)
		}
		if ok && len(c.Fields) > 0 && c.named(obj) && !c.matching[d.Cell] {
			c.near[d.Cell] = obj
		} else {
			delete(c.near, d.Cell)
		}
	}
	c.n = len(c.matching)
}

// named says that an object is one of those meant, whatever its fields are.
func (c *counter) named(obj api.Object) bool {
	return c.selector.Matches(labels.Set(obj.GetLabels())) && glob(c.Name, obj.GetName()) && (c.Namespace == "" || c.Namespace == obj.GetNamespace())
}

func (c *counter) matches(obj api.Object) bool {
	if !c.named(obj) {
		return false
	}
	if len(c.Fields) == 0 {
		return true
	}
	for path, want := range c.Fields { // order: one answer
		if !fieldMatches(want, fieldOf(obj, path)) {
			return false
		}
	}
	return true
}

func treeOf(obj api.Object) (tree any) {
	text, err := api.Encode(obj)
	if err != nil || json.Unmarshal(text, &tree) != nil {
		return nil
	}
	return tree
}

// fieldMatches compares a field with a text, which may begin and end in *, or with what has an order: ">= 3".
// A bare number is a text. "" is a field that is not there, or empty.
func fieldMatches(want, is string) bool {
	if want == "" {
		return is == ""
	}
	if c, ok := ParseComparison(want); ok && c.Known() {
		holds, _ := c.Holds(is)
		return holds
	}
	return glob(want, is)
}

// instead tells what is there when there is too little: objects that match but
// for their fields, with what those hold.
func (c *counter) instead(want number) string {
	const shown = 3
	if len(c.near) == 0 || c.n >= want.n {
		return ""
	}
	var cells []trace.Cell
	for cell := range c.near { // order: they are sorted below
		cells = append(cells, cell)
	}
	var paths []string
	for path := range c.Fields { // order: they are sorted below
		paths = append(paths, path)
	}
	sort.Strings(paths)
	wrong := map[trace.Cell][]string{} // what is otherwise in each
	for _, cell := range cells {
		tree := treeOf(c.near[cell])
		for _, path := range paths {
			if is := lookup(tree, path); !fieldMatches(c.Fields[path], is) {
				wrong[cell] = append(wrong[cell], fmt.Sprintf("%s=%q", path, is))
			}
		}
	}
	// What is nearest stands first.
	sort.Slice(cells, func(i, j int) bool {
		if a, b := len(wrong[cells[i]]), len(wrong[cells[j]]); a != b {
			return a < b
		}
		return cells[i].Key < cells[j].Key
	})
	var all []string
	for _, cell := range cells[:min(shown, len(cells))] {
		all = append(all, cell.Key+" has "+strings.Join(wrong[cell], " "))
	}
	if len(cells) > shown {
		all = append(all, fmt.Sprintf("and %d more", len(cells)-shown))
	}
	return ": " + strings.Join(all, "; ")
}

// lookup follows a path such as "status.phase", "spec.containers.0.image",
// "status.conditions[Ready].status" (the element whose type or name is Ready) or
// "metadata.labels[app.kubernetes.io/name]" (a key that holds dots).
// What is not there is "".
func lookup(tree any, path string) string {
	for path != "" && tree != nil {
		var step string
		if inner, rest, ok := strings.Cut(path, "]"); ok && path[0] == '[' {
			step, path = inner[1:], strings.TrimPrefix(rest, ".")
			tree = element(tree, step)
			continue
		}
		end := strings.IndexAny(path, ".[")
		if end < 0 {
			end = len(path)
		}
		step, path = path[:end], strings.TrimPrefix(path[end:], ".")
		tree = child(tree, step)
	}
	switch v := tree.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	text, _ := json.Marshal(tree) // it was made of JSON
	return string(text)
}

func child(tree any, name string) any {
	switch v := tree.(type) {
	case map[string]any:
		return v[name]
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v) {
			return v[i]
		}
	}
	return nil
}

// element is what stands in brackets: an element by its type or name, or a key.
func element(tree any, name string) any {
	list, isList := tree.([]any)
	if !isList {
		return child(tree, name)
	}
	for _, v := range list {
		if m, ok := v.(map[string]any); ok && (m["type"] == name || m["name"] == name) {
			return v
		}
	}
	return child(tree, name)
}

// number is a condition on a count.
type number struct {
	op string
	n  int
}

func parseCount(s string) (number, error) {
	op, rest := "==", strings.TrimSpace(s)
	if c, ok := ParseComparison(rest); ok {
		op, rest = c.Op, c.Than
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return number{}, fmt.Errorf("count %q is neither a number nor a comparison: write 8, <= 3 or != 0", s)
	}
	if n < 0 {
		return number{}, fmt.Errorf("count %q: a number of things is not negative", s)
	}
	return number{op, n}, nil
}

// String is the condition in an error: "8", ">= 3".
func (c number) String() string {
	if c.op == "==" {
		return strconv.Itoa(c.n)
	}
	return c.op + " " + strconv.Itoa(c.n)
}

func (c number) holds(n int) bool { return ordered(c.op, n-c.n) }

// String is how an error names what is counted.
func (o Objects) String() string {
	var with []string
	if o.Name != "" {
		with = append(with, "name "+o.Name)
	}
	if o.Namespace != "" {
		with = append(with, "namespace "+o.Namespace)
	}
	if o.Labels != "" {
		with = append(with, o.Labels)
	}
	if len(o.Fields) > 0 {
		with = append(with, Match{Attrs: o.Fields}.String())
	}
	if len(with) == 0 {
		return o.Resource
	}
	return o.Resource + " with " + strings.Join(with, " and ")
}

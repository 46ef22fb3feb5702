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
	for k, want := range m.Attrs {
		if !glob(want, e.Text(k)) {
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
		parts = append(parts, k+"="+m.Attrs[k])
	}
	return strings.Join(parts, " ")
}

// glob matches a text against a pattern that may end in *. "" matches everything.
func glob(pattern, text string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "*"); ok {
		return strings.HasPrefix(text, prefix)
	}
	return pattern == "" || pattern == text
}

// counter counts the selected objects of a state. It is made once and used at
// every commit, so the selector is parsed before.
type counter struct {
	Objects
	selector labels.Selector
	memo     map[api.Object]bool // objects are immutable: each is looked at once
}

func (o Objects) counter() (*counter, error) {
	sel, err := labels.Parse(o.Labels)
	if err != nil {
		return nil, fmt.Errorf("labels %q: %w", o.Labels, err)
	}
	return &counter{Objects: o, selector: sel, memo: map[api.Object]bool{}}, nil
}

func (c *counter) count(s trace.State) int {
	n := 0
	// order: it only counts, and what an object is does not change.
	for cell, v := range s {
		if cell.Kind != trace.CellObject || cell.Owner != c.Resource {
			continue
		}
		obj := v.(api.Object)
		ok, seen := c.memo[obj]
		if !seen {
			ok = c.matches(obj)
			c.memo[obj] = ok
		}
		if ok {
			n++
		}
	}
	return n
}

func (c *counter) matches(obj api.Object) bool {
	if !c.selector.Matches(labels.Set(obj.GetLabels())) {
		return false
	}
	if len(c.Fields) == 0 {
		return true
	}
	text, err := api.Encode(obj)
	if err != nil {
		return false
	}
	var tree any
	if json.Unmarshal(text, &tree) != nil {
		return false
	}
	for path, want := range c.Fields {
		if !glob(want, lookup(tree, path)) {
			return false
		}
	}
	return true
}

// lookup follows a path such as "status.phase", "spec.containers.0.image" or
// "status.conditions[Ready].status" (the element whose type or name is Ready).
// What is not there is "".
func lookup(tree any, path string) string {
	for _, step := range strings.Split(path, ".") {
		name, element, _ := strings.Cut(strings.TrimSuffix(step, "]"), "[")
		tree = child(tree, name)
		if element != "" {
			tree = named(tree, element)
		}
	}
	switch v := tree.(type) {
	case nil:
		return ""
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatInt(int64(v), 10)
	}
	text, _ := json.Marshal(tree)
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

func named(tree any, name string) any {
	list, _ := tree.([]any)
	for _, v := range list {
		if m, ok := v.(map[string]any); ok && (m["type"] == name || m["name"] == name) {
			return v
		}
	}
	return nil
}

// number is a condition on a count.
type number struct {
	op string
	n  int
}

func parseCount(s string) (number, error) {
	op, rest := "==", strings.TrimSpace(s)
	for _, o := range []string{"==", "<=", ">=", "!=", "<", ">"} {
		if r, ok := strings.CutPrefix(rest, o); ok {
			op, rest = o, strings.TrimSpace(r)
			break
		}
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return number{}, fmt.Errorf("count %q: want a number, or a comparison such as %q or %q", s, "== 8", "<= 3")
	}
	return number{op, n}, nil
}

func (c number) holds(n int) bool {
	switch c.op {
	case "<=":
		return n <= c.n
	case ">=":
		return n >= c.n
	case "<":
		return n < c.n
	case ">":
		return n > c.n
	case "!=":
		return n != c.n
	}
	return n == c.n
}

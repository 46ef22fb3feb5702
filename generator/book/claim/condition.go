package claim

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"kubewalk/generator/problem"
	"kubewalk/playground/api"
	"kubewalk/playground/api/intstr"
	"kubewalk/playground/api/metav1"
	"kubewalk/playground/api/resource"
	"kubewalk/playground/demo/scenario"
	"kubewalk/playground/trace"
)

// condition is what a field or a value of an event has to be: .spec.replicas>=3,
// who!=kubelet/*. Those with = are kept where package scenario looks for them.
type condition struct {
	key  string // a path, or the key of a value
	text string // as it is written
	scenario.Comparison
}

// operators are those of conditions, those first that begin with another.
var operators = []string{"==", "!=", "<=", ">=", "=", "<", ">"}

// cutCondition reads KEY=VALUE with any operator. Those in brackets are part of
// the key. The error is about a condition that is written otherwise.
func cutCondition(word string) (c condition, ok bool, err error) {
	depth := 0
	for i, r := range word {
		switch {
		case r == '[':
			depth++
		case r == ']':
			depth--
		case depth > 0 || !strings.ContainsRune("=<>!", r):
			continue
		default:
			for _, op := range operators {
				if than, ok := strings.CutPrefix(word[i:], op); ok {
					c.key, c.text, c.Op, c.Than = strings.TrimPrefix(word[:i], "."), word, op, strings.TrimSpace(than)
					return c, true, c.mistyped()
				}
			}
			return c, false, nil
		}
	}
	return c, false, nil
}

// mistyped takes => for what it is.
func (c *condition) mistyped() error {
	if c.Op == "==" {
		c.Op = "="
	}
	if other, ok := scenario.ParseComparison(c.Than); ok && c.Op == "=" && other.Known() {
		op := strings.TrimRight(other.Op, "=")
		return wrong(fmt.Sprintf("write %s, or with %s=", strings.Replace(c.text, "="+c.Than, op+other.Than, 1), op), "condition %q compares twice", c.text)
	}
	return nil
}

// compares tells whether it asks for an order.
func (c *condition) compares() bool { return strings.ContainsAny(c.Op, "<>") }

// known checks that the value has an order.
func (c *condition) known() error {
	if c.compares() && !c.Known() {
		return wrong("compare it with = or !=, or write a number (3), a quantity (500m, 1Gi) or a time (5s)", "%q in %q has no order", c.Than, c.text)
	}
	return nil
}

// measures say what a type's values are compared with.
var measures = map[reflect.Type]struct {
	what, example string
	reads         func(string) bool
}{
	reflect.TypeFor[resource.Quantity]():  {"a quantity", "500m", isQuantity},
	reflect.TypeFor[metav1.Time]():        {"a time", "27s, on the demo's clock,", isTime},
	reflect.TypeFor[metav1.MicroTime]():   {"a time", "27s, on the demo's clock,", isTime},
	reflect.TypeFor[metav1.Duration]():    {"how long something takes", "5s", isDuration},
	reflect.TypeFor[intstr.IntOrString](): {"a number", "3", isNumber},
	reflect.TypeFor[int64]():              {"a number", "3", isNumber},
}

func isNumber(s string) bool   { _, err := strconv.ParseFloat(s, 64); return err == nil }
func isQuantity(s string) bool { _, err := resource.ParseQuantity(s); return err == nil }
func isDuration(s string) bool { _, err := time.ParseDuration(s); return err == nil }
func isTime(s string) bool {
	_, err := time.Parse(time.RFC3339, s)
	return err == nil || isDuration(s)
}

// fits tells whether a field can be compared, and with what stands there.
func (c *condition) fits(kind *api.Kind) error {
	t, err := typeAt(kind, c.key)
	if err != nil || !c.compares() {
		return err
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() == reflect.String {
		return c.known() // only the object can tell
	}
	if t.Kind() == reflect.Int32 || t.Kind() == reflect.Int {
		t = reflect.TypeFor[int64]()
	}
	m, ok := measures[t]
	if !ok {
		return wrong("compare it with = or !=", "a value of %q has no order, in %q", "."+c.key, c.text)
	}
	if !m.reads(c.Than) {
		return wrong(fmt.Sprintf("write %s after the %s", m.example, c.Op), "%q is %s, but %q is not", "."+c.key, m.what, c.Than)
	}
	return nil
}

// holdsFor compares what is there. of names the thing in an error.
func (c *condition) holdsFor(is, of string, r *Run) (bool, error) {
	than := c.Comparison
	if _, err := time.Parse(time.RFC3339, is); err == nil {
		if d, err := time.ParseDuration(than.Than); err == nil { // on the demo's clock
			than.Than = r.Epoch.Add(d).Format(time.RFC3339Nano)
		}
	}
	holds, ok := than.Holds(is)
	if !ok && is != "" {
		return false, wrong("compare it with = or !=, or with a value of its kind", "%s has %s %q, which has no order beside %q", of, c.key, is, c.Than)
	}
	return holds, nil
}

// objectHolds holds an object against the conditions that are no scenario.Objects'.
func (c *Claim) objectHolds(tree map[string]any, key string, r *Run) (bool, error) {
	for i := range c.conditions {
		k := &c.conditions[i]
		is := scenario.Field(tree, k.key)
		if k.Op == "!=" {
			other := scenario.Objects{Fields: map[string]string{k.key: k.Than}}
			if same, err := other.MatchesTree(tree); err != nil || same {
				return false, err
			}
		} else if holds, err := k.holdsFor(is, key, r); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// eventHolds holds an event against the conditions that are no scenario.Match's.
func (c *Claim) eventHolds(e *trace.Event, r *Run) (bool, error) {
	for i := range c.conditions {
		k := &c.conditions[i]
		is := e.Text(k.key)
		if k.Op == "!=" {
			if k.Than == "" && is == "" || k.Than != "" && matching(k.key, k.Than).Matches(e) {
				return false, nil
			}
			continue
		}
		if is == "" {
			return false, nil
		}
		if holds, err := k.holdsFor(is, fmt.Sprintf("event %d, %s,", e.ID, e.Op), r); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}

// matching selects the events of which one thing is so.
func matching(key, want string) scenario.Match {
	switch key {
	case "who":
		return scenario.Match{Who: want}
	case "object":
		return scenario.Match{Object: want}
	}
	return scenario.Match{Attrs: map[string]string{key: want}}
}

// unknownKey tells of a key that no event of the kind has.
func (c *Claim) unknownKey(known map[string]bool) error {
	var asked []string
	for key := range c.match.Attrs { // order: they are sorted below
		asked = append(asked, key)
	}
	for _, k := range c.conditions {
		if k.key != "who" && k.key != "object" {
			asked = append(asked, k.key)
		}
	}
	slices.Sort(asked)
	for _, key := range asked {
		if !known[key] {
			names := []string{"who", "object"}
			for k := range known { // order: DidYouMean sorts
				names = append(names, k)
			}
			return wrong(problem.DidYouMean(key, names), "no event %s has a value %q", c.match.Op, key)
		}
	}
	return nil
}

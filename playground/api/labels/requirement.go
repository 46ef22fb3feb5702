package labels

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kubewalk/playground/api/selection"
	"kubewalk/playground/api/validate"
)

// Requirement is one condition on one label: key, operator, values. Make it with NewRequirement, which validates.
type Requirement struct {
	key      string
	operator selection.Operator
	values   []string
}

// Requirements are conditions that must all hold.
type Requirements []Requirement

// NewRequirement makes a requirement. In and NotIn want values, Equals, NotEquals, GreaterThan and LessThan exactly one
// (the last two an integer), Exists and DoesNotExist none. The error lists all that is wrong.
// Upstream: apimachinery/pkg/labels/selector.go, NewRequirement.
func NewRequirement(key string, op selection.Operator, vals []string) (*Requirement, error) {
	var errs []string
	invalid := func(field, value, detail string) { errs = append(errs, invalidValue(field, value, detail)) }
	if msgs := validate.IsLabelKey(key); len(msgs) > 0 {
		invalid("key", strconv.Quote(key), strings.Join(msgs, "; "))
	}
	switch op {
	case selection.In, selection.NotIn:
		if len(vals) == 0 {
			invalid("values", jsonList(vals), "for 'in', 'notin' operators, values set can't be empty")
		}
	case selection.Equals, selection.DoubleEquals, selection.NotEquals:
		if len(vals) != 1 {
			invalid("values", jsonList(vals), "exact-match compatibility requires one single value")
		}
	case selection.Exists, selection.DoesNotExist:
		if len(vals) != 0 {
			invalid("values", jsonList(vals), "values set must be empty for exists and does not exist")
		}
	case selection.GreaterThan, selection.LessThan:
		if len(vals) != 1 {
			invalid("values", jsonList(vals), "for 'Gt', 'Lt' operators, exactly one value is required")
		}
		for i, v := range vals {
			if _, err := strconv.ParseInt(v, 10, 64); err != nil {
				invalid(fmt.Sprintf("values[%d]", i), strconv.Quote(v), "for 'Gt', 'Lt' operators, the value must be an integer")
			}
		}
	default:
		errs = append(errs, fmt.Sprintf("operator: Unsupported value: %q: supported values: %s", op, quoted(validOperators)))
	}
	for i, v := range vals {
		if msgs := validate.IsLabelValue(v); len(msgs) > 0 {
			invalid(fmt.Sprintf("values[%d][%s]", i, key), strconv.Quote(v), strings.Join(msgs, "; "))
		}
	}
	if len(errs) > 0 {
		return nil, aggregate(errs)
	}
	return &Requirement{key, op, vals}, nil
}

// operators are those that take values, in the order in which errors list them.
var operators = []string{"in", "notin", "=", "==", "!=", "gt", "lt"}

var validOperators = append(slices.Clone(operators), "exists", "!")

// invalidValue is the text of upstream's field.Invalid; value is already in JSON.
func invalidValue(field, value, detail string) string {
	return field + ": Invalid value: " + value + ": " + detail
}

func quoted(list []string) string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strconv.Quote(s)
	}
	return strings.Join(out, ", ")
}

func jsonList(list []string) string {
	if list == nil {
		return "null"
	}
	return "[" + strings.ReplaceAll(quoted(list), ", ", ",") + "]"
}

// aggregate is the text of upstream's util/errors.NewAggregate.
func aggregate(errs []string) error {
	if len(errs) == 1 {
		return errors.New(errs[0])
	}
	return errors.New("[" + strings.Join(errs, ", ") + "]")
}

// Key is the label's key.
func (r *Requirement) Key() string { return r.key }

// Operator is how key and values relate.
func (r *Requirement) Operator() selection.Operator { return r.operator }

// Values returns a copy of the values, sorted.
func (r *Requirement) Values() []string {
	out := append([]string{}, r.values...)
	slices.Sort(out)
	return out
}

// Matches says that the labels meet the requirement. NotIn and NotEquals match what lacks the label too.
func (r *Requirement) Matches(ls Labels) bool {
	value, exists := ls.Lookup(r.key)
	switch r.operator {
	case selection.In, selection.Equals, selection.DoubleEquals:
		return exists && slices.Contains(r.values, value)
	case selection.NotIn, selection.NotEquals:
		return !exists || !slices.Contains(r.values, value)
	case selection.Exists:
		return exists
	case selection.DoesNotExist:
		return !exists
	case selection.GreaterThan, selection.LessThan:
		if !exists || len(r.values) != 1 {
			return false
		}
		have, err1 := strconv.ParseInt(value, 10, 64)
		want, err2 := strconv.ParseInt(r.values[0], 10, 64)
		if err1 != nil || err2 != nil {
			return false
		}
		return r.operator == selection.GreaterThan && have > want || r.operator == selection.LessThan && have < want
	}
	return false
}

// String is the requirement as Parse reads it.
func (r *Requirement) String() string {
	values := strings.Join(r.Values(), ",")
	switch r.operator {
	case selection.DoesNotExist:
		return "!" + r.key
	case selection.Exists:
		return r.key
	case selection.In, selection.NotIn:
		return r.key + " " + string(r.operator) + " (" + values + ")"
	case selection.GreaterThan:
		return r.key + ">" + values
	case selection.LessThan:
		return r.key + "<" + values
	}
	return r.key + string(r.operator) + values
}

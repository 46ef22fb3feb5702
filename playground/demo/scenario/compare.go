package scenario

import (
	"cmp"
	"strings"
	"time"

	"kubewalk/playground/api/resource"
)

// Comparison is a condition on what has an order: ">= 3", "< 500m", "> 2s",
// "<= 2026-01-01T00:00:30Z".
type Comparison struct{ Op, Than string }

// Operators are those of a comparison, those first that begin with another.
var Operators = []string{"==", "<=", ">=", "!=", "<", ">"}

// ParseComparison reads ">= 3". It is false for a text that compares with nothing.
func ParseComparison(text string) (c Comparison, ok bool) {
	if text == "" || !strings.ContainsRune("<>=!", rune(text[0])) {
		return c, false
	}
	for _, op := range Operators {
		if than, ok := strings.CutPrefix(text, op); ok {
			return Comparison{op, strings.TrimSpace(than)}, true
		}
	}
	return c, false
}

// Known tells whether the value that it compares with has an order.
func (c Comparison) Known() bool {
	_, ok := order(c.Than, c.Than)
	return ok
}

// Holds compares a value. What is not there is 0 beside a bare number, as it is in
// the API. ok is false for values without a common order: "Running" and "3".
func (c Comparison) Holds(is string) (holds, ok bool) {
	if is == "" && strings.Trim(c.Than, "0123456789") == "" {
		is = "0"
	}
	n, ok := order(is, c.Than)
	if !ok {
		return false, false
	}
	return ordered(c.Op, n), true
}

func ordered(op string, n int) bool {
	switch op {
	case "<=":
		return n <= 0
	case ">=":
		return n >= 0
	case "<":
		return n < 0
	case ">":
		return n > 0
	case "!=":
		return n != 0
	}
	return n == 0
}

// order is that of two values which are both quantities, numbers among them, or
// both how long something takes, or both times. So 500m is half of 1, and no eight hours,
// beside another quantity: how long something takes is written with its seconds.
func order(a, b string) (int, bool) {
	if x, err := resource.ParseQuantity(a); err == nil {
		if y, err := resource.ParseQuantity(b); err == nil {
			return x.Cmp(y), true
		}
	}
	if x, err := time.ParseDuration(a); err == nil {
		if y, err := time.ParseDuration(b); err == nil {
			return cmp.Compare(x, y), true
		}
	}
	if x, err := time.Parse(time.RFC3339, a); err == nil {
		if y, err := time.Parse(time.RFC3339, b); err == nil {
			return x.Compare(y), true
		}
	}
	return 0, false
}

package cri

import (
	"strconv"
	"strings"
)

// sum computes what stands in $((…)): numbers, variables, parentheses, assignments, and the operators of precedence. What it does not
// understand ends it. Absent: ?:, bits, powers, and ${…} inside of another.
// Upstream: busybox shell/math.c, whose error messages it has.
func (x *shell) sum(text string) int64 {
	m := &sum{shell: x, text: text}
	total := m.binary(1)
	if m.space(); m.text != "" && !m.failed {
		m.fail("arithmetic syntax error")
	}
	if m.failed {
		return 0
	}
	return total
}

// sum is an expression that is being computed.
type sum struct {
	shell  *shell
	text   string // what is left of it
	depth  int
	failed bool
}

// precedence of the operators of two values; those of two characters come first.
var precedence = []struct {
	of    string
	level int
}{{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 4}, {">=", 4}, {"<", 4}, {">", 4}, {"+", 5}, {"-", 5}, {"*", 6}, {"/", 6}, {"%", 6}}

// unaries bind more than all of these.
const unaries = 7

func (m *sum) fail(why string) int64 {
	if !m.failed {
		m.shell.out("stderr", m.shell.called()+why)
	}
	m.failed, m.text = true, ""
	return 0
}

func (m *sum) space() { m.text = strings.TrimLeft(m.text, " \t\n") }

// take skips what comes next, if it is that.
func (m *sum) take(what string) bool {
	m.space()
	rest, is := strings.CutPrefix(m.text, what)
	if is {
		m.text = rest
	}
	return is
}

// binary computes up to an operator that binds less than level.
func (m *sum) binary(level int) int64 {
	if m.depth++; m.depth > deepest {
		return m.fail("arithmetic syntax error")
	}
	defer func() { m.depth-- }()
	left := m.unary()
next:
	for m.space(); ; m.space() {
		for _, op := range precedence {
			if op.level >= level && m.take(op.of) {
				left = m.apply(op.of, left, m.binary(op.level+1))
				continue next
			}
		}
		return left
	}
}

func (m *sum) apply(op string, a, b int64) int64 {
	truth := map[string]bool{"||": a != 0 || b != 0, "&&": a != 0 && b != 0, "==": a == b, "!=": a != b, "<=": a <= b, ">=": a >= b, "<": a < b, ">": a > b}
	switch is, compares := truth[op]; {
	case is:
		return 1
	case compares:
		return 0
	case op == "+":
		return a + b
	case op == "-":
		return a - b
	case op == "*":
		return a * b
	case b == 0:
		return m.fail("divide by zero")
	case op == "/":
		return a / b
	}
	return a % b
}

// unary is a value with what stands before it.
func (m *sum) unary() int64 {
	switch {
	case m.take("++"):
		return m.changed(m.name(), "+", 1)
	case m.take("--"):
		return m.changed(m.name(), "-", 1)
	case m.take("-"):
		return -m.binary(unaries)
	case m.take("+"):
		return m.binary(unaries)
	case m.take("!"):
		if m.binary(unaries) == 0 {
			return 1
		}
		return 0
	case m.take("("):
		v := m.binary(1)
		if !m.take(")") {
			return m.fail("arithmetic syntax error")
		}
		return v
	}
	return m.value()
}

// value is a number, or a variable, to which something may be assigned.
func (m *sum) value() int64 {
	m.space()
	if rest, is := strings.CutPrefix(m.text, "${"); is {
		name, after, closed := strings.Cut(rest, "}")
		if !closed || strings.Contains(name, "$") {
			return m.fail("arithmetic syntax error")
		}
		m.text = after
		return m.get(name)
	}
	_, reads := strings.CutPrefix(m.text, "$")
	m.text = strings.TrimPrefix(m.text, "$")
	name := m.name()
	switch n, err := strconv.ParseInt(name, 0, 64); {
	case name == "":
		return m.fail("arithmetic syntax error")
	case err == nil && !reads:
		return n
	case reads:
		return m.get(name)
	case m.take("++"):
		return m.changed(name, "+", 1) - 1
	case m.take("--"):
		return m.changed(name, "-", 1) + 1
	}
	for _, op := range []string{"+", "-", "*", "/", "%"} {
		if m.take(op + "=") {
			return m.changed(name, op, m.binary(1))
		}
	}
	if m.space(); strings.HasPrefix(m.text, "=") && !strings.HasPrefix(m.text, "==") {
		m.text = m.text[1:]
		return m.set(name, m.binary(1))
	}
	return m.get(name)
}

// name is a word of letters and digits.
func (m *sum) name() string {
	m.space()
	n := 0
	for n < len(m.text) && isNameByte(m.text[n]) {
		n++
	}
	name := m.text[:n]
	m.text = m.text[n:]
	return name
}

// get is the value of a variable; one that is no number counts as 0.
func (m *sum) get(name string) int64 {
	v, _ := strconv.ParseInt(m.shell.variable(name), 0, 64)
	return v
}

func (m *sum) set(name string, v int64) int64 {
	m.shell.assign(name, strconv.FormatInt(v, 10))
	return v
}

func (m *sum) changed(name, op string, by int64) int64 {
	return m.set(name, m.apply(op, m.get(name), by))
}
